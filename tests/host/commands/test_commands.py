"""What a person meets on the command line: help, drawings, mistakes and Ctrl-C."""

import io
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from rich.console import Console

from host.cli import COMMANDS, felt
from host.commands.demo import METER, round_panel
from host.rules.catalogue import all_books, find_book
from host.words.money import dollars
from tests.support.tables import POKER, entry, settle

FELT = str(Path(sys.executable).parent / "felt")


def run_felt(*arguments, columns="80"):
    return CliRunner().invoke(felt, list(arguments), env={"COLUMNS": columns})


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name):
    done = run_felt(name, "--help")
    assert done.exit_code == 0
    assert done.output.startswith("Usage:")


def command_names():
    """Every command and subcommand, as one types it."""
    context = click.Context(felt)
    for name in COMMANDS:
        command = felt.get_command(context, name)
        if isinstance(command, click.Group):
            yield from (f"{name} {one}" for one in command.list_commands(context))
        else:
            yield name


@pytest.mark.parametrize("name", list(command_names()))
def test_every_command_is_in_the_manuals(name):
    text = " ".join(path.read_text() for path in sorted((Path(__file__).parents[3] / "host").glob("*.md")))
    assert f"`felt {name}" in " ".join(text.split())


@pytest.mark.slow
@pytest.mark.parametrize("columns", ["40", "80", "200"])
@pytest.mark.parametrize("book", all_books(), ids=lambda book: book.ID)
def test_nothing_is_cut_short_at_any_width(book, columns):
    for arguments in (["rulebooks"], ["rulebooks", "show", book.ID], ["demo", book.ID, "--seed", "1"]):
        done = run_felt(*arguments, columns=columns)
        assert done.exit_code == 0
        assert "…" not in done.output


@pytest.mark.parametrize("book", all_books(), ids=lambda book: book.ID)
def test_show_prints_every_wager_and_every_paragraph_it_rests_on(book):
    shown = run_felt("rulebooks", "show", book.ID).output
    for wager in book.WAGERS:
        assert wager.name in shown
        for line in wager.lines:
            assert line.paragraph in shown
    for deal in book.DEALS:
        assert deal.paragraph in shown


def test_the_same_seed_deals_the_same_rounds_alone_and_among_the_other_games():
    alone = run_felt("demo", POKER, "--seed", "5", "--rounds", "1").output
    among = run_felt("demo", "--seed", "5", "--rounds", "1").output
    assert alone.split("╰")[0] in among


def test_a_jackpot_is_drawn_in_full():
    answer = settle(
        POKER,
        "JC TD 8H",
        entry(1, "P1", "AS KS QS", ante=1000, progressive=500, decision="play"),
        entry(2, "P2", "9C 7D 2S", ante=1000, progressive=500, decision="fold"),
        meter=METER,
    )
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(round_panel(find_book(POKER), 1, answer))
    drawn = console.export_text()
    assert dollars(METER) in drawn.replace(f"jackpot {dollars(METER)}", "")
    assert "Envy Bonus for P2: $250" in drawn
    assert "░░" in drawn
    assert "9♣" not in drawn  # a folded hand stays face down


def test_a_picture_that_cannot_be_written_is_said():
    done = run_felt("demo", "lucky", "--svg", "/nonexistent/x.svg")
    assert done.exit_code == 1
    assert "cannot write /nonexistent/x.svg" in done.output


def test_ctrl_c_ends_quietly_with_130():
    process = subprocess.Popen(
        [FELT, "settle"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Tests that run in a shell's background inherit that Ctrl-C is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdin
    assert process.stdout
    process.stdin.write(b"{}\n")
    process.stdin.flush()
    process.stdout.readline()  # it is up and waits for more
    interrupt(process)
    _, complaints = process.communicate(timeout=30)
    assert (process.returncode, complaints.strip()) == (130, b"")


def interrupt(process):
    """Press Ctrl-C as people do, and again if nothing happens: a signal just before a read is seen after it."""
    for _ in range(30):
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=1)
            return


def test_unknown_words_exit_2_with_a_line_of_advice():
    done = subprocess.run([FELT, "rulebooks", "show", "baccarat"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "choose one of" in done.stderr
    assert "Traceback" not in done.stderr
    assert subprocess.run([FELT, "--version"], capture_output=True, text=True).stdout == "felt 0.1.0\n"
