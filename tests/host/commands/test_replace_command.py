"""`felt flash --replace`: who may, with which log, onto which Pico; and what the log keeps of it."""

import re

import pytest
from click.testing import CliRunner

import host.commands.flash
from host.cli import felt
from host.keys import read_signer, read_table_key
from host.log.checkpoints import CheckpointBook
from host.log.reading import LogReader
from host.log.store import LogStore
from host.staff.pins import LEAST_WORK, hash_pin
from shared.journal.journal import Journal
from tests.host.pico.test_flash_journal import MAP, sectors_of
from tests.support.deploying import UNIQUE_ID, FakeDevice
from tests.support.log.logs import NOON, RecordingTable, play_round
from tests.support.storage import Storage
from tests.support.table_files import LUCKY_FILE, write

STAFF = "".join(
    f'[[staff]]\nname = "{name}"\npost = "{post}"\npin = "{hash_pin(pin, LEAST_WORK)}"\n'
    for name, post, pin in (("Dealer One", "dealer", "402817"), ("Pit Two", "pit_supervisor", "918273"))
)
TABLE_FILE = LUCKY_FILE[: LUCKY_FILE.index("[[staff]]")] + STAFF


class Table:
    """A table's folder: its file, its log up to a round in the middle, and a Pico for the command to find."""

    def __init__(self, folder, monkeypatch):
        self.folder = folder
        self.file = write(folder, TABLE_FILE)
        self.log = folder / "t1.db"
        self.key = read_table_key(folder / "t1.key")
        self.device = FakeDevice()
        monkeypatch.setattr(host.commands.flash, "open_device", lambda port: self)
        monkeypatch.setattr("tests.support.log.logs.KEY", self.key)

    def __enter__(self):
        return self.device

    def __exit__(self, *problem):
        pass

    def write_log(self):
        table = RecordingTable({"game": "mbs-three-pictures-2", "boxes": 2})
        play_round(table)
        table.do("open")
        records = table.records()
        with LogStore(self.log, "T1") as store:
            store.commit(records, NOON)
            self.end = store.end()

    def flash(self, *more, name="Pit Two", pin="918273"):
        words = ["flash", "--replace", str(self.file), "--port", "/dev/x", "--staff", name, "--stdin", *more]
        return CliRunner().invoke(felt, words, input=f"{pin}\n")

    def refusal(self, *more, **who):
        done = self.flash(*more, **who)
        assert done.exit_code == 1, done.output
        assert re.fullmatch(r"Error: .+\n", done.stderr), done.output
        assert self.device.changed == []
        return done.stderr

    def notices(self):
        with LogReader(self.log) as log:
            return log.notices()


@pytest.fixture
def table(keyed_folder, monkeypatch, small_tree):
    made = Table(keyed_folder, monkeypatch)
    made.write_log()
    return made


def test_another_pico_gets_the_table_and_the_log_keeps_who_did_it(table):
    done = table.flash()
    assert done.exit_code == 0, done.output
    carry = table.device.files["felt/carry"].decode()
    assert f'["replaced","Pit Two","pit_supervisor","{UNIQUE_ID}",' in carry
    assert table.device.files["felt/key"] == table.key.content
    assert table.device.restarts == 1
    assert f"the log goes on after record {table.end.number}, with Pico {UNIQUE_ID}\n" in done.stdout
    assert "round 2 (betting) is decided at the start, as after a power failure\n" in done.stdout
    assert "do not plug the old Pico in again" in done.stdout
    (notice,) = table.notices()
    assert (notice.kind, notice.number) == ("replaced", table.end.number)
    assert notice.text == f"Pit Two, pit supervisor, put the table onto another Pico ({UNIQUE_ID})."
    assert "918273" not in done.output


@pytest.mark.parametrize(
    ("name", "pin", "words"),
    [
        ("Pit Two", "918274", "Name or PIN is wrong"),
        ("Nobody", "918273", "Name or PIN is wrong"),
        ("Dealer One", "402817", "This needs a Pit Supervisor or above."),
    ],
)
def test_it_takes_somebody_who_may(table, name, pin, words):
    assert words in table.refusal(name=name, pin=pin)
    assert table.notices() == []


def test_the_name_is_asked_for_as_well_as_the_pin(table):
    words = ["flash", "--replace", str(table.file), "--port", "/dev/x"]
    done = CliRunner().invoke(felt, words, input="Pit Two\n918273\n")
    assert done.exit_code == 0, done.output
    assert "918273" not in done.output


def test_while_the_table_runs_on_this_host_nothing_is_replaced(table):
    with LogStore(table.log, "T1"):
        assert "only one may write a log; stop that one" in table.refusal()


def test_a_log_that_is_not_there_is_not_made(table):
    table.log.unlink()
    assert "there is no log" in (said := table.refusal())
    assert "put its last good copy there" in said
    assert not table.log.exists()


def test_a_log_that_is_behind_what_was_signed_is_refused(table):
    book = CheckpointBook(table.folder / "t1.checkpoints", "T1", read_signer(table.folder / "host.key"))
    book.sign(table.end.number + 5, bytes(12), NOON)
    assert f"ends at record {table.end.number}, but checkpoint 1 signed record" in table.refusal()


def test_a_pico_that_has_more_than_the_log_is_refused_with_what_to_do(table):
    assert table.flash().exit_code == 0
    journal = Journal(Storage(), table.key.sealer, "T1")
    journal.append(["quiet", 1])
    files = {path: content for path, content in table.device.files.items() if path != "felt/carry"}
    table.device = FakeDevice(files | MAP, sectors=sectors_of(journal.storage.files))
    said = table.refusal()
    assert "`felt flash` without --replace" in said
    assert "`felt flash --new-journal FOLDER`" in said


def test_options_that_do_not_go_together(table):
    for more in (
        ["--key", "t1.key"],
        ["--table", "T1"],
        ["--new-key"],
        ["--new-journal", "x"],
        ["--abandon-round"],
    ):
        assert "with --replace the table's file says the key" in table.refusal(*more)
    assert "says board small, not full" in table.refusal("--board", "full")
    assert table.flash("--board", "small").exit_code == 0
    plain = CliRunner().invoke(felt, ["flash", "--board", "small", "--staff", "Pit Two"])
    assert "go with --replace" in plain.stderr
    assert CliRunner().invoke(felt, ["flash"]).exit_code == 2
