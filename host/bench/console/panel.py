"""The LED picture of the console: pinned to the top of a terminal that is large enough, else among the lines."""

import os
from collections.abc import Callable
from typing import TextIO

from PIL import Image

from host.display.picture import SIZES
from host.display.sinks import NoSink, Sink
from host.display.terminal import NO_COLOUR, TerminalSink, colours_of

LEAST_LINES = 12  # of records below a pinned picture


class PinnedSink:
    """The lines below the picture scroll, and it stays."""

    def __init__(self, stream: TextIO, colours: str, height: int) -> None:
        self.stream = stream
        self.painter = TerminalSink(stream, colours, in_place=False)
        self.height = height
        self.lines = 0  # of the terminal for which it is set up
        self.is_open = False

    def show(self, image: Image.Image) -> None:
        lines = os.get_terminal_size(self.stream.fileno()).lines
        if lines != self.lines:
            self.lines = lines
            self.is_open = True
            # The picture, an empty line, and the rest of the terminal for what scrolls.
            self.stream.write(f"\x1b[2J\x1b[{self.height + 2};{lines}r\x1b[{lines};1H")
        drawn = "".join(f"\x1b[{at};1H{line}\x1b[K" for at, line in enumerate(self.painter.lines(image), 1))
        self.stream.write(f"\x1b7{drawn}\x1b8")
        self.stream.flush()

    def close(self) -> None:
        if self.is_open:
            self.stream.write(f"\x1b[r\x1b[{self.lines};1H\n")
            self.stream.flush()
        self.is_open = False


class LinesSink:
    """Each picture is lines among others, without colours."""

    def __init__(self, stream: TextIO, say: Callable[[str], None], colours: str) -> None:
        self.painter = TerminalSink(stream, colours, in_place=False)
        self.say = say

    def show(self, image: Image.Image) -> None:
        for line in self.painter.lines(image):
            self.say(line.rstrip())

    def close(self) -> None:
        """Nothing is open."""


def open_panel(stream: TextIO, say: Callable[[str], None], is_wanted: bool) -> tuple[Sink, tuple[int, int]]:
    """The sink, and the size of the picture: the largest that the terminal has room for."""
    size = max(SIZES)
    if not is_wanted:
        return NoSink(), size
    colours = colours_of(os.environ, stream.isatty())
    try:
        room = os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):  # a file, a pipe, or no stream of the system
        return LinesSink(stream, say, NO_COLOUR), size
    if 0 < room.columns < size[0]:
        size = min(SIZES)
    height = size[1] // 2
    if os.environ.get("TERM", "") in ("", "dumb") or room.lines < height + 1 + LEAST_LINES:
        return LinesSink(stream, say, colours), size
    return PinnedSink(stream, colours, height), size
