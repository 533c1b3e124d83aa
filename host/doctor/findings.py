"""What `felt doctor` finds, and what a table's file says as far as it can be read."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from host.config.checks import check_display
from host.config.problems import Findings
from host.config.table_file import Examined, PageConfig, examine, within
from host.config.toml_positions import Layout
from host.display.config import DisplayConfig

OK = "ok"
LOOK = "look"  # nothing that stops the table, but somebody should look at it
WRONG = "wrong"


class Finding(NamedTuple):
    """A code such as `port.missing`, which begins with the check, and fields, for host.words.doctor."""

    mark: str
    code: str
    fields: dict[str, Any]

    @property
    def check(self) -> str:
        return self.code.partition(".")[0]


def ok(code: str, /, **fields: Any) -> Finding:
    return Finding(OK, code, fields)


def look(code: str, /, **fields: Any) -> Finding:
    return Finding(LOOK, code, fields)


def wrong(code: str, /, **fields: Any) -> Finding:
    return Finding(WRONG, code, fields)


def unnamed(check: str, section: str, field: str) -> Finding:
    """The file has no such field, or a mistake in it."""
    return wrong(f"{check}.unnamed", section=section, field=field)


def is_accessible(path: Path, rights: int) -> bool:
    """As the user that this runs as, which sudo may have changed."""
    return os.access(path, rights, effective_ids=os.access in os.supports_effective_ids)


@dataclass(frozen=True)
class Subject:
    """A table's file and its usable fields; None for one that is missing or mistaken."""

    path: Path
    examined: Examined
    name: str | None = None
    board: str | None = None
    port: str | None = None
    key: Path | None = None
    log: Path | None = None
    checkpoints: Path | None = None
    signer: Path | None = None
    display: DisplayConfig | None = None
    page: PageConfig | None = None


def read_subject(path: Path) -> Subject:
    """A file with mistakes still names ports, logs and keys that can be checked."""
    examined = examine(path)
    if not examined.is_toml:
        return Subject(path, examined)
    table, log, display, page = (examined.values[name] for name in ("table", "log", "display", "page"))
    files: dict[str, Any] = {
        name: within(path.parent, section[field])
        for name, section, field in (
            ("key", table, "key"),
            ("log", log, "file"),
            ("checkpoints", log, "checkpoints"),
            ("signer", log, "signer"),
        )
        if field in section
    }
    is_display_wrong = any(problem.section == "display" for problem in examined.errors)
    return Subject(
        path=path,
        examined=examined,
        **{name: table[name] for name in ("name", "board", "port") if name in table},
        **files,
        display=None if is_display_wrong else check_display(display, path.parent, Findings(Layout(""))),
        page=PageConfig(**page) if len(page) == len(PageConfig.__dataclass_fields__) else None,
    )


def guarded(check: str, look: Callable[[], list[Finding]]) -> list[Finding]:
    """What a check finds. A check that fails is itself a finding, and the others go on."""
    try:
        return look()
    except Exception as problem:  # a person needs the rest of the findings in any case
        return [wrong(f"{check}.failed", error=type(problem).__name__, reason=str(problem))]
