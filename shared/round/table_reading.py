"""Reads a table's configuration and checks it. Apart from the Table, which every round needs: this is needed only
when there is a new one, and a Pico has little room."""

from shared.round.events import MAX_CENTS, MAX_NAME
from shared.round.table import CHOSEN_POSTS, FELT_READER, FIELDS, MAX_POSTS, READERS, BadConfig
from shared.rules.rulebook import METER_SHARE, load
from shared.values import clean, is_int, is_text


def read_table(config):
    """What a Table holds, in the order in which it takes it; BadConfig names the field at fault."""
    if not isinstance(config, dict):
        raise BadConfig("object_expected", "table")
    for field in sorted([str(name) for name in config]):
        if field not in FIELDS:
            raise BadConfig("no_such_field", clean(field, MAX_NAME), "table")
    game = config.get("game")
    if not isinstance(game, str):
        raise BadConfig("missing", "game")
    try:
        book = load(game)
    except ValueError:
        raise BadConfig("no_such_book", "game", clean(game, MAX_NAME))
    boxes = config.get("boxes", 0)
    if not is_int(boxes) or not 1 <= boxes <= book.MAX_BOXES:
        raise BadConfig("number_expected", "boxes", 1, book.MAX_BOXES)
    device = config.get("device", "shuffler")
    deals = [deal for deal in book.DEALS if deal.device == device]
    if not deals:
        raise BadConfig("not_one_of_these", "device", ", ".join([deal.device for deal in book.DEALS]))
    reader = config.get("reader", FELT_READER)
    if reader not in READERS:
        raise BadConfig("not_one_of_these", "reader", ", ".join(sorted(READERS)))
    amounts = config.get("amounts", True)
    if not isinstance(amounts, bool):
        raise BadConfig("not_true_or_false", "amounts")
    chip = whole(config.get("chip", 1), "chip", 1)
    limits = read_limits(book, config.get("limits", {}))
    progressive = read_progressive(book, chip, limits, config.get("progressive"))
    roles = list(book.PROCEDURE.roles)
    above = config.get("posts_above", [])
    if not isinstance(above, list):
        raise BadConfig("posts_expected", "posts_above", MAX_POSTS)
    for post in above:
        if not is_text(post, MAX_NAME) or post in roles or len(roles) >= MAX_POSTS:
            raise BadConfig("posts_expected", "posts_above", MAX_POSTS)
        roles.append(post)
    posts = read_posts(roles, config.get("posts", {}))
    return (book, boxes, device, deals[0], reader, amounts, chip, limits, roles, posts) + progressive


def read_posts(roles, given):
    if not isinstance(given, dict):
        raise BadConfig("object_expected", "posts")
    posts = dict(CHOSEN_POSTS)
    for name in sorted([str(name) for name in given]):
        field = "posts." + name
        if name not in CHOSEN_POSTS:
            raise BadConfig("no_such_field", clean(field, MAX_NAME), "posts")
        if given[name] not in roles:
            raise BadConfig("not_one_of_these", field, ", ".join(roles))
        posts[name] = given[name]
    return posts


def read_limits(book, given):
    if not isinstance(given, dict):
        raise BadConfig("object_expected", "limits")
    places = {wager.name: place for place, wager in enumerate(book.WAGERS) if not wager.on_decision}
    limits: list = [None] * len(book.WAGERS)
    for name in sorted([str(name) for name in given]):
        field = "limits." + name
        if name not in places:
            raise BadConfig("no_such_field", clean(field, MAX_NAME), "limits")
        pair = given[name]
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise BadConfig("not_two_limits", field)
        least = whole(pair[0], field, 1)
        most = whole(pair[1], field, 1)
        if least > most:
            raise BadConfig("not_two_limits", field)
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
            raise BadConfig("no_such_field", "progressive", book.ID)
        return None, 0, 0, 0, 0
    if not isinstance(given, dict):
        raise BadConfig("object_expected", "progressive")
    for name in sorted([str(name) for name in given]):
        if name not in ("stake", "contribution", "meter", "reset"):
            raise BadConfig("no_such_field", clean("progressive." + name, MAX_NAME), "progressive")
    stake = whole(given.get("stake"), "progressive.stake", 1)
    if stake % chip:
        raise BadConfig("not_multiple", "progressive.stake", stake, chip)
    if limits[progressive]:
        raise BadConfig("no_such_field", "limits." + book.WAGERS[progressive].name, "limits")
    contribution = whole(given.get("contribution", 0), "progressive.contribution", 0)
    start = whole(given.get("meter"), "progressive.meter", 0)
    reset = whole(given.get("reset", 0), "progressive.reset", 0)
    return progressive, stake, contribution, start, reset


def whole(value, field, least):
    if not is_int(value) or not least <= value <= MAX_CENTS:
        raise BadConfig("number_expected", field, least, MAX_CENTS)
    return value
