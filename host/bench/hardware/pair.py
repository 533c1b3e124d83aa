"""Two emulated Picos, a rig and a table, joined wire by wire: they stand in for the real pair.

The pair is the clock as well. A slice of time passes on both in turn; the edges of a chain of shift registers are
carried at once.
"""

from collections.abc import Iterable
from functools import partial

from rp2040py.gpio_pin import GPIOPinState

from host.bench.hardware.wiring import (
    CLOCK,
    CONDUCTING,
    DATA,
    LATCH,
    LINE,
    RESET,
    TO_RIG,
    TO_TABLE,
    Wire,
    wires,
)
from host.emulator.pico import Emulator
from host.pico.boards import Board, devices

SLICE_MS = 2
BAUD = 115200


class UsbPort:
    """The USB port of an emulated Pico, as a serial port that never waits."""

    def __init__(self, emulator: Emulator) -> None:
        self.emulator: Emulator | None = emulator  # None while it has no power

    def read(self, size: int, /) -> bytes:
        return self.emulator.usb_receive() if self.emulator else b""

    def write(self, data: bytes, /) -> int:
        """What is written while the Pico is away is gone, as on a wire."""
        if self.emulator and self.emulator.usb_connected:
            self.emulator.usb_send(data)
        return len(data)


class Pair:
    """`joined` is how they are wired, by default well; GPIOs of the table in `held_low` are at ground."""

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
        self.is_rig_on = True
        self.time = 0
        for wire in self.wires:
            if wire.kind in (LATCH, CLOCK) and wire.table is not None:
                table.on_pin(wire.table, partial(self.edge, wire.rig))

    def now(self) -> int:
        return self.time

    def wait_until(self, now: int) -> None:
        while self.time < now:
            self.time += SLICE_MS
            if self.is_rig_on:
                self.rig.run_for(SLICE_MS)
            self.carry()
            if not self.is_reset:
                self.table.run_for(SLICE_MS)

    def unplug_rig(self) -> None:
        """Its USB cable is its power."""
        self.is_rig_on = False
        self.rig_port.emulator = None

    def plug_rig_in(self) -> None:
        self.is_rig_on = True
        self.rig = self.rig_port.emulator = self.rig.power_cycle()
        self.rig.wait_for_usb()
        self.rig.set_dtr(True)

    # -- the wires

    def carry(self) -> None:
        """What each end of the wires puts on them."""
        for gpio in {wire.table for wire in self.lines} | self.held_low:
            if gpio is not None:
                self.table.set_pin(gpio, self.level(gpio))
        self.carry_bytes()
        self.carry_data()
        was_reset = self.is_reset
        self.is_reset = any(self.pulls(wire) for wire in self.reset_wires)
        if was_reset and not self.is_reset:
            self.table.press_reset()

    def level(self, gpio: int) -> bool | None:
        """Of a line at the table; None if only the table's own pull decides."""
        ends = [wire for wire in self.lines if wire.table == gpio]
        if gpio in self.held_low or any(self.pulls(wire) for wire in ends):
            return False
        return True if any(wire.has_pull_up for wire in ends) else None

    def pulls(self, wire: Wire) -> bool:
        """Whether the rig has the wire low: driven, or by its pad's pull-down if nothing else holds it up."""
        if not self.is_rig_on:
            return wire.rig in CONDUCTING
        state = self.rig.mcu.gpio[wire.rig].value
        return state == GPIOPinState.LOW or (state == GPIOPinState.INPUT_PULL_DOWN and not wire.has_pull_up)

    def carry_bytes(self) -> None:
        """A wire to an output carries nothing, and an output without a wire speaks to nobody."""
        said = {
            tx: (self.said_by_rig(uart), self.table.uart_receive(uart)) for tx, uart in self.transmits.items()
        }
        for wire in self.uart_wires:
            if wire.table is None:
                continue
            if wire.kind == TO_TABLE and wire.rig in said:
                data = said[wire.rig][0]
                self.table.set_pin(wire.table, not data or wire.table in self.receives)
                if wire.table in self.receives:
                    self.table.uart_send(self.receives[wire.table], data, BAUD)
            elif wire.table in said and wire.rig in self.receives and self.is_rig_on:
                self.rig.uart_send(self.receives[wire.rig], said[wire.table][1], BAUD)

    def said_by_rig(self, uart: int) -> bytes:
        return self.rig.uart_receive(uart) if self.is_rig_on else b""

    def edge(self, rig_pin: int, level: bool) -> None:
        """The table's latch or clock has changed: the rig's PIO answers before the table looks."""
        if self.is_rig_on:
            self.rig.set_pin(rig_pin, level)
            self.rig.run_pio()
            self.carry_data()

    def carry_data(self) -> None:
        for wire in self.data:
            if wire.table is not None:
                level = self.rig.pin(wire.rig) if self.is_rig_on else None
                self.table.set_pin(wire.table, True if level is None and wire.has_pull_up else level)
