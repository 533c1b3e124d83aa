"""`felt log`: reads a table's log on the host.

Reading must be quick: what only `import`, `adopt` and `upgrade` need is imported when one of them runs.
"""

import shutil
import textwrap
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from host.commands.arguments import FILE, KEY, LOG, click_errors
from host.log.reading import LogReader, RoundRow, Step
from host.log.schema import NotALog
from host.words.money import dollars
from host.words.names import staff_words
from host.words.records import record_words, rule_words, totals
from shared.link.messages import _MAX_NUMBER
from shared.rules.rulebook import load

MIN_WIDTH = 110
GAP = "   "
# What the machinery writes for itself; shown only on demand.
UNSPOKEN = ("clock", "command", "answer")
INDENTED = "   "


@click.group("log")
def log_command() -> None:
    """Read a table's log, also while it is written."""


@log_command.command("last")
@LOG
@click.option("--rounds", type=click.IntRange(1, 10_000), default=10, show_default=True, help="How many.")
def last_command(log: Path, rounds: int) -> None:
    """List the last rounds in LOG, the newest first."""
    with click_errors(NotALog), LogReader(log) as reader:
        found = reader.last_rounds(rounds)
    if not found:
        click.echo("no round has opened yet")
        return
    headings = ("round", "begun", "game", "outcome", "staked", "returned", "the House", "irregular")
    for line in table_lines(headings, "<<<<>>>>", [round_cells(one) for one in found]):
        click.echo(line)


def round_cells(one: RoundRow) -> list[str]:
    amounts = [cents(one.staked), cents(one.returned), cents(one.house_net)]
    irregular = str(one.irregularities) if one.irregularities else ""
    return [str(one.round), when(one.begun), one.game or "", one.outcome or "", *amounts, irregular]


