"""The firmware as a target of scenarios: anything that takes what the outside does and says what the table does.

Events come as at a real table: what staff tell is a sealed command over the link, cards pass the reader, a power
failure is a restart; and the records come from the wire.
"""

import random
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from types import ModuleType
from typing import Any, NamedTuple

from host.bench.hand_fed import HandFedShuffler
from host.bench.outcomes import (
    EXPECTED_FAULTS,
    LEFT_OUT,
    NO_FACE_UP,
    NO_FOREIGN,
    NOT_RUNNING,
    NOT_WHOLE,
    SAID_AGAIN,
    WAITS,
    Broken,
    CannotPlay,
    Differs,
)
from host.bench.picos import Picos
from host.bench.troubles.acts import CannotAct, NotSo, perform
from host.bench.troubles.phrases import ACTS, LOOKS, SPOIL_LINE
from host.log.entries import Record
from host.pico.boards import find_board
from host.pico.digests import rules_digest
from host.simulator.devices import FOREIGN, READERS, AngelEyeShoe
from host.simulator.memory_log import MemoryLog
from host.simulator.target import Flashed, Outside
from host.table.link import HostLink
from host.table.view import ViewKeeper
from host.wasm import MicroPythonError
from shared.journal.seal import Sealer
from shared.journal.snapshot import plain_config
from shared.round.events import plain_event, read_event
from shared.round.states import CLOSED, DEALING
from shared.round.table import Table
from shared.rules.cards import UNREAD

TABLE = "BENCH"
KEY = bytes(range(32))  # of a table that exists on the bench only
NOON = 1_790_000_000
STEP_MS = 100  # between two passes of the firmware
ANSWER_MS = 10_000  # within which the table connects, and answers
CARD_MS = 1_000  # within which a card that passed the reader is in the log
BEAT_MS = 1000  # within which the table says something to its host, as shared/PROTOCOL.md has it
RECORD = b'["rec",'  # so does one begin on the line
REST_MS = 20_000  # within which all that a trouble caused has come
QUIET_STEPS = 3  # without a record: then it has
CLOCK_S = 2  # by which the time in a record may be off
ORDER_MS = 4_000  # within which the table asks for the next card, if it does

Apply = Callable[[dict[str, Any]], list[list[Any]]]


class Said(NamedTuple):
    """Bytes on a wire."""

    at: int  # milliseconds since the start
    wire: str  # usb, shuffler or reader
    by: str  # table, or the other end
    data: bytes


def board_for(table: Table) -> ModuleType:
    small = find_board("small")
    return small if table.boxes <= small.BOXES else find_board("full")


