"""What the tests of Three Card Poker share: hands, bets and short readers of records."""

from tests.support.play import TableTop, of_kind
from tests.support.tables import POKER

ODD = "JH 7C 3S"  # jack-high: no wager pays on it
PAIR = "5S 5H 2D"
STRAIGHT = "9S 8H 7D"
SPADES = "AS KS QS"
HEARTS = "AH KH QH"
DEALER = "KC 8D 4S"  # qualifies and beats ODD
ANTE = (1, "P1", "ante", 1000)
PLUS = (1, "P1", "pair_plus", 500)
JACKPOT = (1, "P1", "progressive", 500)
METER = 1_000_000  # with a share of 100 for each progressive wager, and 250,000 after an award


def dealt(*bets, dealer=DEALER, **hands):
    """A table whose three hands are dealt and whose players are to decide."""
    top = TableTop(POKER)
    top.bets(*(bets or (ANTE,)))
    top.deal(dealer=dealer, **(hands or {"b1": ODD}))
    assert top.state == "deciding"
    return top


def settled(*bets, **hands):
    """A table where everybody played and everything is paid."""
    top = dealt(*bets, **hands)
    for box in list(top.round.order):
        top.do("decide", box, "play")
    return top, top.finish()


def lines(records):
    """What became of each wager: {(box, wager): (result, cents returned)}."""
    return {(line[1], line[3]): (line[4], line[9]) for line in of_kind(records, "line")}


def refunds(records):
    return {(one[1], one[3]): one[4] for one in of_kind(records, "refund")}


def asked(records):
    """Who is asked for a ruling, and the paragraph and reading that make it so."""
    [ask] = of_kind(records, "ask")
    return tuple(ask[1:])


TWO_JACKPOTS = (ANTE, JACKPOT, (2, "P2", "ante", 1000), (2, "P2", "progressive", 500))
SILENT = [
    (("power_failure",), "T-25"),
    (("irregularity", "technical"), "T-25"),
    (("irregularity", "not_shuffled"), "T-25"),
    (("irregularity", "drawn_together"), "T-25"),
    (("irregularity", "other"), "T-25"),
    (("irregularity", "left", None, "P1"), "T-27"),
]
