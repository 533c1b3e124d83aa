"""A replay that also tells what nothing caused: a payment or a state that no event led to is a difference too.

It plays only what was written under its own rules. What other rules wrote is followed as far as it fits, so that
playing can go on where the own rules begin.
"""

from marshal import dumps
from typing import Any

from shared.journal.journal import BEGIN
from shared.journal.replay import Replay
from shared.round.records import RECORDS

# What a replay expected and what it found.
Difference = tuple[Any, list[Any]]
# What playing or reading records can end with that the table's key sealed but its core did not write.
UNPLAYABLE = (ValueError, TypeError, IndexError, KeyError, AttributeError)
# What a round writes only because of an event.
CAUSED = frozenset(RECORDS) - {"event", "refused"}
# Marshal's format in which equal bytes mean equal values of equal types, shared with others or not.
PLAIN_FORMAT = 0
NAMES_RULES = ("boot", BEGIN)  # records that say which rules write from there on


def rules_in(record: list[Any]) -> str | None:
    """The digest that such a record names; None for those of older tables, which named none."""
    return record[3] if len(record) > 3 and isinstance(record[3], str) else None


class StrictReplay(Replay):
    """`rules` is the digest of the core that plays, None for one that plays what names no rules."""

    def __init__(self, rules: str | None) -> None:
        super().__init__()
        self.round: Any = None
        self.rules = rules
        self.is_own = False  # whether these rules wrote the last record
        self.astray = False  # what follows a difference in the same event differs with it

    @property
    def is_playing(self) -> bool:
        """Whether the last record was compared with what these rules make."""
        return self.is_own and self.round is not None

    def passes(self, record: list[Any]) -> bool:
        """Whether these rules wrote it and cannot play it: other rules said last how the table stands."""
        return self.is_own and self.round is None and record[0] in RECORDS

    def take(self, record: list[Any]) -> Difference | None:
        """None if the record is what must come here or if other rules wrote it, else what differs."""
        is_due = self.is_own and bool(self.expected)  # also if other rules write from here on
        if record[0] in NAMES_RULES:
            was_own, self.is_own = self.is_own, rules_in(record) == self.rules
            if (self.expected and not was_own) or (record[0] == BEGIN and not self.is_own):
                self.forget()
        try:
            difference = self.play(record)
        except UNPLAYABLE as problem:
            difference = problem, record  # sealed by the table's key, but nothing that its core writes
        if difference and not (self.is_own or is_due):
            self.forget()
            return None
        return difference

    def forget(self) -> None:
        """Wait until the table says how it stands."""
        self.round, self.expected, self.astray = None, [], False

    def play(self, record: list[Any]) -> Difference | None:
        """None was expected where a record came that nothing caused."""
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
