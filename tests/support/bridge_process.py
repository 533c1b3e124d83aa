"""`felt run` with simulated staff as a process: `python -m tests.support.bridge_process TABLE.toml PORT SEED`."""

import sys
from pathlib import Path

from host.commands.run import run_table, running
from host.config.table_file import game_config, load
from host.pico.boards import find_board
from host.simulator.desk import Desk

PACE_MS = 20
MISCHIEF = 0.2


def main(file: str, port: str, seed: str) -> None:
    config = load(Path(file))
    with running(config, port) as table:
        desk = Desk(find_board(config.board), table.service.bridge, game_config(config), seed, MISCHIEF, PACE_MS)
        run_table(table, [desk], [])


if __name__ == "__main__":
    main(*sys.argv[1:])
