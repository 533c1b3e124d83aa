"""The fields of a table's file, each declared once: its section, what it may be, and its default."""

import ipaddress
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from host.display.config import BLOCK_ORIENTATIONS, KINDS, SIZE, DisplayConfig
from host.display.picture import SIZES
from host.display.wiring import CORNERS, ROW_ORDERS, TURNS, WIRINGS
from host.words.config import sentence
from host.words.money import BadAmount, read_money
from host.words.sentences import one_of
from shared.round.events import MAX_NAME
from shared.round.table import CHOSEN_POSTS, READERS
from shared.rules.rulebook import _MAX_ID
from shared.values import is_text

URL_KINDS = ("alt", "cp2110", "hwgrep", "loop", "rfc2217", "socket", "spy")  # those that pySerial opens
AUTO = "auto"
LONGEST_PATH = 200  # bytes


class Mistake(ValueError):
    """Why a value will not do, as a code with fields; `within` leads to the part of it that is meant."""

    def __init__(self, code: str, *within: int, **details: Any) -> None:
        super().__init__(code)
        self.code = code
        self.within = within
        self.details = details

    def __str__(self) -> str:
        return sentence(self.code, self.details)


class Required:
    """In place of a default: the field must be there."""


REQUIRED = Required()
Read = Callable[[Any], Any]  # the value as TOML has it to the value that is meant; Mistake if it will not do


@dataclass(frozen=True)
class Field:
    name: str
    read: Read
    what: str  # in words: for the comment above it, the question about it, and the person who left it out
    default: Any = REQUIRED


def typed(words: str) -> Any:
    """What a person typed, as TOML has it: a number, a flag or a list, or else the text that it is."""
    try:
        return tomllib.loads(f"value = {words}")["value"]
    except (ValueError, RecursionError):
        return words


# What a value may be


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise Mistake("not_text", value=value)
    if not value.strip():
        raise Mistake("empty")
    return value


