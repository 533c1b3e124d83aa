"""From the journal of an older firmware to the ring: all that was in it is saved and verified, and the table goes
on with the same chain, also if the power goes at any operation of the flash."""

import os
import random

import pytest

from firmware.recorder import Recorder
from host.log.verify import Line, open_journal, verify
from host.pico.deploy import DeployError, JournalChoice, KeyChoice, is_sound
from host.pico.flashing import flash
from host.pico.migration import carry_end
from shared.journal.journal import Journal
from shared.journal.wire import decode
from tests.support.deploying import FILES, MPY, SMALL, run
from tests.support.firmware.littlefs_pico import (
    TABLE,
    OldJournal,
    Refusal,
    device_on,
    old_hand_over,
    old_table,
    start,
    use,
)
from tests.support.firmware.small_rounds import small_round
from tests.support.linked import RULES
from tests.support.nor_flash import Files, NorFlash, cuts
from tests.support.tables import MBS

CHANGED = {**FILES, "shared/a.mpy": MPY + os.urandom(9000)}  # more than is sent at once


def old_lines(cells):
    """The lines of an older firmware's journal."""
    return list(Journal(OldJournal(Files(NorFlash(cells))), TABLE.sealer, "T1").lines_from(1))


def saved_lines(folder):
    return [line.content for line in open_journal(folder, TABLE.sealer, "T1").lines]


def by_number(*groups):
    """Every line by its number; the same number never with two lines."""
    found = {}
    for line in (line for group in groups for line in group):
        assert found.setdefault(decode(line)[2], line) == line
    return found


def assert_whole(found, least):
    """A chain without a gap, from its first record on, at least as long as it was."""
    lines = [Line(("in_empty_log",), line) for _, line in sorted(found.items())]
    verdict = verify(lines, TABLE.sealer, "T1")
    assert (verdict.breaks, verdict.first, verdict.last) == ([], 1, len(found))
    assert len(found) >= least


def flash_old(cells, folder, files=CHANGED):
    """`felt flash` on a table with an older firmware; what it did, the flash and the device."""
    device_flash = NorFlash(bytearray(cells))
    device = device_on(device_flash, hands_over=old_hand_over)
    return flash(device, SMALL, files, KeyChoice(), journal=JournalChoice(old=folder)), device_flash


def test_a_table_goes_on_with_its_chain_in_the_ring(tmp_path):
    before = old_table().cells
    done, device_flash = flash_old(before, tmp_path / "saved")
    brought = done.brought
    assert (brought.folder, brought.first, done.note) == (tmp_path / "saved", 1, "")
    saved = saved_lines(brought.folder)
    assert saved[: len(old_lines(before))] == old_lines(before)
    recorder = start(device_flash)
    ring = list(recorder.journal.lines_from(1))
    assert decode(ring[0])[3][0] == "begin", "from where a replay can begin"
    assert saved[-len(ring) + 1 :] == ring[:-1]
    assert decode(ring[-1])[3][0] == "boot"
    assert_whole(by_number(saved, ring), len(saved) + 1)
    assert (recorder.round.state, recorder.round.number) == ("idle", 1)
    files = Files(device_flash)
    assert set(files.os.listdir("felt")) == {"key", "manifest", "ring"}
    assert "journal" not in files.os.listdir("/")


def test_the_folder_is_named_after_the_table_and_never_one_that_is_there(folder):
    before = old_table().cells
    names = [flash_old(before, None)[0].brought.folder.name for _ in range(3)]
    assert names == ["T1-journal", "T1-journal-2", "T1-journal-3"]
    assert sorted(path.name for path in folder.iterdir()) == names


def test_the_command_says_what_it_saved_and_what_to_do(folder, small_tree, monkeypatch):
    device_flash = old_table()
    use(monkeypatch, device_flash, hands_over=old_hand_over)
    done = run("flash", "--board", "small", "--port", "/dev/x", "--old-journal", "kept")
    assert done.exit_code == 0, done.output
    last = len(saved_lines(folder / "kept"))
    assert f"kept: the journal of the older firmware, records 1 to {last}, " in done.stdout
    assert "`felt log import kept LOG --key KEY` adds what the host's log lacks\n" in done.stdout
    assert start(device_flash).journal.chain.number == last + 1
    assert "nothing to copy" in run("flash", "--board", "small", "--port", "/dev/x").stdout


def test_a_host_that_had_all_before_the_hand_over_can_go_on(tmp_path):
    before = old_table().cells
    carry = flash_old(before, tmp_path / "saved")[0].brought.carry
    assert decode(carry.splitlines()[1])[2] <= len(old_lines(before))


