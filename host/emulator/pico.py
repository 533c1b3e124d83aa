"""An emulated Raspberry Pi Pico that boots real MicroPython images (rp2040py).

It is synchronous and deterministic: the device only advances inside `run_for` and `run_until` (and what calls
them), on the calling thread, and all times are device time. The same calls on the same flash give the same
run, to the instruction. Sleeping costs no wall time, computing about as much as on the device.
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from rp2040py.device.bootrom import BOOTROM_B1
from rp2040py.execute_batch import execute_batch
from rp2040py.gpio_pin import GPIOPinState
from rp2040py.reset_cause import ResetCause
from rp2040py.rp2040 import RP2040
from rp2040py.simulator import Simulator
from rp2040py.usb.cdc import USBCDC
from rp2040py.utils.logging import ConsoleLogger, LogLevel

from host.emulator import patches
from host.emulator.patches import DRIVEN, apply_input
from host.pico.flash_image import FLASH_BASE, FLASH_SIZE, build_flash

PIO_INSTRUCTIONS = 12  # more than any program here takes to answer an edge


class Emulator:
    """One Pico. `flash` is 2 MB as `build_flash` or `dump_flash` returns it. The times of the flash chip
    default to the typical ones of the Pico's W25Q16JV; its worst are 400,000 and 3,000."""

    def __init__(
        self,
        flash: bytes,
        *,
        unique_id: bytes = bytes.fromhex("e660583883724a2f"),
        seed: int = 1,
        erase_us: float = 45_000,
        program_us: float = 400,
    ) -> None:
        self.mcu = RP2040()
        self.resets = 0  # how often the device came out of reset, the boot itself not counted
        self.usb_connected = False
        self.uart_lost = [0, 0]  # bytes that came while the UART's FIFO of 32 was full
        self.erased_us: list[float] = []  # when each erase of flash began
        self.flash_times = {"erase_us": erase_us, "program_us": program_us}
        self._sim = Simulator(rp2040=self.mcu)
        self._usb_out = bytearray()  # host to device
        self._usb_in = bytearray()  # device to host
        self._uart_in: tuple[bytearray, bytearray] = (bytearray(), bytearray())
        self._uart_free = [0.0, 0.0]  # when the line from the host is free again, in ns
        self._driven: dict[int, bool] = {}
        self.mcu.load_bootrom(BOOTROM_B1)  # also fills the flash with 0xFF
        self.mcu.logger = ConsoleLogger(LogLevel.ERROR)
        self.mcu.flash[: len(flash)] = flash
        for number, uart in enumerate(self.mcu.uart):
            uart.on_byte = self._uart_receiver(number)
        self.flash_chip = patches.give_flash(
            self.mcu, unique_id, self.flash_times, lambda: self.erased_us.append(self.now_us)
        )
        patches.give_entropy(self.mcu, seed)
        patches.let_device_drive(self.mcu, self._driven)
        self._cdc = USBCDC(self.mcu.usb_ctrl)
        self._feed_usb = patches.feed_usb_by(self._cdc, self._take_usb)
        self._stall_usb = patches.stall_usb(self._cdc)
        self._cdc.on_serial_data = self._usb_data
        self._cdc.on_device_connected = self._usb_enumerated
        self._clear_cdc = self.mcu.usb_ctrl.on_reset
        self.mcu.usb_ctrl.on_reset = self._went_down
        self.mcu.core.pc = FLASH_BASE

    @classmethod
    def boot(
        cls,
        image: Path | bytes,
        files: Mapping[str, bytes] | None = None,
        journal: Mapping[str, bytes] | None = None,
        **options: Any,
    ) -> "Emulator":
        """A Pico freshly flashed with the UF2 `image`, a filesystem holding `files`, and a journal's ring."""
        uf2 = image if isinstance(image, bytes) else image.read_bytes()
        return cls(build_flash(uf2, files, journal), **options)

    # time

    @property
    def now_us(self) -> float:
        """Device time since power-on, in microseconds; 125 cycles each. Resets do not rewind it."""
        return self._sim.clock.nanos / 1000

    def at(self, delay_us: float, action: Callable[[], None]) -> None:
        """Call `action` in `delay_us` of device time, between two instructions."""
        self._sim.clock.create_alarm(action).schedule(delay_us * 1000)

    def run_for(self, ms: float) -> None:
        """Let `ms` of device time pass: to the instruction, or to the end of a flash erase under way."""
        self._run_to(self._sim.clock.nanos + ms * 1e6)

    def run_until(self, done: Callable[[], bool], timeout_ms: float = 1000, step_ms: float = 1) -> None:
        """Run until `done()`, asked whenever something comes out of the device and every `step_ms`."""
        clock = self._sim.clock
        deadline = clock.nanos + timeout_ms * 1e6
        while not done():
            if clock.nanos >= deadline:
                raise TimeoutError(f"not done after {timeout_ms} ms of device time")
            self.step(min(deadline - clock.nanos, step_ms * 1e6) / 1e6)

    def step(self, ms: float) -> None:
        """Let at most `ms` of device time pass, less if something comes out of the device."""
        self._run_to(self._sim.clock.nanos + ms * 1e6, until_event=True)

    def _run_to(self, target: float, until_event: bool = False) -> None:
        sim, clock = self._sim, self._sim.clock
        alarm = clock.create_alarm(self._stop)
        alarm.schedule(target - clock.nanos)
        sim.stopped = False
        while clock.nanos < target and not (until_event and sim.stopped):
            sim.stopped = False
            execute_batch(sim, 1)
        alarm.cancel()

    def _stop(self) -> None:
        self._sim.stopped = True  # ends the batch after this instruction

    # USB serial

    def usb_send(self, data: bytes) -> None:
        """Queue bytes for the device; it takes them in packets of up to 64 when it has room."""
        self._usb_out += data
        self._feed_usb()

    @property
    def usb_unsent(self) -> int:
        """How many bytes the device has not taken yet."""
        return len(self._usb_out)

    def usb_receive(self) -> bytes:
        """Everything the device has written since the last call."""
        data = bytes(self._usb_in)
        self._usb_in.clear()
        return data

    def usb_expect(self, end: bytes, timeout_ms: float = 5000) -> bytes:
        """Run until the device has written `end`; returns everything up to and including it."""
        self.run_until(lambda: end in self._usb_in, timeout_ms)
        length = self._usb_in.index(end) + len(end)
        data = bytes(self._usb_in[:length])
        del self._usb_in[:length]
        return data

    def wait_for_usb(self, timeout_ms: float = 2000) -> None:
        """Run until the device is enumerated (15 ms after power-on)."""
        self.run_until(lambda: self.usb_connected, timeout_ms)

    def usb_stall(self, on: bool) -> None:
        """Stop taking what the device writes, like a hung host; it can put 64 bytes on the bus and 256 behind."""
        self._stall_usb(on)

    def set_dtr(self, on: bool) -> None:
        """Open or close the port, as far as the device can tell."""
        self._cdc.set_control_lines(dtr=on, rts=on)

    def execute(self, source: str, timeout_ms: float = 60_000) -> str:
        """Run code at the raw REPL (stopping main.py) and return what it printed; raise if it raised."""
        self.wait_for_usb()
        self.usb_send(b"\r\x03\x03\x01")
        self.usb_expect(b"raw REPL; CTRL-B to exit\r\n>")
        self.usb_send(source.encode() + b"\x04")
        self.usb_expect(b"OK", timeout_ms)
        printed = self.usb_expect(b"\x04", timeout_ms)[:-1]
        error = self.usb_expect(b"\x04>", timeout_ms)[:-2]
        if error:
            raise RuntimeError(error.decode())
        return printed.decode().replace("\r\n", "\n")

    def _take_usb(self, size: int) -> bytes:
        data = bytes(self._usb_out[:size])
        del self._usb_out[:size]
        return data

    def _usb_data(self, data: bytes | bytearray) -> None:
        self._usb_in += data
        self._stop()

    def _usb_enumerated(self) -> None:
        self.usb_connected = True
        self._stop()

    # UARTs

    def uart_send(self, number: int, data: bytes, baud: int = 9600) -> None:
        """Send bytes to the device at `baud` (10 bits a byte), after those still on the line."""
        clock = self._sim.clock
        at = max(self._uart_free[number], clock.nanos)
        for byte in data:
            at += 1e10 / baud
            self.at((at - clock.nanos) / 1000, partial(self._feed_uart, number, byte))
        self._uart_free[number] = at

    def _feed_uart(self, number: int, byte: int) -> None:
        uart = self.mcu.uart[number]
        if uart.enabled and uart.rx_fifo.full:
            self.uart_lost[number] += 1
        uart.feed_byte(byte)

    def uart_receive(self, number: int) -> bytes:
        """Everything the device has sent on this UART since the last call."""
        data = bytes(self._uart_in[number])
        self._uart_in[number].clear()
        return data

    def _uart_receiver(self, number: int) -> Callable[[int], None]:
        def received(byte: int) -> None:
            self._uart_in[number].append(byte)
            self._stop()

        return received

    # pins

    def set_pin(self, pin: int, level: bool | None) -> None:
        """Drive a pin from outside; `None` releases it, so that its pull decides."""
        if level is None:
            self._driven.pop(pin, None)
        else:
            self._driven[pin] = level
        if self.pin(pin) is None:
            apply_input(self.mcu.gpio[pin], level)

    def charge_pin(self, pin: int, rise_us: float) -> None:
        """A line with a capacitance: it stays low for `rise_us` after the device has switched on its pull-up."""
        self.set_pin(pin, False)

        def changed(state: GPIOPinState, _was: GPIOPinState) -> None:
            if state == GPIOPinState.INPUT_PULL_UP:
                self.at(rise_us, lambda: self.set_pin(pin, None))
            elif state not in DRIVEN:
                self.set_pin(pin, False)

        self.mcu.gpio[pin].add_listener(changed)

    def pin(self, pin: int) -> bool | None:
        """The level the device puts on a pin, or `None` while it is an input."""
        state = self.mcu.gpio[pin].value
        return state == GPIOPinState.HIGH if state in DRIVEN else None

    def on_pin(self, pin: int, action: Callable[[bool], None]) -> None:
        """Call `action(level)` at each change of an output, before the device's next instruction."""

        def changed(state: GPIOPinState, _was: GPIOPinState) -> None:
            if state in DRIVEN:
                action(state == GPIOPinState.HIGH)

        self.mcu.gpio[pin].add_listener(changed)

    def run_pio(self) -> None:
        """Let the PIO answer a pin that has just changed; while the CPU sleeps it gets one instruction."""
        for pio in self.mcu.pio:
            for _ in range(PIO_INSTRUCTIONS):
                if not pio.stopped:
                    pio.advance(1)

    # power and flash

    def dump_flash(self) -> bytes:
        """The 2 MB of flash as they are now, at any moment: what a power cut would leave."""
        return bytes(self.mcu.flash[:FLASH_SIZE])

    def power_cycle(self, **times: float) -> "Emulator":
        """The same board after its power was cut now: flash kept, RAM, clock and wiring new. Its flash takes as
        long as before, or the `times` that are given now."""
        again = Emulator(self.dump_flash())
        again.flash_times |= self.flash_times | times
        return again

    def press_reset(self) -> None:
        """Pull RUN low and release it: a hard reset, flash kept."""
        self.mcu.enter_reset(cause=ResetCause.RUN_PIN)
        self.mcu.leave_reset()

    def _went_down(self) -> None:
        self.resets += 1
        self.usb_connected = False
        self._stall_usb(False)
        self._usb_out.clear()
        if self._clear_cdc:
            self._clear_cdc()
        for number, gpio in enumerate(self.mcu.gpio):  # outputs are released; what the host drives stays
            apply_input(gpio, self._driven.get(number))
        self._stop()
