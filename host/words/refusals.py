"""Refusals in words: one template for each code that the table, or the host itself, refuses something by."""

from collections.abc import Sequence
from typing import Any

from host.words.faults import ADVICE
from host.words.money import dollars
from host.words.names import plain, post_words
from shared.round.table import BadConfig

# Each code with the names of its details in order, and its words. A detail called `field` names the field of the
# event or of the configuration that is at fault.
REFUSALS = {
    # the shape of an event
    "not_event": ((), 'expected a list, or an object with the event\'s name under "event"'),
    "no_such_event": (("event",), "there is no event {event}"),
    "too_many_fields": (("event", "count"), "{event} has only {count} fields"),
    "no_such_field": (("field", "of"), "{field}: {of} has no such field"),
    "missing": (("field",), "{field}: missing"),
    "not_number": (("field", "least", "most"), "{field}: expected a whole number from {least} to {most}"),
    "not_flag": (("field",), "{field}: expected true or false"),
    "not_text": (("field", "most"), "{field}: expected plain text of at most {most} characters, without accents"),
    # any event
    "not_now": (("state",), "not possible now: {state}"),
    "not_in_book": ((), "this rulebook does not provide for it"),
    "waiting": (("question", "situation", "post"), "{question}"),
    "no_such_post": (("post",), "there is no post {post} at this table"),
    "post_too_low": (("post",), "this needs a {post} or above"),
    "no_such_wager": (("wager",), "this game has no wager {wager}"),
    "no_such_bet": ((), "this player has no such bet in play"),
    "no_such_choice": (("choice",), "{choice} is not one of the choices"),
    "no_hand": (("box",), "box {box} has no hand in play"),
    "face_up": ((), "this hand lies face up already"),
    "decided": ((), "this box has decided already"),
    # betting
    "jackpot_unpaid": ((), "a jackpot must be paid by hand first"),
    "no_jackpot_due": ((), "no jackpot is due to this player"),
    "no_staff_bets": ((), "in this game staff place no bets for players"),
    "bets_closed": (("ruling",), "bets are closed; chips laid now go back, win or lose ({ruling})"),
    "made_by_deciding": (("wager",), "the {wager} wager is made by deciding to play"),
    "needs_main": ((), "this wager needs the main wager first"),
    "box_taken": (("ruling",), "another player has this box ({ruling})"),
    "one_position": ((), "a Pit Manager holds this player to one position"),
    "area_full": (("wagers",), "this area holds {wagers} wagers already"),
    "amounts_unknown": (("field",), "this table does not know amounts"),
    "not_multiple": (("field", "cents", "chip"), "{cents} is not a multiple of the {chip} chip"),
    "progressive_stake": (("cents",), "the progressive wager is {cents}"),
    "progressive_placed": ((), "the progressive wager is placed already"),
    "progressive_whole": ((), "the progressive wager can only be taken back whole"),
    "over_maximum": (("cents",), "this is over the maximum of {cents}"),
    "under_minimum": (("cents",), "this is under the minimum of {cents}"),
    "box_full": (("cents",), "the box is full: its maximum is {cents}"),
    # corrections
    "more_than_bet": (("cents",), "only {cents} is there"),
    "chips_gone": ((), "chips of this bet were taken away already"),
    "stays_at_stake": (("ruling",), "no bet may be taken back after closing; it stays at stake ({ruling})"),
    "amount_fixed": ((), "the amount of this wager is fixed"),
    "cards_out": ((), "cards are out; only the amount of a known bet can be corrected"),
    # playing
    "not_seated": ((), "only a seated player looks at the cards"),
    "other_looks": ((), "another player looks at this hand"),
    "looked_once": ((), "this player has looked at one hand already; the dealer opens the others"),
    "show_after_play": ((), "a hand is shown after its player has decided to play"),
    "decides_first": (("box",), "box {box} decides first"),
    "play_equals_main": ((), "the play wager must equal the main wager"),
    "fold_pays": ((), "this hand would be paid; confirm that the player folds it all the same"),
    "undecided": (("box", "ruling"), "box {box} has not decided, and no hand folds by itself ({ruling})"),
    "not_face_up": (("boxes",), "not yet face up: box {boxes}"),
    # irregularities and their answers
    "no_such_kind": (("irregularity",), "there is no irregularity {irregularity}"),
    "not_dealt": (("field",), "{field}: no such card lies in a hand in play"),
    "no_misdeal": ((), "no misdeal or wrong count was reported"),
    "same_card": ((), "name two different cards"),
    "not_asked": ((), "nobody is asked for this now"),
    "no_such_decision": (("decision",), "{decision} is not possible here"),
    # the configuration
    "not_object": (("field",), "{field}: expected named fields"),
    "given_twice": (("field",), "{field}: given twice"),
    "no_such_book": (("field", "book"), "{field}: there is no rulebook {book}"),
    "not_one_of": (("field", "choices"), "{field}: expected one of {choices}"),
    "not_posts": (("field", "most"), "{field}: expected a list of new posts, at most {most} posts in all"),
    "not_limits": (("field",), "{field}: expected [minimum, maximum], the smaller first"),
    "too_few_sensors": (("field", "count"), "{field}: the board has sensors for only {count}"),
    # other commands
    "no_such_command": (("command",), "there is no command {command}"),
    "number_used": (("number",), "another command had the number {number}; send it again under a new one"),
    "bad_arguments": ((), "the command does not have the arguments that it needs"),
    "no_such_fault": (("fault",), "the fault {fault} is not latched"),
    "round_running": ((), "a round is running; do this after it"),
    "cut_off": ((), "the power failed before this was done; do it again"),
    "before_update": ((), "this was refused before the table was updated; the log says why"),
    # the host's own
    "table_away": ((), "the table was away. Look at it, then decide again"),
    "no_table": ((), "the table is not joined, so nothing was done. Wait until it is back, then do it again"),
    "catching_up": (
        (),
        "the table is back, but its latest records are still on their way, so nothing was done. Look, "
        "then decide again",
    ),
    "host_stopped": ((), "Felt has stopped, so nothing was done"),
    "not_confirmed": (
        (),
        "the table was lost before it answered. See in the log whether it was done before you do it again",
    ),
    "unsendable": ((), "this is too long for the table, or not plain text, numbers, flags and lists"),
    "bad_json": (("problem",), "{problem}"),
    "nothing_there": ((), "no hand is on the table yet"),
}

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
    "same_card": "with",
    "no_such_decision": "decision",
}

