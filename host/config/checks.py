"""What no field of a table's file shows by itself: whether board, game, limits, staff and files fit together."""

import ipaddress
import os
from pathlib import Path
from types import ModuleType
from typing import Any

from host.config.fields import Mistake, limits
from host.config.problems import Findings, nearest
from host.display.config import HUB75_ROWS, DisplayConfig
from host.keys import key_problem
from host.pico.boards import BoardError, find_board, problems
from host.rules.catalogue import NoSuchBook, find_book, is_progressive, progressive_place
from host.staff.pins import LEAST_WORK, SCHEME, BadHash, is_weak, read_hash
from host.staff.throttle import folded
from host.words.money import odds_text
from shared.round.table import _ANGEL_EYE, MAX_POSTS


def check_play(
    sections: dict[str, Any], has_progressive: bool, findings: Findings
) -> tuple[ModuleType | None, dict[str, tuple[int, int]]]:
    """The rulebook, and the limits by wager in cents; what is wrong with board, game, limits and progressive."""
    game = sections["game"]
    book = check_book(game, findings)
    check_game(game, book, check_board(sections["table"], findings), findings)
    limits = check_limits(sections["limits"], game, book, findings)
    if book:
        check_progressive(has_progressive, sections["progressive"], game, book, findings)
    return book, limits


def check_board(table: dict[str, Any], findings: Findings) -> ModuleType | None:
    """The board, if there is one of this name that can be a table's."""
    if "board" not in table:
        return None
    path = ("table", "board")
    try:
        board = find_board(table["board"])
    except BoardError as problem:
        findings.error(path, "no_board", failure=problem.args)
        return None
    wrong = problems(board)
    for problem in wrong:
        findings.error(path, "board_faulty", board=table["board"], failure=problem.args)
    if not wrong and board.ROLE != "table":
        findings.error(path, "not_a_table_board", board=board.NAME)
        return None
    return None if wrong else board


def check_book(game: dict[str, Any], findings: Findings) -> ModuleType | None:
    if "rulebook" not in game:
        return None
    try:
        return find_book(game["rulebook"])
    except NoSuchBook as problem:
        findings.error(("game", "rulebook"), "no_rulebook", failure=problem.args)
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
        findings.error(("game", "boxes"), "boxes_of_book", boxes=boxes, book=book.ID, most=book.MAX_BOXES)
    if board and boxes and boxes > board.BOXES:
        findings.error(("game", "boxes"), "boxes_of_board", boxes=boxes, board=board.NAME, most=board.BOXES)
    if board and game.get("device") == "shuffler" and board.SHUFFLER is None:
        findings.error(("game", "device"), "no_shuffler", board=board.NAME)
    if board and board.READER is None:
        findings.error(("table", "board"), "no_reader", board=board.NAME)
    if board and book:
        for problem in problems(board, book):
            findings.error(("table", "board"), "board_faulty", board=board.NAME, failure=problem.args)


def check_dealing(game: dict[str, Any], book: ModuleType, findings: Findings) -> None:
    devices = tuple(sorted(deal.device for deal in book.DEALS))
    device = game.get("device")
    if device and device not in devices:
        findings.error(("game", "device"), "not_a_choice", value=device, choices=devices)
    if device == "shuffler" and game.get("reader") == _ANGEL_EYE:
        findings.warn(("game", "reader"), "angel_eye_shuffler")


def check_posts_above(game: dict[str, Any], book: ModuleType, findings: Findings) -> None:
    posts = book.PROCEDURE.roles
    above = game.get("posts_above", ())
    for place, post in enumerate(above):
        if post in posts:
            findings.error(("game", "posts_above", place), "post_of_book", value=post)
    if len(posts) + len(above) > MAX_POSTS:
        most = MAX_POSTS - len(posts)
        findings.error(("game", "posts_above"), "too_many_posts", count=len(above), most=most)


def check_chip(game: dict[str, Any], book: ModuleType, findings: Findings) -> None:
    """A chip that wins a fraction of a cent leads to rounding."""
    chip = game.get("chip_unit") if game.get("amounts") else None
    if not chip:
        return
    for wager in book.WAGERS:
        for line in wager.lines:
            if line.den > 0 and chip * line.num % line.den:
                odds = odds_text(line.num, line.den)
                found = {"chip": chip, "wager": wager.name, "odds": odds, "reading": book.ROUNDING}
                findings.warn(("game", "chip_unit"), "half_cents", **found)
                return


