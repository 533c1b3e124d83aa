"""Finds where each key and value of a TOML text stands, which tomllib does not tell.

It takes only text that tomllib has read without complaint, so it need not check the grammar.
"""

import re
import tomllib
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple

Path = tuple[str | int, ...]  # keys, and places in arrays from 0

STRINGS = r'"""(?:\\.|[^\\])*?""""{0,2}|' r"'''.*?''''{0,2}|" r'"(?:\\.|[^"\\])*"|' r"'[^']*'"
STRING = re.compile(STRINGS, re.DOTALL)
KEY = re.compile(rf"{STRINGS}|[\w-]+", re.DOTALL)
SCALAR = re.compile(r"[^,\]}#\n]*[^,\]}#\n \t]")
SPACES = re.compile(r"[ \t]*")
BLANKS = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
SIGN = re.compile(r"\[\[?|\]\]?|[{}=]")
COMMA = re.compile(r",?")


class Span(NamedTuple):
    """From the first character to the one after the last."""

    start: int
    end: int


class Place(NamedTuple):
    """Where something stands: its key, or its header; and its value, if it has one of its own."""

    key: Span
    value: Span | None


@dataclass
class Layout:
    """A TOML text and where everything in it stands. Lines and columns count from 1."""

    text: str
    places: dict[Path, Place] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.line_starts = [0] + [at + 1 for at, character in enumerate(self.text) if character == "\n"]

    def line_and_column(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def nearest(self, path: Path) -> Place | None:
        """Where this stands, or the nearest thing around it that stands anywhere."""
        while path and path not in self.places:
            path = path[:-1]
        return self.places.get(path)


def unix_lines(text: str) -> str:
    """The text as tomllib counts in it."""
    return text.replace("\r\n", "\n")


def lay_out(text: str) -> Layout:
    """Where every key and value of a valid TOML text stands."""
    layout = Layout(unix_lines(text))
    Scanner(layout).document()
    return layout


class Scanner:
    def __init__(self, layout: Layout) -> None:
        self.text = layout.text
        self.places = layout.places
        self.at = 0
        self.tables: dict[Path, int] = {}  # how many [[tables]] each array of tables has so far

    def take(self, pattern: re.Pattern[str]) -> Span:
        found = pattern.match(self.text, self.at)
        if not found:
            raise ValueError("not a text that tomllib takes")
        self.at = found.end()
        return Span(*found.span())

    def is_at(self, *signs: str) -> bool:
        return self.text.startswith(signs, self.at)

    def document(self) -> None:
        prefix: Path = ()
        self.take(BLANKS)
        while self.at < len(self.text):
            if self.is_at("["):
                prefix = self.header()
            else:
                self.pair(prefix)
            self.take(BLANKS)

    def header(self) -> Path:
        """The path that the keys below a [table] or [[table]] belong to."""
        is_array = self.is_at("[[")
        start = self.take(SIGN).start
        *parents, (last, _) = self.key_names()
        span = Span(start, self.take(SIGN).end)
        path: Path = ()
        for name, _ in parents:
            path = self.last_of(path + (name,), span)
        path += (last,)
        if is_array:
            self.places.setdefault(path, Place(span, None))
            self.tables[path] = self.tables.get(path, 0) + 1
        # A table may be named by a table within it before it has a header of its own.
        path = self.last_of(path, span)
        self.places[path] = Place(span, None)
        return path

    def last_of(self, path: Path, span: Span) -> Path:
        """The table that a header means by this path: of an array of tables, the last one."""
        self.places.setdefault(path, Place(span, None))
        return path + (self.tables[path] - 1,) if path in self.tables else path

    def pair(self, prefix: Path) -> None:
        *parents, (last, span) = self.key_names()
        self.take(SIGN)
        self.take(SPACES)
        for name, place in parents:
            prefix += (name,)
            self.places.setdefault(prefix, Place(place, None))
        path = prefix + (last,)
        self.places[path] = Place(span, self.value(path))

    def key_names(self) -> list[tuple[str, Span]]:
        """The parts of a key, up to the sign that ends it."""
        names = []
        while True:
            self.take(SPACES)
            span = self.take(KEY)
            name = self.text[span.start : span.end]
            names.append((tomllib.loads(f"x = {name}")["x"] if name[0] in "\"'" else name, span))
            self.take(SPACES)
            if not self.is_at("."):
                return names
            self.at += 1

    def value(self, path: Path) -> Span:
        if self.is_at('"', "'"):
            return self.take(STRING)
        if not self.is_at("[", "{"):
            return self.take(SCALAR)
        start, is_array, count = self.at, self.is_at("["), 0
        self.at += 1
        self.take(BLANKS)
        while not self.is_at("]", "}"):
            if is_array:
                item = path + (count,)
                span = self.value(item)
                self.places[item] = Place(span, span)
                count += 1
            else:
                self.pair(path)
            self.take(BLANKS)
            self.take(COMMA)
            self.take(BLANKS)
        self.at += 1
        return Span(start, self.at)
