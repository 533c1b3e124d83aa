"""What no field of a table's file shows by itself: whether board, game, limits, staff and files go together."""

import ipaddress
import os
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any

from host.config.fields import PIN_ADVICE, PIN_IN_CLEAR, Mistake, limits, one_of, shown
from host.config.problems import Findings, header, nearest, plain
from host.display.config import read_display
from host.keys import KeyFileError, read_signer, read_table_key
from host.pico.boards import find_board, problems
from host.rules.catalogue import find_book, is_progressive, progressive_place
from host.staff.pins import LEAST_WORK, SCHEME, BadHash, is_weak, read_hash
from host.staff.throttle import folded
from host.words.money import dollars, odds_text
from shared.round.table import ANGEL_EYE, MAX_POSTS


def check_board(table: dict[str, Any], findings: Findings) -> ModuleType | None:
    """The board, if there is one of this name that can be a table's."""
    if "board" not in table:
        return None
    path = ("table", "board")
    try:
        board = find_board(table["board"])
    except ValueError as problem:
        findings.error(path, str(problem))
        return None
    wrong = problems(board)
    for problem in wrong:
        findings.error(path, f"the board {board.NAME if hasattr(board, 'NAME') else table['board']}: {problem}")
    if not wrong and board.ROLE != "table":
        findings.error(path, f"{board.NAME} is no table's board; it plays what a table is wired to")
        return None
    return None if wrong else board


def check_book(game: dict[str, Any], findings: Findings) -> ModuleType | None:
    if "rulebook" not in game:
        return None
    try:
        return find_book(game["rulebook"])
    except ValueError as problem:
        findings.error(("game", "rulebook"), str(problem))
        return None


def check_game(
    game: dict[str, Any], book: ModuleType | None, board: ModuleType | None, findings: Findings
) -> None:
    if book:
        check_dealing(game, book, findings)
        check_posts_above(game, book, findings)
        check_chip(game, book, findings)
    boxes = game.get("boxes")
    if book and boxes and boxes > book.MAX_BOXES:
        findings.error(("game", "boxes"), f"{boxes} is more than {book.ID} allows ({book.MAX_BOXES})")
    if board and boxes and boxes > board.BOXES:
        findings.error(("game", "boxes"), f"{boxes} is more than the board {board.NAME} has ({board.BOXES})")
    if board and game.get("device") == "shuffler" and board.SHUFFLER is None:
        findings.error(("game", "device"), f"the board {board.NAME} has no shuffler")
    if board and board.READER is None:
        findings.error(("table", "board"), f"the board {board.NAME} has no card reader, so no card could be seen")
    if board and book:
        for problem in problems(board, book):
            findings.error(("table", "board"), f"the board {board.NAME}: {problem}")


def check_dealing(game: dict[str, Any], book: ModuleType, findings: Findings) -> None:
    devices = tuple(sorted(deal.device for deal in book.DEALS))
    device = game.get("device")
    if device and device not in devices:
        findings.error(("game", "device"), f"{shown(device)} is not one of {one_of(devices)}")
    if device == "shuffler" and game.get("reader") == ANGEL_EYE:
        findings.warn(("game", "reader"), 'the Angel Eye is a shoe and reads what it deals: device = "shoe"?')


def check_posts_above(game: dict[str, Any], book: ModuleType, findings: Findings) -> None:
    posts = book.PROCEDURE.roles
    above = game.get("posts_above", ())
    for place, post in enumerate(above):
        if post in posts:
            findings.error(("game", "posts_above", place), f"{shown(post)} is a post of the rulebook already")
    if len(posts) + len(above) > MAX_POSTS:
        room = MAX_POSTS - len(posts)
        findings.error(("game", "posts_above"), f"{len(above)} posts are too many; there may be {room} above")


def check_chip(game: dict[str, Any], book: ModuleType, findings: Findings) -> None:
    """A chip whose winnings are not whole cents leads to rounding."""
    chip = game.get("chip_unit") if game.get("amounts") else None
    if not chip:
        return
    for wager in book.WAGERS:
        for line in wager.lines:
            if line.den > 0 and chip * line.num % line.den:
                wins = f"{dollars(chip)} on {wager.name} wins {odds_text(line.num, line.den)}"
                findings.warn(
                    ("game", "chip_unit"),
                    f"{wins}, which is no whole number of cents "
                    f"and is rounded down ({book.ROUNDING}); an even number of cents is better",
                )
                return


