"""What `felt doctor` finds, and what a table's file says as far as it can be read."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from host.config.checks import display_fields
from host.config.problems import Findings, read_sections
from host.config.table_file import Examined, Page, examine, within
from host.config.toml_positions import lay_out

OK = "ok"
LOOK = "look"  # nothing that stops the table, but somebody should look at it
WRONG = "wrong"


class Finding(NamedTuple):
    """What one check found, and what to do about it unless that is nothing."""

    check: str
    mark: str
    found: str
    todo: str = ""


@dataclass(frozen=True)
class Subject:
    """A table's file, and what of it will do; None for what is missing or mistaken."""

    path: Path
    examined: Examined
    name: str | None = None
    board: str | None = None
    port: str | None = None
    key: Path | None = None
    log: Path | None = None
    checkpoints: Path | None = None
    signer: Path | None = None
    display: dict[str, Any] | None = None
    page: Page | None = None


def read_subject(path: Path) -> Subject:
    """A file with mistakes still names ports, logs and keys that can be looked at."""
    examined = examine(path)
    if not examined.is_toml:
        return Subject(path, examined)
    read = tomllib.loads(examined.text, parse_float=Decimal)
    sections = read_sections(read, Findings(lay_out(examined.text)))
    table, log, display, page = (sections[name] for name in ("table", "log", "display", "page"))
    folder = path.parent

    def file(section: dict[str, Any], field: str) -> Path | None:
        return within(folder, section[field]) if field in section else None

    return Subject(
        path=path,
        examined=examined,
        name=table.get("name"),
        board=table.get("board"),
        port=table.get("port"),
        key=file(table, "key"),
        log=file(log, "file"),
        checkpoints=file(log, "checkpoints"),
        signer=file(log, "signer"),
        display=display_fields(display, folder) if "kind" in display else None,
        page=Page(**page) if len(page) == len(Page.__dataclass_fields__) else None,
    )


def in_two(check: str, mark: str, sentence: str, otherwise: str) -> Finding:
    """A finding of an error's words: its first part says what is wrong, and the rest, if any, what to do."""
    found, _, todo = sentence.partition("; ")
    return Finding(check, mark, found, todo or otherwise)


def guarded(check: str, look: Callable[[], list[Finding]]) -> list[Finding]:
    """What a check finds. One that stumbles is itself a finding, and the others go on."""
    try:
        return look()
    except Exception as problem:  # whatever it is, a person needs the rest of the findings
        found = f"this could not be looked at ({type(problem).__name__}: {problem})"
        return [Finding(check, WRONG, found, "send this line, with `felt support`, to whoever looks after Felt")]


def span_words(seconds: float) -> str:
    """A stretch of time as people say it: `3 hours`."""
    for unit, length in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            count = int(seconds // length)
            return f"{count:,} {unit}{'' if count == 1 else 's'}"
    return "less than a minute"
