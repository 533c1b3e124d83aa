"""Cards as ints 0..51, and their text form of two characters (`KS`, `TD`, `AH`).

A card is rank * 4 + suit. Ranks run from the two to the ace and suits from clubs to spades, so the
ints stand in the order in which a sorted deck is usually printed.
"""

RANKS = "23456789TJQKA"
SUITS = "CDHS"
DECK_SIZE = 52
UNKNOWN = -1  # a card that lies face down and that the reader could not read
UNREAD = "??"  # its word

JACK = 9
QUEEN = 10
KING = 11
ACE = 12
SPADES = 3


def text(card):
    # By slices, as MicroPython keeps every single character for good.
    rank, suit = card >> 2, card & 3
    return UNREAD if card == UNKNOWN else RANKS[rank : rank + 1] + SUITS[suit : suit + 1]


def parse(word):
    """The card that `word` names. A ValueError says what a card looks like."""
    if isinstance(word, str) and len(word) == 2:
        rank_index = RANKS.find(word[:1])
        suit_index = SUITS.find(word[1:])
        if rank_index >= 0 and suit_index >= 0:
            return rank_index * 4 + suit_index
    raise ValueError("no such card; write a rank of %s and a suit of %s, such as KS or TD" % (RANKS, SUITS))
