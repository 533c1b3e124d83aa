"""A process that writes a log until somebody kills it."""

import random
from multiprocessing.connection import Connection
from pathlib import Path

from host.log.store import LogStore
from tests.support.log.logs import KEY, NOON, records_of

MOST = 12  # records in a batch


def write_until_killed(path: str, lines: list[bytes], seed: str, told: Connection) -> None:
    """Commit what the log lacks in batches of any size; each is acknowledged after its commit."""
    records = records_of(lines)
    dice = random.Random(seed)
    told.send("started")
    with LogStore(Path(path), KEY.table) as store:
        end = store.end()
        place = end.number if end else 0
        told.send(place)
        while place < len(records):
            batch = records[place : place + dice.randint(1, MOST)]
            store.commit(batch, NOON)
            place += len(batch)
            told.send(place)
    told.send("done")
