"""The staff console: which actions are possible now for a post, if not why, and the command that each becomes.

What is possible is asked of the round itself (`verify`); anything sent all the same is refused by the table.
No question asked here depends on a card that lies face down, so nobody learns of one from the console.
"""

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from host.page.actions import (
    BY_STAFF,
    EARLIER,
    PROBES,
    SERVICE,
    Action,
    Input,
    Pick,
    actions,
    cards_on_table,
    find_action,
    is_asked,
)
from host.page.consequences import explain_kind, explain_settled_otherwise, explain_turned, rule_of
from host.words.faults import ADVICE
from host.words.money import BadAmount, read_money
from host.words.names import plain, post_words
from host.words.page import PAGE
from host.words.refusals import field_at_fault, refusal_words, sentence
from shared.round.bets import bets_on
from shared.round.events import EVENTS, MAX_NAME, Refused, plain_event, read_event
from shared.round.round import Round
from shared.round.states import ORDER, SETTLED, TELL
from shared.rules import cards
from shared.values import clean, is_int

ANY_TIME = ("restrict", "hand_paid", "new_day")  # events that mean the same in every round and every state
MOMENT_LENGTH = 16
ABOUT_PLACES = ("entered", "lies")  # events whose meaning changes with every card that comes or lies elsewhere
DEALERS_FAULTS = ("shuffler_jam", "shuffler_door")  # which a dealer may clear
ANY_CARD = "2C"
Refusal = tuple[str | None, str, list[Any]]  # paragraph, code and detail, as Round.verify gives them


# -- what is possible now


def offers(round_: Round, faults: Sequence[str], post: str, asked: int, placed: int = 0) -> list[dict[str, Any]]:
    """Everything on the console for this post: whether it is possible now, if not why, and what it asks for.

    `asked` counts the questions so far, `placed` how often a card came to a place: an offer holds for a moment.
    """
    found = [offer(round_, action, post, asked, placed) for action in actions(round_)]
    found += [clear_offer(round_, code, post) for code in faults]
    for called in posts_to_call(round_):
        found.append(plain_offer(f"call_{called}", f"Call the {post_words(called)}", SERVICE, False, []))
    return found


def posts_to_call(round_: Round) -> Sequence[str]:
    roles = round_.table.roles
    return roles[roles.index("pit_supervisor") :]


def clear_offer(round_: Round, code: str, post: str) -> dict[str, Any]:
    explains = [{"about": "", "words": ADVICE.get(code, PAGE["see_to_it"])} | rule_of(round_.book, None, None)]
    needed = "dealer" if code in DEALERS_FAULTS else round_.table.posts["faults"]
    offered = plain_offer(f"clear_{code}", f"Clear fault: {plain(code)}", SERVICE, True, explains)
    if round_.table.role_reaches(post, needed):
        return offered
    return offered | {"possible": False, "why": sentence(refusal_words("post_too_low", [needed]))}


def plain_offer(
    name: str, label: str, group: str, confirm: bool, explains: list[dict[str, str]]
) -> dict[str, Any]:
    """Something that is always possible and asks for nothing."""
    return {
        "action": name,
        "label": label,
        "group": group,
        "possible": True,
        "why": "",
        "rule": "",
        "picks": [],
        "inputs": [],
        "confirm": confirm,
        "primary": False,
        "explains": explains,
        "moment": "",
    }


def offer(round_: Round, action: Action, post: str, asked: int, placed: int) -> dict[str, Any]:
    open_fields = [one.field for one in action.inputs]
    picks = []
    refusal: Refusal | None = None
    for pick in action.picks(round_) if action.picks else [Pick("", {})]:
        problem = problem_of(round_, action, pick.fields, post, open_fields)
        if problem is None:
            picks.append(pick)
        elif refusal is None or field_at_fault(*refusal[1:]) == "by":
            refusal = problem
    if action.picks and not picks and refusal is None:
        refusal = (None, "nothing_there", [])
    paragraph, code, detail = refusal or (None, "", [])
    explains = explanations(round_, action)
    return plain_offer(action.name, action.label, action.group, action.confirm, explains) | {
        "possible": bool(picks),
        "why": "" if picks else sentence(refusal_words(code, detail)),
        "rule": "" if picks else paragraph or "",
        "picks": [pick._asdict() for pick in picks] if action.picks else [],
        "inputs": [describe_input(round_, one) for one in inputs_of(round_, action)],
        "primary": action.primary,
        "moment": moment_of(round_, action, explains, asked, placed),
    }


