"""A progress bar that shows itself only when work takes longer than a second."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from host.console import make_console

PATIENCE_SECONDS = 1.0


@contextmanager
def slow_progress(steps: int) -> Iterator[Callable[[str], None]]:
    """Hands out a function to call at the start of each of the steps, with what it is about.

    The bar goes to standard error, and only to a terminal.
    """
    console = make_console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
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
