"""Deploying: what goes on a table, what changes on a device, whose key stays, and what is said when it fails."""

import errno
import os
import pty
import re
import struct
import threading
import tty
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
import serial
from mpremote.transport import TransportError

import host.commands.flash
import host.commands.image
import host.pico.deploy
import host.pico.images
import host.pico.mpremote_port
import host.pico.serial_ports
from host.keys import KeyFileError, make_table_key, read_table_key
from host.pico.boards import find_board
from host.pico.deploy import (
    DeployError,
    Key,
    KeyChoice,
    changes,
    parse_key,
    table_files,
    with_key,
)
from host.pico.digests import rules_digest
from host.pico.flashing import Runtime, flash
from host.pico.mpremote_port import PARCEL_BYTES, MpremoteDevice, parcels
from host.pico.mpy import ROOT, device_sources
from host.pico.serial_ports import PortError, find_port
from shared.link.manifest import BadManifest, content_digest, read_manifest
from tests.support.deploying import FILES, MPY, PICO, SMALL, FakeDevice, on_device, refusal


def settle_key(present, choice, role="table"):
    return host.pico.deploy.settle_key(present, choice, role)


# What goes on a table


def test_a_table_holds_shared_firmware_its_board_and_main():
    files = table_files(find_board("small"))
    sources = [*device_sources("shared"), *device_sources("firmware")]
    compiled = {
        source.with_suffix(".mpy").as_posix()
        for source in sources
        if source.name not in ("device_main.py", "__init__.py") and "rig" not in source.parts
    }
    assert set(files) == compiled | {"boards/small.mpy", "main.py"}
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
        "firmware/rig/lines",
        "boards/__init__",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / f"{name}.py").write_text("X = 1\n")
    for name in ("small", "rig"):
        (root / f"boards/{name}.py").write_bytes((ROOT / f"boards/{name}.py").read_bytes())
    (root / "firmware/device_main.py").write_text("import firmware.boot\n")
    monkeypatch.setattr("host.pico.mpy.ROOT", root)
    monkeypatch.setattr("host.pico.deploy.ROOT", root)
    return root


def test_what_is_for_the_rig_goes_on_the_rig_alone(tree):
    assert "firmware/rig/lines.mpy" not in table_files(find_board("small"))
    files = table_files(find_board("rig"))
    assert "firmware/rig/lines.mpy" in files
    assert files["main.py"] == b"from boards import rig\nfrom firmware.rig.rig_pico import main\n\nmain(rig)\n"


def test_a_rig_has_no_key_and_no_table_becomes_one(key_file):
    rig = SimpleNamespace(NAME="rig", ROLE="rig", JUMPER=22)
    device = FakeDevice()
    done = flash(device, rig, FILES, KeyChoice())
    assert device.files == FILES
    assert (done.key, done.jumper) == (None, False)
    with pytest.raises(DeployError, match="a rig has no key"):
        flash(device, rig, FILES, KeyChoice(key_file))
    table = FakeDevice({"felt/key": key_file.read_bytes()})
    with pytest.raises(DeployError, match="it is a table; choose another Pico"):
        flash(table, rig, FILES, KeyChoice())
    assert (table.changed, table.restarts) == ([], 1)


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
    key = Key(read_table_key(key_file))
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


def test_what_could_be_loaded_and_is_not_ours_goes_and_the_rest_stays():
    """For each of these a table does not start: see test_starting_on_micropython.py."""
    stale = {"shared/a.py": b"", "shared/gone/deep/b.mpy": b"", "boards/full.mpy": b"", "firmware/x.txt": b""}
    foreign = dict.fromkeys(("boot.py", "hashlib.mpy", "lib/x.py", "json/data.txt", "shared/a/__init__.py"), b"")
    other = {"journal/00000001": b"j", "felt/crash": b"", "notes.txt": b""}
    found = on_device({**FILES, **stale, **foreign, **other})
    found.folders.add("empty")
    todo = changes(FILES, found)
    assert todo.remove == sorted([*stale, *foreign])
    folders = ["shared/gone/deep", "shared/gone", "shared/a", "lib", "json", "firmware", "empty"]
    assert todo.remove_folders == folders
    assert (todo.make_folders, todo.copy) == ([], {})


def test_a_file_in_the_place_of_a_folder_goes():
    todo = changes(FILES, on_device({"shared": b"no folder"}))
    assert todo.remove == ["shared"]
    assert "shared" in todo.make_folders


# Whose key


def test_a_device_without_a_key_gets_the_one_it_is_given(key_file):
    assert settle_key(None, KeyChoice(key_file)) == Key(read_table_key(key_file))


