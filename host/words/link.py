"""What happens between host and table, in the words that terminal, page and log all use: what happened, what Felt
did about it, and what to do."""

from host.table.link import NOT_DONE, Command, Happening
from host.words.faults import advice
from host.words.names import plain
from host.words.records import record_words
from host.words.refusals import denied_words

HAPPENINGS = {
    "up": "The table is joined; its last record is {0}.",
    "unproved": "A table that calls itself {0} answers, but does not prove the key that this host has for it. No "
    "round opens and nothing is logged. Name the right key file in the configuration, or flash the table with "
    "this one.",
    "broken": "Record {0} from the table was refused: {1} ({2}). Nothing was acknowledged. Save the table's "
    "journal with `felt verify` and call for help.",
    "unknown": "The table said something that this host does not know: {0}. Update the host.",
}
DOWN = {
    "unplugged": "The table's port went away. Its records wait there until it is back. Look at the cable.",
    "silent": "The table says nothing any more. Its records wait there. Look at its power and its cable.",
    "restarted": "The table has restarted and is joined again.",
    "log failed": "The log could not keep records, so none was acknowledged and the table keeps them.",
    "bye": "The table was told that the host stops.",
    "mismatch": "The table and this host do not fit together; no round opens.",
}
NAME_LOG = "No round opens. Name the right log in the configuration, or begin a new one with `felt log adopt`."
MISMATCH = {
    "version": "The table speaks version {0} of the link and this host version {1}. No round opens. Update the "
    "older one: the table with `felt flash`, the host by installing the newer Felt.",
    "messages": "The table's messages are not this host's. No round opens. Update the older one: the table with "
    "`felt flash`, the host by installing the newer Felt.",
    "rules": "The table settles by other rules than this host. No round opens. Flash the table with this host's "
    "`felt flash`, or install the Felt that the table was flashed with.",
    "log_ends": "This log is not the table's: there it ends at {0}, here at {1}. " + NAME_LOG,
    "log_begins": "This log is not the table's: there it begins at {0[0]}, here it ends at {1}. " + NAME_LOG,
    "log_differs": "This log is not the table's: where it ends here, the table has another record. " + NAME_LOG,
}


def command_words(command: Command) -> str:
    """What somebody wanted of the table."""
    if command.name == "event":
        return record_words(["event", 0, command.arguments], None)
    return " ".join(plain(word) for word in [command.name, *command.arguments[:1]])


def happening_words(happening: Happening) -> str | None:
    """One or two sentences, or None for what is no news to people."""
    what, details = happening.what, happening.details
    if what in HAPPENINGS:
        return HAPPENINGS[what].format(*details)
    if what == "down":
        return DOWN.get(details[0], f"The link to the table ended: {details[0]}.")
    if what == "mismatch":
        which, table, host = details
        words = MISMATCH.get(which, "The table and this host do not fit together: {0}, {1}. No round opens.")
        return words.format(table, host)
    if what == "faulty":
        code, detail = details
        return f"The table did not start ({code}{': ' + detail if detail else ''}). {advice(code)}"
    if what == "refused":
        name, code, detail = details
        return f"A message of the table was ignored: {name}, {denied_words(code, detail)}."
    if what == "answer":
        command, _, code, *_ = details
        if code == NOT_DONE and command.name != "config":  # that one is sent again by itself
            wanted = f"{command_words(command)}, asked for by {command.who}"
            return f"Not done, as the table was away: {wanted}. Look at the table, then decide again."
    return None
