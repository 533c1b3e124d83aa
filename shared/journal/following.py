"""What one record means for what follows: how a command ended, which cards still wait, which faults are left.

The table's recorder and a replay keep count of these in the same way, so the way is here, once.
"""

from shared.round.events import clean

MAX_DETAIL = 120


def outcome_of(record):
    """(done, detail) of a command whose first record this is: refused with the reason it gives."""
    if record[0] == "refused":
        return False, clean(record[3], MAX_DETAIL)
    if record[0] == "held":
        return False, clean(record[2], MAX_DETAIL)
    return True, ""


def still_late(late, record):
    """The cards that still wait for their turn after this event or refusal; it may be the first one's turn."""
    event = record[2] if record[0] == "event" else record[1]
    return late[1:] if late and event[0] == "card" and event[1] == late[0][0] else late


def without(codes, code):
    return [one for one in codes if one != code]
