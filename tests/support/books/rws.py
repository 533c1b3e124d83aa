"""Rounds that both RWS Three Pictures books play alike, for the tests of each; what to expect is said there."""

from typing import Any

from tests.support.play import TableTop, of_kind
from tests.support.tables import LUCKY, NON_COMMISSION

Bets = dict[tuple[int, str, str], Any]

READING = {LUCKY: "L-28", NON_COMMISSION: "N-10"}
TIE = {LUCKY: "lucky_tie", NON_COMMISSION: "tie"}
WIN_AND_LOSE = {"b1": "KS 9H 9D", "b2": "2H AC TD", "dealer": "KC 2S 3S"}  # eight, three, dealer five
ONE_WINS = {"b1": "KS 9H 9D", "dealer": "KC 2S 3S"}
ONE_LOSES = {"b1": "2H AC TD", "dealer": "KC 2S 3S"}


def full_table(book: str, **config: Any) -> TableTop:
    """Betting is open: P1 and, standing, P3 on box 1; P2 on box 3; nobody on box 2."""
    top = TableTop(book, **config)
    money = top.round.table.amounts
    bets = [(1, "P1", "initial", 1000), (1, "P1", TIE[book], 200), (1, "P3", "initial", 300)]
    bets.append((3, "P2", "initial", 500))
    top.bets(*[bet if money else bet[:3] for bet in bets])
    return top


def stakes(book: str) -> Bets:
    """What lies on the full table."""
    return {
        (1, "P1", "initial"): 1000,
        (1, "P1", TIE[book]): 200,
        (1, "P3", "initial"): 300,
        (3, "P2", "initial"): 500,
    }


def dealt(book: str, handled: bool = False, **config: Any) -> TableTop:
    """The full table with its cards face down: box 1 wins, box 3 loses, the tie loses."""
    top = full_table(book, **config)
    top.deal(b1=WIN_AND_LOSE["b1"], b3=WIN_AND_LOSE["b2"], dealer=WIN_AND_LOSE["dealer"])
    if handled:
        top.do("handled", 1)
    return top


def settled(book: str, handled: bool = False) -> TableTop:
    top = dealt(book, handled)
    top.finish()
    return top


def results(book: str) -> Bets:
    """The full table's settlement: (result, cents returned)."""
    return {
        (1, "P1", "initial"): ("win", 2000),
        (1, "P1", TIE[book]): ("lose", 0),
        (1, "P3", "initial"): ("win", 600),
        (3, "P2", "initial"): ("lose", 0),
    }


def without(bets: Bets, player: str) -> Bets:
    return {key: value for key, value in bets.items() if key[1] != player}


def only(bets: Bets, player: str) -> Bets:
    return {key: value for key, value in bets.items() if key[1] == player}


def refunds(records: list[list[Any]], paragraph: str) -> Bets:
    """What goes back, each bet once, all of it by this paragraph."""
    found = of_kind(records, "refund")
    assert {record[5] for record in found} <= {paragraph}
    return keyed(found, lambda record: record[4])


def lines(records: list[list[Any]]) -> Bets:
    return keyed(of_kind(records, "line"), lambda record: (record[4], record[9]))


def played(records: list[list[Any]]) -> Bets:
    """What each bet was settled for."""
    return keyed(of_kind(records, "line"), lambda record: record[7])


def keyed(found: list[list[Any]], value: Any) -> Bets:
    made = {tuple(record[1:4]): value(record) for record in found}
    assert len(made) == len(found), "a bet occurs twice"
    return made


def offers(records: list[list[Any]]) -> list[list[Any]]:
    return [record[1:] for record in of_kind(records, "offer")]


def voided(records: list[list[Any]]) -> tuple[str, Bets]:
    """Of a void: its paragraph and what goes back under 5.14."""
    assert records[-1][:2] == ["state", "void"]
    assert not of_kind(records, "line")
    return of_kind(records, "void")[0][1], refunds(records, "5.14")


def over_full(
    book: str, limits: list[int], bets: list[int], hands: dict[str, str], wager: str = "initial"
) -> Any:
    """A box whose bets turn out, after closing, to be more than was told: the records from then on."""
    top = TableTop(book, limits={wager: limits})
    top.do("open")
    if wager != "initial":
        top.do("bet", 1, "P1", "initial", 77700)
    share = limits[1] // len(bets)
    for number, cents in enumerate(bets, 1):
        top.do("bet", 1, f"P{number}", wager, min(cents, share))
    top.do("close")
    records = []
    for number, cents in enumerate(bets, 1):
        records += top.do("counted", 1, f"P{number}", wager, cents, "pit_supervisor")
    top.deal(**hands)
    return records + top.finish()


def power_cut(book: str, wager: str | None, box: str, dealer: str, cut: str = "power_failure") -> tuple[str, str]:
    """The power goes after the deal, cards marked * lying face up: what is decided by it, or ("void", paragraph).

    The bets are an Initial Bet and this wager beside it.
    """
    top = TableTop(book)
    top.bets((1, "P1", "initial", 1000))
    if wager:
        top.do("bet", 1, "P1", wager, 100)
    top.do("close")
    for word in (box + " " + dealer).split():
        top.do("card", word.rstrip("*"), up=True) if word.endswith("*") else top.do("card", word)
    return decided(top, cut)


def decided(top: TableTop, cut: str = "power_failure") -> tuple[str, str]:
    """What is decided by the interruption, or ("void", paragraph).

    Before a round is void for want of a decided bet, the dealer is asked which cards lie open; here no more do.
    """
    is_open = top.has_only_open_cards()
    records = top.do(cut) if cut == "power_failure" else top.do("irregularity", cut)
    if not is_open and not of_kind(records, "outcome"):
        assert records == [["ask", "tell", cut, "dealer", "5.4", READING[top.round.book.ID]]]
        records = top.do("all_told")
    found = of_kind(records, "outcome")
    if found:
        assert found[0][5] == "5.4.1"
        assert not of_kind(records, "refund")
        return found[0][3], found[0][4]
    return "void", voided(records)[0]
