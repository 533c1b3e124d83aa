"""A sixth rulebook is one new file and its rows in the inventory: everything else takes it as it is."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import pytest
from PIL import Image

from tests.support.books import colour_trio as book

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
ROOMS = ("boards", "firmware", "host", "shared", "tests/support")
ADDRESS = re.compile(r"http://\S+:\d+")
FELT = ("-c", "from host.cli import main; main()")
PATIENCE_S = 60


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the product with one module more in shared/books and its rows in the inventory."""
    tree = tmp_path_factory.mktemp("tree")
    for room in ROOMS:
        shutil.copytree(ROOT / room, tree / room, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
    (tree / "tests/__init__.py").touch()
    (tree / "host/wasm/node_modules").symlink_to(ROOT / "host/wasm/node_modules")
    shutil.copy(book.__file__, tree / "shared/books" / f"{book.ID.replace('-', '_')}.py")
    with open(tree / "host/rules/paragraphs.csv", "a") as file:
        file.write(f"{book.ID},2.1,definition,enforce,Hands rank by colour,value(),C-01\n")
        file.write(f"{book.ID},6.1,authority,enforce,The Game Director rules on the rest,ask,C-04\n")
    with open(tree / "host/rules/readings.csv", "a") as file:
        file.write(f"C-04,{book.ID},6.1,Who rules on what is left open?,The Game Director.,6.1 says so.\n")
    return tree


def environment(tree):
    return os.environ | {"PYTHONPATH": str(tree), "TERM": "dumb", "COLUMNS": "100", "PYTHONUNBUFFERED": "1"}


def run(tree, *words, given=None):
    """What Python prints in the copy."""
    command = [sys.executable, *map(str, words)]
    done = subprocess.run(
        command, cwd=tree, env=environment(tree), input=given, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def felt(tree, *words, given=None):
    return run(tree, *FELT, *words, given=given)


def test_it_is_listed_shown_and_explained(tree):
    assert "felt-colour-trio-1" in felt(tree, "rulebooks")
    shown = felt(tree, "rulebooks", "show", "colour")
    for words in ("Colour Trio", "One Suit", "Black Trio", "Mixed 2", "5:2", "100% of the jackpot", "4.4/spades"):
        assert words in shown
    explained = felt(tree, "rules", "show", "colour", "6.1")
    assert "The Game Director rules on the rest" in explained
    assert "Who rules on what is left open?" in explained


def test_it_settles(tree):
    wagers = {"pledge": 1000, "rainbow": 333, "colour_meter": 500}
    boxes = [
        {"box": 1, "player": "P1", "cards": ["AS", "KS", "QS"], "wagers": wagers, "decision": "play"},
        {"box": 2, "player": "P2", "cards": ["2H", "3D", "TH"], "wagers": wagers, "decision": "fold"},
    ]
    request = {"id": 1, "game": book.ID, "dealer": ["4C", "5S", "TC"], "boxes": boxes, "jackpot_meter": 777_700}
    answer = json.loads(felt(tree, "settle", given=json.dumps(request)))
    assert answer["dealer"] == {"cards": ["4C", "5S", "TC"], "name": "Black Trio, T", "value": 40, "height": 10}
    first, second = answer["boxes"]
    assert first["hand"]["name"] == "One Suit, A"
    assert {name: (one["result"], one["pays"], one["paid"]) for name, one in first["wagers"].items()} == {
        "pledge": ("win", "1:1", 1000),
        "rainbow": ("win", "5:2", 832),
        "raise": ("win", "3:1", 3000),
        "colour_meter": ("win", "100% of the jackpot", 777_700),
    }
    assert first["wagers"]["rainbow"]["ruling"] == "C-01"
    assert {one["result"] for one in second["wagers"].values()} == {"lose"}
    assert second["hand"] == {"folded": True}
    assert answer["house_net"] == answer["staked"] - answer["returned"]


def test_its_odds_are_counted(tree):
    counts = {}
    for entry in json.loads(felt(tree, "odds", "colour", "--hands", "--json")):
        family = entry["hand"].partition(",")[0].partition(" ")[0]
        counts[family] = counts.get(family, 0) + entry["count"]
    assert counts == {"One": 4 * 286, "Black": 2600 - 572, "Red": 2600 - 572, "Mixed": 22100 - 1144 - 4056}
    words = ("odds", "colour", "--stake", "500", "--meter", "1000000")
    odds = {entry["wager"]: entry for entry in json.loads(felt(tree, *words, "--json"))}
    assert set(odds) == {"pledge", "raise", "rainbow", "colour_meter"}
    for entry in odds.values():
        assert sum(line["count"] for line in entry["lines"]) == entry["pairs"]
    rainbow = Fraction(20_956, 22_100) - Fraction(5, 2) * Fraction(1_144, 22_100)
    assert Fraction(odds["rainbow"]["edge"]) == rainbow
    # One hand wins $10,000 on $5, the others of one suit $25.
    meter = Fraction(20_956 - 1_143 * 4 - 1_999, 22_100)
    assert Fraction(odds["colour_meter"]["edge"]) == meter
    strategy = odds["pledge"]["strategy"]
    assert strategy["dealer_qualifies"] == 22100
    assert strategy["exceptions"] == 0
    assert "for pledge and raise together" in felt(tree, *words)


def test_it_plays_the_same_rounds_on_both_runtimes(tree):
    met = json.loads(run(tree, "-m", "tests.support.both.random_rounds", book.ID, 150))
    assert {"settled", "void", "deciding", "line", "meter", "refund", "offer", "removed", "placed"} <= set(met)


def test_the_display_shows_every_scene_of_it(tree, tmp_path):
    felt(tree, "display", "gallery", "colour", "-o", tmp_path)
    scenes = {path.name[3:].removesuffix("-64x32.png") for path in (tmp_path / book.ID).glob("*-64x32.png")}
    assert {"betting", "partly-decided", "settled", "tie", "hand-pay", "eight-boxes", "a-hand-is-out"} <= scenes
    for path in (tmp_path / book.ID).iterdir():
        with Image.open(path) as image:
            assert image.getbbox(), path.name


@contextmanager
def simulated(tree, folder):
    """A simulated table of the game, and the address of its page."""
    words = ["simulate", "colour", "--folder", str(folder), "--seed", "six", "--pace", "20", "--mischief", "0"]
    table = subprocess.Popen(
        [sys.executable, *FELT, *words],
        cwd=tree,
        env=environment(tree),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert table.stdout
    try:
        yield next(match[0].rstrip(",.") for line in table.stdout if (match := ADDRESS.search(line)))
    finally:
        table.send_signal(signal.SIGINT)
        table.communicate(timeout=PATIENCE_S)


def states_of(address):
    """The states of the table as the page streams them."""
    late = time.monotonic() + PATIENCE_S
    with urllib.request.urlopen(f"{address}/events?tab={'0' * 16}", timeout=PATIENCE_S) as stream:
        for line in stream:  # a beat comes every few seconds
            assert time.monotonic() < late, "nothing was settled"
            if line.startswith(b'data: {"version"'):
                yield json.loads(line.removeprefix(b"data: "))["table"]


def test_a_table_of_it_runs_shows_its_page_logs_and_is_audited(tree, tmp_path):
    with simulated(tree, tmp_path) as address:
        table = next(table for table in states_of(address) if table["lines"])
    assert (table["game"], table["rulebook"], table["operator"]) == ("Colour Trio", book.ID, "Felt")
    assert table["dealer"]["name"].startswith(("Mixed", "Red Trio", "Black Trio", "One Suit"))
    assert table["meter"].startswith("$")
    assert {line["wager"] for line in table["lines"]} <= {"pledge", "rainbow", "raise", "colour meter"}
    home = tmp_path / book.ID
    audited = felt(tree, "audit", home / "table.db", "--key", home / "table.key")
    assert "in order" in audited
    assert "NOT in order" not in audited
    shown = felt(tree, "log", "show", 1, home / "table.db")
    assert f"the dealer shows {' '.join(table['dealer']['cards'])}: {table['dealer']['name']}" in shown
