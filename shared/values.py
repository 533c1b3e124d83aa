"""Checks of plain values that every room of the core shares, and times of a table."""


def is_int(value):
    return isinstance(value, int) and not isinstance(value, bool)


def is_text(value, most):
    """Printable ASCII of one to `most` characters: what every runtime and every log spells alike."""
    if not isinstance(value, str) or not 0 < len(value) <= most:
        return False
    return is_plain(value)


def is_plain(text):
    """Whether all of a text is printable ASCII. By its bytes, as MicroPython keeps every character for good."""
    try:
        for byte in text.encode():
            if not 32 <= byte < 127:
                return False
    except ValueError:  # half a character
        return False
    return True


def clean(text, most):
    """What can be kept of a text as printable ASCII of at most `most` characters."""
    if is_plain(text):
        return text[:most]
    return "".join([character if " " <= character <= "~" else "?" for character in text[:most]])


def is_hex(value, length):
    """The hex digits of `length` bytes, in lower case."""
    if not isinstance(value, str) or len(value) != 2 * length or not is_plain(value):
        return False
    return all(byte in b"0123456789abcdef" for byte in value.encode())


def const(value):
    """A module's own number. Under a name with an underscore a Pico keeps the number only, and no name."""
    return value


def since(then, now):
    """How many milliseconds after `then` it is.

    A table counts them from 0 to 2^30, which is 12.4 days, and then from 0 again: larger numbers would take
    memory on every pass, as MicroPython has them on the heap. So times are only ever compared by this.
    """
    return now - then & 0x3FFFFFFF
