"""`felt log`: looks into a table's log on the host."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import ModuleType

import click
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from host.config.table_file import ConfigError
from host.config.table_file import load as load_table
from host.console import make_console
from host.keys import KeyFileError, read_table_key
from host.log.entries import LogFailed
from host.log.importing import import_journal
from host.log.opening import upgrade
from host.log.reading import LogReader, RoundRow, Step
from host.log.schema import NotALog
from host.table.adopt import CannotAdopt, adopt
from host.table.port import TablePort
from host.words.money import dollars
from host.words.records import house, record_words, rule_words, staff_words
from shared.link.messages import MAX_NUMBER
from shared.rules.rulebook import load

WIDTH = 110
ROUNDS_WIDTH = 150  # the widest game and amounts of millions
LOG = click.argument("log", type=click.Path(path_type=Path))
# What the machinery writes for itself; shown only on demand.
UNSPOKEN = ("clock", "command", "answer")
INDENTED = "   "


@contextmanager
def in_words() -> Iterator[None]:
    """Whatever is wrong with a log or a key is said in a line."""
    try:
        yield
    except (NotALog, LogFailed, KeyFileError) as problem:
        raise click.ClickException(str(problem)) from None


@click.group("log")
def log_command() -> None:
    """Look into a table's log on the host, also while it is written."""


@log_command.command("last")
@LOG
@click.option("--rounds", type=click.IntRange(1, 10_000), default=10, show_default=True, help="How many.")
def last_command(log: Path, rounds: int) -> None:
    """The last rounds in LOG, the newest first."""
    with in_words(), LogReader(log) as reader:
        found = reader.last_rounds(rounds)
    console = make_console(ROUNDS_WIDTH)
    if not found:
        console.print("no round has opened yet")
        return
    console.print(rounds_table(found))


def rounds_table(rounds: list[RoundRow]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("round", "begun", "game", "outcome"):
        table.add_column(heading, no_wrap=True)
    for heading in ("staked", "returned", "the House", "irregular"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in rounds:
        amounts = [cents(one.staked), cents(one.returned), cents(one.house_net)]
        irregular = str(one.irregularities) if one.irregularities else ""
        table.add_row(str(one.round), when(one.begun), one.game or "", one.outcome or "", *amounts, irregular)
    return table


@log_command.command("show")
@click.argument("number", metavar="ROUND", type=click.IntRange(1, MAX_NUMBER))
@LOG
@click.option("--all", "everything", is_flag=True, help="Also clock, commands and answers.")
def show_command(number: int, log: Path, everything: bool) -> None:
    """Round ROUND of LOG step by step, each with the paragraph behind it."""
    with in_words(), LogReader(log) as reader:
        row = reader.round(number)
        steps, later = reader.steps(number), reader.later_reports(number)
        there = reader.round_numbers()
    if row is None:
        have = f"it has rounds {there[0]} to {there[1]}" if there else "no round has opened in it yet"
        raise click.ClickException(f"there is no round {number} in {log}; {have}")
    console = make_console(WIDTH)
    book = load(row.game) if row.game else None
    console.print(heading(row, book), style="bold", soft_wrap=True)
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("record", justify="right", no_wrap=True)
    table.add_column("time", no_wrap=True)
    table.add_column("what happened")
    table.add_column("paragraph", no_wrap=True)
    time_before = ""
    for step in steps:
        if step.record[0] in UNSPOKEN and not everything:
            continue
        time_now = when(step.table_seconds)[11:] if step.table_seconds is not None else ""
        table.add_row(
            str(step.number),
            time_now if time_now != time_before else "",
            words(step, book),
            rule_words(step.record),
        )
        time_before = time_now
    console.print(table)
    for step in later:
        console.print(f"told in round {step.round}, record {step.number}: {record_words(step.record, book)}")
    console.print(ending(row), soft_wrap=True)


def words(step: Step, book: ModuleType | None) -> Text:
    """What somebody did stands out; what followed from it is set in."""
    kind = step.record[0]
    said = record_words(step.record, book)
    if kind == "event":
        return Text(said + (f" [{staff_words(step.staff)}]" if step.staff else ""), style="bold")
    return Text(INDENTED + said, style="red" if kind in ("refused", "fault", "void") else "")


def heading(row: RoundRow, book: ModuleType | None) -> str:
    game = f"{book.TITLE} ({book.OPERATOR})" if book else "unknown game"
    return f"Round {row.round}, {game}, records {row.first} to {row.last}, begun {when(row.begun)}"


def ending(row: RoundRow) -> str:
    if row.staked is None or row.returned is None or row.house_net is None:
        return f"The round is {row.outcome}."
    return (
        f"The round is {row.outcome}: staked {dollars(row.staked)}, returned {dollars(row.returned)}, "
        f"{house(row.house_net)}."
    )


def cents(amount: int | None) -> str:
    return "" if amount is None else dollars(amount)


def when(seconds: int) -> str:
    """In this machine's time zone: `2026-09-21 14:13:20`."""
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M:%S")


@log_command.command("import")
@click.argument("journal", type=click.Path(exists=True, file_okay=False, path_type=Path))
@LOG
@click.option("--key", "key_file", required=True, type=click.Path(path_type=Path), help="The table's key file.")
@click.option("--staff", help="Who decides that a new log begins later than the table's first record.")
@click.option("--reason", help="Why.")
def import_command(journal: Path, log: Path, key_file: Path, staff: str | None, reason: str | None) -> None:
    """Bring the records of a table's saved JOURNAL folder into LOG, as far as it does not have them.

    A log that is not there is made. No bridge may be writing it.
    """
    with in_words():
        done = import_journal(journal, log, read_table_key(key_file), staff, reason)
    noun = "record is" if done.added == 1 else "records are"
    click.echo(f"{log}: {done.added} {noun} new, of {done.first} to {done.last} in the journal")


@log_command.command("adopt")
@click.argument("file", metavar="TABLE.toml", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--port", help="The table's port, in place of the one in the file.")
@click.option("--staff", required=True, help="Who decides that a new log begins.")
@click.option("--reason", required=True, help="Why.")
def adopt_command(file: Path, port: str | None, staff: str, reason: str) -> None:
    """Begin a new log at a table whose first records are gone from it.

    A table keeps what its host has not taken, and the last rounds; older records go. A host whose log was lost
    cannot join it with an empty one. This begins a log where the table's journal begins, and keeps who decided so
    and why; `felt audit` and `felt verify` say so ever after.
    """
    try:
        config = load_table(file)
        key = read_table_key(config.key)
        origin = adopt(config.log.file, config.name, key.key, TablePort(port or config.port), staff, reason)
    except ConfigError as problem:
        raise click.ClickException(f"{problem}{problem.where}") from None
    except (CannotAdopt, NotALog, LogFailed, KeyFileError) as problem:
        raise click.ClickException(str(problem)) from None
    click.echo(f"{config.log.file}: begins with record {origin.number + 1} of table {config.name}")


@log_command.command("upgrade")
@LOG
def upgrade_command(log: Path) -> None:
    """Bring a LOG that an older felt wrote up to date. A bridge does so by itself."""
    with in_words():
        applied = upgrade(log)
    click.echo(f"{log}: {'brought' if applied else 'is'} up to date")
