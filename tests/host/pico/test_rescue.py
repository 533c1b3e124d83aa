"""A Pico whose filesystem is gone: every record comes back from its raw flash, and nothing is written over them
before."""

import pytest

import host.commands.rescue
from host.keys import make_table_key
from host.log.verify import open_journal
from host.pico.deploy import DeployError, JournalChoice, KeyChoice
from host.pico.flashing import RESCUED, flash
from host.pico.mpremote_port import MpremoteDevice
from host.pico.rescue import find_ring, leave_mark, newest, read_segments, save
from host.pico.serial_ports import PortError
from shared.journal.journal import SEGMENTS
from shared.journal.ring import HEADER, SECTOR, Ring
from tests.support.deploying import FILES, MPY, SMALL, refusal, run
from tests.support.firmware.littlefs_pico import (
    TABLE,
    Refusal,
    device_on,
    flashed,
    format_by_mistake,
    hand_over_on,
    ring_table,
    start,
    use,
)
from tests.support.firmware.small_rounds import small_round
from tests.support.nor_flash import Files, NorFlash, cuts
from tests.support.tables import MBS

CHANGED = {**FILES, "shared/a.mpy": MPY + b"new rules" * 1000}
TOLD = 6  # events of a round, so that it is in the middle


@pytest.fixture
def lost():
    """The flash of a table that lost its filesystem in the middle of a round, and its lines."""
    device_flash, journal = ring_table(small_round(MBS)[:TOLD])
    lines = list(journal.lines_from(1))
    format_by_mistake(device_flash)
    return device_flash, lines


@pytest.fixture
def t1_key(tmp_path):
    path = tmp_path / "t1.key"
    path.write_bytes(TABLE.content)
    path.chmod(0o600)
    return path


def saved_lines(folder):
    opened = open_journal(folder, TABLE.sealer, "T1")
    assert opened.problem is None
    return [line.content for line in opened.lines]


# The command


def test_every_record_comes_back_and_is_what_verify_and_import_take(lost, tmp_path, t1_key, monkeypatch):
    device_flash, lines = lost
    use(monkeypatch, device_flash)
    folder = tmp_path / "saved"
    done = run("rescue", "--port", "/dev/x", folder, "--key", t1_key)
    assert done.exit_code == 0, done.output
    assert saved_lines(folder) == lines
    assert f"table T1: whole; records 1 to {len(lines)}; the last round is 1\n" in done.stdout
    assert "felt flash --replace TABLE.toml puts the table back\n" in done.stdout
    done = run("verify", folder, "--key", t1_key)
    assert (done.exit_code, f"whole; records 1 to {len(lines)}" in done.output) == (0, True)
    done = run("log", "import", folder, tmp_path / "t1.db", "--key", t1_key)
    assert f"{len(lines)} records are new" in done.stdout


def test_rescue_takes_nothing_away_and_can_be_done_again(lost, tmp_path, t1_key, monkeypatch):
    device_flash, lines = lost
    before = bytes(device_flash.cells)
    use(monkeypatch, device_flash)
    for name in "ab":
        done = run("rescue", "--port", "/dev/x", tmp_path / name, "--key", t1_key)
        assert "the Pico is marked as rescued" in done.stdout
        assert saved_lines(tmp_path / name) == lines
    assert device_flash.cells[2 * SECTOR :] == before[2 * SECTOR :], "the mark lies with the superblocks"


def test_what_is_not_verified_is_not_given_up(lost, tmp_path, t1_key, small_tree, monkeypatch):
    device_flash, lines = lost
    before = bytes(device_flash.cells)
    use(monkeypatch, device_flash)
    other_key = tmp_path / "t2.key"
    make_table_key(other_key, "T2")
    for name, more in (("plain", ()), ("other", ("--key", other_key))):
        done = run("rescue", "--port", "/dev/x", tmp_path / name, *more)
        assert (done.exit_code, saved_lines(tmp_path / name)) == (1 if more else 0, lines)
        assert ("NOT whole" if more else "not verified yet: `felt verify") in done.stdout
        assert "the Pico is not marked as rescued, so felt flash leaves it alone" in done.stdout
        assert device_flash.cells == before
        assert "felt rescue" in refusal("flash", "--board", "small", "--port", "/dev/x", "--key", t1_key)
    done = run("rescue", "--port", "/dev/x", tmp_path / "taken", "--as-it-is")
    assert "the Pico is marked as rescued" in done.stdout
    assert run("flash", "--board", "small", "--port", "/dev/x", "--key", t1_key).exit_code == 0


def test_a_table_at_its_console_is_saved_too_and_keeps_its_journal(tmp_path, t1_key, monkeypatch):
    device_flash, journal = ring_table()
    before = bytes(device_flash.cells)
    use(monkeypatch, device_flash)
    done = run("rescue", "--port", "/dev/x", tmp_path / "saved", "--key", t1_key)
    assert saved_lines(tmp_path / "saved") == list(journal.lines_from(1))
    assert "marked" not in done.stdout
    assert device_flash.cells == before


