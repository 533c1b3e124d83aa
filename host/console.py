"""The terminal as Felt's commands write to it."""

from rich.console import Console

MIN_WIDTH = 80


def make_console(min_width: int = MIN_WIDTH, stderr: bool = False, record: bool = False) -> Console:
    """A console that never squeezes tables: a wrapped line reads better than a figure cut short."""
    console = Console(highlight=False, stderr=stderr, record=record)
    console.width = max(console.width, min_width)
    return console
