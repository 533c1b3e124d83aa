"""Exact odds of every wager, from the rulebooks' own judges over all 407,170,400 pairs of hands.

A judge sees a hand only through the book's value() and mark(), so hands that agree in both are one
class, and a judge need be asked only once for each pair of classes. How many pairs of hands stand
behind a pair of classes is counted by inclusion and exclusion over the cards two hands could share:
everything pairs with everything, less the pairs sharing a card, plus those sharing two, less equal
hands. All of it is exact.
"""

import hashlib
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import comb
from types import ModuleType
from typing import NamedTuple

import numpy as np

from host.rules.catalogue import all_wagers, play_wager_place
from shared.rules.cards import DECK_SIZE, RANKS, SUITS
from shared.rules.rulebook import _RETURNED, FIXED_SUM, LOSE, WIN, Line, Wager
from shared.rules.settlement import MAIN

HANDS = list(combinations(range(DECK_SIZE), 3))
DEALER_HANDS = comb(DECK_SIZE - 3, 3)
PAIRS = len(HANDS) * DEALER_HANDS

CARDS_OF_HAND = np.array(HANDS)
PAIR_PLACE = {pair: place for place, pair in enumerate(combinations(range(DECK_SIZE), 2))}
PAIRS_OF_HAND = np.array([[PAIR_PLACE[pair] for pair in combinations(hand, 2)] for hand in HANDS])

# Stands for a wager that the decision to fold leaves unmade.
NOT_PLACED = Line("not-placed", _RETURNED, 0, 1, None, None)

Step = Callable[[str], None]


class LineCount(NamedTuple):
    line: Line
    pairs: int


class WagerOdds(NamedTuple):
    """`edge` is what the House keeps of one unit staked; None where stake and meter must be known.

    The edge of a main wager that leads to a decision is that of all it leads to, with best play;
    `parts` says what each wager adds to it.
    """

    game: str
    wager: str
    lines: list[LineCount]
    edge: Fraction | None
    parts: dict[str, Fraction]


class Strategy(NamedTuple):
    """The best way to decide: how many hands to play and the lowest value among them.

    `exceptions` counts the hands that break the rule "play from the lowest value up".
    """

    played: list[bool]
    lowest: int
    exceptions: int


class Classes:
    """A partition of all hands, and how its classes lie over the cards and pairs of cards."""

    def __init__(self, keys: list[tuple[int, ...]]) -> None:
        self.keys = sorted(set(keys))
        place = {key: index for index, key in enumerate(self.keys)}
        self.of_hand = np.array([place[key] for key in keys])
        self.size = np.bincount(self.of_hand)
        # Whole numbers, far below 2^53: floats hold them exactly, and only floats are multiplied fast.
        self.with_card = np.zeros((len(self.keys), DECK_SIZE))
        self.with_pair = np.zeros((len(self.keys), comb(DECK_SIZE, 2)))
        for column in range(3):
            np.add.at(self.with_card, (self.of_hand, CARDS_OF_HAND[:, column]), 1)
            np.add.at(self.with_pair, (self.of_hand, PAIRS_OF_HAND[:, column]), 1)


def count_pairs(player: Classes, dealer: Classes) -> np.ndarray:
    """How many disjoint pairs of hands stand behind each pair of classes."""
    pairs = np.outer(player.size, dealer.size)
    pairs -= (player.with_card @ dealer.with_card.T - player.with_pair @ dealer.with_pair.T).astype(np.int64)
    np.subtract.at(pairs, (player.of_hand, dealer.of_hand), 1)  # equal hands
    return pairs


def sum_over_dealers(worth: np.ndarray, player: Classes, dealer: Classes) -> np.ndarray:
    """For each single hand, the sum of worth[class, dealer's class] over every dealer's hand."""
    mine = player.of_hand
    shared_card = (worth @ dealer.with_card)[mine[:, None], CARDS_OF_HAND].sum(axis=1)
    shared_pair = (worth @ dealer.with_pair)[mine[:, None], PAIRS_OF_HAND].sum(axis=1)
    return (worth @ dealer.size)[mine] - shared_card + shared_pair - worth[mine, dealer.of_hand]


def net(line: Line) -> Fraction:
    """What the player gains on a unit staked, for lines that pay odds."""
    if line.result == WIN:
        return Fraction(line.num, line.den)
    return Fraction(-1 if line.result == LOSE else 0)


