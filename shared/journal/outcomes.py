"""What one record means for what follows: how a command ended, which cards still wait, which faults are left.

Apart from the replay, which counts in the same way: a table unloads that after its start and needs this.
"""


def outcome_of(record):
    """(done, code, paragraph, detail) of a command whose first record this is."""
    if record[0] == "refused":
        return False, record[3], record[2], record[4]
    if record[0] == "held":
        return False, record[1], None, []
    return True, "", None, []


def still_late(late, record):
    """The cards that still wait for their turn after this event or refusal; it may be the first one's turn."""
    event = record[2] if record[0] == "event" else record[1]
    return late[1:] if late and event[0] == "card" and event[1] == late[0][0] else late


def without(codes, code):
    return [one for one in codes if one != code]