def describe_input(round_: Round, wanted: Input) -> dict[str, Any]:
    options = wanted.options(round_) if wanted.options else []
    return wanted._asdict() | {"options": [one._asdict() for one in options]}


def problem_of(
    round_: Round, action: Action, fields: dict[str, Any], post: str, open_fields: list[str]
) -> Refusal | None:
    """Why it is not possible now, leaving aside what staff have still to fill in."""
    probes = {field: PROBES[field] for field in open_fields if field in PROBES}
    event: dict[str, Any] = {"event": action.event, **action.fixed, **probes, **fields}
    if "at" in fields:
        del event["of"], event["at"]
        event["card"] = PROBES["card"]
        open_fields = [*open_fields, "card"]
    if action.event == "entered":
        event["card"] = ANY_CARD  # where one is missing is looked at after its name
    if action.event == "decide":
        event["choice"] = "play"  # whether a fold needs `sure` tells of the hand, so it is not asked before
    if "cents" in open_fields and action.event == "bet" and round_.table.amounts:
        event["cents"] = sample_cents(round_, fields["wager"])
    if "lay" in open_fields:
        event["lay"] = sample_cents(round_, fields["wager"])
    # A side wager may need its player's main wager, so those who have one there are asked for too.
    names = (
        [bet.player for bet in bets_on(round_, fields["box"])]
        if event.get("player") == PROBES["player"] and "box" in fields
        else []
    )
    problems = [
        round_.verify(with_post(event | ({"player": name} if name else {}), action, post))
        for name in (None, *dict.fromkeys(names))
    ]
    for problem in problems:
        if problem is None or field_at_fault(*problem[1:]) in open_fields:
            return None
    return problems[0]


