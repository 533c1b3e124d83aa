"""The settings of a table's display, with their defaults, and the sink for them. host.config checks them."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from host.display.sinks import DisplayFailed, NoSink, PngSink, Sink

KINDS = ("none", "terminal", "png", "max7219", "ws2812", "hub75")
BLOCK_ORIENTATIONS = (0, 90, -90, 180)
HUB75_ROWS = (8, 16, 32, 64)
SIZE = "[1-9][0-9]{0,3}x[1-9][0-9]{0,3}"


@dataclass(frozen=True)
class DisplayConfig:
    """Each kind uses some of the fields."""

    kind: str = "none"
    size: str = "64x32"
    file: str = ""  # png: where it is written
    scale: int = 8  # png: pixels for each LED
    rotate: int = 0  # degrees clockwise that the picture is turned to fit the panel
    brightness: int = 40  # per cent
    block_orientation: int = 0  # max7219: how each block of 8 x 8 is turned; -90 for most ready-made modules
    reverse: bool = False  # max7219, ws2812: each row of blocks begins on the right
    rows: str = "same"  # max7219, ws2812: how the rows of blocks follow each other
    spi_port: int = 0
    spi_device: int = 0
    panel: str = "32x8"  # ws2812: LEDs of one panel
    wiring: str = "columns-zigzag"  # ws2812: how a panel's LEDs follow each other
    corner: str = "top-left"  # ws2812: where the first LED of a panel is
    chain: int = 1  # hub75: panels one behind the other
    parallel: int = 1  # hub75: such chains one below the other
    hardware: str = "regular"  # hub75: how the panels are wired to the computer, in rgbmatrix's words
    slowdown: int = 1  # hub75: more for a faster computer

    def pixels(self) -> tuple[int, int]:
        """Width and height of the picture."""
        return read_size(self.size)

    def mounted(self) -> tuple[int, int]:
        """Width and height of the panel as it would stand if it were not turned."""
        width, height = self.pixels()
        return (height, width) if self.rotate in (90, 270) else (width, height)

    def panel_pixels(self) -> tuple[int, int]:
        return read_size(self.panel)


def open_sink(config: DisplayConfig, stream: TextIO) -> Sink:
    """The display that the configuration describes; `stream` is the terminal.

    DisplayFailed if what it needs is not there.
    """
    from host.display import panels  # here, as it needs the settings above

    if config.kind == "terminal":
        return open_terminal(config, stream)
    if config.kind == "png":
        return PngSink(Path(config.file), config.scale)
    if config.kind == "max7219":
        return panels.Max7219Sink(panels.open_spi(config.spi_port, config.spi_device), config)
    if config.kind == "ws2812":
        return panels.Ws2812Sink(panels.ws2812_driver(), config)
    if config.kind == "hub75":
        return panels.Hub75Sink(panels.hub75_library(), config)
    return NoSink()


def open_terminal(config: DisplayConfig, stream: TextIO) -> Sink:
    from host.display.terminal import TerminalSink, colours_of, lacking_room

    is_terminal = stream.isatty()
    lacking = lacking_room(stream, config.pixels()) if is_terminal else None
    if lacking:
        raise DisplayFailed("display.no_room", **lacking)
    in_place = is_terminal and os.environ.get("TERM", "") not in ("", "dumb")
    return TerminalSink(stream, colours_of(os.environ, is_terminal), in_place)


def read_size(text: str) -> tuple[int, int]:
    """Width and height of `64x32`."""
    width, _, height = text.partition("x")
    return int(width), int(height)
