"""What an irregularity will lead to, in plain words, before anybody confirms it: the policy of the running book.

The words follow shared/round/irregularities.py; paragraphs with their meaning come from host/rules.
"""

from functools import cache
from types import ModuleType
from typing import Any

from host.rules.inventory import paragraphs, readings
from host.words.names import post_words
from shared.round.irregularities import MENDABLE, situation_of
from shared.round.round import Round
from shared.round.states import DEALING, FROZEN, REVEALED, SETTLED
from shared.rules import policy

KIND_WORDS = {
    "foreign_card": "Foreign card",
    "deck_count": "Deck short or over",
    "not_shuffled": "Cards not shuffled",
    "misdeal": "Misdeal",
    "wrong_count": "Wrong number of cards in a hand",
    "exposed_card": "Exposed card",
    "drawn_together": "Two cards drawn together",
    "too_few_cards": "Too few cards left",
    "technical": "Technical failure",
    "left": "Player left the table",
    "other": "Something else",
}
ASK_WORDS = "The book leaves this open. The round is frozen until the {role} or above has ruled."
ACTION_WORDS = {
    policy.VOID: "The round becomes void: nothing wins or loses, and every bet goes back.",
    policy.VOID_UNLESS_MOVED: "If moving whole hands puts it right, say so: play goes on and nobody is asked. "
    "If not, the round becomes void and every bet goes back.",
    policy.VOID_UNLESS_REBUILT: "If the cards can be put back in order, say so: play goes on. "
    "If not, the round becomes void and every bet goes back.",
    policy.PLAY_ON: "It is noted, and play goes on.",
    policy.TURN_DOWN: "The card is turned face down, and play goes on.",
    policy.CHOOSE: "Play stops. Every player chooses, for each box with a bet of his, to go on or to have his "
    "bets back. Whoever gives no answer goes on.",
    policy.HAND_OUT: "That hand goes out and its bets go back. The others play on.",
    policy.HAND_OUT_AND_CHOOSE: "That hand goes out and its bets go back, unless it was put right. Every player "
    "who is left chooses to go on or to have his bets back.",
    policy.ORDER_AND_CHOOSE: "Play stops. The {ordering} or above says which card comes first; then every player "
    "chooses to go on or to have his bets back.",
    policy.OUTCOME_OR_VOID: "If the cards that the table has seen decide a bet for certain, the round is "
    "finished. If not, it becomes void and every bet goes back.",
    policy.OUTCOME_OR_WITHDRAW: "If the cards that the table has seen decide a bet for certain, the round is "
    "finished. If not, every player may withdraw all his wagers.",
    policy.ASK: ASK_WORDS,
}
LATER_WORDS = {
    policy.REVERSE: "The round is settled. What was paid is taken back and the bets are returned; this takes a "
    "Pit Supervisor or above.",
    policy.STANDS: "The round is settled and stands. It is noted.",
    policy.ASK: "The round is settled. It is frozen until the {role} or above has ruled whether that stands; "
    "reporting it takes a Pit Supervisor or above.",
}
RULING_WORDS = {
    "continue": "The round goes on from where it stopped.",
    "void": "The round becomes void: nothing wins or loses, every bet goes back, and what was paid is taken "
    "back.",
    "hand_out": "The hand of that box goes out and its bets go back. The others play on.",
    "fold": "The hand of that box is folded.",
    "order": "Your words on the order of the cards are recorded; then every player is asked to go on or "
    "withdraw.",
}


def state_of(round_: Round) -> str:
    """The state, or for a frozen round the one that it goes back to."""
    resume: Any = round_.resume
    return resume if round_.state == FROZEN else round_.state


def explain_kind(round_: Round, kind: str) -> list[dict[str, str]]:
    """What reporting this kind leads to now; more than one entry where it depends on whose hand it is."""
    places: list[tuple[str, int | None]] = [("", None)]
    if kind == "wrong_count":
        places = [("a player's hand", 1), ("the dealer's hand", 0)]
    return [explain(round_, situation_of(round_, kind, place), about) for about, place in places]


def explain(round_: Round, situation: str, about: str = "") -> dict[str, str]:
    book = round_.book
    entry = book.IRREGULARITIES[situation]
    is_settled = state_of(round_) == SETTLED
    words = filled(round_, LATER_WORDS[entry.later]) if is_settled else words_now(round_, situation, entry)
    return {"about": about, "words": words} | rule_of(book, entry.paragraph, entry.ruling)


def words_now(round_: Round, situation: str, entry: policy.Policy) -> str:
    action, state = entry.action, state_of(round_)
    if action == policy.SECOND_VOIDS:
        if state != DEALING:
            action = policy.ASK
        elif round_.exposures:
            return "It is the second such card of this deal. " + ACTION_WORDS[policy.VOID]
        else:
            return "It is noted, and play goes on. A second such card in the same deal voids the round."
    if state == REVEALED and action in (policy.CHOOSE, policy.ORDER_AND_CHOOSE):
        action = policy.ASK  # players who know the result are not asked
    words = filled(round_, ACTION_WORDS[action])
    if entry.action == policy.TURN_DOWN and round_.book.PROCEDURE.first_card_exposed:
        words += " If it was the first card of a deal by hand, the round becomes void instead."
    if situation.endswith("_handled"):
        words = "A player has touched cards. " + words
    return words


def filled(round_: Round, words: str) -> str:
    procedure = round_.book.PROCEDURE
    return words.format(role=post_words(procedure.gap_role), ordering=post_words(procedure.ordering_role or ""))


def is_mendable(round_: Round, kind: str) -> bool:
    """Whether it makes a difference that the error was put right, for any hand."""
    situations = {situation_of(round_, kind, place) for place in (None, 0, 1)}
    return any(round_.book.IRREGULARITIES[one].action in MENDABLE for one in situations)


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
