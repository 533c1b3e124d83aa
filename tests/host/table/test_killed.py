"""Bridge and firmware, each in its own process, are killed at any moment; log and table agree all the same."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from host.cli import felt
from host.config.table_file import load
from host.keys import read_table_key
from host.log.audit import audit
from host.log.folder_storage import FolderStorage
from host.log.reading import LogReader
from host.pico.digests import rules_digest
from shared.journal.journal import Journal
from shared.journal.seal import Sealer
from tests.support.campaign import share

pytestmark = pytest.mark.slow

KILLS = share(200)
ROOT = Path(__file__).parents[3]
SETTLE_S = 60


class Two:
    """A simulated table and its bridge as processes."""

    def __init__(self, folder: Path, game: str, seed: str) -> None:
        self.folder = folder
        self.file = folder / "t1.toml"
        self.seed = seed
        words = ["init", str(self.file), "--name", "T1", "--game", game, "--board", "small", "--yes"]
        made = CliRunner().invoke(felt, words)
        assert made.exit_code == 0, made.output
        self.config = load(self.file)
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str) -> None:
        if name == "table":
            words = ["host.simulator.table_process", str(self.folder / "table"), str(self.file)]
            words += ["--seed", self.seed, "--mischief", "0.2", "--pace", "20", "--stay"]
        else:
            words = [
                "tests.support.bridge_process",
                str(self.file),
                str(self.folder / "table" / "port"),
                self.seed,
            ]
        # What it says goes into a file, so that it is never held up by nobody reading.
        said = self.folder / f"{name}.txt"
        with said.open("w") as out:
            self.processes[name] = subprocess.Popen([sys.executable, "-m", *words], stdout=out, cwd=ROOT)
        while not said.stat().st_size:
            assert self.processes[name].poll() is None, f"the {name} did not start"
            time.sleep(0.01)

    def kill(self, name: str, how: signal.Signals = signal.SIGKILL) -> None:
        process = self.processes.pop(name)
        os.kill(process.pid, how)
        process.wait(timeout=30)

    def look_from_outside(self) -> None:
        """Somebody looks with SQLite alone, as one who may write: it tidies up after whoever is last."""
        connection = sqlite3.connect(self.config.log.file)
        connection.execute("SELECT count(*) FROM records").fetchone()
        connection.close()

    def rounds(self) -> int:
        with LogReader(self.config.log.file) as log:
            return len([row for row in log.last_rounds(10_000) if row.ended is not None])


@pytest.mark.parametrize("game", ["rws-lucky-three-pictures-2", "rws-three-card-poker-2"])
def test_whoever_is_killed_whenever_log_and_table_agree(tmp_path, game):
    dice = random.Random(f"kills {game}")
    two = Two(tmp_path, game, "killed")
    two.start("table")
    two.start("bridge")
    for _ in range(KILLS // 2):
        time.sleep(dice.uniform(0.02, 1.5))
        if dice.random() < 0.3:
            two.look_from_outside()
        for name in dice.choice((("bridge",), ("table",), ("bridge", "table"), ("table", "bridge"))):
            two.kill(name)
        for name in ("table", "bridge"):
            if name not in two.processes:
                two.start(name)
    before = two.rounds()
    deadline = time.monotonic() + SETTLE_S
    while two.rounds() < before + 2:
        assert time.monotonic() < deadline, "no round ends any more"
        time.sleep(0.2)
    two.kill("bridge", signal.SIGTERM)
    two.kill("table")
    key = read_table_key(two.config.key)
    journal = Journal(FolderStorage(tmp_path / "table" / "journal"), Sealer(key.key), "T1")
    with LogReader(two.config.log.file) as log:
        logged = dict(log.lines(*log.ends()))
        assert list(logged) == list(range(1, len(logged) + 1)), "none lost, none twice"
        alarms = log.notices("alarm")
    kept = dict(enumerate(journal.lines_from(journal.first()), journal.first()))
    shared = logged.keys() & kept.keys()
    assert shared
    assert {number: logged[number] for number in shared} == {number: kept[number] for number in shared}
    assert journal.acknowledged <= max(logged) <= journal.chain.number, "what was acknowledged is in the log"
    assert alarms == []
    report = audit(two.config.log.file, key, (), lambda _: None, rules_digest())
    assert [stretch.rules for stretch in report.stretches] == [rules_digest()]
    assert [str(finding) for finding in report.findings] == []
