"""Follows a log record by record, and keeps a review of each game for every 4,096 rounds.

A review is about 12 KB of JSON, however many rounds are in it, and only those that changed need be written again.
What is kept says from which record to go on: that from which the round that is still open can be followed. So no
round is read twice, and those of any stretch of time are some reviews that add up.
"""

from typing import Any

from host.review.statistics.observation import Observed, Observer, opens
from host.review.statistics.review import add_round, merge, new_review

BLOCK = 4096

Key = tuple[str, int]  # the game, and the block of rounds


class LogReviews:
    """Goes on from what was kept; feed it the records from `next_record` on, in order.

    Of the kept reviews, only the last of each game can still change.
    """

    def __init__(self, next_record: int = 0, reviews: dict[Key, dict[str, Any]] | None = None) -> None:
        self.next_record = next_record
        self.reviews = reviews or {}
        self.observer = Observer()
        self.standing = 0  # the last `begin`
        self.changed: set[Key] = set()

    def follow(self, number: int, record: list[Any]) -> Observed | None:
        """Take a record, and the round that is over by it."""
        if record[0] == "begin":
            self.standing = number
        over = self.observer.follow(record)
        if opens(record):
            if over:
                self.add(over)
            # Its round is not in the reviews yet, so reading begins here the next time.
            self.next_record = self.standing or number
        return over

    def add(self, over: Observed) -> None:
        key = (over.game, over.number // BLOCK)
        if key not in self.reviews:
            self.reviews[key] = new_review(over.game)
        add_round(self.reviews[key], over)
        self.changed.add(key)

    def take_changed(self) -> dict[Key, dict[str, Any]]:
        """The reviews to write, which together with `next_record` are all that is kept."""
        changed = {key: self.reviews[key] for key in sorted(self.changed)}
        self.changed.clear()
        return changed

    def close(self) -> dict[str, dict[str, Any]]:
        """The whole review of each game, with the last round as it stands now, which is not kept."""
        whole = by_game(self.reviews)
        over = self.observer.finish()
        if over:
            last = new_review(over.game)
            add_round(last, over)
            whole[over.game] = merge(whole[over.game], last) if over.game in whole else last
        return whole


def by_game(reviews: dict[Key, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The reviews of each game as one, in the order of their rounds."""
    whole: dict[str, dict[str, Any]] = {}
    for (game, _), one in sorted(reviews.items()):
        whole[game] = merge(whole[game], one) if game in whole else one
    return whole
