"""A journal with little room keeps no mere refusals; how the table stands must follow from what it keeps."""

import os

from firmware.recorder import Recorder
from host.simulator.virtual_pico import Memory
from shared.journal.chain import record_of
from shared.journal.journal import Journal
from shared.journal.replay import Replay
from shared.journal.seal import Sealer
from shared.journal.snapshot import plain_config
from tests.support.tables import MBS

SEALER = Sealer(bytes(32))
CONFIG = plain_config({"game": MBS, "boxes": 2})
ROOM_FOR_A_ROUND = 70  # segments


def test_a_refusal_that_is_not_written_is_not_the_last_command():
    storage = Memory(ROOM_FOR_A_ROUND)
    journal = Journal(storage, SEALER, "T1")
    recorder = Recorder(journal, "power", os.urandom, "00" * 16)
    assert recorder.command(1, "staff", "config", CONFIG)[0]
    number = 2
    while recorder.command(number, "staff", "call", ["dealer"])[0]:
        number += 1
    assert recorder.last_command == number - 1
    written = journal.chain.number
    assert recorder.command(number, "staff", "call", ["dealer"]) == (False, "journal_full", None, [])
    assert journal.chain.number == written

    journal.acknowledge(written)  # the host has taken all, so there is room again
    assert recorder.command(number + 1, "staff", "event", ["open"])[0]
    replay = Replay()
    for _ in replay.take_journal(Journal(storage, SEALER, "T1")):
        pass
    assert replay.last_command == number + 1
    # The host plays it all from the first standing on; a standing that does not follow is an alarm there.
    beside = Replay()
    differences = [beside.take(record) for record in records_of(journal)]
    assert [one for one in differences if one] == []


def records_of(journal):
    return [record_of(line) for line in journal.lines_from(journal.first())]
