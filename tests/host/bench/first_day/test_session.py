"""Every command of the first session is one that felt has, and the session is run with emulated Picos."""

import re
import shlex

import click
import pytest

from host.bench.first_day import session as first_day
from host.bench.first_day.session import ANY, NETWORK, NOTHING, PAIR, RIG, TABLE_PICO, session
from host.cli import felt
from host.words.sentences import read_templates
from tests.support.documents import ROOT

STEPS = session()


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
