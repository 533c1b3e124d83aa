"""`felt settle`: JSON lines in, one settled JSON line out for each."""

import json
import math
import sys
from typing import Any, BinaryIO, TextIO

import click

from host.settle_request import RequestError, settle_request


def refuse_repeated_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON lets a name stand twice and the last one win; with money in it that is a mistake."""
    made: dict[str, Any] = {}
    for name, value in pairs:
        if name in made:
            raise RequestError(name, "stands twice in one object")
        made[name] = value
    return made


def refuse_endless_numbers(text: str) -> float:
    """Python reads NaN, Infinity and 1e999, but an answer that repeats them would be no JSON."""
    number = float(text)
    if not math.isfinite(number):
        raise RequestError("line", f"not JSON ({text} is not a number)")
    return number


READER = json.JSONDecoder(
    object_pairs_hook=refuse_repeated_names,
    parse_float=refuse_endless_numbers,
    parse_constant=refuse_endless_numbers,
)


def answer_line(raw: bytes) -> dict[str, Any]:
    """The settlement of one input line, or what is wrong with it."""
    request = None
    try:
        request = READER.decode(raw.decode())
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
    if sys.stdin is None or sys.stdout is None:
        raise click.ClickException("standard input or output is closed; `felt settle` needs both")
    if not settle_lines(sys.stdin.buffer, sys.stdout):
        raise SystemExit(1)
