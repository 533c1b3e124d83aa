"""The form of a list for programs, which several commands about a log take: JSON lines or CSV."""

import sys
from collections.abc import Callable, Iterable
from typing import Any

import click

Function = Callable[..., Any]


def forms(function: Function) -> Function:
    """Adds --json and --csv, of which the last one counts."""
    function = click.option("--csv", "form", flag_value="csv", help="CSV with a heading.")(function)
    return click.option("--json", "form", flag_value="json", help="One JSON object a line.")(function)


def write_rows(form: str, rows: Iterable[dict[str, Any]], fields: Iterable[str]) -> None:
    """To standard output, as they come."""
    from host.review.formats import lines_of

    for line in lines_of(form, rows, fields):
        sys.stdout.write(line)
    sys.stdout.flush()
