"""The order of hands in Three Card Poker."""

import hashlib
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.rules.catalogue import find_book
from host.words.hand_names import hand_name
from shared.rules import cards, poker
from tests.support.tables import POKER, rule

BOOK = POKER

hands = st.lists(st.integers(0, 51), min_size=3, max_size=3, unique=True)


def value_of(words):
    return poker.value(*[cards.parse(word) for word in words.split()])


@rule("3.5.2")
@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("AC KC QC", "Straight Flush, A-K-Q"),
        ("3C 2C AC", "Straight Flush, 3-2-A"),
        ("QC QD QH", "Three of a Kind, Q-Q-Q"),
        ("AC KC QD", "Straight, A-K-Q"),
        ("3C 2D AC", "Straight, 3-2-A"),
        ("KC JC 9C", "Flush, K-J-9"),
        ("TC TD KH", "One Pair, T-T-K"),
        ("KC TD KH", "One Pair, K-K-T"),
        ("6C 4D 2H", "Three Odd Cards, 6-4-2"),
    ],
)
def test_3_5_2_kinds_of_hands(words, name):
    assert hand_name(find_book(POKER), value_of(words)).full == name


@rule("3.5.1", "3.5.2", "3.5.3", "3.5.3.a", "3.5.3.b", "3.5.3.c", "3.5.4")
def test_3_5_a_ladder_of_hands_from_best_to_worst():
    ladder = [
        "AC KC QC",
        "KD QD JD",
        "4C 3C 2C",
        "3H 2H AH",  # the lowest straight flush still beats any three of a kind
        "AC AD AH",
        "2C 2D 2H",
        "AC KC QD",
        "KC QC JD",  # 3.5.3 a
        "JC TC 9D",
        "4C 3C 2D",
        "3C 2C AD",  # the ace counts one here, so this is the lowest straight
        "AC KC JC",
        "KC AC 2C",  # no straight: a flush
        "5C 3C 2C",
        "AC AD KH",
        "5C 5D KH",  # 3.5.3 b
        "5C 5D QH",
        "2C 2D 3H",
        "AC KD JH",  # 3.5.3 c
        "AC KD TH",
        "KD AC 2H",  # K-A-2 is three odd cards, ace high (T-04)
        "QC 3D 2H",
        "JC TD 8H",
        "5C 3D 2H",
    ]
    values = [value_of(words) for words in ladder]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == len(values)


@rule("3.5.1", "1/stand-off", "3.5.4")
def test_3_5_1_suits_do_not_rank():
    assert value_of("AC KC QC") == value_of("AS KS QS")
    assert value_of("5C 5D KH") == value_of("5H 5S KC")
    assert value_of("9C 4D 2H") == value_of("9H 4S 2C")


@rule("3.9")
def test_3_9_queen_high_or_better_qualifies():
    book = find_book(POKER)
    assert book.qualifies(value_of("QC 3D 2H"))
    assert book.qualifies(value_of("2C 2D 3H"))
    assert not book.qualifies(value_of("JC TD 8H"))
    assert sum(book.qualifies(poker.value(*hand)) for hand in combinations(range(52), 3)) == 15380


def test_the_order_of_all_hands_has_the_published_digest():
    deck = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
    ordered = sorted(combinations(deck, 3), key=lambda hand: value_of(" ".join(hand).upper()))
    text = "\n".join("".join(hand) for hand in ordered)
    assert hashlib.md5(text.encode()).hexdigest() == "fcf110834e2232b3303cb039dcdd024b"


@given(hands, st.randoms())
def test_the_order_of_the_cards_changes_nothing(hand, dice):
    shuffled = list(hand)
    dice.shuffle(shuffled)
    assert poker.value(*shuffled) == poker.value(*hand)
    assert poker.all_spades(*shuffled) == poker.all_spades(*hand)


@given(hands, hands)
def test_equal_values_are_equal_cards_and_kind(one, other):
    """T-01: the same ranking means the same card values throughout."""

    def described(hand):
        ranks = sorted(card // 4 for card in hand)
        return ranks, len({card % 4 for card in hand}) == 1

    assert (poker.value(*one) == poker.value(*other)) == (described(one) == described(other))
