"""The words a rulebook module is written in, and how a book is loaded by its id.

A rulebook is one module in `shared/books/`, named as its id with underscores, and no other module names a book or
knows what it says. It states:

- who it is: ID, TITLE, SHORTER (how a small display shortens its words), OPERATOR, VERSION, EFFECTIVE;
- its WAGERS with their pay lines, the main wager first; its BONUS and its envy(), or None; ROUNDING;
- how hands rank: value() and mark() turn three cards into the two ints that every judge works on; qualifies()
  says whether the dealer does, None if he need not. A book with an OUTCOME looks at ranks alone, never at suits;
- how hands are called: RANKING is the paragraph of the list, HANDS its families, lowest first; rank(value) finds
  the place in HANDS and the rank in words and in short; FIGURES are numbers to report with a hand;
- DEALS and MAX_BOXES; and in the words of `policy.py` its LIMITS, its PROCEDURE, its IRREGULARITIES, the CHOICES
  it gives players and the paragraphs for an established OUTCOME, or None.

Each entry names the paragraph it rests on.
"""

from collections import namedtuple

from shared.values import const

WIN = "win"
LOSE = "lose"
_PUSH = const("push")  # a result: neither won nor lost, the stake goes back
_RETURNED = const("returned")  # no result: the wager was never in play

# What a wager needs before it is in play.
NEEDS_NOTHING = 0
NEEDS_MAIN_ON_BOX = 1  # a main wager of anyone on the box
NEEDS_OWN_MAIN = 2  # the same player's main wager on the same box

# In place of the second number of the odds: what is paid is a sum and the stake is not given back.
FIXED_SUM = 0  # `num` cents
METER_SHARE = -1  # `num` per cent of the jackpot meter; only one hand of the deck may win it

ONE_BY_ONE = 1
SETS_OF_THREE = 3

# One line of a pay table, or one way to lose: what happens to the stake and which paragraph says so.
# `ruling` is the id of the reading the line rests on, or None where the text is clear.
Line = namedtuple("Line", ("key", "result", "num", "den", "paragraph", "ruling"))

# `lines` holds every line that `judge(player, mark, dealer)` can return, and `folded`, if any, a line
# of its own for a folded hand. `unmet` is the line where what the wager needs is missing. `on_decision`
# marks a wager that is made by deciding to play and equals the main wager.
Wager = namedtuple(
    "Wager", ("name", "title", "paragraph", "needs", "lines", "judge", "folded", "unmet", "on_decision")
)

# Hands of one name. `short` has at most five characters and `code` at most two, for a display; %s stands for the
# rank. `step` (0, 1 or 2) tells families of the same code apart, the higher wins.
Family = namedtuple("Family", ("name", "short", "code", "step"))

# How cards come from a kind of device: one at a time or in sets of three.
Deal = namedtuple("Deal", ("device", "cards", "paragraph"))


def win(key, num, den, paragraph, ruling=None):
    return Line(key, WIN, num, den, paragraph, ruling)


def lose(paragraph, ruling=None, key="lose"):
    return Line(key, LOSE, 0, 1, paragraph, ruling)


def push(paragraph, ruling=None, key="push"):
    return Line(key, _PUSH, 0, 1, paragraph, ruling)


def returned(paragraph, ruling=None):
    return Line("returned", _RETURNED, 0, 1, paragraph, ruling)


def main_wager(name, title, paragraph, lines, judge, folded=None):
    return Wager(name, title, paragraph, NEEDS_NOTHING, lines, judge, folded, None, False)


def side_wager(name, title, paragraph, needs, lines, judge, unmet, folded=None):
    return Wager(name, title, paragraph, needs, lines, judge, folded, unmet, False)


_MAX_ID = const(60)


def load(book_id):
    """The module of the rulebook with this id; ValueError if there is none."""
    # Only what can be a book's id is imported: letters and digits in words joined by single hyphens.
    if not 0 < len(book_id) <= _MAX_ID:
        raise ValueError("no such rulebook")
    for word in book_id.split("-"):
        if not word or not all(byte in b"abcdefghijklmnopqrstuvwxyz0123456789" for byte in word.encode()):
            raise ValueError("no such rulebook")
    try:
        package = __import__("shared.books." + book_id.replace("-", "_"))
    except ImportError as problem:
        raise ValueError("no such rulebook (%s)" % problem)
    return getattr(package.books, book_id.replace("-", "_"))
