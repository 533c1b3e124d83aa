"""Plays scenarios in a process of its own, with the code of the tree in which it is started.

Takes its orders from standard input, and writes a line of JSON to a file before and after each scenario. It ends
by itself if one takes too long or comes out otherwise than it should. Until its watchdog runs it imports nothing
that could be mutated.
"""

import faulthandler
import json
import os
import resource
import signal
import sys
import time
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ANY_FIRMWARE = "00" * 16  # the digest that a table says at its start; a mutant has none of its own
MEMORY = 2 << 30  # bytes, as some mutants never stop collecting
IMPORTED = "imported"  # in place of a scenario, for lines that ran before the first one
WAITING = 30  # times as long by the clock, as the machine may be busy
TARGETS = ("core", "cpython")
ROOMS = ("shared", "firmware")  # where the table's code is


class Lines:
    """Which lines of the table's code run; `take` gives those since it was last called."""

    def __init__(self, tree: Path) -> None:
        self.start = len(f"{tree}/")
        self.folders = tuple(f"{tree}/{room}/" for room in ROOMS)
        self.seen: set[tuple[str, int]] = set()
        self.ours: dict[CodeType, bool] = {}

    def watch(self, frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        if code not in self.ours:
            self.ours[code] = code.co_filename.startswith(self.folders)
        return self.line if self.ours[code] else None

    def line(self, frame: FrameType, event: str, _: Any) -> Any:
        self.seen.add((frame.f_code.co_filename, frame.f_lineno))
        return self.line

    def take(self) -> list[str]:
        seen, self.seen = self.seen, set()
        return sorted(f"{path[self.start :]}:{number}" for path, number in seen)


def watch_time(limit: float) -> None:
    """So many seconds of the processor from now on end the process; or more of the clock, if it only waits."""
    signal.setitimer(signal.ITIMER_PROF, limit)
    faulthandler.dump_traceback_later(WAITING * limit, exit=True)


def main() -> None:
    orders = json.load(sys.stdin)
    tree = Path.cwd()
    watch_time(orders["limit"])
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with Path(orders["results"]).open("w", buffering=1) as results:

        def tell(**what: Any) -> None:
            results.write(json.dumps(what) + "\n")

        lines = Lines(tree) if orders["watch"] else None
        if lines:
            sys.settrace(lines.watch)
        play_all(orders, lines, tell)
        tell(rooms=[os.path.relpath(path, tree) for room in ROOMS for path in sys.modules[room].__path__])


def play_all(orders: dict[str, Any], lines: Lines | None, tell: Any) -> None:
    """Until one comes out otherwise than it should."""
    # Only now, with watchdog and watcher: these import the rules core and the firmware.
    from host.bench.runs import attempt
    from host.bench.scenario import read_scenario
    from host.bench.targets import open_target

    targets = {name: open_target(name, ANY_FIRMWARE) for name in TARGETS}
    if lines:
        tell(played=IMPORTED, lines=lines.take())
    for target, path, limit, wanted in orders["plays"]:
        tell(begun=[target, path])
        watch_time(limit)
        begun = time.process_time()
        played = attempt(read_scenario(Path(path)), targets[target])
        seconds = time.process_time() - begun
        outcome = [played.outcome, played.words]
        more = {"lines": lines.take()} if lines else {}
        tell(played=[target, path], outcome=outcome, seconds=round(seconds, 4), **more)
        if wanted and outcome != wanted:
            return


if __name__ == "__main__":
    main()
