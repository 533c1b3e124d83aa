"""A copy of the code in a folder of its own, where one module at a time is mutated, and scenarios are played."""

import compileall
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any, NamedTuple

from host.bench.mutations.player import ROOMS

PLAYER = "host.bench.mutations.player"
COPIED = (*ROOMS, "boards", "host")
NOT_COPIED = shutil.ignore_patterns("node_modules", "__pycache__", "pictures")
SCENARIOS = Path("tests") / "scenarios"
# Code of the table that scenarios cannot run without a Pico, and why.
LEFT_OUT = {
    "firmware/boot.py": "imports machine",
    "firmware/device_main.py": "imports machine",
    "firmware/loop.py": "needs a Pico's clock and heap",
    "firmware/pico.py": "imports machine",
    "firmware/rig": "the instrument, not the table",
}


class Play(NamedTuple):
    """A scenario on a target: within how many seconds, and what must come of it; None if anything may."""

    target: str
    path: str
    limit: float
    wanted: list[str] | None


class Played(NamedTuple):
    told: list[dict[str, Any]]  # what the player wrote
    end: str  # how its process ended, "" if as it should


class Tree:
    def __init__(self, origin: Path, folder: Path) -> None:
        self.folder = folder
        for room in COPIED:
            shutil.copytree(origin / room, folder / room, ignore=NOT_COPIED)
        shutil.copytree(origin / SCENARIOS, folder / SCENARIOS)
        compileall.compile_dir(folder, quiet=1)

    def modules(self) -> list[str]:
        """The table's code: every module that can be mutated."""
        found = [path for room in ROOMS for path in sorted((self.folder / room).rglob("*.py"))]
        names = [path.relative_to(self.folder) for path in found]
        return [
            name.as_posix() for name in names if not {name.as_posix(), name.parent.as_posix()} & set(LEFT_OUT)
        ]

    def source(self, module: str) -> str:
        return (self.folder / module).read_text()

    def scenarios(self) -> list[str]:
        found = sorted((self.folder / SCENARIOS).rglob("*.toml"))
        return [path.relative_to(self.folder).as_posix() for path in found]

    @contextmanager
    def changed(self, module: str, source: str) -> Iterator[None]:
        """The module is this meanwhile. What was compiled of it goes, or Python might take that."""
        path = self.folder / module
        before = path.read_text()
        Path(cache_from_source(path)).unlink(missing_ok=True)
        path.write_text(source)
        try:
            yield
        finally:
            path.write_text(before)

    def play(self, plays: list[Play], limit: float, watch: bool = False) -> Played:
        """In a process that has only this code; it ends within `limit` seconds before its first scenario."""
        results = self.folder / "results.jsonl"
        results.write_text("")
        orders = {"results": str(results), "plays": plays, "limit": limit, "watch": watch}
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        environment.pop("PYTHONPATH", None)
        done = subprocess.run(
            [sys.executable, "-m", PLAYER],
            cwd=self.folder,
            env=environment,
            input=json.dumps(orders),
            capture_output=True,
            text=True,
            errors="replace",
        )
        told = [json.loads(line) for line in results.read_text().splitlines()]
        if done.returncode == 0:
            assert told[-1] == {"rooms": list(ROOMS)}, f"the code is not that of {self.folder}: {told[-1]}"
            return Played(told[:-1], "")
        return Played(told, how_it_ended(done.returncode, done.stderr))


def how_it_ended(status: int, said: str) -> str:
    if status == -signal.SIGPROF:
        return "ran beyond its time"
    lines = said.strip().splitlines() or ["nothing"]
    if lines[0].startswith("Timeout ("):
        return "ran beyond its time"
    return f"ended with status {status}: {lines[-1][:200]}"
