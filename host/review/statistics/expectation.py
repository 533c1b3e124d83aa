"""What a wager is worth before its cards come, from the rulebook's own judges, over all pairs of hands.

A wager that leads to a decision stands here for all that it leads to (Ante, Play and Ante Bonus), and its truth
is that of best play, as in `felt odds`. What a player's decision costs him is known exactly once his hand is
known: the mean of what he chose, less the mean of what was best. So luck is what he gained, less the truth, less
that cost; its mean is nil however people play, and hands that come too good are luck as well as cards that the
dealer draws.
"""

from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations
from math import lcm
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from host.rules.catalogue import is_progressive
from host.rules.odds import (
    DEALER_HANDS,
    HANDS,
    NOT_PLACED,
    PAIRS,
    Classes,
    Strategy,
    WagerOdds,
    best_strategy,
    book_odds,
    decided_wagers,
    net,
    sum_over_dealers,
)
from shared.rules.cards import DECK_SIZE
from shared.rules.rulebook import FIXED_SUM, WIN, Wager

HAND_PLACE = {hand: place for place, hand in enumerate(combinations(range(DECK_SIZE), 3))}


class Rounded(NamedTuple):
    """A line on which part cents are dropped: of a stake, the remainder of stake x num over den."""

    num: int
    den: int
    chance: Fraction


class Sum(NamedTuple):
    """A line that pays a sum: `cents`, or `percent` of the meter."""

    cents: int
    percent: int
    chance: Fraction


class ByHand(NamedTuple):
    """For each hand, what playing and folding it gain on average, `unit` times as much as on a unit staked.

    `best` says which decisions count as best; for wagers that do not ride on the decision, always to play.
    """

    unit: int
    play: np.ndarray
    fold: int
    best: np.ndarray
    spread: np.ndarray  # the variance that is left if the hand is played
    lowest: np.ndarray  # the least that playing it gains against any dealer's hand, on a unit staked
    highest: np.ndarray


class Truth(NamedTuple):
    """A wager's worth to the player on a unit staked; where `sums` are paid, `gain` is the stake, which is lost.

    `least` and `most` bound the luck of a round. `before` is the variance that the player's own hand has.
    """

    game: str
    wager: str
    parts: tuple[str, ...]  # the wagers that it stands for
    gain: Fraction
    variance: float
    before: float
    least: float
    most: float
    rounded: tuple[Rounded, ...]
    sums: tuple[Sum, ...]
    unit: int  # what decisions are counted in
    by_hand: ByHand | None  # None also in a truth that was kept


@cache
def truths(book: ModuleType) -> dict[str, Truth]:
    """Of every wager that a book's players make by themselves, by its name."""
    strategy = best_strategy(book) if decided_wagers(book) else None
    odds = {one.wager: one for one in book_odds(book, strategy=strategy)}
    decided = decided_wagers(book)
    found = {}
    for wager in book.WAGERS:
        if wager.on_decision:
            continue
        if is_progressive(wager):
            found[wager.name] = truth_of_sums(book, wager, odds[wager.name])
        elif wager in decided:
            found[wager.name] = truth_of_decision(book, decided, odds[wager.name], strategy)
        else:
            found[wager.name] = truth_of_odds(book, wager, odds[wager.name])
    return found


def part_of(book: ModuleType, name: str) -> str:
    """The wager that this one is told with: the Play wager and a bonus belong to the main wager."""
    return next((wager for wager, truth in truths(book).items() if name in truth.parts), name)


# -- what is kept of a truth with a tally, so that nothing need be counted to read it


def kept(truth: Truth) -> dict[str, Any]:
    return {
        "parts": list(truth.parts),
        "gain": str(truth.gain),
        "unit": truth.unit,
        "rounded": [[line.num, line.den, str(line.chance)] for line in truth.rounded],
        "sums": [[one.cents, one.percent, str(one.chance)] for one in truth.sums],
    }


def from_kept(game: str, wager: str, words: dict[str, Any]) -> Truth:
    rounded = tuple(Rounded(num, den, Fraction(chance)) for num, den, chance in words["rounded"])
    sums = tuple(Sum(cents, percent, Fraction(chance)) for cents, percent, chance in words["sums"])
    parts, gain = tuple(words["parts"]), Fraction(words["gain"])
    return Truth(game, wager, parts, gain, 0.0, 0.0, 0.0, 0.0, rounded, sums, words["unit"], None)


# -- a wager that pays odds


def truth_of_odds(book: ModuleType, wager: Wager, odds: WagerOdds) -> Truth:
    gain = gain_of(odds)
    gains = [net(line) for line, _ in odds.lines]
    squares = sum((net(line) ** 2 * count for line, count in odds.lines), Fraction()) / PAIRS
    by_hand = values_by_hand(book, [wager], None) if wager.folded else None
    return Truth(
        book.ID,
        wager.name,
        (wager.name,),
        gain,
        float(squares - gain**2),
        float(squares - gain**2),
        float(min(gains) - gain),
        float(max(gains) - gain),
        rounded_lines(odds),
        (),
        by_hand.unit if by_hand else 1,
        by_hand,
    )


