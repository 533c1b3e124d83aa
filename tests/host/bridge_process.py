"""A bridge with simulated staff as a process: `python -m tests.host.bridge_process TABLE.toml PORT SEED`."""

import signal
import sys
import threading
from pathlib import Path

from host.boards import find_board
from host.running import open_table
from host.simulator.desk import Desk
from host.table_config import game_config, load

PACE_MS = 20
MISCHIEF = 0.2


def main(file: str, port: str, seed: str) -> None:
    config = load(Path(file))
    table = open_table(config, port)
    desk = Desk(find_board(config.board), table.service.bridge, game_config(config), seed, MISCHIEF, PACE_MS)
    table.service.observers.append(desk)
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    print("running", flush=True)
    table.service.run(stop)
    table.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
