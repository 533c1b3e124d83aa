"""`felt odds`: every exact figure, and that it is counted through the rulebooks' own code."""

import json
import time
from fractions import Fraction
from itertools import combinations

import pytest
from click.testing import CliRunner

from host.cli import felt
from host.commands.odds import percent
from host.rules import odds
from host.rules.catalogue import all_books, find_book
from tests.support.tables import GAMES, LUCKY, MBS, NON_COMMISSION, POKER, ROYAL

pytestmark = pytest.mark.slow

MAIN_EDGE = "3110763/101792600"
TIE_EDGE = "1273528/12724075"
EDGES = {
    (LUCKY, "initial"): MAIN_EDGE,
    (LUCKY, "lucky_tie"): "433009/12724075",
    (LUCKY, "lucky_pictures"): "139852/2544815",
    (LUCKY, "player_lucky_6"): "3694447/50896300",
    (LUCKY, "dealer_lucky_6"): "3694447/50896300",
    (MBS, "main"): MAIN_EDGE,
    (MBS, "tie"): TIE_EDGE,
    (MBS, "three_pictures"): "54/65",
    (NON_COMMISSION, "initial"): MAIN_EDGE,
    (NON_COMMISSION, "tie"): TIE_EDGE,
    (NON_COMMISSION, "three_pictures"): "54/65",
    (ROYAL, "main"): MAIN_EDGE,
    (ROYAL, "tie"): TIE_EDGE,
    (ROYAL, "royal_pictures"): "62/1105",
    (POKER, "ante"): "686689/20358520",
    (POKER, "pair_plus"): "308/5525",
}


def run_felt(*arguments):
    done = CliRunner().invoke(felt, list(arguments))
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture(scope="module")
def all_odds():
    return json.loads(run_felt("odds", "--json"))


def test_every_edge_is_the_known_fraction(all_odds):
    found = {(entry["game"], entry["wager"]): entry["edge"] for entry in all_odds}
    assert {key: found[key] for key in EDGES} == EDGES


def test_the_lines_of_every_wager_cover_all_pairs(all_odds):
    assert len({entry["game"] for entry in all_odds}) == 5
    for entry in all_odds:
        assert entry["pairs"] == 407_170_400
        assert sum(line["count"] for line in entry["lines"]) == entry["pairs"], entry["wager"]


def test_an_edge_follows_from_its_own_lines(all_odds):
    """Worked out again from the printed lines alone: what is won and lost, over all pairs."""
    for entry in all_odds:
        if entry["wager"] in ("ante", "play", "progressive", "ante_bonus"):
            continue  # these rest on more than their own lines, and are checked below
        gain = Fraction()
        for line in entry["lines"]:
            if line["pays"]:
                gain += Fraction(*map(int, line["pays"].split(":"))) * line["count"]
            elif line["line"] == "lose":
                gain -= line["count"]
        assert entry["edge"] == str(-gain / entry["pairs"]), entry


def test_ante_play_and_bonus_add_up_to_the_edge_of_the_game(all_odds):
    ante = next(entry for entry in all_odds if entry["wager"] == "ante")
    assert sum(Fraction(part) for part in ante["parts"].values()) == Fraction(686689, 20358520)
    assert ante["strategy"] == {
        "play_from": "Three Odd Cards, Q-6-4",
        "played_hands": 14900,
        "exceptions": 0,
        "hands": 22100,
        "dealer_qualifies": 15380,
        "order_md5": "fcf110834e2232b3303cb039dcdd024b",
    }


def test_a_judge_that_pays_wrongly_changes_the_edge(monkeypatch):
    """The figures come through the rulebook's judges, not from a table of their own."""
    book = find_book(MBS)
    generous = book.WAGERS[1]._replace(judge=lambda player, mark, dealer: book.WAGERS[1].lines[0])
    monkeypatch.setattr(book, "WAGERS", (book.WAGERS[0], generous, book.WAGERS[2]))
    assert odds.book_odds(book, "tie")[0].edge == -8


