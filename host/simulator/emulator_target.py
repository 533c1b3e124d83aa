"""The firmware on an emulated RP2040: real MicroPython, pins, UARTs, flash and USB."""

from types import ModuleType

from host.emulator.pico import Emulator
from host.simulator.target import Outside, Said
from shared.round.table import ANGEL_EYE

ANGEL_EYE_BAUD = 4800


class RegisterChain:
    """A chain of 74HC165 on three pins of an emulated Pico; `levels` are its inputs, low for a chip."""

    def __init__(self, emulator: Emulator, latch: int, clock: int, data: int, count: int) -> None:
        self.emulator = emulator
        self.data = data
        self.levels = [1] * (8 * count)
        self.plugged = True
        self.shifting: list[int] = []
        emulator.on_pin(latch, self.latched)
        emulator.on_pin(clock, self.clocked)

    def latched(self, level: bool) -> None:
        if not level:
            self.shifting = list(self.levels)
        self.show()

    def clocked(self, level: bool) -> None:
        if level:
            self.shifting = self.shifting[1:]
            self.show()

    def show(self) -> None:
        """The level at the end of the chain: the far end is wired to ground, an unplugged one is pulled up."""
        level = not self.plugged or bool(self.shifting and self.shifting[0])
        self.emulator.set_pin(self.data, level)


class EmulatorTarget:
    def __init__(self, board: ModuleType, emulator: Emulator, reader: str) -> None:
        self.board = board
        self.reader_baud = ANGEL_EYE_BAUD if reader == ANGEL_EYE else board.READER[3]
        self.attach(emulator)

    def attach(self, emulator: Emulator) -> None:
        """Wire up a Pico that has just been switched on."""
        self.emulator = emulator
        self.begun_us = emulator.now_us
        self.started_at: int | None = None
        self.keys: list[int] = []
        self.sensors: list[int] = []
        registers = self.board.REGISTERS
        self.chain = RegisterChain(emulator, *registers) if registers else None
        emulator.set_pin(self.board.JUMPER, None)

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
            self.chain.levels = list(outside.sensors)
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
