"""The display's part of `make bench`: from a record's arrival at the port to the picture that shows it."""

import statistics
import tempfile
import time
from pathlib import Path

from PIL import Image

from host.display.display import Display
from host.measure.figure import Figure
from host.measure.log import SECONDS, Bench
from host.table.view import ViewKeeper

SIZE = (128, 32)
ROUNDS = 3


class Stopwatch:
    """A sink that knows when it was last shown something."""

    def __init__(self) -> None:
        self.shown_at = 0.0

    def show(self, image: Image.Image) -> None:
        self.shown_at = time.perf_counter()

    def close(self) -> None:
        """Nothing is open."""


class ShownBench(Bench):
    """A table, its bridge and log, and a display behind them."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.watch = Stopwatch()
        self.keeper = ViewKeeper()
        self.display = Display(self.watch, SIZE)
        self.delays: list[float] = []  # milliseconds
        self.logging: list[float] = []

    def take(self, heard: bytes) -> None:
        begun = time.perf_counter()
        records = self.bridge.receive(heard, self.now, SECONDS)
        logged = time.perf_counter()
        for record in records:
            self.keeper.take(record.record)
        self.display.step(self.keeper.view(), self.now)
        if self.watch.shown_at > begun:
            self.delays.append((self.watch.shown_at - begun) * 1000)
            self.logging.append((logged - begun) * 1000)


def bench_display() -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        bench = ShownBench(Path(folder))
        try:
            bench.play(ROUNDS, send=True)
        finally:
            bench.close()
    whole, logging = statistics.median(bench.delays), statistics.median(bench.logging)
    return [
        Figure(
            "display, record in to picture changed",
            f"{whole:.1f} ms",
            "",
            True,
            f"median of {len(bench.delays)}; {logging:.1f} ms of it log and check; worst {max(bench.delays):.0f}",
        )
    ]
