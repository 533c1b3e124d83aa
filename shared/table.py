"""A table's configuration: which book, how many boxes, limits, device, and whether money is known."""

from shared.events import MAX_NAME, clean, is_int, is_text
from shared.rulebook import METER_SHARE, load

FIELDS = ("game", "boxes", "device", "reader", "limits", "amounts", "chip", "progressive", "posts_above")

# What reads the cards: a reader that speaks Felt's own line protocol, or the Angel Eye II-EX shoe.
FELT_READER = "felt"
ANGEL_EYE = "angel_eye"
READERS = (FELT_READER, ANGEL_EYE)
MAX_POSTS = 8


def whole(value, field, least):
    if not is_int(value) or not least <= value <= 1000000000:
        raise ValueError("%s: expected a whole number from %d up" % (field, least))
    return value


class Table:
    """The configuration read and checked; a ValueError names the field at fault.

    `limits` maps a wager to (minimum, maximum) in cents. `chip` is the smallest chip in cents. With
    `amounts` false the sensors know only that chips lie there: rounds run the same and their lines
    carry odds without money. `posts_above` names posts above those of the book, lowest first (L-39).
    """

    def __init__(self, config):
        if not isinstance(config, dict):
            raise ValueError("table: expected an object")
        for field in sorted([str(name) for name in config]):
            if field not in FIELDS:
                raise ValueError("%s: no such field; there are %s" % (clean(field, MAX_NAME), ", ".join(FIELDS)))
        game = config.get("game")
        if not isinstance(game, str):
            raise ValueError("game: expected a rulebook's id")
        try:
            self.book = load(game)
        except ValueError:
            raise ValueError("game: no such rulebook " + clean(game, MAX_NAME))
        book = self.book
        self.boxes = config.get("boxes", 0)
        if not is_int(self.boxes) or not 1 <= self.boxes <= book.MAX_BOXES:
            raise ValueError("boxes: expected a number from 1 to %d" % book.MAX_BOXES)
        self.device = config.get("device", "shuffler")
        self.deal = None
        for deal in book.DEALS:
            if deal.device == self.device:
                self.deal = deal
        if self.deal is None:
            raise ValueError("device: expected one of " + ", ".join([deal.device for deal in book.DEALS]))
        self.reader = config.get("reader", FELT_READER)
        if self.reader not in READERS:
            raise ValueError("reader: expected one of " + ", ".join(READERS))
        self.amounts = config.get("amounts", True)
        if not isinstance(self.amounts, bool):
            raise ValueError("amounts: expected true or false")
        self.chip = whole(config.get("chip", 1), "chip", 1)
        self.limits = self.read_limits(config.get("limits", {}))
        self.read_progressive(config.get("progressive"))
        self.roles = list(book.PROCEDURE.roles)
        above = config.get("posts_above", [])
        if not isinstance(above, list):
            raise ValueError("posts_above: expected a list of posts")
        for post in above:
            if not is_text(post, MAX_NAME) or post in self.roles or len(self.roles) >= MAX_POSTS:
                raise ValueError("posts_above: expected new names of posts, at most %d in all" % MAX_POSTS)
            self.roles.append(post)

    def read_limits(self, given):
        if not isinstance(given, dict):
            raise ValueError("limits: expected an object of wagers")
        places = {wager.name: place for place, wager in enumerate(self.book.WAGERS) if not wager.on_decision}
        limits: list = [None] * len(self.book.WAGERS)
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

    def read_progressive(self, given):
        """The progressive's stake, its share for the meter, and what the meter starts again with."""
        self.progressive = None
        self.stake = self.contribution = self.start = self.reset = 0
        for place, wager in enumerate(self.book.WAGERS):
            for line in wager.lines:
                if line.den == METER_SHARE:
                    self.progressive = place
        if self.progressive is None:
            if given is not None:
                raise ValueError("progressive: %s has none" % self.book.ID)
            return
        if not isinstance(given, dict):
            raise ValueError("progressive: expected stake, contribution, meter and reset in cents (T-03, T-18)")
        for name in sorted([str(name) for name in given]):
            if name not in ("stake", "contribution", "meter", "reset"):
                raise ValueError("progressive.%s: no such field" % name)
        self.stake = whole(given.get("stake"), "progressive.stake", 1)
        if self.stake % self.chip:
            raise ValueError("progressive.stake: not a multiple of the smallest chip")
        if self.limits[self.progressive]:
            raise ValueError("limits.%s: its stake is fixed" % self.book.WAGERS[self.progressive].name)
        self.contribution = whole(given.get("contribution", 0), "progressive.contribution", 0)
        self.start = whole(given.get("meter"), "progressive.meter", 0)
        self.reset = whole(given.get("reset", 0), "progressive.reset", 0)

    def role_reaches(self, role, needed):
        """Whether this post, acting or higher, may do what `needed` may (R 6.2)."""
        return role in self.roles and self.roles.index(role) >= self.roles.index(needed)
