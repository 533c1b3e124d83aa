"""What puts a slip right: the event that undoes the last thing that staff did, where the rules have one.

Nothing is ever unwritten. The undo is an event of its own, in the log as the slip is, by a post that may do it.
"""

from copy import deepcopy
from typing import Any, NamedTuple

from host.page.public_log import public_words, told_event
from host.table.activity import Slip
from host.words.names import capital
from host.words.page import PAGE
from host.words.records import rule_words
from shared.round.bets import find_bet, wager_place
from shared.round.events import Refused, plain_event, read_event
from shared.round.round import Round
from shared.round.states import BETTING, FROZEN, RULING, SETTLED, VOID

Event = dict[str, Any]


class Undo(NamedTuple):
    """`says` is what it does, where the records that it would cause do not tell."""

    event: Event  # without the post of the one who does it
    needs_post: bool = True
    says: tuple[dict[str, str], ...] = ()
    label: str = ""


def undo_of(round_: Round, slip: Slip) -> Undo | None:
    """None where nothing undoes it; then a supervisor reports it as something else that went wrong."""
    try:
        name, fields = read_event(slip.event)
    except Refused:
        return None
    make = UNDOING.get(name)
    undo = make(round_, slip, fields) if make else None
    return undo and undo._replace(label=f"Undo: {undo.label or told_event(slip.event, True)}")


def undo_bet(round_: Round, slip: Slip, fields: Event) -> Undo | None:
    if round_.state != BETTING:
        return None  # chips taken back later would still play
    bet = find_bet(round_, fields["box"], fields["player"], wager_place(round_, fields["wager"]))
    if bet is None:
        return None
    event = {"event": "take_back"} | {field: fields[field] for field in ("box", "player", "wager")}
    if round_.table.amounts:
        gone_back = sum(record[4] for record in slip.caused if record[0] == "refund" and record[2] == bet.player)
        cents = min(fields["cents"] - gone_back, bet.cents)
        if cents <= 0:
            return None
        event["cents"] = cents
    return Undo(event, False)


def undo_take_back(round_: Round, slip: Slip, fields: Event) -> Undo | None:
    refunds = [record for record in slip.caused if record[0] == "refund"]
    if round_.state != BETTING or not refunds:
        return None
    event = {"event": "bet"} | {field: fields[field] for field in ("box", "player", "wager")}
    if round_.table.amounts:
        event["cents"] = refunds[0][4]
    return Undo(event, False)


def undo_seat(round_: Round, slip: Slip, fields: Event) -> Undo | None:
    return Undo({"event": "seat", **fields, "seated": not fields["seated"]}, False)


def undo_counted(round_: Round, slip: Slip, fields: Event) -> Undo | None:
    before = [record[4] for record in slip.caused if record[0] == "recounted"]
    return Undo({"event": "counted", **fields, "lay": before[0]}) if before else None


def undo_lies(round_: Round, slip: Slip, fields: Event) -> Undo | None:
    """The card lies where it was taken to lie before, unless something has followed from it."""
    told = [record for record in slip.caused if record[0] == "lies"]
    if not told or len(slip.caused) > 1 or round_.state == VOID:
        return None
    _, card, before, place = told[0]
    return Undo({"event": "lies", "card": card, "place": before, "before": place})


def undo_report(round_: Round, slip: Slip, fields: Event) -> Undo | None:
    """Reported by mistake, while the round waits for a ruling on it: play goes on."""
    asked = [record for record in slip.caused if record[0] == "ask"]
    question: Any = round_.question
    if round_.state != FROZEN or question.kind != RULING or not asked:
        return None
    event = {"event": "ruling", "decision": "continue", "text": "reported by mistake"}
    words = f"This is a ruling on the report. {PAGE['ruling.continue']}"
    says = ({"words": words, "rule": rule_words(asked[0])},)
    return Undo(event, says=says)


def undo_settle(round_: Round, slip: Slip, fields: Event) -> Undo | None:
    """Settled by mistake: it is reported, and a post that may rule says whether the round stands."""
    if round_.state != SETTLED:
        return None
    event = {"event": "irregularity", "kind": "other", "text": "settled by mistake"}
    return Undo(event, label="report that this was settled by mistake")


def undo_restrict(round_: Round, slip: Slip, fields: Event) -> Undo | None:
    if fields["player"] is None:
        return None
    return Undo({"event": "restrict", "player": fields["player"], "limit": 1 - fields["limit"]})


UNDOING = {
    "bet": undo_bet,
    "take_back": undo_take_back,
    "seat": undo_seat,
    "counted": undo_counted,
    "lies": undo_lies,
    "irregularity": undo_report,
    "cards_counted": undo_report,
    "settle": undo_settle,
    "restrict": undo_restrict,
}


def event_for(undo: Undo, post: str) -> Event:
    return undo.event | {"by": post} if undo.needs_post else undo.event


# -- what would happen


def effects(round_: Round, undo: Undo, post: str) -> list[dict[str, str]]:
    """What an undo does, for the one who confirms it; never nothing."""
    event = plain_event(*read_event(event_for(undo, post)))
    lines = [*undo.says, *foreseen(round_, event)]
    return lines or [{"words": capital(told_event(event, True)), "rule": ""}]


def foreseen(round_: Round, event: Any) -> list[dict[str, str]]:
    """What an event would cause, played on a copy of the round; the round itself is left as it is."""
    trial = deepcopy(round_, {id(round_.table): round_.table, id(round_.book): round_.book})
    lines = []
    for record in trial.apply(event):
        words = None if record[0] == "event" else public_words(record, round_.book)
        if words:
            lines.append({"words": capital(words), "rule": rule_words(record)})
    return lines
