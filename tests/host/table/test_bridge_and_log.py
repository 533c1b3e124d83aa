"""Whole tables with devices and people, a bridge, and a real log: nothing is lost, and everything is in order."""

import random

import pytest

from host.keys import TableKey, make_signer, read_signer
from host.log.audit import audit
from host.log.checkpoints import CheckpointBook
from host.log.reading import LogReader, Origin
from host.log.store import LogStore
from host.simulator.floor import Floor, make_link
from host.simulator.target import CPythonTarget
from host.table.bridge import Bridge
from tests.support.floors import IDENTITY, board_of, config_of, play
from tests.support.log.logs import NOON
from tests.support.tables import GAMES, LUCKY, MBS

KEY = TableKey(IDENTITY.table, IDENTITY.key)


class StoredFloor:
    """A floor whose log is a file; the bridge can be started again."""

    def __init__(self, folder, game, mischief=0.0, board="small", seed="stored"):
        self.folder = folder
        self.path = folder / "t1.log"
        self.dice = random.Random(seed)
        make_signer(folder / "host.key")
        self.store = None
        built = board_of(board)
        self.target = CPythonTarget(built, IDENTITY, 1)
        self.floor = Floor(built, config_of(game, built.BOXES), self.target, self.new_bridge(), seed, mischief)

    def new_bridge(self):
        if self.store:
            self.store.close()
        self.store = LogStore(self.path, "T1")
        book = CheckpointBook(self.folder / "checkpoints", "T1", read_signer(self.folder / "host.key"))
        return Bridge(make_link(IDENTITY, self.store, self.dice, lambda: NOON), self.store, book)

    def restart(self):
        self.floor.bridge = self.new_bridge()

    @property
    def journal(self):
        return self.target.table.controller.recorder.journal

    def audited(self):
        return audit(self.path, KEY, self.floor.bridge.checkpoints.all, lambda count: None, IDENTITY.rules)


@pytest.fixture
def stored(tmp_path):
    made = []

    def make(*arguments, **more):
        made.append(StoredFloor(tmp_path, *arguments, **more))
        return made[-1]

    yield make
    for one in made:
        one.store.close()


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_whatever_goes_wrong_at_a_table_its_log_is_in_order(stored, game):
    """Also across restarts of the bridge in the middle of anything, and power cuts of the table."""
    one = stored(game, mischief=0.5)
    dice = random.Random(f"cuts {game}")
    for ended in one.floor.run_rounds(6, 50):
        assert ended
        for _ in range(dice.randint(1, 60)):
            one.floor.step(50)
        if dice.random() < 0.5:
            one.floor.target.restart(one.floor.now)
        one.restart()
    play(one.floor, 1)
    assert list(one.floor.bridge.alarms) == []
    report = one.audited()
    assert [str(finding) for finding in report.findings] == []
    assert one.journal.acknowledged <= report.last <= one.journal.chain.number
    assert report.checkpoints >= 1
    with LogReader(one.path) as log:
        rounds = log.last_rounds(100)
        assert [row.round for row in rounds] == list(range(len(rounds), 0, -1))
        assert all(row.outcome in ("settled", "void") for row in rounds[1:])
        assert {row.game for row in rounds} == {game}
        assert [log.round(row.round) for row in rounds] == rounds
        lines = dict(log.lines(one.journal.first(), report.last))
    journal = dict(enumerate(one.journal.lines_from(1), one.journal.first()))
    assert lines == {number: journal[number] for number in lines}


def test_a_full_disk_in_the_middle_of_play_loses_nothing(stored):
    one = stored(MBS)
    play(one.floor, 1)
    pages = one.store.connection.execute("PRAGMA page_count").fetchone()[0]
    one.store.connection.execute(f"PRAGMA max_page_count = {pages}")
    bridge = one.floor.bridge
    while bridge.failure is None:
        one.floor.step(50)
    assert "the disk is full; make room on it" in str(bridge.failure)
    acknowledged = one.journal.acknowledged
    assert acknowledged == one.store.end().number
    for _ in range(200):
        one.floor.step(50)
    assert one.journal.acknowledged == one.store.end().number
    assert one.journal.chain.number > one.store.end().number, "the table keeps what the log cannot"
    one.store.connection.execute("PRAGMA max_page_count = 1000000")
    play(one.floor, 1)
    assert bridge.failure is None
    report = one.audited()
    assert [str(finding) for finding in report.findings] == []
    assert one.journal.acknowledged <= report.last <= one.journal.chain.number
    assert report.last >= one.journal.chain.number - 1
    with LogReader(one.path) as log:
        assert [notice.kind for notice in log.notices()] == ["log_failed"]


def test_a_new_host_with_an_adopted_log_joins_a_table_whose_first_records_are_gone(tmp_path, stored):
    """With an empty log the table says where its journal begins; behind that record a log can begin."""
    one = stored(LUCKY)
    play(one.floor, 8)
    journal = one.journal
    while journal.drop():
        pass
    first = journal.first()
    assert first > 1
    seal = bytes.fromhex(journal.seal_of(first - 1).decode())
    one.path = tmp_path / "new.log"
    one.restart()
    one.floor.bridge.checkpoints = CheckpointBook(
        tmp_path / "new checkpoints", "T1", read_signer(tmp_path / "host.key")
    )
    for _ in range(200):
        one.floor.step(50)
    told = [event for event in one.floor.bridge.link.events if event.what == "mismatch"]
    assert told[0].details == ("log_begins", [first, seal.hex()], 0)
    assert not one.floor.bridge.link.is_up
    one.path = tmp_path / "adopted.log"
    LogStore(one.path, "T1", Origin("T1", first - 1, seal, NOON, "manager 1", "the old host is gone")).close()
    one.restart()
    one.floor.bridge.checkpoints = CheckpointBook(
        tmp_path / "more checkpoints", "T1", read_signer(tmp_path / "host.key")
    )
    play(one.floor, 1)
    assert one.floor.bridge.link.is_up
    assert list(one.floor.bridge.alarms) == []
    report = one.audited()
    assert [str(finding) for finding in report.findings] == []
    assert report.first == first
    with LogReader(one.path) as log:
        refused = [step.record for step in log.read_steps("kind = 'mismatch'")]
    assert refused, "the table wrote down that a host came with an empty log"
    assert all(record == ["mismatch", "log_begins", [first, seal.hex()], 0] for record in refused)
    assert one.journal.acknowledged <= report.last <= one.journal.chain.number
