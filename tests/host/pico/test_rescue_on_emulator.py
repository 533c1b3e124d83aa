"""Power cuts and a lost filesystem on real MicroPython, on an emulated Pico: the table's records come back."""

import os
import random
from pathlib import Path
from typing import Any

import pytest
from rp2040py.peripherals._ssi import CMD_PAGE_PROGRAM, CMD_SECTOR_ERASE

from firmware.recorder import Recorder
from host.emulator.pico import Emulator
from host.keys import TableKey
from host.log.verify import open_journal
from host.pico.boards import find_board
from host.pico.deploy import Key, table_files, with_key
from host.pico.flash_image import BLOCK, FLASH_SIZE, FS_OFFSET, PAGE, build_flash, read_filesystem
from host.pico.images import cache_folder, cached_images
from host.table.link import HAIL, HostLink
from shared.journal.journal import Journal
from shared.journal.snapshot import plain_config
from tests.support.campaign import LONG
from tests.support.deploying import refusal, run, use_tree
from tests.support.firmware.emulated_port import be_patient, serve_pty
from tests.support.firmware.littlefs_pico import segments_in
from tests.support.firmware.small_rounds import small_config, small_round
from tests.support.linked import KEY, RULES
from tests.support.storage import Storage
from tests.support.tables import MBS

IMAGES = cached_images(cache_folder(), board=None)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not IMAGES, reason=f"no MicroPython image in {cache_folder()}; `felt pico-image` gets one"
    ),
]
each_image = pytest.mark.parametrize("image", IMAGES if LONG else IMAGES[-1:], ids=lambda path: path.stem)
QUICK: dict[str, Any] = {"erase_us": 0, "program_us": 0}  # the time of the flash chip is not what is tested
JUMPER = 22
TOLD = 6  # events of a round, so that it is in the middle
TABLE = TableKey("T1", KEY)
CUTS = 10


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The current folder, with the table's key."""
    monkeypatch.chdir(tmp_path)
    be_patient(monkeypatch)
    Path("t1.key").write_bytes(TABLE.content)
    Path("t1.key").chmod(0o600)
    return tmp_path


def played(events):
    """The segments of a table's journal to which this happened."""
    storage = Storage()
    recorder = Recorder(Journal(storage, TABLE.sealer, "T1"), "power", random.Random("lost").randbytes, RULES)
    recorder.command(1, "staff", "config", plain_config(small_config(MBS)))
    for event in events:
        recorder.apply(event)
    return storage.files


def flash_with(image, files, segments):
    deployed = {f"/{path}": content for path, content in with_key(files, "small", Key(TABLE)).items()}
    return build_flash(image.read_bytes(), deployed, segments)


@each_image
def test_a_filesystem_that_is_lost_in_mid_round_takes_no_record_with_it(image, here):
    flash = bytearray(flash_with(image, table_files(find_board("small")), played(small_round(MBS)[:TOLD])))
    if LONG:  # it starts and runs first, and has written its start
        emulator = Emulator(bytes(flash), **QUICK)
        assert b'["faulty"' not in emulator.usb_expect(b'["hello"', timeout_ms=30_000)
        emulator.run_for(3000)
        flash = bytearray(emulator.dump_flash())
    segments = segments_in(flash)
    flash[FS_OFFSET : FS_OFFSET + 2 * BLOCK] = os.urandom(2 * BLOCK)
    emulator = Emulator(bytes(flash), **QUICK)
    emulator.wait_for_usb(20_000)

    link = HostLink(lambda: None, TABLE.sealer, "T1", RULES, os.urandom, lambda: 0)
    emulator.usb_send(HAIL)
    emulator.run_for(300)
    link.receive(emulator.usb_receive(), 0)
    assert [event.what for event in link.events] == ["prompt"]

    with serve_pty(emulator) as (port, server):
        said = refusal("flash", "--board", "small", "--port", port, "--key", "t1.key")
        assert "felt rescue --port PORT FOLDER --key FILE" in said
        done = run("rescue", "--port", port, "saved", "--key", "t1.key")
        assert done.exit_code == 0, done.output
        assert "table T1: whole; records 1 to " in done.stdout
        assert "the last round is 1" in done.stdout
        again = server.call(emulator.dump_flash)
    assert {path.name: path.read_bytes() for path in Path("saved").iterdir()} == segments
    assert segments_in(again) == segments, "the mark has cost no sector"
    assert run("verify", "saved", "--key", "t1.key").exit_code == 0


