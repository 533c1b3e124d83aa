"""Puts a whole table together for a test: target, devices, people, bridge and a log in memory."""

import importlib
import random
from pathlib import Path
from types import ModuleType
from typing import Any

from host.keys import make_signer, read_signer
from host.log.checkpoints import CheckpointBook
from host.pico.digests import rules_digest
from host.simulator.floor import Floor, make_link
from host.simulator.memory_log import MemoryLog
from host.simulator.target import CPythonTarget, Flashed, MakeTarget
from host.table.bridge import Bridge
from tests.support.tables import POKER

IDENTITY = Flashed("T1", bytes(range(32)), rules_digest(), "11" * 16)


def board_of(name: str) -> ModuleType:
    return importlib.import_module(f"boards.{name}")


def config_of(game: str, boxes: int, **more: Any) -> dict[str, Any]:
    config: dict[str, Any] = {"game": game, "boxes": boxes} | more
    if game == POKER:
        config["progressive"] = {"stake": 500, "contribution": 100, "meter": 1_000_000, "reset": 50_000}
    return config


def make_floor(
    folder: Path,
    game: str,
    board: str = "small",
    target: MakeTarget = CPythonTarget,
    seed: str = "floor",
    mischief: float = 0.0,
    **more: Any,
) -> tuple[Floor, MemoryLog]:
    built = board_of(board)
    config = config_of(game, built.BOXES, **more)
    make_signer(folder / "host.key")
    log = MemoryLog()
    link = make_link(IDENTITY, log, random.Random(seed), lambda: 1_790_000_000)
    bridge = Bridge(link, log, CheckpointBook(folder / "checkpoints", "T1", read_signer(folder / "host.key")))
    return Floor(built, config, target(built, IDENTITY, 1), bridge, seed, mischief), log


def play(floor: Floor, rounds: int, step_ms: int = 50) -> None:
    for _ in floor.run_rounds(rounds, step_ms):
        pass
    for _ in range(40):
        floor.step(step_ms)  # until the last records are acknowledged
