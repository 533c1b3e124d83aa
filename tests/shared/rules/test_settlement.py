"""What must hold for every settlement of every book, whatever lies on the table."""

import copy
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.rules.catalogue import all_books, play_wager_place, progressive_place
from host.rules.settle_request import settle_request
from host.words.hand_names import hand_counts, hand_name
from shared.rules import policy, rulebook
from shared.rules.settlement import Seat, settle_table
from tests.support.campaign import fewer
from tests.support.deals import deal_table, tables
from tests.support.reference import settle_reference
from tests.support.tables import GAMES, LUCKY, POKER

PICTURES_BOOKS = [book for book in all_books() if book.ID != POKER]


def paid_in_short(answer):
    boxes = [
        {
            "wagers": {name: (w["result"], w["paid"], w["returned"]) for name, w in box["wagers"].items()},
            "ante_bonus": (box.get("ante_bonus") or {"paid": 0})["paid"],
        }
        for box in answer["boxes"]
    ]
    return {"boxes": boxes, "envy": answer["envy"]}


@pytest.mark.parametrize("game", GAMES)
def test_a_second_implementation_agrees_on_thousands_of_tables(game):
    dice = random.Random(game)
    for _ in range(fewer(3000)):
        request = deal_table(game, dice)
        assert paid_in_short(settle_request(request)) == settle_reference(request), request


@given(tables())
def test_what_goes_in_comes_out(request):
    answer = settle_request(request)
    for box, given_box in zip(answer["boxes"], request["boxes"]):
        bonus = (box.get("ante_bonus") or {"paid": 0})["paid"]
        assert box["staked"] == sum(wager["stake"] for wager in box["wagers"].values())
        assert box["returned"] == sum(wager["returned"] for wager in box["wagers"].values()) + bonus
        placed = {name: stake for name, stake in given_box["wagers"].items() if stake}
        assert {name: w["stake"] for name, w in box["wagers"].items() if name != "play"} == placed
        for wager in box["wagers"].values():
            expected = {"lose": 0, "push": wager["stake"], "returned": wager["stake"]}
            if wager["result"] != "win":
                assert (wager["paid"], wager["returned"]) == (0, expected[wager["result"]])
            else:
                assert wager["returned"] - wager["paid"] in (0, wager["stake"])
    envy = sum(answer["envy"].values())
    assert answer["staked"] == sum(box["staked"] for box in answer["boxes"])
    assert answer["returned"] == sum(box["returned"] for box in answer["boxes"]) + envy
    assert answer["house_net"] == answer["staked"] - answer["returned"]


@given(tables(), st.randoms())
def test_the_order_of_cards_in_a_hand_changes_no_money(request, dice):
    shuffled = copy.deepcopy(request)
    for hand in [shuffled["dealer"]] + [entry["cards"] for entry in shuffled["boxes"]]:
        dice.shuffle(hand)
    assert paid_in_short(settle_request(shuffled)) == paid_in_short(settle_request(request))


@given(tables(), st.randoms())
def test_the_order_of_the_boxes_changes_no_money(request, dice):
    turned = copy.deepcopy(request)
    dice.shuffle(turned["boxes"])
    before, after = settle_request(request), settle_request(turned)
    assert (before["staked"], before["returned"], before["envy"]) == (
        after["staked"],
        after["returned"],
        after["envy"],
    )


@pytest.mark.parametrize("book", PICTURES_BOOKS, ids=lambda book: book.ID)
def test_swapping_player_and_dealer_mirrors_the_main_wager_and_keeps_the_tie(book):
    mirrored = {rulebook.WIN: rulebook.LOSE, rulebook.LOSE: rulebook.WIN, rulebook._PUSH: rulebook._PUSH}
    main, tie = book.WAGERS[0].judge, book.WAGERS[1].judge
    for player in range(31):
        for dealer in range(31):
            assert main(dealer, 0, player).result == mirrored[main(player, 0, dealer).result]
            assert tie(dealer, 0, player) == tie(player, 0, dealer)


def test_swapping_player_and_dealer_swaps_the_two_lucky_sixes():
    book = rulebook.load(LUCKY)
    player_six, dealer_six = book.WAGERS[3].judge, book.WAGERS[4].judge
    for player in range(31):
        for dealer in range(31):
            one, other = player_six(player, 0, dealer), dealer_six(dealer, 0, player)
            assert (one.result, one.num, one.den) == (other.result, other.num, other.den)


@given(st.lists(st.integers(0, 51), min_size=6, max_size=6, unique=True))
def test_swapping_two_qualifying_poker_hands_mirrors_ante_and_play(dealt):
    book = rulebook.load(POKER)
    one, other = book.value(*dealt[:3]), book.value(*dealt[3:])
    if not (book.qualifies(one) and book.qualifies(other)):
        return
    mirrored = {rulebook.WIN: rulebook.LOSE, rulebook.LOSE: rulebook.WIN, rulebook._PUSH: rulebook._PUSH}
    for wager in book.WAGERS[:2]:
        assert wager.judge(one, 0, other).result == mirrored[wager.judge(other, 0, one).result]


