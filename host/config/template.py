"""Writes a table's file: the fields with their values, and a comment for each that explains it."""

from types import ModuleType
from typing import Any

from host.config.checks import limited_wagers
from host.config.fields import SECTIONS
from host.staff.pins import StaffMember
from host.words.refusals import sentence
from host.words.sentences import header, shown

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
    return f"# {words}"


def table_text(
    sections: dict[str, dict[str, Any]], staff: tuple[StaffMember, ...], book: ModuleType, file_name: str
) -> str:
    """The whole file."""
    notes = {f"{section}.{one.name}": one.what for section, fields in SECTIONS.items() for one in fields}
    notes["limits"] = "for each wager its minimum and maximum, multiples of the chip unit"
    lines = [
        comment(f"Table {sections['table']['name']}, {book.TITLE}. `felt check {file_name}` finds mistakes."),
        comment('Paths are relative to this file. Money is in dollars: "$25", "$1,250" or "$2.50".'),
        "",
    ]
    for section, values in sections.items():
        written = [(section, header(section))]
        written += [(f"{section}.{field}", f"{field} = {toml(value)}") for field, value in values.items()]
        for place, line in written:
            lines += [comment(sentence(notes[place])), line] if notes.get(place) else [line]
        lines.append("")
    lines += [
        comment(f"A section for each member of the staff; `felt staff add {file_name}` adds one."),
        comment(f"Posts, lowest first: {', '.join(book.PROCEDURE.roles)}."),
    ]
    return "\n".join(lines) + "\n" + "".join(staff_text(member) for member in staff)


def staff_text(member: StaffMember) -> str:
    """A section for a member of the staff, with an empty line before it."""
    fields = (("name", member.name), ("post", member.post), ("pin", member.pin))
    return "\n[[staff]]\n" + "".join(f"{field} = {quoted(value)}\n" for field, value in fields)