# Limits and progressive


def limited_wagers(book: ModuleType) -> list[str]:
    """The wagers that have limits: not one that equals another, nor one whose stake is fixed."""
    return [wager.name for wager in book.WAGERS if not wager.on_decision and not is_progressive(wager)]


def check_limits(
    given: dict[str, Any], game: dict[str, Any], book: ModuleType | None, findings: Findings
) -> dict[str, tuple[int, int]]:
    """The limits by wager in cents, those without a mistake."""
    wagers = limited_wagers(book) if book else list(given)
    read: dict[str, tuple[int, int]] = {}
    for wager, value in given.items():
        if book and wager not in wagers:
            refuse_limits(wager, book, findings)
            continue
        try:
            read[wager] = limits(value)
        except Mistake as mistake:
            findings.error(("limits", wager, *mistake.within), mistake.code, **mistake.details)
            continue
        for place, cents in enumerate(read[wager]):
            check_multiple(("limits", wager, place), cents, game, findings)
    for wager in wagers:
        if wager not in given and not any(nearest(key, wagers) == wager for key in given if key not in wagers):
            findings.warn(("limits", wager), "no_limits", wager=wager)
    return read


def refuse_limits(name: str, book: ModuleType, findings: Findings) -> None:
    path, wagers = ("limits", name), limited_wagers(book)
    wager = next((one for one in book.WAGERS if one.name == name), None)
    if wager:
        code = "equal_wager" if wager.on_decision else "fixed_wager"
        findings.error(path, code, True, main=book.WAGERS[0].name)
    elif meant := nearest(name, wagers):
        findings.error(path, "misspelt_wager", True, book=book.ID, meant=meant)
    else:
        findings.error(path, "unknown_wager", True, book=book.ID, known=wagers)


def check_multiple(path: tuple[str | int, ...], cents: int, game: dict[str, Any], findings: Findings) -> None:
    chip = game.get("chip_unit")
    if chip and cents % chip:
        findings.error(path, "not_a_multiple", cents=cents, chip=chip)


def check_progressive(
    is_given: bool, values: dict[str, Any], game: dict[str, Any], book: ModuleType, findings: Findings
) -> None:
    if progressive_place(book) is None:
        if is_given:
            findings.error(("progressive",), "no_progressive", True, book=book.ID)
        return
    if not is_given:
        findings.error(("progressive",), "needs_progressive", book=book.ID)
        return
    stake = values.get("stake")
    if stake:
        check_multiple(("progressive", "stake"), stake, game, findings)
        if values.get("contribution", 0) > stake:
            findings.warn(("progressive", "contribution"), "contribution_above_stake")


# Staff


def check_staff(staff: list[dict[str, Any]], posts: tuple[str, ...] | None, findings: Findings) -> None:
    names: dict[str, int] = {}
    pins: dict[str, int] = {}
    for place, member in enumerate(staff):
        path = ("staff", place)
        name, post, pin = (member.get(field) for field in ("name", "post", "pin"))
        if name and names.setdefault(folded(name), place) != place:
            findings.error((*path, "name"), "same_name", name=name)
        if post:
            check_post((*path, "post"), post, posts, findings)
        if pin:
            check_pin_line((*path, "pin"), pin, findings)
            if pins.setdefault(pin, place) != place:
                findings.error((*path, "pin"), "same_pin")


def check_post(path: tuple[str | int, ...], post: str, posts: tuple[str, ...] | None, findings: Findings) -> None:
    """`posts` are those of the rulebook and above it; None if the rulebook is not known."""
    if posts and post not in posts:
        meant = nearest(post, list(posts))
        findings.error(path, "misspelt_post" if meant else "unknown_post", value=post, meant=meant, known=posts)


def check_chosen_posts(given: dict[str, str], posts: tuple[str, ...] | None, findings: Findings) -> None:
    for name, post in given.items():
        check_post(("posts", name), post, posts, findings)