@pytest.mark.parametrize("book", all_books(), ids=lambda book: book.ID)
def test_counting_by_classes_agrees_with_dealing_out_every_hand(book):
    """Twenty hands, each against all 18,424 dealer's hands one by one."""
    dealer = odds.Classes([(book.value(*hand),) for hand in odds.HANDS])
    everyone = odds.Classes([(0,)] * len(odds.HANDS))
    weights = {key[0]: place * place + 1 for place, key in enumerate(dealer.keys)}
    sums = odds.sum_over_dealers(odds.np.array([list(weights.values())]), everyone, dealer)
    for place in range(37, len(odds.HANDS), 1105):
        rest = [card for card in range(52) if card not in odds.HANDS[place]]
        assert sums[place] == sum(weights[book.value(*other)] for other in combinations(rest, 3))


def test_pairs_of_classes_are_counted_exactly_on_a_full_enumeration_of_one_class():
    """All pairs whose player's hand is Three Pictures, dealt out: 220 x 18,424 of them."""
    book = find_book(LUCKY)
    classes = odds.Classes([(book.value(*hand),) for hand in odds.HANDS])
    counted = odds.count_pairs(classes, classes)[classes.keys.index((30,))]
    dealt = [0] * 31
    pictures = [card for card in range(52) if 9 <= card // 4 <= 11]
    for hand in combinations(pictures, 3):
        rest = [card for card in range(52) if card not in hand]
        for other in combinations(rest, 3):
            dealt[book.value(*other)] += 1
    assert counted.tolist() == dealt


def test_the_31_ranks_have_their_known_counts():
    entries = json.loads(run_felt("odds", LUCKY, "--hands", "--json"))
    assert [entry["count"] for entry in entries][:7] == [220, 264, 960, 988, 264, 912, 988]
    assert sum(entry["count"] for entry in entries) == 22100


def test_the_progressive_needs_its_stake_and_meter(all_odds):
    entry = next(entry for entry in all_odds if entry["wager"] == "progressive")
    assert entry["edge"] is None
    priced = json.loads(
        run_felt("odds", POKER, "--wager", "progressive", "--stake", "500", "--meter", "10000000", "--json")
    )
    # Per 22,100 hands: 1 jackpot, 3 at $1,250, 44 at $175, 52 at $150, 720 at $15, on stakes of $5.
    paid = 10_000_000 + 3 * 125_000 + 44 * 17_500 + 52 * 15_000 + 720 * 1_500
    assert Fraction(priced[0]["edge"]) == 1 - Fraction(paid, 22100 * 500)


def test_all_five_books_take_under_ten_seconds():
    """Of this process's own time, so that a busy machine changes nothing."""
    begun = time.process_time()
    printed = run_felt("odds")
    assert time.process_time() - begun < 10
    for game in GAMES:
        assert find_book(game).TITLE in printed


def test_bad_words_are_answered_with_what_there_is():
    unknown = CliRunner().invoke(felt, ["odds", "baccarat"])
    assert unknown.exit_code == 2
    assert "choose one of: mbs-royal-three-pictures-2" in unknown.output
    several = CliRunner().invoke(felt, ["odds", "pictures"])
    assert "'pictures' fits 4 rulebooks" in several.output
    assert "poker" not in several.output
    for arguments in (["--hands", "--wager", "ante"], ["--stake", "500"], ["--meter", "5"]):
        assert CliRunner().invoke(felt, ["odds", POKER, *arguments]).exit_code == 2
    wager = CliRunner().invoke(felt, ["odds", POKER, "--wager", "tie"])
    assert wager.exit_code == 2
    assert "choose one of: ante, ante_bonus, pair_plus, play, progressive" in wager.output


def test_a_whole_title_names_its_book_though_others_contain_it():
    assert find_book("Three Pictures").ID == MBS
    assert find_book("lucky").ID == LUCKY


def test_percentages_are_rounded_from_the_exact_fraction():
    assert percent(Fraction(3110763, 101792600)) == "3.0560 %"
    assert percent(Fraction(-1, 3)) == "-33.3333 %"
    assert percent(Fraction(1)) == "100.0000 %"
    assert percent(Fraction(1, 10**7)) == "0.0000 %"
    assert percent(Fraction(1, 2_000_000)) == "0.0001 %"
