"""`felt log list`: rounds by any filter, newest first, in 80 columns."""

import shutil
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from host.commands.arguments import LOG
from host.commands.log_forms import forms, write_rows
from host.commands.log_options import COUNT, PAGED, ROUNDS, fitted_or_say, looking
from host.log.rollups.summary import Summary, details_in
from host.review.formats import ROUND_FIELDS, round_fields
from host.review.times import when, zone_words
from host.words.money import dollars
from host.words.names import plain
from shared.round.states import VOID
from shared.rules.rulebook import load

LEAST_WIDTH = 80
LEAST_ROOM = 18  # for what else is told of a round, before it takes lines of its own
HEADINGS = ("round", "begun", "outcome", "staked", "returned", "House")
SIDES = "><<>>>"
GAP = "  "


@click.command("list")
@LOG
@ROUNDS
@PAGED
@click.option("--before", type=click.IntRange(0), help="Only rounds older than this one.")
@COUNT
@forms
def list_command(
    log: Path, rows: int, page: int, before: int | None, count_only: bool, form: str | None, **options: Any
) -> None:
    """List rounds of LOG, the newest first.

    LOG is a log, or a table's file. Filters are about the round as a whole, but for --box, --player, --wager and
    --result, which are about one and the same bet. Times are those of this machine's time zone.
    """
    with looking(log) as index:
        wanted = fitted_or_say(index, options)
        total = index.count(wanted)
        if count_only:
            click.echo(total)
            return
        skip = rows * (page - 1)
        found = index.find(wanted, rows, skip, before)
    if form:
        write_rows(form, map(round_fields, found), ROUND_FIELDS)
        return
    if not found:
        click.echo("no round fits" if wanted.given() or page > 1 or before else "no round has opened yet")
        return
    for line in list_lines(found, shutil.get_terminal_size().columns):
        click.echo(line)
    click.echo(footer(found, total, skip, before))


def list_lines(rounds: Sequence[Summary], columns: int) -> Iterator[str]:
    """A table of rounds with a line for each game; what else is told stands beside them or below."""
    cells = [round_cells(one) for one in rounds]
    widths = [max(map(len, column)) for column in zip(HEADINGS, *cells)]
    form = " " + GAP.join(f"{{:{side}{width}}}" for side, width in zip(SIDES, widths))
    width = max(columns, LEAST_WIDTH)
    taken = len(form.format(*HEADINGS)) + len(GAP)
    room = width - taken - 1
    yield ""
    yield form.format(*HEADINGS)
    yield " " + "─" * (width - 2)
    game: str | None = ""
    for one, row in zip(rounds, cells):
        if one.game != game:
            game = one.game
            yield f" {game_words(game)}"
        yield from with_remarks(form.format(*row), remarks(one), taken, room, width)
    yield ""


def with_remarks(line: str, told: str, taken: int, room: int, width: int) -> Iterator[str]:
    if room >= LEAST_ROOM or len(told) <= room:
        first, *more = textwrap.wrap(told, max(room, 1)) or [""]
        yield (line + GAP + first).rstrip()
        yield from (" " * taken + one for one in more)
    else:
        yield line.rstrip()
        indent = " " * (len(line) - len(line.lstrip()) + 2 * len(GAP))
        yield from textwrap.wrap(told, width - 1, initial_indent=indent, subsequent_indent=indent)


def round_cells(one: Summary) -> list[str]:
    amounts = ["" if cents is None else dollars(cents) for cents in (one.staked, one.returned, one.house_net)]
    return [str(one.round), when(one.begun), one.outcome or "", *amounts]


def remarks(one: Summary) -> str:
    """Why a round is void, and what was out of the ordinary."""
    details = details_in(one)
    told = []
    if one.outcome == VOID:
        told.append("by " + " ".join(filter(None, (one.paragraph, f"({one.ruling})" if one.ruling else ""))))
    told += [plain(kind) + (f" x {count}" if count > 1 else "") for kind, count in details.irregular]
    told += [f"fault {plain(code)}" for code, _ in details.faults]
    if one.refusals:
        told.append("1 refusal" if one.refusals == 1 else f"{one.refusals} refusals")
    return ", ".join(told)


def game_words(game: str | None) -> str:
    try:
        book = load(game) if game else None
    except ValueError:
        book = None
    return f"{book.TITLE} ({book.OPERATOR})" if book else game or "unknown game"


def footer(found: Sequence[Summary], total: int, skip: int, before: int | None) -> str:
    """Where this page stands, how to get the next one, and what the times are."""
    where = (
        f"{len(found):,} of {total:,} rounds"
        if before is not None
        else (f"rounds {skip + 1:,} to {skip + len(found):,} of {total:,}, newest first")
    )
    older = f"; older ones: --before {found[-1].round}" if before is not None or skip + len(found) < total else ""
    return f"{where}{older}. Times are {zone_words(found[0].begun)}."
