"""How a panel shows the picture: every pixel a round dot, or on a panel of one colour lit or dark."""

from io import BytesIO

from PIL import Image, ImageChops, ImageDraw

FINER = 4  # the dot is drawn so much bigger and then made smaller, for a smooth edge
UNLIT = (14, 14, 14)


def as_leds(image: Image.Image, scale: int) -> Image.Image:
    """The picture with each pixel as a dot `scale` pixels wide; 1 leaves it as it is."""
    if scale == 1:
        return image.copy()
    size = (image.width * scale, image.height * scale)
    side = scale * FINER
    big = Image.new("L", (side, side), 0)
    edge = side // 16
    ImageDraw.Draw(big).ellipse((edge, edge, side - 1 - edge, side - 1 - edge), fill=255)
    dot = big.resize((scale, scale), Image.Resampling.BOX)
    row = Image.new("L", (size[0], scale))
    for x in range(0, size[0], scale):
        row.paste(dot, (x, 0))
    dots = Image.new("L", size)
    for y in range(0, size[1], scale):
        dots.paste(row, (0, y))
    # A LED that is off can still be seen.
    visible = Image.composite(image, Image.new("RGB", image.size, UNLIT), monochrome(image))
    lit = visible.resize(size, Image.Resampling.NEAREST)
    return ImageChops.multiply(lit, Image.merge("RGB", (dots, dots, dots)))


def monochrome(image: Image.Image) -> Image.Image:
    """Every pixel that is lit at all; the picture never has one colour on another, so nothing runs together."""
    red, green, blue = image.split()
    brightest = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return brightest.point([0] + [255] * 255, "1")


def png_bytes(image: Image.Image, scale: int = 1) -> bytes:
    """The picture as the bytes of a PNG file, for a file or a web page."""
    made = BytesIO()
    as_leds(image, scale).save(made, "PNG")
    return made.getvalue()
