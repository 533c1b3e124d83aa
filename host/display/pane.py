"""A pane of the picture, 63 by 32 pixels, and how text, cards and rules are put on it."""

from functools import cache

from PIL import Image

from host.display.font import BACK, NORMAL, SMALL, TEN, Font
from host.display.palette import BLACK, GREY, ORANGE, WHITE, Colour
from shared.rules.cards import UNREAD

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
    """What would leave the pane is cut off."""

    def __init__(self) -> None:
        self.image = Image.new("RGB", (WIDTH, HEIGHT), BLACK)

    def text(self, x: int, y: int, text: str, colour: Colour, lettering: Lettering = PLAIN) -> int:
        """Write from x, y on; returns where the next sign would begin."""
        return write(self.image, x, y, text, colour, lettering)

    def right(self, y: int, text: str, colour: Colour, lettering: Lettering = PLAIN) -> None:
        self.text(WIDTH - width(text, lettering), y, text, colour, lettering)

    def centre(self, y: int, text: str, colour: Colour, lettering: Lettering = PLAIN) -> None:
        self.text((WIDTH - width(text, lettering)) // 2, y, text, colour, lettering)

    def cards(self, x: int, y: int, words: tuple[str, ...]) -> None:
        """Cards face up, as `KS`: rank and suit; one that was not read by its back."""
        for word in words:
            if word == UNREAD:
                self.backs(x, y, 1)
            else:
                after = self.text(x, y, TEN if word[0] == "T" else word[0], WHITE)
                self.text(after, y, SUITS[word[1]], SUIT_COLOURS[word[1]])
            x += CARD_STEP

    def backs(self, x: int, y: int, count: int) -> None:
        for place in range(count):
            self.text(x + BACK_STEP * place, y, BACK, GREY)


def write(image: Image.Image, x: int, y: int, text: str, colour: Colour, lettering: Lettering) -> int:
    font, scale = lettering
    for sign in text:
        if sign != " ":
            image.paste(colour, (x, y), stencil(font.rows(sign), scale))
        x += font.advance(sign) * scale
    return x


@cache
def stencil(rows: tuple[str, ...], scale: int) -> Image.Image:
    """A sign as the mask through which its colour is laid on."""
    mask = Image.new("1", (len(rows[0]), len(rows)))
    mask.putdata([dot == "#" for row in rows for dot in row])
    return mask.resize((mask.width * scale, mask.height * scale), Image.Resampling.NEAREST)


def width(text: str, lettering: Lettering) -> int:
    font, scale = lettering
    return font.width(text) * scale


def biggest(text: str, room: int, *letterings: Lettering) -> Lettering:
    """The first of the letterings in which the text fits the room, or the last of them."""
    for lettering in letterings:
        if width(text, lettering) <= room:
            return lettering
    return letterings[-1]