# Limits and progressive


def limited_wagers(book: ModuleType) -> list[str]:
    """The wagers that have limits: not one that equals another, nor one whose stake is fixed."""
    return [wager.name for wager in book.WAGERS if not wager.on_decision and not is_progressive(wager)]


def check_limits(
    given: dict[str, Any], game: dict[str, Any], book: ModuleType | None, findings: Findings
) -> dict[str, tuple[int, int]]:
    """The limits by wager in cents, those without mistakes."""
    wagers = limited_wagers(book) if book else list(given)
    read: dict[str, tuple[int, int]] = {}
    for wager, value in given.items():
        if book and wager not in wagers:
            findings.error(("limits", wager), no_limits_for(wager, book), at_key=True)
            continue
        try:
            read[wager] = limits(value)
        except Mistake as mistake:
            findings.error(("limits", wager, *mistake.within), str(mistake))
            continue
        for place, cents in enumerate(read[wager]):
            check_multiple(("limits", wager, place), cents, game, findings)
    for wager in wagers:
        if wager not in given and not any(nearest(key, wagers) == wager for key in given if key not in wagers):
            findings.warn(("limits", wager), f'has no limits; write {wager} = ["$...", "$..."] below [limits]')
    return read


def no_limits_for(name: str, book: ModuleType) -> str:
    wagers = limited_wagers(book)
    for wager in book.WAGERS:
        if wager.name == name and wager.on_decision:
            return f"equals {book.WAGERS[0].name} and has no limits of its own"
        if wager.name == name and is_progressive(wager):
            return "its stake is fixed; it stands in [progressive]"
    meant = next(iter(get_close_matches(name, wagers, 1)), None)
    if meant:
        return f"{book.ID} has no such wager; did you mean {meant}?"
    return f"{book.ID} has no such wager; there are {', '.join(wagers)}"


def check_multiple(path: tuple[str | int, ...], cents: int, game: dict[str, Any], findings: Findings) -> None:
    chip = game.get("chip_unit")
    if chip and cents % chip:
        findings.error(path, f"{dollars(cents)} is no multiple of the chip unit, {dollars(chip)}")


def check_progressive(
    is_given: bool, values: dict[str, Any], game: dict[str, Any], book: ModuleType, findings: Findings
) -> None:
    if progressive_place(book) is None:
        if is_given:
            findings.error(("progressive",), f"{book.ID} has no progressive wager; take the section out", True)
        return
    if not is_given:
        findings.error(("progressive",), f"the section is missing; {book.ID} needs its stake and meter")
        return
    stake = values.get("stake")
    if stake:
        check_multiple(("progressive", "stake"), stake, game, findings)
        if values.get("contribution", 0) > stake:
            findings.warn(("progressive", "contribution"), "more goes into the meter than is staked")


# Staff


def check_staff(staff: list[dict[str, Any]], posts: tuple[str, ...] | None, findings: Findings) -> None:
    names: dict[str, int] = {}
    pins: dict[str, int] = {}
    for place, member in enumerate(staff):
        path = ("staff", place)
        name, post, pin = (member.get(field) for field in ("name", "post", "pin"))
        if name and names.setdefault(folded(name), place) != place:
            findings.error((*path, "name"), f"{name} stands twice; each of the staff has a name of their own")
        if post and posts and post not in posts:
            meant = nearest(post, list(posts))
            hint = f"did you mean {meant}?" if meant else f"there are {', '.join(posts)}"
            findings.error((*path, "post"), f"there is no post {shown(post)}; {hint}")
        if pin:
            check_pin_line((*path, "pin"), pin, findings)
            if pins.setdefault(pin, place) != place:
                findings.error((*path, "pin"), "the same PIN as above; each has their own")


def check_pin_line(path: tuple[str | int, ...], pin: str, findings: Findings) -> None:
    if not pin.startswith(SCHEME):
        findings.error(path, PIN_IN_CLEAR)
        return
    try:
        kept = read_hash(pin)
    except BadHash as problem:
        findings.error(path, f"{problem}; {PIN_ADVICE}")
        return
    if is_weak(kept):
        n, r, p = LEAST_WORK
        findings.error(path, f"too easily guessed; n is at least {n}, r {r} and p {p}. {PIN_ADVICE}")


