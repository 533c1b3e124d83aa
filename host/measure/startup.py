"""The start-up part of `make measure`: how long commands take beside a Python that does nothing."""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from host.measure.figure import Figure, Figures
from host.measure.log import MeasuredTable

RUNS = 25
PROMISED_HELP_RATIO = 4
PROMISED_LOG_RATIO = 5
NOTHING = [sys.executable, "-c", "pass"]
FELT = str(Path(sys.executable).with_name("felt"))


def medians(commands: list[list[str]]) -> list[float]:
    """The median time of each command. They run in turns, so that a busy moment is in all of them."""
    taken: list[list[float]] = [[] for _ in commands]
    for _ in range(RUNS):
        for command, so_far in zip(commands, taken):
            begun = time.perf_counter()
            subprocess.run(command, capture_output=True, check=True)
            so_far.append(time.perf_counter() - begun)
    return [statistics.median(one) for one in taken]


def measure_startup() -> Figures:
    promises = {"--help": PROMISED_HELP_RATIO, "log last": PROMISED_LOG_RATIO, "log show 1": PROMISED_LOG_RATIO}
    with tempfile.TemporaryDirectory(prefix=".measure-", dir=Path.cwd()) as folder:
        table = MeasuredTable(Path(folder))
        table.play(1, send=False)
        table.send_all()
        table.close()
        log = str(Path(folder) / "log")
        commands = [[FELT, *words.split(), *([] if words == "--help" else [log])] for words in promises]
        nothing, *times = medians([NOTHING, *commands])
    for (words, promise), taken in zip(promises.items(), times):
        yield Figure(
            f"felt {words}",
            f"{taken * 1000:.0f} ms",
            f"{taken / nothing:.1f} x {nothing * 1000:.0f} ms",
            f"<= {promise} x python -c pass",
            taken <= promise * nothing,
        )
