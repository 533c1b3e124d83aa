"""The events a round understands, each declared once: its name and its fields in order.

An event is a list, name first, or a dict with the name under "event"; a field marked ? may be left
out. What happens is checked in two steps: here its shape, in the round whether it may happen now.
"""

EVENTS = {
    # staff, mostly between rounds
    "restrict": ("limit", "player?", "by"),
    "hand_paid": ("player", "by"),
    "new_day": ("by",),
    # betting
    "open": (),
    "bet": ("box", "player", "wager", "cents?", "seated?", "by?"),
    "take_back": ("box", "player", "wager", "cents?"),
    "seat": ("box", "player", "seated"),
    "close": (),
    "counted": ("box", "player", "wager", "lay", "by"),
    # dealing
    "cards_left": ("count",),
    "card": ("card", "up?"),
    "misread": (),
    # playing
    "look": ("box", "player"),
    "handled": ("box",),
    "show": ("box", "by?"),
    "decide": ("box", "choice", "cents?", "sure?"),
    "reveal": (),
    "settle": (),
    # irregularities
    "irregularity": ("kind", "place?", "card?", "player?", "mended?", "by?", "text?", "round?"),
    "exchanged": ("card", "with", "by"),
    "cards_counted": ("count", "by?"),
    "power_failure": (),
    "choose": ("player", "box?", "choice"),
    "choices_done": (),
    "withdraw": ("box", "player", "by"),
    "ruling": ("decision", "by", "box?", "text?"),
}

MAX_CENTS = 1000000000
MAX_TEXT = 200
MAX_NAME = 40
MAX_PARTS = 12


class Refused(Exception):
    """Why an event may not happen: a paragraph or reading (None for a plain mistake) and a reason."""

    def __init__(self, paragraph, reason):
        super().__init__(reason)
        self.paragraph = paragraph
        self.reason = reason


def is_int(value):
    return isinstance(value, int) and not isinstance(value, bool)


def is_text(value, most):
    """Printable ASCII of one to `most` letters: what every runtime and every log spells alike."""
    if not isinstance(value, str) or not 0 < len(value) <= most:
        return False
    for letter in value:
        if not " " <= letter <= "~":
            return False
    return True


def clean(text, most):
    """What can be kept of a text as printable ASCII of at most `most` letters."""
    return "".join([letter if " " <= letter <= "~" else "?" for letter in text[:most]])


def check_count(name, value):
    if not is_int(value) or not 0 <= value <= 999:
        raise Refused(None, name + ": expected a number from 0 to 999")


def check_round(name, value):
    if not is_int(value) or not 0 < value < 1 << 30:
        raise Refused(None, name + ": expected the number of a round")


def check_cents(name, value):
    if not is_int(value) or not 0 < value <= MAX_CENTS:
        raise Refused(None, "%s: expected a whole number of cents from 1 to %d" % (name, MAX_CENTS))


def check_lay(name, value):
    if not is_int(value) or not 0 <= value <= MAX_CENTS:
        raise Refused(None, "%s: expected a whole number of cents from 0 to %d" % (name, MAX_CENTS))


def check_flag(name, value):
    if not isinstance(value, bool):
        raise Refused(None, name + ": expected true or false")


def check_name(name, value):
    if not is_text(value, MAX_NAME):
        raise Refused(None, "%s: expected plain letters, at most %d" % (name, MAX_NAME))


def check_text(name, value):
    if not is_text(value, MAX_TEXT):
        raise Refused(None, "%s: expected plain text, at most %d letters" % (name, MAX_TEXT))


CHECKS = {
    "box": check_count,
    "place": check_count,
    "count": check_count,
    "round": check_round,
    "limit": check_count,
    "cents": check_cents,
    "lay": check_lay,
    "seated": check_flag,
    "up": check_flag,
    "sure": check_flag,
    "mended": check_flag,
    "text": check_text,
}


def read_event(event):
    """The event as (name, {field: value}); Refused names the field at fault."""
    named = None
    if isinstance(event, dict):
        named = {name: value for name, value in event.items() if isinstance(name, str)}
        if len(named) != len(event):
            raise Refused(None, "event: names of fields are text")
        name = named.pop("event", None)
    elif isinstance(event, (list, tuple)) and event:
        name = event[0]
    else:
        raise Refused(None, 'event: expected a list or an object with its name under "event"')
    if not isinstance(name, str) or name not in EVENTS:
        raise Refused(None, "event: no such event %s" % (clean(name, MAX_NAME) if isinstance(name, str) else ""))
    fields = EVENTS[name]
    if named is None and len(event) - 1 > len(fields):
        raise Refused(None, "event: %s has %d fields" % (name, len(fields)))
    read = {}
    for place, field in enumerate(fields, 1):
        plain = field.rstrip("?")
        if named is not None:
            value = named.pop(plain, None)
        else:
            value = event[place] if place < len(event) else None
        if value is None:
            if plain == field:
                raise Refused(None, plain + ": missing")
        else:
            CHECKS.get(plain, check_name)(plain, value)
        read[plain] = value
    for field in sorted(named or ()):
        raise Refused(None, "%s: no such field of %s" % (clean(field, MAX_NAME), name))
    return name, read


def plain_event(name, fields):
    """The event as the list that the log keeps, without empty fields at its end."""
    event = [name]
    for field in EVENTS[name]:
        event.append(fields[field.rstrip("?")])
    while event[-1] is None:
        event.pop()
    return event


def as_given(event):
    """An event of the wrong shape, for the log: what can be kept of it in one short list of plain values.

    Floats and nested values are named only, because runtimes print them differently, and there is a bound
    on the whole, because a Pico has little room.
    """
    kept = []
    if isinstance(event, dict):
        names = sorted([name for name in event if isinstance(name, str)])
        parts = []
        for name in names[:MAX_PARTS]:
            parts.append(name)
            parts.append(event[name])
    else:
        parts = event if isinstance(event, (list, tuple)) else (event,)
    for part in parts[:MAX_PARTS]:
        if isinstance(part, str):
            # Without what a line spells with two letters, so that it always fits.
            kept.append(clean(part, MAX_NAME).replace("\\", "?").replace('"', "?"))
        elif part is None or isinstance(part, bool) or (is_int(part) and -(1 << 30) < part < 1 << 30):
            kept.append(part)
        else:
            kept.append("?")
    return kept
