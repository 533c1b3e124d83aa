"""What a Pico has around its chip and rp2040py 1.0 leaves out; each function gives it to one emulator."""

import random
from collections.abc import Callable, Mapping
from typing import Any

from rp2040py.gpio_pin import GPIOPin, GPIOPinState
from rp2040py.peripherals._ssi import CMD_BLOCK_ERASE, CMD_PAGE_PROGRAM, CMD_SECTOR_ERASE, RPSSI
from rp2040py.rp2040 import RP2040
from rp2040py.usb.cdc import USBCDC

from host.pico.flash_image import BLOCK, PAGE

CMD_READ_UNIQUE_ID = 0x4B
SSI_BASE = 0x18000
DRIVEN = (GPIOPinState.LOW, GPIOPinState.HIGH)
IN_BUFFER_CONTROL = 0x80  # of endpoint 0; eight bytes an endpoint


class FlashChip(RPSSI):
    """The flash chip behind the SSI, with its unique id, and its times (`erase_us`, `program_us`).

    They pass with the CPU stopped, as on the device (interrupts off). Halfway the change is half done: a flash
    dump at that moment has a torn sector or page. `erasing` is called at the beginning of each erase.
    """

    def __init__(
        self, mcu: RP2040, unique_id: bytes, times: Mapping[str, float], erasing: Callable[[], None]
    ) -> None:
        super().__init__(mcu, "SSI")
        self.unique_id = unique_id
        self.times = times
        self.erasing = erasing

    def _shift_byte(self, byte_out: int) -> int:
        got = super()._shift_byte(byte_out)
        at = len(self._tx_buffer) - 6  # opcode and four dummy bytes come first
        return self.unique_id[at] if self._tx_buffer[0] == CMD_READ_UNIQUE_ID and 0 <= at < 8 else got

    def _apply_command(self) -> None:
        opcode = self._tx_buffer[0] if self._tx_buffer else 0
        took, size = {
            CMD_PAGE_PROGRAM: (self.times["program_us"], PAGE),
            CMD_SECTOR_ERASE: (self.times["erase_us"], BLOCK),
            CMD_BLOCK_ERASE: (self.times["erase_us"] * 3, 16 * BLOCK),
        }.get(opcode, (0, 0))
        if size > PAGE and self._write_enabled:
            self.erasing()
        if not (took and self._write_enabled):
            super()._apply_command()
            return
        flash, clock = self.rp2040.flash, self.rp2040.clock
        at = self._address_from_buffer() & ~(size - 1)
        old = bytes(flash[at : at + size])
        super()._apply_command()
        new = bytes(flash[at : at + size])
        flash[at : at + size] = old
        clock.tick(took * 500)
        flash[at : at + size // 2] = new[: size // 2]
        clock.tick(took * 500)
        flash[at : at + size] = new


def give_flash(
    mcu: RP2040, unique_id: bytes, times: Mapping[str, float], erasing: Callable[[], None]
) -> FlashChip:
    chip = FlashChip(mcu, unique_id, times, erasing)
    mcu.peripherals[SSI_BASE] = chip
    return chip


class WatchedRegisters:
    """Registers of a block of the chip, told of to `written(offset, value)` before they are written."""

    def __init__(self, block: Any, written: Callable[[int, int], None]) -> None:
        self.block = block
        self.written = written
        self.read_uint32 = block.read_uint32
        self.reset = block.reset

    def write_uint32(self, offset: int, value: int) -> None:
        self.written(offset, value)
        self.block.write_uint32(offset, value)

    def write_uint32_atomic(self, offset: int, value: int, atomic_type: int) -> None:
        self.written(offset, value)
        self.block.write_uint32_atomic(offset, value, atomic_type)


def watch_registers(mcu: RP2040, base: int, written: Callable[[int, int], None]) -> None:
    mcu.peripherals[base] = WatchedRegisters(mcu.peripherals[base], written)


def give_entropy(mcu: RP2040, seed: int) -> None:
    """Bits of the ring oscillator that differ from one emulator to another."""
    dice = random.Random(seed)
    mcu.rosc.random_bit = lambda: dice.getrandbits(1)


def feed_usb_by(cdc: USBCDC, take: Callable[[int], bytes]) -> Callable[[], None]:
    """Take what the host sends from `take(n)`, at most n bytes at a time; rp2040py's own queue holds 512.

    Call the returned function when there are new ones; without any the device waits.
    """
    usb, read, reset = cdc.usb, cdc.usb.on_endpoint_read, cdc.usb.on_reset
    assert read
    assert reset
    room = 0  # of the buffer that the device has armed; 0: none

    def feed() -> None:
        nonlocal room
        if room and (data := take(room)):
            room = 0
            usb.endpoint_read_done(cdc._out_endpoint, data)

    def on_endpoint_read(endpoint: int, size: int) -> None:
        nonlocal room
        if endpoint != cdc._out_endpoint:
            read(endpoint, size)
            return
        room = size
        feed()

    def on_reset() -> None:
        nonlocal room
        room = 0
        reset()

    usb.on_endpoint_read = on_endpoint_read
    usb.on_reset = on_reset
    return feed


def stall_usb(cdc: USBCDC) -> Callable[[bool], None]:
    """A function that has the host stop taking what the device writes, and go on."""
    usb = cdc.usb
    updated = usb.dpram_updated
    withheld: list[tuple[int, int]] = []
    is_stalled = False

    def dpram_updated(offset: int, value: int) -> None:
        if is_stalled and offset == IN_BUFFER_CONTROL + 8 * cdc._in_endpoint:
            withheld.append((offset, value))
        else:
            updated(offset, value)

    def stall(on: bool) -> None:
        nonlocal is_stalled
        is_stalled = on
        while withheld and not on:
            updated(*withheld.pop(0))

    usb.dpram_updated = dpram_updated
    return stall


def apply_input(pin: GPIOPin, level: bool | None) -> None:
    """Put a level on a pin, or release it."""
    if level is None:
        pin.release_input()
    else:
        pin.set_input_value(level)


def let_device_drive(mcu: RP2040, driven: Mapping[int, bool]) -> None:
    """A pin that the device drives has the device's level; in rp2040py the host's always wins.

    `driven` says what the host puts on a pin; that counts again when the device turns it back into an input.
    """

    def take_turns(number: int) -> Callable[[GPIOPinState, GPIOPinState], None]:
        pin = mcu.gpio[number]

        def changed(state: GPIOPinState, _was: GPIOPinState) -> None:
            if number in driven:
                apply_input(pin, None if state in DRIVEN else driven[number])

        return changed

    for number in range(len(mcu.gpio)):
        mcu.gpio[number].add_listener(take_turns(number))
