"""main.py and boot.py under real MicroPython, on whatever files the flash may hold.

The Pico's own hardware is stood in for, and so is what runs once the table has started.
"""

import pytest

from host.keys import TableKey
from host.pico.boards import JUMPER_PIN, find_board
from host.pico.deploy import Key, table_files, with_key
from host.pico.mpy import ROOT
from host.wasm import MicroPython
from host.words.faults import ADVICE
from shared.journal.wire import decode
from shared.link.manifest import content_digest, read_manifest

pytestmark = pytest.mark.slow

KEY = TableKey("T1", bytes(range(32)))

HARDWARE = """
import os, sys
os.chdir("/flash")
counted = [0]
def urandom(count):
    counted[0] += 1
    return counted[0].to_bytes(count, "big")
os.urandom = urandom

class Stopped(BaseException):
    pass

class Pin:
    IN, OUT, PULL_UP = 0, 1, 2
    def __init__(self, number, *how):
        self.is_jumper = number == 22
    def value(self, *level):
        return not (self.is_jumper and Time.now in JUMPER_LOW)

class Watchdog:
    def __init__(self, timeout):
        print("watchdog", timeout)
    def feed(self):
        pass

class Machine:
    Pin, WDT = Pin, Watchdog
    def reset():
        print("reset")
    def reset_cause():
        return 1

class Interpreter:
    def kbd_intr(byte):
        print("interrupt", byte)

class Time:
    now = 0
    def sleep_ms(ms):
        Time.now += ms
        if Time.now >= 1000:
            raise Stopped()

class Running:
    def make_room():
        pass
    def run(controller, watchdog):
        print("runs", controller.board)
        Running.recorder = controller.recorder
        raise RAISED

class Hardware:
    def PicoHardware(board):
        return board.NAME

class Controlling:
    class Controller:
        def __init__(self, recorder, link, hardware, now):
            self.board = hardware
            self.recorder = recorder

class Flash:
    # Whose blocks are the files of the ring, so that each is found in its own.
    def ioctl(self, request, block):
        if request == 4:
            return 150
        self.put(block, bytearray(b"\\xff" * 4096))
    def get(self, block):
        with open("ring%d/%s" % (block // 15, chr(97 + block % 15)), "rb") as file:
            return bytearray(file.read())
    def put(self, block, content):
        with open("ring%d/%s" % (block // 15, chr(97 + block % 15)), "wb") as file:
            file.write(content)
    def readblocks(self, block, into, offset):
        try:
            into[:] = self.get(block)[offset:offset + len(into)]
        except OSError:
            into[:] = b"\\xff" * len(into)
    def writeblocks(self, block, data, offset):
        content = self.get(block)
        for at in range(len(data)):
            content[offset + at] &= data[at]
        self.put(block, content)

class Raw:
    pass

Raw.Flash = Flash
RAISED = Stopped()
sys.modules["rp2"] = Raw
sys.modules["machine"] = Machine
sys.modules["firmware.loop"] = Running
sys.modules["firmware.pico"] = Hardware
sys.modules["firmware.controller"] = Controlling
"""
# What main.py takes from MicroPython itself, past sys.modules, is put into its text.
START = """
source = open("main.py").read()
stand_ins = {"machine": Machine, "micropython": Interpreter, "time": Time}
for name in stand_ins:
    before, there, after = source.partition("\\nimport %s\\n" % name)
    assert there
    source = before + "\\n%s = stand_ins['%s']\\n" % (name, name) + after
try:
    exec(source, {"__name__": "__main__", "stand_ins": stand_ins})
    print(">>>")
except Stopped:
    pass
except BaseException as problem:
    print(">>>", repr(problem))
"""


@pytest.fixture(scope="module")
def files():
    return with_key(table_files(find_board("small")), "small", Key(KEY))


ON = range(1000)


def start(files, jumper=range(0), before=""):
    """The lines that a start prints; the prompt is a line of its own. `jumper`: when its line is low, in ms."""
    with MicroPython() as runtime:
        return start_on(runtime, files, jumper, before)


def start_on(runtime, files, jumper, before=""):
    for path, content in files.items():
        runtime.write_file(f"/flash/{path}", content)
    return runtime.run(f"JUMPER_LOW = {jumper!r}\n{HARDWARE}{before}{START}").splitlines()


