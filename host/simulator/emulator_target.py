"""The firmware on an emulated RP2040: real MicroPython, pins, UARTs, flash and USB."""

from collections.abc import Callable
from types import ModuleType

from host.emulator.pico import Emulator
from host.simulator.target import Outside, Said
from host.simulator.virtual_pico import RegisterChain
from shared.round.table import READERS


class EmulatorTarget:
    def __init__(self, board: ModuleType, emulator: Emulator, reader: str) -> None:
        self.board = board
        self.reader_baud = READERS[reader][2] or board.READER[3]
        self.attach(emulator)

    def attach(self, emulator: Emulator) -> None:
        """Wire up a Pico that has just been switched on."""
        self.emulator = emulator
        self.begun_us = emulator.now_us
        self.started_at: int | None = None
        self.keys: list[int] = []
        self.sensors: list[int] = []
        registers = self.board.REGISTERS
        self.chain = self.wire_chain(*registers) if registers else None
        emulator.set_pin(self.board.JUMPER, None)

    def wire_chain(self, latch: int, clock: int, data: int, count: int) -> RegisterChain:
        """Sensors on three pins."""
        emulator, chain = self.emulator, RegisterChain(count)

        def follow(change: Callable[[bool], None]) -> Callable[[bool], None]:
            def changed(level: bool) -> None:
                change(level)
                emulator.set_pin(data, bool(chain.value()))

            return changed

        emulator.on_pin(latch, follow(chain.latched))
        emulator.on_pin(clock, follow(chain.clock.value))
        return chain

    def set_levels(self, pins: list[int], levels: list[int], before: list[int]) -> None:
        for place, (pin, level) in enumerate(zip(pins, levels)):
            if place >= len(before) or before[place] != level:
                self.emulator.set_pin(pin, bool(level))

    def step(self, now: int, outside: Outside) -> Said:
        emulator = self.emulator
        if self.started_at is None:
            self.started_at = now
        self.set_levels([pin for _, pin in self.board.KEYS], outside.keys, self.keys)
        self.keys = list(outside.keys)
        if self.chain:
            self.chain.inputs = list(outside.sensors)
            self.chain.plugged = outside.plugged
        else:
            pins = [pin for box in self.board.SENSORS for pin in box]
            self.set_levels(pins, outside.sensors, self.sensors)
            self.sensors = list(outside.sensors)
        shuffler, reader = self.board.SHUFFLER, self.board.READER
        emulator.uart_send(shuffler[0], outside.shuffler, shuffler[3])
        emulator.uart_send(reader[0], outside.reader, self.reader_baud)
        emulator.usb_send(outside.usb)
        ahead = (now - self.started_at) - (emulator.now_us - self.begun_us) / 1000
        if ahead > 0:
            emulator.run_for(ahead)
        return Said(emulator.uart_receive(shuffler[0]), emulator.uart_receive(reader[0]), emulator.usb_receive())

    def restart(self, now: int) -> None:
        """Cut the power at once, and switch on again with the flash as it is."""
        self.attach(self.emulator.power_cycle())
