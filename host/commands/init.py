"""`felt init`: writes a table's file by asking, and makes the keys that the table needs."""

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import click

from host.commands.arguments import FILE, click_errors
from host.commands.staff import ask_pin
from host.config.checks import progressive_wager
from host.config.fields import Mistake, Read, choice, limits, money, name, port, table_name, whole
from host.config.table_file import examine
from host.config.template import DEFAULT_CHIP, DEFAULT_PROGRESSIVE, multiples, table_text, usual_limits
from host.display.config import KINDS
from host.keys import KeyFileError, make_signer, make_table_key, read_signer, read_table_key, write_private
from host.pico.boards import board_names, find_board, problems
from host.rules.catalogue import all_books, find_book
from host.staff.pins import StaffMember, hash_pin
from host.staff.throttle import folded
from host.words.config import problem_text
from host.words.money import dollars
from host.words.sentences import one_of
from shared.round.table import READERS

SIGNER = "host.key"
OTHER_SIGNER = "signer.key"  # where the table itself is called host
LONGEST_NAME = 200  # bytes


class Asker(NamedTuple):
    """Asks on the terminal, or takes what was given or usual; every answer is checked at once."""

    is_silent: bool

    def ask(self, question: str, usual: str | None, read: Read, given: str | None, option: str) -> Any:
        if given is not None:
            try:
                return read(given)
            except Mistake as mistake:
                raise click.BadParameter(str(mistake), param_hint=option) from None
        if not self.is_silent:
            return click.prompt(question, default=usual, value_proc=telling(read))
        if usual is None:
            raise click.UsageError(f"say {option} too; there is no usual answer to it")
        try:
            return read(usual)
        except Mistake as mistake:
            raise click.UsageError(f"say {option} too: {mistake}") from None


def telling(read: Read) -> Callable[[str], Any]:
    """A reader whose mistakes click tells before it asks again."""

    def read_or_tell(answer: str) -> Any:
        try:
            return read(answer)
        except Mistake as mistake:
            raise click.UsageError(str(mistake)) from None

    return read_or_tell


@click.command("init")
@click.argument("file", type=FILE, required=False)
@click.option("--name", "given_name", metavar="NAME", help="The table's name.")
@click.option("--game", help="The rulebook, or a part of its id or title that fits no other.")
@click.option("--board", help="The board that its Pico is wired as.")
@click.option("--port", "given_port", metavar="PORT", help="The Pico's port.")
@click.option("--boxes", help="How many boxes are played.")
@click.option("--chip-unit", help='The smallest chip, such as "$5".')
@click.option("--device", help="What the cards come from: shuffler or shoe.")
@click.option("--reader", help="What reads the cards: felt or angel_eye.")
@click.option("--amounts", help="Whether stakes are known: true or false.")
@click.option("--limit", "given_limits", nargs=3, multiple=True, metavar="WAGER MIN MAX", help="Of a wager.")
@click.option("--stake", help="Of a progressive wager.")
@click.option("--meter", help="What a progressive meter starts with.")
@click.option("--display", help="What shows the results.")
@click.option("--page-port", help="The port of the page.")
@click.option("--yes", is_flag=True, help="Ask nothing; take the usual answers where none is given.")
def init_command(file: Path | None, given_name: str | None, yes: bool, **given: Any) -> None:
    """Write a table's file by asking, and make its keys.

    Without FILE, the file is named after the table. Nothing is overwritten: keys that exist are used.
    """
    asker = Asker(yes)
    if file:
        refuse_file(file)
    table = asker.ask("Name of the table", "T1", table_name, given_name, "--name")
    if file is None:
        file = Path(re.sub(r"[^a-z0-9_-]", "-", table.lower()) + ".toml")
        refuse_file(file)
    key = file.with_suffix(".key")
    signer = file.parent / (SIGNER if key.name != SIGNER else OTHER_SIGNER)
    refuse_wrong_keys(table, key, signer)
    book = ask_book(asker, given["game"])
    sections = ask_sections(asker, book, table, file.stem, signer.name, given)
    staff = () if yes else ask_staff(book)
    make_keys(table, key, signer)
    try:
        write_private(file, table_text(sections, staff, book, file.name).encode())
    except KeyFileError as problem:
        raise click.ClickException(str(problem)) from None
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
    with click_errors(KeyFileError):
        if key.exists():
            owner = read_table_key(key).table
            if owner != table:
                raise click.ClickException(
                    f"{key} is the key of table {owner}, not of {table}; name FILE otherwise"
                )
        if signer.exists():
            read_signer(signer)


def make_keys(table: str, key: Path, signer: Path) -> None:
    with click_errors(KeyFileError):
        if not key.exists():
            make_table_key(key, table)
            click.echo(f"{key}: the key of table {table}; keep a copy in a safe place")
        if not signer.exists():
            public = make_signer(signer)
            click.echo(f"{signer}: signs checkpoints; {public} checks them")


# The questions


def ask_book(asker: Asker, given: str | None) -> ModuleType:
    if not asker.is_silent and given is None:
        click.echo(f"Games: {', '.join(book.ID for book in all_books())}")
    return asker.ask("Game", None, read_book, given, "--game")