def test_a_device_without_a_key_gets_a_new_one_for_a_named_table(folder):
    key = settle_key(None, KeyChoice(table="T/2"))
    assert key.made == Path("T_2.key")
    assert read_table_key(folder / "T_2.key") == key.key
    assert key.key.table == "T/2"
    with pytest.raises(KeyFileError, match=r"T_2\.key exists; .*--key T_2\.key"):
        settle_key(None, KeyChoice(table="T/2"))


def test_without_any_key_it_says_how_to_come_by_one():
    with pytest.raises(DeployError, match="--table NAME makes one, --key FILE uses an existing one"):
        settle_key(None, KeyChoice())


@pytest.mark.parametrize("how", ["file", "table", "neither"])
def test_the_key_of_the_same_table_stays(key_file, folder, how):
    choice = {"file": KeyChoice(key_file), "table": KeyChoice(table="T1"), "neither": KeyChoice()}[how]
    assert settle_key(key_file.read_bytes(), choice) == Key(read_table_key(key_file))
    assert not list(folder.iterdir())


def test_another_key_is_replaced_only_if_that_is_said(key_file, folder):
    make_table_key(Path("other.key"), "T1")
    make_table_key(Path("t9.key"), "T9")
    present = key_file.read_bytes()
    with pytest.raises(DeployError, match=r"has another key of table T1,.*add --new-key"):
        settle_key(present, KeyChoice(Path("other.key")))
    for choice in (KeyChoice(Path("t9.key")), KeyChoice(table="T9")):
        with pytest.raises(DeployError, match=r"has the key of table T1, and its journal.*make it table T9"):
            settle_key(present, choice)
    assert settle_key(present, KeyChoice(Path("t9.key"), replace=True)) == Key(read_table_key(Path("t9.key")))
    assert settle_key(present, KeyChoice(table="T8", replace=True)).key.table == "T8"


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe", b"felt-table-key T1 12", b"felt-table-key T1 zz", b"a b c"]
)
def test_a_damaged_key_on_the_device_is_said(content):
    assert parse_key(content) is None
    with pytest.raises(DeployError, match=r"the key on the device is damaged"):
        settle_key(content, KeyChoice(table="T1"))


def test_a_key_file_that_cannot_be_used_is_said_before_any_device_is_touched(small_tree, key_file):
    key_file.chmod(0o644)
    said = refusal("flash", "--board", "small", "--port", "/dev/none", "--key", key_file)
    assert said.startswith(f"{key_file} can be read by others")


@pytest.mark.parametrize("length", [41, 300])
def test_a_table_s_name_that_is_too_long_is_said_before_any_device_is_touched(small_tree, length):
    said = refusal("flash", "--board", "small", "--port", "/dev/none", "--table", "T" * length)
    assert "up to 40 characters" in said
    with pytest.raises(KeyFileError, match="up to 40 characters"):
        settle_key(None, KeyChoice(table="T" * length), "table")


def test_words_that_exclude_each_other(key_file):
    board = ("flash", "--board", "small")
    assert "exclude each other" in refusal(*board, "--key", key_file, "--table", "T1")
    assert refusal(*board, "--new-key").startswith("--new-key needs")


# Flashing, on a device of dicts


def test_flashing_writes_the_manifest_last_and_a_second_time_nothing(key_file):
    device = FakeDevice({"shared/old.mpy": b"", "ring0/00": b"j"})
    steps = []

    @contextmanager
    def progress(total):
        steps.append(total)
        yield lambda count: steps.append(-count)

    done = flash(device, SMALL, FILES, KeyChoice(key_file), progress)
    assert device.changed == ["shared/old.mpy", *FILES, "felt/key", "felt/manifest"]
    assert device.files["ring0/00"] == b"j"
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
        (PICO._replace(platform="esp32"), "the device is not a Pico: its MicroPython is the one for esp32"),
        (PICO._replace(version=(1, 22, 2)), "the device has MicroPython 1.22.2; a table needs 1.23 or newer"),
        (
            PICO._replace(machine="Raspberry Pi Pico W with RP2040", blocks=212),
            "the device is a Pico W, whose filesystem of 212 blocks is too small for a table",
        ),
        (
            PICO._replace(machine="Raspberry Pi Pico 2 with RP2350", blocks=768),
            "the device is not a Pico: it is Raspberry Pi Pico 2 with RP2350; a table needs a Raspberry Pi Pico",
        ),
        (PICO._replace(machine="Raspberry Pi Pico 2 W with RP2350"), "it is Raspberry Pi Pico 2 W with RP2350"),
        (PICO._replace(machine=""), "it is a board that does not say which"),
        (
            PICO._replace(machine="Adafruit Feather RP2040 with RP2040", blocks=1792),
            "has 1792 blocks, and a table",
        ),
        (PICO._replace(blocks=0), "the device's filesystem has 0 blocks, and a table needs 352"),
        (PICO._replace(mpy=7), "MicroPython 1.23.0 on the device reads .mpy files of version 7, and mpy-cross"),
    ],
)
def test_a_runtime_that_cannot_run_a_table_is_refused_and_left_as_it_was(key_file, runtime, words):
    device = FakeDevice(runtime=runtime)
    with pytest.raises(DeployError, match=re.escape(words)):
        flash(device, SMALL, FILES, KeyChoice(key_file))
    assert (device.changed, device.restarts) == ([], 1)


