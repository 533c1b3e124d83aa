"""What people are told of a table, in sentences: each once; what is no record of the table's is noticed in the
log as well."""

from collections import deque
from collections.abc import Callable
from typing import Protocol

from host.table.bridge import Bridge
from host.table.link import Happening, Record
from host.table.port import TablePort
from host.words.link import happening_words
from host.words.records import difference_words, record_words

SAME_AGAIN_MS = 600_000  # before people are told the same about the link once more
MOST_NOISE = 20  # different sentences about what the table says wrongly, in that time
NOISE = ("refused", "unknown")
NOT_JOINED = "The table has not been joined yet. Look at its power and its cable."
ALARMS_KEPT = 10


class Notices(Protocol):
    def notice(self, kind: str, text: str, number: int | None = None, seconds: int | None = None) -> bool: ...


class News:
    """`problem` is why the table is not joined, in words; empty while it is."""

    def __init__(self, bridge: Bridge, port: TablePort, notices: Notices, seconds: Callable[[], int]) -> None:
        self.bridge = bridge
        self.port = port
        self.notices = notices
        self.seconds = seconds
        self.problem = ""
        self.alarms: deque[str] = deque(maxlen=ALARMS_KEPT)  # the last ones, in words
        self._unsaid: list[str] = []
        self._failures_told: dict[str, str | None] = {"log": "", "checkpoint": "", "port": None}
        self._told_at: dict[tuple[str, str], int] = {}  # when people were last told what may come again

    def stale_why(self) -> str:
        """Why what the log holds may not be how the table is; empty while it is."""
        if self.bridge.failure:
            return str(self.bridge.failure)
        return "" if self.bridge.link.is_up else self.problem or NOT_JOINED

    def tell(self, records: list[Record], happenings: list[Happening], now: int) -> list[str]:
        """What people should know of this pass."""
        said, self._unsaid = self._unsaid, []
        for record in records:
            if record.record[0] == "fault":
                words = record_words(record.record, None)
                said.append(words[:1].upper() + words[1:])
        for happening in happenings:
            words = happening_words(happening)
            if happening.what == "up":
                self.problem = ""
            elif words and happening.what in ("down", "mismatch", "faulty", "broken", "unproved"):
                self.problem = words
            if words and not self.is_old_news(happening.what, words, now):
                said.append(words)
                self.notices.notice(happening.what, words, None, self.seconds())
        while self.bridge.alarms:
            alarm = self.bridge.alarms.popleft()
            words = (
                f"ALARM: record {alarm.number} is not what the rules make of the events before it: "
                f"{difference_words(*alarm.difference)}. It was logged as it came. Stop the table and call for "
                "help."
            )
            said.append(words)
            self.alarms.append(words)
            self.notices.notice("alarm", words, alarm.number, self.seconds())
        said += self.tell_failures()
        return said

    def is_old_news(self, what: str, words: str, now: int) -> bool:
        """Whether people know: a table that is wrong in the same way all day would fill log and screen."""
        if what == "answer":
            return False  # each is about something that somebody decided
        if what in ("up", "down"):
            if what == "up":
                self._told_at = {key: at for key, at in self._told_at.items() if key[0] in NOISE}
            # A log that fails ends every session as soon as it has begun.
            return bool(self._failures_told["log"])
        self._told_at = {key: at for key, at in self._told_at.items() if now - at < SAME_AGAIN_MS}
        noise = sum(key[0] in NOISE for key in self._told_at)
        if (what, words) in self._told_at or (what in NOISE and noise >= MOST_NOISE):
            return True
        self._told_at[what, words] = now
        return False

    def say(self, kind: str, words: str, number: int | None = None) -> None:
        """Something else that people should know, from an observer; it comes with the next pass."""
        self.notices.notice(kind, words, number, self.seconds())
        self._unsaid.append(words)

    def tell_failures(self) -> list[str]:
        """A log, a checkpoint or a port that fails is said once, and once more when it works again."""
        port = self.port
        failures = (
            ("log", text_of(self.bridge.failure), "The log takes records again."),
            ("checkpoint", text_of(self.bridge.unsigned), "Checkpoints can be signed again."),
            ("port", port.problem, f"The table's port is open: {port.device}."),
        )
        said = []
        if port.problem:
            self.problem = port.problem
        for kind, failure, mended in failures:
            if failure != self._failures_told[kind]:
                self._failures_told[kind] = failure
                said.append(failure or mended)
                if kind != "log" or not failure:  # a log that fails keeps its own notice of it
                    self.notices.notice(kind, failure or mended, None, self.seconds())
        return said


def text_of(problem: Exception | None) -> str:
    return str(problem) if problem else ""
