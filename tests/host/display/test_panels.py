"""Panels: the exact bytes on a MAX7219's bus, the place of every WS2812 in its chain, and what HUB75 is told."""

import sys
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from luma.core.interface.serial import noop, spi
from PIL import Image

from host.display.config import DisplayConfig, open_sink
from host.display.panels import Hub75Sink, Max7219Sink, Ws2812Sink, open_spi
from host.display.sinks import DisplayFailed
from host.display.wiring import CORNERS, ROW_ORDERS, WIRINGS, led_order

BLOCKS = 32  # of 8 x 8 in 64 x 32


class Bus:
    """An SPI bus as spidev offers it, that writes down what is sent."""

    def __init__(self):
        self.sent = []
        self.broken = False

    def open(self, port, device):
        self.opened = (port, device)

    def writebytes(self, data):
        if self.broken:
            raise OSError(5, "Input/output error")
        self.sent.append(bytes(data))

    def close(self):
        self.closed = True


def picture(*lit, size=(64, 32), colour=(0, 200, 130)):
    image = Image.new("RGB", size)
    for place in lit:
        image.putpixel(place, colour)
    return image


def max7219(**more):
    bus = Bus()
    sink = Max7219Sink(spi(spi=bus, gpio=noop()), DisplayConfig(kind="max7219", **more))
    return sink, bus


def shown(*lit, **more):
    """The eight transfers of one picture."""
    sink, bus = max7219(**more)
    bus.sent.clear()
    sink.show(picture(*lit))
    return bus.sent


def transfers(register, block, byte, blocks=BLOCKS):
    """By hand: register 1 to 8 is a block's column from the left, bit 0 its top row. Every transfer has two bytes
    for each block, the last of the chain first, because they are shifted through the others."""
    made = []
    for column in range(1, 9):
        pairs = [bytes([column, byte if (column, place) == (register, block) else 0]) for place in range(blocks)]
        made.append(b"".join(reversed(pairs)))
    return made


def test_a_max7219_is_set_up_and_dark_before_it_shows_anything():
    _, bus = max7219(brightness=40)
    assert bus.opened == (0, 0)
    dark = [bytes([column, 0]) * BLOCKS for column in range(1, 9)]
    assert bus.sent == [
        bytes([0x0B, 7]) * BLOCKS,  # all eight columns
        bytes([0x09, 0]) * BLOCKS,  # no decoding of digits
        bytes([0x0F, 0]) * BLOCKS,  # no display test
        bytes([0x0A, 7]) * BLOCKS,  # luma's own brightness
        *dark,
        bytes([0x0C, 1]) * BLOCKS,  # on
        bytes([0x0A, 6]) * BLOCKS,  # ours: 40 % of 255 is 102, and 102 / 16 is 6
    ]


def test_one_pixel_in_its_corner_by_hand():
    assert shown((0, 0)) == [
        bytes([1, 0]) * 31 + bytes([1, 0b1]),
        *[bytes([column, 0]) * 32 for column in range(2, 9)],
    ]
    assert shown((63, 31)) == [
        *[bytes([column, 0]) * 32 for column in range(1, 8)],
        bytes([8, 0b10000000]) + bytes([8, 0]) * 31,
    ]


def test_a_known_small_picture_by_hand():
    """An arrow to the left in the second block: a column of three, a dot before it."""
    sent = shown((9, 3), (10, 2), (10, 3), (10, 4))
    assert sent[1] == bytes([2, 0]) * 30 + bytes([2, 0b00001000]) + bytes([2, 0])
    assert sent[2] == bytes([3, 0]) * 30 + bytes([3, 0b00011100]) + bytes([3, 0])
    assert all(not any(transfer[1::2]) for place, transfer in enumerate(sent) if place not in (1, 2))


@pytest.mark.parametrize(
    ("orientation", "register", "byte"),
    [
        (0, 1, 0x01),  # top left
        (90, 1, 0x80),  # turned against the clock: bottom left
        (-90, 8, 0x01),  # turned with the clock: top right
        (180, 8, 0x80),  # bottom right
    ],
)
@pytest.mark.parametrize(("reverse", "block"), [(False, 0), (True, 7)])
def test_blocks_are_turned_and_counted_from_either_end(orientation, register, byte, reverse, block):
    sent = shown((0, 0), block_orientation=orientation, reverse=reverse)
    assert sent == transfers(register, block, byte)


