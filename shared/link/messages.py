"""The messages of the link, each declared once: who says it, how it is sealed, and its fields in order.

From this table come the codec, the documentation and the digest (declared.py) by which both ends know that they
speak the same language. A field is its name and its kind.

Sealed `open` means not at all: such a message can do nothing but ask for a greeting, or for help. `key` means
by the table's own key over the whole greeting so far. `session` means by a key of this session and this
direction, with a counter before the seal that only ever grows. A `record` is sealed by the chain it belongs to.
"""

from shared.journal.seal import SEAL_LENGTH
from shared.journal.wire import BadLine, decode
from shared.values import const, is_hex, is_int, is_text

VERSION = 2
NONCE_LENGTH = 16
DIGEST_LENGTH = 16

HOST = "host"
TABLE = "table"

OPEN = "open"
_KEY = const("key")
_SESSION = const("session")
_CHAIN = const("record")

# Fields are one text a message: a Pico keeps a few long texts in far less room than many short ones.
MESSAGES = {
    # the greeting
    "hail": (HOST, OPEN, ""),
    "hello": (
        TABLE,
        OPEN,
        "version number, messages digest, rules digest, firmware digest, board text, table text, boot number, "
        "nonce nonce",
    ),
    "hi": (
        HOST,
        _KEY,
        "version number, messages digest, rules digest, number number, mark seal, nonce nonce",
    ),
    "proof": (TABLE, _KEY, "last number, command number, origin seal"),
    "sorry": (TABLE, _KEY, "what text, table value, host value"),
    "faulty": (TABLE, OPEN, "code text, detail text"),
    # the session
    "rec": (TABLE, _CHAIN, "boot number, number number, record list"),
    "ack": (HOST, _SESSION, "number number"),
    "command": (HOST, _SESSION, "id number, who text, name text, arguments list"),
    "answer": (TABLE, _SESSION, "id number, done flag, code text, paragraph value, detail list"),
    "time": (HOST, _SESSION, "seconds seconds"),
    "alive": (HOST, _SESSION, ""),
    "beat": (TABLE, _SESSION, "last number"),
    "bye": (HOST, _SESSION, ""),
}

_MAX_NUMBER = const((1 << 30) - 1)  # beyond it MicroPython's ints take heap
_MAX_SECONDS = const(1 << 40)
MAX_TEXT = 200


class UnknownMessage(ValueError):
    """A whole line with a name that is not declared here, as a newer peer may send."""

    def __init__(self, name):
        super().__init__("no such message")
        self.name = name


class WrongShape(ValueError):
    """A declared message that is not as declared: its name, and which field is wrong, "" for the whole of it."""

    def __init__(self, name, field):
        super().__init__(name)
        self.name = name
        self.field = field


SEALED_FIELDS = {OPEN: "", _KEY: "seal seal", _SESSION: "counter number, seal seal", _CHAIN: "seal seal"}


def is_kind(kind, value):
    """Whether a field of this kind may have this value. `value` may be all that a line can hold."""
    if kind == "number" or kind == "seconds":
        return is_int(value) and 0 <= value <= (_MAX_NUMBER if kind == "number" else _MAX_SECONDS)
    if kind == "text":
        return value == "" or is_text(value, MAX_TEXT)
    if kind == "flag":
        return isinstance(value, bool)
    if kind == "list":
        return isinstance(value, list)
    if kind == "seal":
        return is_hex(value, SEAL_LENGTH)
    return kind == "value" or is_hex(value, NONCE_LENGTH if kind == "nonce" else DIGEST_LENGTH)


def fields_of(name):
    """All fields of a message as they stand in its line, counter and seal included."""
    _, sealed, fields = MESSAGES[name]
    return [field for part in (fields, SEALED_FIELDS[sealed]) if part for field in part.split(", ")]


def read(line, sender):
    """The message in a line (without newline) from that end, as a list with its name first.

    BadLine if it is no whole line, UnknownMessage if nobody declared it, WrongShape if it is not as declared.
    """
    message = decode(line)
    name = message[0] if message else None
    if not isinstance(name, str) or not is_text(name, 20):
        raise BadLine("line_no_name")
    if name not in MESSAGES:
        raise UnknownMessage(name)
    if MESSAGES[name][0] != sender:
        raise WrongShape(name, "")
    fields = fields_of(name)
    if len(message) != len(fields) + 1:
        raise WrongShape(name, "")
    for value, field in zip(message[1:], fields):
        label, kind = field.split(" ")
        if not is_kind(kind, value):
            raise WrongShape(name, label)
    return message
