"""The `felt` command starts quickly: its help loads no command, and a command loads only what it needs."""

import re
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from host.cli import COMMANDS, felt
from host.measure.startup import FELT, NOTHING, PROMISED_HELP_RATIO, PROMISED_LOG_RATIO, medians
from tests.support.log.logs import random_play, write_log
from tests.support.tables import POKER

SLACK = 1.2  # for a busy machine; `make measure` holds the promise itself
# What reading a log must not wait for.
SLOW = (
    "rich",
    "numpy",
    "PIL",
    "serial",
    "starlette",
    "cryptography",
    "asyncio",
    "email",
    "host.table",
    "host.config",
)


def groups():
    """Every command that has commands of its own, as a person types it."""
    context = click.Context(felt)
    commands = {name: felt.get_command(context, name) for name in COMMANDS}
    return {"": felt} | {name: one for name, one in commands.items() if isinstance(one, click.Group)}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_in_the_help_is_the_first_line_of_the_commands_own_help(name):
    command = felt.get_command(click.Context(felt), name)
    assert command
    assert command.name == name
    assert command.help
    assert command.help.splitlines()[0] == COMMANDS[name][1] + "."


@pytest.mark.parametrize("name", groups())
def test_no_line_of_a_help_is_cut_or_broken_at_80_columns(name):
    shown = CliRunner().invoke(felt, [*name.split(), "--help"], env={"COLUMNS": "80"}).output
    listed = shown.split("Commands:\n")[1].splitlines()
    group = groups()[name]
    assert len(listed) == len(group.list_commands(click.Context(group))), "a line of a command is broken"
    assert all(re.match(r"  [a-z-]+  +\S", line) for line in listed)
    assert "..." not in "".join(listed)
    assert max(map(len, shown.splitlines())) <= 80


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "t1.log"
    write_log(path, random_play(POKER, "quick", 200).records())
    return str(path)


def modules_loaded(*words):
    """What a command has imported when it is done."""
    program = (
        "import sys\nfrom host.cli import felt\n"
        f"felt.main({list(words)!r}, standalone_mode=False)\nprint(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_the_help_loads_no_command():
    loaded = modules_loaded("--help")
    assert {one for one in loaded if one.split(".")[0] in ("host", "shared", "firmware")} == {"host", "host.cli"}


@pytest.mark.parametrize("words", [("last",), ("show", "1"), ("list",), ("notices",)], ids=" ".join)
def test_reading_a_log_loads_no_more_than_it_needs(words, log):
    loaded = modules_loaded("log", *words, log)
    assert "host.log.reading" in loaded
    assert sorted(one for one in loaded if one.startswith(SLOW)) == []


@pytest.mark.slow
def test_commands_start_quickly(log):
    nothing, shown, last, round_1 = medians(
        [NOTHING, [FELT, "--help"], [FELT, "log", "last", log], [FELT, "log", "show", "1", log]]
    )
    assert shown / nothing <= PROMISED_HELP_RATIO * SLACK
    assert max(last, round_1) / nothing <= PROMISED_LOG_RATIO * SLACK
