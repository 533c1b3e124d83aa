"""What happens around a table, in the words that terminal, page and log all use: what happened, what Felt did,
and what to do. Programs pass a code and its details; only people read these sentences."""

from collections.abc import Callable
from typing import Any

from host.words.failures import failure_words
from host.words.faults import advice, damage_words, fault_words
from host.words.names import capital, plain, staff_words
from host.words.records import difference_words, record_words
from host.words.refusals import denied_words, refusal_words, sentence
from host.words.sentences import fill, read_declared

WORDS = read_declared("link")


def command_words(command: Any) -> str:
    """What somebody wanted of the table."""
    if command.name == "event":
        return record_words(["event", 0, command.arguments], None)
    return " ".join(plain(word) for word in [command.name, *command.arguments[:1]])


def told(code: str, *details: Any) -> str:
    names, words = WORDS[code]
    return fill(words, dict(zip(names, details)))


def told_of(code: str, kind: str, *details: Any) -> str:
    """By the words for this kind of it, or else by those for any kind."""
    return told(f"{code}.{kind}" if f"{code}.{kind}" in WORDS else code, *details)


# Each takes the details that go with its code, and puts them into words first.
ANNOUNCEMENTS: dict[str, Callable[..., str]] = {
    "down": lambda why: told_of("down", why, why),
    "mismatch": lambda what, table, host: told_of(
        "mismatch", what, table[0] if what == "log_begins" else table, host
    ),
    "faulty": lambda code, detail: told("faulty", fault_words(code, detail), advice(code)),
    "broken": lambda number, how, *damage: told("broken", number, how, damage_words(*damage)),
    "refused": lambda name, code, detail: told("refused", name, denied_words(code, detail)),
    "answer": lambda command, *_: told("answer", command_words(command), command.who),
    "fault": lambda *fields: capital(record_words(["fault", *fields], None)),
    "alarm": lambda number, difference: told("alarm", number, difference_words(*difference)),
    **dict.fromkeys(("log", "checkpoint", "port"), failure_words),
    "config": lambda code, detail: told("config", sentence(refusal_words(code, detail))),
    "undo": lambda who, number: told("undo", staff_words(who), number),
    "staff": lambda what, *fields: told(f"staff.{what}", *fields),
}


def announcement_words(code: str, details: tuple[Any, ...]) -> str:
    """One or two sentences."""
    return ANNOUNCEMENTS[code](*details) if code in ANNOUNCEMENTS else told(code, *details)