# Files and the page


def check_key(table: dict[str, Any], folder: Path, findings: Findings) -> None:
    if "key" not in table:
        return
    path = folder / table["key"]
    if is_missing(path):
        name = table.get("name", "NAME")
        findings.error(("table", "key"), f"there is no {path}; `felt keys table {name} {path}` makes it")
        return
    try:
        key = read_table_key(path)
    except KeyFileError as problem:
        findings.error(("table", "key"), str(problem))
        return
    if "name" in table and key.table != table["name"]:
        findings.error(("table", "key"), f"{path} is the key of table {plain(key.table)}, not of {table['name']}")


def is_missing(path: Path) -> bool:
    """Whether nothing is there; what is there and cannot be looked at says so when it is read."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def check_log(log: dict[str, Any], folder: Path, findings: Findings) -> None:
    if "signer" in log:
        path = folder / log["signer"]
        if is_missing(path):
            findings.error(("log", "signer"), f"there is no {path}; `felt keys signer {path}` makes it")
        else:
            try:
                read_signer(path)
            except KeyFileError as problem:
                findings.error(("log", "signer"), str(problem))
    for field in ("file", "checkpoints"):
        if field in log:
            check_writable(("log", field), folder / log[field], findings)


def check_writable(field: tuple[str, str], path: Path, findings: Findings) -> None:
    """SQLite makes files beside the log, so the folder must be writable as well."""
    parent = path.parent
    if os.path.isdir(path):
        findings.error(field, f"{path} is a folder; a file is meant")
    elif not os.path.isdir(parent):
        findings.error(field, f"there is no folder {parent}; make it first: mkdir -p {parent}")
    elif not os.access(parent, os.W_OK | os.X_OK):
        findings.error(field, f"the folder {parent} cannot be written by whoever runs this")
    elif os.path.exists(path) and not os.access(path, os.R_OK | os.W_OK):
        findings.error(field, f"{path} cannot be written by whoever runs this")


def check_distinct(sections: dict[str, Any], own: Path, findings: Findings) -> None:
    """Two fields that name one file would write over each other."""
    folder = own.parent
    used = {os.path.realpath(own): "this file itself"}
    fields = (("table", "key"), ("log", "file"), ("log", "checkpoints"), ("log", "signer"), ("display", "file"))
    for section, field in fields:
        value = sections[section].get(field)
        if value is None:
            continue
        path = os.path.realpath(folder / value)
        if path in used:
            findings.error((section, field), f"{value} is {used[path]}; each needs a file of its own")
        used.setdefault(path, f"the {field} of {header((section,))} too")


def check_display(display: dict[str, Any], folder: Path, findings: Findings) -> None:
    if findings.has_error_in("display"):
        return
    if display.get("kind") == "png" and display.get("file"):
        check_writable(("display", "file"), folder / display["file"], findings)
    for field, sentence in read_display(display_fields(display, folder))[1]:
        if not findings.has_error_in("display"):
            findings.error(("display", field), sentence)


def display_fields(display: dict[str, Any], folder: Path) -> dict[str, Any]:
    """What is said of the display, its file as a whole path."""
    said = {name: value for name, value in display.items() if value is not None}
    return said | ({"file": os.path.abspath(folder / said["file"])} if "file" in said else {})


def check_page(page: dict[str, Any], findings: Findings) -> None:
    address = page.get("address")
    if address and not page.get("off") and not is_loopback(address):
        findings.warn(
            ("page", "address"),
            f"{address} lets other computers open the page, and PINs go to it unencrypted; keep 127.0.0.1, or "
            "put a proxy with TLS before it",
        )


def is_loopback(address: str) -> bool:
    return address == "localhost" or ipaddress.ip_address(address).is_loopback


def check_privacy(path: Path, has_staff: bool, findings: Findings) -> None:
    """Whoever reads a PIN's hash can guess on his own machine; whoever writes the file gives himself a post."""
    if os.name == "nt":
        return
    mode = path.stat().st_mode
    advice = f"make it private: chmod 600 {path}"
    if mode & 0o002:
        findings.error((), f"anyone can change this file, and so the limits and the staff; {advice}")
    elif has_staff and mode & 0o077:
        findings.warn((), f"others can read the hashed PINs in this file; {advice}")
