"""What flashing does about the journal: handed over to new rules, set aside on demand, never lost; and that a
flash which breaks off anywhere can be done again."""

import random
import struct
from binascii import crc32
from pathlib import Path

import pytest

import host.commands.flash
from firmware.recorder import Recorder
from host.keys import make_table_key, read_table_key
from host.log.folder_storage import FolderStorage
from host.pico.deploy import DeployError, JournalChoice, Key, KeyChoice, is_sound, with_key
from host.pico.flashing import flash
from host.pico.mpremote_port import MpremoteDevice
from host.pico.serial_ports import PortError
from shared.journal.journal import Journal
from shared.journal.ring import SECTOR, make_header
from tests.support.deploying import FILES, MPY, SMALL, Cut, CutDevice, FakeDevice, on_device, refusal, run
from tests.support.linked import RULES

SEGMENTS = {"00000001": b"first\n", "00000002": b"second\n"}
MAP = {"felt/ring": b'["ring",3,[9,7]]*' + b"%08x\n" % crc32(b'["ring",3,[9,7]]')}
CHANGED = {**FILES, "shared/a.mpy": MPY + b"new rules"}


@pytest.fixture
def there(key_file):
    """The files of a table as it was flashed, with the map of its ring."""
    return with_key(FILES, "small", Key(read_table_key(key_file))) | MAP


def sectors_of(segments, generation=3):
    """The raw flash of a ring with these segments, in a falling order of blocks."""
    sectors = {}
    for place, (name, content) in enumerate(sorted(segments.items())):
        number = struct.pack("<II", int(name), int(name) ^ 0xFFFFFFFF)
        header = make_header(place, generation, 5, 5) + number + b"\xff" * 4
        sectors[9 - 2 * place] = (header + content).ljust(SECTOR, b"\xff")
    return sectors


def table(files, **more):
    return FakeDevice(files, sectors=sectors_of(SEGMENTS), **more)


def has_ring(device):
    return MAP.items() <= device.files.items() and device.sectors == sectors_of(SEGMENTS)