def table_lines(headings: Sequence[str], sides: str, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A table with a rule below its headings, nothing cut; `sides` has "<" or ">" for each column."""
    widths = [max(map(len, column)) for column in zip(headings, *rows)]
    form = " " + GAP.join(f"{{:{side}{width}}}" for side, width in zip(sides, widths))
    lines = [form.format(*cells) for cells in (headings, *rows)]
    yield from ("", lines[0], " " + "─" * (len(lines[0]) - 1), *lines[1:], "")


@log_command.command("show")
@click.argument("number", metavar="ROUND", type=click.IntRange(1, _MAX_NUMBER))
@LOG
@click.option("--all", "everything", is_flag=True, help="Also clock, commands and answers.")
def show_command(number: int, log: Path, everything: bool) -> None:
    """Tell round ROUND of LOG step by step, with paragraphs."""
    with click_errors(NotALog), LogReader(log) as reader:
        row = reader.round(number)
        steps, later = reader.steps(number), reader.later_reports(number)
        there = reader.round_numbers()
    if row is None:
        have = f"it has rounds {there[0]} to {there[1]}" if there else "no round has opened in it yet"
        raise click.ClickException(f"there is no round {number} in {log}; {have}")
    book = load(row.game) if row.game else None
    click.secho(heading(row, book), bold=True)
    rows, looks = step_rows([step for step in steps if everything or step.record[0] not in UNSPOKEN], book)
    lines = table_lines(("record", "time", "what happened", "paragraph"), "><<<", rows)
    for line, look in zip(lines, [{}, {}, {}, *looks, {}]):
        click.secho(line, **look)
    for step in later:
        click.echo(f"told in round {step.round}, record {step.number}: {record_words(step.record, book)}")
    click.echo(ending(row))


def step_rows(steps: list[Step], book: ModuleType | None) -> tuple[list[list[str]], list[dict[str, Any]]]:
    """The table of a round's steps, and the style of each row. Long words take several rows."""
    times = [when(step.table_seconds)[11:] if step.table_seconds is not None else "" for step in steps]
    shown = [now if now != before else "" for before, now in zip(["", *times], times)]
    beside = [(str(step.number), time, rule_words(step.record)) for step, time in zip(steps, shown)]
    taken = sum(max(map(len, column)) for column in zip(("record", "time", "paragraph"), *beside))
    room = max(shutil.get_terminal_size().columns, MIN_WIDTH) - taken - 3 * len(GAP) - len("  ")
    rows: list[list[str]] = []
    looks: list[dict[str, Any]] = []
    for step, (number, time, rule) in zip(steps, beside):
        said, look = words(step, book)
        indent = " " * (len(said) - len(said.lstrip()))
        first, *more = textwrap.wrap(said, room, subsequent_indent=indent) or [""]
        rows += [[number, time, first, rule], *(["", "", one, ""] for one in more)]
        looks += [look] * (1 + len(more))
    return rows, looks


def words(step: Step, book: ModuleType | None) -> tuple[str, dict[str, Any]]:
    """What a person did stands out; what followed from it is indented."""
    kind = step.record[0]
    said = record_words(step.record, book)
    if kind == "event":
        return said + (f" [{staff_words(step.staff)}]" if step.staff else ""), {"bold": True}
    return INDENTED + said, {"fg": "red"} if kind in ("refused", "fault", "void") else {}


def heading(row: RoundRow, book: ModuleType | None) -> str:
    game = f"{book.TITLE} ({book.OPERATOR})" if book else "unknown game"
    return f"Round {row.round}, {game}, records {row.first} to {row.last}, begun {when(row.begun)}"


def ending(row: RoundRow) -> str:
    if row.staked is None or row.returned is None or row.house_net is None:
        return f"The round is {row.outcome}."
    return f"The round is {row.outcome}: {totals(row.staked, row.returned, row.house_net)}."


def cents(amount: int | None) -> str:
    return "" if amount is None else dollars(amount)


def when(seconds: int) -> str:
    """In this machine's time zone: `2026-09-21 14:13:20`."""
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M:%S")


@log_command.command("import")
@click.argument("journal", type=click.Path(exists=True, file_okay=False, path_type=Path))
@LOG
@KEY
@click.option("--staff", help="Who decides that a new log begins later than the table's first record.")
@click.option("--reason", help="Why.")
def import_command(journal: Path, log: Path, key_file: Path, staff: str | None, reason: str | None) -> None:
    """Add the records of a saved JOURNAL folder to LOG.

    Records that LOG already has are left out. A log that does not exist is made. Stop `felt run`
    first if it writes this log.
    """
    from host.keys import KeyFileError, read_table_key
    from host.log.entries import LogFailed
    from host.log.importing import import_journal

    with click_errors(NotALog, LogFailed, KeyFileError):
        done = import_journal(journal, log, read_table_key(key_file), staff, reason)
    noun = "record is" if done.added == 1 else "records are"
    click.echo(f"{log}: {done.added} {noun} new, of {done.first} to {done.last} in the journal")


@log_command.command("adopt")
@click.argument("file", metavar="TABLE.toml", type=FILE)
@click.option("--port", help="The table's port, in place of the one in the file.")
@click.option("--staff", required=True, help="Who decides that a new log begins: a name of the table's staff.")
@click.option("--reason", required=True, help="Why.")
@click.option("--stdin", "from_stdin", is_flag=True, help="Read the PIN from standard input.")
def adopt_command(file: Path, port: str | None, staff: str, reason: str, from_stdin: bool) -> None:
    """Begin a new log at a table that has dropped its first records.

    A table keeps the records that its host has not taken, and the last rounds; it drops older ones. So a host
    that lost its log cannot join the table with an empty one. This begins a log where the table's journal begins,
    and keeps who decided so and why; `felt audit` and `felt verify` report it from then on. It takes the PIN of
    somebody whose post may do it, as `log` under [posts] in the table's file says.
    """
    from host.commands.run import load_or_say
    from host.commands.staff import admit
    from host.keys import KeyFileError, read_table_key
    from host.log.entries import LogFailed
    from host.table.adopt import CannotAdopt, adopt
    from host.table.port import TablePort

    config = load_or_say(file)
    member = admit(config, staff, "log", from_stdin)
    who = f"{member.name}, {member.post}"
    with click_errors(CannotAdopt, NotALog, LogFailed, KeyFileError):
        key = read_table_key(config.key)
        origin = adopt(config.log.file, config.name, key.key, TablePort(port or config.port), who, reason)
    click.echo(f"{config.log.file}: begins with record {origin.number + 1} of table {config.name}")


@log_command.command("upgrade")
@LOG
@click.option("--rollups", is_flag=True, help="Also make what is kept for lists and statistics anew.")
def upgrade_command(log: Path, rollups: bool) -> None:
    """Bring a LOG of an older felt up to date; `felt run` does so too."""
    from host.log.opening import upgrade
    from host.terminal import record_progress

    with click_errors(NotALog), record_progress() as progress:
        applied = upgrade(log, progress, rollups)
    click.echo(f"{log}: {'brought' if applied else 'is'} up to date")
