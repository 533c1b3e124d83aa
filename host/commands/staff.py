"""`felt staff`: hashes a PIN, and adds somebody to a table's file."""

import sys
import time
from pathlib import Path

import click

from host.commands.arguments import FILE
from host.config.fields import Mistake, name
from host.config.table_file import Examined, TableConfig, examine, examine_text, game_config
from host.config.template import staff_text
from host.log.folder_storage import append_durably
from host.staff.pins import LEAST_DIGITS, MOST_DIGITS, StaffMember, hash_pin, pin_problem
from host.staff.throttle import Gate
from host.staff.throttle_file import TriesBook
from host.words.config import problem_text, problem_words
from host.words.refusals import refusal_words, sentence
from shared.round.table import Table

STDIN_OPTION = click.option("--stdin", "from_stdin", is_flag=True, help="Read the PIN from standard input.")


@click.group("staff")
def staff_command() -> None:
    """Hash a PIN, or add a person to a table's file."""


@staff_command.command("pin")
@STDIN_OPTION
def pin_command(from_stdin: bool) -> None:
    """Ask for a PIN twice and print the line that holds its hash."""
    click.echo(f'pin = "{hash_pin(read_pin() if from_stdin else ask_pin())}"')


@staff_command.command("add")
@click.argument("file", type=FILE)
@click.option("--name", "staff_name", help="The name to log in with.")
@click.option("--post", help="The post, as the rulebook names it.")
@STDIN_OPTION
def add_command(file: Path, staff_name: str | None, post: str | None, from_stdin: bool) -> None:
    """Add a person to FILE, a table's file.

    Everything else in the file stays as it is, byte for byte."""
    before = examine(file)
    if not before.is_toml:
        raise click.ClickException(problem_text(file, before.problems[0]))
    who = checked_name(staff_name or click.prompt("Name"))
    which = post or click.prompt("Post", default="dealer")
    # Everything but the PIN is tried first, so that nobody types one in vain.
    refuse_new_errors(before, StaffMember(who, which, ""))
    pin = hash_pin(read_pin() if from_stdin else ask_pin())
    member = StaffMember(who, which, pin)
    refuse_new_errors(before, member)
    append_durably(file, block_for(file, member))
    click.echo(f"{file}: {who} is added as {which}")


def refuse_new_errors(before: Examined, member: StaffMember) -> None:
    """Refuse what would be wrong with the file only because of this member."""
    text = before.text + block_text(before.text, member)
    after = examine_text(text, before.path)
    if not after.is_toml:
        raise click.ClickException(
            f"{before.path}: staff stands there as one list; write each as [[staff]] first"
        )
    known = [(problem.field, problem.code, problem.details) for problem in before.errors]
    new = [one for one in after.errors if (one.field, one.code, one.details) not in known]
    if not member.pin:
        new = [problem for problem in new if problem.key != "pin"]
    if new:
        raise click.ClickException("\n".join(map(problem_words, new)))


def block_text(text: str, member: StaffMember) -> str:
    return ("" if text.endswith("\n") else "\n") + staff_text(member)


def block_for(file: Path, member: StaffMember) -> bytes:
    """The bytes to append, with line ends as the file has them."""
    content = file.read_bytes().decode()
    block = block_text(content, member)
    return (block.replace("\n", "\r\n") if "\r\n" in content else block).encode()


def checked_name(word: str) -> str:
    try:
        return name(word)
    except Mistake as mistake:
        raise click.ClickException(f"name: {mistake}") from None


# PINs


def ask_pin() -> str:
    """A PIN that will do, typed twice without being shown."""
    while True:
        pin = click.prompt(f"PIN ({LEAST_DIGITS} to {MOST_DIGITS} digits)", hide_input=True)
        problem = pin_problem(pin)
        if problem:
            click.echo(f"This PIN will not do: {problem}.", err=True)
        elif click.prompt("The same again", hide_input=True) == pin:
            return pin
        else:
            click.echo("The two are not the same.", err=True)


def read_pin() -> str:
    pin = sys.stdin.readline().rstrip("\r\n")
    problem = pin_problem(pin)
    if problem:
        raise click.ClickException(f"this PIN will not do: {problem}")
    return pin


def admit(config: TableConfig, name: str, task: str, from_stdin: bool) -> StaffMember:
    """The person who does what [posts] has a post for, after the PIN; ClickException says why not."""
    pin = sys.stdin.readline().rstrip("\r\n") if from_stdin else click.prompt(f"PIN of {name}", hide_input=True)
    log = config.log.file
    gate = Gate(config.staff, book=TriesBook(log.with_name(log.name + ".tries")), now=time.monotonic())
    member, refusal, _ = gate.enter(name, pin, "this computer", time.monotonic())
    if member is None:
        raise click.ClickException(f"{sentence(refusal)} `felt check {config.path}` lists the staff.")
    table = Table(game_config(config))
    if not table.role_reaches(member.post, table.posts[task]):
        raise click.ClickException(sentence(refusal_words("post_too_low", [table.posts[task]])))
    return member
