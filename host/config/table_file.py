"""A table's configuration: one TOML file, read into frozen values, with every mistake reported by its line.

Paths in the file are relative to it. Money is in dollars in the file, and in cents from here on.
"""

import os
import re
import tomllib
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from host.config import checks
from host.config.fields import SECTIONS
from host.config.problems import Findings, Problem, read_sections
from host.config.toml_positions import lay_out, unix_lines
from host.display.config import DisplayConfig
from host.staff.pins import StaffMember
from host.words.config import problem_text
from shared.round.table import CHOSEN_POSTS, BadConfig, Table

LONGEST_FILE = 200_000  # bytes; a table's file has a few thousand
SYNTAX_PLACE = re.compile(r"(.*) \(at line (\d+), column (\d+)\)")
BYTE_ORDER_MARK = "\ufeff"
# Where what shared.round.table complains of stands in the file; the other fields of its own are in [game].
TABLE_FIELDS = {"game": ("game", "rulebook"), "chip": ("game", "chip_unit"), "table": ("game",)}


class ConfigError(ValueError):
    """A file that configures no table; the text lists every mistake, one line each."""

    def __init__(self, path: Path, problems: list[Problem]) -> None:
        super().__init__("\n".join(problem_text(path, problem) for problem in problems))
        self.path = path
        self.problems = problems

    @property
    def where(self) -> str:
        """How to see more of mistakes that stand in a line."""
        return f"\n`felt check {self.path}` shows where." if any(one.line for one in self.problems) else ""


@dataclass(frozen=True)
class Progressive:
    """In cents."""

    stake: int
    contribution: int
    meter: int
    reset: int


@dataclass(frozen=True)
class Game:
    rulebook: str  # its id
    boxes: int
    chip_unit: int  # cents, as the limits are
    device: str
    reader: str
    amounts: bool
    posts_above: tuple[str, ...]
    posts: dict[str, str]  # the lowest post for each entry of CHOSEN_POSTS
    limits: dict[str, tuple[int, int]]
    progressive: Progressive | None


@dataclass(frozen=True)
class LogFiles:
    file: Path
    checkpoints: Path
    signer: Path


@dataclass(frozen=True)
class PageConfig:
    address: str
    port: int
    off: bool


@dataclass(frozen=True)
class TableConfig:
    path: Path
    name: str
    board: str
    port: str  # "auto", or what pySerial opens
    key: Path
    game: Game
    log: LogFiles
    display: DisplayConfig
    page: PageConfig
    staff: tuple[StaffMember, ...]
    warnings: tuple[Problem, ...]


@dataclass(frozen=True)
class Examined:
    """A file's text, all that is wrong with it, and the configuration if there are at most warnings.

    `read` is what TOML reads in the file, and `values` are the fields without mistakes, by section.
    """

    path: Path
    text: str
    problems: list[Problem]
    config: TableConfig | None
    is_toml: bool = True
    read: dict[str, Any] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def errors(self) -> list[Problem]:
        return [problem for problem in self.problems if not problem.is_warning]


def load(path: Path) -> TableConfig:
    """The table that a file configures; a ConfigError lists every mistake in it."""
    examined = examine(path)
    if examined.config is None:
        raise ConfigError(path, examined.errors)
    return examined.config


def examine(path: Path) -> Examined:
    """Read a table's file and find everything that is wrong with it."""
    try:
        with path.open("rb") as file:
            content = file.read(LONGEST_FILE + 1)
    except FileNotFoundError:
        return unreadable(path, "missing_file", path=path)
    except OSError as error:
        return unreadable(path, "unreadable", reason=error.strerror)
    if len(content) > LONGEST_FILE:
        return unreadable(path, "too_long", most=LONGEST_FILE)
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        return unreadable(path, "not_utf8", content.count(b"\n", 0, error.start) + 1)
    return examine_text(text, path)


def unreadable(
    path: Path, code: str, line: int = 0, column: int = 0, text: str = "", /, **details: Any
) -> Examined:
    return Examined(path, text, [Problem(line, column, "", code, details)], None, is_toml=False)


