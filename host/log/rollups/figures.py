"""What statistics add up of a round: for its hour, and for each wager, box, hand, post and irregularity in it."""

from functools import lru_cache
from typing import Any, NamedTuple

from host.log.rollups.summary import DEALER, Summary, details_in
from shared.journal.wire import spell
from shared.round.states import SETTLED, VOID

HOUR = 3600


class HourFigures(NamedTuple):
    """A row of `rollup_hours` without its key. Seconds of phases are those of settled rounds."""

    rounds: int
    settled: int
    void: int
    staked: int
    returned: int
    betting: int
    dealing: int
    deciding: int
    settling: int
    pause: int
    hands: int
    bets: int
    irregularities: int
    refusals: int
    faults: int


class Figures(NamedTuple):
    """A row of `rollup_sums` without its key: in how many rounds, how many, and their money."""

    rounds: int
    number: int
    staked: int
    paid: int
    returned: int


def hour_key(summary: Summary) -> tuple[int, str]:
    """An hour of UTC, and the game."""
    return summary.begun // HOUR, summary.game or ""


def hour_figures(summary: Summary) -> HourFigures:
    is_settled = summary.outcome == SETTLED
    return HourFigures(
        rounds=1,
        settled=int(is_settled),
        void=int(summary.outcome == VOID),
        staked=summary.staked or 0,
        returned=summary.returned or 0,
        betting=is_settled * (summary.betting or 0),
        dealing=is_settled * (summary.dealing or 0),
        deciding=is_settled * (summary.deciding or 0),
        settling=is_settled * (summary.settling or 0),
        pause=is_settled * (summary.pause or 0),
        hands=summary.hands,
        bets=summary.bets,
        irregularities=summary.irregularities,
        refusals=summary.refusals,
        faults=summary.faults,
    )


@lru_cache(maxsize=2000)
def together(one: Any, other: Any) -> str:
    return spell([one, other])


def figures_of(summary: Summary) -> dict[tuple[str, str], Figures]:
    """By facet and value."""
    details = details_in(summary)
    sums: dict[tuple[str, str], list[int]] = {}

    def add(facet: str, value: Any, number: int, staked: int = 0, paid: int = 0, returned: int = 0) -> None:
        row = sums.setdefault((facet, str(value)), [1, 0, 0, 0, 0])
        for place, amount in enumerate((number, staked, paid, returned), 1):
            row[place] += amount

    for box, wager, result, *amounts in details.lines:
        add("wager", wager, *amounts)
        add("wager+result", together(wager, result), *amounts)
        if box is not None:
            add("box", box, *amounts)
            add("box+wager", together(box, wager), *amounts)
    for place, rank in details.hands:
        add("dealer hand" if place == DEALER else "hand", rank, 1)
    named = (
        ("irregular", details.irregular),
        ("refused", details.refused),
        ("fault", details.faults),
        ("post", details.posts),
    )
    for facet, counted in named:
        for name, count in counted:
            add(facet, name, count)
    return {key: Figures(*row) for key, row in sums.items()}
