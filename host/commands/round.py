"""`felt round`: plays events through the round and prints the records they cause."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from host.json_lines import RequestError, read_json
from shared.records import RECORDS
from shared.round import Round


def named(record: list[Any]) -> dict[str, Any]:
    """A record as an object, for people."""
    return {"record": record[0]} | dict(zip(RECORDS[record[0]], record[1:]))


def load_table(path: str) -> Round:
    try:
        return Round(read_json(Path(path).read_bytes()))
    except OSError as error:
        raise click.ClickException(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise click.ClickException(f"{path}: {error}") from None


@click.command("round")
@click.argument("table", type=click.Path(dir_okay=False))
@click.option("--lines", is_flag=True, help="Print records as the lists that the log keeps.")
def round_command(table: str, lines: bool) -> None:
    """Play a round: events as JSON lines on standard input, the records they cause on standard output.

    TABLE is a JSON file with the table's configuration. An event is an object with its name under
    "event", or a list with its name first. A refused event is answered with why, and changes nothing.
    """
    if sys.stdin is None or sys.stdout is None:
        raise click.ClickException("standard input or output is closed; `felt round` needs both")
    round_ = load_table(table)
    for raw in sys.stdin.buffer:
        if not raw.strip():
            continue
        try:
            records = round_.apply(read_json(raw))
        except RequestError as error:
            records = [["refused", ["malformed"], None, str(error)]]
        for record in records:
            sys.stdout.write(json.dumps(record if lines else named(record)) + "\n")
        sys.stdout.flush()