# Power cuts


class Cuts:
    """Keeps the flash as a power cut leaves it at some of its operations, each as likely as any other: before it,
    or with half of it done."""

    def __init__(self, emulator, seed):
        self.kept = []
        self.seen = 0
        self.is_on = False
        dice, ssi, flash = random.Random(seed), emulator.flash_chip, emulator.mcu.flash
        apply = ssi._apply_command

        def apply_command():
            opcode = ssi._tx_buffer[0] if ssi._tx_buffer else 0
            size = {CMD_PAGE_PROGRAM: PAGE, CMD_SECTOR_ERASE: BLOCK}.get(opcode, 0)
            if not (self.is_on and size and ssi._write_enabled):
                apply()
                return
            self.seen += 1
            place = len(self.kept) if len(self.kept) < CUTS else dice.randrange(self.seen)
            before = bytes(flash[:FLASH_SIZE]) if place < CUTS else b""
            at = ssi._address_from_buffer() & ~(size - 1)
            apply()
            if place < CUTS:
                half = dice.choice((0, size // 2))
                cut = before[:at] + bytes(flash[at : at + half]) + before[at + half :]
                self.kept[place : place + 1] = [cut]

        ssi._apply_command = apply_command


@pytest.mark.skipif(not LONG, reason="the whole firmware takes many minutes: `make test-long`")
@each_image
def test_a_power_cut_in_felt_flash_leaves_a_table_that_runs_or_is_cured_by_flashing_again(
    image, here, monkeypatch
):
    new = table_files(find_board("small"))
    books = [path for path in new if path.startswith("shared/books/rws_")]
    old = {path: content for path, content in new.items() if path not in books}
    old |= {"shared/older.mpy": new["shared/rules/cards.mpy"], "main.py": new["main.py"] + b"# older\n"}
    segments = played(small_round(MBS))
    before = sorted(b"".join(content for _, content in sorted(segments.items())).splitlines())
    use_tree(monkeypatch, new)
    emulator = Emulator(flash_with(image, old, segments), **QUICK)
    emulator.set_pin(JUMPER, False)
    emulator.wait_for_usb(20_000)
    with serve_pty(emulator) as (port, server):
        cuts = Cuts(emulator, image.stem)
        cuts.is_on = True
        done = run("flash", "--board", "small", "--port", port)
        assert done.exit_code == 0, done.output
        server.call(lambda: None)
    assert (len(cuts.kept), done.stderr) == (CUTS, "")
    outcomes = []
    for number, flash in enumerate(cuts.kept):
        emulator = Emulator(flash, **QUICK)
        heard = emulator.usb_expect(b"\n", timeout_ms=40_000)
        outcomes.append(heard[:8])
        if heard.startswith(b'["faulty"'):
            assert heard.startswith(b'["faulty","files_changed"')
            emulator.set_pin(JUMPER, False)
            emulator.press_reset()
            emulator.wait_for_usb(20_000)
            with serve_pty(emulator) as (port, server):
                assert run("flash", "--board", "small", "--port", port).exit_code == 0
                flash = server.call(emulator.dump_flash)
            emulator = Emulator(flash, **QUICK)
            heard = emulator.usb_expect(b"\n", timeout_ms=40_000)
        assert heard.startswith(b'["hello"'), number
        emulator.run_for(1000)
        after = emulator.dump_flash()
        assert read_filesystem(after)["/felt/key"] == TABLE.content
        saved = here / f"cut{number}"
        saved.mkdir()
        for name, content in segments_in(after).items():
            (saved / name).write_bytes(content)
        opened = open_journal(saved, TABLE.sealer, "T1")
        assert opened.problem is None
        lines = {line.content for line in opened.lines}
        assert {line for line in before if line.startswith(b'["rec"')} <= lines
    assert set(outcomes) <= {b'["faulty', b'["hello"'}
