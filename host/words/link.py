"""What happens around a table, in the words that terminal, page and log all use: what happened, what Felt did,
and what to do. Programs pass a code and its details; only people read these sentences."""

from collections.abc import Callable
from typing import Any

from host.words.records import plain, record_words, staff_words

DOWN = {
    "unplugged": "The table's port went away. Its records wait there until it is back. Look at the cable.",
    "silent": "The table says nothing any more. Its records wait there. Look at its power and its cable.",
    "restarted": "The table has restarted and is joined again.",
    "log failed": "The log could not keep records, so none was acknowledged and the table keeps them.",
    "bye": "The table was told that the host stops.",
    "mismatch": "The table and this host do not fit together; no round opens.",
}
MISMATCH = {
    "version": "The table speaks version {0} of the link and this host version {1}. No round opens. Update the "
    "older one: the table with `felt flash`, the host by installing the newer Felt.",
    "messages": "The table's messages are not this host's. No round opens. Update the older one: the table with "
    "`felt flash`, the host by installing the newer Felt.",
    "rules": "The table settles by other rules than this host. No round opens. Flash the table with this host's "
    "`felt flash`, or install the Felt that the table was flashed with.",
    "log": "This log is not the table's: there it {0}, here it {1}. No round opens. Name the right log in the "
    "configuration, or begin a new one with `felt log adopt`.",
}
# Why a command was not done, where the table itself did not refuse it.
ANSWERS = {
    "no_table": "The table is not joined, so nothing was done. Wait until it is back, then do it again.",
    "catching_up": "The table is back, but not everything that happened there is known yet, so nothing was done. "
    "Look, then decide again.",
    "stopped": "Felt has stopped, so nothing was done.",
    "not_done": "Not done: the table was away. Look at it, then decide again.",
    "not_confirmed": "The table was lost before it answered. See in the log whether it was done before you do it "
    "again.",
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


def sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def command_words(command: Any) -> str:
    """What somebody wanted of the table."""
    if command.name == "event":
        return record_words(["event", 0, command.arguments], None)
    return " ".join(plain(word) for word in [command.name, *command.arguments[:1]])


def answer_words(code: str, detail: list[Any]) -> str:
    """Why something was not done."""
    return ANSWERS.get(code) or str(detail[0])


def mismatch_words(what: str, table: str, host: str) -> str:
    words = MISMATCH.get(what, "The table and this host do not fit together: {0}, {1}. No round opens.")
    return words.format(*(text.partition(" after ")[0] for text in (table, host)))


def ailing_words(code: str, detail: str, advice: str) -> str:
    return f"The table did not start ({code}{': ' + detail if detail else ''}). {advice}"


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
    "ailing": ailing_words,
    "broken": lambda number, how, detail: (
        f"Record {number} from the table was refused: {how} ({detail}). Nothing was acknowledged. Save the "
        "table's journal with `felt verify` and call for help."
    ),
    "refused": lambda name, why: f"A message of the table was ignored: {name}, {why}.",
    "unknown": lambda name: f"The table said something that this host does not know: {name}. Update the host.",
    "answer": lambda command, *_: (
        f"Not done, as the table was away: {command_words(command)}, asked for by {command.who}. Look at the "
        "table, then decide again."
    ),
    "fault": lambda *fields: sentence(record_words(["fault", *fields], None)),
    "alarm": lambda number, difference: (
        f"ALARM: record {number} is not what the rules make of the events before it: {difference}. It was logged "
        "as it came. Stop the table and call for help."
    ),
    "log": lambda problem: problem or WORKS_AGAIN["log"],
    "checkpoint": lambda problem: problem or WORKS_AGAIN["checkpoint"],
    "port": lambda problem, device: problem or WORKS_AGAIN["port"].format(device),
    "config": lambda code, detail: (
        f"The table does not take its configuration: {answer_words(code, detail)}. It keeps the one that it has. "
        "Correct the file and start Felt again."
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
