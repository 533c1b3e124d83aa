"""A pseudo-terminal: a real port of this machine, with something simulated behind it."""

import os
import pty
import tty
from contextlib import suppress
from pathlib import Path

READ_BYTES = 4096
UNSENT_BYTES = 4096  # what a Pico's USB would hold before its writer waits


class Terminal:
    """`name` is the port; `link`, if given, points to it. Both ends stay open here, so hosts may come and go."""

    def __init__(self, link: Path | None = None) -> None:
        self.ours, self.theirs = pty.openpty()
        tty.setraw(self.theirs)
        os.set_blocking(self.ours, False)
        self.name = os.ttyname(self.theirs)
        self.unsent = b""
        if link:
            fresh = link.with_name(link.name + ".new")
            fresh.unlink(missing_ok=True)
            fresh.symlink_to(self.name)
            fresh.replace(link)

    def read(self) -> bytes:
        try:
            return os.read(self.ours, READ_BYTES)
        except BlockingIOError:
            return b""

    def write(self, data: bytes) -> None:
        """Bytes that nobody reads are lost, as on a table whose host does not read."""
        self.unsent = (self.unsent + data)[-UNSENT_BYTES:]
        with suppress(BlockingIOError):
            self.unsent = self.unsent[os.write(self.ours, self.unsent) :] if self.unsent else b""

    def close(self) -> None:
        os.close(self.ours)
        os.close(self.theirs)
