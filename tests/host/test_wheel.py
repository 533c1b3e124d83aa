"""An installed copy: a wheel of the tree in an environment of its own, used far from the checkout."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import urllib.request
import venv
import zipfile
from pathlib import Path

import pytest

from host.log.audit import audit
from host.log.other_rules import OtherRules
from host.log.reading import LogReader
from tests.support.log.logs import KEY, RecordingTable, play_round, write_log

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PACKAGES = ("boards", "firmware", "host", "shared")
GAME = "rws-lucky-three-pictures-2"
PATIENCE_S = 60


def tracked():
    """The files of the packages, without what tools leave among them."""
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*"):
            if path.is_file() and not {"node_modules", "__pycache__"} & set(path.parts):
                yield path.relative_to(ROOT).as_posix()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from a copy, as a build leaves files behind. The copy has a node_modules, as a checkout has."""
    source, folder = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", *tracked()):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    stray = source / "host" / "wasm" / "node_modules" / "pyright" / "stray.py"
    stray.parent.mkdir(parents=True)
    stray.write_text("")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", folder, source], check=True, timeout=PATIENCE_S)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The folder of programs of an environment with the wheel, and with the packages that it needs from ours."""
    home = tmp_path_factory.mktemp("installed")
    venv.create(home, symlinks=True)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", home]
    subprocess.run([*pip, "install", "--no-deps", wheel], check=True, timeout=PATIENCE_S)
    site = next(home.glob("lib/python*/site-packages"))
    # Folders named in a .pth file are searched last, and their own .pth files, with our checkout, are not read.
    (site / "needed.pth").write_text(f"{sysconfig.get_path('purelib')}\n{sysconfig.get_path('platlib')}\n")
    return home / "bin"


OUTSIDE = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"COLUMNS": "80"}


@pytest.fixture
def felt(installed, tmp_path):
    def run(*words):
        command = [installed / "felt", *map(str, words)]
        return subprocess.run(
            command, cwd=tmp_path, env=OUTSIDE, capture_output=True, text=True, timeout=PATIENCE_S
        )

    return run


def test_the_wheel_holds_the_packages_whole_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    documents = (".md", ".svg", ".png", "pyrightconfig.json")
    needed = {name for name in tracked() if "/static/" in name or not name.endswith(documents)}
    assert held == needed


def test_no_module_comes_from_the_checkout(installed, tmp_path):
    program = (
        "import boards, firmware, host, json, shared; from host.rules.coverage import TESTS; "
        "print(json.dumps([*(one.__file__ for one in (boards, firmware, host, shared)), str(TESTS)]))"
    )
    done = subprocess.run(
        [installed / "python", "-c", program], cwd=tmp_path, env=OUTSIDE, capture_output=True, check=True
    )
    assert all(Path(path).is_relative_to(installed.parent) for path in json.loads(done.stdout))


def test_a_table_is_simulated_its_page_is_served_and_its_log_is_in_order(installed, felt, tmp_path):
    words = [installed / "felt", "simulate", "--rounds", "1", "--mischief", "0", "--pace", "20"]
    said, served = "", {}
    with subprocess.Popen(
        [*words, "--folder", "tables"], cwd=tmp_path, env=OUTSIDE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        for line in process.stdout:
            said += line
            if line.startswith("The page is at "):
                address = line.split()[4].rstrip(",")
                for path in ("/", "/static/page.js", "/static/page.css"):
                    with urllib.request.urlopen(address + path, timeout=PATIENCE_S) as answer:
                        served[path] = answer.read()
    assert process.returncode == 0, said
    assert b"<!doctype html>" in served["/"]
    assert b"import" in served["/static/page.js"]
    assert b"{" in served["/static/page.css"]
    assert "round 1: settled" in said
    table = tmp_path / "tables" / GAME
    checked = felt(
        "audit", table / "table.db", "--key", table / "table.key",
        "--checkpoints", table / "table.checkpoints", "--signer", table / "host.pub",
    )  # fmt: skip
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "table SIM: in order" in checked.stdout
    assert "settled" in felt("log", "last", table / "table.db").stdout


def test_paragraphs_are_explained_and_missing_tests_are_reported(felt):
    shown = felt("rules", "show", "lucky", "5.13")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "paragraph 5.13 (irregularity)" in shown.stdout
    assert "L-07" in shown.stdout
    covered = felt("rules", "coverage")
    assert (covered.returncode, covered.stdout) == (1, "")
    assert covered.stderr == (
        "Error: the tests are not part of an installed copy; "
        "run `felt rules coverage` in a checkout of the project\n"
    )


def test_the_firmware_for_a_pico_is_all_there(installed, tmp_path):
    """`felt flash` and `felt image` compile it from the sources beside the host."""
    program = (
        "import json; from host.pico.boards import find_board; from host.pico.deploy import table_files; "
        "from host.pico.digests import rules_digest; "
        "print(json.dumps([sorted(table_files(find_board('small'))), rules_digest()]))"
    )
    found = []
    for python in (installed / "python", sys.executable):
        done = subprocess.run([python, "-c", program], cwd=tmp_path, env=OUTSIDE, capture_output=True, check=True)
        found.append(json.loads(done.stdout))
    assert found[0] == found[1]
    assert "main.py" in found[0][0]


def test_a_wheel_brings_the_rules_that_play_a_log_again(wheel, tmp_path):
    """Byte for byte those of this checkout, so that it plays what this checkout wrote."""
    table = RecordingTable({"game": GAME, "boxes": 1})
    play_round(table)
    write_log(tmp_path / "log", table.records())
    rules = OtherRules(wheel)
    assert rules.digest == table.rules
    here = audit(tmp_path / "log", KEY, (), lambda count: None, rules.digest)
    with LogReader(tmp_path / "log") as log:
        assert rules.play(rules.digest, log.lines(*log.ends())) == (here.replayed, [])
    assert here.replayed > 20
