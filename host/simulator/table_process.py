"""A simulated table in its own process: the firmware on simulated hardware behind a pseudo-terminal.

    python -m host.simulator.table_process FOLDER TABLE.toml

Its flash is FOLDER/journal, so it can be killed at any moment and started again. FOLDER/port links to its port.
The people at the table play by themselves; staff who tell the host something are in the host's process.
"""

import os
import select
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from host.config.table_file import game_config, load
from host.keys import read_table_key
from host.log.folder_storage import FolderInUse, FolderStorage
from host.pico.boards import find_board
from host.pico.digests import rules_digest
from host.simulator.floor import Floor
from host.simulator.target import CPythonTarget
from host.simulator.terminal import Terminal
from host.simulator.virtual_pico import VirtualTable

PASS_S = 0.01
READ_BYTES = 4096
FIRMWARE = "00" * 16  # no manifest is flashed here
PORT = "port"
JOURNAL = "journal"


class KeptTable(VirtualTable):
    """A virtual table whose flash survives it, with unpredictable nonces."""

    def random(self, count: int) -> bytes:
        return os.urandom(count)


class Here(CPythonTarget):
    """The table as a target, and as the people around it see it."""

    def __init__(self, table: VirtualTable) -> None:
        self.table = table

    @property
    def replay(self) -> Any:
        recorder = self.table.controller.recorder
        return SimpleNamespace(round=recorder.round, faults=recorder.faults)

    @property
    def link(self) -> Any:
        chain = self.table.controller.recorder.journal.chain
        return SimpleNamespace(is_up=self.table.controller.link.is_up(), commands=(), chain=chain)


def is_parent_gone() -> bool:
    """The process that started this one holds the other end of its standard input."""
    ready, _, _ = select.select([sys.stdin], [], [], 0)
    return bool(ready) and not os.read(sys.stdin.fileno(), READ_BYTES)


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--seed", default="floor")
@click.option("--mischief", type=float, default=0.0)
@click.option("--pace", type=int, default=600, help="Milliseconds between what people do.")
@click.option("--stay", is_flag=True, help="Keep running when the process that started this has ended.")
def main(
    folder: Path,
    file: Path,
    seed: str,
    mischief: float,
    pace: int,
    stay: bool,
) -> None:
    """Be a table until the process ends."""
    config = load(file)
    key = read_table_key(config.key)
    board = find_board(config.board)
    (folder / JOURNAL).mkdir(parents=True, exist_ok=True)
    try:
        storage = FolderStorage(folder / JOURNAL)
    except FolderInUse:
        raise click.ClickException(
            f"another simulated table runs in {folder}. Stop it, or name another folder with --folder."
        ) from None
    here = Here(KeptTable(board, key.key, key.table, rules_digest(), FIRMWARE, storage=storage))
    floor = Floor(board, game_config(config), here, here, seed, mischief, at_desk=False)
    floor.pace_ms = pace
    terminal = Terminal(folder / PORT)
    print(f"port {folder / PORT}", flush=True)
    begun = time.monotonic()
    while stay or not is_parent_gone():
        floor.now = int((time.monotonic() - begun) * 1000)
        terminal.write(floor.pass_through(terminal.read()))
        if floor.now >= floor.act_at:
            floor.act()
        time.sleep(PASS_S)


if __name__ == "__main__":
    main()
