"""The fields of a table's file, each declared once: its section, what it may be, and what it is if unsaid."""

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any

from host.display.config import KINDS as DISPLAYS
from host.display.config import DisplayConfig
from host.words.money import dollars
from shared.round.events import MAX_CENTS, MAX_NAME
from shared.round.table import READERS
from shared.rules.rulebook import MAX_ID
from shared.values import is_text

MONEY = re.compile(r"\$([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.([0-9]{2}))?")
URL_KINDS = ("alt", "cp2110", "hwgrep", "loop", "rfc2217", "socket", "spy")  # those that pySerial opens
AUTO = "auto"
LONGEST_PATH = 200  # bytes
MOST_SHOWN = 40  # letters of a wrong value
PIN_ADVICE = "`felt staff pin` asks for the PIN and prints the line to put here"
PIN_IN_CLEAR = f"a PIN is never written as it is; {PIN_ADVICE}. Choose another, for this one has been seen"


class Mistake(ValueError):
    """Why a value will not do; `within` leads to the part of it that is meant."""

    def __init__(self, sentence: str, *within: int) -> None:
        super().__init__(sentence)
        self.within = within


class Required:
    """In place of a default: the field must be there."""


REQUIRED = Required()
Read = Callable[[Any], Any]  # the value as TOML has it to the value that is meant; Mistake if it will not do


@dataclass(frozen=True)
class Field:
    name: str
    read: Read
    what: str  # in words, for whoever left it out
    default: Any = REQUIRED


def kind_of(value: Any) -> str:
    """What TOML takes a value for, in words."""
    kinds = (
        (bool, "true or false"),
        (int, "a whole number"),
        (Decimal, "a number with a point"),
        (str, "text"),
        (list, "a list"),
        (dict, "a table"),
    )
    return next((words for kind, words in kinds if isinstance(value, kind)), "a date or time")


def shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | Decimal | str):
        # Python refuses to write out numbers of thousands of digits.
        text = str(value) if not isinstance(value, int) or abs(value) < 10**18 else "the number"
        text = text if text.isprintable() else ascii(text)  # nothing that a terminal would obey
        return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "..."
    return kind_of(value)


def one_of(words: tuple[Any, ...]) -> str:
    said = [f'"{word}"' if isinstance(word, str) else str(word) for word in words]
    return f"{', '.join(said[:-1])} or {said[-1]}" if len(said) > 1 else said[0]


# What a value may be


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise Mistake(f'expected text in quotes, such as "{shown(value)}"; this is {kind_of(value)}')
    if not value.strip():
        raise Mistake("expected text; this is empty")
    return value