def examine_text(text: str, path: Path) -> Examined:
    """The same for a text that is, or will be, in the file at this path."""
    text = unix_lines(text)
    try:
        read = tomllib.loads(text, parse_float=Decimal)
        layout = lay_out(text)
    except tomllib.TOMLDecodeError as error:
        return not_toml(path, text, str(error))
    except (ValueError, RecursionError):
        return unreadable(path, "too_deep", 0, 0, text)
    findings = Findings(layout)
    values = read_sections(read, findings)
    config = check_all(read, values, path, findings)
    problems = sorted(findings.problems, key=lambda problem: (problem.line, problem.column))
    return Examined(path, text, problems, None if findings.errors else config, True, read, values)


def not_toml(path: Path, text: str, message: str) -> Examined:
    """Where tomllib stopped, which only its message tells; the rest can be read once that is fixed."""
    lines = text.rstrip("\n").split("\n")
    found = SYNTAX_PLACE.fullmatch(message)
    line, column = (int(found[2]), int(found[3])) if found else (len(lines), len(lines[-1]) + 1)
    if text.startswith(BYTE_ORDER_MARK):
        return unreadable(path, "byte_order_mark", 1, 0, text)
    reason = found[1] if found else message.partition(" (at")[0]
    is_value = lines[line - 1][: column - 1].rstrip().endswith(("=", "[", ",")) if line <= len(lines) else False
    code = "syntax_value" if is_value else "syntax"
    return unreadable(path, code, line, column, text, reason=reason[:1].lower() + reason[1:])


def check_all(
    read: dict[str, Any], sections: dict[str, Any], path: Path, findings: Findings
) -> TableConfig | None:
    """Find everything that is wrong; the configuration if there is no error. The limits are read on the way."""
    folder = path.parent
    table, game, log = sections["table"], sections["game"], sections["log"]
    book, limits = checks.check_play(sections, "progressive" in read, findings)
    sections["limits"] = limits
    posts = (*book.PROCEDURE.roles, *game.get("posts_above", ())) if book else None
    checks.check_chosen_posts(sections["posts"], posts, findings)
    checks.check_staff(sections["staff"], posts, findings)
    checks.check_keys(sections, folder, findings)
    checks.check_files(sections, path, findings)
    display = checks.check_display(sections["display"], folder, findings)
    checks.check_page(sections["page"], findings)
    if os.path.exists(path):
        checks.check_privacy(path, bool(sections["staff"]), findings)
    if findings.errors or book is None or display is None:
        return None
    progressive = Progressive(**sections["progressive"]) if "progressive" in read else None
    config = TableConfig(
        path=path,
        name=table["name"],
        board=table["board"],
        port=table["port"],
        key=within(folder, table["key"]),
        game=Game(
            **(game | {"rulebook": book.ID}), posts=sections["posts"], limits=limits, progressive=progressive
        ),
        log=LogFiles(*(within(folder, log[field]) for field in ("file", "checkpoints", "signer"))),
        display=display,
        page=PageConfig(**sections["page"]),
        staff=tuple(StaffMember(**member) for member in sections["staff"]),
        warnings=tuple(findings.problems),
    )
    try:
        Table(game_config(config))
    except BadConfig as problem:
        place = TABLE_FIELDS.get(problem.field) or tuple(problem.field.split("."))
        place = place if place[0] in SECTIONS else ("game", *place)
        findings.error(place, "core_refused", refusal=(problem.code, *problem.detail))
        return None
    return config


def within(folder: Path, name: str) -> Path:
    return Path(os.path.abspath(folder / name))


def game_config(config: TableConfig) -> dict[str, Any]:
    """The game as `shared.round.table.Table` takes it, and as the table is told it."""
    game = config.game
    fields: dict[str, Any] = {
        "game": game.rulebook,
        "boxes": game.boxes,
        "device": game.device,
        "reader": game.reader,
        "limits": {wager: list(pair) for wager, pair in game.limits.items()},
        "amounts": game.amounts,
        "chip": game.chip_unit,
        "posts_above": list(game.posts_above),
    }
    chosen = {name: post for name, post in game.posts.items() if post != CHOSEN_POSTS[name]}
    if chosen:
        fields["posts"] = chosen
    if game.progressive:
        fields["progressive"] = vars(game.progressive).copy()
    return fields