def saved_in(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# Handing over


def test_before_the_rules_change_the_old_firmware_writes_how_the_table_stands(there):
    device = table(there)
    done = flash(device, SMALL, CHANGED, KeyChoice())
    assert (device.handed_over, done.note) == (1, "")
    assert has_ring(device)
    assert device.files["shared/a.mpy"] == CHANGED["shared/a.mpy"]


@pytest.mark.parametrize("change", [{}, {"main.py": b"import other\n"}, {"boards/small.mpy": MPY + b"other"}])
def test_while_the_rules_stay_nothing_is_handed_over(there, change):
    device = table(there, says=("round", "7, dealing"))
    flash(device, SMALL, {**FILES, **change}, KeyChoice())
    assert device.handed_over == 0


def test_without_a_journal_nothing_is_handed_over(there):
    device = FakeDevice(there)
    device.folders.add("journal")
    assert flash(device, SMALL, CHANGED, KeyChoice()).note == ""
    assert device.handed_over == 0


@pytest.mark.parametrize("folder", [None, "saved"])
def test_a_round_in_the_middle_is_not_flashed_away(there, tmp_path, folder):
    device = table(there, says=("round", "7, dealing"))
    choice = JournalChoice(folder and tmp_path / folder)
    with pytest.raises(DeployError, match=r"a round is unfinished \(round 7, dealing\).*--abandon-round"):
        flash(device, SMALL, CHANGED, KeyChoice(), journal=choice)
    assert (device.changed, device.restarts, device.files) == ([], 1, there)
    assert not (tmp_path / "saved").exists()


def test_a_round_in_the_middle_can_be_given_up_with_its_journal_saved(there, tmp_path):
    device = table(there, says=("round", "7, dealing"))
    flash(device, SMALL, CHANGED, KeyChoice(), journal=JournalChoice(tmp_path / "saved", True))
    assert saved_in(tmp_path / "saved") == SEGMENTS
    assert ("felt/ring" in device.files, device.files["rescued"]) == (False, b"3 given up\n")


def test_a_full_journal_is_not_played_by_other_rules(there):
    device = table(there, says=("full", ""))
    with pytest.raises(
        DeployError, match=r"the journal is full.*run the table with its host first.*--new-journal"
    ):
        flash(device, SMALL, CHANGED, KeyChoice())
    assert device.files == there


@pytest.mark.parametrize(
    ("says", "words"),
    [
        (
            ("broken", "record 5: changed"),
            "the journal on it is broken (record 5: changed), and the table will not",
        ),
        (("failed", "ImportError('no module')"), "could not write how the table stands (ImportError("),
    ],
)
def test_what_the_old_firmware_cannot_do_is_said_and_what_follows(there, says, words):
    device = table(there, says=says)
    note = flash(device, SMALL, CHANGED, KeyChoice()).note
    assert words in note
    assert "--new-journal FOLDER" in note
    assert has_ring(device)


@pytest.mark.parametrize(
    "change",
    [
        {"firmware/handover.py": b"print('idle')"},
        {"shared/a/__init__.py": b""},
        {"boot.py": b""},
        {"shared/a.mpy": b"damaged"},
        {"felt/manifest": b""},
        {"felt/manifest": None},
        {"felt/key": b"no key"},
        {"main.py": None},
    ],
)
def test_firmware_that_is_not_as_it_was_flashed_is_not_run(there, change, key_file):
    files = {path: content for path, content in {**there, **change}.items() if content is not None}
    assert not is_sound(on_device(files), files.get("felt/key"), files.get("felt/manifest"))
    device = table(files)
    choice = KeyChoice(key_file, replace="felt/key" in change)
    assert "its files are not whole" in flash(device, SMALL, CHANGED, choice).note
    assert device.handed_over == 0


# Set aside


def test_a_journal_is_saved_before_it_goes(there, tmp_path, key_file):
    device = table(there)
    done = flash(device, SMALL, FILES, KeyChoice(), journal=JournalChoice(tmp_path / "new" / "saved"))
    assert saved_in(tmp_path / "new" / "saved") == SEGMENTS
    assert done.saved == 13
    assert ("felt/ring" in device.files, device.files["rescued"]) == (False, b"3 given up\n")
    assert device.restarts == 1


def test_what_cannot_be_saved_does_not_go(there, tmp_path):
    device = table(there)
    (tmp_path / "file").write_text("")
    for folder, words in (
        (tmp_path / "file", "is not empty"),
        (tmp_path / "file/in", "cannot be|Not a directory"),
    ):
        with pytest.raises(DeployError, match=words):
            flash(device, SMALL, CHANGED, KeyChoice(), journal=JournalChoice(folder))
    assert device.files == there


def test_a_journal_that_no_firmware_can_read_is_saved_too(there, tmp_path):
    device = table(there, says=("broken", "record 5: changed"))
    done = flash(device, SMALL, CHANGED, KeyChoice(), journal=JournalChoice(tmp_path / "saved"))
    assert (saved_in(tmp_path / "saved"), done.note) == (SEGMENTS, "")


def test_what_waits_to_go_into_the_ring_says_how_the_table_stands_and_stays(there):
    device = table(there | {"felt/carry": b"sealed\n"})
    assert flash(device, SMALL, CHANGED, KeyChoice()).note == ""
    assert (device.handed_over, device.files["felt/carry"]) == (0, b"sealed\n")
    with pytest.raises(DeployError, match=r"--new-journal FOLDER"):
        flash(FakeDevice({"felt/carry": b"sealed\n"}), SMALL, CHANGED, KeyChoice(table="T2"))


def test_all_places_with_records_are_set_aside(there, tmp_path):
    files = there | {"felt/carry": b"sealed\n", "journal/00000001": b"older\n", "journal/00000002": b"old\n"}
    device = table(files)
    flash(device, SMALL, CHANGED, KeyChoice(), journal=JournalChoice(tmp_path / "saved"))
    old = {"00000001": b"older\n", "00000002": b"old\n", "carry": b"sealed\n"}
    assert saved_in(tmp_path / "saved" / "ring") == SEGMENTS
    assert {path.name: path.read_bytes() for path in (tmp_path / "saved").iterdir() if path.is_file()} == old
    kept = {path for path in device.files if path.startswith(("journal", "felt/"))}
    assert (kept, device.folders & {"journal"}) == ({"felt/key", "felt/manifest"}, set())


def test_a_new_key_needs_a_new_journal(there, tmp_path, folder):
    make_table_key(Path("other.key"), "T1")
    for choice in (KeyChoice(Path("other.key"), replace=True), KeyChoice(table="T2", replace=True)):
        device = table(there)
        with pytest.raises(DeployError, match=r"the device has a journal.*--new-journal FOLDER"):
            flash(device, SMALL, FILES, choice)
        assert (device.files, device.restarts) == (there, 1)
    assert not Path("T2.key").exists()
    flash(
        device, SMALL, FILES, KeyChoice(Path("other.key"), replace=True), journal=JournalChoice(tmp_path / "old")
    )
    assert device.files["felt/key"] == Path("other.key").read_bytes()
    assert ("felt/ring" in device.files, saved_in(tmp_path / "old")) == (False, SEGMENTS)


def test_the_same_key_again_needs_none(there, key_file):
    device = table(there)
    flash(device, SMALL, FILES, KeyChoice(key_file, replace=True))
    assert has_ring(device)


def test_a_key_that_is_made_for_a_device_that_lost_its_own_needs_a_new_journal(there, folder):
    device = table({path: content for path, content in there.items() if path != "felt/key"})
    with pytest.raises(DeployError, match=r"--new-journal FOLDER"):
        flash(device, SMALL, FILES, KeyChoice(table="T1"))
    assert not list(folder.iterdir())


def test_a_saved_journal_is_one_that_felt_verify_reads(key_file, tmp_path):
    key = Key(read_table_key(key_file))
    storage = FolderStorage(tmp_path / "flash")
    recorder = Recorder(Journal(storage, key.key.sealer, "T1"), "power", random.Random("saved").randbytes, RULES)
    recorder.fault("shuffler_jam", "")
    segments = {name: (tmp_path / "flash" / name).read_bytes() for name in storage.names()}
    device = FakeDevice(with_key(FILES, "small", key) | MAP, sectors=sectors_of(segments))
    flash(device, SMALL, FILES, KeyChoice(), journal=JournalChoice(tmp_path / "saved"))
    done = run("verify", tmp_path / "saved", "--key", key_file)
    assert done.exit_code == 0, done.output
    assert "whole" in done.output


# The command


def test_words_that_need_each_other(small_tree, tmp_path):
    flash_words = ("flash", "--board", "small", "--port", "/dev/none")
    assert refusal(*flash_words, "--abandon-round").startswith("--abandon-round needs --new-journal FOLDER")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "00000001").write_text("")
    said = refusal(*flash_words, "--new-journal", tmp_path / "full")
    assert said == f"{tmp_path / 'full'} is not empty; name another folder for the journal"
    said = refusal("flash", "--board", "rig", "--port", "/dev/none", "--new-journal", tmp_path / "new")
    assert said == "a rig has no journal; leave --new-journal away"