@pytest.mark.slow
@pytest.mark.parametrize("book", all_books(), ids=lambda book: book.ID)
def test_every_line_a_judge_returns_is_declared_and_names_its_paragraph(book):
    values = range(31) if book.ID != POKER else sorted({book.value(*hand) for hand in SAMPLE_HANDS})
    marks = range(7)
    for wager in book.WAGERS:
        declared = [id(line) for line in wager.lines]
        returned = {
            id(wager.judge(player, mark, dealer)) for player in values for dealer in values for mark in marks
        }
        assert returned <= set(declared), wager.name
        assert all(line.paragraph for line in wager.lines)


SAMPLE_HANDS = [
    (a, b, c) for a in range(0, 52, 3) for b in range(1, 52, 5) for c in range(2, 52, 7) if len({a, b, c}) == 3
]


def test_loading_an_unknown_rulebook_is_refused():
    for name in ("", "x", "../cards", "__init__", "rws_three_pictures_4", "os.path"):
        with pytest.raises(ValueError, match="no such rulebook"):
            rulebook.load(name)


def test_t_18_the_core_itself_never_pays_the_jackpot_twice():
    royal = (51, 47, 43)
    seats = [Seat(1, player, True, (100, 100, 0, 100), False) for player in ("P1", "P2")]
    with pytest.raises(ValueError, match="T-18"):
        settle_table(rulebook.load(POKER), (0, 5, 10), {1: royal}, seats, 1000)


NAMES = [
    "ID",
    "TITLE",
    "SHORTER",
    "OPERATOR",
    "VERSION",
    "EFFECTIVE",
    "ROUNDING",
    "MAX_BOXES",
    "RANKING",
    "HANDS",
    "rank",
    "FIGURES",
    "DEALS",
    "value",
    "mark",
    "qualifies",
    "WAGERS",
    "BONUS",
    "envy",
    "IRREGULARITIES",
    "CHOICES",
    "OUTCOME",
    "LIMITS",
    "PROCEDURE",
]


@pytest.mark.parametrize("book", all_books(), ids=lambda book: book.ID)
def test_every_book_states_everything_a_book_must(book):
    assert [name for name in NAMES if not hasattr(book, name)] == []
    handled = {"misdeal_handled", "wrong_count_handled", "dealer_count", "dealer_count_handled"}
    open_cards = {"exposed_card", "exposed_later", "own_card", "face_up_card"}
    assert set(book.IRREGULARITIES) == set(policy.KINDS) | handled | open_cards | {"power_failure"}
    assert book.ID.replace("-", "_") == book.__name__.rpartition(".")[2]
    if any(entry.action == policy.TURN_DOWN for entry in book.IRREGULARITIES.values()):
        assert book.PROCEDURE.first_card_exposed
    assert set(NAMES) <= set(re.findall(r"\w+", rulebook.__doc__ or "")), "rulebook.py lists them"


MAY_BE_SILENT = {
    "reveal", "ending", "staff_bets", "seated_look", "one_look", "shown_first", "wagers_an_area", "fewer_wagers",
    "one_position", "hand_pay", "progressive", "top_pay", "deciding", "paying_fold", "one_player_a_box", "layout",
    "first_card_exposed", "ordering_role", "permit_role", "permit",
}  # fmt: skip


@pytest.mark.parametrize("book", all_books(), ids=lambda book: book.ID)
def test_every_procedure_states_what_no_book_may_leave_out(book):
    procedure = book.PROCEDURE
    silent = {field for field in policy._PROCEDURE_FIELDS if getattr(procedure, field) is None}
    assert silent <= MAY_BE_SILENT
    assert (play_wager_place(book) is None) == (procedure.deciding is None) == (procedure.paying_fold is None)
    has_no_meter = progressive_place(book) is None
    assert has_no_meter == (procedure.progressive is None) == (procedure.hand_pay is None)
    assert (book.LIMITS.kind == policy.EACH_WAGER) == (book.LIMITS.second_under is not None)


def test_a_procedure_has_no_other_fields():
    with pytest.raises(TypeError, match="no such field: colour"):
        policy.procedure(opening="3.1", colour="red")


@pytest.mark.parametrize("book", all_books(), ids=lambda book: book.ID)
def test_every_hand_has_names_that_fit_and_families_of_one_code_differ_by_step(book):
    names = [hand_name(book, value) for value in hand_counts(book)]
    assert len({name.full for name in names}) == len(names)
    assert {book.rank(value)[0] for value in hand_counts(book)} == set(range(len(book.HANDS)))
    for name in names:
        assert 0 < len(name.short) <= 5
        assert 0 < len(name.code) <= 2
        assert name.step in (0, 1, 2)
        assert "%" not in name.full + name.short + name.code
    assert len({name[3:] for name in names}) == len({(name.entry, *name[3:]) for name in names})


@pytest.mark.parametrize("book", [book for book in all_books() if book.OUTCOME], ids=lambda book: book.ID)
def test_books_that_ask_for_an_outcome_look_at_ranks_alone(book):
    """Decided bets count unseen cards by rank."""
    for hand in SAMPLE_HANDS:
        plain = [card & ~3 for card in hand]
        assert (book.value(*hand), book.mark(*hand)) == (book.value(*plain), book.mark(*plain))