class FirmwareTarget:
    """The real firmware on anything that takes what the outside does and says what the table does."""

    def __init__(self, name: str, picos: Picos, firmware: str, seed: int = 1, is_slow: bool = False) -> None:
        self.name = name
        self.picos = picos
        self.flashed = Flashed(TABLE, KEY, rules_digest(), firmware)
        self.seed = seed
        self.is_slow = is_slow
        self.by_hand = False  # somebody looks on: what a scenario cannot bring about is no difference
        self.board = "small"
        self.wire: list[Said] = []
        self.records: list[list[Any]] = []
        self.keeper = ViewKeeper()

    @property
    def runtime(self) -> str:
        return self.picos.runtime

    # -- starting

    def prepare(self, config: dict[str, Any]) -> None:
        """Do now what every table with such a board needs."""
        self.picos.prepare(board_for(Table(config)), self.flashed)

    def start(self, config: dict[str, Any]) -> None:
        """A new table with this configuration, and a host that is connected to it."""
        self.config = config
        self.table = Table(config)
        board = board_for(self.table)
        self.board = board.NAME
        dice = random.Random(self.seed)
        self.now = 0
        self.wire, self.records = [], []
        self.log = MemoryLog()
        self.keeper = ViewKeeper(rules_digest())
        flashed = self.picos.flashed_as(self.flashed)
        self.sealer = Sealer(flashed.key)
        self.random = dice.randbytes
        self.link = self.new_link()
        self.reader = READERS[self.table.reader](dice)
        self.shuffler = HandFedShuffler(dice) if self.table.device == "shuffler" else None
        self.heard = (b"", b"")  # by shuffler and reader
        self.answers: deque[tuple[Any, ...]] = deque()
        self.came: list[list[Any]] = []  # records since the last event
        spots = 8 * board.REGISTERS[3] if board.REGISTERS else board.BOXES * board.SPOTS
        self.keys, self.sensors = [1] * len(board.KEYS), [1] * spots  # nobody touches them
        self.sensors_plugged = True
        self.has_host = self.has_cable = True
        self.disk_full = False
        self.deaf: set[str] = set()  # ports whose device does not hear the table
        self.lost: dict[str, int] = {}  # until when nothing gets through, to the table or from it
        self.stray = b""  # bytes that somebody puts on the line
        self.last_said: dict[str, bytes] = {}  # the host's last line, by its name
        self.levels_before: list[int] = []
        self.again: list[list[Any]] = []  # records that the host had before and lost
        self.known_faults: set[str] = set()  # that staff are about to clear
        self.is_troubled = False
        self.is_ruined = False
        self.sent = self.said_at = 0  # records that the table has sent, and when it last said anything
        self.is_line_good = True
        self.is_cut = False  # its power is about to fail
        self.unseen: tuple[str, ...] = ()
        self.is_dead = False  # it does not start any more
        try:
            self.pico: Any = self.picos.make(board, flashed, self.table.reader, self.seed)
        except (OSError, MicroPythonError) as problem:
            raise Broken(f"{self.name} does not start: {problem}") from None
        self.wait_for(lambda: self.link.is_up, ANSWER_MS, "the table does not connect")
        done, code, _, detail = self.command("config", plain_config(config))
        if not done:
            raise CannotPlay(f"the table refuses the configuration: {code} {detail}")
        boot = next(record for record in self.came if record[0] == "boot")
        wanted = self.picos.boots_as(board, flashed)
        if boot[3:] != [rules_digest(), wanted]:
            raise Broken(f"{self.name} runs the firmware {boot[-1]}, not {wanted}")
        if self.picos.takes_time:
            self.rest()  # until shuffler and reader have said that they are there

    def new_link(self) -> HostLink:
        """A host that has just started."""
        return HostLink(self.log.end, self.sealer, TABLE, rules_digest(), self.random, self.clock)

    def clock(self) -> int:
        return NOON + self.now // 1000

    def close(self) -> None:
        """Leave what it runs on; the next start makes another."""
        self.picos.close()

    # -- time

    def step(self, milliseconds: int = STEP_MS) -> None:
        """One pass of the firmware and of all around it."""
        self.now += milliseconds
        usb = self.link.output(self.now) if self.has_host else b""
        for line in usb.splitlines(keepends=True):
            self.last_said[line[2:].partition(b'"')[0].decode()] = line
        usb = (b"" if self.is_lost("host") else usb) + self.stray
        self.stray = b""
        from_shuffler = self.shuffler.step(self.heard[0], self.now) if self.shuffler else b""
        from_reader = self.reader.step(self.heard[1], self.now)
        self.trace(("shuffler", from_shuffler), ("reader", from_reader), ("usb", usb), by="outside")
        if self.is_dead:
            return
        outside = Outside(self.keys, self.sensors, self.sensors_plugged, from_shuffler, from_reader, usb)
        with self.crashes():
            said = self.pico.step(self.now, outside)
        self.trace(("shuffler", said.shuffler), ("reader", said.reader), ("usb", said.usb), by="table")
        self.sent += said.usb.count(RECORD)
        if said.usb or self.is_cut or not self.link.is_up:
            self.said_at = self.now
        elif self.now - self.said_at > BEAT_MS + 3 * STEP_MS:
            raise Differs(f"the table says nothing to its host for {self.now - self.said_at} ms")
        deaf = self.deaf
        self.heard = (
            b"" if "shuffler" in deaf else said.shuffler,
            b"" if "reader" in deaf else said.reader,
        )
        if self.has_host and self.has_cable and not self.is_lost("table"):
            self.link.receive(said.usb, self.now)
        self.take()

    @contextmanager
    def crashes(self) -> Iterator[None]:
        """Whatever goes wrong in what the firmware runs on is a difference, or the target is broken."""
        try:
            yield
        except MicroPythonError as problem:
            if "Traceback" in str(problem):
                raise Differs(f"the firmware crashed: {str(problem).splitlines()[-1]}") from None
            raise Broken(str(problem)) from None
        except BrokenPipeError as problem:
            raise Broken(f"{self.runtime} has ended: {problem}") from None
        except Exception as problem:  # whatever it is
            raise self.picos.crash(f"the firmware crashed: {type(problem).__name__}: {problem}") from problem

    def is_lost(self, end: str) -> bool:
        """Whether what this end says is lost now."""
        return not self.has_cable or self.now <= self.lost.get(end, -1)

    def trace(self, *said: tuple[str, bytes], by: str) -> None:
        self.wire += [Said(self.now, wire, by, data) for wire, data in said if data]

    def take(self) -> None:
        """What the link has for the host: answers, and records that are kept at once."""
        while self.link.events:
            what, details = self.link.events.popleft()
            if what == "answer":
                self.answers.append(details[1:])
            elif what not in ("up", "down") and not self.is_troubled:
                raise Broken(f"the link of {self.name}: {what} {' '.join(map(str, details))}")
        while self.link.records and not self.disk_full:
            record: Record = self.link.records.popleft()
            self.log.lines.append(record.line)
            self.link.committed(record.number)
            self.records.append(record.record)
            difference = self.keeper.take(record.record)
            if difference:
                raise Differs(f"the host plays it again, and it is {difference[0]!r}, not {difference[1]!r}")
            if self.again:
                if self.again.pop(0) != record.record:
                    raise Differs(f"what the host had lost comes otherwise: {record.record!r}")
                continue
            if record.record[0] not in self.unseen:
                self.came.append(record.record)
            self.look_at(record.record)

    def look_at(self, record: list[Any]) -> None:
        if record[0] == "clock" and hasattr(self.pico, "kept"):  # whose uptime goes on over power cuts
            off = record[1] - NOON - record[2] // 1000
            if abs(off) > CLOCK_S or record[2] > self.now:
                raise Differs(f"the table's clock is {off} s off, its uptime {record[2]} of {self.now} ms")
        if self.is_troubled or self.by_hand:
            return
        if record[0] == "fault" and record[1] not in EXPECTED_FAULTS:
            raise Differs(f"the table latched the fault {record[1]} ({record[2]})")
        if record[0] == "late":
            raise CannotPlay(WAITS)
        if record[0] == "device" and record[2] == f"AGAIN {UNREAD}":
            raise CannotPlay(SAID_AGAIN)

    def wait_for(self, is_so: Callable[[], bool], at_most: int, else_say: str | None = None) -> bool:
        """Let time pass until it is so; Broken if it never is and that must be said."""
        for _ in range(0, at_most, STEP_MS):
            if is_so():
                return True
            self.step()
        if else_say and not is_so():
            raise Broken(f"{else_say} within {at_most} ms")
        return is_so()

    def wait_for_rest(self) -> None:
        """Until all that an event caused has come."""
        while not self.keeper.is_whole:
            before = len(self.log.lines)
            self.step()
            if len(self.log.lines) == before:
                return  # what should follow is missing: a difference

    def rest(self) -> None:
        """Until nothing more is recorded."""
        quiet = 0
        for _ in range(0, REST_MS, STEP_MS):
            before = len(self.log.lines)
            self.step()
            quiet = quiet + 1 if len(self.log.lines) == before else 0
            if quiet >= QUIET_STEPS:
                return

    # -- what happens

    def command(self, name: str, arguments: list[Any]) -> tuple[Any, ...]:
        """What staff tell the host; its answer, once its records are here as well."""
        self.answers.clear()
        self.link.command("bench", name, arguments)
        self.wait_for(lambda: bool(self.answers), ANSWER_MS, f"the command {name} is not answered")
        if not self.disk_full:
            self.wait_for(lambda: self.came[-1:] != [] and self.came[-1][0] == "answer", CARD_MS)
        return self.answers.popleft()

    def apply(self, event: dict[str, Any]) -> list[list[Any]]:
        self.came = []
        if self.shuffler and event["event"] not in LOOKS:
            self.shuffler.orders.clear()
        if event["event"] in ACTS:
            return self.be_troubled(event)
        self.happen(event)
        return [record for record in self.came if record[0] not in LEFT_OUT]

    def happen(self, event: dict[str, Any]) -> None:
        DEVICES_SAY.get(event["event"], FirmwareTarget.tell)(self, event)

    def be_troubled(self, event: dict[str, Any]) -> list[list[Any]]:
        """All that the table records of it."""
        self.is_troubled = True
        self.is_line_good = self.is_line_good and event["event"] not in SPOIL_LINE
        try:
            perform(self, event)
        except CannotAct as why:
            raise CannotPlay(str(why)) from None
        except NotSo as difference:
            raise Differs(str(difference)) from None
        finally:
            self.is_troubled = False
        self.known_faults = set(self.keeper.replay.faults)
        return list(self.came)

    def tell(self, event: dict[str, Any]) -> None:
        if event["event"] == "open":
            self.clear_faults()
        self.command("event", plain_event(*read_event(event)))

    def begin(self, events: list[dict[str, Any]]) -> None:
        """Have these happen as they would, and wait for nothing."""
        for event in events:
            if event["event"] == "card":
                self.wait_for_order()
                self.reader.passes(event["card"])
                if self.shuffler:
                    self.shuffler.let_go()
            elif event["event"] in ACTS:
                perform(self, event)
            else:
                self.link.command("bench", "event", plain_event(*read_event(event)))

    def forget(self, count: int) -> None:
        """The host has lost its last records."""
        self.again = self.records[-count:]
        del self.log.lines[-count:], self.records[-count:]
        self.keeper = ViewKeeper(rules_digest())
        for record in self.records:
            self.keeper.take(record)

    def board_module(self) -> ModuleType:
        return find_board(self.board)

    def clear_faults(self) -> None:
        if self.by_hand:
            return
        for code in [code for code in self.keeper.replay.faults if code not in self.known_faults]:
            done, why, _, detail = self.command("clear", [code, self.table.posts["faults"]])
            if not done:
                raise Broken(f"the fault {code} cannot be cleared: {why} {detail}")

    def card(self, event: dict[str, Any]) -> None:
        """A card passes the reader, as soon as the table has asked for one if it does."""
        face_up = event.get("up", False)
        if face_up and isinstance(self.reader, AngelEyeShoe):
            raise CannotPlay(NO_FACE_UP)
        if event["card"] == FOREIGN and isinstance(self.reader, AngelEyeShoe):
            raise CannotPlay(NO_FOREIGN)
        self.wait_for_order()
        if self.shuffler:
            self.shuffler.let_go()
        self.reader.faults.unread = event["card"] == UNREAD
        self.reader.passes(FOREIGN if event["card"] == UNREAD else event["card"], face_up)
        self.wait_for(lambda: self.has("event", "card") or self.has("refused", "card"), CARD_MS)
        self.wait_for_rest()

    def wait_for_order(self) -> None:
        """Until the table asks for a card, or shows that it does not."""
        self.clear_faults()
        for _ in range(0, ORDER_MS, STEP_MS):
            if not self.shuffler or self.shuffler.due or self.state not in (CLOSED, DEALING):
                return
            self.step()
            self.clear_faults()

    @property
    def state(self) -> str:
        round_ = self.keeper.round
        return round_.state if round_ else ""

    def has(self, kind: str, name: str) -> bool:
        place = 2 if kind == "event" else 1
        return any(record[0] == kind and record[place][0] == name for record in self.came)

    def entered(self, event: dict[str, Any]) -> None:
        """In the deal it is a card that left the shuffler and that the reader missed."""
        was_dealing = self.state in (CLOSED, DEALING)
        self.tell(event)
        if self.shuffler and was_dealing and event.get("place") is None and self.has("event", "entered"):
            self.shuffler.let_go()

    def cards_left(self, event: dict[str, Any]) -> None:
        self.say_or_tell(event, f"READY {event['count']}" if event["count"] else "EMPTY")

    def cards_counted(self, event: dict[str, Any]) -> None:
        self.say_or_tell(event, f"COUNT {event['count']}")

    def say_or_tell(self, event: dict[str, Any], words: str) -> None:
        """A shuffler says it by itself, of anything else staff tell it."""
        if not self.shuffler or event.get("by"):
            self.tell(event)
            return
        self.shuffler.say(words)
        name = event["event"]
        if not self.wait_for(lambda: self.has("event", name) or self.has("refused", name), CARD_MS):
            raise CannotPlay(NOT_WHOLE)
        self.wait_for_rest()

    @property
    def is_running(self) -> bool:
        return self.keeper.round is not None and not self.keeper.round.is_over()

    def switch_on(self) -> None:
        """The power has gone and comes back; the devices have their own."""
        with self.crashes():
            self.pico.restart(self.now)
        self.link.unplugged()  # a Pico without power leaves the USB
        self.heard = (b"", b"")

    def try_to_start(self) -> str:
        """As `switch_on`; what the journal is broken by, or an empty text."""
        try:
            self.switch_on()
        except Differs as crash:
            name, _, why = str(crash).rpartition("BrokenChain: ")
            if not name:
                raise
            return why
        return ""

    def power_failure(self, event: dict[str, Any]) -> None:
        if not self.is_running:
            raise CannotPlay(NOT_RUNNING)
        self.step()  # what came last is answered
        self.switch_on()
        self.wait_for(lambda: self.has("event", event["event"]), ANSWER_MS, "the table does not come back")
        self.wait_for_rest()

    # -- at the end

    def check_end(self, apply: Apply) -> None:
        """Cut the power once more: the table must stand as it stood, and the host have what is on flash."""
        if not hasattr(self.pico, "kept") or self.is_ruined or not self.link.is_up or self.disk_full:
            return
        if self.is_running:
            apply({"event": "power_failure"})
        else:
            self.rest()  # what came last is answered
            self.came = []
            self.switch_on()
            self.wait_for(lambda: self.link.is_up, ANSWER_MS, "the table does not come back")
            self.rest()
            follows = [record for record in self.came if record[0] not in LEFT_OUT]
            if follows:
                raise Differs(f"after a power cut at the end the table records {follows[0]!r}")
        if self.is_line_good and self.sent != len(self.records):
            raise Differs(f"the table sends {self.sent} records over a good line, and has {len(self.records)}")
        first, last, digest = self.pico.kept()
        ours = sha256(b"".join(self.log.lines[first - 1 :])).hexdigest()
        if (last, digest) != (len(self.log.lines), ours):
            raise Differs(
                f"flash has the records {first} to {last}, the host {len(self.log.lines)}, and not the same"
            )


# Events that do not come from staff, and what happens in their place.
DEVICES_SAY: dict[str, Callable[[FirmwareTarget, dict[str, Any]], None]] = {
    "card": FirmwareTarget.card,
    "entered": FirmwareTarget.entered,
    "cards_left": FirmwareTarget.cards_left,
    "cards_counted": FirmwareTarget.cards_counted,
    "power_failure": FirmwareTarget.power_failure,
}