def test_it_says_where_the_journal_is_and_what_the_host_must_do(small_tree, there, tmp_path, monkeypatch):
    devices = [table(there, says=("failed", "ImportError()")) for _ in range(2)]
    use_device(monkeypatch, devices[0])
    words = ("flash", "--board", "small", "--port", "/dev/x")
    done = run(*words, "--new-journal", tmp_path / "saved")
    assert done.exit_code == 0, done.output
    assert f"{tmp_path / 'saved'}: the journal that was there, 13 bytes\n" in done.stdout
    assert "the table begins a new chain, and with it a new log: name another file in its [log]\n" in done.stdout
    use_device(monkeypatch, FakeDevice(there))
    assert "there was no journal to save\n" in run(*words, "--new-journal", tmp_path / "none").stdout
    use_device(monkeypatch, devices[1])
    monkeypatch.setattr(host.commands.flash, "table_files", lambda board: dict(CHANGED))
    assert run(*words).stderr.startswith("note: the old firmware could not write how the table")


def use_device(monkeypatch, device):
    class Opened:
        def __enter__(self):
            return device

        def __exit__(self, *problem):
            pass

    monkeypatch.setattr(host.commands.flash, "open_device", lambda port: Opened())


# The port


class Answering:
    """A transport on which the device prints what is given, and nothing while it is taught."""

    serial = None
    in_raw_repl = True

    def __init__(self, printed):
        self.printed = printed

    def exec_raw(self, source, timeout):
        return (b"" if source.startswith("\n") and "def " in source else self.printed), b""