# Why a message of the link does not count.
DENIED = {
    "no_session": "there is no session",
    "bad_hi": "not sealed by the table's key over its last hello",
    "bad_reply": "not sealed by the table's key over this host's last hi",
    "altered": "its seal does not fit",
    "replayed": "it came before",
    "bad_field": "not as declared: {0}",
    "other_table": "this is table {0}, not {1}",
}

STATES = {
    "idle": "no round is open",
    "betting": "betting is open",
    "closed": "bets are closed",
    "dealing": "cards are being dealt",
    "playing": "players are looking at their hands",
    "deciding": "players are deciding",
    "revealed": "the dealer's hand is shown",
    "settled": "the round is settled",
    "void": "the round is void",
    "frozen": "the round waits for an answer",
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
    try:
        return DENIED[code].format(*detail)
    except (KeyError, IndexError):
        return refusal_words(code, detail)


def sentence(words: str) -> str:
    """The same as a sentence: with a capital and a full stop."""
    words = words[:1].upper() + words[1:]
    return words if words.endswith((".", "?", "!")) else words + "."


def value_words(name: str, value: Any, named: dict[str, Any]) -> str:
    if name in MONEY:
        return dollars(value)
    if name == "post":
        return post_words(value)
    if name == "state":
        return STATES.get(value, plain(value))
    if name == "question":
        return waiting_words(value, named["situation"], named["post"])
    return plain(value) if name in PLAIN else str(value)


def waiting_words(question: str, situation: str, post: str) -> str:
    if question == "choose":
        return "players must choose first"
    return f"a {post_words(post)} must answer first ({plain(question)}, {plain(situation)})"
