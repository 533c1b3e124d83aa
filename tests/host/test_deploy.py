"""Deploying: what goes on a table, what changes on a device, whose key stays, and what is said when it fails."""

import errno
import os
import pty
import re
import stat
import struct
import threading
import tty
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest
import serial
from click.testing import CliRunner
from mpremote.transport import TransportError, TransportExecError

import host.commands.flash
import host.commands.image
import host.mpremote_port
import host.pico_images
import host.serial_ports
from host.boards import find_board
from host.cli import felt
from host.deploy import (
    DeployError,
    Found,
    KeyChoice,
    changes,
    foreign_programs,
    parse_key,
    read_key,
    settle_key,
    table_files,
    with_key,
)
from host.digests import rules_digest
from host.flash_image import BLOCK, FLASH_BASE, FLASH_SIZE, FS_OFFSET, flash_to_uf2, read_filesystem, uf2_to_flash
from host.flashing import Runtime, flash
from host.keys import KeyFileError, make_table_key, read_table_key
from host.mpremote_port import PARCEL_BYTES, MpremoteDevice, parcels
from host.mpy import ROOT, device_sources
from host.pico_images import (
    FIRMWARE_URL,
    ImageError,
    cache_folder,
    cached_images,
    check_image,
    newest_image,
)
from host.serial_ports import PortError, find_port
from shared.manifest import BadManifest, content_digest, read_manifest

MPY = b"M\x06\x00\x1f"
FILES = {"shared/a.mpy": MPY + b"a" * 300, "boards/small.mpy": MPY + b"b", "main.py": b"import shared.a\n"}
PICO = Runtime("micropython", (1, 23, 0), 6, "rp2")
SMALL = SimpleNamespace(NAME="small", ROLE="table", JUMPER=22)


