"""Every command of the first session is one that felt has, and the session is run with emulated Picos."""

import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from host.bench.first_day import session as first_day
from host.bench.first_day.session import ANY, NETWORK, NOTHING, PAIR, RIG, TABLE_PICO, session
from host.bench.hardware.check import OFF, Check
from host.bench.hardware.identity import Identity, PairPorts
from host.bench.hardware.rig import ReturningPort, RigTarget
from host.bench.rigged import WiredPicos
from host.cli import felt
from host.emulator.pico import Emulator
from host.pico.flash_image import read_filesystem
from host.words.sentences import read_templates
from tests.support.documents import ROOT
from tests.support.firmware.emulated_port import be_patient, serve_pty
from tests.support.firmware.images import IMAGES, needs_image
from tests.support.firmware.pairs import make_pair

STEPS = session()
NOT_AT_A_TABLE = "mbs-three-pictures-2/closing-new-day"


def fits(printed, expected):
    """Whether that was printed: `...` is anything, on a line of its own also several lines."""
    parts = []
    for line in expected:
        if line == ANY:
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(map(re.escape, line.split(ANY))) + r" *\n")
    return re.fullmatch("".join(parts), printed) is not None


@pytest.mark.parametrize("step", STEPS, ids=lambda step: f"{STEPS.index(step) + 1}")
def test_every_command_is_one_that_felt_has(step):
    """Its options are read, and nothing is done."""
    program, *words = shlex.split(step.command)
    if program == "mkdir":
        return
    assert program == "felt"
    command, context = felt, click.Context(felt, info_name="felt")
    while isinstance(command, click.Group):
        name, *words = words
        command = command.get_command(context, name)
        assert command is not None, step.command
        if not isinstance(command, click.Group):
            context = command.make_context(name, list(words), parent=context)
    assert step.prints
    assert step.needs in (NOTHING, NETWORK, RIG, TABLE_PICO, PAIR)


def test_scenarios_that_it_names_are_there():
    for name in first_day.CHOSEN:
        assert (ROOT / "tests" / "scenarios" / f"{name}.toml").is_file()
    named = {word for step in STEPS for word in step.command.split() if word.startswith("tests/")}
    assert named == {f"tests/scenarios/{name}.toml" for name in first_day.CHOSEN}


def test_what_must_be_printed_is_taken_from_felts_own_words():
    assert first_day.said("wired_well") == read_templates("bench")["bench.wired_well"]
    assert first_day.said("rig_at") == "rig: ..., board ..."


def test_three_dots_stand_for_anything():
    assert fits("a\nb 12 c\nlast\n", ("...", "b ... c", "last"))
    assert fits("last\n", ("...", "last"))
    assert not fits("a\nlast\nmore\n", ("...", "last"))
    assert not fits("b 12 d\n", ("b ... c",))


# -- the session with emulated Picos


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A checkout's folder, in which nothing of the session is yet."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    be_patient(monkeypatch)


def run(step, *more, **options):
    program, *words = shlex.split(step.command)
    if program == "mkdir":
        Path(words[-1]).mkdir(parents=True)
        return
    done = CliRunner().invoke(felt, [*words, *more], **options)
    assert not done.exception or isinstance(done.exception, SystemExit), (step.command, done.exception)
    assert fits(done.output, step.prints), f"{step.command}\n{done.output}"
    assert done.exit_code == step.status, step.command


def step_with(words, part="Two bare"):
    """The first of the part with these words in its command."""
    return next(step for step in STEPS if step.part.startswith(part) and words in step.command)


def flash(step, monkeypatch):
    """An emulated Pico with MicroPython and nothing else; the files that are on it afterwards."""
    emulator = Emulator.boot(IMAGES[-1], {}, None)
    emulator.wait_for_usb()
    with serve_pty(emulator) as (port, server):
        monkeypatch.setattr("host.commands.flash.find_port", lambda: port)
        run(step)
        return read_filesystem(server.call(emulator.dump_flash))


def put_in_place(monkeypatch, pair):
    """The emulated pair for the real one, with somebody who pulls the rig's cable when that is asked for."""

    class Attended(Check):
        def run(self, advance, unplug=False):
            return super().run(lambda part: (advance(part), part == OFF and pair.unplug_for(2000)), unplug)

    ports = [ReturningPort(lambda port=port: port, pair) for port in (pair.rig_port, pair.table_port)]
    opened = PairPorts("RIG", ports[0], "TABLE", ports[1], Identity("table", "small", first_day.TABLE))
    monkeypatch.setattr("host.commands.bench_hardware.open_pair", lambda *_: opened)
    monkeypatch.setattr("host.commands.bench_hardware.RealClock", lambda: pair)
    monkeypatch.setattr("host.commands.bench_hardware.Check", Attended)
    monkeypatch.setattr("host.bench.targets.real_pair", lambda *_: WiredPicos(lambda: (*ports, pair)))

    def open_bench(rig, table, board, reader):
        return RigTarget(pair.rig_port, pair.table_port, board, reader, pair)

    monkeypatch.setattr("host.commands.rig.open_bench", open_bench)


@pytest.mark.slow
@needs_image
def test_the_session_runs_as_it_is_printed(desk, monkeypatch):
    """On the small board; a scenario or two stand for all, and people play one round instead of twenty."""
    few = [f"tests/scenarios/{path}.toml" for path in (first_day.CHOSEN[1], NOT_AT_A_TABLE)]
    for step in STEPS:
        if step.part.startswith("At the computer") and step.needs == NOTHING:
            run(step, *(few if "bench run" in step.command else ()))
    rig = flash(step_with("flash --board rig"), monkeypatch)
    table = flash(step_with("flash --board small"), monkeypatch)
    assert "/felt/manifest" in table
    assert "/main.py" in rig
    run(step_with("bench wiring"))

    files = {path[1:]: content for path, content in table.items() if not path.startswith(("/ring", "/felt/ring"))}
    put_in_place(monkeypatch, make_pair(files))
    run(step_with("bench check"))
    play = step_with("rig play")
    one = play._replace(
        command=play.command.replace("--rounds 20", "--rounds 1"),
        prints=(ANY, play.prints[-1].replace("20 rounds", "1 rounds")),
    )
    run(one)
    run(step_with("felt audit"))
    run(step_with("felt support"))
    run(step_with("power-own-card"))
    run(step_with("--summary"), *few)
    run(step_with("bench console"), input="o\nb\nc\nD\nP\nw\n")
    run(step_with("felt image"))
    run(step_with("small.json", "At the end"))
