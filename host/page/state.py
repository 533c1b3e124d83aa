"""The table as the page shows it: one plain picture for everybody, and for each post what it may do now.

It is made in the table's thread from the service's view. Cards come from what may be shown alone, so the page
never shows one that the display would not; names and amounts of bets are shown as they lie on the layout.
"""

from itertools import islice
from typing import Any

from host.display.table_view import NO_HAND, Box, Hand, Limit, TableView
from host.page.consequences import rule_of
from host.page.console import offers
from host.page.public_log import told
from host.page.undo import Undo, effects, event_for, undo_of
from host.table.service import TableService
from host.table.view import ViewKeeper
from host.words.faults import ADVICE
from host.words.money import dollars
from host.words.names import place as place_words
from host.words.names import plain, post_words, staff_words
from host.words.page import state_words
from host.words.records import fields_of, rule_words
from host.words.refusals import refusal_words, sentence
from shared.round import states
from shared.round.round import Round
from shared.rules import cards
from shared.rules.rulebook import WIN

MOST_RECENT = 40

# A mood has a colour and a shape of its own; every other state is calm.
MOODS = {
    **dict.fromkeys((states.CLOSED, states.DEALING, states.PLAYING), "closed"),
    **dict.fromkeys((states.DECIDING, states.FROZEN), "wait"),
    states.BETTING: "open",
    states.VOID: "void",
}
QUALIFIES = {None: "", True: "qualifies", False: "does not qualify"}


# -- for everybody


def describe(service: TableService) -> dict[str, Any]:
    """The table for everybody; plain values that JSON can hold."""
    view, keeper = service.view, service.keeper
    round_, activity = keeper.round, keeper.activity
    is_on = round_ is not None and not round_.is_over()
    why = service.stale_why()
    config_problem = service.config_problem
    holds = [config_problem.words if config_problem else "", ADVICE.get(activity.held, "")]
    recent = (told(*one) for one in reversed(activity.recent))
    return {
        "table": service.table_name,
        "game": view.title,
        "operator": round_.book.OPERATOR if round_ else "",
        "rulebook": round_.book.ID if round_ else "",
        "limits": [limit_of(limit) for limit in view.limits],
        "round": describe_round(view),
        "dealer": hand_of(view.dealer) | {"qualifies": QUALIFIES[view.qualifies]},
        "boxes": describe_boxes(view, round_),
        "seen": [cards.text(card) for card in round_.seen] if round_ and is_on else [],
        "loose": len(round_.loose) if round_ and is_on else 0,
        "lines": [] if view.state == states.VOID else [line_of(keeper.shown, *line) for line in activity.lines],
        "meter": "" if view.meter is None else dollars(view.meter),
        "hand_pays": [
            {"player": name, "money": money_of(cents)}
            for name, cents in zip(round_.hand_pays if round_ else [], view.hand_pays)
        ],
        "question": describe_question(round_),
        "faults": [{"code": code, "words": plain(code), "advice": ADVICE.get(code, "")} for code in view.faults],
        "holds": [words for words in holds if words],
        "called": post_words(activity.called),
        "alarms": [alarm.words for alarm in service.alarms],
        "recent": list(islice(filter(None, recent), MOST_RECENT)),
        "link": {"up": why is None, "why": why.words if why else ""},
    }


def describe_round(view: TableView) -> dict[str, Any]:
    code = f"question.{view.question.kind}" if view.question else f"state.{view.state}"
    if view.state == states.VOID and view.was_reversed:
        code = "state.reversed"
    elif view.state == states.CLOSED and not view.boxes:
        code = "state.no_bets"
    words, text = state_words(code)
    mood = MOODS.get(view.state, "calm")
    return {"number": view.number, "state": view.state, "words": words, "sentence": text, "mood": mood}