@pytest.fixture
def key_file(tmp_path):
    path = tmp_path / "t1.key"
    make_table_key(path, "T1")
    return path


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty current folder."""
    path = tmp_path / "here"
    path.mkdir()
    monkeypatch.chdir(path)
    return path


@pytest.fixture
def small_tree(monkeypatch):
    for module in (host.commands.flash, host.commands.image):
        monkeypatch.setattr(module, "table_files", lambda board: dict(FILES))


def run(*words):
    return CliRunner().invoke(felt, [str(word) for word in words])


def refusal(*words):
    """What a command says when it refuses: one line, exit status 1 and no traceback."""
    done = run(*words)
    assert done.exit_code == 1, done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)
    assert re.fullmatch(r"Error: .+\n", done.stderr)
    return done.stderr.removeprefix("Error: ").strip()


def on_device(files):
    """What a device that holds these files says that it holds."""
    folders = {parent.as_posix() for path in files for parent in Path(path).parents} - {"."}
    return Found({path: (len(content), content_digest(content)) for path, content in files.items()}, folders)


# What goes on a table


def test_a_table_holds_shared_firmware_its_board_and_main():
    files = table_files(find_board("small"))
    sources = [*device_sources("shared"), *device_sources("firmware")]
    compiled = {
        source.with_suffix(".mpy").as_posix()
        for source in sources
        if source.name != "device_main.py" and not source.name.startswith("rig")
    }
    assert set(files) == compiled | {"boards/__init__.mpy", "boards/small.mpy", "main.py"}
    assert list(files)[-1] == "main.py"
    assert files["main.py"] == (ROOT / "firmware/device_main.py").read_bytes()
    assert all(content[:2] == MPY[:2] for path, content in files.items() if path != "main.py")


@pytest.fixture
def tree(tmp_path, monkeypatch):
    root = tmp_path / "tree"
    for name in (
        "shared/__init__",
        "firmware/__init__",
        "firmware/boot",
        "firmware/rig_lines",
        "boards/__init__",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / f"{name}.py").write_text("X = 1\n")
    for name in ("small", "rig"):
        (root / f"boards/{name}.py").write_bytes((ROOT / f"boards/{name}.py").read_bytes())
    (root / "firmware/device_main.py").write_text("import firmware.boot\n")
    monkeypatch.setattr("host.mpy.ROOT", root)
    monkeypatch.setattr("host.deploy.ROOT", root)
    return root


def test_what_is_for_the_rig_goes_on_the_rig_alone(tree):
    assert "firmware/rig_lines.mpy" in table_files(find_board("rig"))
    assert "firmware/rig_lines.mpy" not in table_files(find_board("small"))


def test_what_does_not_compile_is_named_in_one_line(tree, key_file):
    (tree / "firmware/boot.py").write_text("a = 1\nb = = 2\n")
    said = refusal("flash", "--board", "small", "--port", "/dev/none", "--key", key_file)
    assert said == "cannot be compiled: firmware/boot.py, line 2: SyntaxError: invalid syntax"


def test_without_a_main_nothing_is_deployed(tree):
    (tree / "firmware/device_main.py").unlink()
    with pytest.raises(
        DeployError, match=r"cannot read firmware/device_main\.py, which becomes main\.py: No such"
    ):
        table_files(find_board("small"))


def test_a_board_that_is_not_right_is_not_flashed():
    board = SimpleNamespace(**{**vars(find_board("small")), "LED": 99})
    with pytest.raises(
        DeployError, match=r"the board is not right: LED: a Pico has no GP99.*felt boards check small"
    ):
        table_files(board)


def test_the_manifest_names_every_file_and_is_sealed_by_the_key(key_file):
    key = read_key(key_file)
    planned = with_key(FILES, "small", key)
    assert list(planned) == [*FILES, "felt/key", "felt/manifest"]
    assert planned["felt/key"] == key_file.read_bytes()
    manifest = read_manifest(key.key.sealer, planned["felt/manifest"])
    assert (manifest.table, manifest.board, manifest.rules) == ("T1", "small", rules_digest())
    assert manifest.files == [(path, len(FILES[path]), content_digest(FILES[path])) for path in sorted(FILES)]
    with pytest.raises(BadManifest):
        read_manifest(key.key.sealer, planned["felt/manifest"].replace(b'"T1"', b'"T2"'))


# What changes


def test_a_blank_device_gets_everything_and_the_folders_it_lacks():
    todo = changes(FILES, on_device({}))
    assert todo.copy == FILES
    assert (todo.remove, todo.remove_folders) == ([], [])
    assert changes({"a/b/c": b""}, on_device({})).make_folders == ["a", "a/b"]


def test_a_device_that_holds_all_gets_nothing():
    assert changes(FILES, on_device(FILES)).is_none


@pytest.mark.parametrize("content", [MPY + b"A" * 300, MPY, b""])
def test_only_what_differs_is_copied(content):
    todo = changes(FILES, on_device({**FILES, "shared/a.mpy": content}))
    assert list(todo.copy) == ["shared/a.mpy"]
    assert not todo.remove


def test_stale_files_and_sources_before_bytecode_go_and_what_is_not_ours_stays():
    stale = {"shared/a.py": b"", "shared/gone/deep/b.mpy": b"", "boards/full.mpy": b"", "firmware/x.txt": b""}
    other = {"journal/00000001": b"j", "felt/crash": b"", "lib/x.py": b"", "boot.py": b"", "notes.txt": b""}
    found = on_device({**FILES, **stale, **other})
    todo = changes(FILES, found)
    assert todo.remove == sorted(stale)
    assert todo.remove_folders == ["shared/gone/deep", "shared/gone", "firmware"]
    assert (todo.make_folders, todo.copy) == ([], {})
    assert foreign_programs(FILES, found) == ["boot.py", "lib/x.py"]


def test_a_file_in_the_place_of_a_folder_goes():
    todo = changes(FILES, on_device({"shared": b"no folder"}))
    assert todo.remove == ["shared"]
    assert "shared" in todo.make_folders


# Whose key


def test_a_device_without_a_key_gets_the_one_it_is_given(key_file):
    assert settle_key(None, KeyChoice(key_file)) == read_key(key_file)


def test_a_device_without_a_key_gets_a_new_one_for_a_named_table(folder):
    key = settle_key(None, KeyChoice(table="T/2"))
    assert key.made == Path("T_2.key")
    assert read_table_key(folder / "T_2.key") == key.key
    assert key.key.table == "T/2"
    with pytest.raises(KeyFileError, match=r"T_2\.key is there already; .*--key T_2\.key"):
        settle_key(None, KeyChoice(table="T/2"))


def test_without_any_key_it_says_how_to_come_by_one():
    with pytest.raises(DeployError, match="--table NAME makes one, --key FILE takes one"):
        settle_key(None, KeyChoice())


@pytest.mark.parametrize("how", ["file", "table", "neither"])
def test_the_key_of_the_same_table_stays(key_file, folder, how):
    choice = {"file": KeyChoice(key_file), "table": KeyChoice(table="T1"), "neither": KeyChoice()}[how]
    assert settle_key(key_file.read_bytes(), choice) == read_key(key_file)
    assert not list(folder.iterdir())


def test_another_key_is_replaced_only_if_that_is_said(key_file, folder):
    make_table_key(Path("other.key"), "T1")
    make_table_key(Path("t9.key"), "T9")
    present = key_file.read_bytes()
    with pytest.raises(DeployError, match=r"has another key of table T1,.*say --new-key"):
        settle_key(present, KeyChoice(Path("other.key")))
    for choice in (KeyChoice(Path("t9.key")), KeyChoice(table="T9")):
        with pytest.raises(DeployError, match=r"has the key of table T1, and its journal.*make it table T9"):
            settle_key(present, choice)
    assert settle_key(present, KeyChoice(Path("t9.key"), replace=True)) == read_key(Path("t9.key"))
    assert settle_key(present, KeyChoice(table="T8", replace=True)).key.table == "T8"


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe", b"felt-table-key T1 12", b"felt-table-key T1 zz", b"a b c"]
)
def test_a_damaged_key_on_the_device_is_said(content):
    assert parse_key(content) is None
    with pytest.raises(DeployError, match=r"the key on the device is damaged"):
        settle_key(content, KeyChoice(table="T1"))


def test_words_that_exclude_each_other(key_file):
    board = ("flash", "--board", "small")
    assert "exclude each other" in refusal(*board, "--key", key_file, "--table", "T1")
    assert refusal(*board, "--new-key").startswith("--new-key needs")


# Flashing, on a device of dicts


class FakeDevice:
    def __init__(self, files=(), runtime=PICO, loses=None):
        self.files = dict(files)
        self.folders = on_device(self.files).folders
        self.runtime = runtime
        self.loses = loses  # a path that never arrives whole
        self.restarts = 0
        self.changed = []

    def about(self):
        return self.runtime

    def survey(self, ours):
        found = on_device(self.files).files
        return Found(found, set(self.folders))

    def read(self, path):
        return self.files[path]

    def remove(self, files, folders):
        for path in files:
            del self.files[path]
        self.folders -= set(folders)
        self.changed += [*files, *folders]

    def make_folders(self, folders):
        self.folders |= set(folders)

    def write(self, files, advance):
        for path, content in files.items():
            self.files[path] = content[1:] if path == self.loses else content
            self.changed.append(path)
            advance(len(content))

    def jumper_is_on(self, pin):
        return pin == SMALL.JUMPER

    def restart(self):
        self.restarts += 1


def test_flashing_writes_the_manifest_last_and_a_second_time_nothing(key_file):
    device = FakeDevice({"shared/old.mpy": b"", "journal/00000001": b"j"})
    steps = []

    @contextmanager
    def progress(total):
        steps.append(total)
        yield lambda count: steps.append(-count)

    done = flash(device, SMALL, FILES, KeyChoice(key_file), progress)
    assert device.changed == ["shared/old.mpy", *FILES, "felt/key", "felt/manifest"]
    assert device.files["journal/00000001"] == b"j"
    assert (done.files, done.jumper, device.restarts) == (5, True, 1)
    assert steps[0] > 300
    assert sum(steps) == 0
    again = flash(device, SMALL, FILES, KeyChoice())
    assert again.changes.is_none
    assert len(device.changed) == 6
    assert device.restarts == 2


@pytest.mark.parametrize(
    ("runtime", "words"),
    [
        (PICO._replace(name="circuitpython"), "the device runs circuitpython 1.23.0; a table runs MicroPython"),
        (PICO._replace(platform="esp32"), "the device is no Pico: its MicroPython is the one for esp32"),
        (PICO._replace(version=(1, 22, 2)), "the device has MicroPython 1.22.2; a table needs 1.23 or newer"),
        (PICO._replace(mpy=7), "MicroPython 1.23.0 on the device reads .mpy files of version 7, and mpy-cross"),
    ],
)
def test_a_runtime_that_cannot_run_a_table_is_refused_and_left_as_it_was(key_file, runtime, words):
    device = FakeDevice(runtime=runtime)
    with pytest.raises(DeployError, match=re.escape(words)):
        flash(device, SMALL, FILES, KeyChoice(key_file))
    assert (device.changed, device.restarts) == ([], 1)


def test_a_refused_key_leaves_the_device_as_it_was(key_file, folder):
    device = FakeDevice({"felt/key": key_file.read_bytes()})
    with pytest.raises(DeployError, match="table T1"):
        flash(device, SMALL, FILES, KeyChoice(table="T2"))
    assert (device.changed, device.restarts) == ([], 1)
    assert not list(folder.iterdir())


def test_a_copy_that_did_not_arrive_whole_is_found_and_not_started(key_file):
    device = FakeDevice(loses="shared/a.mpy")
    with pytest.raises(
        DeployError, match=r"after copying, shared/a\.mpy on the device is not as it should be \(1 in"
    ):
        flash(device, SMALL, FILES, KeyChoice(key_file))
    assert device.restarts == 0


def test_parcels_hold_every_byte_in_order_and_none_is_too_big():
    files = {"a": b"", "b": b"b" * 5000, "c": b"c" * 5000, "d": bytes(range(256)) * 100, "e": b"e"}
    arrived: dict[str, bytes] = {}
    for parcel in parcels(files):
        assert sum(len(piece.content) for piece in parcel) <= PARCEL_BYTES
        for piece in parcel:
            assert (piece.mode == "wb") == (piece.path not in arrived)
            arrived[piece.path] = arrived.get(piece.path, b"") + piece.content
    assert arrived == files
    assert list(parcels({})) == []


# The port


class FakeTransport:
    def __init__(self, failure):
        self.failure = failure
        self.serial = None
        self.in_raw_repl = True

    def exec(self, source):
        if isinstance(self.failure, Exception):
            raise self.failure
        return self.failure


def device_that(failure):
    return MpremoteDevice(FakeTransport(failure), "/dev/ttyX")  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["OSError: 28", "OSError: [Errno 28] ENOSPC"])
def test_a_full_device_says_so(text):
    device = device_that(
        TransportExecError(b"", f"Traceback (most recent call last):\r\n  File ...\r\n{text}\r\n")
    )
    with pytest.raises(PortError, match=r"/dev/ttyX: the device's flash is full.*df"):
        device.write({"a": b"1"}, lambda count: None)


def test_whatever_else_the_device_cannot_do_is_its_last_line():
    device = device_that(TransportExecError(b"", "Traceback\r\nOSError: [Errno 5] EIO\r\n"))
    with pytest.raises(PortError, match=r"the device cannot do it: OSError: \[Errno 5\] EIO$"):
        device.survey(())


@pytest.mark.parametrize(
    "failure", [TransportError("timeout waiting"), OSError(5, "Input/output error"), struct.error("2 bytes")]
)
def test_a_device_that_goes_away_is_said(failure):
    with pytest.raises(PortError, match=r"the device stopped answering \(.+\); press reset and try again"):
        device_that(failure).about()


def test_garbled_answers_are_said():
    with pytest.raises(PortError, match="came garbled"):
        device_that(b"file 12\r\n").survey(())
    with pytest.raises(PortError, match="no MicroPython that says its version"):
        device_that(b"what?\r\n").about()


def test_restarting_takes_a_port_that_goes_away():
    device = device_that(b"")
    device.transport.exec_raw_no_follow = partial(device_that(OSError(5, "gone")).transport.exec)  # type: ignore[method-assign]
    device.restart()
    assert not device.transport.in_raw_repl


def test_a_port_that_is_not_there(small_tree, key_file):
    said = refusal("flash", "--board", "small", "--port", "/dev/ttyNone", "--key", key_file)
    assert said.startswith("there is no port /dev/ttyNone;")


def test_what_is_no_port(small_tree, key_file):
    said = refusal("flash", "--board", "small", "--port", key_file, "--key", key_file)
    assert "cannot be opened as a serial port" in said


def test_a_port_that_one_may_not_open(small_tree, key_file, monkeypatch):
    def denied(*_words, **_options):
        raise serial.SerialException(errno.EACCES, "could not open port")

    monkeypatch.setattr(serial, "serial_for_url", denied)
    said = refusal("flash", "--board", "small", "--port", "/dev/ttyACM0", "--key", key_file)
    assert re.fullmatch(r"/dev/ttyACM0: permission denied; .*sudo usermod -a -G dialout \$USER", said)


@contextmanager
def port_of(talk=lambda master: None):
    """A port with somebody on it who talks until it is closed."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    closing = threading.Event()

    def keep_talking():
        while not closing.wait(0.02):
            talk(master)

    thread = threading.Thread(target=keep_talking)
    thread.start()
    try:
        yield os.ttyname(slave)
    finally:
        closing.set()
        thread.join()
        os.close(slave)
        os.close(master)


