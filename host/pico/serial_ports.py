"""Serial ports: finding the one Pico, opening a port for mpremote, and explaining why that fails."""

import errno
import termios

import serial
from mpremote.transport import TransportError
from mpremote.transport_serial import SerialTransport
from serial.tools import list_ports

SILENCE_S = 30  # in the middle of a command; a worn flash erases slowly
RASPBERRY_PI = 0x2E8A
PROBES = (0x0004, 0x000C)  # debug probes, which have a serial port too
CANNOT_OPEN = (OSError, ValueError, termios.error)  # what pySerial raises; it does not wrap the last


class PortError(RuntimeError):
    """The device cannot be reached or does not do what it is told; the text says what to do."""


def picos() -> list[str]:
    """The ports of all Picos that are plugged in."""
    there = list_ports.comports()
    return sorted(one.device for one in there if one.vid == RASPBERRY_PI and one.pid not in PROBES)


def find_port() -> str:
    """The port of the one Pico that is plugged in."""
    found = picos()
    if not found:
        raise PortError(
            "no Pico is plugged in; a Pico that shows as the drive RPI-RP2 has no MicroPython yet: drag the file "
            "of `felt image` or `felt pico-image` onto it. If its port has another name, give it with --port"
        )
    if len(found) > 1:
        raise PortError(f"several Picos are plugged in: {', '.join(found)}; choose with --port")
    return found[0]


def open_port(port: str) -> SerialTransport:
    try:
        return SerialTransport(port, timeout=SILENCE_S)
    except (TransportError, *CANNOT_OPEN):
        raise PortError(why_closed(port)) from None


def why_closed(port: str) -> str:
    """mpremote does not say why, so the port is opened again to find out."""
    try:
        serial.serial_for_url(port, exclusive=True).close()
    except CANNOT_OPEN as error:
        return error_words(port, error)
    return closed_words(port, errno.EBUSY, "")


def one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def error_words(port: str, error: BaseException) -> str:
    return closed_words(port, getattr(error, "errno", None), one_line(error))


def closed_words(port: str, number: int | None, text: str) -> str:
    """Why a port cannot be opened, by the system's number for it and its text; then what to do."""
    if number == errno.ENOENT:
        return f"there is no port {port}; `mpremote connect list` lists the ports"
    if number in (errno.EACCES, errno.EPERM):
        return (
            f"{port}: permission denied; join the group that may use serial ports and log in again: "
            "sudo usermod -a -G dialout $USER"
        )
    if number in (errno.EBUSY, errno.EAGAIN):
        return f"{port} is in use by another program; end it (a terminal, the table's host) and try again"
    return f"{port} cannot be opened as a serial port: {text}"
