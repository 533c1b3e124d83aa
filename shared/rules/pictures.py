"""Hand values of the Three Pictures games, and the judges of the wagers they have in common.

A value is the place in the 31-rank list, counted from the bottom: Plain Zero is 0, Three Pictures
is 30, and between them each point total has its Plain, Single and Double hand. Bigger wins, equal
ties; suits and the rank of a picture never matter. Card values, ranking and the main wager are the
same in every book of this family (X-01); what only one book has stands in that book's module.
"""

from shared.rules.cards import JACK, KING
from shared.rules.rulebook import Family
from shared.values import const

# By rank, two to ace: tens and pictures count nothing, the ace one.
_CARD_POINTS = const(b"\x02\x03\x04\x05\x06\x07\x08\x09\x00\x00\x00\x00\x01")

THREE_PICTURES = 30
_NUMBER_WORDS = const("Zero One Two Three Four Five Six Seven Eight Nine")  # one text costs a Pico less than ten


def value(a, b, c):
    a >>= 2
    b >>= 2
    c >>= 2
    held = (JACK <= a <= KING) + (JACK <= b <= KING) + (JACK <= c <= KING)
    if held == 3:
        return THREE_PICTURES
    return (_CARD_POINTS[a] + _CARD_POINTS[b] + _CARD_POINTS[c]) % 10 * 3 + held


def points(hand):
    """Point total of a hand value. Three Pictures counts 0, by a reading of each book."""
    return hand // 3 % 10


def pictures(hand):
    return 3 if hand == THREE_PICTURES else hand % 3


FIGURES = (("points", points), ("pictures", pictures))


def families(plain, single, double):
    """The HANDS of a book, in its own words."""
    return (
        Family(plain, "%s", "%s", 0),
        Family(single, "%s", "%s", 1),
        Family(double, "%s", "%s", 2),
        Family("Three Pictures", "3P", "3P", 0),
    )


def rank(hand):
    total = points(hand)
    return pictures(hand), "" if hand == THREE_PICTURES else _NUMBER_WORDS.split()[total], str(total)


def no_mark(a, b, c):
    """For books whose wagers need to know nothing about a hand beyond its value."""
    return 0


def main_judge(six, other, push, lose):
    """The main wager: by ranking, half the stake on a win with six points, else even money."""

    def judge(player, mark, dealer):
        if player > dealer:
            return six if player // 3 == 6 else other
        return lose if player < dealer else push

    return judge


def flat_tie_judge(tie, tie_with_three_pictures, lose):
    """The tie wager at one price: equal point totals, no matter the ranking.

    `tie_with_three_pictures` is the line for Three Pictures against a zero: the totals are equal
    only because Three Pictures counts 0, which rests on a reading of each book.
    """

    def judge(player, mark, dealer):
        if points(player) != points(dealer):
            return lose
        if player != dealer and (player == THREE_PICTURES or dealer == THREE_PICTURES):
            return tie_with_three_pictures
        return tie

    return judge


def three_pictures_judge(win, lose):
    """The Three Pictures bet: the player's own hand alone."""

    def judge(player, mark, dealer):
        return win if player == THREE_PICTURES else lose

    return judge
