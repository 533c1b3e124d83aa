"""Proves the wiring between a rig and a table: every line pulled and seen, UARTs both ways, reset, erase times.

The rig does something, and a program at the table's prompt says what it saw. What is wrong, and what is proved,
comes as codes and fields; their words are in host/words/english/bench.txt.
"""

import json
import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from host.bench.hardware.prompt import TICK_MS, NoPrompt, Prompt
from host.bench.hardware.rig import READ_BYTES, RESET_MS, WHO_MS, Clock, Port, Rig, check_rig, rig_is_gone
from host.bench.hardware.wiring import CONDUCTING, LINE, RESET, Wire, pin_name, wires
from host.pico.boards import Board, devices, find_board
from host.words.failures import Failure, failure_words
from shared.journal.wire import encode

SETTLE_MS = 20  # after a line has changed
BYTES = 64  # sent each way over each UART
BYTES_MS = 120
START_MS = 500  # before a Pico that was reset can be stopped
UNPLUG_MS = 20_000  # a person pulls its cable and plugs it in again within
GONE_MS = 1000  # a rig that says nothing for so long is off
ZEROS = 256  # bytes; a line that carries them is low most of the time
ERASES = 5
OFF = "rig off"  # the part for which a person pulls a cable

TABLE = """
import json, time
from machine import Pin, UART
def up(n): return Pin(n, Pin.IN, Pin.PULL_UP)
lines = {{n: up(n) for n in {lines}}}
def low(): print(json.dumps([n for n in lines if not lines[n].value()]))
def watch():
    seen = set()
    print('watching')
    try:
        while True:
            for n in lines:
                if not lines[n].value(): seen.add(n)
            time.sleep_ms(1)
    except KeyboardInterrupt: pass
    print(json.dumps(sorted(seen)))
def weak():
    for n in lines: Pin(n, Pin.IN, Pin.PULL_DOWN)
    time.sleep_ms(2)
    low()
    for n in lines: up(n)
def falls(n, ms):
    pin, seen, end = up(n), 0, time.ticks_add(time.ticks_ms(), ms)
    print('watching')
    while time.ticks_diff(end, time.ticks_ms()) > 0: seen |= not pin.value()
    print(json.dumps(int(seen)))
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


class Proved(NamedTuple):
    code: str
    fields: dict[str, Any]

    def __str__(self) -> str:
        return failure_words(self.code, self.fields)


class Report(NamedTuple):
    faults: list[WiringFault]
    proved: list[Proved]
    erase_us: list[int]


class Check:
    """Of the rig at one port and the table at another. `table` is its board, which a bare Pico does not say."""

    def __init__(self, rig_port: Port, table_port: Port, table: Board | None, clock: Clock) -> None:
        self.clock = clock
        self.rig_port = rig_port
        self.rig = Rig(rig_port, clock)
        version, name = self.rig.find()
        check_rig(version, name, table)
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
        weak = sorted(set(self.ask("weak()")) - self.stuck)
        if weak:
            yield WiringFault("bench.no_pull_up", lines=[self.what[gpio] for gpio in weak])
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
        for place in (None, *range(8 * count)):
            levels = [0 if spot == place else 1 for spot in range(8 * count)]
            self.order("sensors", [*levels, 0])
            self.prompt.run("scan()")  # takes what was there before
            if json.loads(self.prompt.run("scan()")) != [levels, 0]:
                yield WiringFault("bench.chain", **pins)
                break
        self.order("sensors", [*[1] * (8 * count), 0])

    def uart_faults(self) -> Iterator[WiringFault]:
        ports = devices(self.board)
        for _, (uart, tx, rx, baud) in ports:
            self.rig.order("baud", uart, baud)
            self.prompt.run(f"talk({uart}, {tx}, {rx}, {baud})")
        for device, (uart, tx, rx, _) in ports:
            down, up = self.sent_down(uart), self.sent_up(uart)
            where = {"device": device, "tx": pin_name(tx), "rx": pin_name(rx)}
            if uart not in down and uart not in up:
                elsewhere = down or up
                code = (
                    "bench.other_uart"
                    if elsewhere
                    else "bench.crossed"
                    if self.is_crossed(uart, tx)
                    else "bench.silent"
                )
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
        return [
            int(number) for number, got in json.loads(self.prompt.run("heard()")).items() if got == data.hex()
        ]

    def sent_up(self, uart: int) -> list[int]:
        data = random.Random(8 + uart).randbytes(BYTES)
        for got in self.rig.got:
            got.clear()
        self.prompt.run(f"uarts[{uart}].write({data!r})")
        self.prompt.pass_time(BYTES_MS)
        return [number for number, got in enumerate(self.rig.got) if bytes(got) == data]

    def is_crossed(self, uart: int, tx: int) -> bool:
        """What the rig says comes to the pin on which the table should speak."""
        self.prompt.start(f"falls({tx}, {BYTES_MS})")
        self.rig.send(uart, bytes(ZEROS))
        return self.prompt.finish(BYTES_MS) == "1"

    def reset_faults(self) -> Iterator[WiringFault]:
        self.prompt.run("kept = 1")
        self.order("jumper", 0)
        self.order("reset", RESET_MS)
        self.prompt.pass_time(RESET_MS + START_MS)
        self.prompt.open()
        if self.prompt.run("print('kept' in globals())").strip() == "True":
            wire = next(wire for wire in self.wires if wire.kind == RESET)
            yield WiringFault("bench.no_reset", rig=pin_name(wire.rig), pin=pin_name(wire.table))
        else:
            self.teach()
        self.order("jumper", 1)

    # -- the rig's own troubles, which must not look like anything else at the table

    def restart_faults(self) -> Iterator[WiringFault]:
        """While the rig is in reset its pads pull down a little, and no line may read low for that."""
        yield from self.faults_while(self.restart_rig, "bench.rig_resets", "bench.rig_pulls", ())

    def unplug_faults(self) -> Iterator[WiringFault]:
        """A rig that is off. Its CONDUCTING pads pull their lines down, which is no fault of the wiring."""
        codes = ("bench.off_resets", "bench.off_pulls")
        yield from self.faults_while(self.wait_for_unplugging, *codes, CONDUCTING)

    def faults_while(
        self, happens: Callable[[], bool], resets: str, pulls: str, without: tuple[int, ...]
    ) -> Iterator[WiringFault]:
        """What the table sees meanwhile."""
        self.prompt.start("watch()")
        if not happens():
            yield WiringFault("bench.not_unplugged", seconds=UNPLUG_MS // 1000)
        said = self.prompt.stop()
        if not said.startswith("["):
            yield WiringFault(resets, pin=pin_name(None))
            self.open_prompt()
            return
        seen = [self.what[gpio] for gpio in json.loads(said) if gpio not in {*self.stuck, *without}]
        if seen:
            yield WiringFault(pulls, lines=seen)

    def restart_rig(self) -> bool:
        self.write_to_rig(b"\x03\x03\rimport machine; machine.reset()\r")
        self.find_rig(self.clock.now() + START_MS)
        return True

    def wait_for_unplugging(self) -> bool:
        """Whether the rig has been off; in any case it is there again."""
        end = self.clock.now() + UNPLUG_MS
        heard_at = self.clock.now()
        was_off = False
        while self.clock.now() < end:
            self.write_to_rig(encode(["who", 0]))
            if self.hear_rig(WHO_MS):
                heard_at = self.clock.now()
                if was_off:
                    break
            was_off = was_off or self.clock.now() - heard_at >= GONE_MS
        self.find_rig(self.clock.now())
        return was_off

    def write_to_rig(self, data: bytes) -> None:
        while data:
            data = data[self.at_rig(lambda port, rest=data: port.write(rest)) or 0 :]
            self.clock.wait_until(self.clock.now() + TICK_MS)

    def hear_rig(self, ms: int) -> bytes:
        """What it says in this time; nothing while it is away."""
        end = self.clock.now() + ms
        heard = b""
        while self.clock.now() < end:
            heard += self.at_rig(lambda port: port.read(READ_BYTES))
            self.clock.wait_until(self.clock.now() + TICK_MS)
        return heard

    def at_rig(self, action: Callable[[Port], Any]) -> Any:
        try:
            return action(self.rig_port)
        except OSError as error:
            raise rig_is_gone(error) from None

    def find_rig(self, at: int) -> None:
        """Begin anew with a rig that has started anew."""
        self.hear_rig(at - self.clock.now())
        self.rig = Rig(self.rig_port, self.clock)
        self.prompt.rig = self.rig
        self.rig.find()

    # -- all of it

    def erase_times(self) -> list[int]:
        """Microseconds that an erase of this flash takes."""
        return json.loads(self.prompt.run(ERASE.format(times=ERASES)))

    def run(self, advance: Callable[[str], None] = lambda part: None, unplug: bool = False) -> Report:
        """Every check, one after the other; `advance` is told what comes next."""
        advance("prompt")
        try:
            self.open_prompt()
        except NoPrompt as problem:
            raise NoPrompt(f"{problem} (with a table that is flashed, jumper and reset wires open it)") from None
        faults: list[WiringFault] = []
        proved: list[Proved] = []
        for name, part, code, fields in self.parts(unplug):
            advance(name)
            found = list(part())
            faults += found
            proved += [] if found else [Proved(code, fields)]
        advance("flash")
        return Report(faults, proved, self.erase_times())

    def restart_table(self) -> None:
        """A table that is flashed runs again, and does not stay at its console."""
        self.pull(None)
        self.order("reset", RESET_MS)

    def parts(
        self, unplug: bool
    ) -> Iterator[tuple[str, Callable[[], Iterator[WiringFault]], str, dict[str, Any]]]:
        """Each by its name, with what it proves if nothing is found."""
        yield "lines", self.line_faults, "bench.lines_fine", {"count": len(self.lines)}
        if self.board.REGISTERS:
            yield "registers", self.chain_faults, "bench.chain_fine", {"count": 8 * self.board.REGISTERS[3]}
        uarts = [f"{device} at {settings[3]} baud" for device, settings in devices(self.board)]
        yield "UARTs", self.uart_faults, "bench.uarts_fine", {"uarts": uarts}
        yield "reset", self.reset_faults, "bench.reset_fine", {}
        yield "rig in reset", self.restart_faults, "bench.restart_fine", {}
        if unplug:
            yield OFF, self.unplug_faults, "bench.off_fine", {}
