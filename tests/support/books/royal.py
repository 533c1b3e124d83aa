"""What the tests of Royal Three Pictures share: hands, bets and short readers of records."""

from tests.support.play import TableTop, of_kind
from tests.support.tables import ROYAL

NINE = "9S TH TD"
OTHER_NINE = "9C TC TS"
THREE = "2C 3C 8H"
OTHER_THREE = "2D 3D 8C"
KING_NINE = "KS 4D 5D"
P1_MAIN = (1, "P1", "main", 1000)
P1_TIE = (1, "P1", "tie", 400)
P1_ROYAL = (1, "P1", "royal_pictures", 600)
P2_MAIN = (2, "P2", "main", 1000)
MINIMUM = {wager: [500, 1000] for wager in ("main", "tie", "royal_pictures")}
ROLES = ("dealer", "pit_supervisor", "pit_manager", "shift_manager")


def table(*bets, **config):
    """A table with betting open and these bets on it."""
    top = TableTop(ROYAL, **config)
    top.bets(*bets)
    return top


def dealt_table(*bets, **config):
    """Two positions dealt to: P1's nine on box 1 and P2's three on box 2, the dealer with a three."""
    top = table(*(bets or (P1_MAIN, P2_MAIN)), **config)
    top.deal(b1=NINE, b2=OTHER_THREE, dealer=THREE)
    return top


def play(top, *bets, b1=NINE, dealer=THREE):
    """One whole round on box 1; its settlement."""
    top.bets(*bets)
    top.deal(b1=b1, dealer=dealer)
    return top.finish()


def lines(records):
    """{(box, player, wager): (result, stake, returned)}"""
    return {tuple(line[1:4]): (line[4], line[7], line[9]) for line in of_kind(records, "line")}


def refunds(records):
    """{(box, player, wager): (cents, paragraph)}"""
    return {tuple(refund[1:4]): tuple(refund[4:6]) for refund in of_kind(records, "refund")}


def places(top, words):
    """Deal these cards; where each went."""
    return [of_kind(top.do("card", word), "dealt")[0][1] for word in words.split()]


def states(records):
    return [record[1] for record in of_kind(records, "state")]


LATE = (
    ["close"],
    ["card", "9S"],
    *[["card", word] for word in ("TH", "TD", "2C", "3C", "8H")],
    ["show", 1],
    ["reveal"],
)


def play_on(top, bet):
    top.do("bet", *bet)
    top.deal(b1=NINE, dealer=THREE)
    return top.finish()


def establishes(top):
    """Whether a power failure now finds an outcome: (box, wager, result) of it, or None."""
    is_open = top.has_only_open_cards()
    records = top.do("power_failure")
    if not is_open and not of_kind(records, "outcome"):
        # First the dealer says which cards lie open; here no more do.
        assert records == [["ask", "tell", "power_failure", "dealer", "5.13", "R-23"]]
        records = top.do("all_told")
    outcomes = of_kind(records, "outcome")
    assert bool(outcomes) != bool(of_kind(records, "offer"))
    if not outcomes:
        top.do("choices_done")
        return None
    assert outcomes[0][5] == "5.13.2"
    return outcomes[0][1], outcomes[0][3], outcomes[0][4]
