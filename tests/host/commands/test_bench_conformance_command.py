"""`felt bench conformance`: shipped drivers and a vendor's own, and what it says of mistakes."""

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from firmware.drivers import fixed_frames
from host.bench.conformance.checks import NAMES
from host.cli import felt
from tests.support.firmware import broken_drivers

OWN_SCRIPT = """
from host.bench.conformance.scripted_devices import FixedFramesReader

class Mine(FixedFramesReader):
    SILENT_MS = 3000

class NoScript:
    pass
"""
WAITS = """
class Waits:
    def __init__(self, port, now=0):
        pass

    def poll(self, now):
        while True:
            pass
"""


def play(*arguments):
    return CliRunner().invoke(felt, ["bench", "conformance", *map(str, arguments)])


@pytest.fixture
def vendor(tmp_path):
    """A folder with a vendor's driver, which prints as it works, and its script."""
    driver = Path(fixed_frames.__file__).read_text()
    (tmp_path / "acme.py").write_text(
        driver.replace("        said = NOTHING", "        print(7)\n        said = NOTHING")
    )
    (tmp_path / "acme_script.py").write_text(OWN_SCRIPT)
    return tmp_path


@pytest.mark.slow
def test_every_shipped_driver_is_played_on_both_runtimes_with_a_line_for_each_check():
    done = play()
    assert done.exit_code == 0, done.output
    for driver in ("reader", "fixed_frames", "angel_eye", "shuffler"):
        for runtime in ("CPython", "MicroPython"):
            assert f"{driver} on {runtime}: {len(NAMES)} passed, 0 failed" in done.output
    assert len(re.findall("^  passed ", done.output, re.MULTILINE)) == 8 * len(NAMES)
    assert f"all: {8 * len(NAMES)} passed, 0 failed" in done.output.splitlines()[-1]


def test_only_what_is_named_is_played():
    done = play("angel_eye", "angel_eye", "--runtime", "cpython")
    assert done.exit_code == 0
    assert done.output.count("angel_eye on CPython:") == 1
    assert "MicroPython" not in done.output
    assert "shuffler" not in done.output


@pytest.mark.slow
def test_a_vendors_driver_and_script_are_played_from_files(vendor):
    done = play("--driver", f"{vendor / 'acme.py'}:FixedFrames", "--script", f"{vendor / 'acme_script.py'}:Mine")
    assert done.exit_code == 0, done.output
    assert f"all: {2 * len(NAMES)} passed, 0 failed" in done.output


@pytest.mark.slow
def test_a_driver_is_played_that_python_can_import_and_its_failures_say_what_is_wrong():
    done = play("--driver", f"{broken_drivers.__name__}:FaceDown", "--script", "fixed_frames")
    assert done.exit_code == 1
    failed = re.findall(r"^  failed  (\w+) +[\d.]+ s  (.+)$", done.output, re.MULTILINE)
    assert [name for name, _ in failed] == ["every_report"] * 2
    assert all("expected [('card', 'KS', True)" in why for _, why in failed)


@pytest.mark.slow
def test_an_error_is_told_with_its_file_and_line(vendor):
    driver = vendor / "acme.py"
    driver.write_text(driver.read_text().replace("print(7)", 'raise OSError("no lamp")'))
    line = next(n for n, text in enumerate(driver.read_text().splitlines(), 1) if "no lamp" in text)
    done = play("--driver", f"{driver}:FixedFrames", "--script", "fixed_frames")
    assert done.exit_code == 1
    for runtime in ("'no lamp')", "'no lamp',)"):
        assert f"it raises OSError({runtime} in acme.py, line {line}" in done.output
    assert "1 failed, 20 not played" in done.output


@pytest.mark.slow
@pytest.mark.parametrize("runtime", ["cpython", "micropython"])
def test_a_driver_that_never_comes_back_is_stopped(tmp_path, runtime):
    (tmp_path / "waits.py").write_text(WAITS)
    driver = f"{tmp_path / 'waits.py'}:Waits"
    done = play("--driver", driver, "--script", "reader", "--timeout", "0.5", "--runtime", runtime)
    assert done.exit_code == 1
    assert "it does not come back within 0.5 s" in done.output


@pytest.mark.slow
def test_a_driver_that_needs_what_the_pico_lacks_fails_there(vendor):
    driver = vendor / "acme.py"
    driver.write_text("import typing\n" + driver.read_text())
    done = play("--driver", f"{driver}:FixedFrames", "--script", "fixed_frames")
    assert done.exit_code == 1
    assert f"on CPython: {len(NAMES)} passed" in done.output
    assert "failed  loads" in done.output
    assert "no module named 'typing'" in done.output


def test_a_file_may_be_named_like_a_module_of_python(vendor):
    shutil.copy(vendor / "acme.py", vendor / "json.py")
    done = play(
        "--driver", f"{vendor / 'json.py'}:FixedFrames", "--script", "fixed_frames", "--runtime", "cpython"
    )
    assert done.exit_code == 0, done.output


MISTAKES = [
    (["nobody"], "'nobody' is not one of 'reader'"),
    (["reader", "--driver", "x.py:X", "--script", "reader"], "not both"),
    (["--driver", "x.py:X"], "--driver and --script go together"),
    (["--script", "reader"], "--driver and --script go together"),
    (["--driver", "x", "--script", "reader"], "write FILE.py:Class, or module:Class"),
    (["--driver", "FOLDER/none.py:X", "--script", "reader"], "none.py: cannot be read: No such file"),
    (["--driver", "FOLDER/acme.py:X", "--script", "reader"], "there is no class X in it; it has FixedFrames"),
    (["--driver", "FOLDER/no-name.py:X", "--script", "reader"], "name the file as Python names modules"),
    (["--driver", "FOLDER/broken.py:X", "--script", "reader"], "broken.py: not Python: "),
    (["--driver", "no.such:X", "--script", "reader"], "no.such: Python cannot import it; name its file instead"),
    (["--driver", "FOLDER/acme.py:FixedFrames", "--script", "x"], "x: write FILE.py:Class, or module:Class"),
    (
        ["--driver", "FOLDER/acme.py:FixedFrames", "--script", "FOLDER/acme_script.py:NoScript"],
        "acme_script:NoScript is not a script: derive it from Script",
    ),
]


@pytest.mark.parametrize(("arguments", "words"), MISTAKES, ids=lambda part: str(part)[:40])
def test_a_mistake_is_one_line_and_exit_status_2(vendor, arguments, words):
    (vendor / "broken.py").write_text("class X(:\n")
    done = play(*[argument.replace("FOLDER", str(vendor)) for argument in arguments])
    assert done.exit_code == 2
    assert words in done.output
    assert "Traceback" not in done.output