def check_pin_line(path: tuple[str | int, ...], pin: str, findings: Findings) -> None:
    if not pin.startswith(SCHEME):
        findings.error(path, "pin_in_clear")
        return
    try:
        kept = read_hash(pin)
    except BadHash as problem:
        findings.error(path, str(problem))
        return
    if is_weak(kept):
        findings.error(path, "pin_weak", **LEAST_WORK._asdict())


# Files and the page


def check_keys(sections: dict[str, Any], folder: Path, findings: Findings) -> None:
    name = sections["table"].get("name")
    for kind, section, field in (("table", "table", "key"), ("signer", "log", "signer")):
        if field in sections[section]:
            problem = key_problem(kind, folder / sections[section][field], name)
            if problem:
                findings.error((section, field), problem.code, **problem.fields)


def check_writable(field: tuple[str, str], path: Path, findings: Findings) -> None:
    """SQLite makes files beside the log, so the folder must be writable, too."""
    parent = path.parent
    if os.path.isdir(path):
        findings.error(field, "is_folder", path=path)
    elif not os.path.isdir(parent):
        findings.error(field, "no_folder", folder=parent)
    elif not os.access(parent, os.W_OK | os.X_OK):
        findings.error(field, "folder_not_writable", folder=parent)
    elif os.path.exists(path) and not os.access(path, os.R_OK | os.W_OK):
        findings.error(field, "file_not_writable", path=path)


def check_files(sections: dict[str, Any], own: Path, findings: Findings) -> None:
    """Each file can be written, and none is named twice."""
    used: dict[str, tuple[str, str]] = {}
    fields = (("table", "key"), ("log", "file"), ("log", "checkpoints"), ("log", "signer"), ("display", "file"))
    for section, field in fields:
        value = sections[section].get(field)
        if not value:
            continue
        if field in ("file", "checkpoints") and section == "log":
            check_writable((section, field), own.parent / value, findings)
        path = os.path.realpath(own.parent / value)
        if path == os.path.realpath(own):
            findings.error((section, field), "file_itself", value=value)
        elif path in used:
            section_before, before = used[path]
            findings.error((section, field), "same_file", value=value, field=before, section=section_before)
        used.setdefault(path, (section, field))


def check_display(display: dict[str, Any], folder: Path, findings: Findings) -> DisplayConfig | None:
    """The display, if its settings are right and fit together."""
    if findings.has_error_in("display"):
        return None
    config = DisplayConfig(**(display | {"file": display["file"] and os.path.abspath(folder / display["file"])}))
    if config.kind == "png" and not config.file:
        findings.error(("display", "file"), "png_without_file")
    elif config.kind == "png":
        check_writable(("display", "file"), folder / display["file"], findings)
    width, height = config.mounted()
    panel_width, panel_height = config.panel_pixels()
    rows, rest = divmod(height, config.parallel)
    if config.kind == "ws2812" and (width % panel_width or height % panel_height):
        misfit, more = "panel", {"panel": config.panel}
    elif config.kind == "hub75" and width % config.chain:
        misfit, more = "chain", {"count": config.chain}
    elif config.kind == "hub75" and (rest or rows not in HUB75_ROWS):
        misfit, more = "parallel", {"count": config.parallel, "rows": HUB75_ROWS}
    else:
        return None if findings.has_error_in("display") else config
    findings.error(("display", misfit), f"{misfit}_does_not_fit", width=width, height=height, **more)
    return None


def check_page(page: dict[str, Any], findings: Findings) -> None:
    address = page.get("address")
    if address and not page.get("off") and not is_loopback(address):
        findings.warn(("page", "address"), "page_exposed", address=address)


def is_loopback(address: str) -> bool:
    return address == "localhost" or ipaddress.ip_address(address).is_loopback


def check_privacy(path: Path, has_staff: bool, findings: Findings) -> None:
    """Anyone who reads a PIN's hash can guess the PIN at leisure; anyone who writes the file can add a post."""
    if os.name == "nt":
        return
    mode = path.stat().st_mode
    if mode & 0o002:
        findings.error((), "anyone_writes", path=path)
    elif has_staff and mode & 0o077:
        findings.warn((), "others_read", path=path)
