"""Hand values of three-card poker: one int, bigger wins, equal is a stand-off.

The kind of hand stands in the bits from 12 up, below it the card ranks that break a tie, highest
first. Straights rank by their top card; in A-2-3 that is the three, so it is the lowest.
"""

from shared.rules.cards import ACE, QUEEN, RANKS, SPADES

HIGH_CARD = 0
PAIR = 1
FLUSH = 2
STRAIGHT = 3
TRIPS = 4
STRAIGHT_FLUSH = 5

QUEEN_HIGH = QUEEN << 8  # below every queen-high hand, above every jack-high one
ROYAL = STRAIGHT_FLUSH << 12 | ACE << 8  # A-K-Q of one suit


def value(a, b, c):
    # Sort the three ranks, highest in `high`; a sort call would allocate a list.
    high = a >> 2
    middle = b >> 2
    low = c >> 2
    if high < middle:
        high, middle = middle, high
    if middle < low:
        middle, low = low, middle
        if high < middle:
            high, middle = middle, high

    if high == low:
        return TRIPS << 12 | high << 8
    if high == middle:
        return PAIR << 12 | high << 8 | low << 4
    if middle == low:
        return PAIR << 12 | low << 8 | high << 4

    flush = a & 3 == b & 3 == c & 3
    if high - low == 2:
        return (STRAIGHT_FLUSH if flush else STRAIGHT) << 12 | high << 8
    if high == ACE and middle == 1:  # A-3-2; K-A-2 is not a straight
        return (STRAIGHT_FLUSH if flush else STRAIGHT) << 12 | 1 << 8
    return (FLUSH if flush else HIGH_CARD) << 12 | high << 8 | middle << 4 | low


def rank(hand):
    """The kind of a hand value, its ranks, the most telling first (`5-5-K`, `3-2-A`), and the first of them."""
    kind = hand >> 12
    high, middle, low = hand >> 8 & 15, hand >> 4 & 15, hand & 15
    if kind == TRIPS:
        middle = low = high
    elif kind == PAIR:
        middle, low = high, middle
    elif kind in (STRAIGHT, STRAIGHT_FLUSH):
        middle, low = high - 1, high - 2 if high > 1 else ACE
    return kind, "-".join([RANKS[high], RANKS[middle], RANKS[low]]), "10" if RANKS[high] == "T" else RANKS[high]


def all_spades(a, b, c):
    return 1 if a & 3 == b & 3 == c & 3 == SPADES else 0