def test_a_board_made_like_a_pico_will_do(key_file):
    device = FakeDevice(runtime=PICO._replace(machine="Seeed Studio XIAO RP2040 with RP2040"))
    flash(device, SMALL, FILES, KeyChoice(key_file))
    assert "felt/manifest" in device.files


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

    def exec_raw(self, source, timeout):
        if isinstance(self.failure, Exception):
            raise self.failure
        return self.failure

    def exec_raw_no_follow(self, source):
        self.exec_raw(source, 1)


def device_that(failure):
    return MpremoteDevice(FakeTransport(failure), "/dev/ttyX")  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["OSError: 28", "OSError: [Errno 28] ENOSPC"])
def test_a_full_device_says_so(text):
    device = device_that((b"", f"Traceback (most recent call last):\r\n  File ...\r\n{text}\r\n".encode()))
    with pytest.raises(PortError, match=r"/dev/ttyX: the device's flash is full.*df"):
        device.write({"a": b"1"}, lambda count: None)


def test_whatever_else_the_device_cannot_do_is_its_last_line():
    device = device_that((b"", b"Traceback\r\nOSError: [Errno 5] EIO\r\n"))
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
        device_that((b"file 12\r\n", b"")).survey(())
    with pytest.raises(PortError, match="came garbled"):
        device_that((b"felt-table", b"")).read("felt/key")
    with pytest.raises(PortError, match="this MicroPython does not state its version"):
        device_that((b"what?\r\n", b"")).about()


@pytest.mark.parametrize(
    ("said", "runtime"),
    [
        (b"micropython 1.23.0 6 rp2 352\r\nRaspberry Pi Pico with RP2040\r\n", PICO),
        (b"circuitpython 9.2.0 6 RP2040 0\r\n\r\n", Runtime("circuitpython", (9, 2, 0), 6, "RP2040", 0, "")),
    ],
)
def test_what_a_device_says_of_itself(said, runtime):
    assert device_that((said, b"")).about() == runtime


@pytest.mark.parametrize(("printed", "is_on"), [(b"0\r\n", True), (b"1\r\n", False)])
def test_the_jumper_is_on_if_it_was_never_high(printed, is_on):
    assert device_that((printed, b"")).jumper_is_on(22) is is_on


def test_restarting_takes_a_port_that_goes_away():
    device = device_that(OSError(5, "gone"))
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
    monkeypatch.setattr(host.pico.mpremote_port, "PATIENCE_S", 0.3)
    for module in (host.pico.mpremote_port, host.pico.serial_ports):
        monkeypatch.setattr(module, "SILENCE_S", 0.3)


def test_a_port_that_is_in_use(small_tree, key_file):
    with port_of() as port, serial.Serial(port, exclusive=True):
        said = refusal("flash", "--board", "small", "--port", port, "--key", key_file)
    assert said.startswith(f"{port} is in use by another program")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"", "nothing answers; is MicroPython on it?"),
        (b"login: \r\n", "something answers, but it is not MicroPython"),
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
            [b"raw REPL; CTRL-B to exit\r\n>", b"MPY: soft reboot\r\nraw REPL; CTRL-B to exit\r\n>", b"R\x01"],
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
    monkeypatch.setattr("host.pico.serial_ports.list_ports.comports", lambda: found)


def test_the_one_pico_is_found(monkeypatch):
    plugged(monkeypatch, ("/dev/ttyS0", None, None), ("/dev/ttyACM0", 0x2E8A, 0xC), ("/dev/ttyACM1", 0x2E8A, 5))
    assert find_port() == "/dev/ttyACM1"


def test_no_pico_and_several_picos_are_said(monkeypatch, small_tree, key_file):
    plugged(monkeypatch, ("/dev/ttyUSB0", 0x10C4, 0xEA60))
    assert refusal("flash", "--board", "small", "--key", key_file).startswith("no Pico is plugged in;")
    plugged(monkeypatch, ("/dev/ttyACM0", 0x2E8A, 5), ("/dev/ttyACM1", 0x2E8A, 5))
    said = refusal("flash", "--board", "small", "--key", key_file)
    assert said == "several Picos are plugged in: /dev/ttyACM0, /dev/ttyACM1; choose with --port"
