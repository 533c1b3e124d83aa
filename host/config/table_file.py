"""A table's configuration: one TOML file, read into frozen values, every mistake in it said by line.

Paths in the file are relative to it. Money is text with its sign, "$25" or "$2.50", and cents from here on.
"""

import os
import re
import tomllib
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from host.config.checks import (
    check_board,
    check_book,
    check_display,
    check_distinct,
    check_game,
    check_key,
    check_limits,
    check_log,
    check_page,
    check_privacy,
    check_progressive,
    check_staff,
    display_fields,
)
from host.config.problems import Findings, Problem, read_sections
from host.config.toml_positions import lay_out, unix_lines
from host.display.config import DisplayConfig, read_display
from host.staff.pins import StaffMember
from host.words.refusals import config_words
from shared.round.table import BadConfig, Table

LONGEST_FILE = 200_000  # bytes; a table's file has a few thousand
SYNTAX_PLACE = re.compile(r"(.*) \(at line (\d+), column (\d+)\)")
LIKE_A_PIN = re.compile(r"\bpin\b|[0-9]{6}", re.IGNORECASE)  # in a line that is then not shown
BYTE_ORDER_MARK = "\ufeff"
# Where what shared.round.table complains of stands in the file; the other fields of its own are in [game].
TABLE_FIELDS = {"game": ("game", "rulebook"), "chip": ("game", "chip_unit"), "table": ("game",)}


class ConfigError(ValueError):
    """A file that configures no table; the text says every mistake, one line each."""

    def __init__(self, path: Path, problems: list[Problem]) -> None:
        super().__init__("\n".join(problem_text(path, problem) for problem in problems))
        self.path = path
        self.problems = problems

    @property
    def where(self) -> str:
        """Who shows more of mistakes that stand in a line; of a file that is not there nobody can."""
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
    limits: dict[str, tuple[int, int]]
    progressive: Progressive | None


@dataclass(frozen=True)
class LogFiles:
    file: Path
    checkpoints: Path
    signer: Path


@dataclass(frozen=True)
class Page:
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
    page: Page
    staff: tuple[StaffMember, ...]
    warnings: tuple[Problem, ...]


@dataclass(frozen=True)
class Examined:
    """A file's text, all that is wrong with it, and the configuration if nothing but warnings are."""

    path: Path
    text: str
    problems: list[Problem]
    config: TableConfig | None
    is_toml: bool = True

    @property
    def errors(self) -> list[Problem]:
        return [problem for problem in self.problems if not problem.is_warning]


def load(path: Path) -> TableConfig:
    """The table that a file configures; a ConfigError says every mistake in it."""
    examined = examine(path)
    if examined.config is None:
        raise ConfigError(path, examined.errors)
    return examined.config


def examine(path: Path) -> Examined:
    """Read a table's file and say everything that is wrong with it."""
    try:
        with path.open("rb") as file:
            content = file.read(LONGEST_FILE + 1)
    except FileNotFoundError:
        return unreadable(path, f"there is no such file; `felt init {path}` makes one")
    except OSError as error:
        return unreadable(path, f"cannot be read: {error.strerror}")
    if len(content) > LONGEST_FILE:
        return unreadable(path, f"longer than {LONGEST_FILE} bytes; is it a table's file?")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return unreadable(path, "not UTF-8; save the file as that", line)
    return examine_text(text, path)


def unreadable(path: Path, sentence: str, line: int = 0) -> Examined:
    return Examined(path, "", [Problem(line, 0, "", sentence)], None, is_toml=False)


def examine_text(text: str, path: Path) -> Examined:
    """The same for a text that is, or will be, in the file at this path."""
    text = unix_lines(text)
    try:
        read = tomllib.loads(text, parse_float=Decimal)
        layout = lay_out(text)
    except tomllib.TOMLDecodeError as error:
        return Examined(path, text, [syntax_problem(text, str(error))], None, is_toml=False)
    except (ValueError, RecursionError):
        problem = Problem(0, 0, "", "holds a number too long or lists too deep to read")
        return Examined(path, text, [problem], None, is_toml=False)
    findings = Findings(layout)
    config = check_all(read, path, findings)
    problems = sorted(findings.problems, key=lambda problem: (problem.line, problem.column))
    if config is None or findings.errors:
        return Examined(path, text, problems, None)
    return Examined(path, text, problems, config)


