"""A table's Pico dies in the middle of a round and another takes its place: the log goes on with that one."""

from copy import deepcopy

import pytest

from host.log.reading import LogReader
from host.pico.replacement import read_replacement
from host.simulator.virtual_pico import Memory, VirtualTable
from host.table.announcements import Announcement
from tests.host.table.test_bridge_and_log import KEY, StoredFloor
from tests.support.floors import IDENTITY, play
from tests.support.log.logs import NOON
from tests.support.tables import GAMES, POKER

PICO = "e660583883265039"


def table_of(one, storage, carry=b""):
    identity = (IDENTITY.key, IDENTITY.table, IDENTITY.rules, IDENTITY.firmware)
    return VirtualTable(one.floor.board, *identity, seed=2, storage=storage, carry=carry)


def dead_in_mid_round(folder, game, mischief=0.0):
    """A floor whose table just died in a deal, when the log had all that it had; and its flash."""
    one = StoredFloor(folder, game, mischief)
    play(one.floor, 3)
    recorder = one.target.table.controller.recorder
    while recorder.round.state != "dealing" or one.store.end().number != one.journal.chain.number:
        one.floor.step(10)
    return one, deepcopy(one.target.table.storage)


def replace_pico(one):
    """As `felt flash --replace` does, with the host stopped."""
    signed = one.floor.bridge.checkpoints.all
    with LogReader(one.path) as log:
        known = read_replacement(log, KEY, signed, "Pit Two", "pit_supervisor", NOON)
        one.target.table = table_of(one, Memory(), known.carry(PICO))
    one.restart()
    return known


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_the_log_goes_on_in_order_and_without_an_alarm(tmp_path, game):
    one, flash = dead_in_mid_round(tmp_path, game, 0.5)
    known = replace_pico(one)
    assert known.round == (known.round[0], "dealing")
    new, old = one.target.table.controller.recorder, table_of(one, flash).controller.recorder
    assert new.round.carry() == old.round.carry(), "jackpot, hand pays, restrictions, R 5.10"
    assert (new.round.state, new.round.hands) == (old.round.state, old.round.hands)
    play(one.floor, 4)
    assert list(one.floor.bridge.alarms) == []
    report = one.audited()
    assert [str(finding) for finding in report.findings] == []
    with LogReader(one.path) as log:
        written = [step.record for step in log.read_steps("number > ?", known.end.number)]
        rounds = [row.round for row in log.last_rounds(100)]
        assert log.one("SELECT what, post FROM records WHERE kind = 'replaced'") == (PICO, "pit_supervisor")
    assert rounds == list(range(len(rounds), 0, -1))
    assert len(rounds) >= 7
    kinds = [record[0] for record in written]
    assert kinds[:3] == ["boot", "replaced", "event"]
    assert written[1] == ["replaced", "Pit Two", "pit_supervisor", PICO, NOON]
    assert written[2][2] == ["power_failure"]
    one.floor.bridge.stop(NOON + 4000)
    assert one.floor.bridge.checkpoints.all[-1].number > known.end.number, "signed with the log"
    one.store.close()


def told_of(one):
    for _ in range(100):
        one.floor.step(50)
    return [event for event in one.floor.bridge.link.events if event.what == "mismatch"]


@pytest.mark.parametrize("goes_on", [False, True])
def test_the_old_pico_is_refused_when_it_comes_back_and_people_are_told_why(tmp_path, goes_on):
    one, flash = dead_in_mid_round(tmp_path, POKER)
    replace_pico(one)
    play(one.floor, 1)
    last = one.store.end().number
    one.target.table = table_of(one, flash)
    recorder = one.target.table.controller.recorder
    while goes_on and one.journal.chain.number <= last:
        recorder.keep([["quiet", 1]])
    told = told_of(one)
    assert told[0].details[0] == ("log_differs" if goes_on else "log_ends")
    assert not one.floor.bridge.link.is_up
    assert one.store.end().number == last, "nothing of it is logged"
    words = Announcement(*told[0]).words
    assert "If the table's Pico was replaced, this is the old one" in words
    assert "log_mismatch" in recorder.holds, "no round opens there"
    one.store.close()
