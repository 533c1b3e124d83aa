"""Keeps keys and PINs out of what is handed on: leaves them out of a table's file, and searches for any left."""

import base64
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from host.config.fields import SECTIONS
from host.config.table_file import Examined
from host.config.toml_positions import Layout, Span, lay_out
from host.doctor.findings import Subject
from host.keys import FIRST_WORD
from host.staff.pins import BadHash, read_hash

HIDDEN = "(left out)"
LEFT_OUT = f'"{HIDDEN}"'
LINE_LEFT_OUT = "# (a line is left out here: it may hold a PIN)"
COMMENT_LEFT_OUT = "# (left out)"
PIN = "pin"
DIGITS = re.compile(r"[0-9]{4}")
A_HASH = re.compile(r"scrypt\$[^\s\"']*")
CLEAR_PIN = re.compile(r"\bpin\b[\s\"']*[=:][\s\"']*([0-9]{4,12})(?![0-9])", re.IGNORECASE)
FROM_THE_FILE = ("configuration.toml", "doctor.txt", "doctor.json")  # where a PIN of the file could come to stand
DIGITS_ALONE = re.compile(r"[0-9]{4,12}")
LIKE_A_HASH = re.compile(r"(?=[A-Za-z_-]*[0-9])(?=[0-9a-z_-]*[A-Z])[A-Za-z0-9_-]{16,}")
A_FIELD = re.compile(r"\s*([A-Za-z0-9_]+)\s*=")
A_HEADER = re.compile(r"\s*\[\[?\s*([a-z]+)\s*\]\]?\s*(#.*)?")
PRIVATE_KEY = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----(.*?)(?:-----END|\Z)", re.DOTALL)
LONGEST_KEY_FILE = 65_536
LEAST_LENGTH = 8  # bytes; a search for fewer finds what is none


# A table's file without its PINs


def without_pins(examined: Examined) -> str:
    """The text of a table's file. Of what nobody declared nothing is kept, for it may be a misspelt PIN."""
    if not examined.is_toml:
        return "".join(f"{plain_line(line)}\n" for line in examined.text.split("\n"))
    layout = lay_out(examined.text)
    text = layout.text
    for span, instead in sorted([*value_spans(layout), *comment_spans(layout)], reverse=True):
        text = text[: span.start] + instead + text[span.end :]
    return text


def value_spans(layout: Layout) -> list[tuple[Span, str]]:
    """Those of values to leave out; of one within another, the outer."""
    spans = [
        place.value
        for path, place in layout.places.items()
        if place.value and not is_harmless(names_of(path), layout.text[place.value.start : place.value.end])
    ]
    outer = [one for one in spans if not any(is_within(one, other) for other in spans)]
    return [(span, LEFT_OUT) for span in outer]


def is_within(one: Span, other: Span) -> bool:
    return one != other and other.start <= one.start and one.end <= other.end


def names_of(path: tuple[str | int, ...]) -> tuple[str, ...]:
    return tuple(part for part in path if isinstance(part, str))


def is_harmless(names: tuple[str, ...], value: str) -> bool:
    """Whether a value stands in a field that may be shown, and is not what belongs into another."""
    if A_HASH.search(value) or (names[:1] == ("staff",) and DIGITS_ALONE.fullmatch(value.strip("\"'"))):
        return False
    return is_declared(names)


def is_declared(names: tuple[str, ...]) -> bool:
    """Whether a field is one that a table's file has, and no PIN."""
    if not names or names[0] not in SECTIONS:
        return False
    if len(names) == 1 or names[0] == "limits":
        return len(names) <= 2
    return len(names) == 2 and names[1] != PIN and names[1] in [field.name for field in SECTIONS[names[0]]]


def comment_spans(layout: Layout) -> list[tuple[Span, str]]:
    """Comments with digits enough for a PIN, or with a hash."""
    values = [place.value for place in layout.places.values() if place.value]
    keys = [place.key for place in layout.places.values()]
    found = []
    start = 0
    for line in layout.text.split("\n"):
        at = line.find("#")
        while at >= 0 and any(span.start <= start + at < span.end for span in (*values, *keys)):
            at = line.find("#", at + 1)
        if at >= 0 and (DIGITS.search(line, at) or A_HASH.search(line, at)):
            found.append((Span(start + at, start + len(line)), COMMENT_LEFT_OUT))
        start += len(line) + 1
    return found


def plain_line(line: str) -> str:
    """A line of a file that is no TOML, if nothing of it can be a PIN."""
    if not line.strip() or A_HEADER.fullmatch(line):
        return line if not DIGITS.search(line) else LINE_LEFT_OUT
    field = A_FIELD.match(line)
    declared = {field.name for fields in SECTIONS.values() for field in fields} - {PIN}
    doubts = (DIGITS, A_HASH, LIKE_A_HASH)
    is_safe = field is not None and field[1] in declared and not any(doubt.search(line) for doubt in doubts)
    return line if is_safe else LINE_LEFT_OUT