@pytest.mark.parametrize(
    ("rows", "reverse", "block", "register", "byte"),
    [
        ("same", False, 8, 1, 0x01),
        ("same", True, 15, 1, 0x01),
        ("zigzag", False, 15, 1, 0x01),
        ("zigzag", True, 8, 1, 0x01),
        ("folded", False, 15, 8, 0x80),  # upside down
        ("folded", True, 8, 8, 0x80),
    ],
)
def test_the_second_row_of_blocks_follows_as_it_is_wired(rows, reverse, block, register, byte):
    assert shown((0, 8), rows=rows, reverse=reverse) == transfers(register, block, byte)


@pytest.mark.parametrize(
    ("rotate", "block", "register", "byte"),
    [
        (0, 0, 1, 0x01),
        (180, 31, 8, 0x80),
        (90, 3, 8, 0x01),  # a panel of 32 x 64: its first row is four blocks, and the pixel is at its right end
        (270, 28, 1, 0x80),  # bottom left: the first block of the eighth row
    ],
)
def test_a_panel_that_hangs_otherwise(rotate, block, register, byte):
    assert shown((0, 0), rotate=rotate) == transfers(register, block, byte)


def test_the_large_size_has_twice_the_blocks():
    sink, bus = max7219(size="128x32")
    bus.sent.clear()
    sink.show(picture((127, 31), size=(128, 32)))
    assert bus.sent == transfers(8, 63, 0x80, blocks=64)


def test_dim_colours_are_lit_too():
    sink, bus = max7219()
    bus.sent.clear()
    sink.show(picture((0, 0), colour=(0, 0, 1)))
    assert bus.sent == transfers(1, 0, 0x01)


def test_a_bus_that_fails_is_said_in_words_and_closing_is_quiet():
    sink, bus = max7219()
    bus.broken = True
    with pytest.raises(DisplayFailed, match=r"does not answer: .*Input/output error; check its cable"):
        sink.show(picture())
    sink.close()
    sink.close()


def test_closing_leaves_the_panel_dark_and_off():
    sink, bus = max7219()
    sink.show(picture((0, 0)))
    bus.sent.clear()
    sink.close()
    assert bus.sent[0] == bytes([0x0C, 0]) * BLOCKS
    assert bus.sent[1:] == [bytes([column, 0]) * BLOCKS for column in range(1, 9)]
    assert bus.closed


# -- WS2812


class Ws281x:
    """What luma asks of rpi_ws281x, writing down the colour of each LED when they are rendered."""

    WS2811_STRIP_GRB = 0
    init_answer = 0

    def __init__(self):
        self.lit = {}
        self.rendered = {}
        self.brightness = None

    def new_ws2811_t(self):
        return "leds"

    def ws2811_channel_get(self, leds, channel):
        return channel

    def ws2811_init(self, leds):
        return self.init_answer

    def ws2811_led_set(self, channel, place, colour):
        self.lit[place] = colour

    def ws2811_render(self, leds):
        self.rendered = {place: colour for place, colour in self.lit.items() if colour}
        return 0

    def ws2811_channel_t_count_set(self, channel, count):
        if channel == 0:
            self.count = count

    def ws2811_channel_t_brightness_set(self, channel, value):
        if channel == 0:
            self.brightness = value

    def __getattr__(self, name):
        if name.startswith("ws2811_") or name == "delete_ws2811_t":
            return lambda *_: None
        raise AttributeError(name)


def ws2812(**more):
    driver = Ws281x()
    return Ws2812Sink(driver, DisplayConfig(kind="ws2812", **more)), driver


@pytest.mark.parametrize(
    ("place", "led"),
    [
        # Panels of 32 x 8, wired down and up column by column, two in a row.
        ((0, 0), 0),
        ((0, 7), 7),
        ((1, 7), 8),
        ((1, 0), 15),
        ((31, 0), 255),
        ((32, 0), 256),
        ((0, 8), 512),
        ((63, 31), 2047 - 7),  # the last column runs up again, so its lowest LED comes first
    ],
)
def test_where_a_pixel_is_in_the_chain_by_hand(place, led):
    sink, driver = ws2812()
    sink.show(picture(place, colour=(1, 2, 3)))
    assert driver.rendered == {led: 0x010203}
    assert driver.count == 64 * 32
    sink.close()
    assert driver.rendered == {}


