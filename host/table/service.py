"""Runs a table from the host: one thread moves bytes between port and bridge, and tells observers what changed.

Everything about the table happens in that thread; others hand in what they want with `call`, and get a Future.
Observers look at the table through this service alone: its one view, what was announced, and whether it moves.
"""

import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from host.display.table_view import TableView
from host.log.entries import Record
from host.table.announcements import Announcement, Announcements, Notices
from host.table.bridge import Bridge
from host.table.link import NOT_DONE, Command, Unsendable
from host.table.port import TablePort
from host.table.view import ViewKeeper
from shared.journal.snapshot import plain_config

IDLE_S = 0.02  # waited for bytes when there is nothing to do
CONFIGURE_MS = 5000  # before a configuration that was refused is tried again, and twice as long each time
MOST_CONFIGURE_MS = 600_000
# Codes of answers that do not come from the table.
NO_TABLE = "no_table"
CATCHING_UP = "catching_up"
STOPPED = "host_stopped"
NOT_CONFIRMED = "not_confirmed"
UNSENDABLE = "unsendable"
WHO = "host"


class Answer(NamedTuple):
    """Whether the table did it; if not a code, the paragraph behind it, and what else belongs to the code."""

    done: bool
    code: str = ""
    paragraph: str | None = None
    detail: Sequence[Any] = ()


class Change(NamedTuple):
    """What one pass brought: records that are in the log now, and what people should know."""

    records: list[Record]
    told: list[Announcement]


class Observer(Protocol):
    def passed(self, service: "TableService", change: Change, now: int) -> None:
        """Called in the table's thread after every pass, also one that brought nothing."""
        ...


