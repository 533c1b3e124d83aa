"""The 31-rank list that the four Three Pictures books share."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.rules.catalogue import all_books
from host.words.hand_names import hand_name
from shared.rules import cards, pictures

TOTALS = ("Nine", "Eight", "Seven", "Six", "Five", "Four", "Three", "Two", "One", "Zero")
WORDS = {
    "rws-lucky-three-pictures-2": ("Double Pictures {}", "Single Picture {}", "Plain {}"),
    "rws-three-pictures-4": ("Double Pictures {}", "Single Picture {}", "Plain {}"),
    "mbs-three-pictures-2": ("Double Knights {}", "Single Knight {}", "Plain {}"),
    "mbs-royal-three-pictures-2": ("Double Picture {}", "Single Picture {}", "{}"),
}

# One hand of each rank, best first: the examples of Royal's list (3.22), which are hands of all four books.
BEST_FIRST = """
KD JC QD
QD JH 9C, QD 7C 2D, 6H 9H 4C
QD JH 8C, QD 5C 3H, 9H 2H 7C
QD JH 7C, JD 5C 2H, 6D 6H 5C
QD JH 6C, QD 4C 2H, 3H 2H AC
QD JH 5C, QD 3C 2H, 2D 2H AC
QD JH 4C, JD AC 3H, 2H AC AH
QD JH 3C, QD AC 2H, 2H TH AC
QD JH 2C, QD TC 2H, 2H TH TC
QD JH AC, QD 9C 2H, 5H 7H 9C
QD JH TC, QD 8C 2H, 4H 7H 9C
"""
EXAMPLES = [hand.split() for line in BEST_FIRST.split("\n") for hand in line.split(",") if hand.strip()]

hands = st.lists(st.integers(0, 51), min_size=3, max_size=3, unique=True)


def value_of(words):
    return pictures.value(*[cards.parse(word) for word in words])


def test_the_examples_of_the_printed_list_stand_in_its_order():
    assert [value_of(words) for words in EXAMPLES] == list(range(30, -1, -1))


@pytest.mark.parametrize(
    "book", [book for book in all_books() if book.value is pictures.value], ids=lambda book: book.ID
)
def test_each_book_names_the_ranks_as_its_list_does(book):
    names = ["Three Pictures"] + [word.format(total) for total in TOTALS for word in WORDS[book.ID]]
    assert [hand_name(book, value_of(words)).full for words in EXAMPLES] == names


def test_an_ace_counts_one_and_tens_and_pictures_nothing():
    expected = {"A": 1, "T": 0, "J": 0, "Q": 0, "K": 0} | {str(n): n for n in range(2, 10)}
    for rank, points in expected.items():
        assert pictures.points(value_of([rank + "C", "TD", "TS"])) == points


def test_totals_above_nine_keep_only_their_last_digit():
    assert pictures.points(value_of(["9C", "9D", "9H"])) == 7
    assert pictures.points(value_of(["2C", "3D", "5H"])) == 0
    assert pictures.points(value_of(["9C", "9D", "2H"])) == 0


def test_a_ten_is_no_picture():
    assert pictures.pictures(value_of(["TC", "TD", "TH"])) == 0
    assert pictures.pictures(value_of(["KC", "QD", "TH"])) == 2
    ten = cards.parse("TC")
    assert [card for card in range(52) if pictures.pictures(pictures.value(card, ten, ten))] == [
        cards.parse(r + s) for r in "JQK" for s in "CDHS"
    ]


def test_kinds_of_pictures_and_suits_do_not_rank():
    assert value_of(["KC", "KD", "5H"]) == value_of(["QS", "JS", "5S"])


def test_every_total_has_its_known_number_of_hands():
    counts = {}
    for hand in combinations(range(52), 3):
        value = pictures.value(*hand)
        counts[value] = counts.get(value, 0) + 1
    expected = {30: 220}
    for total in range(10):
        expected |= {total * 3 + 2: 264, total * 3 + 1: 960 if total % 2 else 912, total * 3: 988}
    assert counts == expected


@given(hands, st.randoms())
def test_the_order_of_the_cards_changes_nothing(hand, dice):
    shuffled = list(hand)
    dice.shuffle(shuffled)
    assert pictures.value(*shuffled) == pictures.value(*hand)


@given(hands, hands)
def test_ranking_is_by_three_pictures_then_points_then_pictures(one, other):
    def place(hand):
        held = sum(cards.RANKS[card // 4] in "JQK" for card in hand)
        points = sum("A23456789".find(cards.RANKS[card // 4]) + 1 for card in hand) % 10
        return (held == 3, points, held)

    mine, theirs = pictures.value(*one), pictures.value(*other)
    assert (mine > theirs, mine == theirs) == (place(one) > place(other), place(one) == place(other))
