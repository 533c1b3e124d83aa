"""The events a round understands, each declared once: its name and its fields in order.

An event is a list, name first, or a dict with the name under "event"; a field marked ? may be left
out. What happens is checked in two steps: here its shape, in the round whether it may happen now.
"""

from shared.values import clean, const, is_int, is_text

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
    "entered": ("card", "by", "place?"),
    "misread": (),
    # playing
    "look": ("box", "player"),
    "show": ("box", "by?"),
    "decide": ("box", "choice", "cents?", "sure?"),
    "reveal": (),
    "settle": (),
    # facts, from closing to the next opening
    "handled": ("box", "player?"),
    "lies": ("card", "by", "place?", "before?"),
    "turned": ("card", "player?", "place?", "by?"),
    "chips_gone": ("box", "player", "wager", "cents?", "by?"),
    # irregularities
    "irregularity": ("kind", "place?", "player?", "put_right?", "by?", "text?", "round?"),
    "all_told": ("by?",),
    "cards_counted": ("count", "by?"),
    "power_failure": (),
    "choose": ("player", "box?", "choice"),
    "choices_done": (),
    "withdraw": ("box", "player", "by"),
    "ruling": ("decision", "by", "box?", "text?"),
}

# Each field's name without its mark, as each new text would be looked for among all names of a Pico.
NAMES = {field: field.rstrip("?") for fields in EVENTS.values() for field in fields}

MAX_CENTS = 1000000000
MAX_TEXT = 200
MAX_NAME = 40
_MAX_PARTS = const(12)


class Refused(Exception):
    """Why an event may not happen: a paragraph or reading (None for a plain mistake), a code, and its details.

    refusals.py declares the codes; the host has the words for them.
    """

    def __init__(self, paragraph, code, *detail):
        super().__init__(code)
        self.paragraph = paragraph
        self.code = code
        self.detail = list(detail)


# The least and the most of every field that is a number.
RANGES = {
    "box": (0, 999),
    "place": (0, 999),
    "before": (0, 999),
    "count": (0, 999),
    "limit": (0, 999),
    "round": (1, (1 << 30) - 1),
    "cents": (1, MAX_CENTS),
    "lay": (0, MAX_CENTS),
}
_FLAGS = const(("seated", "up", "sure"))


def check_field(field, value):
    if field in RANGES:
        least, most = RANGES[field]
        if not is_int(value) or not least <= value <= most:
            raise Refused(None, "number_expected", field, least, most)
    elif field in _FLAGS:
        if not isinstance(value, bool):
            raise Refused(None, "not_true_or_false", field)
    else:
        most = MAX_TEXT if field == "text" else MAX_NAME
        if not is_text(value, most):
            raise Refused(None, "text_expected", field, most)


def read_event(event):
    """The event as (name, {field: value}); Refused names the field at fault."""
    named = None
    if isinstance(event, dict):
        named = {name: value for name, value in event.items() if isinstance(name, str)}
        if len(named) != len(event):
            raise Refused(None, "text_expected", "event", MAX_NAME)
        name = named.pop("event", None)
    elif isinstance(event, (list, tuple)) and event:
        name = event[0]
    else:
        raise Refused(None, "not_an_event")
    if not isinstance(name, str) or name not in EVENTS:
        raise Refused(None, "no_such_event", clean(name, MAX_NAME) if isinstance(name, str) else "")
    fields = EVENTS[name]
    if named is None and len(event) - 1 > len(fields):
        raise Refused(None, "too_many_fields", name, len(fields))
    read = {}
    for place, field in enumerate(fields, 1):
        plain = NAMES[field]
        if named is not None:
            value = named.pop(plain, None)
        else:
            value = event[place] if place < len(event) else None
        if value is None:
            if plain == field:
                raise Refused(None, "missing", plain)
        else:
            check_field(plain, value)
        read[plain] = value
    if named:
        raise Refused(None, "no_such_field", clean(sorted(named)[0], MAX_NAME), name)
    return name, read


def plain_event(name, fields):
    """The event as the list that the log keeps, without empty fields at its end."""
    event = [name]
    for field in EVENTS[name]:
        event.append(fields[NAMES[field]])
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
        for name in names[:_MAX_PARTS]:
            parts.append(name)
            parts.append(event[name])
    else:
        parts = event if isinstance(event, (list, tuple)) else (event,)
    for part in parts[:_MAX_PARTS]:
        if isinstance(part, str):
            # Without what a line spells with two characters, so that it always fits.
            kept.append(clean(part, MAX_NAME).replace("\\", "?").replace('"', "?"))
        elif part is None or isinstance(part, bool) or (is_int(part) and -(1 << 30) < part < 1 << 30):
            kept.append(part)
        else:
            kept.append("?")
    return kept
