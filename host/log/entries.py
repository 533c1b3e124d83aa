"""What a log takes and gives: records with their lines, where it ends, and why it cannot write."""

from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

from host.words.failures import Failure


class Record(NamedTuple):
    number: int
    boot: int
    record: list[Any]
    line: bytes


class LogEnd(NamedTuple):
    """The last record that the log has, and its seal."""

    number: int
    seal: bytes


class Notice(NamedTuple):
    """Something that the host noticed; `number` is the record that it is about."""

    seconds: int
    kind: str
    number: int | None
    text: str


class LogFailed(Failure):
    """The log could not keep records."""


class Log(Protocol):
    """What the bridge needs of a log."""

    def end(self) -> LogEnd | None:
        """Where the log ends; None if it is empty."""
        ...

    def commit(self, records: list[Record], seconds: int) -> None:
        """Keep records for good, all or none of them; LogFailed if that cannot be."""
        ...

    def replayable(self) -> Iterable[tuple[int, list[Any]]]:
        """Number and record, from the last whole standing on, or all of them if there is none."""
        ...

    def history(self) -> Iterable[tuple[int, list[Any]]]:
        """Number and record of some rounds before those that `replayable` gives."""
        ...

    def alarmed(self) -> set[int]:
        """The numbers of the records about which there was an alarm."""
        ...