def faulty(lines):
    """The code and the detail that a table says, over and over, which does not start."""
    *first, said, last = lines
    assert (first, last) == (["interrupt -1", "watchdog 8000"], "reset")
    name, code, detail = decode(said.encode())
    assert name == "faulty"
    assert code in ADVICE
    return code, detail


def test_a_table_as_it_was_flashed_runs(files):
    lines = start(files)
    assert lines[2].startswith('["hello",2,')
    assert lines[:2] + lines[3:] == ["interrupt -1", "watchdog 8000", "runs small", "reset"]


def test_whatever_ends_the_loop_resets_the_table(files):
    lines = start(files, before="RAISED = ValueError('a mistake')\n")
    assert lines[:2] + lines[3:5] == ["interrupt -1", "watchdog 8000", "runs small", "reset"]


@pytest.mark.parametrize("what", ["whole", "only main.py", "no board", "damaged"])
def test_with_the_jumper_on_the_console_opens_whatever_the_files_are_like(files, what):
    there = {
        "whole": files,
        "only main.py": {"main.py": files["main.py"]},
        "no board": {path: content for path, content in files.items() if not path.startswith("boards/")},
        "damaged": {path: content if path == "main.py" else b"" for path, content in files.items()},
    }[what]
    first, second, felt, prompt = start(there, ON)
    assert (first, second, prompt) == ("interrupt -1", "interrupt 3", ">>>")
    assert felt.startswith("Felt: the service jumper is on")


@pytest.mark.parametrize("low", [range(2), range(1, 3), range(15), [*range(4), *range(5, 1000)], range(8, 1000)])
def test_a_line_that_is_not_low_all_the_time_keeps_the_console_closed(files, low):
    assert start(files, low)[-2:] == ["runs small", "reset"]


class Pico:
    """A table that starts time and again."""

    def __init__(self, runtime):
        self.runtime = runtime

    def start(self, files, jumper=range(0)):
        """What the last start left in the journal, or the prompt."""
        lines = start_on(self.runtime, files, jumper)
        if lines[-1] == ">>>":
            return ">>>"
        assert lines[-2:] == ["runs small", "reset"]
        lines = self.runtime.run("for line in Running.recorder.journal.lines_from(1): print(line.decode())")
        records = [decode(line.encode())[3] for line in lines.splitlines()]
        return records[max(place for place, record in enumerate(records) if record[0] == "boot") :]

    def read(self, path):
        """The text of a file, None if there is none."""
        found = f"{path.rpartition('/')[2]!r} in os.listdir('/flash/felt')"
        return self.runtime.run(f"print(open('/flash/{path}').read() if {found} else None, end='')")


@pytest.fixture
def pico():
    with MicroPython() as runtime:
        yield Pico(runtime)


def boot_of(files):
    manifest = files["felt/manifest"]
    return ["boot", "power", 0, read_manifest(KEY.sealer, manifest).rules, content_digest(manifest)]


def test_that_the_console_was_open_is_recorded_at_the_next_start_once(pico, files):
    boot = boot_of(files)
    assert pico.start(files) == [boot]
    assert pico.read("felt/console") == "None"
    assert pico.start({}, ON) == pico.start({}, ON) == ">>>"
    assert pico.read("felt/console") == ""
    assert pico.start({}) == [boot, ["console"]]
    assert pico.read("felt/console") == "None"
    assert pico.start({}) == [boot]


@pytest.mark.parametrize("mark", ["kept", "gone", "damaged"])
def test_that_the_files_changed_is_recorded_at_the_next_start_once(pico, files, mark):
    boot = boot_of(files)
    assert pico.start(files) == [boot]
    assert pico.read("felt/files") == boot[4]
    if mark == "gone":
        pico.runtime.run("os.remove('/flash/felt/files')")
    changed = {path: content for path, content in files.items() if not path.startswith("felt/")}
    changed["main.py"] += b"# changed\n"
    changed = with_key(changed, "small", Key(KEY))
    damage = {"felt/files": b"\xff\xfe" * 40} if mark == "damaged" else {}
    now = boot_of(changed)
    before = boot[4] if mark == "kept" else ""
    assert pico.start(changed | damage) == [now, ["files", before, now[4]]]
    assert pico.start({}) == [now]