def pin(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise Mistake(PIN_IN_CLEAR)  # and not the value, as other mistakes say it
    return value


def name(value: Any) -> str:
    if not is_text(text(value), MAX_NAME) or value != " ".join(value.split()):
        raise Mistake(f"expected printable ASCII without spaces at its ends, at most {MAX_NAME} letters")
    return value


def table_name(value: Any) -> str:
    if " " in name(value):
        raise Mistake("expected a name without spaces, as the table's key has it")
    return value


def game_word(value: Any) -> str:
    if len(text(value)) > MAX_ID:
        raise Mistake("expected a rulebook's id or a part of it; `felt rulebooks` lists them")
    return value


def file_path(value: Any) -> str:
    if len(text(value).encode()) > LONGEST_PATH or not value.isprintable():
        raise Mistake(f"expected the name of a file, at most {LONGEST_PATH} bytes long")
    return value


def port(value: Any) -> str:
    scheme, colon, _ = text(value).partition("://")
    if colon and scheme not in URL_KINDS:
        raise Mistake(f"there are no ports {shown(scheme)}://; pySerial opens {', '.join(URL_KINDS)}")
    if not value.isprintable() or value != value.strip():
        raise Mistake('expected "auto", a port such as /dev/ttyACM0 or COM5, or socket://HOST:PORT')
    return value


def as_said(value: Any) -> Any:
    """Anything; whoever it is for looks at it."""
    return value


def flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Mistake(f"expected true or false without quotes; this is {kind_of(value)}")
    return value


def whole(least: int, most: int) -> Read:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise Mistake(f"expected a whole number from {least} to {most}; this is {kind_of(value)}")
        if not least <= value <= most:
            raise Mistake(f"{shown(value)} is not from {least} to {most}")
        return value

    return read


def choice(options: tuple[Any, ...]) -> Read:
    def read(value: Any) -> Any:
        # 1 is True to Python and not to people.
        if not any(type(value) is type(option) and value == option for option in options):
            raise Mistake(f"{shown(value)} is not one of {one_of(options)}")
        return value

    return read


def money(least: int) -> Read:
    """Cents, of money as people write it. A bare number is refused: it may mean dollars or cents."""

    def read(value: Any) -> int:
        if not isinstance(value, str):
            number = isinstance(value, int | Decimal) and not isinstance(value, bool)
            example = shown(value) if number else "25"
            raise Mistake(f'money is text with its sign, such as "${example}"; this is {kind_of(value)}')
        cents = cents_in(value)
        if cents is None:
            raise Mistake(f'{shown(value)} is no money; write it as "$25", "$1,250" or "$2.50"')
        if not least <= cents <= MAX_CENTS:
            raise Mistake(f"{shown(value)} is not from {dollars(least)} to {dollars(MAX_CENTS)}")
        return cents

    return read


def cents_in(words: str) -> int | None:
    """The cents of "$1,250" or "$2.50"; None if it is no such text."""
    found = MONEY.fullmatch(words.strip()) if len(words) <= MOST_SHOWN else None
    return int(found[1].replace(",", "")) * 100 + int(found[2] or 0) if found else None


def limits(value: Any) -> tuple[int, int]:
    if not isinstance(value, list) or len(value) != 2:
        raise Mistake(f'expected a minimum and a maximum, such as ["$25", "$1,000"]; this is {length_of(value)}')
    pair = []
    for place, one in enumerate(value):
        try:
            pair.append(money(1)(one))
        except Mistake as mistake:
            raise Mistake(str(mistake), place) from None
    if pair[0] > pair[1]:
        raise Mistake(f"the minimum of {dollars(pair[0])} is above the maximum of {dollars(pair[1])}")
    return pair[0], pair[1]


def length_of(value: Any) -> str:
    return f"a list of {len(value)}" if isinstance(value, list) else kind_of(value)


def names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise Mistake(f'expected a list of names, such as ["casino_manager"]; this is {kind_of(value)}')
    read = []
    for place, one in enumerate(value):
        try:
            read.append(name(one))
        except Mistake as mistake:
            raise Mistake(str(mistake), place) from None
        if one in read[:-1]:
            raise Mistake(f"{shown(one)} stands twice", place)
    return tuple(read)


def address(value: Any) -> str:
    if text(value) == "localhost":
        return value
    try:
        return str(ipaddress.ip_address(value))
    except ValueError:
        raise Mistake(f'{shown(value)} is no address; "127.0.0.1" is for this computer alone') from None


# The sections. [limits] has a field for each wager of the game, and [[staff]] may stand more than once.

SECTIONS: dict[str, tuple[Field, ...]] = {
    "table": (
        Field("name", table_name, "the table's name, as its key has it"),
        Field("board", text, "the board that its Pico is wired as; `felt boards` lists them"),
        Field("port", port, 'the Pico\'s port, or "auto"', AUTO),
        Field("key", file_path, "the file of the table's key"),
    ),
    "game": (
        Field("rulebook", game_word, "the game; `felt rulebooks` lists them"),
        Field("boxes", whole(1, 999), "how many boxes are played"),
        Field("chip_unit", money(1), 'the smallest chip, such as "$5"'),
        Field("device", text, "what the cards come from", "shuffler"),
        Field("reader", choice(READERS), "what reads the cards", "felt"),
        Field("amounts", flag, "whether stakes are known", True),
        Field("posts_above", names, "posts above those of the rulebook, lowest first", ()),
    ),
    "limits": (),
    "progressive": (
        Field("stake", money(1), 'the stake of the progressive wager, such as "$5"'),
        Field("contribution", money(0), "what of each stake goes into the meter", 0),
        Field("meter", money(0), "what the meter starts with"),
        Field("reset", money(0), "what the meter starts again with after an award", 0),
    ),
    "log": (
        Field("file", file_path, "the file of the log"),
        Field("checkpoints", file_path, "the file of the signed checkpoints"),
        Field("signer", file_path, "the file of the key that signs them"),
    ),
    "display": (
        Field("kind", choice(DISPLAYS), "what shows the results", "none"),
        Field("file", file_path, "the picture that is written", None),
        *(
            Field(one.name, as_said, "", None)
            for one in fields(DisplayConfig)
            if one.name not in ("kind", "file")
        ),
    ),
    "page": (
        Field("address", address, "where the page is served", "127.0.0.1"),
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
