"""Random rounds, irregularities included, replayed by a fresh core on CPython and on MicroPython: same bytes."""

import json
from pathlib import Path

import pytest

from host.pico.mpy import compile_room
from host.wasm import MicroPython
from shared.round.round import Round
from tests.support.both import round_driver
from tests.support.both.random_rounds import record_round
from tests.support.campaign import parts
from tests.support.tables import GAMES

ROUNDS = 2_000


@pytest.fixture(scope="module")
def micropython():
    with MicroPython() as interpreter:
        interpreter.install(compile_room("shared"))
        interpreter.install({"round_driver.py": Path(round_driver.__file__).read_bytes()})
        interpreter.run("import round_driver, gc")
        yield interpreter


@pytest.mark.parametrize("seeds", parts(ROUNDS, 2), ids=lambda seeds: f"{seeds.start}-{seeds.stop}")
@pytest.mark.parametrize("game", GAMES)
def test_replaying_a_round_gives_the_same_records(micropython, game, seeds):
    for seed in seeds:
        config, events, records = record_round(game, seed)
        request = json.dumps([config, events])
        again = round_driver.replay(request)
        assert json.loads(again) == records, f"seed replay {game} {seed}"
        # What the log keeps is enough to replay, without what was sent.
        assert replay_from_log(config, records) == records, f"seed replay {game} {seed}"
        theirs = micropython.run("gc.collect()\nprint(round_driver.replay(request), end='')", request)
        assert theirs == again, f"seed replay {game} {seed}"


def replay_from_log(config, records):
    """Feed a fresh round the events that the records themselves hold."""
    round_ = Round(config)
    again = []
    for record in records:
        if record[0] == "event":
            again += round_.apply(record[2])
        elif record[0] == "refused" and record[1][0] == "malformed":
            again.append(record)  # was no event at all; there is nothing to replay
        elif record[0] == "refused":
            again += round_.apply(record[1])
    return again
