"""`felt flash` and `felt image` against real MicroPython on an emulated Pico."""

import os
import re
import select
import time
from pathlib import Path
from typing import Any

import pytest

import host.mpremote_port
from host.boards import find_board
from host.commands.flash import files_text
from host.deploy import table_files
from host.emulator.pico import Emulator
from host.emulator.port import serve_pty
from host.flash_image import read_filesystem, uf2_to_flash
from host.keys import make_table_key, read_table_key
from host.mpy import compile_source
from host.pico_images import cache_folder, cached_images
from shared.manifest import read_manifest
from tests.campaign import LONG
from tests.host.deploying import refusal, run, use_tree

IMAGES = cached_images(cache_folder(), board=None)
pytestmark = pytest.mark.skipif(
    not IMAGES, reason=f"no MicroPython image in {cache_folder()}; `felt pico-image` gets one"
)
each_image = pytest.mark.parametrize("image", IMAGES, ids=lambda path: path.stem)
# The emulator takes a minute and a half for the whole firmware, so ordinarily it gets a few modules of it.
SOURCES = ("shared/__init__", "shared/cards", "shared/books/__init__", "boards/__init__", "boards/small")
MAIN = b"from shared.cards import RANKS\nprint('table', len(RANKS))\n"
JUMPER = 22
QUICK: dict[str, Any] = {"erase_us": 0, "program_us": 0}  # the time of the flash chip is not what is tested


@pytest.fixture(scope="module")
def tree():
    files = {f"{name}.mpy": compile_source(Path(f"{name}.py")) for name in SOURCES}
    return {**files, "main.py": MAIN}


def journal_of(files):
    return {path: content for path, content in files.items() if path.startswith("/journal/")}


def flash_of(server, emulator):
    return read_filesystem(server.call(emulator.dump_flash))


@pytest.mark.parametrize("image", IMAGES if LONG else IMAGES[:1], ids=lambda path: path.stem)
def test_flashing_copies_all_then_nothing_then_what_changed(image, tree, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    use_tree(monkeypatch, tree)
    before = {
        "/journal/00000001": b"sealed\n" * 100,
        "/shared/cards.py": b"raise SystemExit\n",
        "/shared/old/gone.mpy": b"stale",
        "/boards/full.mpy": b"stale",
        "/lib/other.py": b"",
    }
    emulator = Emulator.boot(image, before, **QUICK)
    emulator.wait_for_usb()
    with serve_pty(emulator) as (port, server):
        flash = ("flash", "--board", "small", "--port", port)
        first = run(*flash, "--table", "T1")
        assert first.exit_code == 0, first.output
        made, on, removed, copied = first.stdout.splitlines()
        assert made.startswith("T1.key: the key of table T1")
        assert re.fullmatch(rf"table T1 on {port}: board small, MicroPython \d+\.\d+\.\d+", on)
        assert removed == "removed boards/full.mpy, shared/cards.py, shared/old/gone.mpy, shared/old"
        assert copied.startswith(f"copied {len(tree) + 2} files, ")
        assert first.stderr == "note: also on it, and none of Felt's: lib/other.py\n"

        files = flash_of(server, emulator)
        key = read_table_key(Path("T1.key"))
        manifest = files.pop("/felt/manifest")
        assert {path for path, _, _ in read_manifest(key.sealer, manifest).files} == set(tree)
        wanted = {f"/{path}": content for path, content in tree.items()}
        assert files == wanted | {
            "/felt/key": Path("T1.key").read_bytes(),
            "/journal/00000001": before["/journal/00000001"],
            "/lib/other.py": b"",
        }

        second = run(*flash)
        assert second.stdout.splitlines()[1:] == [
            f"nothing to copy; {files_text(len(tree) + 2)} are as they should be"
        ]

        changed = tree | {"shared/books/__init__.mpy": compile_source(Path("shared/states.py"))}
        use_tree(monkeypatch, changed)
        third = run(*flash, "--key", "T1.key")
        assert re.match(r"copied 2 files, [\d,]+ bytes; all 8 are", third.stdout.splitlines()[1])
        files = flash_of(server, emulator)
        assert files["/shared/books/__init__.mpy"] == changed["shared/books/__init__.mpy"]
        assert files["/felt/manifest"] != manifest
        assert journal_of(files) == journal_of(before)

        assert "say --new-key" in refusal(*flash, "--table", "T2")
        assert flash_of(server, emulator) == files


@each_image
def test_a_full_flash_is_said_and_what_is_there_stays(image, tree, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    use_tree(monkeypatch, tree)
    before = {"/journal/00000001": bytes(345 * 4096)}
    emulator = Emulator.boot(image, before, **QUICK)
    emulator.wait_for_usb()
    with serve_pty(emulator) as (port, server):
        said = refusal("flash", "--board", "small", "--port", port, "--table", "T1")
        assert said.startswith(f"{port}: the device's flash is full;")
        assert journal_of(flash_of(server, emulator)) == before


@each_image
def test_the_image_of_a_table_boots(image, tree, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    use_tree(monkeypatch, tree)
    done = run("image", "--board", "small", "--table", "T1", "--micropython", image, "-o", "t1.uf2")
    assert done.exit_code == 0, done.output
    emulator = Emulator.boot(Path("t1.uf2"), **QUICK)
    emulator.usb_expect(b"table 13\r\n")
    listed = emulator.execute("import os\nprint(sorted(os.listdir('/')), os.stat('shared/cards.mpy')[6])")
    assert listed == f"{['boards', 'felt', 'main.py', 'shared']} {len(tree['shared/cards.mpy'])}\n"
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
    monkeypatch.setattr(host.mpremote_port, "PATIENCE_S", 300)  # a hello a second is one in half a minute here
    use_tree(monkeypatch, table_files(find_board("small")))  # as it is now, whoever works on it meanwhile
    make_table_key(Path("t1.key"), "T1")
    emulator = Emulator.boot(image, {"/shared/cards.py": b"raise SystemExit\n"}, **QUICK)
    emulator.set_pin(JUMPER, False)
    emulator.wait_for_usb()
    with serve_pty(emulator) as (port, server):
        flash = ("flash", "--board", "small", "--port", port)
        first = run(*flash, "--key", "t1.key")
        assert first.exit_code == 0, first.output
        assert first.stdout.splitlines()[-1] == "take the service jumper off and press reset to run the table"
        assert "nothing to copy; " in run(*flash).stdout
        server.call(lambda: (emulator.set_pin(JUMPER, None), emulator.press_reset()))
        assert heard_at(port, [b'["hello"', b'["ailing"']) == b'["hello"'
        assert "Put the service jumper on (GP22 to ground)" in refusal(*flash)


@pytest.mark.skipif(not LONG, reason="the whole firmware takes minutes: `make test-long`")
@each_image
def test_the_image_of_the_whole_firmware_says_hello(image, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    done = run("image", "--board", "small", "--table", "T1", "--micropython", image, "-o", "t1.uf2")
    assert done.exit_code == 0, done.output
    emulator = Emulator.boot(Path("t1.uf2"), **QUICK)
    assert b'["ailing"' not in emulator.usb_expect(b'["hello"', timeout_ms=30_000)
