"""Cards and their text form."""

import pytest

from shared.rules import cards


def test_every_card_reads_back_as_itself():
    assert [cards.parse(cards.text(card)) for card in range(52)] == list(range(52))


def test_the_deck_runs_from_the_two_of_clubs_to_the_ace_of_spades():
    assert [cards.text(card) for card in (0, 1, 2, 3, 4, 51)] == ["2C", "2D", "2H", "2S", "3C", "AS"]


def test_rank_and_suit_are_those_that_the_text_shows():
    assert cards.parse("KS") == cards.KING * 4 + cards.SPADES
    assert cards.parse("TD") == (cards.JACK - 1) * 4 + cards.SUITS.index("D")


@pytest.mark.parametrize("word", ["", "K", "KSS", "1S", "10S", "ks", "KX", "SK", " K", "K ", None, 7, ["K", "S"]])
def test_what_is_no_card_is_refused(word):
    with pytest.raises(ValueError, match="no such card"):
        cards.parse(word)
