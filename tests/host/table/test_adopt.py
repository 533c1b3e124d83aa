"""A log begun at a table whose first records are gone."""

import pytest
from click.testing import CliRunner

from host.cli import felt
from host.keys import read_table_key
from host.log.reading import LogReader
from host.staff.pins import LEAST_WORK, hash_pin
from host.table.adopt import CannotAdopt, adopt
from host.table.port import TablePort
from tests.support.serviced import NOON, STEP_MS, Serviced
from tests.support.table_files import LUCKY_FILE, write

pytestmark = pytest.mark.slow


@pytest.fixture
def table(tmp_path):
    made = Serviced(tmp_path)
    made.run_until(lambda: made.rounds_ended() == 3)
    yield made
    made.close()


def adopted(table, path):
    """Adopt while the table goes on behind its port."""
    table.service.port.close()
    key = read_table_key(table.config.key)

    def wait(_seconds):
        table.now += STEP_MS
        table.floor.now = table.now
        table.terminal.write(table.floor.pass_through(table.terminal.read()))

    return adopt(
        path,
        "T1",
        key.key,
        TablePort(str(table.path)),
        "manager 1",
        "the old host burnt down",
        lambda: table.now,
        lambda: NOON,
        wait,
    )


def forget_the_first(table):
    """What a table does with old segments that the host has."""
    journal = table.here.table.controller.recorder.journal
    journal.new_segment()
    journal.acknowledged = journal.chain.number
    journal.whole = journal.chain.number
    while journal.drop():
        pass
    return journal


def test_a_table_that_has_all_its_records_needs_no_adopting(table, tmp_path):
    with pytest.raises(CannotAdopt, match="still has all its records"):
        adopted(table, tmp_path / "new.db")
    assert not (tmp_path / "new.db").exists()


def test_a_log_that_is_there_is_not_replaced(table):
    with pytest.raises(CannotAdopt, match="is there already"):
        adopted(table, table.config.log.file)


def test_a_table_that_does_not_answer_is_said(table, tmp_path):
    table.unplug()
    key = read_table_key(table.config.key)
    moments = iter(range(0, 100_000, 500))
    with pytest.raises(CannotAdopt, match="was not reached: there is no port"):
        adopt(
            tmp_path / "new.db", "T1", key.key, TablePort(str(table.path)), "manager 1", "why",
            lambda: next(moments), lambda: NOON, lambda _: None,
        )  # fmt: skip


def test_the_log_begins_where_the_table_says(table, tmp_path):
    journal = forget_the_first(table)
    first = journal.first()
    assert first > 1
    origin = adopted(table, tmp_path / "new.db")
    assert origin.number == first - 1
    assert origin.seal == bytes.fromhex(journal.seal_of(first - 1).decode())
    with LogReader(tmp_path / "new.db") as log:
        assert log.origin() == origin
        assert (log.origin().staff, log.origin().reason) == ("manager 1", "the old host burnt down")


# -- who may


@pytest.mark.parametrize(
    ("name", "pin", "log", "words"),
    [
        ("Pit Two", "918274", "pit_supervisor", "Name or PIN is wrong"),
        ("Nobody", "918273", "pit_supervisor", "Name or PIN is wrong"),
        ("Dealer One", "402817", "pit_supervisor", "This needs a Pit Supervisor or above."),
        ("Pit Two", "918273", "pit_manager", "This needs a Pit Manager or above."),
        ("Pit Two", "918273", "pit_supervisor", "the table was not reached"),
        ("Dealer One", "402817", "dealer", "the table was not reached"),
    ],
)
def test_a_log_is_begun_by_the_post_that_the_table_s_file_names(keyed_folder, monkeypatch, name, pin, log, words):
    staff = "".join(
        f'[[staff]]\nname = "{member}"\npost = "{post}"\npin = "{hash_pin(own, LEAST_WORK)}"\n'
        for member, post, own in (("Dealer One", "dealer", "402817"), ("Pit Two", "pit_supervisor", "918273"))
    )
    text = LUCKY_FILE[: LUCKY_FILE.index("[[staff]]")] + f'[posts]\nlog = "{log}"\n' + staff
    monkeypatch.setattr("host.table.adopt.PATIENCE_MS", 0)
    path = write(keyed_folder, text)
    words_given = ["log", "adopt", str(path), "--staff", name, "--reason", "burnt", "--stdin"]
    done = CliRunner().invoke(felt, [*words_given, "--port", str(keyed_folder / "nowhere")], input=f"{pin}\n")
    assert done.exit_code == 1
    assert words in done.output
    assert not (keyed_folder / "t1.db").exists()
