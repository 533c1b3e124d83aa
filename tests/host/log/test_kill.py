"""A writer killed at any moment: nothing acknowledged is lost, nothing is twice there, the next one goes on."""

import multiprocessing
import random
import time

import pytest

from host.log.reading import LogReader
from host.log.rollups.check import check_rollups
from host.log.schema import NEWEST, NotALog, declared_schema
from host.log.verify import open_log, verify
from tests.support.campaign import parts
from tests.support.log.logs import KEY, random_play
from tests.support.log.writer import write_until_killed
from tests.support.tables import LUCKY

pytestmark = pytest.mark.slow

KILLS_A_LOG = 5
processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload(["tests.support.log.writer"])


@pytest.fixture(scope="module")
def lines():
    return [record.line for record in random_play(LUCKY, "kill", 1500).records()]


def run_writer(path, lines, seed, patience, acknowledgements):
    """Start a writer and kill it so many acknowledgements and seconds later.

    Returns what it acknowledged last, and whether it had finished before.
    """
    ours, theirs = processes.Pipe(duplex=False)
    writer = processes.Process(target=write_until_killed, args=(str(path), lines, seed, theirs))
    writer.start()
    theirs.close()
    assert ours.recv() == "started"
    heard = [0]
    try:
        for _ in range(acknowledgements):
            heard.append(ours.recv())
        time.sleep(patience)  # the one thing here that needs real time
        writer.kill()
        while True:
            heard.append(ours.recv())
    except EOFError:
        pass
    writer.join()
    finished = heard[-1] == "done"
    return (heard[-2] if finished else heard[-1]), finished


@pytest.mark.parametrize("seeds", parts(300, 3), ids=str)
def test_a_killed_writer_loses_nothing_that_it_acknowledged(tmp_path, lines, seeds):
    killed = 0
    for seed in seeds:
        dice = random.Random(f"kill {seed}")
        path = tmp_path / f"log {seed // KILLS_A_LOG}"
        patience, heard = dice.random() * 0.02, dice.choice((0, 1, 5, 30))
        acknowledged, finished = run_writer(path, lines, f"batch {seed}", patience, heard)
        killed += not finished
        there = lines_there(path)
        assert len(there) >= acknowledged, f"seed {seed}"
        assert there == lines[: len(there)], f"seed {seed}"
        if there:
            log = open_log(path, KEY.sealer, KEY.table)
            assert verify(log.lines, KEY.sealer, KEY.table).is_whole, f"seed {seed}"
            with LogReader(path) as log:
                assert list(check_rollups(log.connection, declared_schema(NEWEST))) == [], f"seed {seed}"
    assert killed > len(seeds) // 2, "this disk is so fast that the log must be longer"


def lines_there(path):
    """What a reader finds, though nobody has tidied up after the writer."""
    try:
        with LogReader(path) as log:
            return [line for _, line in log.lines(1, 1 << 40)]
    except NotALog as problem:
        if any(words in str(problem) for words in ("there is no", "is empty", "older felt")):
            return []  # it was killed before it had made its file
        raise
