"""The display in a terminal: each character holds two pixels, one above the other, as half blocks."""

import os
from collections.abc import Iterable, Mapping
from typing import TextIO

from PIL import Image

TRUE_COLOUR = "true colour"
COLOURS_256 = "256 colours"
NO_COLOUR = "no colour"

UPPER_HALF = "▀"
# By whether the upper and the lower pixel is lit.
BLOCKS = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}
PLAIN_BLOCKS = {(False, False): " ", (True, False): "'", (False, True): ".", (True, True): ":"}

RESET = "\x1b[0m"
HIDE_CURSOR = "\x1b[?25l"
SHOW_CURSOR = "\x1b[?25h"
STEPS_256 = (0, 95, 135, 175, 215, 255)  # of each channel in the colour cube of 256 colours


def colours_of(environment: Mapping[str, str], is_terminal: bool) -> str:
    """What the terminal can show, as its environment says."""
    term = environment.get("TERM", "")
    if environment.get("NO_COLOR") or not is_terminal or term in ("", "dumb"):
        return NO_COLOUR
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return TRUE_COLOUR
    return COLOURS_256


def lacking_room(stream: TextIO, size: tuple[int, int]) -> dict[str, int] | None:
    """What a terminal has and the picture needs, if it would wrap or scroll; None if it fits."""
    try:
        columns, lines = os.get_terminal_size(stream.fileno())
    except OSError:
        return None
    width, height = size[0], size[1] // 2 + 1  # and a line for the cursor
    if not columns or not lines or (columns >= width and lines >= height):
        return None
    return {"columns": columns, "lines": lines, "width": width, "height": height}


class TerminalSink:
    """Draws each picture over the one before it if `in_place`, else below it. Nothing is drawn twice."""

    def __init__(self, stream: TextIO, colours: str, in_place: bool) -> None:
        self.stream = stream
        self.colours = colours
        self.in_place = in_place
        self.has_blocks = can_write(stream, UPPER_HALF + "".join(BLOCKS.values()))
        self.last: bytes | None = None
        self.is_open = True

    def show(self, image: Image.Image) -> None:
        pixels = image.tobytes()
        if pixels == self.last:
            return
        lines = self.lines(image)
        if self.in_place:
            start = HIDE_CURSOR if self.last is None else f"\x1b[{len(lines)}A\r"
            lines[0] = start + lines[0]
        self.stream.write("\n".join(lines) + "\n")
        self.stream.flush()
        self.last = pixels

    def lines(self, image: Image.Image) -> list[str]:
        rows = [image.crop((0, y, image.width, y + 1)).tobytes() for y in range(image.height)]
        return [self.line(*pair) for pair in zip(rows[::2], rows[1::2])]

    def line(self, upper_row: bytes, lower_row: bytes) -> str:
        """Two rows of pixels, three bytes each."""
        signs = []
        before = ""
        for at in range(0, len(upper_row), 3):
            upper, lower = upper_row[at : at + 3], lower_row[at : at + 3]
            if self.colours == NO_COLOUR or not self.has_blocks:
                blocks = BLOCKS if self.has_blocks else PLAIN_BLOCKS
                signs.append(blocks[any(upper), any(lower)])
                continue
            colours = self.colour(38, upper) + self.colour(48, lower)
            signs.append(UPPER_HALF if colours == before else colours + UPPER_HALF)
            before = colours
        return "".join(signs) + (RESET if before else "")

    def colour(self, ground: int, pixel: bytes) -> str:
        if self.colours == TRUE_COLOUR:
            return f"\x1b[{ground};2;{pixel[0]};{pixel[1]};{pixel[2]}m"
        return f"\x1b[{ground};5;{nearest_256(pixel)}m"

    def close(self) -> None:
        if self.is_open and self.in_place and self.last is not None:
            self.stream.write(SHOW_CURSOR)
            self.stream.flush()
        self.is_open = False


def nearest_256(pixel: Iterable[int]) -> int:
    """The number of the nearest colour in the cube of 6 x 6 x 6 that terminals with 256 colours have."""
    red, green, blue = (min(range(6), key=lambda step: abs(STEPS_256[step] - channel)) for channel in pixel)
    return 16 + 36 * red + 6 * green + blue


def can_write(stream: TextIO, text: str) -> bool:
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except UnicodeError:
        return False
    return True