# What may not be in it


class Secret(NamedTuple):
    what: str  # in words, for whoever is told that it was found
    forms: tuple[bytes, ...]


def secrets_of(subject: Subject) -> list[Secret]:
    """Everything secret that a table's file holds or leads to, in every form in which it could be written."""
    found = [*pin_secrets(subject.examined.text)]
    for path in (subject.key, subject.signer):
        if path is not None:
            found += key_secrets(path)
    return [secret for secret in found if secret.forms]


def pin_secrets(text: str) -> Iterable[Secret]:
    """Of every hash that stands anywhere in the text, whole or damaged."""
    for place, kept in enumerate(A_HASH.findall(text), 1):
        parts = kept.split("$")[4:]
        forms = [part.encode() for part in parts]
        try:
            read = read_hash(kept)
        except BadHash:
            pass
        else:
            forms += [*written(read.salt), *written(read.digest)]
        yield Secret(f"the hashed PIN {place} of the file", long_enough(forms))


def key_secrets(path: Path) -> list[Secret]:
    """Whatever in this file is, or once was, a key; its permissions do not matter here."""
    try:
        if not path.is_file() or path.stat().st_size > LONGEST_KEY_FILE:
            return []
        content = path.read_bytes()
    except OSError:
        return []
    forms: list[bytes] = []
    words = content.split()
    if words[:1] == [FIRST_WORD.encode()]:
        for word in words[2:]:
            forms += [word, word.lower(), word.upper(), *from_hex(word)]
    for block in PRIVATE_KEY.findall(content):
        forms += block.split()
    try:
        key = load_pem_private_key(content, None)
    except (ValueError, TypeError):
        key = None
    if isinstance(key, Ed25519PrivateKey):
        forms += written(key.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption()))
    return [Secret(f"the key in {path}", long_enough(forms))]


def from_hex(word: bytes) -> list[bytes]:
    try:
        return written(bytes.fromhex(word.decode()))
    except (ValueError, UnicodeDecodeError):
        return []


def written(data: bytes) -> list[bytes]:
    """Bytes raw, in hex and in base64, there also in the midst of something longer."""
    forms = [data, data.hex().encode(), data.hex().upper().encode()]
    for before in range(3):
        # Letters at either end also depend on what stands beside them, and are left off.
        padded = base64.b64encode(bytes(before) + data)
        first, last = (0, 2, 3)[before], len(padded) - (0, 3, 2)[(before + len(data)) % 3]
        middle = padded[first:last]
        forms += [middle, middle.translate(bytes.maketrans(b"+/", b"-_"))]
    return forms


def long_enough(forms: Iterable[bytes]) -> tuple[bytes, ...]:
    return tuple(dict.fromkeys(form for form in forms if len(form) >= LEAST_LENGTH))


def slipped_in(members: Iterable[tuple[str, bytes]], secrets: Iterable[Secret]) -> list[tuple[str, str]]:
    """(member, what) of every secret that stands in a member or in its name."""
    secrets = list(secrets)
    return [
        (name, secret.what)
        for name, content in members
        for secret in secrets
        if any(form in content or form in name.encode() for form in secret.forms)
    ]


def clear_pins(examined: Examined) -> set[str]:
    """The PINs that somebody wrote into a table's file as they are, also into a field beside the right one."""
    pins = set(CLEAR_PIN.findall(examined.text))
    if not examined.is_toml:
        return pins
    layout = lay_out(examined.text)
    values = [
        layout.text[place.value.start : place.value.end].strip("\"'")
        for path, place in layout.places.items()
        if path[0] == "staff" and place.value
    ]
    return pins | {value for value in values if DIGITS_ALONE.fullmatch(value)}


def pin_pattern(pin: str) -> str:
    return rf"(?<![0-9]){pin}(?![0-9])"


def hidden(words: str, pins: Iterable[str]) -> str:
    for pin in pins:
        words = re.sub(pin_pattern(pin), HIDDEN, words)
    return words


def clear_pins_in(members: Iterable[tuple[str, bytes]], pins: Iterable[str]) -> list[tuple[str, str]]:
    """As `slipped_in`, for PINs as they are. Elsewhere than in these so few digits may well stand by chance."""
    return [
        (name, "a PIN of the file as it is")
        for name, content in members
        if name in FROM_THE_FILE
        for pin in pins
        if re.search(pin_pattern(pin).encode(), content)
    ]
