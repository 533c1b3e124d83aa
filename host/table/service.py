"""Runs a table from the host: one thread moves bytes between port and bridge, and tells observers what changed.

Whatever concerns the table happens in that thread. Others hand in commands with `send`, and get a Future.
"""

import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple, Protocol

from host.table.announcements import News, Notices
from host.table.bridge import Bridge
from host.table.link import NOT_DONE, Command, Happening, Record, Unsendable
from host.table.port import TablePort
from host.words.refusals import refusal_words, sentence
from shared.journal.snapshot import plain_config
from shared.round.states import NO_ROUND

IDLE_S = 0.02  # waited for bytes when there is nothing to do
CONFIGURE_MS = 5000  # before a configuration that was refused is tried again, and twice as long each time
MOST_CONFIGURE_MS = 600_000
# Codes of answers that do not come from the table.
NO_TABLE = "no_table"
CATCHING_UP = "catching_up"
STOPPED = "host_stopped"
NOT_CONFIRMED = "not_confirmed"
WHO = "host"


class Answer(NamedTuple):
    """Whether the table did it, and if not, why."""

    done: bool
    code: str = ""
    paragraph: str | None = None
    detail: Sequence[Any] = ()


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
        self.news = News(bridge, port, notices, lambda: self.seconds())
        self.config = config
        self.milliseconds = milliseconds
        self.seconds = seconds
        self.observers: list[Observer] = []
        self.config_problem = ""  # why it does not take its configuration
        self._orders: queue.SimpleQueue[tuple[str, str, list[Any], Future[Answer]]] = queue.SimpleQueue()
        self._calls: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = queue.SimpleQueue()
        self._waiting: list[tuple[Command, Future[Answer] | None]] = []
        self._configure_at = 0
        self._configure_ms = CONFIGURE_MS
        self._failed: set[str] = set()  # what was said of observers that failed
        self._port_was_open = False

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
        self.port.open_if_due(now)
        data = self.port.read()
        records = self.bridge.receive(data, now, self.seconds()) if data else []
        link = self.bridge.link
        self.look_at_port()
        self.configure(now)
        if self.port.is_open:
            self.port.write(link.output(now))
            self.look_at_port()
        happenings = list(link.happenings)
        link.happenings.clear()
        for happening in happenings:
            if happening.what == "answer":
                self.answered(*happening.details)
            elif happening.what == "up":
                self._configure_ms = CONFIGURE_MS
        said = self.news.tell(records, happenings, now)
        changed = Change(records, happenings, said) if records or happenings or said else None
        for observer in self.observers:
            self.inform(observer, changed, now)
        # Whoever asks or decides does so by what observers know, so they are told first.
        self.take_calls()
        self.take_orders()

    def inform(self, observer: Observer, change: Change | None, now: int) -> None:
        """The table goes on whatever is wrong with those who only look."""
        try:
            if change:
                observer.changed(self, change)
            observer.passed(self, now)
        except Exception as problem:
            words = (
                f"A part of Felt on this host failed ({type(observer).__name__}: {type(problem).__name__}, "
                f"{problem}). Records are logged and checked all the same. Tell those who look after Felt."
            )
            if words not in self._failed:
                self._failed.add(words)
                self.news.say("failed", words)

    def look_at_port(self) -> None:
        """Reading and writing may both find that it is gone."""
        if self._port_was_open and not self.port.is_open:
            self.bridge.link.unplugged()
        self._port_was_open = self.port.is_open

    # -- commands

    def take_orders(self) -> None:
        while True:
            try:
                who, name, arguments, future = self._orders.get_nowait()
            except queue.Empty:
                return
            if not self.bridge.link.is_up or self.bridge.link.is_behind:
                future.set_result(Answer(False, CATCHING_UP if self.bridge.link.is_up else NO_TABLE))
                continue
            try:
                command = self.bridge.link.command(who, name, arguments)
            except Unsendable:
                future.set_result(Answer(False, "unsendable"))
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

    def answered(self, command: Command, *outcome: Any) -> None:
        for place, (waiting, future) in enumerate(self._waiting):
            if waiting is command:
                del self._waiting[place]
                if future:
                    future.set_result(Answer(*outcome))
                else:
                    self.configured(Answer(*outcome))
                return

    def configured(self, answer: Answer) -> None:
        if answer.code == NOT_DONE:
            self._configure_at = 0  # it never arrived, and is due in the new session
            return
        problem = ""
        if not answer.done:
            why = sentence(refusal_words(answer.code, answer.detail))
            problem = (
                f"The table does not take its configuration: {why} It keeps the one that it has. Correct the "
                "file and start Felt again."
            )
        if problem and problem != self.config_problem:
            self.news.say("config", problem)
        self.config_problem = problem
        self._configure_ms = CONFIGURE_MS if answer.done else min(2 * self._configure_ms, MOST_CONFIGURE_MS)

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
        if link.is_behind or replay.expected:
            return  # what it runs with may still be on its way
        if replay.round is not None and (replay.round.state not in NO_ROUND or replay.round.hand_pays):
            return  # it would be refused
        if replay.config is not None and plain_config(replay.config) == plain_config(self.config):
            return
        self._configure_at = now + self._configure_ms
        self._waiting.append((link.command(WHO, "config", plain_config(self.config)), None))