def ask_sections(
    asker: Asker, book: ModuleType, table: str, stem: str, signer: str, given: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    """The sections of the table's file, as it will have them."""
    read_board = board_reader(book)
    boards = tuple(one for one in board_names() if will_do(read_board, one))
    board = asker.ask(f"Board: {options(boards)}", "small", read_board, given["board"], "--board")
    most = min(find_board(board).BOXES, book.MAX_BOXES)
    boxes = asker.ask("Boxes", str(most), number(1, most), given["boxes"], "--boxes")
    chip = asker.ask("Smallest chip", dollars(DEFAULT_CHIP), money(1), given["chip_unit"], "--chip-unit")
    devices = tuple(sorted(deal.device for deal in book.DEALS))
    device = asker.ask(
        f"Cards come from: {options(devices)}", "shuffler", choice(devices), given["device"], "--device"
    )
    reader = asker.ask(f"Read by: {options(READERS)}", "felt", choice(READERS), given["reader"], "--reader")
    amounts = asker.ask("Stakes are known: true or false", "true", yes_or_no, given["amounts"], "--amounts")
    pairs = ask_limits(asker, book, chip, given["given_limits"])
    progressive = ask_progressive(asker, chip, given) if progressive_wager(book) else {}
    where = asker.ask("Port of its Pico", "auto", port, given["given_port"], "--port")
    display = asker.ask(f"Display: {options(KINDS)}", "none", choice(KINDS), given["display"], "--display")
    page_port = asker.ask("Port of the page", "8080", number(1, 65_535), given["page_port"], "--page-port")
    return {
        "table": {"name": table, "board": board, "port": where, "key": f"{stem}.key"},
        "game": {
            "rulebook": book.ID,
            "boxes": boxes,
            "chip_unit": dollars(chip),
            "device": device,
            "reader": reader,
            "amounts": amounts,
            "posts_above": [],
        },
        "limits": {wager: tuple(map(dollars, pair)) for wager, pair in pairs.items()},
        **({"progressive": {name: dollars(cents) for name, cents in progressive.items()}} if progressive else {}),
        "log": {"file": f"{stem}.db", "checkpoints": f"{stem}.checkpoints", "signer": signer},
        "display": {"kind": display, "size": "64x32"} | ({"file": f"{stem}.png"} if display == "png" else {}),
        "page": {"address": "127.0.0.1", "port": page_port, "off": False},
    }


def options(words: tuple[str, ...]) -> str:
    """As a person types them, without quotes."""
    return one_of(words).replace('"', "")


def read_book(word: str) -> ModuleType:
    try:
        return find_book(word)
    except ValueError as problem:
        raise Mistake("no_rulebook", reason=str(problem)) from None


def board_reader(book: ModuleType) -> Read:
    def read(word: str) -> str:
        try:
            board = find_board(word)
        except ValueError as problem:
            raise Mistake("no_board", reason=str(problem)) from None
        wrong = problems(board, book)
        if wrong:
            raise Mistake("board_faulty", board=word, reason=wrong[0])
        if board.ROLE != "table":
            raise Mistake("not_a_table_board", board=word)
        return word

    return read


def will_do(read: Read, word: str) -> bool:
    try:
        read(word)
    except Mistake:
        return False
    return True


def number(least: int, most: int) -> Read:
    def read(word: str) -> int:
        return whole(least, most)(int(word) if word.isascii() and word.isdigit() and len(word) < 9 else word)

    return read


def yes_or_no(word: str) -> bool:
    if word.lower() not in ("true", "false"):
        raise Mistake("not_a_flag", value=word)
    return word.lower() == "true"


def ask_limits(
    asker: Asker, book: ModuleType, chip: int, given: tuple[tuple[str, str, str], ...]
) -> dict[str, tuple[int, int]]:
    usual = usual_limits(book, chip)
    said = {wager: f"{least} to {most}" for wager, least, most in given}
    for wager in said:
        if wager not in usual:
            raise click.BadParameter(
                f"{book.ID} has no limits for {wager!r}; there are {', '.join(usual)}", param_hint="--limit"
            )
    read = limits_reader(chip)
    pairs = {}
    for wager, (least, most) in usual.items():
        words = f"{dollars(least)} to {dollars(most)}"
        pairs[wager] = asker.ask(f"Limits of {wager}", words, read, said.get(wager), "--limit")
    return pairs


def limits_reader(chip: int) -> Read:
    def read(words: str) -> tuple[int, int]:
        pair = limits(re.split(r"\s+to\s+|\s*-\s*|\s+", words.strip()))
        for cents in pair:
            refuse_odd(cents, chip)
        return pair

    return read


def refuse_odd(cents: int, chip: int) -> None:
    if cents % chip:
        raise Mistake("not_a_multiple", cents=cents, chip=chip)


def ask_progressive(asker: Asker, chip: int, given: dict[str, Any]) -> dict[str, int]:
    def read_stake(words: str) -> int:
        cents = money(1)(words)
        refuse_odd(cents, chip)
        return cents

    usual = DEFAULT_PROGRESSIVE
    least = dollars(multiples((usual["stake"], usual["stake"]), chip)[0])
    stake = asker.ask("Stake of the progressive wager", least, read_stake, given["stake"], "--stake")
    meter = asker.ask("Its meter starts with", dollars(usual["meter"]), money(0), given["meter"], "--meter")
    share = dollars(min(usual["contribution"], stake))
    contribution = asker.ask("Of each stake goes into the meter", share, money(0), None, "")
    reset = asker.ask("After an award it starts with", dollars(usual["reset"]), money(0), None, "")
    return {"stake": stake, "contribution": contribution, "meter": meter, "reset": reset}


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
        post = click.prompt(f"Post: {options(posts)}", default=posts[-1], value_proc=telling(choice(posts)))
        staff.append(StaffMember(who, post, hash_pin(ask_pin())))
