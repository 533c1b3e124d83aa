"""Which part of a picture goes where on a panel that is put together from blocks: pure arithmetic.

A block is one MAX7219 with its 8 by 8 LEDs, or one WS2812 panel. Blocks are chained from the first, at the top
left, along its row, then row by row. `reverse` begins each row on the right. `rows` says how the rows follow each
other: "same", each begins where the one above began; "zigzag", every second row runs back; "folded", the same
with its blocks upside down, as a long chain that is bent round lies.
"""

from PIL import Image

SAME = "same"
ZIGZAG = "zigzag"
FOLDED = "folded"
ROW_ORDERS = (SAME, ZIGZAG, FOLDED)

# How the LEDs of one block follow each other.
WIRINGS = ("rows", "rows-zigzag", "columns", "columns-zigzag")
CORNERS = ("top-left", "top-right", "bottom-left", "bottom-right")

TURNS = {
    0: None,
    90: Image.Transpose.ROTATE_270,  # Pillow turns against the clock
    180: Image.Transpose.ROTATE_180,
    270: Image.Transpose.ROTATE_90,
}


def turned(image: Image.Image, degrees: int) -> Image.Image:
    """The picture turned clockwise."""
    turn = TURNS[degrees]
    return image if turn is None else image.transpose(turn)


def block_at(across: int, down: int, columns: int, reverse: bool, rows: str) -> int:
    """Which block of the chain, from 0, hangs at this place of the grid."""
    runs_left = reverse != (rows != SAME and down % 2 == 1)
    return down * columns + (columns - 1 - across if runs_left else across)


def is_upside_down(down: int, rows: str) -> bool:
    return rows == FOLDED and down % 2 == 1


def arranged(image: Image.Image, side: int, reverse: bool, rows: str) -> Image.Image:
    """The picture with its square blocks in the order of the chain, as a plain chain would show it."""
    columns = image.width // side
    made = Image.new(image.mode, image.size)
    for down in range(image.height // side):
        for across in range(columns):
            left, top = across * side, down * side
            block = image.crop((left, top, left + side, top + side))
            if is_upside_down(down, rows):
                block = block.transpose(Image.Transpose.ROTATE_180)
            place = block_at(across, down, columns, reverse, rows)
            made.paste(block, (place % columns * side, place // columns * side))
    return made


def led_order(
    size: tuple[int, int], panel: tuple[int, int], wiring: str, corner: str, reverse: bool, rows: str
) -> list[int]:
    """For every pixel, row by row, its place in one long chain of LEDs through all panels."""
    width, height = panel
    columns = size[0] // width
    order = []
    for y in range(size[1]):
        for x in range(size[0]):
            across, left = divmod(x, width)
            down, top = divmod(y, height)
            if is_upside_down(down, rows):
                left, top = width - 1 - left, height - 1 - top
            if corner.endswith("right"):
                left = width - 1 - left
            if corner.startswith("bottom"):
                top = height - 1 - top
            run, step, length = (top, left, width) if wiring.startswith("rows") else (left, top, height)
            if wiring.endswith("zigzag") and run % 2:
                step = length - 1 - step
            order.append(block_at(across, down, columns, reverse, rows) * width * height + run * length + step)
    return order
