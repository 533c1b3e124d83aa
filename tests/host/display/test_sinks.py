"""Sinks that need no hardware: the terminal, read back as a picture, and the PNG file."""

import fcntl
import io
import os
import pty
import re
import struct
import termios
from pathlib import Path

import pytest
from PIL import Image

from host.display.config import DisplayConfig, open_sink
from host.display.leds import as_leds, png_bytes
from host.display.palette import ALL, GREEN
from host.display.picture import SIZES, draw
from host.display.sinks import DisplayFailed, NoSink, PngSink
from host.display.terminal import COLOURS_256, NO_COLOUR, TRUE_COLOUR, TerminalSink, colours_of, nearest_256
from host.rules.catalogue import find_book
from host.simulator.scenes import scenes
from tests.support.tables import LUCKY

pytestmark = pytest.mark.slow


class Screen(io.StringIO):
    """A terminal; `encoding` as the locale says."""

    encoding = "utf-8"
    tty = True

    def isatty(self):
        return self.tty


def picture(name="settled", size=SIZES[0]):
    return next(draw(scene.view, size, 0) for scene in scenes(find_book(LUCKY)) if scene.name == name)


def cube(number):
    """The colour of a number of the 6 x 6 x 6 cube, as terminals define it."""
    number -= 16
    return tuple(0 if step == 0 else 55 + 40 * step for step in (number // 36, number // 6 % 6, number % 6))


def read_screen(text, width):
    """What a terminal would show after this output: rows of (upper, lower) colours."""
    rows, row, column = [[]], 0, 0
    upper = lower = None
    for escape, sign in re.findall(r"\x1b\[([?0-9;]*[A-Za-z])|([^\x1b])", text):
        if sign == "\n":
            row, column = row + 1, 0
            if row == len(rows):
                rows.append([])
        elif sign == "\r":
            column = 0
        elif sign:
            assert column < width
            rows[row][column : column + 1] = [(upper, lower, sign)]
            column += 1
        elif escape.endswith("A"):
            row -= int(escape[:-1])
        elif escape == "0m":
            upper = lower = None
        elif escape.endswith("m"):
            ground, how, *values = map(int, escape[:-1].split(";"))
            colour = tuple(values) if how == 2 else cube(values[0])
            if ground == 38:
                upper = colour
            else:
                lower = colour
    return rows[:-1]


def as_picture(rows):
    image = Image.new("RGB", (len(rows[0]), 2 * len(rows)))
    for y, row in enumerate(rows):
        for x, (upper, lower, sign) in enumerate(row):
            assert sign == "▀"
            image.putpixel((x, 2 * y), upper)
            image.putpixel((x, 2 * y + 1), lower)
    return image


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_terminal_shows_the_picture_pixel_by_pixel(size):
    screen = Screen()
    image = picture(size=size)
    TerminalSink(screen, TRUE_COLOUR, False).show(image)
    assert as_picture(read_screen(screen.getvalue(), size[0])).tobytes() == image.tobytes()


def test_the_next_picture_is_drawn_over_the_last_and_the_same_one_not_at_all():
    screen = Screen()
    sink = TerminalSink(screen, TRUE_COLOUR, True)
    sink.show(picture("betting"))
    sink.show(picture("settled"))
    written = screen.getvalue()
    sink.show(picture("settled"))
    assert screen.getvalue() == written
    rows = read_screen(written, 64)
    assert len(rows) == 16
    assert as_picture(rows).tobytes() == picture("settled").tobytes()
    assert written.startswith("\x1b[?25l")
    sink.close()
    sink.close()
    assert screen.getvalue() == written + "\x1b[?25h"


@pytest.mark.slow
def test_256_colours_are_the_nearest_and_all_of_ours_differ():
    assert nearest_256((0, 0, 0)) == 16
    assert nearest_256((255, 255, 255)) == 231
    assert nearest_256((255, 90, 0)) == 16 + 36 * 5 + 6 * 1
    assert len({nearest_256(colour) for colour in ALL}) == len(ALL)
    screen = Screen()
    TerminalSink(screen, COLOURS_256, False).show(picture())
    shown = as_picture(read_screen(screen.getvalue(), 64))
    green = next(
        place for place in ((x, y) for x in range(64) for y in range(32)) if picture().getpixel(place) == GREEN
    )
    assert shown.getpixel(green) == cube(nearest_256(GREEN)) == (0, 215, 135)


def test_without_colours_there_are_no_escapes_and_every_lit_pixel_is_a_block():
    screen = Screen()
    image = picture()
    TerminalSink(screen, NO_COLOUR, False).show(image)
    assert "\x1b" not in screen.getvalue()
    lines = screen.getvalue().splitlines()
    for y in range(32):
        for x in range(64):
            half = "▀█" if y % 2 == 0 else "▄█"
            assert (lines[y // 2][x] in half) == (image.getpixel((x, y)) != (0, 0, 0))


def test_a_terminal_without_half_blocks_gets_plain_signs():
    screen = Screen()
    screen.encoding = "ascii"
    TerminalSink(screen, TRUE_COLOUR, False).show(picture())
    assert screen.getvalue().isascii()
    assert set(screen.getvalue()) <= set(" '.:\n")


@pytest.mark.parametrize(
    ("environment", "is_terminal", "colours"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, True, TRUE_COLOUR),
        ({"TERM": "xterm-256color", "COLORTERM": "24bit"}, True, TRUE_COLOUR),
        ({"TERM": "xterm-256color"}, True, COLOURS_256),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"}, True, NO_COLOUR),
        ({"TERM": "dumb", "COLORTERM": "truecolor"}, True, NO_COLOUR),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, False, NO_COLOUR),
        ({}, True, NO_COLOUR),
    ],
)
def test_what_a_terminal_can_show_follows_from_its_environment(environment, is_terminal, colours):
    assert colours_of(environment, is_terminal) == colours


def test_a_pipe_gets_pictures_one_below_the_other(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    screen = Screen()
    screen.tty = False
    sink = open_sink(DisplayConfig(kind="terminal"), screen)
    sink.show(picture("betting"))
    sink.show(picture("settled"))
    sink.close()
    assert "\x1b" not in screen.getvalue()
    assert len(screen.getvalue().splitlines()) == 32


@pytest.mark.parametrize(
    ("columns", "lines", "size", "fits"),
    [
        (64, 17, "64x32", True),
        (63, 17, "64x32", False),
        (64, 16, "64x32", False),
        (80, 24, "128x32", False),
        (128, 24, "128x32", True),
        (0, 0, "128x32", True),
    ],
)
def test_a_terminal_that_is_too_small_is_said_in_words(columns, lines, size, fits):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    with open(theirs, "w", encoding="utf-8") as stream:
        if fits:
            open_sink(DisplayConfig(kind="terminal", size=size), stream).close()
        else:
            words = f"the terminal has {columns} columns and {lines} lines; this display needs"
            with pytest.raises(DisplayFailed, match=words):
                open_sink(DisplayConfig(kind="terminal", size=size), stream)
    os.close(ours)


# -- PNG


def test_the_png_holds_the_picture_and_nothing_else_is_left_beside_it(tmp_path):
    file = tmp_path / "table.png"
    sink = open_sink(DisplayConfig(kind="png", file=str(file), scale=1), Screen())
    sink.show(picture("betting"))
    sink.show(picture())
    sink.close()
    with Image.open(file) as image:
        assert image.convert("RGB").tobytes() == picture().tobytes()
    assert [path.name for path in tmp_path.iterdir()] == ["table.png"]
    assert file.stat().st_mode & 0o777 == 0o644


def test_the_png_is_written_only_when_the_picture_changes(tmp_path):
    file = tmp_path / "table.png"
    sink = PngSink(file, 1)
    sink.show(picture())
    file.unlink()
    sink.show(picture())
    assert not file.exists()
    sink.show(picture("betting"))
    assert file.exists()


def test_a_folder_that_is_gone_is_said_in_words_and_no_part_of_a_file_is_left(tmp_path, monkeypatch):
    sink = PngSink(tmp_path / "gone" / "table.png", 1)
    with pytest.raises(DisplayFailed, match=r"cannot write .*table.png: No such file or directory"):
        sink.show(picture())

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("host.files.os.replace", fail)
    with pytest.raises(DisplayFailed, match="No space left on device"):
        PngSink(tmp_path / "table.png", 1).show(picture())
    assert list(tmp_path.iterdir()) == []


def test_leds_are_round_dots_of_their_own_colour():
    image = Image.new("RGB", (2, 1))
    image.putpixel((0, 0), (255, 90, 0))
    dots = as_leds(image, 8)
    assert dots.size == (16, 8)
    assert dots.getpixel((4, 4)) == (255, 90, 0)
    assert dots.getpixel((0, 0)) == (0, 0, 0), "round"
    assert dots.getpixel((12, 4)) == (14, 14, 14), "off, and still to be seen"
    assert as_leds(image, 1).tobytes() == image.tobytes()


def test_png_bytes_are_a_picture_for_a_web_page():
    data = png_bytes(picture(), 4)
    with Image.open(io.BytesIO(data)) as image:
        assert (image.format, image.size) == ("PNG", (256, 128))


def test_a_display_that_is_not_there_takes_everything():
    sink = open_sink(DisplayConfig(), Screen())
    assert isinstance(sink, NoSink)
    sink.show(picture())
    sink.close()


def test_every_picture_of_a_round_goes_to_a_file_whole(tmp_path):
    """Whoever opens the file between two pictures finds one of them."""
    file = Path(tmp_path / "table.png")
    sink = PngSink(file, 2)
    for scene in scenes(find_book(LUCKY)):
        for size in SIZES:
            sink.show(draw(scene.view, size, 0))
            with Image.open(file) as image:
                image.load()
                assert image.size == (size[0] * 2, size[1] * 2)