def pin(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise Mistake("pin_in_clear")  # without the value, which other mistakes show
    return value


def name(value: Any) -> str:
    if not is_text(text(value), MAX_NAME) or value != " ".join(value.split()):
        raise Mistake("not_a_name", most=MAX_NAME)
    return value


def table_name(value: Any) -> str:
    if " " in name(value):
        raise Mistake("name_with_spaces")
    return value


def game_word(value: Any) -> str:
    if len(text(value)) > _MAX_ID:
        raise Mistake("not_a_rulebook")
    return value


def file_path(value: Any) -> str:
    if len(text(value).encode()) > LONGEST_PATH or not value.isprintable():
        raise Mistake("not_a_path", most=LONGEST_PATH)
    return value


def port(value: Any) -> str:
    scheme, colon, _ = text(value).partition("://")
    if colon and scheme not in URL_KINDS:
        raise Mistake("unknown_port_kind", value=scheme, known=URL_KINDS)
    if not value.isprintable() or value != value.strip():
        raise Mistake("not_a_port")
    return value


def flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Mistake("not_a_flag", value=value)
    return value


def whole(least: int, most: int) -> Read:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise Mistake("not_a_number", value=value, least=least, most=most)
        if not least <= value <= most:
            raise Mistake("out_of_range", value=value, least=least, most=most)
        return value

    return read


def choice(options: tuple[Any, ...]) -> Read:
    def read(value: Any) -> Any:
        # 1 is True to Python and not to people.
        if not any(type(value) is type(option) and value == option for option in options):
            raise Mistake("not_a_choice", value=value, choices=options)
        return value

    return read


def money(least: int) -> Read:
    def read(value: Any) -> int:
        try:
            return read_money(value, least)
        except BadAmount as problem:
            raise Mistake(problem.code, **problem.fields) from None

    return read


def each(values: list[Any], read: Read) -> list[Any]:
    """The values of a list; a mistake leads to the one that it is about."""
    done = []
    for place, one in enumerate(values):
        try:
            done.append(read(one))
        except Mistake as mistake:
            raise Mistake(mistake.code, place, **mistake.details) from None
    return done


def limits(value: Any) -> tuple[int, int]:
    if not isinstance(value, list) or len(value) != 2:
        raise Mistake("not_limits", value=value)
    least, most = each(value, money(1))
    if least > most:
        raise Mistake("limits_crossed", least=least, most=most)
    return least, most


def names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise Mistake("not_a_list", value=value)
    read = each(value, name)
    for place, one in enumerate(read):
        if one in read[:place]:
            raise Mistake("repeated", place, value=one)
    return tuple(read)


def address(value: Any) -> str:
    if text(value) == "localhost":
        return value
    try:
        return str(ipaddress.ip_address(value))
    except ValueError:
        raise Mistake("not_an_address", value=value) from None


def size(value: Any) -> str:
    if not re.fullmatch(SIZE, text(value)):
        raise Mistake("not_a_size", value=value)
    return value


DISPLAY: dict[str, Read] = {
    "kind": choice(KINDS),
    "size": choice(tuple(f"{width}x{height}" for width, height in SIZES)),
    "file": file_path,
    "scale": whole(1, 32),
    "rotate": choice(tuple(TURNS)),
    "brightness": whole(1, 100),
    "block_orientation": choice(BLOCK_ORIENTATIONS),
    "reverse": flag,
    "rows": choice(ROW_ORDERS),
    "spi_port": whole(0, 9),
    "spi_device": whole(0, 9),
    "panel": size,
    "wiring": choice(WIRINGS),
    "corner": choice(CORNERS),
    "chain": whole(1, 16),
    "parallel": whole(1, 3),
    "hardware": text,
    "slowdown": whole(0, 5),
}
DISPLAY_WHAT = {"kind": f"what shows the results: {one_of(KINDS)}; LEDs have rotate, brightness and more"}

POSTS_WHAT = {
    "cards": "the lowest post that may enter a card by hand or say where one lies",
    "chips": "the lowest post that may count chips after betting is closed",
    "faults": "the lowest post that may clear a fault; a jam or an open door any dealer may clear",
    "log": "the lowest post that may begin a log where the table's journal begins (`felt log adopt`)",
}

# [limits] has a field for each wager of the game, and there may be several [[staff]].

SECTIONS: dict[str, tuple[Field, ...]] = {
    "table": (
        Field("name", table_name, "the table's name, as its key has it"),
        Field("board", text, "the board that its Pico is wired as; `felt boards` lists them"),
        Field("port", port, 'the Pico\'s port, such as /dev/ttyACM0; "auto" is the only one plugged in', AUTO),
        Field("key", file_path, "the file of the table's key; keep a copy: nobody can check the log without it"),
    ),
    "game": (
        Field("rulebook", game_word, "the game; `felt rulebooks` lists them"),
        Field("boxes", whole(1, 999), "how many boxes are played, clockwise from the dealer's left"),
        Field("chip_unit", money(1), 'the smallest chip, such as "$5"; best an even number of cents'),
        Field("device", text, 'what the cards come from: "shuffler" or "shoe"', "shuffler"),
        Field(
            "reader",
            choice(tuple(READERS)),
            'what reads the cards: "felt", "fixed_frames" or "angel_eye", which is a shoe',
            "felt",
        ),
        Field("amounts", flag, "whether stakes are known; false if sensors see chips but not how many", True),
        Field("posts_above", names, "posts above those of the rulebook, lowest first", ()),
    ),
    "limits": (),
    "posts": tuple(Field(one, text, what, CHOSEN_POSTS[one]) for one, what in POSTS_WHAT.items()),
    "progressive": (
        Field("stake", money(1), 'the fixed stake of the progressive wager, such as "$5"'),
        Field("contribution", money(0), "what of each stake goes into the meter", 0),
        Field("meter", money(0), "what the meter starts with"),
        Field("reset", money(0), "what the meter starts again with after an award", 0),
    ),
    "log": (
        Field("file", file_path, "the file of the log, with every record of the table"),
        Field("checkpoints", file_path, "the file of the signed checkpoints; keep a copy elsewhere"),
        Field("signer", file_path, "the file of the key that signs them; reviewers need the .pub file beside it"),
    ),
    "display": tuple(
        Field(one.name, DISPLAY[one.name], DISPLAY_WHAT.get(one.name, ""), one.default)
        for one in fields(DisplayConfig)
    ),
    "page": (
        Field("address", address, 'where it is served; "127.0.0.1" is for this computer alone', "127.0.0.1"),
        Field("port", whole(1, 65_535), "the page's port", 8080),
        Field("off", flag, "whether there is no page", False),
    ),
    "staff": (
        Field("name", name, "the name to log in with"),
        Field("post", text, "the post, as the rulebook names it"),
        Field("pin", pin, "the hashed PIN; `felt staff pin` makes one"),
    ),
}
NEEDED = ("table", "game", "log")
