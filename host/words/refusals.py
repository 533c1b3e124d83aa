"""Refusals in words: one template for each code that the table, or the host itself, refuses something by."""

from collections.abc import Sequence
from typing import Any

from host.words.faults import ADVICE
from host.words.money import dollars
from host.words.names import place as place_words
from host.words.names import plain, post_words
from host.words.sentences import fill, read_declared, read_templates
from shared.round.table import BadConfig

# Each code with the names of its details in order, and its words.
REFUSALS = read_declared("refusals")
DENIED = read_declared("denied")  # why a message of the link does not count
STATES = read_templates("states")
# The fields that other codes are about.
AT_FAULT = {
    "no_such_post": "by",
    "post_too_low": "by",
    "no_staff_bets": "by",
    "no_such_wager": "wager",
    "amount_fixed": "wager",
    "no_such_choice": "choice",
    "progressive_stake": "cents",
    "more_than_bet": "cents",
    "no_such_kind": "kind",
    "face_up": "card",
    "no_such_card": "card",
    "lies_there_already": "card",
    "card_lies_elsewhere": "card",
    "no_such_decision": "decision",
}
MONEY = ("cents", "chip")
PLAIN = ("wager", "irregularity", "decision", "choice", "fault", "situation")


def refusal_words(code: str, detail: Sequence[Any]) -> str:
    """Why something was refused: the words for its code with the details filled in.

    A code that this host does not know, or details that are not as declared, are shown as they came.
    """
    if code in ADVICE:
        return ADVICE[code]
    names, words = REFUSALS.get(code, ((), ""))
    named = dict(zip(names, detail))
    try:
        shown = {name: value_words(name, value, named) for name, value in named.items()}
        if words:
            return words.format(**shown)
    except (KeyError, TypeError, ValueError, AttributeError):
        pass
    return ": ".join([plain(code), ", ".join(str(value) for value in detail)]).removesuffix(": ")


def field_at_fault(code: str, detail: Sequence[Any]) -> str | None:
    """The name of the field that a refusal is about; None where it is about the moment."""
    if REFUSALS.get(code, ((), ""))[0][:1] == ("field",):
        return detail[0]
    return AT_FAULT.get(code)


def config_words(problem: BadConfig) -> str:
    """What is wrong with a field of a configuration, without the field's name."""
    return refusal_words(problem.code, problem.detail).removeprefix(f"{problem.field}: ")


def denied_words(code: str, detail: Sequence[Any]) -> str:
    """Why a message of the link was refused."""
    names, words = DENIED.get(code, ((), ""))
    if not words or len(detail) < len(names):
        return refusal_words(code, detail)
    return fill(words, dict(zip(names, detail)))


def sentence(words: str) -> str:
    """The same as a sentence: with a capital and a full stop."""
    words = words[:1].upper() + words[1:]
    return words if words.endswith((".", "?", "!")) else words + "."


def value_words(name: str, value: Any, named: dict[str, Any]) -> str:
    if name in MONEY:
        return dollars(value)
    if name == "post":
        return post_words(value)
    if name == "place":
        return place_words(value)
    if name == "state":
        return STATES.get(value, plain(value))
    if name == "question":
        return waiting_words(value, named["situation"], named["post"])
    return plain(value) if name in PLAIN else str(value)


def waiting_words(question: str, situation: str, post: str) -> str:
    if question == "choose":
        return "players must choose first"
    return f"a {post_words(post)} must answer first ({plain(question)}, {plain(situation)})"
