"""What a deal has in common with an earlier one: cards in the same place, and cards that still follow each other.

Of each deal it is counted how many places match the deal before and the one before that (two decks often take
turns), and how many neighbours stayed neighbours, as they do where a deck was cut but hardly shuffled. How often
chance does that is known exactly, so each count can be bet on: with (1 + u) for each match over the mean of
that, and only a share of the capital, since a shuffler may fail once in hundreds of deals.
"""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from math import comb, exp, log, perm, prod

from host.review.statistics.anytime import mean_of
from host.review.statistics.tallies import count
from shared.rules.cards import DECK_SIZE

LAGS = (1, 2)
BONUSES = (1.0, 4.0, 16.0, 64.0)
SHARES = (1.0, 0.1, 0.01, 0.001)
PLACES = "places"
NEIGHBOURS = "neighbours"
MOST_KEPT = 10  # of the deals that had most in common with another


def matches(deal: Sequence[int], earlier: Sequence[int]) -> int:
    """Places in which both have the same card."""
    return sum(one == other for one, other in zip(deal, earlier))


def still_neighbours(deal: Sequence[int], earlier: Sequence[int]) -> int:
    """Pairs of cards that come one after the other in both."""
    links = set(pairwise(earlier))
    return sum(link in links for link in pairwise(deal))


def compare(tally: dict[str, dict[str, int]], deal: Sequence[int], earlier: Sequence[int], lag: int) -> None:
    """Count what two deals have in common, by how much they could have."""
    length = min(len(deal), len(earlier))
    count(tally.setdefault(f"{PLACES} {lag}", {}), f"{length} {length} {matches(deal, earlier)}")
    key = f"{len(deal)} {len(earlier)} {still_neighbours(deal, earlier)}"
    count(tally.setdefault(f"{NEIGHBOURS} {lag}", {}), key)


@cache
def mean_of_matches(bonus: float, length: int, deck: int = DECK_SIZE) -> float:
    """The mean of (1 + bonus) ** matches: over the sets of places that may match, all of them matching."""
    return sum(bonus**some * comb(length, some) / perm(deck, some) for some in range(length + 1))


@cache
def mean_of_neighbours(bonus: float, length: int, earlier: int, deck: int = DECK_SIZE) -> float:
    """The same for neighbours of a deal of `earlier` cards, in one of `length`.

    Sets of `some` links that form `runs` runs: how many there are, and how likely all runs come again, whole.
    """
    links = earlier - 1
    total = 1.0
    for some in range(1, min(links, length - 1) + 1):
        for runs in range(1, min(some, length - some) + 1):
            sets = comb(some - 1, runs - 1) * comb(links - some + 1, runs)
            total += bonus**some * sets * perm(length - some, runs) / perm(deck, some + runs)
    return total


def evidence_of(tally: dict[str, int], kind: str) -> float:
    """Of one kind and lag: the mean of bets on few and on many matches, in every deal or in a few."""
    cells = [(*map(int, key.split()), times) for key, times in tally.items()]
    found = []
    for bonus in BONUSES:
        factors = [(log_factor(kind, bonus, *cell[:3]), cell[3]) for cell in cells]
        for share in SHARES:
            found.append(sum(times * log_of_share(share, factor) for factor, times in factors))
    return mean_of(found)


@cache
def log_factor(kind: str, bonus: float, length: int, earlier: int, seen: int) -> float:
    mean = mean_of_matches(bonus, length) if kind == PLACES else mean_of_neighbours(bonus, length, earlier)
    return seen * log(1 + bonus) - log(mean)


@cache
def log_of_share(share: float, logarithm: float) -> float:
    """The logarithm of the capital after a share of it was bet."""
    # A deal of 51 cards that comes again is worth e^213 at most: nothing overflows.
    return logarithm if share == 1 else log(1 - share + share * exp(logarithm))


def mean_matches(length: int) -> float:
    """How many places match on average."""
    return length / DECK_SIZE


def mean_neighbours(length: int, earlier: int) -> float:
    return max(earlier - 1, 0) * max(length - 1, 0) / prod((DECK_SIZE, DECK_SIZE - 1))