def test_what_is_not_whole_is_saved_and_said(lost, tmp_path, t1_key, monkeypatch):
    device_flash, _ = lost
    ring = find_ring(device_on(device_flash), {})
    at = ring.blocks["00000001"] * SECTOR + 2000
    device_flash.cells[at] &= 0x0F
    use(monkeypatch, device_flash)
    done = run("rescue", "--port", "/dev/x", tmp_path / "saved", "--key", t1_key)
    assert (done.exit_code, "table T1: NOT whole; record " in done.stdout) == (1, True)
    assert "the Pico is not marked as rescued" in done.stdout
    assert (tmp_path / "saved" / "00000001").exists()


@pytest.mark.parametrize("content", [bytes(4064), b"\xff" * 4064, b"noise\n" * 600])
def test_a_segment_without_a_record_is_not_whole(lost, content, tmp_path, t1_key, monkeypatch):
    device_flash, _ = lost
    at = find_ring(device_on(device_flash), {}).blocks["00000001"] * SECTOR + HEADER
    device_flash.cells[at : at + len(content)] = content
    use(monkeypatch, device_flash)
    done = run("rescue", "--port", "/dev/x", tmp_path / "saved", "--key", t1_key)
    assert (done.exit_code, "table T1: NOT whole; " in done.stdout) == (1, True)
    assert "the Pico is not marked as rescued" in done.stdout


def test_a_rescue_that_breaks_off_is_done_again(lost, tmp_path, t1_key, monkeypatch):
    device_flash, lines = lost
    use(monkeypatch, device_flash)

    def lose(*_arguments):
        raise PortError("pico.lost", port="/dev/x", reason="read failed")

    rescue = ("rescue", "--port", "/dev/x", "--key", t1_key)
    for lost_in, is_there in (("read_segments", False), ("leave_mark", True)):
        with monkeypatch.context() as broken:
            broken.setattr(host.commands.rescue, lost_in, lose)
            assert "press reset and try again" in refusal(*rescue, tmp_path / lost_in)
        assert (tmp_path / lost_in).exists() == is_there
    assert "name another folder" in refusal(*rescue, tmp_path / "leave_mark")
    assert run(*rescue, tmp_path / "again").exit_code == 0
    assert saved_lines(tmp_path / "again") == saved_lines(tmp_path / "leave_mark") == lines


def test_where_there_is_nothing_to_save(tmp_path, monkeypatch):
    device_flash, _ = flashed()
    use(monkeypatch, device_flash)
    said = refusal("rescue", "--port", "/dev/x", tmp_path / "saved")
    assert said == "/dev/x: no records of a table are in the flash of this Pico; is it the right one?"
    assert not (tmp_path / "saved").exists()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("")
    assert "is not empty" in refusal("rescue", "--port", "/dev/x", tmp_path / "full")


# Reading raw flash


def test_the_ring_of_the_highest_generation_is_the_table_s(lost):
    device_flash, _ = lost
    headers = device_on(device_flash).headers()
    generation, blocks = newest(headers)
    assert (generation, len(headers)) == (1, SEGMENTS)
    assert blocks
    older = NorFlash(blocks=4)
    ring = Ring(older, 5, [0, 1])
    ring.prepare()
    ring.append("00000007", b"newer")
    headers |= {400 + block: bytes(older.cells[block * SECTOR :][:32]) for block in (0, 1)}
    assert newest(headers) == (5, {"00000007": 400})
    assert newest({}) == (0, {})


def test_what_comes_garbled_over_the_port_is_not_taken():
    class Answering:
        serial = None

        def __init__(self, printed):
            self.printed = printed

        def exec_raw(self, source, timeout):
            return (b"" if "def " in source else self.printed), b""

    for printed in (b"7 4652 00000000\r\n", b"7 zz 00000000\r\n", b"7\r\n"):
        device = MpremoteDevice(Answering(printed), "/dev/ttyX")  # type: ignore[arg-type]
        with pytest.raises(PortError) as garbled:
            device.headers()
        assert garbled.value.code == "pico.garbled"
        with pytest.raises(PortError):
            device.sector(7)


# Flashing


def test_a_pico_with_records_that_nobody_saved_is_not_flashed(lost, t1_key):
    device_flash, _ = lost
    before = bytes(device_flash.cells)
    with pytest.raises(
        DeployError, match=r"Save them first with felt rescue --port PORT FOLDER --key FILE.*--replace"
    ):
        flash(device_on(device_flash), SMALL, FILES, KeyChoice(t1_key))
    rig = type("Rig", (), {"NAME": "rig", "ROLE": "rig", "JUMPER": 22})
    with pytest.raises(DeployError, match="felt rescue"):
        flash(device_on(device_flash), rig, FILES, KeyChoice())  # type: ignore[arg-type]
    assert device_flash.cells == before


