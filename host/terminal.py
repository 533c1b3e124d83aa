"""The terminal as Felt's commands write to it: consoles and progress bars."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn

MIN_WIDTH = 80
PATIENCE_SECONDS = 1.0


def make_console(min_width: int = MIN_WIDTH, stderr: bool = False, record: bool = False) -> Console:
    """A console that never squeezes tables: a wrapped line reads better than a figure cut short."""
    console = Console(highlight=False, stderr=stderr, record=record)
    console.width = max(console.width, min_width)
    return console


def make_bar(*columns: ProgressColumn) -> Progress:
    """A progress bar on standard error; it shows only if that is a terminal, and leaves no trace."""
    console = make_console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def slow_progress(steps: int) -> Iterator[Callable[[str], None]]:
    """Yields a function to call at the start of each step, with a text about it.

    The bar shows only when the work takes longer than a second.
    """
    bar = make_bar(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    task = bar.add_task("", total=steps)
    begun = time.monotonic()
    taken = 0

    def step(text: str) -> None:
        nonlocal taken
        bar.update(task, description=text, completed=taken)
        taken += 1
        if time.monotonic() - begun > PATIENCE_SECONDS:
            bar.start()

    try:
        yield step
    finally:
        bar.stop()