def test_firmware_that_cannot_hand_over_is_told_of_and_the_journal_comes_along(tmp_path):
    device_flash = old_table()
    lines = old_lines(device_flash.cells)
    done = flash(
        device_on(device_flash), SMALL, CHANGED, KeyChoice(), journal=JournalChoice(old=tmp_path / "saved")
    )
    assert "could not write how the table stands" in done.note
    assert saved_lines(tmp_path / "saved") == lines
    assert start(device_flash).round.number == 1


def test_a_broken_journal_is_not_brought_and_nothing_changes(tmp_path):
    device_flash = old_table()
    files = Files(device_flash)
    with files.open("journal/00000001", "rb") as file:
        content = bytearray(file.read())
    content[-50] ^= 1
    with files.open("journal/00000001", "wb") as file:
        file.write(content)
    before = bytes(device_flash.cells)
    with pytest.raises(DeployError, match=r"the old journal on the device is broken.*--new-journal FOLDER"):
        flash_old(before, tmp_path / "saved")
    assert not (tmp_path / "saved").exists()


def test_a_carried_end_is_known_by_its_key_and_whole_or_nothing(tmp_path):
    carry = flash_old(old_table().cells, tmp_path / "saved")[0].brought.carry
    last = decode(carry.splitlines()[-1])[2]
    assert carry_end(carry, TABLE).number == last
    for damaged in (
        carry[:-9],
        carry[:200],
        b"",
        carry.replace(b'"carry"', b'"carri"'),
        carry[:-60] + carry[-59:],
    ):
        assert carry_end(damaged, TABLE).number == 0


@pytest.mark.slow
def test_a_power_cut_at_any_flash_operation_loses_nothing(tmp_path):
    """Of `felt flash`, the old firmware's hand-over included; then it is flashed once more and started."""
    before = bytes(old_table().cells)
    least = len(old_lines(before))
    device_flash = NorFlash(bytearray(before))
    handed_over = []

    def hand_over(files):
        done = old_hand_over(files)
        handed_over.append(len(device_flash.operations))
        return done

    first = tmp_path / "first"
    flash(
        device_on(device_flash, hands_over=hand_over),
        SMALL,
        CHANGED,
        KeyChoice(),
        journal=JournalChoice(old=first),
    )
    assert len(device_flash.operations) > handed_over[0] + 20
    seen = set()
    for cut, cells in cuts(before, device_flash.operations, "migration"):
        is_saved = cut >= handed_over[0]
        seen.add(state_after(cells, least))
        folder = tmp_path / str(cut)
        done, again = flash_old(cells, folder)
        groups = [saved_lines(one) for one, there in ((first, is_saved), (folder, done.brought)) if there]
        recorder = start(again)
        assert_whole(by_number(*groups, recorder.journal.lines_from(1)), least + 1)
        assert recorder.round.number == 1
    assert seen == {"runs with the old firmware", "says files_changed"}


def state_after(cells, least):
    """What a table is after a power cut: one that runs with all its records, or one that says what is wrong."""
    device_flash = NorFlash(bytearray(cells))
    device = device_on(device_flash)
    found = device.survey(("shared", "boards", "felt", "main.py"))
    if "felt/manifest" not in found.files:
        with pytest.raises(Refusal) as refusal:
            start(device_flash)
        assert refusal.value.why[:2] == ("files_changed", "no_manifest")
        return "says files_changed"
    if not is_sound(found, device.read("felt/key"), device.read("felt/manifest")):
        with pytest.raises(Refusal) as refusal:
            start(device_flash)
        assert refusal.value.why[0] == "files_changed"
        return "says files_changed"
    assert len(old_lines(cells)) >= least
    return "runs with the old firmware"


def test_what_was_carried_does_not_count_once_the_old_journal_goes_further(tmp_path):
    """The power went before the manifest was removed, and the old firmware ran on; then the manifest was lost."""
    device_flash = old_table()
    carry = flash_old(device_flash.cells, tmp_path / "first")[0].brought.carry
    files = Files(device_flash)
    with files.open("felt/carry", "wb") as file:
        file.write(carry)
    recorder = Recorder(
        Journal(OldJournal(files), TABLE.sealer, "T1", 16384), "power", random.Random("on").randbytes, RULES
    )
    for event in small_round(MBS):
        recorder.apply(event)
    assert recorder.journal.chain.number > carry_end(carry, TABLE).number
    files.os.remove("felt/manifest")
    done, again = flash_old(device_flash.cells, tmp_path / "second")
    assert done.brought.last == recorder.journal.chain.number
    after = start(again)
    assert_whole(by_number(saved_lines(done.brought.folder), after.journal.lines_from(1)), done.brought.last + 1)
    assert after.round.number == 2
