"""A real table on the bench, played through the rig: the host's end of the rig's lines, and a target over it.

What the rig does with each line is said in firmware/rig/rig.py. Ports are anything that reads and writes without
waiting, as pySerial does with `timeout=0`; `open_bench` opens two of those.
"""

import time
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple, Protocol

import serial

from firmware.rig.rig import FULL, NO_RUN, PIECE_BYTES, VERSION
from host.pico.boards import Board, BoardError, find_board
from host.pico.serial_ports import CANNOT_OPEN, PortError, one_line, why_closed
from host.simulator.target import Outside, Said
from shared.journal.wire import BadLine, LineSplitter, decode, encode
from shared.round.table import READERS

ANSWER_MS = 1000  # within which the rig answers
START_MS = 3000  # within which it answers for the first time
WHO_MS = 300  # between questions until then
ALIVE_MS = 500  # the rig lets go of everything after a silence of 2 s
AGAIN_MS = 20  # after which bytes are offered again to a UART that has too many waiting
LATE_MS = 200  # further behind than this, time stands still for the people at the table
RESET_MS = 100
AWAY_MS = 15_000  # how long a table's port may be gone when it restarts
REOPEN_MS = 200
LINE_RATE = 115200  # which USB ignores
READ_BYTES = 65536
KEPT_BYTES = 2000
SHOWN_BYTES = 60
TABLE_WORDS = (b'["hello",', b'["faulty",', b'["beat",')

FLASH_IT = "flash it anew with `felt flash --board rig`, or `rig_full` for a full table"


class RigError(RuntimeError):
    """The bench does not work; the text says what to do."""


def rig_is_gone(error: OSError) -> RigError:
    return RigError(f"the rig is gone ({one_line(error)}); look at its USB cable")


class Port(Protocol):
    def read(self, size: int, /) -> bytes: ...

    def write(self, data: bytes, /) -> int | None: ...


class Clock(Protocol):
    def now(self) -> int:
        """Milliseconds since whenever."""
        ...

    def wait_until(self, now: int) -> None: ...


class RealClock:
    def now(self) -> int:
        return time.monotonic_ns() // 1_000_000

    def wait_until(self, now: int) -> None:
        time.sleep(max(0, now - self.now()) / 1000)


class Order(NamedTuple):
    """A line on its way to the rig."""

    message: list[Any]
    at: int


