"""What an irregularity will lead to, in plain words, before anybody confirms it: the policy of the running book.

The words follow shared/round/irregularities.py; paragraphs with their meaning come from host/rules.
"""

from functools import cache
from types import ModuleType

from host.rules.inventory import paragraphs, readings
from host.words.names import post_words
from host.words.page import PAGE
from shared.round.deal import is_dealer_open
from shared.round.irregularities import LATER, RESTORABLE, situation_of
from shared.round.round import Round
from shared.round.states import DEALING, REVEALED, SETTLED
from shared.rules import policy
from shared.rules.rulebook import ONE_BY_ONE

# What is done otherwise if the error was put right.
MATTERS_IF_PUT_RIGHT = (policy.VOID_UNLESS_MOVED, policy.CHOOSE, *RESTORABLE)
# Players who know the result are not asked.
RESULT_KNOWN = {
    policy.CHOOSE: policy.ASK,
    policy.ORDER_AND_CHOOSE: policy.ASK,
    policy.HAND_OUT_AND_CHOOSE: "hand-out-and-ask",
}


def explain_kind(round_: Round, kind: str) -> list[dict[str, str]]:
    """What reporting this kind leads to now; more than one entry where it depends on whose hand it is."""
    places: list[tuple[str, int | None]] = [("", None)]
    if kind == "wrong_count":
        places = [("a player's hand", 1), ("the dealer's hand", 0)]
    return [explain(round_, situation_of(round_, kind, place), about) for about, place in places]


def explain_turned(round_: Round) -> list[dict[str, str]]:
    """What follows from a card that lies open, by who turned it."""
    is_dealing = round_.stage() == DEALING
    slip = explain(round_, "exposed_card" if is_dealing else "exposed_later", "turned by a slip")
    own = explain(round_, "own_card", "turned by its own player")
    if not is_dealing:  # its own player may do that once the deal is over
        own |= {"words": PAGE["action.play-on"]} | rule_of(round_.book, None, "X-15")
    return [slip, own]


def explain_settled_otherwise(round_: Round) -> dict[str, str]:
    """What follows if a card of a settled round lies elsewhere: was it paid for other hands?"""
    situation = situation_of(round_, "misdeal", None)
    entry = round_.book.IRREGULARITIES[situation]
    later = policy.ASK if entry.later == policy.STANDS else entry.later
    words = PAGE["told_first"] + " " + filled(round_, f"later.{later}")
    return {"about": "", "words": words} | rule_of(round_.book, entry.paragraph, entry.ruling)


def explain(round_: Round, situation: str, about: str = "") -> dict[str, str]:
    book = round_.book
    entry = book.IRREGULARITIES[situation]
    is_settled = round_.stage() == SETTLED
    words = filled(round_, f"later.{entry.later}") if is_settled else words_now(round_, situation, entry)
    return {"about": about, "words": words} | rule_of(book, entry.paragraph, entry.ruling)


def words_now(round_: Round, situation: str, entry: policy.Policy) -> str:
    action, state = entry.action, round_.stage()
    if action == policy.SECOND_VOIDS:
        return PAGE["action.second-exposed" if round_.exposures else "action.first-exposed"]
    if state == REVEALED or is_dealer_open(round_):
        action = RESULT_KNOWN.get(action, action)
    words = filled(round_, f"action.{action}")
    may_be_first = round_.table.deal.cards == ONE_BY_ONE and situation not in LATER
    if action == policy.TURN_DOWN and may_be_first and round_.book.PROCEDURE.first_card_exposed:
        words += " If it was the first card of a deal by hand, the round becomes void instead."
    if situation.endswith("_handled"):
        words = "A player has touched cards. " + words
    return words


def filled(round_: Round, code: str) -> str:
    role, ordering = round_.book.PROCEDURE.gap_role, round_.book.PROCEDURE.ordering_role or ""
    return PAGE[code].format(role=post_words(role), ordering=post_words(ordering))


def may_be_put_right(round_: Round, kind: str) -> bool:
    """Whether it makes a difference that the error was put right, for any hand."""
    situations = {situation_of(round_, kind, place) for place in (None, 0, 1)}
    return any(round_.book.IRREGULARITIES[one].action in MATTERS_IF_PUT_RIGHT for one in situations)


# -- paragraphs


@cache
def meanings() -> dict[tuple[str, str], str]:
    return {(row.rulebook, row.paragraph): row.meaning for row in paragraphs()}


@cache
def reading_texts() -> dict[str, str]:
    return {name: reading.reading for name, reading in readings().items()}


def rule_of(book: ModuleType, paragraph: str | None, ruling: str | None) -> dict[str, str]:
    """A paragraph and a reading with what they say; empty where there is none."""
    if paragraph in reading_texts() and not ruling:
        paragraph, ruling = None, paragraph
    return {
        "paragraph": paragraph or "",
        "meaning": meanings().get((book.ID, paragraph or ""), ""),
        "ruling": ruling or "",
        "reading": reading_texts().get(ruling or "", ""),
    }