@pytest.mark.parametrize("content", [b"", b"M\x05\x00\x1f", None], ids=["empty", "other version", "gone"])
@pytest.mark.parametrize(
    "path",
    [
        "boards/small.mpy",
        "firmware/boot.mpy",
        "shared/link/messages.mpy",
        "shared/link/manifest.mpy",
        "shared/journal/seal.mpy",
        "shared/round/table.mpy",
        "shared/journal/wire.mpy",
    ],
)
def test_a_damaged_file_ends_in_words_and_not_at_a_prompt(files, path, content):
    there = {**files, path: content}
    if content is None:
        del there[path]
    code, _ = faulty(start(there))
    assert code == "files_changed"


def test_the_file_that_changed_is_named(files):
    assert faulty(start({**files, "firmware/link.mpy": b"M\x06\x00\x1f"})) == (
        "files_changed",
        "firmware/link.mpy",
    )


@pytest.mark.parametrize("path", ["felt/key", "felt/manifest"])
def test_without_key_or_manifest_it_says_which(files, path):
    said = faulty(start({name: content for name, content in files.items() if name != path}))
    assert said == {"felt/key": ("no_key", ""), "felt/manifest": ("files_changed", "no_manifest")}[path]


def test_only_main_py_says_so_too(files):
    assert faulty(start({"main.py": files["main.py"]}))[0] == "files_changed"


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("boot.py", "boot.py"),
        ("hashlib.py", "hashlib.py"),
        ("os.py", "os.py"),
        ("binascii.mpy", "binascii.mpy"),
        ("json/__init__.py", "json"),
        ("json/anything", "json"),  # MicroPython needs no __init__
        ("lib/hashlib.py", "lib"),
        ("shared.py", "shared.py"),
        ("shared/__init__.mpy", "shared/__init__.mpy"),
        ("firmware/drivers/__init__.mpy", "firmware/drivers/__init__.mpy"),
        ("shared/journal/seal.py", "shared/journal/seal.py"),
        ("shared/seal/__init__.py", "shared/seal"),
        ("shared/books/mbs_three_pictures_2/__init__.mpy", "shared/books/mbs_three_pictures_2"),
        ("firmware/boot.py", "firmware/boot.py"),
        ("firmware/boot/__init__.mpy", "firmware/boot"),
        ("firmware/extra.mpy", "firmware/extra.mpy"),
        ("boards/__init__.py", "boards/__init__.py"),
        ("boards/aaa.mpy", "boards/aaa.mpy"),
    ],
)
def test_a_program_that_the_manifest_does_not_name_is_refused_and_not_run(files, path, named):
    lines = start({**files, path: b"print('a stranger runs')\n"})
    assert faulty(lines) == ("files_changed", named)


def test_what_is_no_program_disturbs_nothing(files):
    other = {"notes.txt": b"", "felt/crash": b"Traceback", "shared/notes": b""}
    assert start({**files, **other})[-2] == "runs small"


def test_the_board_is_the_one_in_the_manifest(files):
    other = with_key(table_files(find_board("small")), "full", Key(KEY))
    assert faulty(start({**other})) == ("files_changed", "no_such_board full")


def test_a_journal_of_an_older_firmware_is_not_passed_over(files):
    assert faulty(start({**files, "journal/00000001": b"older\n"})) == ("journal_failed", "old_journal")


def test_a_ring_whose_map_is_damaged_is_said(files):
    assert faulty(start({**files, "felt/ring": b"?"})) == ("journal_failed", "ring_map_damaged")


def test_what_is_brought_along_must_be_this_tables(files):
    code, detail = faulty(start({**files, "felt/carry": b"sealed by nobody\n"}))
    assert (code, detail) == ("journal_broken", "1 changed wrong_checksum")


def test_a_ring_is_made_at_the_first_start_and_found_at_the_next(files):
    twice = f"try:\n    exec({START!r})\nexcept Stopped:\n    pass\nfor name in list(sys.modules):\n    pass\n"
    lines = start(files, before=twice)
    assert [line for line in lines if line == "runs small"] == ["runs small"] * 2


def test_main_py_has_the_pin_that_others_have():
    source = (ROOT / "firmware/device_main.py").read_text()
    assert f"\nJUMPER = {JUMPER_PIN} " in source
    assert source.partition('"""\n\n')[2].startswith("import micropython\n\nmicropython.kbd_intr(-1)")