def test_once_they_are_saved_it_is_flashed_and_begins_a_new_ring(lost, tmp_path, t1_key):
    device_flash, _ = lost
    device = device_on(device_flash)
    ring = find_ring(device, {})
    assert ring
    save(read_segments(device, ring), tmp_path / "saved")
    leave_mark(device, ring)
    assert flash(device_on(device_flash), SMALL, FILES, KeyChoice(t1_key)).note == RESCUED
    recorder = start(device_flash)
    assert (recorder.journal.storage.generation, recorder.journal.chain.number) == (2, 2)
    assert flash(device_on(device_flash), SMALL, FILES, KeyChoice()).note == ""
    format_by_mistake(device_flash)
    with pytest.raises(DeployError, match="felt rescue"):  # the mark of the older ring went, too
        flash(device_on(device_flash), SMALL, FILES, KeyChoice(t1_key))


def test_a_mark_is_for_one_ring_only(lost, t1_key):
    device_flash, _ = lost
    device = device_on(device_flash)
    leave_mark(device, find_ring(device, {})._replace(generation=7))
    with pytest.raises(DeployError, match="felt rescue"):
        flash(device, SMALL, FILES, KeyChoice(t1_key))


def test_a_new_journal_saves_what_is_in_raw_flash(lost, tmp_path, t1_key):
    device_flash, lines = lost
    choice = JournalChoice(tmp_path / "saved")
    done = flash(device_on(device_flash), SMALL, FILES, KeyChoice(t1_key), journal=choice)
    assert (saved_lines(tmp_path / "saved"), done.saved > 1000) == (lines, True)
    assert start(device_flash).journal.chain.number == 2  # its chain and its start


def test_a_damaged_map_is_cured_by_rescue_and_flash(tmp_path, t1_key):
    device_flash, journal = ring_table()
    files = Files(device_flash)
    with files.open("felt/ring", "wb") as file:
        file.write(b"damaged\n")
    with pytest.raises(DeployError, match="felt rescue"):
        flash(device_on(device_flash), SMALL, FILES, KeyChoice())
    device = device_on(device_flash)
    ring = find_ring(device, device.survey(()).files)
    assert ring
    assert not ring.has_map
    save(read_segments(device, ring), tmp_path / "saved")
    assert saved_lines(tmp_path / "saved") == list(journal.lines_from(1))
    leave_mark(device, ring)
    flash(device_on(device_flash), SMALL, FILES, KeyChoice())
    assert start(device_flash).journal.storage.generation == 2


# Power cuts


def lines_on(device_flash):
    recorder = start(device_flash)
    return list(recorder.journal.lines_from(1))


@pytest.mark.slow
def test_a_power_cut_at_any_flash_operation_of_an_update_leaves_a_table_that_runs_or_says_what_is_wrong():
    device_flash, journal = ring_table()
    lines = list(journal.lines_from(1))
    before = bytes(device_flash.cells)
    device_flash.operations.clear()
    device = device_on(device_flash, hands_over=hand_over_on(device_flash))
    assert flash(device, SMALL, CHANGED, KeyChoice()).note == ""
    assert len(device_flash.operations) > 40
    outcomes = set()
    for _, cells in cuts(before, device_flash.operations, "update"):
        try:
            assert lines_on(NorFlash(bytearray(cells)))[: len(lines)] == lines
            outcomes.add("runs")
        except Refusal as refusal:
            outcomes.add(refusal.why[0])
        again = NorFlash(bytearray(cells))
        flash(device_on(again, hands_over=hand_over_on(again)), SMALL, CHANGED, KeyChoice())
        assert lines_on(again)[: len(lines)] == lines
    assert outcomes == {"runs", "files_changed"}


@pytest.mark.slow
def test_a_power_cut_while_a_journal_is_set_aside_loses_none_of_it(tmp_path):
    device_flash, journal = ring_table()
    lines = list(journal.lines_from(1))
    before = bytes(device_flash.cells)
    device_flash.operations.clear()
    choice = JournalChoice(tmp_path / "first")
    device = device_on(device_flash, hands_over=hand_over_on(device_flash))
    flash(device, SMALL, CHANGED, KeyChoice(), journal=choice)
    assert saved_lines(tmp_path / "first")[: len(lines)] == lines
    for cut, cells in cuts(before, device_flash.operations, "aside"):
        again = NorFlash(bytearray(cells))
        choice = JournalChoice(tmp_path / str(cut))
        device = device_on(again, hands_over=hand_over_on(again))
        flash(device, SMALL, CHANGED, KeyChoice(), journal=choice)
        assert saved_lines(tmp_path / str(cut))[: len(lines)] == lines
        assert start(again).journal.chain.number == 2
