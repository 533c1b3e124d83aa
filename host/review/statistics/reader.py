"""Whether the reader reads as well as it is supposed to: doubles, misreads, and cards it could not read.

A reader that takes one card for another is seen when the card that it names lies on the table already. Of the
misreads in a deal of m cards (m - 1) / 51 show so; the others pass for the cards that they are not. From the
doubles follows how many misreads there must be.
"""

from math import inf, log
from typing import Any, NamedTuple

from host.review.statistics.anytime import LOOK_HERE, is_striking, mean_of
from host.review.statistics.tallies import count
from shared.rules.cards import DECK_SIZE

# What is asked of a reader: at most one card in a million is taken for another.
ASKED = 1e-6
TIMES_AS_OFTEN = tuple(2.0**power for power in range(1, 17))
RATES = tuple(10 ** (-tenth / 10) for tenth in range(10, 91))


class Reading(NamedTuple):
    """Of all cards read: the doubles against those `expected` at the rate that is asked, and the likely rate."""

    cards: int
    doubles: int
    misread: int
    unread: int
    expected: float
    rate: float  # misreads a card
    band: tuple[float, float]
    evidence: float
    striking: bool
    most_often: tuple[int, int] | None  # the card that was read double most often, and how often


def new_tally() -> dict[str, Any]:
    # `chances` is how many doubles there would be if every card were misread, 51 times.
    return {"cards": 0, "chances": 0, "doubles": 0, "misread": 0, "unread": 0, "by_card": {}}


def add_deal(
    tally: dict[str, Any],
    cards: int,
    doubles: list[int] | tuple[int, ...] = (),
    misread: int = 0,
    unread: int = 0,
) -> None:
    """A deal of so many cards. `doubles` are the cards that were read though they lay on the table already."""
    tally["cards"] += cards
    tally["chances"] += cards * max(cards - 1, 0)
    tally["doubles"] += len(doubles)
    tally["misread"] += misread
    tally["unread"] += unread
    for card in doubles:
        count(tally["by_card"], str(card))


def evidence_against(tally: dict[str, Any], rate: float, factors: tuple[float, ...]) -> float:
    """That doubles come more often (or less, by the factors) than misreads of this rate cause.

    Reads are bet on one by one, and the mean of factor ** doubles is at most exp((factor - 1) x mean doubles).
    """
    mean = rate * tally["chances"] / (DECK_SIZE - 1)
    return mean_of(tally["doubles"] * log(factor) - (factor - 1) * mean for factor in factors)


def read(tally: dict[str, Any], asked: float = ASKED, promise: float = LOOK_HERE) -> Reading:
    chances = tally["chances"] / (DECK_SIZE - 1)
    evidence = evidence_against(tally, asked, TIMES_AS_OFTEN)
    by_card = [(times, -int(card)) for card, times in tally["by_card"].items()]
    most = max(by_card, default=None)
    return Reading(
        tally["cards"],
        tally["doubles"],
        tally["misread"],
        tally["unread"],
        asked * chances,
        tally["doubles"] / chances if chances else 0.0,
        band(tally, promise),
        evidence,
        is_striking(evidence, promise),
        (-most[1], most[0]) if most else None,
    )


def band(tally: dict[str, Any], promise: float) -> tuple[float, float]:
    """The rates of misreads that the doubles do not refute, however often one looks."""
    refuted = log(2 / promise)
    more = TIMES_AS_OFTEN
    less = tuple(1 / factor for factor in TIMES_AS_OFTEN)
    high = min((rate for rate in RATES if evidence_against(tally, rate, less) >= refuted), default=inf)
    low = max((rate for rate in RATES if evidence_against(tally, rate, more) >= refuted), default=0.0)
    return low, high
