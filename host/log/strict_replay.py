"""A replay that also tells what nothing caused: a payment or a state that no event led to is a difference too."""

from marshal import dumps
from typing import Any

from shared.journal.replay import Replay
from shared.round.records import RECORDS

# What a replay expected and what it found.
Difference = tuple[Any, list[Any]]
# What playing or reading records can end with that the table's key sealed but its core did not write.
UNPLAYABLE = (ValueError, TypeError, IndexError, KeyError, AttributeError)
# What a round writes only because of an event.
CAUSED = frozenset(RECORDS) - {"event", "refused"}
# Marshal's format in which equal bytes mean equal values of equal types, whoever else holds them.
PLAIN_FORMAT = 0


class StrictReplay(Replay):
    def __init__(self) -> None:
        super().__init__()
        self.astray = False  # what follows a difference in the same event differs with it

    def take(self, record: list[Any]) -> Difference | None:
        """None if the record is what must come here, else what differs; None was expected where nothing was."""
        if record[0] not in CAUSED:
            self.astray = False
        elif self.round is not None and not self.expected:
            return None if self.astray else (None, record)
        difference = super().take(record)
        if difference:
            self.astray = True
        return difference

    def compare(self, record: list[Any]) -> Difference | None:
        """As every replay does, but quicker where nothing differs."""
        if dumps(record, PLAIN_FORMAT) == dumps(self.expected[0], PLAIN_FORMAT):
            del self.expected[0]
            return None
        return super().compare(record)
