"""Reads a table's configuration and checks it. Apart from the Table, which every round needs: this is needed only
when there is a new one, and a Pico has little room."""

from shared.round.events import MAX_NAME, clean, is_int, is_text
from shared.round.table import FELT_READER, FIELDS, MAX_POSTS, READERS
from shared.rules.rulebook import METER_SHARE, load


def read_table(config):
    """What a Table holds, in the order in which it takes it; a ValueError names the field at fault."""
    if not isinstance(config, dict):
        raise ValueError("table: expected an object")
    for field in sorted([str(name) for name in config]):
        if field not in FIELDS:
            raise ValueError("%s: no such field; there are %s" % (clean(field, MAX_NAME), ", ".join(FIELDS)))
    game = config.get("game")
    if not isinstance(game, str):
        raise ValueError("game: expected a rulebook's id")
    try:
        book = load(game)
    except ValueError:
        raise ValueError("game: no such rulebook " + clean(game, MAX_NAME))
    boxes = config.get("boxes", 0)
    if not is_int(boxes) or not 1 <= boxes <= book.MAX_BOXES:
        raise ValueError("boxes: expected a number from 1 to %d" % book.MAX_BOXES)
    device = config.get("device", "shuffler")
    deals = [deal for deal in book.DEALS if deal.device == device]
    if not deals:
        raise ValueError("device: expected one of " + ", ".join([deal.device for deal in book.DEALS]))
    reader = config.get("reader", FELT_READER)
    if reader not in READERS:
        raise ValueError("reader: expected one of " + ", ".join(READERS))
    amounts = config.get("amounts", True)
    if not isinstance(amounts, bool):
        raise ValueError("amounts: expected true or false")
    chip = whole(config.get("chip", 1), "chip", 1)
    limits = read_limits(book, config.get("limits", {}))
    progressive = read_progressive(book, chip, limits, config.get("progressive"))
    roles = list(book.PROCEDURE.roles)
    above = config.get("posts_above", [])
    if not isinstance(above, list):
        raise ValueError("posts_above: expected a list of posts")
    for post in above:
        if not is_text(post, MAX_NAME) or post in roles or len(roles) >= MAX_POSTS:
            raise ValueError("posts_above: expected new names of posts, at most %d in all" % MAX_POSTS)
        roles.append(post)
    return (book, boxes, device, deals[0], reader, amounts, chip, limits, roles) + progressive


def read_limits(book, given):
    if not isinstance(given, dict):
        raise ValueError("limits: expected an object of wagers")
    places = {wager.name: place for place, wager in enumerate(book.WAGERS) if not wager.on_decision}
    limits: list = [None] * len(book.WAGERS)
    for name in sorted([str(name) for name in given]):
        field = "limits." + name
        if name not in places:
            raise ValueError("%s: no such wager; there are %s" % (field, ", ".join(sorted(places))))
        pair = given[name]
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise ValueError(field + ": expected [minimum, maximum]")
        least = whole(pair[0], field, 1)
        most = whole(pair[1], field, 1)
        if least > most:
            raise ValueError(field + ": the minimum is above the maximum")
        limits[places[name]] = (least, most)
    return limits


def read_progressive(book, chip, limits, given):
    """The progressive's place, its stake, its share for the meter, and what that starts with, and again."""
    progressive = None
    for place, wager in enumerate(book.WAGERS):
        for line in wager.lines:
            if line.den == METER_SHARE:
                progressive = place
    if progressive is None:
        if given is not None:
            raise ValueError("progressive: %s has none" % book.ID)
        return None, 0, 0, 0, 0
    if not isinstance(given, dict):
        raise ValueError("progressive: expected stake, contribution, meter and reset in cents")
    for name in sorted([str(name) for name in given]):
        if name not in ("stake", "contribution", "meter", "reset"):
            raise ValueError("progressive.%s: no such field" % name)
    stake = whole(given.get("stake"), "progressive.stake", 1)
    if stake % chip:
        raise ValueError("progressive.stake: not a multiple of the smallest chip")
    if limits[progressive]:
        raise ValueError("limits.%s: its stake is fixed" % book.WAGERS[progressive].name)
    contribution = whole(given.get("contribution", 0), "progressive.contribution", 0)
    start = whole(given.get("meter"), "progressive.meter", 0)
    reset = whole(given.get("reset", 0), "progressive.reset", 0)
    return progressive, stake, contribution, start, reset


def whole(value, field, least):
    if not is_int(value) or not least <= value <= 1000000000:
        raise ValueError("%s: expected a whole number from %d up" % (field, least))
    return value
