"""How long lists of a log take beyond start-up, with a cold cache: `python -m host.measure.review LOG ...`.

Each command runs in a process of its own that has loaded it before the clock starts, on a log that the system's
cache has let go. In `make measure` the logs are made for it; others are named on the command line.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from host.measure.figure import Figure, Figures
from host.rules.catalogue import book_ids
from host.simulator.long_log import make_log, stretches

SIZES = (1_000, 10_000)  # rounds
RUNS = 3
PROMISED_SECONDS = 0.2
PROMISED_GROWTH = 1.5
# What a reviewer asks for; ROUND is in the middle of the log.
COMMANDS = (
    "log list LOG",
    "log list LOG --void",
    "log list LOG --irregular any --page 3",
    "log list LOG --box 1 --result win --hand three_pictures",
    "log list LOG --over $199 --result win --refused --irregular any --box 2 --card KS --since 2000-01-01",
    "log list LOG --since 2023-11-15 --until 2023-11-16 --count",
    "log list LOG --over $20000",
    "log list LOG --before ROUND --staff Ann",
    "log show ROUND LOG",
    "log last LOG",
    "log notices LOG",
    "log notices LOG --only alarms --only refusals --page 5",
)
# Prints the seconds of the processor and of the clock on the wall that the command takes once it is loaded.
TIMED = """
import contextlib, io, json, os, sys, time
import click
from host.cli import felt
import host.commands.log_list, host.commands.log_show, host.commands.log_told, host.review.reasons
log, *words = json.loads(sys.argv[1])
file = os.open(log, os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
os.close(file)
wall, processor = time.perf_counter(), time.process_time()
with contextlib.redirect_stdout(io.StringIO()):
    felt.main(words, standalone_mode=False)
print(json.dumps([time.perf_counter() - wall, time.process_time() - processor]))
"""


def taken(log: Path, command: str) -> tuple[float, float]:
    """Seconds on the wall and of the processor, the middle one of several runs."""
    middle = str(last_round(log) // 2)
    words = [{"LOG": str(log), "ROUND": middle}.get(word, word) for word in command.split()]
    runs = []
    for _ in range(RUNS):
        asked = json.dumps([str(log), *words])
        done = subprocess.run([sys.executable, "-c", TIMED, asked], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"felt {' '.join(words)}: {done.stderr.strip().splitlines()[-1]}")
        runs.append(json.loads(done.stdout))
    return statistics.median(run[0] for run in runs), statistics.median(run[1] for run in runs)


def last_round(log: Path) -> int:
    from host.log.reading import LogReader

    with LogReader(log) as reader:
        there = reader.round_numbers()
    return there[1] if there else 0


def measure_review() -> Figures:
    """The slowest command at each size, and how much the largest log costs beside the smallest."""
    with tempfile.TemporaryDirectory(prefix=".measure-", dir=Path.cwd()) as name:
        logs = []
        for size in SIZES:
            folder = Path(name) / str(size)
            folder.mkdir()
            make_log(folder, stretches(size, size, 4, 0.3, "measure", book_ids()), lambda done: None)
            logs.append(folder / "table.db")
        for command in COMMANDS:
            small, large = (taken(log, command) for log in logs)
            growth = large[1] / small[1]
            yield Figure(
                f"felt {command}".replace("LOG", f"({SIZES[-1]:,} rounds)"),
                f"{large[0] * 1000:.0f} ms",
                f"{growth:.1f} x the processor's time at {SIZES[0]:,} rounds",
                f"<= {PROMISED_SECONDS * 1000:.0f} ms beyond start-up",
                large[0] <= PROMISED_SECONDS,
            )


def main() -> None:
    logs = [Path(name) for name in sys.argv[1:]]
    if not logs or not all(log.is_file() for log in logs):
        sys.exit("name logs: python -m host.measure.review LOG ...")
    print(f"{'ms on the wall / of the processor':<100}", *(f"{last_round(log):>12,}" for log in logs))
    for command in COMMANDS:
        times = [taken(log, command) for log in logs]
        print(f"{command:<100}", *(f"{wall * 1000:6.0f}/{processor * 1000:5.0f}" for wall, processor in times))
        sys.stdout.flush()


if __name__ == "__main__":
    os.environ.setdefault("COLUMNS", "80")
    main()