def syntax_problem(text: str, message: str) -> Problem:
    """What tomllib stumbled over; the rest of the file can be read only after that is mended."""
    found = SYNTAX_PLACE.fullmatch(message)
    if found:
        what, line, column = found[1], int(found[2]), int(found[3])
    else:
        lines = text.rstrip("\n").split("\n")
        what, line, column = message.partition(" (at")[0], len(lines), len(lines[-1]) + 1
    if text.startswith(BYTE_ORDER_MARK):
        return Problem(1, 0, "", "the file begins with a byte order mark; save it as UTF-8 without one")
    hint = "; text stands in quotes" if what == "Invalid value" else ""
    return Problem(line, column, "", f"no TOML: {what[:1].lower()}{what[1:]}{hint}")


def check_all(read: dict[str, Any], path: Path, findings: Findings) -> TableConfig | None:
    """Find everything that is wrong; the configuration if nothing is that would keep it from being one."""
    folder = path.parent
    sections = read_sections(read, findings)
    table, game, log = sections["table"], sections["game"], sections["log"]
    board = check_board(table, findings)
    book = check_book(game, findings)
    check_game(game, book, board, findings)
    limits = check_limits(sections["limits"], game, book, findings)
    if book:
        check_progressive("progressive" in read, sections["progressive"], game, book, findings)
    posts = (*book.PROCEDURE.roles, *game.get("posts_above", ())) if book else None
    check_staff(sections["staff"], posts, findings)
    check_key(table, folder, findings)
    check_log(log, folder, findings)
    check_distinct(sections, path, findings)
    check_display(sections["display"], folder, findings)
    check_page(sections["page"], findings)
    if os.path.exists(path):
        check_privacy(path, bool(sections["staff"]), findings)
    if findings.errors or book is None:
        return None
    progressive = Progressive(**sections["progressive"]) if "progressive" in read else None
    game_read = Game(**(game | {"rulebook": book.ID}), limits=limits, progressive=progressive)
    try:
        Table(table_fields(game_read))
    except BadConfig as problem:
        findings.error(TABLE_FIELDS.get(problem.field) or path_of(problem.field), config_words(problem))
        return None
    return TableConfig(
        path=path,
        name=table["name"],
        board=table["board"],
        port=table["port"],
        key=within(folder, table["key"]),
        game=game_read,
        log=LogFiles(*(within(folder, log[field]) for field in ("file", "checkpoints", "signer"))),
        display=read_display(display_fields(sections["display"], folder))[0],
        page=Page(**sections["page"]),
        staff=tuple(StaffMember(**member) for member in sections["staff"]),
        warnings=tuple(findings.problems),
    )


def path_of(field: str) -> tuple[str, ...]:
    section, _, name = field.partition(".")
    return (
        (section, name)
        if name
        else (("game", section) if section not in ("limits", "progressive") else (section,))
    )


def within(folder: Path, name: str) -> Path:
    return Path(os.path.abspath(folder / name))


def game_config(config: TableConfig) -> dict[str, Any]:
    """The game as `shared.round.table.Table` takes it, and as the table is told it."""
    return table_fields(config.game)


def table_fields(game: Game) -> dict[str, Any]:
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
    if game.progressive:
        fields["progressive"] = vars(game.progressive).copy()
    return fields


# Words


def problem_text(path: Path, problem: Problem) -> str:
    """`t1.toml:12: boxes: 9 is more than the board small has (2)`."""
    place = f"{path}:{problem.line}" if problem.line else str(path)
    kind = "warning: " if problem.is_warning else ""
    field = f"{problem.key}: " if problem.field else ""
    return f"{place}: {kind}{field}{problem.sentence}"


def shown_line(text: str, problem: Problem) -> list[str]:
    """The line that a problem is in, with a caret below where it is; nothing where that would not help."""
    if not problem.line or problem.is_secret:
        return []
    lines = text.split("\n")
    if problem.line > len(lines):
        return []
    line = lines[problem.line - 1]
    if LIKE_A_PIN.search(line):
        return []
    if not line.strip() or not line.replace("\t", " ").isprintable() or len(line) > 160:
        return []
    caret = ["    " + re.sub(r"[^\t]", " ", line[: problem.column - 1]) + "^"] if problem.column else []
    return ["    " + line, *caret]
