"""One line a message, from flash to review: a JSON array in one canonical spelling, `*`, and its CRC-32.

    ["ack",17]*3bc4d810

Lines are printable ASCII, so no byte of one can be mistaken for Ctrl-C, and at most MAX_LINE bytes with
the newline. An array has exactly one spelling: decoding spells it again and refuses any other, because
MicroPython's reader takes much that is no JSON.
"""

import json
from binascii import crc32, hexlify

MAX_LINE = 1024
CHECK_LENGTH = 9  # the star and eight hex digits


class BadLine(ValueError):
    """A line that is not a message: why, as a code for host.words.faults."""


def spell(value):
    """A value of None, booleans, ints, strings and lists in its one JSON spelling."""
    text = json.dumps(value, separators=(",", ":"))
    if is_plain(text):
        return text
    # The runtimes differ in what they do to other letters and control characters.
    return spell_slowly(value)


def is_plain(text):
    """Whether a runtime's own spelling is the one spelling.

    Looking at each letter would cost more than all the rest: what is not ASCII takes more bytes than letters,
    and control characters are escaped by every runtime, but for the last one.
    """
    if len(text.encode()) != len(text) or "\x7f" in text:
        return False
    # Escapes other than those of quote and backslash are spelled differently.
    place = text.find("\\")
    while place >= 0:
        if text[place + 1] not in '"\\':
            return False
        place = text.find("\\", place + 2)
    return True


def spell_slowly(value) -> str:
    if isinstance(value, (list, tuple)):
        return "[%s]" % ",".join([spell_slowly(one) for one in value])
    if not isinstance(value, str):
        return json.dumps(value)
    letters = []
    for letter in value:
        code = ord(letter)
        if letter in '"\\':
            letters.append("\\" + letter)
        elif 32 <= code <= 126:
            letters.append(letter)
        elif code > 0xFFFF:
            code -= 0x10000
            letters.append("\\u%04x\\u%04x" % (0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF)))
        else:
            letters.append("\\u%04x" % code)
    return '"' + "".join(letters) + '"'


def check_of(body):
    """The star and the checksum that follow a body. Faster on a Pico than a format would be."""
    return b"*" + hexlify(crc32(body).to_bytes(4, "big"))


def checked(body):
    """The bytes of a spelled array with their checksum and newline."""
    # Joined, as every sum on the way would be garbage on a Pico.
    line = b"".join((body, check_of(body), b"\n"))
    if len(line) > MAX_LINE:
        raise BadLine("line_too_long")
    return line


def encode(message):
    return checked(spell(message).encode())


def body_of(line):
    """The spelled array of a line without its newline, if the checksum is right."""
    if len(line) >= MAX_LINE:
        raise BadLine("line_too_long")
    body = line[:-CHECK_LENGTH]
    if line[-CHECK_LENGTH:] != check_of(body):
        raise BadLine("wrong_checksum")
    return body


def decode(line):
    """The array that a line (without newline) holds; BadLine for anything else."""
    body = body_of(line)
    try:
        text = body.decode()
        message = json.loads(text)
    except (ValueError, RuntimeError):  # RuntimeError: nested beyond what the runtime takes
        raise BadLine("line_not_json")
    if not isinstance(message, list) or not is_message(message, 8) or spell(message) != text:
        raise BadLine("other_spelling")
    return message


def is_message(value, depth):
    """Whether a value holds nothing but what a message may: no floats, no objects, no deep nests."""
    if isinstance(value, list):
        return depth > 0 and all(is_message(one, depth - 1) for one in value)
    return value is None or isinstance(value, (bool, int, str))


class LineSplitter:
    """Lines end with a newline; a carriage return before it is dropped. What is longer than a line may be is
    thrown away up to the next newline and counted in `overlong`."""

    def __init__(self):
        self.held = b""
        self.skipping = False
        self.overlong = 0

    def feed(self, data):
        """The whole lines, without newline, that these bytes complete."""
        lines = []
        pieces = (self.held + data).split(b"\n")
        for piece in pieces[:-1]:
            if self.skipping:
                self.skipping = False
            elif len(piece) > MAX_LINE:
                self.overlong += 1
            elif piece:
                lines.append(piece[:-1] if piece[-1] == 13 else piece)
        self.held = pieces[-1]
        if self.skipping or len(self.held) > MAX_LINE:
            self.overlong += not self.skipping
            self.skipping = True
            self.held = b""
        return lines

    def clear(self):
        """Forget half a line: its sender is gone."""
        self.held = b""
        self.skipping = False
