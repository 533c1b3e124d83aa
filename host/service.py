"""Runs a table from the host: one thread moves bytes between port and bridge, and tells observers what changed.

Whatever concerns the table happens in that thread. Others hand in commands with `send`, and get a Future.
"""

import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NamedTuple, Protocol

from host.bridge import Bridge
from host.happening_words import happening_words
from host.link import Command, Happening, Record
from host.table_port import TablePort
from shared.standing import plain_config
from shared.states import NO_ROUND

IDLE_S = 0.02  # waited for bytes when there is nothing to do
CONFIGURE_MS = 5000  # before a configuration that was refused is tried again
NO_TABLE = "The table is not joined, so nothing was done. Wait until it is back, then do it again."
STOPPED = "Felt has stopped, so nothing was done."
NOT_CONFIRMED = (
    "The table was lost before it answered. See in the log whether it was done before you do it again."
)
WHO = "host"
ALARMS_KEPT = 10


class Answer(NamedTuple):
    """Whether the table did it, and if not, why."""

    done: bool
    detail: str


class Change(NamedTuple):
    """What one pass brought: records that are in the log now, happenings, and sentences about them for people."""

    records: list[Record]
    happenings: list[Happening]
    said: list[str]


class Observer(Protocol):
    def changed(self, service: "TableService", change: Change) -> None:
        """Called in the table's thread after a pass that brought something."""
        ...

    def passed(self, service: "TableService", now: int) -> None:
        """Called in the table's thread after every pass."""
        ...


class Notices(Protocol):
    def notice(self, kind: str, text: str, number: int | None = None, seconds: int | None = None) -> bool: ...


