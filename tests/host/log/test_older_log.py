"""A log and a journal that were written before records named their rules: read, audited, and continued.

before/table.tar.xz holds a simulated table of that time: its log, checkpoints and keys, and its journal after its
own firmware had handed over to another, as `felt flash` has it do.
"""

import random
import tarfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from host.cli import felt
from host.keys import read_signer, read_table_key
from host.log.audit import audit
from host.log.checkpoints import CheckpointBook
from host.log.folder_storage import FolderStorage
from host.log.reading import LogReader
from host.log.store import LogStore
from host.pico.digests import rules_digest
from host.simulator.floor import Floor, make_link
from host.simulator.target import CPythonTarget, Flashed
from host.simulator.virtual_pico import VirtualTable
from host.table.bridge import Bridge
from tests.support.floors import board_of, play
from tests.support.log.logs import NOON, tampered

ARCHIVE = Path(__file__).parent / "before" / "table.tar.xz"
LAST = 822  # record in the log
HANDED_OVER = 834  # record in the journal


@pytest.fixture
def before(tmp_path):
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path


def run(*arguments):
    done = CliRunner().invoke(felt, [str(one) for one in arguments], env={"COLUMNS": "160"})
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def signed(folder):
    keys = ("--key", folder / "table.key", "--signer", folder / "host.pub")
    return (*keys, "--checkpoints", folder / "table.checkpoints")


def test_it_is_read(before):
    status, said = run("log", "last", before / "table.db")
    assert status == 0
    first_words = [line.split()[0] for line in said.splitlines() if line.split()]
    assert [word for word in first_words if word.isdigit()] == [*"7654321"]
    for number in range(1, 8):
        status, said = run("log", "show", number, before / "table.db")
        assert status == 0
        assert "The round is" in said.splitlines()[-1]
    assert "staked $290, returned $250, the House keeps $40" in run("log", "show", "6", before / "table.db")[1]


def test_it_is_listed_before_and_after_it_is_brought_up_to_date(before):
    path = before / "table.db"
    content = path.read_bytes()
    asked = (("list",), ("list", "--void"), ("list", "--irregular", "any", "--count"), ("notices",))
    said = [run("log", command, path, *options) for command, *options in asked]
    assert path.read_bytes() == content
    assert all(status == 0 for status, _ in said)
    assert "rounds 1 to 7 of 7" in said[0][1]
    assert run("log", "upgrade", path) == (0, f"{path}: brought up to date\n")
    assert path.read_bytes() != content
    assert [run("log", command, path, *options) for command, *options in asked] == said
    assert run("audit", path, *signed(before))[0] == 0


def test_it_is_verified_and_so_is_the_journal(before):
    status, said = run("verify", before / "table.db", *signed(before))
    assert (status, said) == (0, f"table SIM: whole; records 1 to {LAST}; checkpoints passed: 5\n")
    status, said = run("verify", before / "table" / "journal", "--key", before / "table.key")
    assert status == 0
    assert f"whole; records 1 to {HANDED_OVER}" in said


def test_it_is_audited_as_far_as_can_be_and_says_so(before):
    status, said = run("audit", before / "table.db", *signed(before))
    assert status == 0
    assert said.splitlines()[:2] == [
        f"records 1 to {LAST} not played again: written under rules that they do not name",
        f"table SIM: in order; records 1 to {LAST}: file, chain, seals, sequence and columns; "
        f"0 of {LAST} records played again; rounds: 7, 5 with totals added up (staked $1,165, returned $615); "
        "checkpoints passed: 5",
    ]


def test_what_somebody_did_to_it_is_found(before):
    tampered(before / "table.db", "UPDATE records SET paid = 1 WHERE number = 692")
    status, said = run("audit", before / "table.db", *signed(before))
    assert status == 1
    assert "columns: record 692: paid is 1" in said


class Continued:
    """The table of the journal with today's firmware, and a host with today's program and the log of before."""

    def __init__(self, folder):
        self.folder = folder
        self.key = read_table_key(folder / "table.key")
        self.board = board_of("full")
        self.identity = Flashed(self.key.table, self.key.key, rules_digest(), "11" * 16)
        self.target = CPythonTarget(self.board, self.identity)
        self.storage = FolderStorage(folder / "table" / "journal")
        who = (self.key.key, self.key.table, self.identity.rules, self.identity.firmware)
        self.target.table = VirtualTable(self.board, *who, storage=self.storage)
        self.recorder: Any = self.target.table.controller.recorder
        self.store = None
        self.floor = Floor(self.board, self.recorder.config, self.target, self.new_bridge(), "continued", 0.5)

    def new_bridge(self):
        if self.store:
            self.store.close()
        self.store = LogStore(self.folder / "table.db", self.key.table)
        link = make_link(self.identity, self.store, random.Random("continued"), lambda: NOON)
        signer = read_signer(self.folder / "host.key")
        return Bridge(link, self.store, CheckpointBook(self.folder / "table.checkpoints", "SIM", signer))


@pytest.fixture
def continued(before):
    made = Continued(before)
    yield made
    made.store.close()


def test_an_updated_table_goes_on_from_its_journal(continued):
    """No alarm at the start on what the older rules wrote, while it comes, or after a restart of the host."""
    assert (continued.recorder.round.number, continued.recorder.round.state) == (7, "idle")
    assert continued.recorder.last_command == 106
    assert list(continued.floor.bridge.alarms) == []
    play(continued.floor, 2)
    alarms = list(continued.floor.bridge.alarms)
    continued.floor.bridge = continued.new_bridge()
    play(continued.floor, 1)
    assert [*alarms, *continued.floor.bridge.alarms] == []
    assert continued.floor.bridge.replay.is_playing
    path = continued.folder / "table.db"
    report = audit(
        path, continued.key, continued.floor.bridge.checkpoints.all, lambda count: None, rules_digest()
    )
    assert [str(one) for one in report.findings] == []
    older, own = report.stretches
    assert (older.first, older.last, older.rules) == (1, HANDED_OVER, None)
    assert (own.first, own.last, own.rules) == (HANDED_OVER + 1, report.last, rules_digest())
    assert report.replayed == own.last - own.first + 1, "all that today's rules wrote"
    assert report.checkpoints >= 5
    with LogReader(path) as log:
        assert log.last_rounds(1)[0].round >= 10
        assert log.notices("alarm") == []
