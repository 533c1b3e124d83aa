"""Reads a line of JSON strictly: where money is concerned, ambiguous JSON is refused."""

import json
import math
from typing import Any


class RequestError(ValueError):
    """A request that cannot be served; the message begins with the field at fault."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")


def refuse_repeated_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON allows a name twice and the last one wins; with money that is a mistake."""
    made: dict[str, Any] = {}
    for name, value in pairs:
        if name in made:
            raise RequestError(name, "stands twice in one object")
        made[name] = value
    return made


def refuse_endless_numbers(text: str) -> float:
    """Python reads NaN, Infinity and 1e999, but an answer that repeats them would not be JSON."""
    number = float(text)
    if not math.isfinite(number):
        raise RequestError("line", f"not JSON ({text} is not a number)")
    return number


READER = json.JSONDecoder(
    object_pairs_hook=refuse_repeated_names,
    parse_float=refuse_endless_numbers,
    parse_constant=refuse_endless_numbers,
)


def read_json(raw: bytes) -> Any:
    """What the line says; a RequestError says what is wrong with it."""
    try:
        return READER.decode(raw.decode())
    except RequestError:
        raise
    except UnicodeDecodeError:
        raise RequestError("line", "not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise RequestError("line", f"not JSON ({error.msg} at character {error.pos + 1})") from None
    except RecursionError:
        raise RequestError("line", "nested too deeply") from None
    except ValueError:
        raise RequestError("line", "not JSON (a number with too many digits)") from None
