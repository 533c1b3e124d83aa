"""`felt init`: writes a table's file by asking, and makes the keys that the table needs."""

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from host.commands.arguments import FILE, click_errors
from host.commands.staff import ask_pin
from host.config.checks import check_play
from host.config.fields import SECTIONS, Field, Mistake, Read, Required, choice, limits, name, typed
from host.config.problems import Findings
from host.config.table_file import examine
from host.config.template import DEFAULT_CHIP, DEFAULT_PROGRESSIVE, multiples, table_text, usual_limits
from host.config.toml_positions import Layout
from host.keys import KeyFileError, key_problem, make_signer, make_table_key, write_private
from host.pico.boards import find_board
from host.rules.catalogue import all_books, find_book, progressive_place
from host.staff.pins import StaffMember, hash_pin
from host.staff.throttle import folded
from host.words.config import problem_text
from host.words.money import dollars
from host.words.refusals import sentence
from host.words.sentences import one_of, shown
from shared.round.table import CHOSEN_POSTS

SIGNER = "host.key"
OTHER_SIGNER = "signer.key"  # where the table itself is called host
LONGEST_NAME = 200  # bytes
FIELDS = {(section, field.name): field for section, fields in SECTIONS.items() for field in fields}
# The fields that are asked for if their option is not given.
OPTIONS = {
    ("table", "name"): "--name",
    ("game", "rulebook"): "--game",
    ("table", "board"): "--board",
    ("table", "port"): "--port",
    ("game", "boxes"): "--boxes",
    ("game", "chip_unit"): "--chip-unit",
    ("game", "device"): "--device",
    ("game", "reader"): "--reader",
    ("game", "amounts"): "--amounts",
    ("progressive", "stake"): "--stake",
    ("progressive", "meter"): "--meter",
    ("progressive", "contribution"): "--contribution",
    ("progressive", "reset"): "--reset",
    ("display", "kind"): "--display",
    ("page", "port"): "--page-port",
}


class Asker:
    """Asks on the terminal, or takes what was given or usual; every answer is checked at once."""

    def __init__(self, is_silent: bool, given: dict[tuple[str, str], str | None]) -> None:
        self.is_silent = is_silent
        self.given = given
        self.values: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}  # the answers so far

    def ask(self, section: str, key: str, usual: str | None = None) -> Any:
        field = FIELDS.get((section, key)) or Field(key, limits_typed, f"the limits of {key}")
        option = OPTIONS.get((section, key), "--limit")
        given = self.given.get((section, key))
        if usual is None and not isinstance(field.default, Required):
            usual = shown(field.default)
        if given is None and not self.is_silent:
            read = telling(lambda words: self.read(section, field, words))
            return click.prompt(sentence(field.what)[:-1], default=usual, value_proc=read)
        words = usual if given is None else given
        if words is None:
            raise click.UsageError(f"say {option} too; there is no usual answer to it")
        try:
            return self.read(section, field, words)
        except Mistake as mistake:
            raise click.BadParameter(str(mistake), param_hint=option) from None

    def read(self, section: str, field: Field, words: str) -> Any:
        """The value of a field, kept; a Mistake if it will not do, by itself or with the answers before it."""
        try:
            value = field.read(words)
        except Mistake:
            value = field.read(typed(words))
        trial = self.values | {section: self.values[section] | {field.name: value}}
        findings = Findings(Layout(""))
        check_play(trial, bool(trial["progressive"]), findings)
        for problem in findings.errors:
            if problem.field.partition("[")[0] == f"{section}.{field.name}":
                raise Mistake(problem.code, **problem.details)
        self.values = trial
        return value


def telling(read: Read) -> Callable[[str], Any]:
    """A reader whose mistakes click tells before it asks again."""

    def read_or_tell(answer: str) -> Any:
        try:
            return read(answer)
        except Mistake as mistake:
            raise click.UsageError(str(mistake)) from None

    return read_or_tell


def field_options(command: Callable[..., None]) -> Callable[..., None]:
    for place, option in reversed(OPTIONS.items()):
        command = click.option(option, help=sentence(FIELDS[place].what))(command)
    return command


@click.command("init")
@click.argument("file", type=FILE, required=False)
@field_options
@click.option("--limit", "given_limits", nargs=3, multiple=True, metavar="WAGER MIN MAX", help="Its limits.")
@click.option("--yes", is_flag=True, help="Ask nothing; take the usual answers where none is given.")
def init_command(
    file: Path | None, yes: bool, given_limits: tuple[tuple[str, str, str], ...], **given: Any
) -> None:
    """Write a table's file by asking, and make its keys.

    Without FILE, the file is named after the table. Nothing is overwritten: keys that exist are used.
    """
    asker = Asker(yes, {place: given[option[2:].replace("-", "_")] for place, option in OPTIONS.items()})
    if file:
        refuse_file(file)
    table = asker.ask("table", "name", "T1")
    if file is None:
        file = Path(re.sub(r"[^a-z0-9_-]", "-", table.lower()) + ".toml")
        refuse_file(file)
    key = file.with_suffix(".key")
    signer = file.parent / (SIGNER if key.name != SIGNER else OTHER_SIGNER)
    refuse_wrong_keys(table, key, signer)
    book = ask_book(asker)
    sections = ask_sections(asker, book, file.stem, signer.name, given_limits)
    staff = () if yes else ask_staff(book)
    make_keys(table, key, signer)
    with click_errors(KeyFileError):
        write_private(file, table_text(sections, staff, book, file.name).encode())
    examined = examine(file)
    for problem in examined.problems:
        click.echo(problem_text(file, problem), err=True)
    if examined.config is None:
        raise SystemExit(1)
    click.echo(f"{file}: the table {table}; `felt check {file}` says what is in it")
    if not staff:
        click.echo(f"nobody can log in yet; `felt staff add {file}` adds somebody")


