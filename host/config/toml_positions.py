"""Finds where each key and value of a TOML text stands, which tomllib does not tell.

It takes only text that tomllib has read without complaint, and so need not look for mistakes itself.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple

Path = tuple[str | int, ...]  # keys, and places in arrays from 0

SPACES = " \t"
BLANKS = " \t\n"
ENDS_SCALAR = ",]}#\n"
ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b", '"': '"', "\\": "\\"}
HEX_DIGITS = {"u": 4, "U": 8, "x": 2}


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
    """A TOML text and where all in it stands. Lines and columns count from 1."""

    text: str
    places: dict[Path, Place] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.line_starts = [0] + [at + 1 for at, letter in enumerate(self.text) if letter == "\n"]

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

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def is_before(self, closing: str) -> bool:
        """Whether what closes a string, an array or a table is still to come."""
        if self.at >= len(self.text):
            raise ValueError("no text that tomllib takes")  # rather than look for the end without end
        return not self.text.startswith(closing, self.at)

    def skip(self, letters: str) -> None:
        while self.peek() and self.peek() in letters:
            self.at += 1

    def skip_blanks_and_comments(self) -> None:
        self.skip(BLANKS)
        while self.peek() == "#":
            self.skip_to_line_end()
            self.skip(BLANKS)

    def skip_to_line_end(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end

    # -- structure

    def document(self) -> None:
        prefix: Path = ()
        self.skip_blanks_and_comments()
        while self.peek():
            if self.peek() == "[":
                prefix = self.header()
            else:
                self.pair(prefix)
            self.skip_blanks_and_comments()

    def header(self) -> Path:
        """The path that the keys below a [table] or [[table]] belong to."""
        start = self.at
        is_array = self.text.startswith("[[", start)
        self.at += 2 if is_array else 1
        names = self.key_names()
        self.at += 2 if is_array else 1
        span = Span(start, self.at)
        path: Path = ()
        for name, _ in names[:-1]:
            path = self.last_of(path + (name,), span)
        path += (names[-1][0],)
        if not is_array:
            # A table may be named by a table within it before it has a header of its own.
            path = self.last_of(path, span)
            self.places[path] = Place(span, None)
            return path
        self.places.setdefault(path, Place(span, None))
        count = self.tables.get(path, 0)
        self.tables[path] = count + 1
        path += (count,)
        self.places[path] = Place(span, None)
        return path

    def last_of(self, path: Path, span: Span) -> Path:
        """The table that a header means by this path: of an array of tables, the last one."""
        self.places.setdefault(path, Place(span, None))
        return path + (self.tables[path] - 1,) if path in self.tables else path

    def pair(self, prefix: Path) -> None:
        names = self.key_names()
        self.at += 1  # the equals sign
        self.skip(SPACES)
        path = prefix
        for name, span in names[:-1]:
            path += (name,)
            self.places.setdefault(path, Place(span, None))
        name, span = names[-1]
        path += (name,)
        self.places[path] = Place(span, self.value(path))

    def key_names(self) -> list[tuple[str, Span]]:
        """The parts of a key, to the sign that ends it."""
        names = []
        while True:
            self.skip(SPACES)
            start = self.at
            if self.peek() in "\"'":
                name = self.string()
            else:
                while self.peek().isalnum() or (self.peek() and self.peek() in "-_"):
                    self.at += 1
                name = self.text[start : self.at]
            names.append((name, Span(start, self.at)))
            self.skip(SPACES)
            if self.peek() != ".":
                return names
            self.at += 1

    # -- values

    def value(self, path: Path) -> Span:
        start = self.at
        first = self.peek()
        if first in "\"'":
            self.string()
        elif first == "[":
            self.array(path)
        elif first == "{":
            self.inline_table(path)
        else:
            while self.peek() and self.peek() not in ENDS_SCALAR:
                self.at += 1
            return Span(start, start + len(self.text[start : self.at].rstrip(SPACES)))
        return Span(start, self.at)

    def array(self, path: Path) -> None:
        self.at += 1
        count = 0
        self.skip_blanks_and_comments()
        while self.is_before("]"):
            item = path + (count,)
            span = self.value(item)
            self.places[item] = Place(span, span)
            count += 1
            self.skip_separator()
        self.at += 1

    def inline_table(self, path: Path) -> None:
        self.at += 1
        self.skip_blanks_and_comments()
        while self.is_before("}"):
            self.pair(path)
            self.skip_separator()
        self.at += 1

    def skip_separator(self) -> None:
        self.skip_blanks_and_comments()
        if self.peek() == ",":
            self.at += 1
            self.skip_blanks_and_comments()

    def string(self) -> str:
        """Skip a string; what it says is right where it is a key, which has one line."""
        quote = self.peek()
        closing = quote * 3 if self.text.startswith(quote * 3, self.at) else quote
        self.at += len(closing)
        letters = []
        while self.is_before(closing):
            if quote == '"' and self.peek() == "\\":
                letters.append(self.escape())
            else:
                letters.append(self.peek())
                self.at += 1
        self.at += len(closing)
        if len(closing) == 3:
            # Up to two quotes more may stand before the three that close.
            extra = 0
            while extra < 2 and self.peek() == quote:
                self.at += 1
                extra += 1
        return "".join(letters)

    def escape(self) -> str:
        letter = self.text[self.at + 1]
        digits = HEX_DIGITS.get(letter, 0)
        code = self.text[self.at + 2 : self.at + 2 + digits]
        self.at += 2 + digits
        return chr(int(code, 16)) if digits else ESCAPES.get(letter, "")