@pytest.fixture
def hasty(monkeypatch):
    monkeypatch.setattr(host.mpremote_port, "PATIENCE_S", 0.3)
    for module in (host.mpremote_port, host.serial_ports):
        monkeypatch.setattr(module, "SILENCE_S", 0.3)


def test_a_port_that_is_in_use(small_tree, key_file):
    with port_of() as port, serial.Serial(port, exclusive=True):
        said = refusal("flash", "--board", "small", "--port", port, "--key", key_file)
    assert said.startswith(f"{port} is in use by another program")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"", "nothing answers; is MicroPython on it?"),
        (b"login: \r\n", "something answers, but not as MicroPython does"),
        (b'["hello",1,"T1"]*00000000\n', "Put the service jumper on (GP22 to ground), press reset, try again"),
        (b'["ailing","no_key",""]*00000000\r\n', "Put the service jumper on (GP22 to ground), press reset"),
    ],
)
def test_a_device_that_lets_nobody_in(small_tree, hasty, key_file, line, words):
    with port_of(lambda master: os.write(master, line)) as port:
        said = refusal("flash", "--board", "small", "--port", port, "--key", key_file)
    assert said.startswith(f"{port}: ")
    assert words in said


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ([b"raw REPL; CTRL-B to exit\r\n>"], "MicroPython does not restart; press reset"),
        (
            [b"raw REPL; CTRL-B to exit\r\n>", b"MPY: soft reboot\r\nraw REPL; CTRL-B to exit\r\n>"],
            "the device stopped answering",
        ),
    ],
)
def test_a_device_that_falls_silent(small_tree, hasty, key_file, answers, words):
    left = list(answers)

    def talk(master):
        os.set_blocking(master, False)
        try:
            if os.read(master, 1024) and left:
                os.write(master, left.pop(0))
        except BlockingIOError:
            pass

    with port_of(talk) as port:
        said = refusal("flash", "--board", "small", "--port", port, "--key", key_file)
    assert words in said