def refuse_file(file: Path) -> None:
    if file.suffix != ".toml" or not file.name.isprintable() or len(file.name.encode()) > LONGEST_NAME:
        raise click.ClickException(f"{str(file)!a} will not do; a table's file is named such as t1.toml")
    if not file.parent.is_dir():
        raise click.ClickException(f"there is no folder {file.parent}; make it first: mkdir -p {file.parent}")
    if file.exists() or file.is_symlink():
        raise click.ClickException(f"{file} is there already and is not written over; choose another name")


def refuse_wrong_keys(table: str, key: Path, signer: Path) -> None:
    """Before anything is asked: keys that are there must be the right ones."""
    for kind, path in (("table", key), ("signer", signer)):
        if path.exists() and (problem := key_problem(kind, path, table)):
            raise click.ClickException(str(problem))


def make_keys(table: str, key: Path, signer: Path) -> None:
    with click_errors(KeyFileError):
        if not key.exists():
            make_table_key(key, table)
            click.echo(f"{key}: the key of table {table}; keep a copy in a safe place")
        if not signer.exists():
            public = make_signer(signer)
            click.echo(f"{signer}: signs checkpoints; {public} checks them")


# The questions


def ask_book(asker: Asker) -> ModuleType:
    if not asker.is_silent and asker.given["game", "rulebook"] is None:
        click.echo(f"Games: {', '.join(book.ID for book in all_books())}")
    return find_book(asker.ask("game", "rulebook"))


def ask_sections(
    asker: Asker, book: ModuleType, stem: str, signer: str, given_limits: tuple[tuple[str, str, str], ...]
) -> dict[str, dict[str, Any]]:
    """The sections of the table's file, as it will have them."""
    board = find_board(asker.ask("table", "board", "small"))
    asker.ask("game", "boxes", str(min(board.BOXES, book.MAX_BOXES)))
    chip = asker.ask("game", "chip_unit", dollars(DEFAULT_CHIP))
    for key in ("device", "reader", "amounts"):
        asker.ask("game", key)
    ask_limits(asker, usual_limits(book, chip), given_limits)
    if progressive_place(book) is not None:
        usual = DEFAULT_PROGRESSIVE
        stake = asker.ask("progressive", "stake", dollars(multiples((usual["stake"], usual["stake"]), chip)[0]))
        asker.ask("progressive", "meter", dollars(usual["meter"]))
        asker.ask("progressive", "contribution", dollars(min(usual["contribution"], stake)))
        asker.ask("progressive", "reset", dollars(usual["reset"]))
    for section, key in (("table", "port"), ("display", "kind"), ("page", "port")):
        asker.ask(section, key)
    answers = asker.values
    picture = {"file": f"{stem}.png"} if answers["display"]["kind"] == "png" else {}
    sections = {
        "table": answers["table"] | {"key": f"{stem}.key"},
        "game": answers["game"] | {"rulebook": book.ID, "chip_unit": dollars(chip), "posts_above": []},
        "limits": answers["limits"],
        "progressive": {key: dollars(cents) for key, cents in answers["progressive"].items()},
        "posts": dict(CHOSEN_POSTS),
        "log": {"file": f"{stem}.db", "checkpoints": f"{stem}.checkpoints", "signer": signer},
        "display": answers["display"] | {"size": "64x32"} | picture,
        "page": {"address": "127.0.0.1", **answers["page"], "off": False},
    }
    return {section: values for section, values in sections.items() if values}


def ask_limits(asker: Asker, usual: dict[str, tuple[int, int]], given: tuple[tuple[str, str, str], ...]) -> None:
    for wager, least, most in given:
        if wager not in usual:
            words = f"the game has no limits for {wager!r}; there are {', '.join(usual)}"
            raise click.BadParameter(words, param_hint="--limit")
        asker.given["limits", wager] = f"{least} to {most}"
    for wager, pair in usual.items():
        asker.ask("limits", wager, " to ".join(map(dollars, pair)))


def limits_typed(words: Any) -> list[str]:
    """$25 to $1,000, $25 - $1,000 or $25 $1,000, as the file has it."""
    return list(map(dollars, limits(re.split(r"\s+to\s+|\s*-\s*|\s+", str(words).strip()))))


def ask_staff(book: ModuleType) -> tuple[StaffMember, ...]:
    staff: list[StaffMember] = []
    posts = book.PROCEDURE.roles

    def new_name(words: str) -> str:
        if words and folded(words) in [folded(member.name) for member in staff]:
            raise Mistake("same_name", name=words)
        return name(words) if words else ""

    while True:
        who = click.prompt(
            "Name of one of the staff (nothing to end)",
            default="",
            show_default=False,
            value_proc=telling(new_name),
        )
        if not who:
            return tuple(staff)
        post = click.prompt(f"Post: {one_of(posts)}", default=posts[-1], value_proc=telling(choice(posts)))
        staff.append(StaffMember(who, post, hash_pin(ask_pin())))
