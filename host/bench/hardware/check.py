"""Proves the wiring between a rig and a table: every line pulled and seen, UARTs both ways, reset, erase times.

The rig does something, and a program at the table's prompt says what it saw. What is wrong comes as faults with a code
and fields; their words are in host/words/english/bench.txt.
"""

import json
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

from host.bench.hardware.prompt import NoPrompt, Prompt
from host.bench.hardware.rig import RESET_MS, Clock, Port, Rig, check_rig
from host.bench.hardware.wiring import LINE, Wire, pin_name, wires
from host.pico.boards import Board, devices, find_board
from host.words.failures import Failure

SETTLE_MS = 20  # after a line has changed
BYTES = 64  # sent each way over each UART
BYTES_MS = 120
START_MS = 500  # before a Pico that was reset can be stopped
WATCH_MS = 4000  # the rig starts within
ERASES = 5

TABLE = """
import json, time
from machine import Pin, UART
def up(n): return Pin(n, Pin.IN, Pin.PULL_UP)
lines = {{n: up(n) for n in {lines}}}
def low(): print(json.dumps([n for n in lines if not lines[n].value()]))
def watch(ms):
    seen = set()
    end = time.ticks_add(time.ticks_ms(), ms)
    print('watching')
    while time.ticks_diff(end, time.ticks_ms()) > 0:
        for n in lines:
            if not lines[n].value(): seen.add(n)
        time.sleep_ms(1)
    print(json.dumps(sorted(seen)))
def level(n):
    pin = Pin(n, Pin.IN, Pin.PULL_DOWN)
    time.sleep_ms(1)
    return pin.value()
uarts = {{}}
def talk(n, tx, rx, baud): uarts[n] = UART(n, baudrate=baud, tx=Pin(tx), rx=Pin(rx), rxbuf=1024, txbuf=1024)
def heard(): print(json.dumps({{n: (uarts[n].read() or b'').hex() for n in uarts}}))
"""

CHAIN = """
latch, clock, data = Pin({latch}, Pin.OUT, value=1), Pin({clock}, Pin.OUT, value=0), up({data})
def scan():
    latch(0); latch(1)
    bits = []
    for _ in range({bits}):
        bits.append(data()); clock(1); clock(0)
    print(json.dumps([bits, data()]))
"""

# A file of one block is found by its first bytes; the file goes before its block is erased, so nothing is lost.
ERASE = """
import json, os, rp2, time
flash, name = rp2.Flash(), 'erase.tmp'
took = []
try:
    mark = os.urandom(32)
    with open(name, 'wb') as f: f.write(mark + bytes(flash.ioctl(5, 0) - 32))
    head = bytearray(32)
    for block in range(flash.ioctl(4, 0)):
        flash.readblocks(block, head, 0)
        if head == mark: break
    else: block = None
    for _ in range({times} if block is not None else 0):
        begun = time.ticks_us()
        flash.ioctl(6, block)
        took.append(time.ticks_diff(time.ticks_us(), begun))
finally:
    os.remove(name)
print(json.dumps(took))
"""


class WiringFault(Failure):
    """Something that is wired wrongly; the words say what to look at."""


class Report(NamedTuple):
    faults: list[WiringFault]
    seen: list[str]  # what was proved, in words
    erase_us: list[int]