def describe_boxes(view: TableView, round_: Round | None) -> list[dict[str, Any]]:
    if round_ is None:
        return []
    shown = {box.number: box for box in view.boxes}
    boxes = []
    for number in range(1, round_.table.boxes + 1):
        box = shown.get(number) or Box(number, NO_HAND, None, None, False, ())
        boxes.append(
            {
                "number": number,
                "hand": hand_of(box.hand if box.hand.lying else lying_there(round_, number)),
                "stands": box.stands or "",
                "decision": box.decision or "",
                "out": box.out,
                "bets": bets_of(round_, number),
                "outcomes": [outcome._asdict() for outcome in box.outcomes],
            }
        )
    return boxes


def lying_there(round_: Round, box: int) -> Hand:
    """Cards of a hand that is out, or where nobody has a bet: they lie there all the same, and can be told of."""
    return Hand(0 if round_.is_over() else len(round_.hands.get(box, ())))


def describe_question(round_: Round | None) -> dict[str, Any] | None:
    if round_ is None or round_.state != states.FROZEN:
        return None
    question: Any = round_.question
    role = question.role if question.kind != states.CHECK else "dealer"
    return {
        "kind": question.kind,
        "situation": plain(question.situation),
        "words": state_words(f"question.{question.kind}")[1],
        "who": post_words(role) + ("" if role == round_.table.roles[-1] else " or above"),
        "rule": rule_of(round_.book, question.paragraph, question.ruling),
        "pending": [f"{player} on {place_words(box)}" if box else player for box, player in round_.pending],
    }


def limit_of(limit: Limit) -> dict[str, Any]:
    least, most = dollars(limit.least), dollars(limit.most)
    return {"wager": limit.wager, "main": limit.is_main, "text": least if least == most else f"{least} to {most}"}


def hand_of(hand: Hand) -> dict[str, Any]:
    return {"lying": hand.lying, "cards": list(hand.cards), "name": hand.name}


def money_of(cents: int | None) -> str:
    return "" if cents is None else dollars(cents)


def bets_of(round_: Round, number: int) -> list[dict[str, str]]:
    """What lies on a box, in the order of placing."""
    return [
        {
            "player": bet.player,
            "wager": round_.book.WAGERS[bet.place].title,
            "money": dollars(bet.cents) if round_.table.amounts else "chips",
        }
        for bet in round_.in_play()
        if bet.box == number
    ]


def line_of(round_: Round | None, box: int | None, record: list[Any]) -> dict[str, Any]:
    """What was paid or collected: a wager, the book's bonus or an Envy Bonus."""
    fields = fields_of(record)
    bonus = round_.book.BONUS.title.lower() if round_ and record[0] == "bonus" else "envy bonus"
    paid = fields["cents"] if record[0] == "envy" else fields["paid"]
    return {
        "box": box,
        "player": fields["player"],
        "wager": plain(fields["wager"]) if record[0] == "line" else bonus,
        "result": fields.get("result", WIN),
        "stake": money_of(fields.get("stake")),
        "paid": money_of(paid),
        "returned": money_of(fields.get("returned", paid)),
        "rule": rule_words(record),
    }


# -- for staff


def describe_console(keeper: ViewKeeper, post: str) -> dict[str, Any]:
    """What this post may do now, and what of the last slip can be undone."""
    if keeper.round is None:
        return {"offers": [], "undo": None}
    activity = keeper.activity
    found = offers(keeper.round, keeper.replay.faults, post, activity.asked, activity.placed)
    return {"offers": found, "undo": describe_undo(keeper, post)}


def describe_undo(keeper: ViewKeeper, post: str) -> dict[str, Any] | None:
    undo, round_, slip = undo_now(keeper), keeper.round, keeper.activity.slip
    if undo is None or round_ is None or slip is None:
        return None
    problem = round_.verify(event_for(undo, post))
    return {
        "number": slip.number,
        "label": undo.label,
        "staff": staff_words(slip.staff),
        "possible": problem is None,
        "why": sentence(refusal_words(*problem[1:])) if problem else "",
        "rule": (problem[0] or "") if problem else "",
        "lines": effects(round_, undo, post) if problem is None else [],
    }


def undo_now(keeper: ViewKeeper) -> Undo | None:
    """What undoes the last slip as the table stands."""
    round_, slip = keeper.round, keeper.activity.slip
    return undo_of(round_, slip) if round_ and slip else None
