"""A table's display as it is configured: which kind, which size, how it hangs; and the sink for it."""

import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TextIO

from host.display.picture import SIZES
from host.display.sinks import DisplayFailed, NoSink, PngSink, Sink
from host.display.wiring import CORNERS, ROW_ORDERS, TURNS, WIRINGS, mounted_size

KINDS = ("none", "terminal", "png", "max7219", "ws2812", "hub75")
BLOCK_ORIENTATIONS = (0, 90, -90, 180)
HUB75_ROWS = (8, 16, 32, 64)

Problem = tuple[str, str]  # the field, and what is wrong with it in a sentence


@dataclass(frozen=True)
class DisplayConfig:
    """A field that the kind does not use is not looked at, beyond being what it may be."""

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
        return mounted_size(self.pixels(), self.rotate)

    def panel_pixels(self) -> tuple[int, int]:
        return read_size(self.panel)

    def problems(self) -> list[Problem]:
        """What is wrong with it, field by field; none if it can be opened."""
        names = [field.name for field in fields(self)]
        wrong = [problem for name in names for problem in type_problem(name, getattr(self, name))]
        return wrong or [*self.choice_problems(), *self.range_problems()] or self.fitting_problems()

    def choice_problems(self) -> list[Problem]:
        sizes = tuple(f"{width}x{height}" for width, height in SIZES)
        allowed: tuple[tuple[str, tuple[Any, ...]], ...] = (
            ("kind", KINDS),
            ("size", sizes),
            ("rotate", tuple(TURNS)),
            ("block_orientation", BLOCK_ORIENTATIONS),
            ("rows", ROW_ORDERS),
            ("wiring", WIRINGS),
            ("corner", CORNERS),
        )
        return [
            (name, f"expected {listed(choices)}, not {shown(getattr(self, name))}")
            for name, choices in allowed
            if getattr(self, name) not in choices
        ]

    def range_problems(self) -> list[Problem]:
        allowed = (
            ("scale", 1, 32),
            ("brightness", 1, 100),
            ("spi_port", 0, 9),
            ("spi_device", 0, 9),
            ("chain", 1, 16),
            ("parallel", 1, 3),
            ("slowdown", 0, 5),
        )
        return [
            (name, f"expected a number from {least} to {most}, not {getattr(self, name)}")
            for name, least, most in allowed
            if not least <= getattr(self, name) <= most
        ]

    def fitting_problems(self) -> list[Problem]:
        """What does not go together, of fields that are each right by themselves."""
        width, height = self.mounted()
        hangs = f"a display of {width}x{height}" + (f" (turned by {self.rotate})" if self.rotate else "")
        if self.kind == "png":
            return png_problems(self.file)
        if self.kind == "ws2812":
            panel = self.panel_pixels()
            if 0 in panel:
                return [("panel", f"expected width and height such as 32x8, not {shown(self.panel)}")]
            if width % panel[0] or height % panel[1]:
                return [("panel", f"{hangs} is not made of whole panels of {self.panel}")]
        if self.kind == "hub75":
            if width % self.chain:
                return [("chain", f"{hangs} is not {self.chain} panels wide")]
            if height % self.parallel or height // self.parallel not in HUB75_ROWS:
                rows = listed(HUB75_ROWS)
                return [("parallel", f"{hangs} is not {self.parallel} panels high; one has {rows} rows")]
        return []


def read_display(given: dict[str, Any]) -> tuple[DisplayConfig, list[Problem]]:
    """A display's configuration from a table of settings, and what is wrong with it."""
    known = {field.name for field in fields(DisplayConfig)}
    no_such = f"there is no such setting; there are {', '.join(sorted(known))}"
    unknown = [(name, no_such) for name in given if name not in known]
    config = DisplayConfig(**{name: value for name, value in given.items() if name in known})
    return config, unknown + config.problems()


def open_sink(config: DisplayConfig, stream: TextIO) -> Sink:
    """The display that the configuration describes; `stream` is the terminal.

    ValueError if the configuration is wrong, DisplayFailed if what it needs is not there.
    """
    problems = config.problems()
    if problems:
        raise ValueError("; ".join(f"{field}: {sentence}" for field, sentence in problems))
    if config.kind == "terminal":
        return open_terminal(config, stream)
    if config.kind == "png":
        return PngSink(Path(config.file), config.scale)
    if config.kind == "max7219":
        from host.display.panels import Max7219Sink, open_spi

        return Max7219Sink(open_spi(config.spi_port, config.spi_device), config)
    if config.kind == "ws2812":
        from host.display.panels import Ws2812Sink, ws2812_driver

        return Ws2812Sink(ws2812_driver(), config)
    if config.kind == "hub75":
        from host.display.panels import Hub75Sink, hub75_library

        return Hub75Sink(hub75_library(), config)
    return NoSink()


def open_terminal(config: DisplayConfig, stream: TextIO) -> Sink:
    from host.display.terminal import TerminalSink, colours_of, lacking_room

    is_terminal = stream.isatty()
    lacking = lacking_room(stream, config.pixels()) if is_terminal else None
    if lacking:
        raise DisplayFailed(lacking)
    in_place = is_terminal and os.environ.get("TERM", "") not in ("", "dumb")
    return TerminalSink(stream, colours_of(os.environ, is_terminal), in_place)


def png_problems(file: str) -> list[Problem]:
    if not file:
        return [("file", "a display of the kind png needs a file to write")]
    path = Path(file)
    if path.is_dir():
        return [("file", f"{file} is a folder; name a file in it")]
    if not path.parent.is_dir():
        return [("file", f"there is no folder {path.parent}")]
    return []


def type_problem(name: str, value: Any) -> list[Problem]:
    """A field that is not of its default's type; true and false are no numbers here."""
    wanted = type(getattr(DisplayConfig, name))
    if type(value) is wanted:
        return []
    words = {int: "a whole number", str: "a text", bool: "true or false"}[wanted]
    return [(name, f"expected {words}, not {shown(value)}")]


def read_size(text: str) -> tuple[int, int]:
    """Width and height of `64x32`; (0, 0) if it is not written like that."""
    width, _, height = text.partition("x")
    if not (width.isascii() and width.isdigit() and height.isascii() and height.isdigit()):
        return (0, 0)
    return int(width), int(height)


def listed(choices: tuple[Any, ...]) -> str:
    return ", ".join(map(str, choices[:-1])) + f" or {choices[-1]}"


def shown(value: Any) -> str:
    return repr(value)[:40]
