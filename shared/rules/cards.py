"""Cards as ints 0..51, and their text form of two characters (`KS`, `TD`, `AH`).

A card is rank * 4 + suit. Ranks run from the two to the ace and suits from clubs to spades, so the
ints stand in the order in which a sorted deck is usually printed.
"""

from shared.values import const

RANKS = "23456789TJQKA"
SUITS = "CDHS"
# By rank, then suit; one slice of it makes one new text, and a Pico looks for each among all its names.
_DECK = const(
    "2C2D2H2S3C3D3H3S4C4D4H4S5C5D5H5S6C6D6H6S7C7D7H7S8C8D8H8S9C9D9H9STCTDTHTSJCJDJHJSQCQDQHQSKCKDKHKSACADAHAS"
)
DECK_SIZE = 52
UNKNOWN = -1  # a card that lies face down and that the reader could not read
UNREAD = "??"  # its word

JACK = 9
QUEEN = 10
KING = 11
ACE = 12
SPADES = 3


def text(card):
    return UNREAD if card == UNKNOWN else _DECK[2 * card : 2 * card + 2]


def parse(word):
    """The card that `word` names. A ValueError says what a card looks like."""
    if isinstance(word, str) and len(word) == 2:
        place = _DECK.find(word)
        if place >= 0 and not place & 1:
            return place >> 1
    raise ValueError("no such card; write a rank of %s and a suit of %s, such as KS or TD" % (RANKS, SUITS))