class Check:
    def __init__(self, rig_port: Port, table_port: Port, board: Board, clock: Clock) -> None:
        self.clock = clock
        self.rig_port = rig_port
        self.rig = Rig(rig_port, clock)
        version, name = self.rig.find()
        check_rig(version, name, board)
        self.board = find_board(name)
        self.wires = wires(self.board)
        self.lines = [wire for wire in self.wires if wire.kind == LINE]
        self.what = {wire.table: wire.what for wire in self.lines}
        self.prompt = Prompt(table_port, self.rig, clock)
        self.stuck: set[int] = set()

    # -- the rig

    def order(self, name: str, *arguments: object) -> None:
        self.rig.order(name, *arguments)
        self.prompt.wait_for(lambda: not self.rig.orders, 1000)
        self.prompt.pass_time(SETTLE_MS)

    def pull(self, pulled: Wire | None) -> None:
        """Only this line to ground."""
        keys = [0 if pulled and pulled.rig == pin else 1 for _, pin in self.board.KEYS]
        spots = [pin for box in self.board.SENSORS for pin in box]
        self.rig.order("keys", keys)
        if spots:
            self.rig.order("sensors", [0 if pulled and pulled.rig == pin else 1 for pin in spots])
        self.order("jumper", 0 if pulled and pulled.rig == self.board.JUMPER else 1)

    # -- the table

    def ask(self, source: str) -> list[int]:
        return json.loads(self.prompt.run(source))

    def open_prompt(self) -> None:
        """With the jumper on after a reset, so that a flashed table opens its console as well."""
        self.order("jumper", 0)
        self.order("reset", RESET_MS)
        self.prompt.pass_time(RESET_MS + START_MS)
        self.prompt.open()
        self.teach()
        self.order("jumper", 1)

    def teach(self) -> None:
        self.prompt.run(TABLE.format(lines=[wire.table for wire in self.lines]))
        if self.board.REGISTERS:
            latch, clock, data, count = self.board.REGISTERS
            self.prompt.run(CHAIN.format(latch=latch, clock=clock, data=data, bits=8 * count))

    # -- the checks

    def line_faults(self) -> Iterator[WiringFault]:
        self.pull(None)
        self.stuck = set(self.ask("low()"))
        for gpio in sorted(self.stuck):
            yield WiringFault("bench.stuck", what=self.what[gpio], pin=pin_name(gpio))
        seen: dict[int, set[int]] = {}
        for wire in self.lines:
            self.pull(wire)
            seen[wire.rig] = set(self.ask("low()")) - self.stuck
        self.pull(None)
        for wire in self.lines:
            if wire.table not in self.stuck:
                yield from self.line_fault(wire, seen)

    def line_fault(self, wire: Wire, seen: dict[int, set[int]]) -> Iterator[WiringFault]:
        found = seen[wire.rig]
        others = sorted(found - {wire.table})
        where = {"what": wire.what, "rig": pin_name(wire.rig), "pin": pin_name(wire.table)}
        if not found:
            yield WiringFault("bench.open", **where)
        elif len(found) > 1:
            yield WiringFault("bench.joined", **where, others=[self.what[gpio] for gpio in others])
        elif others:
            other = others[0]
            if seen.get(other) == {wire.table}:
                if wire.rig < other:  # said once of two
                    yield WiringFault("bench.swapped", **where, other=self.what[other], there=pin_name(other))
            else:
                yield WiringFault("bench.elsewhere", **where, other=self.what[other], there=pin_name(other))

    def chain_faults(self) -> Iterator[WiringFault]:
        latch, clock, data, count = self.board.REGISTERS
        pins = {"latch": pin_name(latch), "clock": pin_name(clock), "data": pin_name(data)}
        high = [1] * (8 * count)
        for place in (None, *range(8 * count)):
            levels = [0 if spot == place else 1 for spot in range(8 * count)]
            self.order("sensors", [*levels, 0])
            self.prompt.run("scan()")  # takes what was there before
            if json.loads(self.prompt.run("scan()")) != [levels, 0]:
                yield WiringFault("bench.chain", **pins)
                break
        self.order("sensors", [*high, 0])

    def uart_faults(self) -> Iterator[WiringFault]:
        ports = devices(self.board)
        for _, (uart, tx, rx, baud) in ports:
            self.rig.order("baud", uart, baud)
            self.prompt.run(f"talk({uart}, {tx}, {rx}, {baud})")
        for device, (uart, tx, rx, _) in ports:
            down, up = self.sent_down(uart), self.sent_up(uart)
            where = {"device": device, "tx": pin_name(tx), "rx": pin_name(rx)}
            if uart not in down and uart not in up:
                code = "bench.crossed" if self.is_crossed(tx, rx) else "bench.silent"
                if set(down) or set(up):
                    code = "bench.other_uart"
                yield WiringFault(code, **where)
            elif uart not in down:
                yield WiringFault("bench.not_heard_by_table", **where)
            elif uart not in up:
                yield WiringFault("bench.not_heard_by_rig", **where)

    def sent_down(self, uart: int) -> list[int]:
        """The table's UARTs that got what the rig sent on this one."""
        data = random.Random(uart).randbytes(BYTES)
        self.prompt.run("heard()")
        self.rig.send(uart, data)
        self.prompt.pass_time(BYTES_MS)
        return [int(number) for number, got in json.loads(self.prompt.run("heard()")).items() if got == data.hex()]

    def sent_up(self, uart: int) -> list[int]:
        data = random.Random(8 + uart).randbytes(BYTES)
        for got in self.rig.got:
            got.clear()
        self.prompt.run(f"uarts[{uart}].write({data!r})")
        self.prompt.pass_time(BYTES_MS)
        return [number for number, got in enumerate(self.rig.got) if bytes(got) == data]

    def is_crossed(self, tx: int, rx: int) -> bool:
        """A UART's output is high at rest: it comes in at the table's TX, and none at its RX."""
        return json.loads(self.prompt.run(f"print(json.dumps([level({tx}), level({rx})]))")) == [1, 0]

    def reset_faults(self) -> Iterator[WiringFault]:
        self.prompt.run("kept = 1")
        self.order("jumper", 0)
        self.order("reset", RESET_MS)
        self.prompt.pass_time(RESET_MS + START_MS)
        self.prompt.open()
        if self.prompt.run("print('kept' in globals())").strip() == "True":
            wire = self.wires[-1]
            yield WiringFault("bench.no_reset", rig=pin_name(wire.rig), pin=pin_name(wire.table))
        else:
            self.teach()
        self.order("jumper", 1)

    def restart_faults(self) -> Iterator[WiringFault]:
        """While the rig starts its pins pull down a little, and no line may read low for that."""
        self.prompt.heard = b""
        self.prompt.unwritten = f"watch({WATCH_MS})".encode() + b"\x04"
        self.prompt.wait_for(lambda: b"watching" in self.prompt.heard, 2000)
        self.restart_rig()
        self.prompt.wait_for(lambda: self.prompt.heard.endswith(b"\x04>"), WATCH_MS)
        said = self.prompt.heard.split(b"\x04")[0].splitlines()
        if not said or not said[-1].startswith(b"["):
            yield WiringFault("bench.rig_resets", pin=pin_name(None))
            self.open_prompt()
            return
        seen = [self.what[gpio] for gpio in json.loads(said[-1]) if gpio not in self.stuck]
        if seen:
            yield WiringFault("bench.rig_pulls", lines=seen)

    def restart_rig(self) -> None:
        self.rig.orders.clear()
        self.rig.unwritten = b"\x03\x03\rimport machine; machine.reset()\r"
        while self.rig.unwritten:
            self.rig.unwritten = self.rig.unwritten[self.rig_port.write(self.rig.unwritten) or 0 :]
            self.clock.wait_until(self.clock.now() + 5)
        end = self.clock.now() + START_MS
        while self.clock.now() < end:
            self.rig_port.read(4096)
            self.clock.wait_until(self.clock.now() + 5)
        self.rig = Rig(self.rig_port, self.clock)
        self.prompt.rig = self.rig
        self.rig.find()

    def erase_times(self) -> list[int]:
        """Microseconds an erase of this flash takes."""
        return json.loads(self.prompt.run(ERASE.format(times=ERASES)))

    def run(self, advance: Callable[[str], None] = lambda what: None) -> Report:
        """Every check, one after the other; `advance` is told what comes next."""
        faults: list[WiringFault] = []
        seen = [f"{len(self.lines)} lines pulled and seen: keys, sensors and jumper"]
        advance("prompt")
        try:
            self.open_prompt()
        except NoPrompt as problem:
            raise NoPrompt(f"{problem} (with a table that is flashed, jumper and reset wires open it)") from None
        parts: list[tuple[str, Callable[[], Iterator[WiringFault]], str]] = [("lines", self.line_faults, seen.pop())]
        if self.board.REGISTERS:
            parts.append(("registers", self.chain_faults, f"{8 * self.board.REGISTERS[3]} inputs of the registers"))
        uarts = " and ".join(f"{device} at {settings[3]} baud" for device, settings in devices(self.board))
        parts += [
            ("UARTs", self.uart_faults, f"both ways: {uarts}"),
            ("reset", self.reset_faults, "the rig resets the table"),
            ("rig restarts", self.restart_faults, "no line is low while the rig starts"),
        ]
        for name, part, words in parts:
            advance(name)
            found = list(part())
            faults += found
            seen += [] if found else [words]
        advance("flash")
        return Report(faults, seen, self.erase_times())


