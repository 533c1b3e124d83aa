"""`felt simulate` and `felt run` as somebody uses them: started, stopped, started again, started twice."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from host.log.reading import LogReader

FELT = str(Path(sys.executable).parent / "felt")
GAME = "mbs-three-pictures-2"


def run(*words, timeout=120):
    return subprocess.run([FELT, *map(str, words)], capture_output=True, text=True, timeout=timeout)


def simulate(folder, rounds):
    done = run("simulate", GAME, "--folder", folder, "--rounds", rounds, "--mischief", 0, "--pace", 20)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture
def running(tmp_path):
    """A simulated table that runs, once it is joined."""
    words = [FELT, "simulate", GAME, "--folder", str(tmp_path), "--pace", "100"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout
    for line in process.stdout:
        if "The table is joined" in line:
            break
    yield process
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)


def test_a_simulated_table_plays_and_goes_on_where_it_stopped(tmp_path):
    first = simulate(tmp_path, 1)
    assert "round 1: settled" in first
    again = simulate(tmp_path, 1)
    assert "round 1:" not in again
    log = tmp_path / GAME / "table.db"
    with LogReader(log) as reader:
        assert len(reader.last_rounds(10)) >= 2
        assert reader.notices("alarm") == []
    files = tmp_path / GAME
    checked = run(
        "audit", log, "--key", files / "table.key",
        "--checkpoints", files / "table.checkpoints", "--signer", files / "host.pub",
    )  # fmt: skip
    assert checked.returncode == 0, checked.stdout
    assert "in order" in checked.stdout


def test_ctrl_c_stops_it_cleanly_and_says_where_the_log_is(running, tmp_path):
    running.send_signal(signal.SIGINT)
    said, _ = running.communicate(timeout=60)
    assert running.returncode == 0
    assert f"stopped; the log is {tmp_path / GAME / 'table.db'}" in said
    assert "felt log last" in said
    assert "Traceback" not in said


def test_a_second_bridge_on_the_same_log_is_refused(running, tmp_path):
    again = run("run", tmp_path / GAME / "table.toml", "--port", tmp_path / GAME / "table" / "port")
    assert again.returncode == 1
    assert "Traceback" not in again.stderr
    assert str(running.pid) in again.stderr


def test_a_file_that_is_wrong_is_explained(tmp_path):
    file = tmp_path / "t1.toml"
    file.write_text("[table]\nname = 1\n")
    done = run("run", file)
    assert done.returncode == 1
    assert "t1.toml:2" in done.stderr
    assert f"`felt check {file}`" in done.stderr