def device_that_prints(printed):
    return MpremoteDevice(Answering(printed), "/dev/ttyX")  # type: ignore[arg-type]


def test_a_file_is_read_with_its_checksum():
    assert device_that_prints(b"7365616c\r\n6564\r\nfda4be70\r\n").read("x") == b"sealed"
    assert device_that_prints(b"00000000\r\n").read("x") == b""
    for garbled in (b"", b"7365616c\r\n", b"7365616d\r\n6564\r\nfda4be70\r\n", b"zz\r\n00000000\r\n"):
        with pytest.raises(PortError, match="x came garbled"):
            device_that_prints(garbled).read("x")


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        (b"idle \r\n", ("idle", "")),
        (b"round 7, dealing\r\n", ("round", "7, dealing")),
        (b"something else\r\nbroken record 5: it is changed\r\n", ("broken", "record 5: it is changed")),
        (b"failed ImportError(\"no module named 'firmware.handover'\",)\r\n", None),
        (b"", ("failed", "")),
    ],
)
def test_what_the_firmware_says_when_it_hands_over(printed, said):
    word, about = device_that_prints(printed).hand_over()
    assert (word, about) == (said or ("failed", "ImportError(\"no module named 'firmware.handover'\",)"))


# Broken off


@pytest.mark.parametrize("has_new_journal", [False, True])
@pytest.mark.parametrize("before", ["a table", "a stranger", "nothing"])
def test_a_flash_that_breaks_off_anywhere_can_be_done_again(there, tmp_path, key_file, before, has_new_journal):
    stale = {"shared/old.mpy": b"", "lib/x.py": b"", "shared/a/__init__.py": b""}
    first = {"a table": there, "a stranger": there | stale, "nothing": {}}[before]
    wanted = with_key(CHANGED, "small", Key(read_table_key(key_file)))
    sectors = sectors_of(SEGMENTS) if before != "nothing" else {}
    steps = -1
    while True:
        steps += 1
        device = CutDevice(first, sectors=sectors)
        device.left = steps
        folders = (tmp_path / f"{before}{steps}{one}" for one in "ab")
        choices = [JournalChoice(folder if has_new_journal else None) for folder in folders]
        try:
            flash(device, SMALL, CHANGED, KeyChoice(key_file), journal=choices[0])
            break
        except Cut:
            pass
        files = {path: content for path, content in device.files.items() if path not in (*MAP, "rescued")}
        if is_sound(on_device(files), files.get("felt/key"), files.get("felt/manifest")):
            assert files | MAP == there, "a table that starts has all its old files"
        device.left = 1000
        flash(device, SMALL, CHANGED, KeyChoice(key_file), journal=choices[1])
        if before == "nothing":
            assert device.files == wanted
        elif has_new_journal:
            assert device.files == {**wanted, "rescued": b"3 given up\n"}, steps
            assert SEGMENTS in [saved_in(one.folder) for one in choices if one.folder and one.folder.exists()]
        else:
            assert device.files == {**wanted, **MAP}, steps
    assert steps > 2