def plugged(monkeypatch, *ports):
    found = [SimpleNamespace(device=device, vid=vid, pid=pid) for device, vid, pid in ports]
    monkeypatch.setattr("host.serial_ports.list_ports.comports", lambda: found)


def test_the_one_pico_is_found(monkeypatch):
    plugged(monkeypatch, ("/dev/ttyS0", None, None), ("/dev/ttyACM0", 0x2E8A, 0xC), ("/dev/ttyACM1", 0x2E8A, 5))
    assert find_port() == "/dev/ttyACM1"


def test_no_pico_and_several_picos_are_said(monkeypatch, small_tree, key_file):
    plugged(monkeypatch, ("/dev/ttyUSB0", 0x10C4, 0xEA60))
    assert refusal("flash", "--board", "small", "--key", key_file).startswith("no Pico is plugged in;")
    plugged(monkeypatch, ("/dev/ttyACM0", 0x2E8A, 5), ("/dev/ttyACM1", 0x2E8A, 5))
    said = refusal("flash", "--board", "small", "--key", key_file)
    assert said == "several Picos are plugged in: /dev/ttyACM0, /dev/ttyACM1; choose with --port"


# MicroPython images


def made_image(version="1.28.0", date="2026-04-06", board="pico", storage=(FLASH_BASE + FS_OFFSET, 352 * BLOCK)):
    """As much of a MicroPython image as is looked at: banner, board and filesystem."""
    flash = bytearray(b"\xff" * FLASH_SIZE)
    flash[:BLOCK] = bytes(BLOCK)
    banner = f"MicroPython v{version} on {date}".encode()
    flash[0x400 : 0x400 + len(banner)] = banner
    flash[0x600 : 0x600 + len(board)] = board.encode()
    struct.pack_into("<5I", flash, 0x1D4, 0x7188EBF2, FLASH_BASE + 0x300, FLASH_BASE + 0x308, 0, 0xE71AA390)
    struct.pack_into("<2I", flash, 0x300, FLASH_BASE + 0x320, FLASH_BASE + 0x340)
    struct.pack_into("<2H2I", flash, 0x320, 6, 0x5052, 0xB63CFFBB, FLASH_BASE + 0x600)
    struct.pack_into("<2H3I", flash, 0x340, 7, 0x504D, 0, *storage)
    return flash_to_uf2(bytes(flash))


