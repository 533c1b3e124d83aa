"""One line of what `make bench` prints."""

from typing import NamedTuple


class Figure(NamedTuple):
    what: str
    measured: str
    promise: str
    kept: bool
    beside: str = ""
