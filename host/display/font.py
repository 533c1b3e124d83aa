"""The pixel fonts of the display, drawn in fonts/: NORMAL is 7 pixels high, SMALL is 5. Widths differ by sign.

Capital letters, digits, signs, the four suits, a ten that is one sign, and the shapes that stand beside colours.
"""

from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).with_name("fonts")

TEN = "⑩"  # a ten as narrow as any other rank
ONE_STEP = "¹"  # behind a hand's code: how it ranks among hands of the same code
TWO_STEPS = "²"
MOST_WON = "▲"
MOST_LOST = "▼"
AS_MANY = "="
BAR = "|"  # between a box and what is said of it
BACK = "▒"  # a card that lies face down

SPACE = 2  # pixels; characters stand one pixel apart


class Font(NamedTuple):
    """`glyphs` holds the rows of each sign, `#` lit and `.` dark."""

    height: int
    glyphs: dict[str, tuple[str, ...]]

    def width(self, text: str) -> int:
        """Pixels that a text takes, without a gap after it."""
        return sum(self.advance(sign) for sign in text) - 1 if text else 0

    def advance(self, sign: str) -> int:
        return SPACE if sign == " " else len(self.rows(sign)[0]) + 1

    def rows(self, sign: str) -> tuple[str, ...]:
        """The sign's rows; a sign that was never drawn shows as a question mark."""
        return self.glyphs.get(sign) or self.glyphs["?"]


def read_font(name: str) -> Font:
    """The font in a text file of this room. It has bands of signs, and below each sign its picture."""
    glyphs: dict[str, tuple[str, ...]] = {}
    for band in (FOLDER / name).read_text(encoding="utf-8").strip().split("\n\n"):
        signs, *lines = (line.split() for line in band.splitlines())
        glyphs |= {sign: tuple(line[place] for line in lines) for place, sign in enumerate(signs)}
    return Font(len(glyphs["A"]), glyphs)


NORMAL = read_font("normal.txt")
SMALL = read_font("small.txt")
