"""Reads a picture of the display as a person would: does it show these words?"""

from typing import Any

from PIL import Image

from host.display.pane import BOLD, FINE, PLAIN, Lettering


def cells_of(text: str, lettering: Lettering) -> list[tuple[int, int, bool]]:
    """Every pixel of a written text, with whether it is lit."""
    font, scale = lettering
    cells = []
    left = 0
    for sign in text:
        if sign != " ":
            assert sign in font.glyphs, sign
            for y, row in enumerate(font.rows(sign)):
                for x, dot in enumerate(row):
                    for across in range(scale):
                        for down in range(scale):
                            cells.append((left + x * scale + across, y * scale + down, dot == "#"))
        left += font.advance(sign) * scale
    return cells


def shows(image: Image.Image, text: str) -> bool:
    """Whether the text stands anywhere in the picture, in any of the display's letterings, in one colour."""
    pixels: Any = image.load()
    for lettering in (BOLD, PLAIN, FINE):
        cells = cells_of(text, lettering)
        wide = max(x for x, _, _ in cells) + 1
        high = max(y for _, y, _ in cells) + 1
        first = next((x, y) for x, y, lit in cells if lit)
        for top in range(image.height - high + 1):
            for left in range(image.width - wide + 1):
                colour = pixels[left + first[0], top + first[1]]
                if any(colour) and all(
                    pixels[left + x, top + y] == (colour if lit else (0, 0, 0)) for x, y, lit in cells
                ):
                    return True
    return False
