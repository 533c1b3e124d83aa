"""`felt log last` and `show`: the last rounds as recall, and one round step by step."""

import shutil
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from host.commands.arguments import LOG, click_errors
from host.commands.log_forms import forms, write_rows
from host.log.reading import LogReader, RoundRow, Step
from host.log.schema import NotALog
from host.review.times import when, with_zone
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


@click.command("last")
@LOG
@click.option("--rounds", type=click.IntRange(1, 10_000), default=10, show_default=True, help="How many.")
@forms
def last_command(log: Path, rounds: int, form: str | None) -> None:
    """Recall the last rounds in LOG, the newest first, as the log has them.

    LOG is a log, or a table's file.
    """
    with click_errors(NotALog), LogReader(log) as reader:
        found = reader.last_rounds(rounds)
    if form:
        write_rows(form, map(recalled_fields, found), RoundRow._fields)
        return
    if not found:
        click.echo("no round has opened yet")
        return
    click.secho(f"RECALL of the last {len(found)} rounds in {log}", bold=True)
    headings = ("round", "begun", "game", "outcome", "staked", "returned", "the House", "irregular")
    for line in table_lines(headings, "<<<<>>>>", [round_cells(one) for one in found]):
        click.echo(line)


def recalled_fields(one: RoundRow) -> dict[str, Any]:
    ended = None if one.ended is None else with_zone(one.ended)
    return one._asdict() | {"begun": with_zone(one.begun), "ended": ended}


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


@click.command("show")
@click.argument("number", metavar="ROUND", type=click.IntRange(1, _MAX_NUMBER))
@LOG
@click.option("--all", "everything", is_flag=True, help="Also clock, commands and answers.")
@click.option("--why", is_flag=True, help="Also each paragraph and reading in words.")
@forms
def show_command(number: int, log: Path, everything: bool, why: bool, form: str | None) -> None:
    """Tell round ROUND of LOG step by step, with who, paragraphs and readings.

    LOG is a log, or a table's file.
    """
    with click_errors(NotALog), LogReader(log) as reader:
        row = reader.round(number)
        steps, later = reader.steps(number), reader.later_reports(number)
        there = reader.round_numbers()
    if row is None:
        have = f"it has rounds {there[0]} to {there[1]}" if there else "no round has opened in it yet"
        raise click.ClickException(f"there is no round {number} in {log}; {have}")
    chosen = [step for step in steps if everything or step.record[0] not in UNSPOKEN]
    if form:
        from host.review.formats import RECORD_FIELDS, step_fields

        write_rows(form, map(step_fields, [*chosen, *later]), RECORD_FIELDS)
        return
    book = load(row.game) if row.game else None
    click.secho(heading(row, book), bold=True)
    rows, looks = step_rows(chosen, book)
    lines = table_lines(("record", "time", "what happened", "paragraph"), "><<<", rows)
    for line, look in zip(lines, [{}, {}, {}, *looks, {}]):
        click.secho(line, **look)
    for step in later:
        click.echo(f"told in round {step.round}, record {step.number}: {record_words(step.record, book)}")
    click.echo(ending(row))
    if why and row.game:
        for line in reasons(row.game, [*chosen, *later]):
            click.echo(line)


def reasons(game: str, steps: list[Step]) -> Iterator[str]:
    """The paragraphs and readings behind these steps in words, each once, in the order in which they come."""
    from host.review.reasons import reasons_of

    width = max(shutil.get_terminal_size().columns, 80) - 1
    for one in reasons_of(game, [rule_words(step.record) for step in steps]):
        yield ""
        yield click.style(one.name, bold=True)
        for words in one.words:
            yield from textwrap.wrap(words, width, initial_indent="  ", subsequent_indent="  ")


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
