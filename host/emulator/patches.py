"""Corrections of rp2040py 0.3.6: one function for each mistake or gap, applied to one emulator."""

import random
from collections.abc import Callable, Mapping
from typing import Any

from rp2040py.gpio_pin import GPIOPin, GPIOPinState
from rp2040py.peripherals.ssi import CMD_BLOCK_ERASE, CMD_PAGE_PROGRAM, CMD_SECTOR_ERASE
from rp2040py.peripherals.uart import RPUART, UARTDR, UARTTXINTR
from rp2040py.rp2040 import RP2040
from rp2040py.usb.cdc import USBCDC

from host.pico.flash_image import BLOCK, PAGE

CMD_READ_UNIQUE_ID = 0x4B
ROSC_BASE = 0x40060
ROSC_RANDOMBIT = 0x1C
DRIVEN = (GPIOPinState.LOW, GPIOPinState.HIGH)


def override(target: object, **methods: Callable[..., Any]) -> None:
    """Replace methods of this one object."""
    vars(target).update(methods)


def patch_uart(uart: RPUART, lost: Callable[[], None]) -> None:
    """Make the transmit interrupt an edge. rp2040py raises it for ever, so `machine.UART` never returns.

    `lost` is called for each byte that comes while the FIFO of an open UART is full: rp2040py drops it, as the
    chip does.
    """
    write, feed, mcu = uart.write_uint32, uart.feed_byte, uart.rp2040

    def check_interrupts() -> None:
        mcu.set_interrupt(uart.irq, bool(uart._interrupt_status & uart._interrupt_mask))

    def write_uint32(offset: int, value: int) -> None:
        write(offset, value)
        if offset == UARTDR:  # sent at once: the FIFO has run empty again
            uart._interrupt_status |= UARTTXINTR
            check_interrupts()

    def feed_byte(byte: int) -> None:
        if uart.enabled and uart.rx_fifo.full:
            lost()
        feed(byte)

    override(uart, check_interrupts=check_interrupts, write_uint32=write_uint32, feed_byte=feed_byte)


def patch_usb(cdc: USBCDC, take: Callable[[int], bytes]) -> Callable[[], None]:
    """Answer NAK while the host has nothing to send. rp2040py sends an empty packet every 10 us instead: the
    interrupts take two thirds of the device's time and it never sleeps. `take(n)` returns at most n bytes;
    call the returned function when there are new ones."""
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

    override(usb, on_endpoint_read=on_endpoint_read, on_reset=on_reset)
    return feed


def patch_flash(mcu: RP2040, unique_id: bytes, times: Mapping[str, float], erasing: Callable[[], None]) -> None:
    """Give the flash chip its unique id, and its erase and program their times (`erase_us`, `program_us`). They
    pass with the CPU stopped, as on the device (interrupts off). Halfway the change is half done: a flash dump at
    that moment has a torn sector or page. `erasing` is called at the beginning of each erase."""
    ssi, flash, clock = mcu.ssi, mcu.flash, mcu.clock
    shift, apply = ssi._shift_byte, ssi._apply_command

    def shift_byte(byte: int) -> int:
        got = shift(byte)
        at = len(ssi._tx_buffer) - 6  # opcode and four dummy bytes come first
        return unique_id[at] if ssi._tx_buffer[0] == CMD_READ_UNIQUE_ID and 0 <= at < 8 else got

    def apply_command() -> None:
        opcode = ssi._tx_buffer[0] if ssi._tx_buffer else 0
        took, size = {
            CMD_PAGE_PROGRAM: (times["program_us"], PAGE),
            CMD_SECTOR_ERASE: (times["erase_us"], BLOCK),
            CMD_BLOCK_ERASE: (times["erase_us"] * 3, 16 * BLOCK),
        }.get(opcode, (0, 0))
        if size > PAGE and ssi._write_enabled:
            erasing()
        if not (took and ssi._write_enabled):
            apply()
            return
        at = ssi._address_from_buffer() & ~(size - 1)
        old = bytes(flash[at : at + size])
        apply()
        new = bytes(flash[at : at + size])
        flash[at : at + size] = old
        clock.tick(took * 500)
        flash[at : at + size // 2] = new[: size // 2]
        clock.tick(took * 500)
        flash[at : at + size] = new

    override(ssi, _shift_byte=shift_byte, _apply_command=apply_command)


def patch_entropy(mcu: RP2040, seed: int) -> None:
    """Make the ring oscillator random; otherwise its bits are all 1, and `os.urandom` on 1.23 is constant."""
    rosc, bits = mcu.peripherals[ROSC_BASE], random.Random(seed)
    read = rosc.read_uint32
    override(rosc, read_uint32=lambda offset: bits.getrandbits(1) if offset == ROSC_RANDOMBIT else read(offset))


def apply_input(pin: GPIOPin, level: bool | None) -> None:
    """Put a level on a pin, or release it. rp2040py takes every call for an edge; here only a change is one."""
    before, status = pin.input_value, pin.irq_status
    if level is None:
        pin.release_input()
    else:
        pin.set_input_value(level)
    if pin.input_value == before:
        pin.irq_status = status
        pin.rp2040.update_io_interrupt()


def patch_gpio(mcu: RP2040, driven: Mapping[int, bool]) -> None:
    """Let the device read back the pins it drives, as silicon does (`Pin.value()` of an output). `driven`
    says what the host puts on a pin; it counts again when the device turns the pin back into an input."""

    def loop_back(number: int) -> Callable[[GPIOPinState, GPIOPinState], None]:
        pin = mcu.gpio[number]

        def changed(state: GPIOPinState, _was: GPIOPinState) -> None:
            apply_input(pin, state == GPIOPinState.HIGH if state in DRIVEN else driven.get(number))

        return changed

    for number in range(len(mcu.gpio)):
        mcu.gpio[number].add_listener(loop_back(number))
