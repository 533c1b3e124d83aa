"""Writes a table's file: the fields with their values, and a comment for each that explains it."""

from types import ModuleType
from typing import Any

from host.config.checks import limited_wagers
from host.display.config import KINDS
from host.staff.pins import StaffMember
from host.words.sentences import header, one_of, shown
from shared.round.table import READERS

MAIN_LIMITS = (2_500, 250_000)
SIDE_LIMITS = (500, 50_000)
DEFAULT_CHIP = 500
DEFAULT_PROGRESSIVE = {"stake": 500, "contribution": 100, "meter": 1_000_000, "reset": 50_000}


def usual_limits(book: ModuleType, chip: int) -> dict[str, tuple[int, int]]:
    """Limits to begin with, as multiples of the chip unit."""
    main = book.WAGERS[0].name
    return {
        wager: multiples(MAIN_LIMITS if wager == main else SIDE_LIMITS, chip) for wager in limited_wagers(book)
    }


def multiples(pair: tuple[int, int], chip: int) -> tuple[int, int]:
    least, most = (-(-cents // chip) * chip for cents in pair)
    return least, most


def quoted(text: str) -> str:
    """A text as TOML has it between quotes."""
    escaped = [f"\\{one}" if one in '"\\' else one for one in text]
    return '"' + "".join(one if one.isprintable() else f"\\U{ord(one):08x}" for one in escaped) + '"'


def toml(value: Any) -> str:
    """A value of a table's file as TOML has it."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    return quoted(value) if isinstance(value, str) else shown(value)


def comment(words: str) -> str:
    return "".join(f"# {line}\n" for line in words.split("\n"))[:-1]


def table_text(
    sections: dict[str, dict[str, Any]], staff: tuple[StaffMember, ...], book: ModuleType, file_name: str
) -> str:
    """The whole file."""
    notes = comments(book)
    lines = [
        comment(f"The table {sections['table']['name']}. `felt check {file_name}` finds every mistake."),
        comment('Paths are relative to this file. Money is in dollars: "$25", "$1,250" or "$2.50".'),
        "",
    ]
    for section, values in sections.items():
        written = [(section, header(section))]
        written += [(f"{section}.{field}", f"{field} = {toml(value)}") for field, value in values.items()]
        for place, line in written:
            lines += [comment(notes[place]), line] if place in notes else [line]
        lines.append("")
    lines += [
        comment(f"A section for each member of the staff; `felt staff add {file_name}` adds one."),
        comment(f"Posts, lowest first: {', '.join(book.PROCEDURE.roles)}."),
    ]
    return "\n".join(lines) + "\n" + "".join(staff_text(member) for member in staff)


def comments(book: ModuleType) -> dict[str, str]:
    """The comments above sections and fields."""
    return {
        "table.name": "As in the key; a key is made for one table alone.",
        "table.board": "How its Pico is wired: `felt boards` lists the boards.",
        "table.port": '"auto" is the one Pico that is plugged in. Or /dev/ttyACM0, COM5, socket://127.0.0.1:5000.',
        "table.key": "Keep a copy of the key in a safe place; without it nobody can check the log.",
        "game.rulebook": f"{book.TITLE}. `felt rulebooks` lists the games.",
        "game.boxes": "Numbered clockwise from the dealer's left.",
        "game.chip_unit": "The smallest chip; limits are multiples of it. Best an even number of cents (L-05).",
        "game.device": f"What the cards come from: {one_of(sorted(deal.device for deal in book.DEALS))}.",
        "game.reader": f"What reads them: {one_of(READERS)}, the Angel Eye II-EX shoe.",
        "game.amounts": "false if sensors see chips but not how many; results then carry odds and no money.",
        "game.posts_above": f"Posts above {', '.join(book.PROCEDURE.roles)}, lowest first (L-39).",
        "limits": "For each wager its minimum and maximum.",
        "progressive.stake": "The stake is fixed (T-03). Of each stake the contribution goes into the meter.",
        "progressive.meter": "What the meter starts with, and what it starts again with after an award.",
        "log.file": "Every record of the table, for good.",
        "log.checkpoints": "Where the log stood at which time, signed; keep a copy elsewhere.",
        "log.signer": "The key that signs them. People who review the log need the .pub file beside it.",
        "display.kind": f"{one_of(KINDS)}.\nLEDs have rotate, brightness, chain and more; a png has a file.",
        "page.address": "127.0.0.1 is for this computer alone. off = true leaves the page out.",
    }


def staff_text(member: StaffMember) -> str:
    """A section for a member of the staff, with an empty line before it."""
    fields = (("name", member.name), ("post", member.post), ("pin", member.pin))
    return "\n[[staff]]\n" + "".join(f"{field} = {quoted(value)}\n" for field, value in fields)
