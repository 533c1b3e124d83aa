"""A pane of the picture, 63 by 32 pixels, and how text, cards and rules are put on it."""

from PIL import Image

from host.display.font import BACK, NORMAL, SMALL, TEN, Font
from host.display.palette import GREY, ORANGE, WHITE, Colour

WIDTH = 63
HEIGHT = 32
CARD_STEP = 13
BACK_STEP = 8
SUITS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
SUIT_COLOURS = {"C": WHITE, "D": ORANGE, "H": ORANGE, "S": WHITE}

Lettering = tuple[Font, int]  # a font and how many pixels each of its pixels takes
BOLD: Lettering = (SMALL, 2)  # ten pixels high
PLAIN: Lettering = (NORMAL, 1)
FINE: Lettering = (SMALL, 1)


class Pane:
    """Draws into an image from `left` on; what would leave the pane is cut off."""

    def __init__(self, image: Image.Image, left: int) -> None:
        self.image = image
        self.left = left

    def dot(self, x: int, y: int, colour: Colour) -> None:
        if 0 <= x < WIDTH and 0 <= y < HEIGHT:
            self.image.putpixel((self.left + x, y), colour)

    def text(self, x: int, y: int, text: str, colour: Colour, lettering: Lettering = PLAIN) -> int:
        """Write from x, y on; returns where the next sign would begin."""
        font, scale = lettering
        for sign in text:
            if sign != " ":
                self.sign(x, y, font.rows(sign), scale, colour)
            x += font.advance(sign) * scale
        return x

    def sign(self, x: int, y: int, rows: tuple[str, ...], scale: int, colour: Colour) -> None:
        for down in range(len(rows) * scale):
            for across in range(len(rows[0]) * scale):
                if rows[down // scale][across // scale] == "#":
                    self.dot(x + across, y + down, colour)

    def right(self, y: int, text: str, colour: Colour, lettering: Lettering = PLAIN) -> None:
        self.text(WIDTH - width(text, lettering), y, text, colour, lettering)

    def centre(self, y: int, text: str, colour: Colour, lettering: Lettering = PLAIN) -> None:
        self.text((WIDTH - width(text, lettering)) // 2, y, text, colour, lettering)

    def cards(self, x: int, y: int, words: tuple[str, ...]) -> None:
        """Cards face up, as `KS`: rank and suit."""
        for word in words:
            colour = SUIT_COLOURS[word[1]]
            after = self.text(x, y, TEN if word[0] == "T" else word[0], WHITE)
            self.text(after, y, SUITS[word[1]], colour)
            x += CARD_STEP

    def backs(self, x: int, y: int, count: int) -> None:
        for place in range(count):
            self.text(x + BACK_STEP * place, y, BACK, GREY)


def width(text: str, lettering: Lettering) -> int:
    font, scale = lettering
    return font.width(text) * scale


def biggest(text: str, room: int, *letterings: Lettering) -> Lettering:
    """The first of the letterings in which the text fits the room, or the last of them."""
    for lettering in letterings:
        if width(text, lettering) <= room:
            return lettering
    return letterings[-1]
