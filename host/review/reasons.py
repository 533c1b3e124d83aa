"""What the paragraphs and readings that a log names mean, in Felt's own words and not in those of a rulebook."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from host.rules.inventory import paragraphs, readings

RULE = re.compile(r"(?P<paragraph>[^( ]+)?(?: ?\((?P<reading>[^)]+)\))?")


class Reason(NamedTuple):
    name: str
    words: list[str]


def reasons_of(game: str, rules: Iterable[str]) -> list[Reason]:
    """Of what stands behind records, such as `5.8 (X-04)`, `4.1/main-other` or `X-22`: each once, in order."""
    meanings = {row.paragraph: row for row in paragraphs() if row.rulebook == game}
    known = readings()
    found: dict[str, Reason] = {}
    for rule in rules:
        for name in names_in(rule):
            if name in found:
                continue
            if name in known:
                reading = known[name]
                words = [reading.question, reading.reading, *([f"Why: {reading.why}"] if reading.why else [])]
                found[name] = Reason(f"Reading {name}", words)
                continue
            row = meanings.get(name) or meanings.get(name.partition("/")[0])
            if row:
                found[name] = Reason(
                    f"Paragraph {name}", [row.meaning, *([f"Felt: {row.how}"] if row.how else [])]
                )
            else:
                found[name] = Reason(f"Paragraph {name}", ["This Felt does not know it."])
    return list(found.values())


def names_in(rule: str) -> list[str]:
    """`5.8 (X-04)` names a paragraph and a reading."""
    match = RULE.fullmatch(rule)
    return [name for name in match.groups() if name] if match else []