class Rig:
    """The host's end of the rig's lines. `exchange` is to be called often; it raises what goes wrong."""

    def __init__(self, port: Port, clock: Clock) -> None:
        self.port = port
        self.clock = clock
        self.splitter = LineSplitter()
        self.number = 0
        self.unwritten = b"\n"  # ends a line that somebody else began
        self.orders: dict[int, Order] = {}  # not yet answered, by number
        self.unsent = (bytearray(), bytearray())  # bytes that a UART has not yet taken
        self.again_at = [0, 0]  # when they may be offered
        self.got = (bytearray(), bytearray())  # bytes that the table has said
        self.found: tuple[int, str] | None = None  # version and board
        self.was_released = False
        self.spoke_at = clock.now()
        self.heard = b""  # the first of it, until a rig is found

    # -- saying

    def order(self, name: str, *arguments: Any) -> None:
        self.number += 1
        now = self.clock.now()
        message = [name, self.number, *arguments]
        self.orders[self.number] = Order(message, now)
        self.unwritten += encode(message)
        self.spoke_at = now

    def send(self, uart: int, data: bytes) -> None:
        """Say bytes to the table, as if by the device on that UART."""
        self.unsent[uart].extend(data)

    def exchange(self) -> None:
        self.offer_bytes()
        if self.clock.now() - self.spoke_at >= ALIVE_MS:
            self.order("who")
        try:
            if self.unwritten:
                self.unwritten = self.unwritten[self.port.write(self.unwritten) or 0 :]
            data = self.port.read(READ_BYTES)
        except OSError as error:
            raise rig_is_gone(error) from None
        if not self.found:
            self.heard = (self.heard + data)[:KEPT_BYTES]
        for line in self.splitter.feed(data):
            self.take(line)
        for order in self.orders.values():
            if self.clock.now() - order.at > ANSWER_MS:
                raise RigError(
                    f"the rig has stopped answering: {order.message[0]!r} was not answered within a second; "
                    "press its reset, start again"
                )

    def offer_bytes(self) -> None:
        """One piece at a time for each UART, so that a refused one can be offered again in its place."""
        offered = [order.message[2] for order in self.orders.values() if order.message[0] == "send"]
        for uart, data in enumerate(self.unsent):
            if data and uart not in offered and self.clock.now() >= self.again_at[uart]:
                self.order("send", uart, data[:PIECE_BYTES].hex())

    # -- hearing

    def take(self, line: bytes) -> None:
        try:
            message = decode(line)
            name, arguments = message[0], message[1:]
            if name == "got":
                self.got[arguments[0]].extend(bytes.fromhex(arguments[1]))
            elif name == "ok":
                self.done(arguments[0])
            elif name == "no":
                self.refused(*arguments)
            elif name == "rig":
                self.orders.pop(arguments[0], None)
                self.found = arguments[1], arguments[2]
            elif name == "released":
                self.was_released = True
            elif name == "lost":
                raise RigError(
                    f"the rig lost bytes of the table on UART{arguments[0]}, so nothing said since can be relied "
                    "on; is this machine too busy to read in time?"
                )
        except (BadLine, ValueError, IndexError, TypeError):
            pass  # noise, or an answer to somebody else; what matters is asked for until it is answered

    def done(self, number: int) -> None:
        order = self.orders.pop(number, None)
        if order and order.message[0] == "send":
            uart, text = order.message[2:]
            del self.unsent[uart][: len(text) // 2]

    def refused(self, number: int, why: str) -> None:
        order = self.orders.pop(number, None)
        if order is None:
            return
        if order.message[0] == "send" and why == FULL:
            self.again_at[order.message[2]] = self.clock.now() + AGAIN_MS
            return
        advice = "; press reset on the table yourself" if why == NO_RUN else ""
        raise RigError(f"the rig refuses {order.message[0]!r}: {why}{advice}")

    # -- the first words

    def find(self) -> tuple[int, str]:
        """(version, board) of the rig, once it answers."""
        clock = self.clock
        end = clock.now() + START_MS
        while clock.now() < end and not self.found:
            self.orders.clear()
            self.order("who")
            until = clock.now() + WHO_MS
            while clock.now() < until and not self.found:
                self.exchange()
                clock.wait_until(clock.now() + 5)
        if not self.found:
            raise RigError(self.why_deaf())
        self.orders.clear()
        for said in self.got:
            said.clear()  # to somebody else
        return self.found

    def why_deaf(self) -> str:
        heard = self.heard
        if any(word in heard for word in TABLE_WORDS):
            return "a table answers at the rig's port; the two ports are confused, so exchange them"
        if b">>>" in heard or b'["who"' in heard or b"Error" in heard:
            return f"the rig's Pico shows its prompt and does not run the rig; press reset, or {FLASH_IT}"
        if heard:
            shown = heard[:SHOWN_BYTES]
            return f"something answers at the rig's port, but not as a rig does: {shown!r}; is it the right port?"
        return f"the rig does not answer; is this its port? If it is, press its reset, or {FLASH_IT}"


class RigTarget:
    """A real table as a target: the rig is its devices and keys, `table_port` its USB. Time is the clock's."""

    def __init__(
        self, rig_port: Port, table_port: Port, board: ModuleType, reader: str, clock: Clock | None = None
    ) -> None:
        self.clock = clock or RealClock()
        self.rig = Rig(rig_port, self.clock)
        self.table_port = table_port
        self.unwritten = b""  # for the table's USB
        self.begun: int | None = None  # the clock when the table's time was 0
        version, name = self.rig.find()
        check_rig(version, name, board)
        self.bauds: dict[int, int] = {device[0]: device[3] for device in (board.SHUFFLER, board.READER) if device}
        self.shuffler: int | None = board.SHUFFLER[0] if board.SHUFFLER else None
        self.reader: int | None = board.READER[0] if board.READER else None
        if self.reader is not None:
            self.bauds[self.reader] = READERS[reader][2] or self.bauds[self.reader]
        self.has_chain = board.REGISTERS is not None  # single lines have no cable that could be unplugged
        self.jumper = 1
        self.levels: dict[str, list[int] | int] = {}  # what the rig was last told
        self.rig.was_released = True

    def step(self, now: int, outside: Outside) -> Said:
        if self.begun is None or self.clock.now() - now - self.begun > LATE_MS:
            self.begun = self.clock.now() - now
        sensors = outside.sensors
        if self.has_chain:
            sensors = [*sensors, 0] if outside.plugged else [1] * (len(sensors) + 1)
        self.set_levels(outside.keys, sensors)
        for uart, data in ((self.shuffler, outside.shuffler), (self.reader, outside.reader)):
            if uart is not None:
                self.rig.send(uart, data)
        self.unwritten += outside.usb
        usb = self.exchange()
        self.clock.wait_until(self.begun + now)
        usb += self.exchange()
        return Said(self.said_to(self.shuffler), self.said_to(self.reader), usb)

    def set_levels(self, keys: list[int], sensors: list[int]) -> None:
        if self.rig.was_released:
            # It has just started, or has missed the host: it must be told everything again.
            self.rig.was_released = False
            self.levels.clear()
            for uart, baud in self.bauds.items():
                self.rig.order("baud", uart, baud)
        for name, levels in (("keys", list(keys)), ("sensors", list(sensors)), ("jumper", self.jumper)):
            if self.levels.get(name) != levels:
                self.levels[name] = levels
                self.rig.order(name, levels)

    def exchange(self) -> bytes:
        """Both ports; what the table said at its own."""
        self.rig.exchange()
        try:
            if self.unwritten:
                self.unwritten = self.unwritten[self.table_port.write(self.unwritten) or 0 :]
            return self.table_port.read(READ_BYTES)
        except OSError as error:
            raise RigError(f"the table is gone ({one_line(error)}); look at its USB cable") from None

    def said_to(self, uart: int | None) -> bytes:
        if uart is None:
            return b""
        said = bytes(self.rig.got[uart])
        self.rig.got[uart].clear()
        return said

    def set_jumper(self, on: bool) -> None:
        """Put the table's service jumper on or take it off, with the next step."""
        self.jumper = 0 if on else 1

    def restart(self, now: int) -> None:
        """Pull the table's RUN to ground and let go: to the firmware the same as switching off and on."""
        self.rig.order("reset", RESET_MS)
        end = self.clock.now() + RESET_MS
        while self.clock.now() < end or self.rig.orders:
            self.exchange()  # what is said meanwhile is said by nobody
            self.clock.wait_until(self.clock.now() + 5)
        self.unwritten = b""
        for said in self.rig.got:
            said.clear()


def check_rig(version: int, name: str, board: Board | None) -> None:
    """Refuse what is no rig, or cannot play all that the table's board is wired to, if that is known."""
    if version != VERSION:
        raise RigError(
            f"the rig runs version {version} of its firmware, and this is version {VERSION}; {FLASH_IT}"
        )
    try:
        rig_board = find_board(name)
    except (BoardError, ValueError):
        raise RigError(f"the rig says that its board is {name!r}, which is none here; {FLASH_IT}") from None
    if rig_board.ROLE != "rig":
        raise RigError(f"the rig was flashed as the board {name!r}, which is no rig; {FLASH_IT}")
    for constant in () if board is None else ("KEYS", "SENSORS", "REGISTERS", "JUMPER", "SHUFFLER", "READER"):
        if getattr(board, constant) != getattr(rig_board, constant):
            raise RigError(
                f"the rig {name!r} cannot play a table of the board {board.NAME!r}: {constant} differ, and every "
                "line needs the same pin on both"
            )


# -- real ports


class ReturningPort:
    """A table's port, which goes away while the table restarts: it is opened again, and silent until then."""

    def __init__(self, open_port: Callable[[], Port], clock: Clock) -> None:
        self.open_port = open_port
        self.clock = clock
        self.port: Port | None = open_port()
        self.lost_at = 0
        self.tried_at = 0

    def read(self, size: int, /) -> bytes:
        return self.attempt(lambda port: port.read(size)) or b""

    def write(self, data: bytes, /) -> int:
        """What is written while the port is away is gone, as it would be on a wire."""
        if self.port is None:
            return len(data)
        return self.attempt(lambda port: port.write(data)) or 0

    def close(self) -> None:
        close = getattr(self.port, "close", None)
        if close:
            close()

    def attempt(self, action: Callable[[Port], Any]) -> Any:
        now = self.clock.now()
        try:
            if self.port is None and now - self.tried_at >= REOPEN_MS:
                self.tried_at = now
                self.port = self.open_port()
            return action(self.port) if self.port else None
        except (OSError, PortError) as error:
            if self.port:
                self.lost_at = now
                close = getattr(self.port, "close", None)
                self.port = None
                if close:
                    close()
            elif now - self.lost_at > AWAY_MS:
                raise OSError(f"not back after {AWAY_MS // 1000} s: {one_line(error)}") from None
            return None


def open_serial(path: str) -> serial.Serial:
    try:
        return serial.Serial(path, LINE_RATE, timeout=0, write_timeout=1, exclusive=True)
    except CANNOT_OPEN:
        raise why_closed(path) from None


def open_bench(rig: str, table: str, board: ModuleType, reader: str) -> RigTarget:
    """The table at a serial port, played through the rig at another."""
    if rig == table:
        raise RigError(f"rig and table cannot both be at {rig}; each Pico has a port of its own")
    clock = RealClock()
    return RigTarget(open_serial(rig), ReturningPort(lambda: open_serial(table), clock), board, reader, clock)
