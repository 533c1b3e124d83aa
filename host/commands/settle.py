"""`felt settle`: JSON lines in, one settled JSON line out for each."""

import json
import sys
from typing import Any, BinaryIO, TextIO

import click

from host.settle_request import RequestError, settle_request


def refuse_repeated_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON lets a name stand twice and the last one win; with money in it that is a mistake."""
    made = dict(pairs)
    if len(made) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise RequestError(twice, "stands twice in one object")
    return made


def answer_line(raw: bytes) -> dict[str, Any]:
    """The settlement of one input line, or what is wrong with it."""
    request = None
    try:
        request = json.loads(raw.decode(), object_pairs_hook=refuse_repeated_names)
        return settle_request(request)
    except RequestError as error:
        problem = str(error)
    except UnicodeDecodeError:
        problem = "line: not UTF-8 text"
    except json.JSONDecodeError as error:
        problem = f"line: not JSON ({error.msg} at character {error.pos + 1})"
    except RecursionError:
        problem = "line: nested too deeply"
    except ValueError:
        problem = "line: not JSON (a number with too many digits)"
    return {"id": request.get("id") if isinstance(request, dict) else None, "error": problem}


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
    """Settle finished hands: JSON lines on standard input, one answer a line.

    A line that cannot be settled is answered with {"id", "error"} and the next one is read; the exit
    status is then 1.
    """
    if not settle_lines(sys.stdin.buffer, sys.stdout):
        raise SystemExit(1)
