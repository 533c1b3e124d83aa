"""The terminal as Felt's commands write to it: consoles, progress bars, and what a person can type there."""

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn
from rich.table import Table

PROGRAM = "felt"
MIN_WIDTH = 80
PATIENCE_SECONDS = 1.0


def make_console(min_width: int = MIN_WIDTH, stderr: bool = False, record: bool = False) -> Console:
    """A console that never squeezes tables: a wrapped line reads better than a figure cut short."""
    console = Console(highlight=False, stderr=stderr, record=record)
    console.width = max(console.width, min_width)
    return console


def make_table(headings: Sequence[str], sides: str, **options: Any) -> Table:
    """A table with a rule below its headings; "<" sets a column left, ">" right, and "w" lets it wrap."""
    table = Table(title_justify="left", box=SIMPLE_HEAD, **options)
    for heading, side in zip(headings, sides, strict=True):
        table.add_column(heading, justify="right" if side == ">" else "left", no_wrap=side != "w")
    return table


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


@contextmanager
def record_progress() -> Iterator[Callable[[int, int], None]]:
    """Yields a function that takes how many records are done, and of how many; as slow_progress otherwise."""
    bar = make_bar(TextColumn("records"), BarColumn(), MofNCompleteColumn())
    task = bar.add_task("")
    begun = time.monotonic()

    def tell(done: int, all_: int) -> None:
        bar.update(task, completed=done, total=all_)
        if time.monotonic() - begun > PATIENCE_SECONDS:
            bar.start()

    try:
        yield tell
    finally:
        bar.stop()


def felt_here() -> str:
    """This program as a person can type it in this folder: `make run` starts one that is not on the path."""
    program = Path(sys.argv[0])
    if program.name != PROGRAM:
        program = Path(sys.executable).with_name(PROGRAM)
    found = shutil.which(PROGRAM)
    if found and os.path.realpath(found) == os.path.realpath(program):
        return PROGRAM
    whole = os.path.abspath(program)
    from_here = os.path.relpath(whole)
    if os.sep not in from_here:
        from_here = os.path.join(os.curdir, from_here)  # or the shell would look on the path
    return min(whole, from_here, key=len)
