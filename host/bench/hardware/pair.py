"""Two emulated Picos, a rig and a table, joined wire by wire: they stand in for the real pair.

The pair is the clock as well. A slice of time passes on both in turn; the edges of a chain of shift registers are
carried at once.
"""

from collections.abc import Iterable
from functools import partial

from rp2040py.gpio_pin import GPIOPinState

from host.bench.hardware.wiring import CLOCK, DATA, LATCH, LINE, RESET, TO_RIG, TO_TABLE, Wire, wires
from host.emulator.pico import Emulator
from host.pico.boards import Board, devices

SLICE_MS = 2
BAUD = 115200


class UsbPort:
    """The USB port of an emulated Pico, as a serial port that never waits."""

    def __init__(self, emulator: Emulator) -> None:
        self.emulator = emulator
        self.is_open = False

    def read(self, size: int, /) -> bytes:
        return self.emulator.usb_receive()

    def write(self, data: bytes, /) -> int:
        """What is written while the Pico is away is gone, as on a wire."""
        if self.emulator.usb_connected:
            self.emulator.usb_send(data)
        return len(data)


class Pair:
    """`joined` is how they are wired, by default as they should be; GPIOs of the table in `held_low` are at ground."""

    def __init__(
        self,
        rig: Emulator,
        table: Emulator,
        board: Board,
        joined: Iterable[Wire] | None = None,
        held_low: Iterable[int] = (),
    ) -> None:
        self.rig, self.table, self.board = rig, table, board
        self.wires = list(wires(board) if joined is None else joined)
        self.held_low = set(held_low)
        self.lines = [wire for wire in self.wires if wire.kind == LINE]
        self.data = [wire for wire in self.wires if wire.kind == DATA]
        self.reset_wires = [wire for wire in self.wires if wire.kind == RESET]
        self.uart_wires = [wire for wire in self.wires if wire.kind in (TO_TABLE, TO_RIG)]
        self.transmits = {tx: uart for _, (uart, tx, _, _) in devices(board)}
        self.receives = {rx: uart for _, (uart, _, rx, _) in devices(board)}
        self.rig_port, self.table_port = UsbPort(rig), UsbPort(table)
        self.is_reset = False
        self.time = 0
        for wire in self.wires:
            if wire.kind in (LATCH, CLOCK) and wire.table is not None:
                table.on_pin(wire.table, partial(self.edge, wire.rig))

    def now(self) -> int:
        return self.time

    def wait_until(self, now: int) -> None:
        while self.time < now:
            self.time += SLICE_MS
            self.rig.run_for(SLICE_MS)
            self.carry()
            if not self.is_reset:
                self.table.run_for(SLICE_MS)

    def carry(self) -> None:
        """What each end of the wires puts on them."""
        low = {wire.table for wire in self.lines if self.pulls(wire)} | self.held_low
        for gpio in {wire.table for wire in self.lines} | self.held_low:
            if gpio is not None:
                self.table.set_pin(gpio, False if gpio in low else None)
        self.carry_bytes()
        self.carry_data()
        was_reset = self.is_reset
        self.is_reset = any(self.pulls(wire) for wire in self.reset_wires)
        if was_reset and not self.is_reset:
            self.table.press_reset()

    def pulls(self, wire: Wire) -> bool:
        """Whether the rig has the wire low: driven, or by its own pull-down if nothing holds the line up."""
        state = self.rig.mcu.gpio[wire.rig].value
        return state == GPIOPinState.LOW or (state == GPIOPinState.INPUT_PULL_DOWN and not wire.part)

    def carry_bytes(self) -> None:
        """A wire to an output carries nothing, and an output without a wire speaks to nobody."""
        said = {tx: (self.rig.uart_receive(uart), self.table.uart_receive(uart)) for tx, uart in self.transmits.items()}
        for wire in self.uart_wires:
            if wire.table is None:
                continue
            if wire.kind == TO_TABLE and wire.rig in said:
                self.table.set_pin(wire.table, True)  # the level at rest
                if wire.table in self.receives:
                    self.table.uart_send(self.receives[wire.table], said[wire.rig][0], BAUD)
            elif wire.table in said and wire.rig in self.receives:
                self.rig.uart_send(self.receives[wire.rig], said[wire.table][1], BAUD)

    def edge(self, rig_pin: int, level: bool) -> None:
        """The table's latch or clock has changed: the rig's PIO answers before the table looks."""
        self.rig.set_pin(rig_pin, level)
        self.rig.run_pio()
        self.carry_data()

    def carry_data(self) -> None:
        for wire in self.data:
            if wire.table is not None:
                self.table.set_pin(wire.table, self.rig.pin(wire.rig))
