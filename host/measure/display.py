"""The display's part of `make measure`: from a record's arrival at the port to the picture that shows it."""

import statistics
import tempfile
import time
from pathlib import Path

from host.display.display import Display
from host.display.sinks import NoSink
from host.measure.figure import Figure, Figures
from host.measure.log import SECONDS, MeasuredTable
from host.table.view import ViewKeeper

SIZE = (128, 32)
ROUNDS = 3


class ShownTable(MeasuredTable):
    """A table, its bridge and log, and a display behind them."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.keeper = ViewKeeper()
        self.display = Display(NoSink(), SIZE)
        self.delays: list[float] = []  # milliseconds
        self.logging: list[float] = []

    def take(self, heard: bytes) -> None:
        before = self.display.shown
        begun = time.perf_counter()
        records = self.bridge.receive(heard, self.now, SECONDS)
        logged = time.perf_counter()
        for record in records:
            self.keeper.take(record.record)
        self.display.step(self.keeper.view(), self.now)
        if self.display.shown is not before:
            self.delays.append((time.perf_counter() - begun) * 1000)
            self.logging.append((logged - begun) * 1000)


def measure_display() -> Figures:
    with tempfile.TemporaryDirectory(prefix=".measure-", dir=Path.cwd()) as folder:
        table = ShownTable(Path(folder))
        try:
            table.play(ROUNDS, send=True)
        finally:
            table.close()
    whole, logging = statistics.median(table.delays), statistics.median(table.logging)
    beside = f"median of {len(table.delays)}; {logging:.1f} ms of it log and check; worst {max(table.delays):.0f}"
    yield Figure("display, record in to picture changed", f"{whole:.1f} ms", beside)
