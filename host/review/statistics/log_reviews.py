"""Follows a log record by record, and keeps a review of each game that was played.

What is kept is small and goes through JSON. It says from which record to go on: that from which the round that is
still open can be followed, and no round is read twice.
"""

from copy import deepcopy
from typing import Any

from host.review.statistics.observation import Observed, Observer, opens
from host.review.statistics.review import add_round, new_review


def new_kept() -> dict[str, Any]:
    return {"next": 0, "reviews": {}}


class LogReviews:
    """Goes on from what was kept; feed it the records from `next_record` on, in order."""

    def __init__(self, kept: dict[str, Any] | None = None) -> None:
        self.kept = kept or new_kept()
        self.observer = Observer()
        self.standing = 0  # the last `begin`

    @property
    def next_record(self) -> int:
        return self.kept["next"]

    def follow(self, number: int, record: list[Any]) -> Observed | None:
        """Take a record, and the round that is over by it."""
        if record[0] == "begin":
            self.standing = number
        over = self.observer.follow(record)
        if opens(record):
            if over:
                self.add(over)
            # Its round is not in the reviews yet, so reading begins here the next time.
            self.kept["next"] = self.standing or number
        return over

    def add(self, over: Observed) -> None:
        reviews = self.kept["reviews"]
        if over.game not in reviews:
            reviews[over.game] = new_review(over.game)
        add_round(reviews[over.game], over)

    def close(self) -> dict[str, Any]:
        """The reviews with the last round as it stands now; what was kept is left as it was."""
        last = LogReviews(deepcopy(self.kept))
        over = self.observer.finish()
        if over:
            last.add(over)
        return last.kept["reviews"]
