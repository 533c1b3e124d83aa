"""`felt flash` and `felt image` against real MicroPython on an emulated Pico."""

import os
import random
import re
import select
import time
from pathlib import Path
from typing import Any

import pytest

import host.pico.mpremote_port
from firmware.recorder import Recorder
from host.commands.flash import files_text
from host.emulator.pico import Emulator
from host.keys import TableKey, make_table_key, read_table_key
from host.pico.boards import find_board
from host.pico.deploy import RING, Key, table_files, with_key
from host.pico.flash_image import read_filesystem, uf2_to_flash
from host.pico.mpy import compile_source
from shared.journal.journal import Journal
from shared.journal.seal import Sealer
from shared.journal.snapshot import plain_config
from shared.link.manifest import read_manifest
from tests.support.campaign import LONG
from tests.support.deploying import refusal, run, use_tree
from tests.support.firmware.emulated_port import be_patient, serve_pty
from tests.support.firmware.images import IMAGES, each_image, needs_image
from tests.support.firmware.littlefs_pico import segments_in
from tests.support.firmware.small_rounds import small_config, small_round
from tests.support.linked import KEY, RULES
from tests.support.storage import Storage
from tests.support.tables import MBS

pytestmark = [pytest.mark.slow, needs_image]
# The emulator takes a minute and a half for the whole firmware, so ordinarily it gets a few modules of it.
ROOMS = ("shared/__init__", "shared/rules/__init__", "shared/books/__init__", "boards/__init__")
SOURCES = (*ROOMS, "shared/rules/cards", "shared/values", "boards/small")
MAIN = b"from shared.rules.cards import RANKS\nprint('table', len(RANKS))\n"
JUMPER = 22
QUICK: dict[str, Any] = {"erase_us": 0, "program_us": 0}  # the time of the flash chip is not what is tested


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    be_patient(monkeypatch)


@pytest.fixture(scope="module")
def tree():
    files = {f"{name}.mpy": compile_source(Path(f"{name}.py")) for name in SOURCES}
    return {**files, "main.py": MAIN}


def is_ring(path):
    return path.startswith("/ring") or path == "/felt/ring"


def ring_of(flash):
    """What makes up the journal: the map of its ring, and its segments."""
    return read_filesystem(flash).get("/felt/ring"), segments_in(flash)


def flash_of(server, emulator):
    """The files, without those of the ring; and the ring."""
    flash = server.call(emulator.dump_flash)
    files = {path: content for path, content in read_filesystem(flash).items() if not is_ring(path)}
    return files, ring_of(flash)


