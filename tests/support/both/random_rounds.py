"""Random rounds of a game on CPython and on MicroPython; run as a module it takes GAME and how many."""

import json
import random
import sys
from pathlib import Path
from typing import Any

from host.pico.mpy import compile_room
from host.wasm import MicroPython
from shared.round.round import Round
from tests.support.both import round_driver
from tests.support.rounds import Players, random_config


def record_round(game: str, seed: int) -> tuple[dict[str, Any], list[Any], list[Any]]:
    """The configuration and the events of a random round, and the records they caused."""
    dice = random.Random(f"replay {game} {seed}")
    config = random_config(game, dice)
    round_ = Round(config)
    players = Players(round_, dice, mischief=0.1)
    events, records = [], []
    for _ in range(400):
        event = players.event()
        events.append(event)
        records += round_.apply(event)
        if round_.number == 1 and round_.state in ("settled", "void") and dice.random() < 0.7:
            break
    return config, events, records


def main(game: str, count: int) -> None:
    """Print which states, lines and actions the rounds met, after comparing their records on both runtimes."""
    met = set()
    with MicroPython() as interpreter:
        interpreter.install(compile_room("shared"))
        interpreter.install({"round_driver.py": Path(round_driver.__file__).read_bytes()})
        interpreter.run("import round_driver, gc")
        for seed in range(count):
            config, events, records = record_round(game, seed)
            request = json.dumps([config, events])
            theirs = interpreter.run("gc.collect()\nprint(round_driver.replay(request), end='')", request)
            if theirs != round_driver.replay(request) or json.loads(theirs) != records:
                sys.exit(f"seed {seed}: the records differ")
            met |= {record[0] for record in records} | {record[1] for record in records if record[0] == "state"}
    print(json.dumps(sorted(met)))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
