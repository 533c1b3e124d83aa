"""The raw prompt of the table under test, beside a rig that must not be left alone meanwhile."""

from collections.abc import Callable

from host.bench.hardware.rig import READ_BYTES, Clock, Port, Rig, RigError
from host.pico.serial_ports import one_line

OPEN_MS = 8000  # within which the prompt answers, after a reset
AGAIN_MS = 500
RUN_MS = 30_000
TICK_MS = 4
RAW_PROMPT = b"raw REPL; CTRL-B to exit\r\n>"
STOP = b"\r\x03\x03\r\x01"
END = b"\x04"
CTRL_C = b"\x03"
WATCHING = b"watching\r\n"
LATE_MS = 1000


class NoPrompt(RigError):
    """The table's console is closed, or nothing is there."""


class Prompt:
    def __init__(self, port: Port, rig: Rig, clock: Clock) -> None:
        self.port, self.rig, self.clock = port, rig, clock
        self.heard = b""
        self.unwritten = b""

    def pass_time(self, ms: int) -> None:
        end = self.clock.now() + ms
        while self.clock.now() < end:
            self.exchange()
            self.clock.wait_until(self.clock.now() + TICK_MS)

    def exchange(self) -> None:
        self.rig.exchange()
        try:
            if self.unwritten:
                self.unwritten = self.unwritten[self.port.write(self.unwritten) or 0 :]
            self.heard += self.port.read(READ_BYTES)
        except OSError as error:
            raise RigError(f"the table is gone ({one_line(error)}); look at its USB cable") from None

    def wait_for(self, is_so: Callable[[], bool], ms: int) -> bool:
        end = self.clock.now() + ms
        while not is_so() and self.clock.now() < end:
            self.pass_time(TICK_MS)
        return is_so()

    def open(self) -> None:
        """Go to the raw prompt, whatever ran before."""
        self.heard = self.unwritten = b""
        end = self.clock.now() + OPEN_MS
        while self.clock.now() < end:
            self.unwritten = STOP
            if self.wait_for(lambda: self.heard.endswith(RAW_PROMPT), AGAIN_MS):
                self.heard = b""
                return
        raise NoPrompt(
            "the table's console is closed; put its service jumper on, reset it, and start the check again"
            if b'["' in self.heard
            else "the table does not answer at its port; is this its port, and its USB cable a good one?"
        )

    def run(self, source: str) -> str:
        """What a program prints; RigError with the last line if it fails."""
        self.say(source)
        if not self.wait_for(self.has_ended, RUN_MS):
            raise RigError("the table's prompt does not answer; press reset on the table, and start again")
        printed, error, _ = self.heard.removeprefix(b"OK").split(END)
        if error.strip():
            last = error.decode("utf-8", "replace").strip().splitlines()[-1]
            raise RigError(f"the table cannot run the check: {last}; it needs MicroPython for the Pico")
        return printed.decode("utf-8", "replace").replace("\r\n", "\n")

    def start(self, source: str) -> None:
        """Run a program that says first that it is watching, and leave it running."""
        self.say(source)
        if not self.wait_for(lambda: WATCHING in self.heard, AGAIN_MS):
            raise RigError("the table's prompt does not answer; press reset on the table, and start again")

    def stop(self) -> str:
        """End it by Ctrl-C; the last line that it prints then."""
        self.unwritten += CTRL_C
        return self.finish(0)

    def finish(self, ms: int) -> str:
        """The last line that it prints within this time, or a little more; empty if it was cut off."""
        self.wait_for(self.has_ended, ms + LATE_MS)
        lines = self.heard.split(END)[0].splitlines() if self.has_ended() else []
        return lines[-1].decode("utf-8", "replace") if lines else ""

    def say(self, source: str) -> None:
        self.heard = b""
        self.unwritten = source.encode() + END

    def has_ended(self) -> bool:
        return self.heard.count(END) == 2 and self.heard.endswith(b">")
