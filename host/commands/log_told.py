"""`felt log notices`, `find` and `tail`: what happened around rounds, records by their text, what happens now."""

import shutil
import textwrap
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from host.commands.arguments import LOG, click_errors
from host.commands.log_forms import forms, write_rows
from host.commands.log_options import COUNT, PAGED, TIMES, looking, progress_if_slow
from host.log.reading import LogReader, Step
from host.log.schema import NotALog
from host.review.follow import Follower
from host.review.formats import RECORD_FIELDS, TOLD_FIELDS, step_fields, told_fields
from host.review.notices import GROUPS, Told, Wanted, count_told, told
from host.review.search import find_text
from host.review.times import when, zone_words
from host.words.names import plain, staff_words
from host.words.records import record_words, rule_words

LEAST_WIDTH = 80
POLL_SECONDS = 0.5
MOST_KIND = 9  # characters
UNSPOKEN = ("clock", "command", "answer")  # what the machinery writes for itself


@click.command("notices")
@LOG
@TIMES
@click.option("--only", "groups", multiple=True, type=click.Choice(sorted(GROUPS)), help="May be given again.")
@PAGED
@COUNT
@forms
def notices_command(
    log: Path,
    since: int | None,
    until: int | None,
    groups: tuple[str, ...],
    rows: int,
    page: int,
    count_only: bool,
    form: str | None,
) -> None:
    """List what happened around the rounds of LOG, the newest first, with who and when.

    These are logins, refusals, undos, outages, alarms, faults and changes of configuration: what the host
    noticed, and records of the table. LOG is a log, or a table's file.
    """
    wanted = Wanted(groups, since, until)
    with looking(log) as index:
        total = count_told(index.log, wanted)
        if count_only:
            click.echo(total)
            return
        skip = rows * (page - 1)
        found = list(told(index.log, wanted, rows, skip))
    if form:
        write_rows(form, map(told_fields, found), TOLD_FIELDS)
        return
    if not found:
        click.echo("nothing was noticed" + (" in that time" if since is not None or until is not None else ""))
        return
    for line in told_lines(found):
        click.echo(line)
    click.echo(
        f"\n{skip + 1:,} to {skip + len(found):,} of {total:,}, newest first. "
        f"Times are {zone_words(found[0].seconds)}."
    )


def told_lines(found: Iterable[Told]) -> Iterator[str]:
    width = max(shutil.get_terminal_size().columns, LEAST_WIDTH)
    for one in found:
        where = [f"round {one.round}"] if one.round is not None else []
        where += [staff_words(one.who)] if one.who else []
        words = one.text + (f" [{', '.join(where)}]" if where else "")
        yield from hanging(f" {when(one.seconds)}  {plain(one.kind):<{MOST_KIND}}  ", words, width)


def hanging(beginning: str, words: str, width: int) -> Iterator[str]:
    """Long words take several lines below each other."""
    lines = textwrap.wrap(words, width - len(beginning) - 1) or [""]
    yield (beginning + lines[0]).rstrip()
    yield from (" " * len(beginning) + line for line in lines[1:])


@click.command("find")
@click.argument("text")
@LOG
@TIMES
@COUNT
@forms
def find_command(
    text: str, log: Path, since: int | None, until: int | None, count_only: bool, form: str | None
) -> None:
    """Find records of LOG that have TEXT in them, oldest first.

    Every record in the range of time is read, so this takes a while on a long log. TEXT is looked for as records
    spell it, in capital letters or small ones: a player, a card, a code. LOG is a log, or a table's file.
    """
    with click_errors(NotALog), LogReader(log) as reader, progress_if_slow() as progress:
        steps = find_text(reader, text, since, until, progress)
        if count_only:
            click.echo(sum(1 for _ in steps))
        elif form:
            write_rows(form, map(step_fields, steps), RECORD_FIELDS)
        else:
            count = 0
            for step in steps:
                count += 1
                for line in step_lines(step):
                    click.echo(line)
            click.echo(f"\n{count:,} {'record has' if count == 1 else 'records have'} it")


def step_lines(step: Step) -> Iterator[str]:
    """A record with its time and its round."""
    width = max(shutil.get_terminal_size().columns, LEAST_WIDTH)
    at = step.seconds if step.table_seconds is None else step.table_seconds
    round_ = "" if step.round is None else f"round {step.round}"
    words = record_words(step.record)
    rule = rule_words(step.record)
    words += f" [{staff_words(step.staff)}]" if step.staff and step.record[0] == "event" else ""
    words += f"  {rule}" if rule else ""
    yield from hanging(f" {step.number:>8}  {when(at)}  {round_:<12}  ", words, width)


@click.command("tail")
@LOG
@click.option("--all", "everything", is_flag=True, help="Also clock, commands and answers.")
@click.option("--records", type=click.IntRange(0, 10_000), default=10, show_default=True, help="To begin with.")
@forms
def tail_command(log: Path, everything: bool, records: int, form: str | None) -> None:
    """Follow LOG: print the last records, and each new one as it comes, until Ctrl-C.

    LOG is a log, or a table's file.
    """
    try:
        with click_errors(NotALog):
            follow(Follower(log, records), everything, form)
    except KeyboardInterrupt:
        raise click.exceptions.Exit(130) from None  # as it is meant to end, without a word


def follow(follower: Follower, everything: bool, form: str | None) -> None:
    is_first = True
    while True:
        steps = [step for step in follower.more() if everything or step.record[0] not in UNSPOKEN]
        if form == "csv":
            print_csv(steps, is_first)
        elif form:
            write_rows(form, map(step_fields, steps), RECORD_FIELDS)
        else:
            for step in steps:
                for line in step_lines(step):
                    click.echo(line)
        is_first = False
        time.sleep(POLL_SECONDS)


def print_csv(steps: list[Step], with_heading: bool) -> None:
    from host.review.formats import csv_lines

    lines = csv_lines(map(step_fields, steps), RECORD_FIELDS)
    if not with_heading:
        next(lines)
    for line in lines:
        click.echo(line, nl=False)