def best_strategy(book: ModuleType) -> Strategy:
    """Play every hand that loses less, over all dealer's hands, than the main wager a fold costs."""
    keys = [(book.value(*hand),) for hand in HANDS]
    classes = Classes(keys)
    worth = np.zeros((len(classes.keys), len(classes.keys)))
    for wager in decided_wagers(book):
        units = {line.key: int(net(line)) for line in wager.lines}
        judge = wager.judge
        worth += np.array([[units[judge(p, 0, d).key] for (d,) in classes.keys] for (p,) in classes.keys])
    gain = sum_over_dealers(worth, classes, classes)
    fold = int(net(book.WAGERS[MAIN].folded)) * DEALER_HANDS
    played = [bool(one) for one in gain > fold]
    lowest = min(key[0] for key, plays in zip(keys, played) if plays)
    exceptions = sum(plays != (key[0] >= lowest) for key, plays in zip(keys, played))
    return Strategy(played, lowest, exceptions)


def decided_wagers(book: ModuleType) -> list[Wager]:
    """The wagers that ride on the decision to play: main wager, the one made by it, and the bonus."""
    play = play_wager_place(book)
    if play is None:
        return []
    return [wager for wager in all_wagers(book) if wager in (book.WAGERS[MAIN], book.WAGERS[play], book.BONUS)]


def wagers_to_count(book: ModuleType, only_wager: str | None) -> list[Wager]:
    """What must be counted for one wager's odds, or for all: those of a decision hang together."""
    decided = decided_wagers(book)
    return [wager for wager in all_wagers(book) if only_wager in (None, wager.name) or wager in decided]


def count_lines(
    wager: Wager, decided: bool, player: Classes, dealer: Classes, pairs: list[list[int]]
) -> list[LineCount]:
    """How many pairs of hands end on each line, lines of one key together, in the book's order.

    Wagers that do not ride on the decision are counted as never folded.
    """
    folded = wager.folded or NOT_PLACED
    lines = {line.key: line for line in wager.lines if line is not folded}
    counts = dict.fromkeys(lines, 0)
    judge = wager.judge
    for (value, mark, plays), row in zip(player.keys, pairs):
        if decided and not plays:
            lines[folded.key] = folded
            counts[folded.key] = counts.get(folded.key, 0) + sum(row)
            continue
        for (dealer_value,), count in zip(dealer.keys, row):
            counts[judge(value, mark, dealer_value).key] += count
    return [LineCount(lines[key], count) for key, count in counts.items()]


def total_gain(lines: list[LineCount], stake: int | None, meter: int | None) -> Fraction | None:
    """What players gain over all pairs on unit stakes; None where sums are paid on an unknown stake."""
    gain = Fraction()
    for line, count in lines:
        if line.result != WIN or line.den > 0:
            gain += net(line) * count
        elif stake and meter is not None:
            cents = line.num if line.den == FIXED_SUM else meter * line.num // 100
            gain += (Fraction(cents, stake) - 1) * count  # the stake is not given back
        else:
            return None
    return gain


def book_odds(
    book: ModuleType,
    only_wager: str | None = None,
    stake: int | None = None,
    meter: int | None = None,
    step: Step = lambda text: None,
    strategy: Strategy | None = None,
) -> list[WagerOdds]:
    """The odds of every wager of a book, or of one; `stake` and `meter` price a progressive wager.

    Those of a decision are counted under `strategy`, the best one unless another is given.
    """
    decided = decided_wagers(book)
    played = [True] * len(HANDS)
    if decided:
        played = (strategy or best_strategy(book)).played
    step(f"{book.ID}: pairs of hands")
    player = Classes([(book.value(*hand), book.mark(*hand), plays) for hand, plays in zip(HANDS, played)])
    dealer = Classes([(book.value(*hand),) for hand in HANDS])
    pairs = count_pairs(player, dealer).tolist()

    counted = {}
    gains = {}
    for wager in wagers_to_count(book, only_wager):
        step(f"{book.ID}: {wager.name}")
        counted[wager.name] = count_lines(wager, wager in decided, player, dealer, pairs)
        gains[wager.name] = total_gain(counted[wager.name], stake, meter)

    odds = []
    for name, lines in counted.items():
        if only_wager not in (None, name):
            continue
        parts = {}
        gain = gains[name]
        placed = sum(count for line, count in lines if line is not NOT_PLACED)
        if decided and name == decided[0].name:
            parts = {wager.name: -gains[wager.name] / PAIRS for wager in decided}
            edge = sum(parts.values(), Fraction())
        else:
            edge = None if gain is None else -gain / placed
        odds.append(WagerOdds(book.ID, name, lines, edge, parts))
    return odds


def order_digest(book: ModuleType) -> str:
    """MD5 over all hands in ascending order, a figure to compare with other implementations.

    The deck is taken rank by rank from the two up, suits c d h s; equal hands keep that order. MD5
    is what the figure was published in; nothing is kept safe by it.
    """
    ordered = sorted(HANDS, key=lambda hand: book.value(*hand))
    text = "\n".join("".join(RANKS[card >> 2] + SUITS[card & 3].lower() for card in hand) for hand in ordered)
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
