"""`felt simulate` and `felt run` as somebody uses them: started, stopped, started again, started twice."""

import fcntl
import os
import pty
import re
import select
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from host.config.table_file import load
from host.log.folder_storage import FolderInUse, FolderStorage
from host.log.reading import LogReader
from host.terminal import felt_here

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
FELT = str(Path(sys.executable).parent / "felt")
GAME = "mbs-three-pictures-2"
CTRL_C = b"\x03"
PATIENCE_S = 60
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def run(*words, timeout=120):
    return subprocess.run([FELT, *map(str, words)], capture_output=True, text=True, timeout=timeout)


def simulate(folder, rounds):
    done = run("simulate", GAME, "--folder", folder, "--rounds", rounds, "--mischief", 0, "--pace", 20)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_file_that_is_not_there_is_no_matter_of_lines(tmp_path):
    for words in (["run"], ["log", "adopt", "--staff", "Ann", "--reason", "try"]):
        done = run(*words, tmp_path / "nope.toml")
        assert done.returncode == 1
        assert "there is no such file" in done.stderr
        assert "shows where" not in done.stderr
    broken = tmp_path / "broken.toml"
    broken.write_text("[table\n")
    assert f"`felt check {broken}` shows where." in run("run", broken).stderr


@pytest.mark.parametrize("mischief", ["nan", "inf", "-inf", "2"])
def test_mischief_that_is_no_share_is_refused(tmp_path, mischief):
    done = run("simulate", GAME, "--folder", tmp_path / "sim", "--mischief", mischief)
    assert (done.returncode, "Invalid value for '--mischief'" in done.stderr) == (2, True)
    assert not (tmp_path / "sim").exists()


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


class TerminalOf:
    """What runs in a terminal of its own, as somebody sees it who sits before it."""

    def __init__(self, words, columns, lines):
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        surroundings = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            words,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            env=surroundings | {"TERM": "xterm-256color"},
        )
        os.close(theirs)
        self.heard = b""

    @property
    def said(self):
        return ESCAPES.sub("", self.heard.decode(errors="replace"))

    def read_until(self, words):
        """Empty waits for the end."""
        give_up_at = time.monotonic() + PATIENCE_S
        while not words or words not in self.said:
            assert time.monotonic() < give_up_at, self.said
            if not select.select([self.ours], [], [], 0.1)[0]:
                continue
            try:
                said = os.read(self.ours, 65536)
            except OSError:
                said = b""
            if not said:
                assert not words, self.said
                break
            self.heard += said

    def press(self, key):
        os.write(self.ours, key)


@contextmanager
def in_terminal(*words, columns=80, lines=24):
    terminal = TerminalOf([str(word) for word in words], columns, lines)
    try:
        yield terminal
    finally:
        if terminal.process.poll() is None:
            terminal.process.kill()
        terminal.process.wait(PATIENCE_S)
        os.close(terminal.ours)


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


def test_ctrl_c_in_the_terminal_ends_the_table_as_well_and_nothing_is_aborted(tmp_path):
    """A terminal tells everybody who runs in it, the simulated table included."""
    with in_terminal(FELT, "simulate", GAME, "--folder", tmp_path, "--pace", 100) as terminal:
        terminal.read_until("The table is joined")
        terminal.press(CTRL_C)
        terminal.read_until("")
        assert terminal.process.wait(PATIENCE_S) == 0
    assert "stopped; the log is" in terminal.said
    assert "Abort" not in terminal.said
    assert "Traceback" not in terminal.said
    FolderStorage(tmp_path / GAME / "table" / "journal").close()


@pytest.mark.parametrize("settings", [[], [f"GAME={GAME}", "SEED=7"]], ids=["make run", "make run GAME"])
def test_ctrl_c_leaves_make_with_nothing_to_complain_of(settings, tmp_path):
    (tmp_path / "Makefile").symlink_to(ROOT / "Makefile")
    (tmp_path / ".venv").symlink_to(sys.prefix)
    make = ["make", "--directory", tmp_path, "--no-print-directory", "--assume-old=setup"]
    with in_terminal(*make, "run", *settings) as terminal:
        terminal.read_until("The table is joined")
        terminal.press(CTRL_C)
        terminal.read_until("")
        terminal.process.wait(PATIENCE_S)
    assert "stopped; the log is" in terminal.said
    assert "***" not in terminal.said


def test_the_simulated_table_ends_when_whoever_started_it_is_killed(running, tmp_path):
    journal = tmp_path / GAME / "table" / "journal"
    with pytest.raises(FolderInUse):
        FolderStorage(journal)
    running.kill()
    give_up_at = time.monotonic() + PATIENCE_S
    while True:
        try:
            FolderStorage(journal).close()
            break
        except FolderInUse:
            assert time.monotonic() < give_up_at, "the simulated table runs for ever"
            time.sleep(0.05)