def sample_cents(round_: Round, wager: str) -> int:
    """An amount that would do, for asking whether bets are taken there at all."""
    table: Any = round_.table
    place = [one.name for one in round_.book.WAGERS].index(wager)
    if place == table.progressive:
        return table.stake
    least = table.limits[place][0] if table.limits[place] else table.chip
    return -(-least // table.chip) * table.chip


def inputs_of(round_: Round, action: Action) -> list[Input]:
    """The fields that this table and book have."""
    has_no = {"money": not round_.table.amounts, "placed": not round_.book.PROCEDURE.staff_bets}
    return [one for one in action.inputs if not has_no.get(one.kind) and not has_no.get(one.field)]


def explanations(round_: Round, action: Action) -> list[dict[str, str]]:
    """What it will lead to, for an action that is confirmed before it is sent."""
    book = round_.book
    if action is EARLIER:
        paragraph, ruling = book.PROCEDURE.past_stands
        words = "Rounds before this one stand. It is noted, and nothing is paid or taken back."
        return [{"about": "", "words": words} | rule_of(book, paragraph, ruling)]
    if action.event == "irregularity":
        return explain_kind(round_, action.fixed["kind"])
    if action.event == "ruling":
        paragraph, ruling = book.PROCEDURE.gap
        question: Any = round_.question
        if question.kind == ORDER:
            paragraph, ruling = question.paragraph, question.ruling
        words = "Your ruling is recorded with your name and post."
        return [{"about": "", "words": words} | rule_of(book, paragraph, ruling)]
    if action.event == "turned":
        return [] if is_asked(round_, TELL) else explain_turned(round_)
    if action.event == "entered":
        return [{"about": "", "words": PAGE["entered"]} | rule_of(book, None, "X-25")]
    if action.event == "lies" and round_.stage() == SETTLED:
        return [] if is_asked(round_, TELL) else [explain_settled_otherwise(round_)]
    return []


# -- the moment: a sheet on the page may be open for minutes while the table plays on


def moment_of(round_: Round, action: Action, explains: list[dict[str, str]], asked: int, placed: int) -> str:
    """What staff look at when they decide; an order that comes with another moment is not sent to the table.

    Empty for what is sent as it is touched, and for what means the same at any time. `asked` counts the questions
    so far, as two of a kind look alike, and `placed` the cards, which nobody may learn of.
    """
    asks = action.confirm or action.picks or action.inputs
    if not asks or action.event in ANY_TIME or action is EARLIER:
        return ""
    # Which card is the second of a hand, and where one is missing, also changes when a hand goes out.
    cards = [placed, round_.next_place()] if action.event in ABOUT_PLACES else None
    seen = [round_.number, round_.state, round_.question, asked, cards, explains]
    return sha256(json.dumps(seen).encode()).hexdigest()[:MOMENT_LENGTH]


def moment_now(round_: Round, name: str, asked: int, placed: int = 0) -> str:
    """The moment of an action that is on the console now; empty for any other."""
    action = find_action(round_, name)
    return moment_of(round_, action, explanations(round_, action), asked, placed) if action else ""


# -- the command


class Order(NamedTuple):
    """What is sent to the table; `undoes` is the number of the record that it takes back."""

    command: str
    arguments: list[Any]
    undoes: int | None = None


def order_of(round_: Round, name: str, given: dict[str, Any], post: str) -> Order:
    """The command of an action with its fields filled in; ValueError says in words what is wrong."""
    kind, _, rest = name.partition("_")
    if kind == "clear" and rest in ADVICE:
        return Order("clear", [rest, post])
    if kind == "call" and rest in posts_to_call(round_):
        return Order("call", [rest])
    action = find_action(round_, name)
    if action is None:
        raise ValueError("This is not on the console now. Look at the table as it stands, then choose again.")
    event: dict[str, Any] = {"event": action.event, **action.fixed}
    declared = [field.rstrip("?") for field in EVENTS[action.event]]
    inputs = {one.field: one for one in inputs_of(round_, action)}
    if action.picks is cards_on_table:
        by_place = ("of", "at")
        card = card_at(round_, *[given.get(field) for field in by_place])
        given = {field: value for field, value in given.items() if field not in by_place} | card
    if any(one.options and not one.optional and one.field not in given for one in inputs.values()):
        raise ValueError("Choose one of those above.")
    for field, value in given.items():
        if field in inputs:
            value = read_input(round_, inputs[field], value)
        if field == "placed":
            if value:
                event["by"] = post
        elif field == "by" or field in action.fixed or field not in declared:
            raise ValueError(f"{clean(str(field), MAX_NAME)}: not a field of this")
        elif value is not None:
            event[field] = value
    try:
        return Order("event", plain_event(*read_event(with_post(event, action, post))))
    except Refused as refusal:
        raise ValueError(sentence(refusal_words(refusal.code, refusal.detail))) from None


def card_at(round_: Round, place: Any, at: Any) -> dict[str, Any]:
    """The card in a place of the table, for the table alone: nobody is told which one it is."""
    held = round_.loose if place is None else round_.hands.get(place, []) if is_int(place) else []
    if not is_int(at) or not 0 <= at < len(held):
        raise ValueError(PAGE["moved_on"])
    found = {"card": cards.text(held[at])}
    return found | ({"before": place} if held[at] == cards.UNKNOWN and place is not None else {})


def with_post(event: dict[str, Any], action: Action, post: str) -> dict[str, Any]:
    return event | {"by": post} if action.event in BY_STAFF or action.name == "opened" else event


def read_input(round_: Round, wanted: Input, value: Any) -> Any:
    """What was typed, as the event has it; None if nothing was. A number for money is a pick's, in cents."""
    if wanted.options:
        if not any(type(value) is type(one.value) and value == one.value for one in wanted.options(round_)):
            raise ValueError(f"{wanted.label}: expected one of the choices")
        return None if value == "" else value
    if wanted.kind == "flag":
        if value not in (True, False, None):
            raise ValueError(f"{wanted.label}: expected yes or no")
        return value or None
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        raise ValueError(f"{wanted.label}: expected text")
    if wanted.kind == "money" and isinstance(value, int):
        return value
    text = str(value).strip()
    if not text:
        if wanted.optional:
            return None
        raise ValueError(f"{wanted.label}: fill this in")
    if wanted.kind == "money":
        try:
            return read_money(text)
        except BadAmount as problem:
            raise ValueError(f"{wanted.label}: {problem}") from None
    if wanted.kind == "count":
        if not (text.isascii() and text.isdigit() and len(text) <= 9):
            raise ValueError(f"{wanted.label}: expected a whole number")
        return int(text)
    return text.upper() if wanted.kind == "card" else text


def who_words(name: str, post: str) -> str:
    """Name and post for the log, which keeps forty characters of it: of a long name the end goes."""
    behind = f", {post}"
    return name[: MAX_NAME - len(behind)] + behind