@dataclass(eq=False)
class TableService:
    """`config` is what the table should run with (a Table's configuration); None leaves it as it is."""

    bridge: Bridge
    port: TablePort
    notices: Notices
    config: dict[str, Any] | None = None
    milliseconds: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000
    seconds: Callable[[], int] = lambda: int(time.time())

    def __post_init__(self) -> None:
        self.announcements = Announcements(self.bridge, self.port, self.notices, lambda: self.seconds())
        self.observers: list[Observer] = []
        self.config_problem: Announcement | None = None  # why it does not take its configuration
        self._calls: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = queue.SimpleQueue()
        self._waiting: dict[Command, Future[Answer] | None] = {}  # None for a configuration
        self._configure_at = 0
        self._configure_ms = CONFIGURE_MS
        self._failed: set[Announcement] = set()  # what was told of observers that failed
        self._port_was_open = False
        self._last_done = 0  # the last command that the table said was done since it was joined
        self._is_closed = False

    # -- for other threads

    def call(self, ask: Callable[[], Any]) -> "Future[Any]":
        """Have something done in the table's thread; its result comes as the future's."""
        future: Future[Any] = Future()
        self._calls.put((ask, future))
        return future

    # -- for observers, in the table's own thread

    @property
    def table_name(self) -> str:
        return self.bridge.link.table

    @property
    def keeper(self) -> ViewKeeper:
        """The one view of the table, with the round behind it."""
        return self.bridge.keeper

    @property
    def view(self) -> TableView:
        """What may be shown of the table."""
        return self.keeper.view()

    @property
    def alarms(self) -> list[Announcement]:
        return list(self.announcements.alarms)

    def stale_why(self) -> Announcement | None:
        """Why the view may not be how the table is; None while it is."""
        return self.announcements.stale_why()

    def is_moving(self) -> bool:
        """Whether the table may stand otherwise than the log says: it has something to do, or to tell of.

        It answers a command before it sends the records of it.
        """
        link, keeper = self.bridge.link, self.keeper
        if not link.is_up:
            return False  # nothing gets there
        tells = link.is_behind or keeper.replay.last_command < self._last_done or not keeper.is_whole
        return tells or bool(link.commands)

    def notice(self, code: str, *details: Any, number: int | None = None) -> None:
        """Keep something in the log that is not a record; `number` is the record that it is about."""
        self.announcements.notice(Announcement(code, details), number)

    def announce(self, code: str, *details: Any) -> None:
        """Notice something, and tell people of it with the next pass."""
        self.announcements.announce(Announcement(code, details))

    def command(self, who: str, name: str, arguments: list[Any]) -> "Future[Answer]":
        """Have the table do something; its answer comes as the future's result, also if it is not there."""
        future: Future[Answer] = Future()
        link = self.bridge.link
        if self._is_closed:
            future.set_result(Answer(False, STOPPED))
        elif not link.is_up or link.is_behind:
            future.set_result(Answer(False, CATCHING_UP if link.is_up else NO_TABLE))
        else:
            try:
                self._waiting[link.command(who, name, arguments)] = future
            except Unsendable:
                future.set_result(Answer(False, UNSENDABLE))
        return future

    # -- the table's own thread

    def run(self, stop: threading.Event, until: Callable[[], bool] | None = None) -> None:
        """Until somebody sets `stop`, or `until` says so; then a clean stop."""
        try:
            while not stop.is_set() and not (until and until()):
                self.step()
                self.port.wait(IDLE_S)
        finally:
            self.close()

    def close(self) -> None:
        """A clean stop: the log's end is signed, the table is told, and nobody waits for an answer any more."""
        self.port.write(self.bridge.stop(self.seconds()))
        self.port.close()
        self._is_closed = True
        for future in self._waiting.values():
            if future and not future.done():
                future.set_result(Answer(False, NOT_CONFIRMED))
        self._waiting.clear()
        self.take_calls()

    def step(self) -> None:
        """One pass."""
        now = self.milliseconds()
        self.port.open_if_due(now)
        data = self.port.read()
        records = self.bridge.receive(data, now, self.seconds()) if data else []
        link = self.bridge.link
        self.look_at_port()
        self.configure(now)
        if self.port.is_open:
            self.port.write(link.output(now))
            self.look_at_port()
        events = list(link.events)
        link.events.clear()
        for event in events:
            if event.what == "answer":
                self.answered(*event.details)
            elif event.what == "up":
                self._configure_ms = CONFIGURE_MS
                self._last_done = 0
        told = self.announcements.tell(records, events, now)
        self.keeper.stale = self.stale_why() is not None
        for observer in self.observers:
            self.inform(observer, Change(records, told), now)
        # People ask and decide by what observers know, so those are told first.
        self.take_calls()

    def inform(self, observer: Observer, change: Change, now: int) -> None:
        """The table goes on even if an observer fails."""
        try:
            observer.passed(self, change, now)
        except Exception as problem:
            announcement = Announcement("failed", (type(observer).__name__, type(problem).__name__, str(problem)))
            if announcement not in self._failed:
                self._failed.add(announcement)
                self.announcements.announce(announcement)

    def look_at_port(self) -> None:
        """Reading and writing may both find that it is gone."""
        if self._port_was_open and not self.port.is_open:
            self.bridge.link.unplugged()
        self._port_was_open = self.port.is_open

    # -- commands

    def take_calls(self) -> None:
        while not self._calls.empty():
            ask, future = self._calls.get()
            try:
                future.set_result(ask())
            except Exception as problem:  # the asker is told; the table goes on
                future.set_exception(problem)

    def answered(self, command: Command, *reply: Any) -> None:
        answer = Answer(*reply)
        if answer.done:
            self._last_done = command.id
        if command in self._waiting:
            future = self._waiting.pop(command)
            if future:
                future.set_result(answer)
            else:
                self.configured(answer)

    def configured(self, answer: Answer) -> None:
        if answer.code == NOT_DONE:
            self._configure_at = 0  # it never arrived, and is due in the new session
            return
        problem = None if answer.done else Announcement("config", (answer.code, answer.detail))
        if problem and problem != self.config_problem:
            self.announcements.announce(problem)
        self.config_problem = problem
        self._configure_ms = CONFIGURE_MS if answer.done else min(2 * self._configure_ms, MOST_CONFIGURE_MS)

    def configure(self, now: int) -> None:
        """Have the table run with its configuration; a round that runs ends with the old one."""
        link, replay = self.bridge.link, self.bridge.replay
        if self.config is None or not link.is_up or link.commands or now < self._configure_at:
            return
        if link.is_behind or replay.expected:
            return  # what it runs with may still be on its way
        if replay.round is not None and (not replay.round.is_over() or replay.round.hand_pays):
            return  # it would be refused
        if replay.config is not None and plain_config(replay.config) == plain_config(self.config):
            return
        self._configure_at = now + self._configure_ms
        self._waiting[link.command(WHO, "config", plain_config(self.config))] = None