def with_bytes(content, at, new):
    return content[:at] + new + content[at + len(new) :]


IMAGE = made_image()


def test_an_image_says_what_it_is():
    assert check_image(IMAGE) == ("1.28.0", "20260406", "pico")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no UF2 file, or cut short"),
        (IMAGE[:-100], "cut short"),
        (IMAGE[:-512], "not whole: block 0 of 47 says that it is 0 of 48"),
        (b"\x7fELF" + IMAGE[4:], "no UF2 file, or damaged: block 0"),
        (with_bytes(IMAGE, 512 + 508, b"\0\0\0\0"), "damaged: block 1"),
        (with_bytes(IMAGE, 28, b"\x59\xff\x8b\xe4"), "it is for another chip"),
        (with_bytes(IMAGE, 512 + 20, b"\x07"), "block 1 of 48 says that it is 7 of 48"),
        (with_bytes(IMAGE, 12, b"\0\0\0\x20"), "where a Pico has no flash (0x20000000)"),
        (made_image(version="x"), "it is no MicroPython"),
        (made_image(version="1.22.2"), "it is MicroPython 1.22.2; a table needs 1.23 or newer"),
        (made_image(storage=(FLASH_BASE + 0x12C000, 848 * 1024)), "its filesystem is not where a Pico's is"),
        (with_bytes(IMAGE, 17 * 512 + 32, b"x"), "something in its filesystem already"),
    ],
)
def test_what_is_no_image_for_a_table_is_refused(content, words):
    with pytest.raises(ImageError, match=re.escape(words)):
        check_image(content)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "cache" / "felt"
    path.mkdir(parents=True)
    return path


