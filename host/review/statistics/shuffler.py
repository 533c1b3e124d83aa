"""Whether cards come as from a well shuffled deck: by place, by card, by neighbour, and repeated deals.

What is counted is whole numbers, and all evidence follows from them: what is kept of a million deals is as small
as what is kept of a thousand, and two stretches of a log make one. Nothing here accuses anyone. It says where to
look, with the figure, and how often chance alone brings such a figure.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import log
from typing import Any, NamedTuple

import numpy as np

from host.review.statistics import repeats
from host.review.statistics.anytime import LOOK_HERE, is_striking, mean_of
from host.review.statistics.repeats import LAGS, NEIGHBOURS
from host.review.statistics.tallies import add, count
from shared.rules.cards import DECK_SIZE

MOST_CARDS = DECK_SIZE - 1  # 16 boxes and the dealer
CARDS = "cards"
PLACES = "places"
PAIRS = "pairs"
REPEATS = "repeats"
KINDS = (PLACES, CARDS, PAIRS, REPEATS)

# How many times as likely a card is thought to be, against not coming.
TILTS = np.array([0.05, 0.25, 0.5, 0.7, 0.85, 0.93, 1.07, 1.15, 1.4, 2.0, 2.8, 4.0, 8.0, 16.0, 64.0])
CELLS = {PLACES: MOST_CARDS * DECK_SIZE, CARDS: DECK_SIZE, PAIRS: DECK_SIZE * (DECK_SIZE - 1)}
MOST_FINDINGS = 5


class Finding(NamedTuple):
    """Where to look, and how often that was seen and expected.

    `where` is (place, card), (card,), (card, next card) or (round, rounds before); places count from 0.
    """

    kind: str
    where: tuple[int, ...]
    seen: int
    expected: float
    deals: int


class Look(NamedTuple):
    """One way to look at the shuffler: its evidence, and the findings that it rests on, if it is striking."""

    kind: str
    evidence: float
    striking: bool
    findings: list[Finding]


def new_state() -> dict[str, Any]:
    """`first` and `last` are (round, cards) of deals at either end, `most_alike` the deals most like another."""
    return {
        "counts": {
            "deals": 0,
            "left_out": 0,
            "sizes": {},
            "places": [],
            "pairs": [0] * DECK_SIZE**2,
            "repeats": {},
        },
        "first": [],
        "last": [],
        "most_alike": [],
    }


def add_deal(state: dict[str, Any], number: int, deal: Sequence[int]) -> None:
    """Add round `number` with its cards in the order of the deal; none if not all of them are known."""
    counts = state["counts"]
    for lag, (_, earlier) in zip(LAGS, reversed(state["last"])):
        compare(state, number, deal, earlier, lag)
    remember(state, number, deal)
    if not deal:
        counts["left_out"] += 1
        return
    counts["deals"] += 1
    count(counts["sizes"], str(len(deal)))
    places = counts["places"]
    while len(places) < len(deal):
        places.append([0] * DECK_SIZE)
    for place, card in zip(places, deal):
        place[card] += 1
    for card, following in pairwise(deal):
        counts["pairs"][card * DECK_SIZE + following] += 1


def remember(state: dict[str, Any], number: int, deal: Sequence[int]) -> None:
    kept = [number, list(deal)]
    if len(state["first"]) < len(LAGS):
        state["first"].append(kept)
    state["last"] = [*state["last"], kept][-len(LAGS) :]


def compare(state: dict[str, Any], number: int, deal: Sequence[int], earlier: Sequence[int], lag: int) -> None:
    if not deal or not earlier:
        return
    repeats.compare(state["counts"]["repeats"], deal, earlier, lag)
    alike = max(repeats.matches(deal, earlier), repeats.still_neighbours(deal, earlier))
    keep_alike(state, [[alike, -number, lag, min(len(deal), len(earlier))]])


def keep_alike(state: dict[str, Any], more: list[list[int]]) -> None:
    kept = state["most_alike"]
    if len(kept) < repeats.MOST_KEPT or any(one > kept[-1] for one in more):
        state["most_alike"] = sorted(kept + more, reverse=True)[: repeats.MOST_KEPT]


def add_deals(state: dict[str, Any], first: int, deals: np.ndarray) -> None:
    """The same for many deals of equal length at once; `first` is the number of the first round."""
    length = deals.shape[1]
    for number, deal in enumerate(deals[: len(LAGS)].tolist(), first):
        add_deal(state, number, deal)
    rest = deals[len(LAGS) :]
    if not len(rest):
        return
    counts = state["counts"]
    counts["deals"] += len(rest)
    count(counts["sizes"], str(length), len(rest))
    for place in range(length):
        more = np.bincount(rest[:, place], minlength=DECK_SIZE)
        counts["places"][place] = [one + int(other) for one, other in zip(counts["places"][place], more)]
    codes = (rest[:, :-1] * DECK_SIZE + rest[:, 1:]).ravel()
    counts["pairs"] = (np.array(counts["pairs"]) + np.bincount(codes, minlength=DECK_SIZE**2)).tolist()
    following = np.full((len(deals), DECK_SIZE), -1)
    np.put_along_axis(following, deals[:, :-1], deals[:, 1:], axis=1)
    for lag in LAGS:
        earlier = slice(len(LAGS) - lag, len(deals) - lag)
        same = (rest == deals[earlier]).sum(axis=1)
        links = (np.take_along_axis(following[earlier], rest[:, :-1], axis=1) == rest[:, 1:]).sum(axis=1)
        for kind, seen in ((repeats.PLACES, same), (NEIGHBOURS, links)):
            tally = counts["repeats"].setdefault(f"{kind} {lag}", {})
            for value, times in enumerate(np.bincount(seen).tolist()):
                if times:
                    count(tally, f"{length} {length} {value}", times)
        alike = np.maximum(same, links)
        top = np.argsort(-alike, kind="stable")[: repeats.MOST_KEPT]
        keep_alike(state, [[int(alike[row]), -(first + len(LAGS) + int(row)), lag, length] for row in top])
    for number, deal in enumerate(rest[-len(LAGS) :].tolist(), first + len(deals) - min(len(rest), len(LAGS))):
        state["last"] = [*state["last"], [number, deal]][-len(LAGS) :]


def merge(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """The state of both stretches, `other` following on `one`, as if all had been added to one state."""
    both = {
        "counts": add(one["counts"], other["counts"]),
        "first": (one["first"] + other["first"])[: len(LAGS)],
        "last": (one["last"] + other["last"])[-len(LAGS) :],
        "most_alike": one["most_alike"],
    }
    keep_alike(both, other["most_alike"])
    for place, (number, deal) in enumerate(other["first"]):
        for lag in LAGS[place:]:
            if lag - place <= len(one["last"]):
                compare(both, number, deal, one["last"][place - lag][1], lag)
    return both


# -- what the counts say


def look(state: dict[str, Any], promise: float = LOOK_HERE) -> list[Look]:
    """All ways to look together, and then each of them: the promise is that of all together."""
    counts = state["counts"]
    evidence = {kind: evidence_of_cells(counts, kind)[0] for kind in CELLS} | {
        REPEATS: evidence_of_repeats(counts)
    }
    together = mean_of(evidence.values())
    striking = is_striking(together, promise)
    looks = []
    for kind, one in evidence.items():
        # The one that says most has made all together striking; the others are as striking as they are by
        # themselves.
        shown = is_striking(one, promise / len(KINDS)) or (striking and one == max(evidence.values()))
        looks.append(Look(kind, one, shown, found_in(state, kind) if shown else []))
    return [Look("shuffler", together, striking, [finding for one in looks for finding in one.findings]), *looks]


def evidence_of(counts: dict[str, Any]) -> float:
    return mean_of([*(evidence_of_cells(counts, kind)[0] for kind in CELLS), evidence_of_repeats(counts)])


def evidence_of_repeats(counts: dict[str, Any]) -> float:
    tallies = counts["repeats"]
    return mean_of(
        repeats.evidence_of(tallies.get(f"{kind} {lag}", {}), kind)
        for kind in (repeats.PLACES, NEIGHBOURS)
        for lag in LAGS
    )


def evidence_of_cells(counts: dict[str, Any], kind: str) -> tuple[float, np.ndarray]:
    """The evidence of a kind, and that of each of its cells by itself."""
    seen, bases = cells_of(counts, kind)
    logs = seen[..., None] * np.log(TILTS) - bases
    top = logs.max(axis=-1)
    cells = top + np.log(np.exp(logs - top[..., None]).mean(axis=-1))
    if kind == PAIRS:
        cells = np.where(np.eye(DECK_SIZE, dtype=bool), -np.inf, cells)
    highest = max(float(cells.max(initial=0.0)), 0.0)
    # Places that no deal has reached were bet on too, and nothing came of it.
    idle = CELLS[kind] - int(np.isfinite(cells).sum())
    total = np.exp(cells - highest).sum() + idle * np.exp(-highest)
    return highest + log(float(total) / CELLS[kind]), cells


def cells_of(counts: dict[str, Any], kind: str) -> tuple[np.ndarray, np.ndarray]:
    """How often each cell was seen, and what the bets on it have cost, for each tilt."""
    sizes = {int(size): times for size, times in counts["sizes"].items()}
    seen = np.array(counts["places"], dtype=float).reshape(-1, DECK_SIZE)
    if kind == PLACES:
        reached = np.array([deals_reaching(sizes, place) for place in range(len(seen))])
        return seen, reached[:, None, None] * cost(1 / DECK_SIZE)
    if kind == CARDS:
        return seen.sum(axis=0), sum_of(sizes, lambda size: cost(size / DECK_SIZE))
    pairs = np.array(counts["pairs"], dtype=float).reshape(DECK_SIZE, DECK_SIZE)
    return pairs, sum_of(sizes, lambda size: cost(repeats.mean_neighbours(2, size)))


def deals_reaching(sizes: dict[int, int], place: int) -> int:
    return sum(times for size, times in sizes.items() if size > place)


def cost(chance: float) -> np.ndarray:
    return np.log1p((TILTS - 1) * chance)


def sum_of(sizes: dict[int, int], each: Any) -> np.ndarray:
    total = np.zeros(len(TILTS))
    for size, times in sizes.items():
        total += times * each(size)
    return total


def found_in(state: dict[str, Any], kind: str) -> list[Finding]:
    return alike_deals(state) if kind == REPEATS else cells_found(state["counts"], kind)


def cells_found(counts: dict[str, Any], kind: str) -> list[Finding]:
    """The cells that stand out by themselves, the most telling first; at least the first."""
    cells = evidence_of_cells(counts, kind)[1]
    order = np.argsort(-cells, axis=None)[:MOST_FINDINGS]
    places = [tuple(int(part) for part in np.unravel_index(one, cells.shape)) for one in order]
    telling = [where for where in places if cells[where] > log(CELLS[kind] / LOOK_HERE)] or places[:1]
    seen, _ = cells_of(counts, kind)
    sizes = {int(size): times for size, times in counts["sizes"].items()}
    found = []
    for where in telling:
        if kind == PLACES:
            deals = deals_reaching(sizes, where[0])
            expected = deals / DECK_SIZE
        else:
            deals = counts["deals"]
            per = (
                (lambda size: size / DECK_SIZE)
                if kind == CARDS
                else (lambda size: repeats.mean_neighbours(2, size))
            )
            expected = sum(times * per(size) for size, times in sizes.items())
        found.append(Finding(kind, where, int(seen[where]), expected, deals))
    return found


def alike_deals(state: dict[str, Any]) -> list[Finding]:
    """The deals that are most like an earlier one: how many cards stayed, of how many."""
    return [
        Finding(REPEATS, (-number, lag), alike, repeats.mean_matches(length), length)
        for alike, number, lag, length in state["most_alike"][:MOST_FINDINGS]
    ]
