"""Where the console's keys come from: a terminal, one key at a time, or a file or pipe, one line at a time."""

import os
import select
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO

END = "\x04"  # Ctrl-D
ESCAPE = "\x1b"
ENTER = ("\r", "\n")
RUB_OUT = ("\x7f", "\b")
CLEAR_LINE = "\r\x1b[K"
IDLE_S = 0.02
COMMENT = "#"


class Keyboard(Protocol):
    def key(self) -> str | None:
        """The next key; None at the end."""
        ...

    def words(self, prompt: str | None) -> str | None:
        """What is typed after it; None if it is taken back. Nothing is asked without a prompt."""
        ...


class Lines:
    """A key is the first character of a line, and the rest is what is typed after it; # begins a comment."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self.lines = lines
        self.rest = ""

    def key(self) -> str | None:
        for line in self.lines:
            words = line.decode(errors="replace").strip()
            if words and not words.startswith(COMMENT):
                self.rest = words[1:].strip()
                return words[0]
        return None

    def words(self, prompt: str | None) -> str | None:
        return self.rest


class Terminal:
    """Keys come as they are pressed; `idle` is called while there is none.

    Enter takes what is proposed, Esc takes the key back.
    """

    def __init__(self, file: int, out: TextIO, idle: Callable[[], None]) -> None:
        self.file = file
        self.out = out
        self.idle = idle
        self.waiting = ""

    def key(self) -> str | None:
        while True:
            key = self.next()
            if key is None or key == END:
                return None
            if key not in ENTER:
                return key

    def next(self) -> str | None:
        """One character; an escape sequence, as an arrow sends it, is one."""
        while not self.waiting:
            if not select.select([self.file], [], [], IDLE_S)[0]:
                self.idle()
                continue
            data = os.read(self.file, 1024)
            if not data:
                return None
            self.waiting = data.decode(errors="replace")
        if self.waiting.startswith(ESCAPE + "["):
            self.waiting = ""
            return ESCAPE
        first, self.waiting = self.waiting[0], self.waiting[1:]
        return first

    def words(self, prompt: str | None) -> str | None:
        if prompt is None:
            return ""
        typed = ""
        try:
            while True:
                self.out.write(f"{CLEAR_LINE}{prompt}? {typed}")
                self.out.flush()
                key = self.next()
                if key is None or key in (ESCAPE, END):
                    return None
                if key in ENTER:
                    return typed
                if key in RUB_OUT:
                    typed = typed[:-1]
                elif key.isprintable():
                    typed += key
        finally:
            self.out.write(CLEAR_LINE)
            self.out.flush()


@contextmanager
def open_keyboard(idle: Callable[[], None]) -> Iterator[Keyboard]:
    """Standard input; a terminal gives each key at once while this lasts."""
    if not sys.stdin.isatty():
        yield Lines(sys.stdin.buffer)
        return
    import termios  # which only computers with such terminals have
    import tty

    file = sys.stdin.fileno()
    before = termios.tcgetattr(file)
    try:
        tty.setcbreak(file)
        yield Terminal(file, sys.stdout, idle)
    finally:
        termios.tcsetattr(file, termios.TCSADRAIN, before)