@pytest.mark.parametrize(
    ("settings", "led"),
    [
        ({"wiring": "columns"}, 2 * 8 + 1),
        ({"wiring": "rows"}, 32 + 2),
        ({"wiring": "rows-zigzag"}, 32 + 29),
        ({"wiring": "rows", "corner": "top-right"}, 32 + 29),
        ({"wiring": "rows", "corner": "bottom-left"}, 6 * 32 + 2),
        ({"wiring": "rows", "corner": "bottom-right"}, 6 * 32 + 29),
        ({"wiring": "rows", "reverse": True}, 256 + 32 + 2),
        ({"wiring": "rows", "panel": "16x16"}, 16 + 2),
        ({"wiring": "rows", "panel": "64x32", "rotate": 180}, 30 * 64 + 61),
    ],
)
def test_pixel_2_1_in_other_wirings_by_hand(settings, led):
    sink, driver = ws2812(**settings)
    sink.show(picture((2, 1), colour=(0, 0, 9)))
    assert driver.rendered == {led: 9}
    sink.close()


def test_the_brightness_is_a_share_of_255():
    sink, driver = ws2812(brightness=20)
    assert driver.brightness == 51
    sink.close()


@given(
    st.sampled_from(((8, 8), (16, 16), (32, 8), (8, 32), (64, 32))),
    st.sampled_from(WIRINGS),
    st.sampled_from(CORNERS),
    st.booleans(),
    st.sampled_from(ROW_ORDERS),
)
def test_every_led_has_one_pixel(panel, wiring, corner, reverse, rows):
    order = led_order((64, 32), panel, wiring, corner, reverse, rows)
    assert sorted(order) == list(range(64 * 32))


# -- HUB75


class Matrix:
    def __init__(self, options):
        self.options = options
        self.shown = []

    def CreateFrameCanvas(self):
        return SimpleNamespace(SetImage=self.shown.append)

    def SwapOnVSync(self, canvas):
        return canvas

    def Clear(self):
        self.shown.append(None)


def hub75(**more):
    library = SimpleNamespace(RGBMatrixOptions=SimpleNamespace, RGBMatrix=Matrix)
    return Hub75Sink(library, DisplayConfig(kind="hub75", **more))


def test_two_hub75_panels_in_a_chain():
    sink = hub75(size="128x32", chain=2, brightness=60, hardware="adafruit-hat", slowdown=3)
    options = sink.matrix.options
    assert (options.cols, options.rows, options.chain_length, options.parallel) == (64, 32, 2, 1)
    assert (options.brightness, options.hardware_mapping, options.gpio_slowdown) == (60, "adafruit-hat", 3)
    image = picture((5, 5), size=(128, 32))
    sink.show(image)
    matrix = sink.matrix
    assert matrix.shown[0].tobytes() == image.tobytes()
    sink.close()
    sink.close()
    assert matrix.shown[1:] == [None]


def test_a_hub75_panel_upside_down():
    sink = hub75(rotate=180)
    sink.show(picture((0, 0)))
    assert sink.matrix.shown[0].getpixel((63, 31)) == (0, 200, 130)


# -- what is not there


@pytest.mark.parametrize(
    ("kind", "module", "words"),
    [
        ("max7219", "spidev", "SPI needs the Python package spidev; install it"),
        ("ws2812", "_rpi_ws281x", "WS2812 needs a Raspberry Pi with the Python package rpi_ws281x"),
        ("hub75", "rgbmatrix", "HUB75 needs rgbmatrix, the Python binding of"),
    ],
)
def test_what_is_not_installed_is_said_in_words(kind, module, words, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(DisplayFailed, match=words):
        open_sink(DisplayConfig(kind=kind), sys.stdout)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (FileNotFoundError(2, "No such file"), "there is no /dev/spidev0.1; switch SPI on"),
        (PermissionError(13, "Permission denied"), "/dev/spidev0.1 may not be opened; add the user"),
        (OSError(16, "Device or resource busy"), "/dev/spidev0.1 cannot be opened: .*busy"),
    ],
)
def test_a_bus_that_cannot_be_opened_is_said_in_words(error, words, monkeypatch):
    def fail(port, device):
        raise error

    broken = SimpleNamespace(SpiDev=lambda: SimpleNamespace(open=fail))
    monkeypatch.setitem(sys.modules, "spidev", broken)
    with pytest.raises(DisplayFailed, match=words):
        open_spi(0, 1)
