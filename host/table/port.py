"""The table's port: a serial port by name, the one Pico that is plugged in, a pseudo-terminal or a pySerial URL.

It may go away and come back at any moment. Reads and writes never raise: while it is away `problem` says why,
and it is tried again every second.
"""

import errno
import select
import time
from contextlib import suppress

import serial

from host.pico.serial_ports import CANNOT_OPEN, PortError, closed, find_port, one_line

AUTO = "auto"
LINE_RATE = 115200  # which USB ignores
READ_BYTES = 65536
REOPEN_MS = 1000
PIECE = 512  # written at once
UNSENT_BYTES = 65536  # kept for a table that does not read; more would be stale anyway


class PortBusy(PortError):
    """Another program has the port."""


class TablePort:
    """`name` is what the configuration says: auto, a device, or a URL."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.problem: PortError | None = PortError("pico.not_opened_yet")
        self.device = ""  # what it was opened as
        self.unsent = b""
        self._port: serial.SerialBase | None = None
        self._tried_at: int | None = None

    @property
    def is_open(self) -> bool:
        return self._port is not None

    def open(self, now: int) -> None:
        """Try to open it; PortBusy if another program has it."""
        self._tried_at = now
        device = self.name
        try:
            if device == AUTO:
                device = find_port()
            self._port = open_url(device)
        except PortError as error:
            self.problem = error
        except CANNOT_OPEN as error:
            if is_busy(error):
                raise PortBusy("pico.held", port=device) from None
            self.problem = closed(device, error)
        else:
            self.device = device
            self.problem = None
            self.unsent = b""

    def open_if_due(self, now: int) -> bool:
        """True if it was away and is open again."""
        if self._port or (self._tried_at is not None and now - self._tried_at < REOPEN_MS):
            return False
        try:
            self.open(now)
        except PortBusy as busy:
            self.problem = busy
        return self.is_open

    def read(self) -> bytes:
        """What has come. Nothing while it is away."""
        if self._port is None:
            return b""
        try:
            return self._port.read(READ_BYTES)
        except (OSError, ValueError, TypeError) as error:
            self.lose(error)
            return b""

    def wait(self, seconds: float) -> None:
        """Until something comes, at most so long."""
        try:
            handle = self._port.fileno() if self._port else None
            if handle is not None:
                select.select([handle], [], [], seconds)
                return
        except (OSError, ValueError, AttributeError):
            pass  # a port without a handle, as on Windows, or one that has just gone: read() will tell
        time.sleep(seconds)

    def write(self, data: bytes) -> None:
        """Send as much as the table takes now, the rest later."""
        if self._port is None:
            return
        self.unsent = (self.unsent + data)[-UNSENT_BYTES:]
        try:
            while self.unsent and self._has_room():
                sent = self._port.write(self.unsent[:PIECE]) or 0
                self.unsent = self.unsent[sent:]
        except serial.SerialTimeoutException:
            return
        except (OSError, ValueError, TypeError) as error:
            self.lose(error)

    def _has_room(self) -> bool:
        """pySerial would wait for ever where there is none."""
        if self._port is None:
            return False
        try:
            handle = self._port.fileno()
        except (OSError, ValueError, AttributeError):
            return True
        return bool(select.select([], [handle], [], 0)[1])

    def lose(self, error: BaseException) -> None:
        """The cable is out, or the table restarts."""
        self.close()
        self.problem = PortError("pico.gone", port=self.device, reason=one_line(error))

    def close(self) -> None:
        if self._port:
            with suppress(*CANNOT_OPEN):  # it may be gone already
                self._port.close()
        self._port = None
        self.unsent = b""


def open_url(device: str) -> serial.SerialBase:
    if "://" in device:
        return serial.serial_for_url(device, timeout=0, write_timeout=0)
    return serial.Serial(device, LINE_RATE, timeout=0, write_timeout=0, exclusive=True)


def is_busy(error: BaseException) -> bool:
    return getattr(error, "errno", None) in (errno.EBUSY, errno.EAGAIN) or "exclusively lock" in str(error)
