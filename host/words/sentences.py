"""Reads the templates of sentences, and fills one with fields: `{cents:money}` shows the field `cents` as money.

They stand in the text files of english/, by the codes that programs pass, so they can be reworded or translated.
"""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

from host.words.money import dollars
from host.words.names import place, plain

FOLDER = Path(__file__).with_name("english")
MOST_SHOWN = 40  # characters of a wrong value
MANY_DAYS = 3650
MANY_YEARS = 100


@cache
def read_templates(name: str) -> dict[str, str]:
    """The templates in a file, by their code; an indented line continues the one above it."""
    found: dict[str, str] = {}
    code = ""
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith(" "):
            found[code] += f" {line.strip()}"
        elif line and not line.startswith("#"):
            code, _, words = line.partition(":")
            found[code] = words.strip()
    return found


def read_declared(name: str) -> dict[str, tuple[tuple[str, ...], str]]:
    """Templates with the names of their details in order, which stand in brackets after the code."""
    found: dict[str, tuple[tuple[str, ...], str]] = {}
    for declared, words in read_templates(name).items():
        code, _, names = declared.partition(" (")
        found[code] = tuple(names.rstrip(")").split()), words
    return found


def kind_of(value: Any) -> str:
    """What TOML takes a value for."""
    if isinstance(value, list):
        return f"a list of {len(value)}"
    kinds = (
        (bool, "true or false"),
        (int, "a whole number"),
        (Decimal | float, "a number with a decimal point"),
        (str, "text"),
        (dict, "a table"),
    )
    return next((words for kind, words in kinds if isinstance(value, kind)), "a date or time")


def shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | Decimal | str):
        # Python refuses to write out numbers of thousands of digits.
        text = str(value) if not isinstance(value, int) or abs(value) < 10**18 else "the number"
        text = text if text.isprintable() else ascii(text)  # nothing that a terminal would obey
        return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "..."
    return kind_of(value)


def one_of(options: Iterable[Any]) -> str:
    words = [f'"{option}"' if isinstance(option, str) else str(option) for option in options]
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]


def all_of(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def boxes_text(count: int) -> str:
    return "1 box" if count == 1 else f"{count} boxes"


def header(section: str) -> str:
    return "[[staff]]" if section == "staff" else f"[{section}]"


def span_words(seconds: float) -> str:
    """A stretch of time as people say it: `3 hours`."""
    for unit, length in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            count = int(seconds // length)
            return f"{count:,} {unit}{'' if count == 1 else 's'}"
    return "less than a minute"


def years_words(years: float | None) -> str:
    """None if it is not known yet."""
    if years is None:
        return "not known yet"
    return "more than 100 years" if years > MANY_YEARS else f"{years:.1f} years"


def chips(cents: int | None) -> str:
    """On a table without amounts nobody knows how much it was."""
    return "chips" if cents is None else dollars(cents)


SHOWN: dict[str, Callable[[Any], str]] = {
    "money": dollars,
    "chips": chips,
    "plain": plain,
    "place": place,
    "value": shown,
    "option": lambda value: f'"{shown(value)}"' if isinstance(value, str) else shown(value),
    "kind": kind_of,
    "or": one_of,
    "list": lambda values: ", ".join(map(str, values)) or "none",
    "and": all_of,
    "gpios": lambda pins: all_of([f"GP{pin}" for pin in pins]),
    "boxes": boxes_text,
    "pins": lambda count: "1 pin" if count == 1 else f"{count} pins",
    "times": lambda count: "twice" if count == 2 else f"{count} times",
    "header": header,
    "span": span_words,
    "years": years_words,
    "days": lambda days: f"{days:,} days" if days <= MANY_DAYS else "more than ten years",
}


class Filler(Formatter):
    def format_field(self, value: Any, format_spec: str) -> Any:
        show = SHOWN.get(format_spec)
        return show(value) if show else super().format_field(value, format_spec)


FILLER = Filler()


def fill(template: str, fields: dict[str, Any]) -> str:
    return FILLER.vformat(template, (), fields)
