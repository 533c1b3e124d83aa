"""What happens around a table, in the words that terminal, page and log all use: what happened, what Felt did,
and what to do. Programs pass a code and its details; only people read these sentences."""

from collections.abc import Callable
from typing import Any

from host.words.faults import advice
from host.words.names import capital, plain, staff_words
from host.words.records import difference_words, record_words
from host.words.refusals import denied_words, refusal_words, sentence

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
WORKS_AGAIN = {
    "log": "The log takes records again.",
    "checkpoint": "Checkpoints can be signed again.",
    "port": "The table's port is open: {0}.",
}
STAFF = {
    "in": "{0}, {1}, logged in from {2}.",
    "out": "{0}, {1}, logged out.",
    "refused": "A login as {0} from {1} was refused: {2}.",
    "refused_again": "A login as {0} from {1} was refused: {2}. {3} more were refused before.",
}


def command_words(command: Any) -> str:
    """What somebody wanted of the table."""
    if command.name == "event":
        return record_words(["event", 0, command.arguments], None)
    return " ".join(plain(word) for word in [command.name, *command.arguments[:1]])


def mismatch_words(what: str, table: Any, host: Any) -> str:
    words = MISMATCH.get(what, "The table and this host do not fit together: {0}, {1}. No round opens.")
    return words.format(table, host)


# Each takes the details that go with its code.
ANNOUNCEMENTS: dict[str, Callable[..., str]] = {
    "not_joined": lambda: "The table has not been joined yet. Look at its power and its cable.",
    "up": lambda last: f"The table is joined; its last record is {last}.",
    "down": lambda why: DOWN.get(why, f"The link to the table ended: {why}."),
    "mismatch": mismatch_words,
    "unproved": lambda table: (
        f"A table that calls itself {table} answers, but does not prove the key that this host has for it. No "
        "round opens and nothing is logged. Name the right key file in the configuration, or flash the table "
        "with this one."
    ),
    "faulty": lambda code, detail: (
        f"The table did not start ({code}{': ' + detail if detail else ''}). {advice(code)}"
    ),
    "broken": lambda number, how, detail: (
        f"Record {number} from the table was refused: {how} ({detail}). Nothing was acknowledged. Save the "
        "table's journal with `felt verify` and call for help."
    ),
    "refused": lambda name, code, detail: (
        f"A message of the table was ignored: {name}, {denied_words(code, detail)}."
    ),
    "unknown": lambda name: f"The table said something that this host does not know: {name}. Update the host.",
    "answer": lambda command, *_: (
        f"Not done, as the table was away: {command_words(command)}, asked for by {command.who}. Look at the "
        "table, then decide again."
    ),
    "fault": lambda *fields: capital(record_words(["fault", *fields], None)),
    "alarm": lambda number, difference: (
        f"ALARM: record {number} is not what the rules make of the events before it: "
        f"{difference_words(*difference)}. It was logged as it came. Stop the table and call for help."
    ),
    "log": lambda problem: problem or WORKS_AGAIN["log"],
    "checkpoint": lambda problem: problem or WORKS_AGAIN["checkpoint"],
    "port": lambda problem, device: problem or WORKS_AGAIN["port"].format(device),
    "config": lambda code, detail: (
        f"The table does not take its configuration: {sentence(refusal_words(code, detail))} It keeps the one "
        "that it has. Correct the file and start Felt again."
    ),
    "display": lambda problem: f"The display fails: {problem}. The table goes on; it is tried again.",
    "page": lambda problem: f"{problem} Until then the table runs without its page.",
    "failed": lambda part, problem: (
        f"A part of Felt on this host failed ({part}: {problem}). Records are logged and checked all the same. "
        "Tell those who look after Felt."
    ),
    "undo": lambda who, number: f"{staff_words(who)}, undid record {number}.",
    "staff": lambda what, *fields: STAFF[what].format(*fields),
}


def announcement_words(code: str, details: tuple[Any, ...]) -> str:
    """One or two sentences."""
    return ANNOUNCEMENTS[code](*details)