def test_the_cache_is_where_the_system_has_its_caches(monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", "/home/someone")
    assert cache_folder() == Path("/home/someone/.cache/felt")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/tmp")
    assert cache_folder() == Path("/var/tmp/felt")


def test_the_newest_image_is_that_of_the_highest_version_for_a_pico(cache):
    names = [
        "RPI_PICO-20240602-v1.23.0.uf2",
        "RPI_PICO-20260101-v1.9.0.uf2",
        "RPI_PICO_W-20260406-v1.28.0.uf2",
        "SEEED_XIAO_RP2040-20260406-v1.28.0.uf2",
        "other.uf2",
    ]
    with pytest.raises(ImageError, match=rf"no RPI_PICO image of MicroPython in {cache}"):
        newest_image(cache)
    for name in names:
        (cache / name).write_bytes(b"")
    assert newest_image(cache).name == names[0]
    assert next(path.name for path in cached_images(cache, board=None)) == names[1]
    assert len(cached_images(cache, board=None)) == 4


# Fetching, from a server on this machine


@contextmanager
def server_of(files):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            content = files.get(self.path.strip("/"))
            self.send_response(404 if content is None else 200)
            self.send_header("Content-Length", str(len(content or b"") + (self.path in self.promised)))
            self.end_headers()
            self.wfile.write(content or b"")

        promised = ()

        def log_message(self, *_words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


PICO_NAME = "RPI_PICO-20260406-v1.28.0.uf2"


@pytest.fixture
def served(monkeypatch):
    """What the server has, by name; the command asks it instead of micropython.org."""
    files: dict[str, bytes] = {}
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with server_of(files) as url:
        monkeypatch.setattr(host.pico_images, "FIRMWARE_URL", url)
        yield files


def test_an_image_is_fetched_once(cache, served):
    served[PICO_NAME] = IMAGE
    done = run("pico-image", "--version", "1.28.0")
    assert (done.exit_code, done.output) == (0, f"{cache / PICO_NAME}: fetched and checked\n")
    assert (cache / PICO_NAME).read_bytes() == IMAGE
    served.clear()
    assert (
        run("pico-image", "--version", "1.28.0").output == f"{cache / PICO_NAME}: is there already, and sound\n"
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (IMAGE[:-1024], "not whole"),
        (IMAGE[:-7], "cut short"),
        (b"<html>sorry</html>", "no UF2 file"),
        (made_image(version="1.27.0"), "it is 1.27.0 for the board pico"),
        (made_image(board="pico_w"), "it is 1.28.0 for the board pico_w"),
    ],
)
def test_a_corrupted_download_is_not_kept(cache, served, content, words):
    served[PICO_NAME] = content
    said = refusal("pico-image", "--version", "1.28.0")
    assert "is not kept: " in said
    assert words in said
    assert not list(cache.iterdir())


def test_without_the_file_or_the_network_it_says_where_to_put_it(cache, served, monkeypatch):
    there = f"download it on another machine and put it here as {cache / PICO_NAME}"
    said = refusal("pico-image", "--version", "1.28.0")
    assert "(the server says 404 Not Found)" in said
    assert said.endswith(there)
    monkeypatch.setattr(host.pico_images, "FIRMWARE_URL", "http://127.0.0.1:9/")  # where nobody listens
    said = refusal("pico-image", "--version", "1.28.0")
    assert said == f"cannot fetch http://127.0.0.1:9/{PICO_NAME} (Connection refused); {there}"


def test_a_damaged_image_in_the_cache_is_said(cache):
    (cache / PICO_NAME).write_bytes(IMAGE[:-512])
    assert refusal("pico-image", "--version", "1.28.0").startswith(f"{cache / PICO_NAME}: it is not whole")


def test_an_unknown_release_names_the_known_ones():
    assert "known are 1.23.0, " in refusal("pico-image", "--version", "2.0")
    assert FIRMWARE_URL.startswith("https://micropython.org/")


def test_a_downloaded_file_is_checked_and_taken_under_its_proper_name(cache, tmp_path):
    file = tmp_path / "download(1).uf2"
    file.write_bytes(IMAGE)
    assert run("pico-image", "--file", file).output == f"{cache / PICO_NAME}: checked and kept\n"
    assert (cache / PICO_NAME).read_bytes() == IMAGE
    file.write_bytes(made_image(board="pico_w"))
    assert "it is for the board pico_w" in refusal("pico-image", "--file", file)
    assert refusal("pico-image", "--file", tmp_path / "none").startswith(
        f"cannot read {tmp_path / 'none'}: No such"
    )


# The image of a table


def test_an_image_holds_micropython_and_the_table(cache, small_tree, key_file, folder):
    (cache / PICO_NAME).write_bytes(IMAGE)
    Path("table.uf2").write_bytes(b"older")
    Path("table.uf2").chmod(0o644)
    done = run("image", "--board", "small", "--key", key_file, "-o", "table.uf2")
    size = Path("table.uf2").stat().st_size
    assert done.output == f"table.uf2: table T1, board small, {PICO_NAME}; 5 files, {size:,} bytes\n"
    flash = uf2_to_flash(Path("table.uf2").read_bytes())
    planned = with_key(FILES, "small", read_key(key_file))
    assert read_filesystem(flash) == {f"/{path}": content for path, content in planned.items()}
    assert flash[:FS_OFFSET] == uf2_to_flash(IMAGE)[:FS_OFFSET]
    assert stat.S_IMODE(Path("table.uf2").stat().st_mode) == 0o600


def test_an_image_for_a_named_table_makes_its_key(cache, small_tree, folder):
    (folder / "mp.uf2").write_bytes(IMAGE)
    done = run("image", "--board", "small", "--table", "T7", "--micropython", "mp.uf2")
    assert done.output.startswith("T7.key: the key of table T7; keep a copy")
    files = read_filesystem(uf2_to_flash((folder / "table.uf2").read_bytes()))
    assert files["/felt/key"] == (folder / "T7.key").read_bytes()


def test_what_stands_in_the_way_of_an_image_is_said_and_no_key_is_made(cache, small_tree, folder):
    board = ("image", "--board", "small")
    assert refusal(*board).startswith("a table needs a key:")
    assert "no RPI_PICO image" in refusal(*board, "--table", "T1")
    (folder / "mp.uf2").write_bytes(IMAGE)
    same = refusal(*board, "--table", "T1", "--micropython", "mp.uf2", "-o", "mp.uf2")
    assert same == "mp.uf2 is the MicroPython image itself; choose another name with -o"
    (folder / "mp.uf2").write_bytes(IMAGE[:-512])
    assert refusal(*board, "--table", "T1", "--micropython", "mp.uf2").startswith("mp.uf2: it is not whole")
    assert [path.name for path in folder.iterdir()] == ["mp.uf2"]


def test_an_image_that_cannot_be_written(cache, small_tree, key_file, folder):
    (folder / "mp.uf2").write_bytes(IMAGE)
    said = refusal(
        "image", "--board", "small", "--key", key_file, "--micropython", "mp.uf2", "-o", "no/where.uf2"
    )
    assert said == "cannot write no/where.uf2: No such file or directory"