def gain_of(odds: WagerOdds) -> Fraction:
    assert odds.edge is not None
    return -odds.edge


def rounded_lines(odds: WagerOdds) -> tuple[Rounded, ...]:
    return tuple(
        Rounded(line.num, line.den, Fraction(count, PAIRS))
        for line, count in odds.lines
        if line.result == WIN and line.den > 1 and count
    )


# -- a wager that pays sums


def truth_of_sums(book: ModuleType, wager: Wager, odds: WagerOdds) -> Truth:
    """Never folded; its stake is lost in any case."""
    sums = tuple(
        Sum(line.num, 0, Fraction(count, PAIRS))
        if line.den == FIXED_SUM
        else Sum(0, line.num, Fraction(count, PAIRS))
        for line, count in odds.lines
        if line.result == WIN and line is not NOT_PLACED
    )
    return Truth(book.ID, wager.name, (wager.name,), Fraction(-1), 0.0, 0.0, 0.0, 0.0, (), sums, 1, None)


def sum_cents(one: Sum, meter: int) -> int:
    return one.cents + meter * one.percent // 100


def mean_of_sums(sums: tuple[Sum, ...], meter: int) -> Fraction:
    """Cents that one wager is paid on average; its stake is not taken off."""
    return sum((sum_cents(one, meter) * one.chance for one in sums), Fraction())


@lru_cache(maxsize=100)
def spread_of_sums(sums: tuple[Sum, ...], meter: int) -> tuple[float, float, int]:
    """The mean and the variance of what one wager is paid, and the most that it can be."""
    mean = mean_of_sums(sums, meter)
    squares = sum((sum_cents(one, meter) ** 2 * one.chance for one in sums), Fraction())
    return float(mean), float(squares - mean**2), max(sum_cents(one, meter) for one in sums)


# -- wagers that ride on a decision


def truth_of_decision(book: ModuleType, wagers: list[Wager], odds: WagerOdds, strategy: Strategy | None) -> Truth:
    gain = gain_of(odds)
    values = values_by_hand(book, wagers, strategy)
    play = values.play / values.unit
    best = np.where(values.best, play, values.fold / values.unit)
    before = float(((best - float(gain)) ** 2).mean())
    left = float(np.where(values.best, values.spread, 0).mean())
    # What the hand brought, and what the dealer's cards added to it if it was played.
    least = min((best + np.minimum(values.lowest - play, 0)).min(), best.min()) - float(gain)
    most = max((best + np.maximum(values.highest - play, 0)).max(), best.max()) - float(gain)
    return Truth(
        book.ID,
        wagers[0].name,
        tuple(wager.name for wager in wagers),
        gain,
        before + left,
        before,
        float(least),
        float(most),
        (),
        (),
        values.unit,
        values,
    )


def worth_of_playing(book: ModuleType, wagers: list[Wager], unit: int) -> tuple[Classes, Classes, np.ndarray]:
    """Classes of player's and dealer's hands, and what all the wagers gain together for each pair of classes."""
    player = Classes([(book.value(*hand), book.mark(*hand)) for hand in HANDS])
    dealer = Classes([(book.value(*hand),) for hand in HANDS])
    worth = np.zeros((len(player.keys), len(dealer.keys)))
    for wager in wagers:
        units = {line.key: int(net(line) * unit) for line in wager.lines}
        judge = wager.judge
        worth += [[units[judge(*hand, other).key] for (other,) in dealer.keys] for hand in player.keys]
    return player, dealer, worth


def values_by_hand(book: ModuleType, wagers: list[Wager], strategy: Strategy | None) -> ByHand:
    unit = lcm(*(line.den for wager in wagers for line in wager.lines))
    player, dealer, worth = worth_of_playing(book, wagers, unit)
    sums = sum_over_dealers(worth, player, dealer)
    squares = sum_over_dealers(worth**2, player, dealer)
    spread = (squares / DEALER_HANDS - (sums / DEALER_HANDS) ** 2) / unit**2
    fold = sum(int(net(wager.folded) * unit) for wager in wagers if wager.folded) * DEALER_HANDS
    best = np.array(strategy.played) if strategy else np.ones(len(HANDS), dtype=bool)
    lowest, highest = worth.min(axis=1)[player.of_hand] / unit, worth.max(axis=1)[player.of_hand] / unit
    return ByHand(unit * DEALER_HANDS, sums.astype(np.int64), fold, best, spread, lowest, highest)


def place_of_hand(cards: tuple[int, ...]) -> int:
    low, middle, high = sorted(cards)
    return HAND_PLACE[low, middle, high]


def shift_of(values: ByHand, hand: int, folded: bool) -> int:
    """What a decision adds to the truth, `values.unit` times as much as on a unit staked."""
    play, fold = int(values.play[hand]), values.fold
    return (fold if folded else play) - (play if values.best[hand] else fold)


def spread_of(truth: Truth, hand: int, folded: bool) -> float:
    """The variance of a unit staked whose hand was decided like this."""
    values = truth.by_hand
    if values is None or truth.parts == (truth.wager,):
        return truth.variance  # no decision, or one that changes what a hand is worth and no more
    return truth.before + (0.0 if folded else float(values.spread[hand]))
