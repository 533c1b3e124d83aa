"""The review of a table: holds, shuffler and reader together, kept round by round.

One review is about one game. It is small enough to keep with a log: whole numbers and words alone, which go
through JSON, and two stretches make one.
"""

from typing import Any, NamedTuple

from host.review.statistics import hold, reader, shuffler, tallies
from host.review.statistics.anytime import LOOK_HERE
from host.review.statistics.expectation import from_kept, kept, truths
from host.review.statistics.hold import Hold
from host.review.statistics.observation import Observed
from host.review.statistics.reader import Reading
from host.review.statistics.shuffler import Look
from shared.rules.rulebook import load


def new_review(game: str) -> dict[str, Any]:
    return {
        "game": game,
        "amounts": True,  # whether all of it is real money
        "truths": {},
        "counts": {"rounds": 0, "left_out": 0, "holds": {}, "reader": reader.new_tally()},
        "shuffler": shuffler.new_state(),
    }


def add_round(review: dict[str, Any], seen: Observed) -> None:
    """Add the next round of the review's game."""
    counts = review["counts"]
    counts["rounds"] += 1
    counts["left_out"] += not seen.ordinary
    review["amounts"] = review["amounts"] and seen.amounts
    if seen.bets:
        if not review["truths"]:
            review["truths"] = {name: kept(truth) for name, truth in truths(load(seen.game)).items()}
        hold.add_round(counts["holds"], load(seen.game), seen.bets, seen.meter)
    reader.add_deal(counts["reader"], seen.cards, seen.doubles, seen.misread, seen.unread)
    shuffler.add_deal(review["shuffler"], seen.number, seen.deal)


def merge(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """The review of both stretches, `other` following on `one`."""
    return {
        "game": one["game"],
        "amounts": one["amounts"] and other["amounts"],
        "truths": one["truths"] or other["truths"],
        "counts": tallies.add(one["counts"], other["counts"]),
        "shuffler": shuffler.merge(one["shuffler"], other["shuffler"]),
    }


class Result(NamedTuple):
    """What a review says."""

    game: str
    rounds: int
    left_out: int  # rounds that were not ordinary, so that their wagers are not held against anything
    deals: int
    deals_left_out: int  # of which not all cards are known
    amounts: bool
    promise: float  # how often a table in order may be pointed at by holds, by looks and by readings
    holds: list[Hold]
    looks: list[Look]
    reading: Reading


def result_of(review: dict[str, Any], promise: float = LOOK_HERE) -> Result:
    counts, cards = review["counts"], review["shuffler"]
    known = {wager: from_kept(review["game"], wager, words) for wager, words in review["truths"].items()}
    return Result(
        review["game"],
        counts["rounds"],
        counts["left_out"],
        cards["counts"]["deals"],
        cards["counts"]["left_out"],
        review["amounts"],
        promise,
        hold.holds(counts["holds"], known, promise),
        shuffler.look(cards, promise),
        reader.read(counts["reader"], promise=promise),
    )
