"""What people are told of a table, as codes with details: each once. What is not a record of the table is noticed
in the log as well."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from host.log.entries import Record
from host.table.bridge import Bridge
from host.table.link import NOT_DONE, LinkEvent
from host.table.port import TablePort
from host.words.link import announcement_words

SAME_AGAIN_MS = 600_000  # before people are told the same about the link once more
MOST_NOISE = 20  # different announcements about what the table says wrongly, in that time
TOLD = ("fault", "console", "files", "replaced")  # records that people are told
NOISE = ("refused", "unknown")
PROBLEMS = ("down", "mismatch", "faulty", "prompt", "broken", "unproved")
ALARMS_KEPT = 10
LOG_WORKS = ("log.works", {})
SIGNING_WORKS = ("log.signing_works", {})


class Announcement(NamedTuple):
    code: str
    details: tuple[Any, ...] = ()

    @property
    def words(self) -> str:
        return announcement_words(*self)


class Notices(Protocol):
    def notice(self, kind: str, text: str, number: int | None = None, seconds: int | None = None) -> bool: ...


@dataclass(eq=False)
class Announcements:
    """`problem` is why the table is not joined; None while it is."""

    bridge: Bridge
    port: TablePort
    notices: Notices
    seconds: Callable[[], int]

    def __post_init__(self) -> None:
        self.problem: Announcement | None = None
        self.alarms: deque[Announcement] = deque(maxlen=ALARMS_KEPT)  # the last ones
        self._waiting: list[Announcement] = []
        self._failures: dict[str, Any] = {"log": LOG_WORKS, "checkpoint": SIGNING_WORKS}  # as they were told
        self._told_at: dict[tuple[str, str], int] = {}  # when people were last told what may come again

    def stale_why(self) -> Announcement | None:
        """Why what the log holds may not be how the table is; None while it is."""
        if self.bridge.failure:
            return Announcement("log", self.bridge.failure.args)
        return None if self.bridge.link.is_up else self.problem or Announcement("not_joined")

    def tell(self, records: list[Record], events: list[LinkEvent], now: int) -> list[Announcement]:
        """What people should know of this pass."""
        told, self._waiting = self._waiting, []
        told += [Announcement(one.record[0], tuple(one.record[1:])) for one in records if one.record[0] in TOLD]
        for event in events:
            announcement = Announcement(*event)
            if event.what == "up":
                self.problem = None
            elif event.what in PROBLEMS:
                self.problem = announcement
            if is_news(event) and not self.is_old(announcement, now):
                told.append(announcement)
                self.notice(announcement)
        while self.bridge.alarms:
            alarm = self.bridge.alarms.popleft()
            announcement = Announcement("alarm", alarm)
            told.append(announcement)
            self.alarms.append(announcement)
            self.notice(announcement, alarm.number)
        return told + self.tell_failures()

    def is_old(self, announcement: Announcement, now: int) -> bool:
        """Whether people know: a table that is wrong in the same way all day would fill log and screen."""
        code = announcement.code
        if code == "answer":
            return False  # each is about something that somebody decided
        if code in ("up", "down"):
            if code == "up":
                self._told_at = {key: at for key, at in self._told_at.items() if key[0] in NOISE}
            # A log that fails ends every session as soon as it has begun.
            return self._failures["log"] != LOG_WORKS
        self._told_at = {key: at for key, at in self._told_at.items() if now - at < SAME_AGAIN_MS}
        noise = sum(key[0] in NOISE for key in self._told_at)
        key = (code, repr(announcement.details))
        if key in self._told_at or (code in NOISE and noise >= MOST_NOISE):
            return True
        self._told_at[key] = now
        return False

    def notice(self, announcement: Announcement, number: int | None = None) -> None:
        """Keep it in the log; `number` is the record that it is about."""
        self.notices.notice(announcement.code, announcement.words, number, self.seconds())

    def announce(self, announcement: Announcement) -> None:
        """Something else that people should know; it comes with the next pass."""
        self.notice(announcement)
        self._waiting.append(announcement)

    def tell_failures(self) -> list[Announcement]:
        """A log, a checkpoint or a port that fails is told once, and once more when it works again."""
        bridge, port = self.bridge, self.port
        states = (
            ("log", bridge.failure, LOG_WORKS),
            ("checkpoint", bridge.unsigned, SIGNING_WORKS),
            ("port", port.problem, ("pico.open", {"port": port.device})),
        )
        told = []
        for code, problem, works in states:
            announcement = Announcement(code, problem.args if problem else works)
            if announcement.details != self._failures.get(code):
                self._failures[code] = announcement.details
                told.append(announcement)
                if code != "log" or not problem:  # a log that fails keeps its own notice of it
                    self.notice(announcement)
            if code == "port" and problem:
                self.problem = announcement
        return told


def is_news(event: LinkEvent) -> bool:
    """Staff hear of an answer where they asked, unless the table was away; a configuration is sent again."""
    if event.what != "answer":
        return True
    command, _, code, *_ = event.details
    return code == NOT_DONE and command.name != "config"
