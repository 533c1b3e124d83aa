"""`felt settle`: JSON lines in, one settled JSON line out for each."""

import json
import sys
from typing import Any, BinaryIO, TextIO

import click

from host.rules.json_lines import RequestError, read_json
from host.rules.settle_request import settle_request


def answer_line(raw: bytes) -> dict[str, Any]:
    """The settlement of one input line, or what is wrong with it."""
    request = None
    try:
        request = read_json(raw)
        return settle_request(request)
    except RequestError as error:
        return {"id": request.get("id") if isinstance(request, dict) else None, "error": str(error)}


def settle_lines(source: BinaryIO, sink: TextIO) -> bool:
    """Answer every line; True if all were settled."""
    all_well = True
    for raw in source:
        if not raw.strip():
            continue
        answer = answer_line(raw)
        all_well = all_well and "error" not in answer
        sink.write(json.dumps(answer) + "\n")
        sink.flush()
    return all_well


@click.command("settle")
def settle_command() -> None:
    """Settle finished hands: JSON lines in, JSON lines out.

    A line that cannot be settled is answered with {"id", "error"} and the next one is read; the exit
    status is then 1.
    """
    if sys.stdin is None or sys.stdout is None:
        raise click.ClickException("standard input or output is closed; `felt settle` needs both")
    if not settle_lines(sys.stdin.buffer, sys.stdout):
        raise SystemExit(1)