def test_a_second_simulation_in_the_same_folder_is_refused_in_words(running, tmp_path):
    again = run("simulate", GAME, "--folder", tmp_path)
    assert (again.returncode, again.stdout) == (1, "")
    assert again.stderr == (
        f"Error: another simulated table runs in {tmp_path / GAME / 'table'}. "
        "Stop it, or name another folder with --folder.\n"
    )
    assert running.poll() is None


def printed_commands(said):
    """The commands that the farewell prints, each on a line of its own."""
    lines = said[said.index("stopped; the log is") :].splitlines()[1:]
    assert len(lines) == 3
    assert all(line.startswith("  ") for line in lines)
    return [line.strip() for line in lines]


def test_what_the_farewell_prints_can_be_typed(tmp_path):
    """Pasted into the shell from which it was started, without `felt` on the path; a folder has a space."""
    folder = tmp_path / "my tables"
    here = {"PATH": "/usr/bin:/bin"} | {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    words = [FELT, "simulate", GAME, "--folder", folder.name, "--rounds", "1", "--mischief", "0", "--pace", "20"]
    done = subprocess.run(words, cwd=tmp_path, env=here, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    commands = printed_commands(done.stdout)
    assert shutil.which("felt", path=here["PATH"]) is None
    for command in commands:
        pasted = subprocess.run(
            command, shell=True, cwd=tmp_path, env=here, capture_output=True, text=True, timeout=120
        )
        assert (pasted.returncode, pasted.stderr) == (0, ""), (command, pasted.stderr)
    assert [shlex.split(command)[1:3] for command in commands] == [
        ["log", "last"],
        ["log", "show"],
        ["audit", str(folder / GAME / "table.db")],
    ]


def test_felt_is_named_as_it_can_be_typed_here(tmp_path, monkeypatch):
    program = tmp_path / "project" / ".venv" / "bin" / "felt"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr("sys.argv", [str(program), "simulate"])
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert felt_here() == ".venv/bin/felt"
    monkeypatch.chdir(program.parent)
    assert felt_here() == "./felt", "without a slash the shell would look on the path"
    monkeypatch.chdir("/")
    assert felt_here() == str(program).lstrip("/")
    monkeypatch.setenv("PATH", f"/usr/bin:{program.parent}")
    assert felt_here() == "felt"
    other = tmp_path / "other" / "felt"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{other.parent}:{program.parent}")
    assert felt_here() != "felt", "another one comes first on the path"
    monkeypatch.setattr("sys.argv", ["/somewhere/host/cli.py"])
    assert felt_here().endswith("/felt")


def test_a_second_bridge_on_the_same_log_is_refused(running, tmp_path):
    again = run("run", tmp_path / GAME / "table.toml", "--port", tmp_path / GAME / "table" / "port")
    assert again.returncode == 1
    assert "Traceback" not in again.stderr
    assert str(running.pid) in again.stderr


def test_a_page_that_cannot_be_served_does_not_keep_the_table_from_running(tmp_path):
    """Another table on this computer has the page's port: log and table go on, and it is said what to do."""
    made = tmp_path / "other"
    taken = socket.create_server(("127.0.0.1", 0))
    with taken:
        file = made / "t2.toml"
        made.mkdir()
        assert run("init", file, "--name", "T2", "--game", GAME, "--board", "small", "--yes").returncode == 0
        text, port = file.read_text(), taken.getsockname()[1]
        file.write_text(re.sub(r"(?m)^port = \d+$", f"port = {port}", text))
        assert f"port = {port}" in file.read_text()
        words = [FELT, "run", str(file), "--port", str(made / "absent")]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert process.stdout
        said = [process.stdout.readline() for _ in range(3)]
        process.send_signal(signal.SIGINT)
        said.append(process.communicate(timeout=PATIENCE_S)[0])
    assert process.returncode == 0
    assert said[1] == (
        f"Port {port} on 127.0.0.1 is in use by another program, perhaps another `felt run`. End that, or name "
        "another port under [page]. Until then the table runs without its page.\n"
    )
    assert "stopped; the log is" in said[-1]
    with LogReader(load(file).log.file) as reader:
        assert [notice.text for notice in reader.notices("page")] == [said[1].strip()]


def test_a_file_that_is_wrong_is_explained(tmp_path):
    file = tmp_path / "t1.toml"
    file.write_text("[table]\nname = 1\n")
    done = run("run", file)
    assert done.returncode == 1
    assert "t1.toml:2" in done.stderr
    assert f"`felt check {file}`" in done.stderr
