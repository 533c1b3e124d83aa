"""What charts of a review show, as plain numbers: any drawing, a page's or a terminal's, can be made of them."""

from collections.abc import Iterable
from math import sqrt
from typing import Any, NamedTuple

from host.review.statistics import review
from host.review.statistics.anytime import chance
from host.review.statistics.hold import Hold, verdicts
from host.review.statistics.review import Result
from host.review.statistics.shuffler import PLACES, cells_of
from shared.rules import cards


class Series(NamedTuple):
    """One value for each label of its chart; None where there is none."""

    name: str
    values: list[float | None]


class Chart(NamedTuple):
    """`bars`, `lines` or `cells`; cells have a series for each row. `unit` is what the values are."""

    name: str
    kind: str
    unit: str
    labels: list[str]
    series: list[Series]


def as_json(chart: Chart) -> dict[str, Any]:
    return {**chart._asdict(), "series": [series._asdict() for series in chart.series]}


def holds_chart(result: Result) -> Chart:
    """Each wager's hold beside what was expected, and between what chance leaves it on 95 tables in 100."""
    return Chart("holds", "bars", "share", [hold.wager for hold in result.holds], hold_series(result.holds))


def hold_series(holds: list[Hold]) -> list[Series]:
    bounds = [next((one.limit for one in verdicts(hold) if one.name == "maryland"), None) for hold in holds]
    return [
        Series("kept", [hold.rate if hold.staked else None for hold in holds]),
        Series("expected", [hold.expected_rate if hold.staked else None for hold in holds]),
        Series("low", [bound[0] if bound else None for bound in bounds]),
        Series("high", [bound[1] if bound else None for bound in bounds]),
    ]


def hold_over_time(stretches: Iterable[tuple[str, dict[str, Any]]], wager: str) -> Chart:
    """The hold of everything up to the end of each stretch, such as a day; stretches are labels and reviews."""
    labels: list[str] = []
    holds: list[Hold] = []
    for label, result in results_over_time(stretches):
        found = next((hold for hold in result.holds if hold.wager == wager), None)
        if found:
            labels.append(label)
            holds.append(found)
    looks = Series("one table in", [1 / chance(hold.evidence) for hold in holds])
    return Chart(f"hold of {wager}", "lines", "share", labels, [*hold_series(holds), looks])


def results_over_time(stretches: Iterable[tuple[str, dict[str, Any]]]) -> Iterable[tuple[str, Result]]:
    whole: dict[str, Any] | None = None
    for label, stretch in stretches:
        whole = review.merge(whole, stretch) if whole else stretch
        yield label, review.result_of(whole)


def shuffler_over_time(stretches: Iterable[tuple[str, dict[str, Any]]]) -> Chart:
    """How many tables in order there must be for one to show as much, for each way to look at the shuffler."""
    labels: list[str] = []
    found: dict[str, list[float | None]] = {}
    for label, result in results_over_time(stretches):
        labels.append(label)
        for look in result.looks:
            found.setdefault(look.kind, []).append(1 / chance(look.evidence))
    return Chart("shuffler", "lines", "one table in", labels, [Series(*one) for one in found.items()])


def places_chart(kept: dict[str, Any]) -> Chart:
    """For each place in the deal and each card, how many standard deviations it is from what was expected."""
    counts = kept["shuffler"]["counts"]
    seen, _ = cells_of(counts, PLACES)
    rows = []
    for place, row in enumerate(seen, 1):
        deals = float(row.sum())
        spread = sqrt(deals * (1 / cards.DECK_SIZE) * (1 - 1 / cards.DECK_SIZE)) or 1.0
        rows.append(Series(str(place), [float(one - deals / cards.DECK_SIZE) / spread for one in row]))
    names = [cards.text(card) for card in range(cards.DECK_SIZE)]
    return Chart("places", "cells", "standard deviations", names, rows)
