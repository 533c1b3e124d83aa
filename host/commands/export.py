"""`felt export`: a list of a log, or its records as they were sealed, as CSV or JSON lines."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from host.commands.arguments import LOG
from host.commands.log_forms import forms
from host.commands.log_options import ROUNDS, fitted_or_say, looking
from host.review.export import LISTS, RAW, raw_lines
from host.review.filters import RoundFilter
from host.review.formats import lines_of
from host.review.rounds import RoundIndex

ABOUT = "\n".join(f"  {name:<9}{made.about}" for name, made in LISTS.items())


@click.command(
    "export",
    help=f"""Write a list of a log as JSON lines or CSV.

LOG is a log, or a table's file. LIST is one of these:

\b
{ABOUT}
  {RAW:<9}each record's line as the table sealed it, which `felt verify` reads

Filters choose rounds, as in `felt log list`; with --since and --until alone, records and notices of that time.
Amounts are in cents.
""",
)
@LOG
@click.argument("what", metavar="[LIST]", type=click.Choice([*LISTS, RAW]), default="rounds")
@ROUNDS
@forms
@click.option("-o", "--out", type=click.Path(dir_okay=False, path_type=Path), help="A new file to write to.")
def export_command(log: Path, what: str, form: str | None, out: Path | None, **options: Any) -> None:
    form = form or ("csv" if out and out.suffix == ".csv" else "json")
    with looking(log) as index:
        wanted = fitted_or_say(index, options)
        taken = LISTS[what].filters if what in LISTS else None
        if taken is not None and wanted.given().keys() - taken:
            raise click.UsageError(f"{what} take only --since and --until")
        lines = exported(index, wanted, what, form)
        if out is None:
            stream = sys.stdout.buffer
            for line in lines:
                stream.write(line)
            stream.flush()
        else:
            write_file(out, lines)


def exported(index: RoundIndex, wanted: RoundFilter, what: str, form: str) -> Iterator[bytes]:
    if what == RAW:
        return raw_lines(index, wanted)
    made = LISTS[what]
    return (line.encode() for line in lines_of(form, made.rows(index, wanted), made.fields))


def write_file(path: Path, lines: Iterator[bytes]) -> None:
    """Whole or not at all; a file that is there stays."""
    part = path.with_name(path.name + ".part")
    if path.exists():
        raise click.ClickException(f"{path} is there already; name another file")
    try:
        with part.open("wb") as file:
            file.writelines(lines)
        part.rename(path)
    except OSError as error:
        raise click.ClickException(f"cannot write {path}: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)
    click.echo(f"{path}: written")