class TableService:
    """`config` is what the table should run with (a Table's configuration); None leaves it as it is."""

    def __init__(
        self,
        bridge: Bridge,
        port: TablePort,
        notices: Notices,
        config: dict[str, Any] | None = None,
        milliseconds: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000,
        seconds: Callable[[], int] = lambda: int(time.time()),
    ) -> None:
        self.bridge = bridge
        self.port = port
        self.notices = notices
        self.config = config
        self.milliseconds = milliseconds
        self.seconds = seconds
        self.observers: list[Observer] = []
        self.problem = ""  # why the table is not joined, in words; empty while it is
        self.config_problem = ""  # why it does not take its configuration
        self.alarms: deque[str] = deque(maxlen=ALARMS_KEPT)  # the last ones, in words
        self._orders: queue.SimpleQueue[tuple[str, str, list[Any], Future[Answer]]] = queue.SimpleQueue()
        self._calls: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = queue.SimpleQueue()
        self._waiting: list[tuple[Command, Future[Answer] | None]] = []
        self._configure_at = 0
        self._last_there = 0  # the table's last record when it was joined
        self._failure_told: str | None = None
        self._port_told: str | None = None
        self._unsaid: list[str] = []

    # -- for other threads

    def send(self, who: str, name: str, arguments: list[Any]) -> "Future[Answer]":
        """Have the table do something; its answer comes as the future's result, also if it is not there."""
        future: Future[Answer] = Future()
        self._orders.put((who, name, arguments, future))
        return future

    def call(self, ask: Callable[[], Any]) -> "Future[Any]":
        """Have something asked or noticed in the table's thread, where all that concerns it is."""
        future: Future[Any] = Future()
        self._calls.put((ask, future))
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
        self.forget_orders(NOT_CONFIRMED)
        self.take_calls()

    def step(self) -> None:
        """One pass."""
        now = self.milliseconds()
        was_open = self.port.is_open
        self.port.open_if_due(now)
        data = self.port.read()
        records = self.bridge.receive(data, now, self.seconds()) if data else []
        link = self.bridge.link
        if was_open and not self.port.is_open:
            link.unplugged()
        self.take_calls()
        self.take_orders()
        self.configure(now)
        if self.port.is_open:
            self.port.write(link.output(now))
        happenings = list(link.happenings)
        link.happenings.clear()
        said = self.tell(happenings)
        for happening in happenings:
            if happening.what == "answer":
                self.answered(*happening.details)
        if records or happenings or said:
            change = Change(records, happenings, said)
            for observer in self.observers:
                observer.changed(self, change)
        for observer in self.observers:
            observer.passed(self, now)

    def tell(self, happenings: list[Happening]) -> list[str]:
        """What people should know of this pass; it is noticed in the log as well."""
        said, self._unsaid = self._unsaid, []
        for happening in happenings:
            words = happening_words(happening)
            if happening.what == "up":
                self.problem = ""
                self._last_there = happening.details[0]
            elif words and happening.what in ("down", "mismatch", "ailing", "broken"):
                self.problem = words
            if words:
                said.append(words)
                self.notices.notice(happening.what, words, None, self.seconds())
        while self.bridge.alarms:
            alarm = self.bridge.alarms.popleft()
            words = (
                f"ALARM: record {alarm.number} is not what the rules make of the events before it: "
                f"{alarm.difference}. It was logged as it came. Stop the table and call for help."
            )
            said.append(words)
            self.alarms.append(words)
            self.notices.notice("alarm", words, alarm.number, self.seconds())
        said += self.tell_failures()
        return said

    def say(self, kind: str, words: str, number: int | None = None) -> None:
        """Something else that people should know, from an observer; it comes with the next pass."""
        self.notices.notice(kind, words, number, self.seconds())
        self._unsaid.append(words)

    def tell_failures(self) -> list[str]:
        """A log or port that fails is said once, and once more when it works again."""
        said = []
        failure = self.bridge.failure or self.bridge.unsigned
        words = str(failure) if failure else None
        if words != self._failure_told:
            said.append(words or "The log takes records again.")
            self._failure_told = words
        if self.port.problem != self._port_told:
            self._port_told = self.port.problem
            if self.port.problem:
                self.problem = self.port.problem
                said.append(self.port.problem)
            else:
                said.append(f"The table's port is open: {self.port.device}.")
        return said

    # -- commands

    def take_orders(self) -> None:
        while True:
            try:
                who, name, arguments, future = self._orders.get_nowait()
            except queue.Empty:
                return
            if not self.bridge.link.is_up:
                future.set_result(Answer(False, NO_TABLE))
                continue
            try:
                command = self.bridge.link.command(who, name, arguments)
            except ValueError as problem:
                future.set_result(Answer(False, str(problem)))
            else:
                self._waiting.append((command, future))

    def take_calls(self) -> None:
        while True:
            try:
                ask, future = self._calls.get_nowait()
            except queue.Empty:
                return
            try:
                future.set_result(ask())
            except Exception as problem:  # whoever asked is told; the table goes on
                future.set_exception(problem)

    def answered(self, command: Command, done: bool, detail: str) -> None:
        for place, (waiting, future) in enumerate(self._waiting):
            if waiting is command:
                del self._waiting[place]
                if future:
                    future.set_result(Answer(done, detail))
                elif not done:
                    self.config_problem = f"The table does not take its configuration: {detail}"
                else:
                    self.config_problem = ""
                return

    def forget_orders(self, why: str) -> None:
        for _, future in self._waiting:
            if future and not future.done():
                future.set_result(Answer(False, why))
        self._waiting.clear()
        while not self._orders.empty():
            self._orders.get_nowait()[3].set_result(Answer(False, STOPPED))

    def configure(self, now: int) -> None:
        """Have the table run with its configuration; a round that runs ends with the old one."""
        link, replay = self.bridge.link, self.bridge.replay
        if self.config is None or not link.is_up or link.commands or now < self._configure_at:
            return
        if link.chain.number < self._last_there or replay.expected:
            return  # what it runs with may still be on its way
        if replay.round is not None and replay.round.state not in NO_ROUND:
            return
        if replay.config is not None and plain_config(replay.config) == plain_config(self.config):
            return
        self._configure_at = now + CONFIGURE_MS
        self._waiting.append((link.command(WHO, "config", plain_config(self.config)), None))
