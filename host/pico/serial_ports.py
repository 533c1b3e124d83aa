"""Serial ports: finding the one Pico, opening a port for mpremote, and explaining why that fails."""

import errno
import termios

import serial
from mpremote.transport import TransportError
from mpremote.transport_serial import SerialTransport
from serial.tools import list_ports

from host.words.failures import Failure

SILENCE_S = 30  # in the middle of a command; a worn flash erases slowly
RASPBERRY_PI = 0x2E8A
PROBES = (0x0004, 0x000C)  # debug probes, which have a serial port too
CANNOT_OPEN = (OSError, ValueError, termios.error)  # what pySerial raises; it does not wrap the last


# The system's number for why a port cannot be opened.
CLOSED = {
    errno.ENOENT: "pico.no_port",
    errno.EACCES: "pico.denied",
    errno.EPERM: "pico.denied",
    errno.EBUSY: "pico.in_use",
    errno.EAGAIN: "pico.in_use",
}


class PortError(Failure):
    """The device cannot be reached or does not do what it is told."""


def picos() -> list[str]:
    """The ports of all Picos that are plugged in."""
    there = list_ports.comports()
    return sorted(one.device for one in there if one.vid == RASPBERRY_PI and one.pid not in PROBES)


def find_port() -> str:
    """The port of the one Pico that is plugged in."""
    found = picos()
    if not found:
        raise PortError("pico.none")
    if len(found) > 1:
        raise PortError("pico.several", ports=found)
    return found[0]


def open_port(port: str) -> SerialTransport:
    try:
        return SerialTransport(port, timeout=SILENCE_S)
    except (TransportError, *CANNOT_OPEN):
        raise why_closed(port) from None


def why_closed(port: str) -> PortError:
    """mpremote does not say why, so the port is opened again to find out."""
    try:
        serial.serial_for_url(port, exclusive=True).close()
    except CANNOT_OPEN as error:
        return closed(port, error)
    return PortError("pico.in_use", port=port)


def one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def closed(port: str, error: BaseException) -> PortError:
    """Why a port cannot be opened."""
    code = CLOSED.get(getattr(error, "errno", None) or 0, "pico.not_opened")
    return PortError(code, port=port, reason=one_line(error))