@pytest.mark.parametrize("image", IMAGES if LONG else IMAGES[:1], ids=lambda path: path.stem)
def test_flashing_copies_all_then_nothing_then_what_changed(image, tree, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    use_tree(monkeypatch, tree)
    segments = {"00000001": b"sealed\n" * 100}
    before = {
        "/shared/rules/cards.py": b"raise SystemExit\n",
        "/shared/old/gone.mpy": b"stale",
        "/boards/full.mpy": b"stale",
        "/lib/other.py": b"",
    }
    emulator = Emulator.boot(image, before, segments, **QUICK)
    emulator.wait_for_usb()
    with serve_pty(emulator) as (port, server):
        ring = ring_of(server.call(emulator.dump_flash))
        flash = ("flash", "--board", "small", "--port", port)
        assert "--new-journal FOLDER" in refusal(*flash, "--table", "T1")
        make_table_key(Path("T1.key"), "T1")
        first = run(*flash, "--key", "T1.key")
        assert first.exit_code == 0, first.output
        on, removed, copied = first.stdout.splitlines()
        assert re.fullmatch(rf"table T1 on {port}: board small, MicroPython \d+\.\d+\.\d+", on)
        gone = "boards/full.mpy, lib/other.py, shared/old/gone.mpy, shared/rules/cards.py, shared/old, lib"
        assert removed == f"removed {gone}"
        assert copied.startswith(f"copied {len(tree) + 2} files, ")
        assert "could not write how the table stands (its files are not whole)" in first.stderr

        files, left = flash_of(server, emulator)
        assert left == ring
        key = read_table_key(Path("T1.key"))
        manifest = files.pop("/felt/manifest")
        assert {path for path, _, _ in read_manifest(key.sealer, manifest).files} == set(tree)
        wanted = {f"/{path}": content for path, content in tree.items()}
        assert files == wanted | {"/felt/key": Path("T1.key").read_bytes()}

        second = run(*flash)
        assert second.stdout.splitlines()[1:] == [
            f"nothing to copy; {files_text(len(tree) + 2)} are as they should be"
        ]

        changed = tree | {"shared/books/__init__.mpy": compile_source(Path("shared/round/states.py"))}
        use_tree(monkeypatch, changed)
        third = run(*flash, "--key", "T1.key")
        assert re.match(
            rf"copied 2 files, [\d,]+ bytes; all {len(changed) + 2} are", third.stdout.splitlines()[1]
        )
        assert "how the table stands (ImportError(" in third.stderr  # there is no firmware in this small tree
        files, left = flash_of(server, emulator)
        assert left == ring
        assert files["/shared/books/__init__.mpy"] == changed["shared/books/__init__.mpy"]
        assert files["/felt/manifest"] != manifest

        assert "--new-journal FOLDER" in refusal(*flash, "--table", "T2", "--new-key")
        assert "add --new-key" in refusal(*flash, "--key", other_key())
        assert flash_of(server, emulator) == (files, ring)

        fourth = run(*flash, "--table", "T2", "--new-key", "--new-journal", "saved")
        assert fourth.exit_code == 0, fourth.output
        assert Path("saved/00000001").read_bytes() == segments["00000001"]
        files, left = flash_of(server, emulator)
        assert (left[0], files["/rescued"], files["/felt/key"]) == (
            None,
            b"1 given up\n",
            Path("T2.key").read_bytes(),
        )


def other_key():
    make_table_key(Path("other.key"), "T9")
    return Path("other.key")


@each_image
def test_a_full_flash_is_said_and_what_is_there_stays(image, tree, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    use_tree(monkeypatch, tree)
    before = {"/large.bin": bytes(345 * 4096)}
    emulator = Emulator.boot(image, before, **QUICK)
    emulator.wait_for_usb()
    with serve_pty(emulator) as (port, server):
        make_table_key(Path("T1.key"), "T1")
        said = refusal("flash", "--board", "small", "--port", port, "--key", "T1.key")
        assert said.startswith(f"{port}: the device's flash is full;")
        assert before.items() <= flash_of(server, emulator)[0].items()


@each_image
def test_the_image_of_a_table_boots(image, tree, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    use_tree(monkeypatch, tree)
    done = run("image", "--board", "small", "--table", "T1", "--micropython", image, "-o", "t1.uf2")
    assert done.exit_code == 0, done.output
    emulator = Emulator.boot(Path("t1.uf2"), **QUICK)
    emulator.usb_expect(b"table 13\r\n")
    listed = emulator.execute("import os\nprint(sorted(os.listdir('/')), os.stat('shared/rules/cards.mpy')[6])")
    names = ["boards", "felt", "main.py", *sorted(RING), "shared"]
    assert listed == f"{names} {len(tree['shared/rules/cards.mpy'])}\n"
    assert read_filesystem(emulator.dump_flash()) == read_filesystem(uf2_to_flash(Path("t1.uf2").read_bytes()))


def heard_at(port, words, seconds=300):
    """Listen at a port until one of the words comes; which."""
    descriptor = os.open(port, os.O_RDONLY | os.O_NOCTTY)
    heard, deadline = b"", time.monotonic() + seconds
    try:
        while not any(word in heard for word in words):
            assert time.monotonic() < deadline, heard[-500:]
            if select.select([descriptor], [], [], 1)[0]:
                heard += os.read(descriptor, 4096)
    finally:
        os.close(descriptor)
    return next(word for word in words if word in heard)


@pytest.mark.skipif(not LONG, reason="the whole firmware takes minutes: `make test-long`")
@each_image
def test_the_whole_firmware_is_flashed_runs_and_then_lets_nobody_in(image, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    use_tree(monkeypatch, table_files(find_board("small")))  # as it is now, whoever works on it meanwhile
    make_table_key(Path("t1.key"), "T1")
    emulator = Emulator.boot(image, {"/shared/rules/cards.py": b"raise SystemExit\n"}, **QUICK)
    emulator.set_pin(JUMPER, False)
    emulator.wait_for_usb()
    with serve_pty(emulator) as (port, server):
        flash = ("flash", "--board", "small", "--port", port)
        first = run(*flash, "--key", "t1.key")
        assert first.exit_code == 0, first.output
        assert first.stdout.splitlines()[-1] == "take the service jumper off and press reset to run the table"
        assert "nothing to copy; " in run(*flash).stdout
        server.call(lambda: (emulator.set_pin(JUMPER, None), emulator.press_reset()))
        assert heard_at(port, [b'["hello"', b'["faulty"']) == b'["hello"'
        assert "Put the service jumper on (GP22 to ground)" in refusal(*flash)


@pytest.mark.skipif(not LONG, reason="the whole firmware takes minutes: `make test-long`")
@each_image
def test_the_image_of_the_whole_firmware_says_hello(image, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    done = run("image", "--board", "small", "--table", "T1", "--micropython", image, "-o", "t1.uf2")
    assert done.exit_code == 0, done.output
    emulator = Emulator.boot(Path("t1.uf2"), **QUICK)
    assert b'["faulty"' not in emulator.usb_expect(b'["hello"', timeout_ms=30_000)


@pytest.mark.parametrize("image", IMAGES if LONG else IMAGES[:1], ids=lambda path: path.stem)
def test_the_firmware_on_a_pico_hands_over(image):
    """As `felt flash` has it do before other rules come; what it wrote is read here."""
    key = TableKey("T1", KEY)
    storage = Storage()
    recorder = start(storage)
    recorder.command(1, "staff", "config", plain_config(small_config(MBS)))
    for event in small_round(MBS):
        recorder.apply(event)
    files = with_key(table_files(find_board("small")), "small", Key(key))
    on_flash = {f"/{path}": data for path, data in files.items()}
    emulator = Emulator.boot(image, on_flash, storage.files, **QUICK)
    emulator.set_pin(JUMPER, False)
    assert emulator.execute(host.pico.mpremote_port.HAND_OVER, 600_000) == "idle \n"
    after = start(Storage(segments_in(emulator.dump_flash())))
    assert after.journal.whole > recorder.journal.whole
    assert (after.round.state, after.round.number, after.last_answer) == ("idle", 1, recorder.last_answer)


def start(storage):
    return Recorder(Journal(storage, Sealer(KEY), "T1"), "power", random.Random("pico").randbytes, RULES)
