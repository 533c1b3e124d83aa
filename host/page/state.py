"""The table as the page shows it: one plain picture for everybody, and for each post what it may do now.

It is made in the table's thread from the records of the log. Cards come from the display's view alone, so the
page never shows one that the display would not; names and amounts of bets are shown as they lie on the layout.
"""

from collections import deque
from typing import TYPE_CHECKING, Any

from host.display.view import UNKNOWN, Hand, TableView, ViewKeeper
from host.page.consequences import rule_of
from host.page.console import moment_now, offers, refusal_words
from host.page.public_log import told
from host.page.undo import Slip, Undo, effects, event_for, has_no_way_back, undo_of
from host.log.strict_replay import UNPLAYABLE
from host.words.money import dollars
from host.words.records import place as place_words
from host.words.records import plain, post_words, rule_words, staff_words
from shared.link.faults import ADVICE
from shared.round.round import Round
from shared.round.states import (
    BETTING,
    CHECK,
    CHOOSE,
    CLOSED,
    DEALING,
    DECIDING,
    FROZEN,
    IDLE,
    NO_ROUND,
    ORDER,
    PLAYING,
    REVEALED,
    RULING,
    SETTLED,
    VOID,
)
from shared.rules import cards
from shared.rules.rulebook import WIN

if TYPE_CHECKING:
    from host.table.service import TableService

KEPT_HAPPENINGS = 40
TELLS_UNDO = ("refund", "recounted", "ask")  # what an undo must know of what a slip caused

# The state in a few words, in a sentence, and as a mood that has a colour and a shape of its own.
STATES = {
    UNKNOWN: ("Starting", "Nothing is known of the table yet.", "calm"),
    IDLE: ("Stand by", "Betting is not open.", "calm"),
    BETTING: ("Place your bets", "Betting is open.", "open"),
    CLOSED: ("No more bets", "Betting is closed. The cards come next.", "closed"),
    DEALING: ("No more bets", "The cards are being dealt.", "closed"),
    PLAYING: ("No more bets", "Players look at their hands and put them back.", "closed"),
    DECIDING: ("Play or fold", "Players decide, one box after the other.", "wait"),
    REVEALED: ("Hands are shown", "The dealer's hand lies face up. Settle next.", "calm"),
    SETTLED: ("Settled", "Bets are paid and collected.", "calm"),
    VOID: ("Void", "The round has no result. Every bet goes back.", "void"),
}
QUESTIONS = {
    CHECK: "A card cannot be right. Look at it: was it misread, or what is it?",
    CHOOSE: "Players choose to go on or to have their bets back.",
    ORDER: "Which card comes first? State the order.",
    RULING: "The book leaves this open. A ruling is needed.",
}
QUALIFIES = {None: "", True: "qualifies", False: "does not qualify"}


class StateKeeper:
    """Follows the log, and describes the table as it stands."""

    def __init__(self) -> None:
        self.view = ViewKeeper(stale=True)
        self.happenings: deque[dict[str, Any]] = deque(maxlen=KEPT_HAPPENINGS)
        self.lines: list[dict[str, Any]] = []  # what was paid and collected in the round on view
        self.asked = 0  # how many questions the round has asked
        self.slip: Slip | None = None
        self.staff: str | None = None  # whose command the records belong to
        self.called = ""  # the highest post that was called and has not acted since
        self.held = ""  # why nothing opens, as the table last said

    @property
    def round(self) -> Round | None:
        return self.view.replay.round

    @property
    def is_whole(self) -> bool:
        """Whether the records of the last event have all come."""
        return not self.view.replay.expected

    def take(self, number: int | None, record: list[Any]) -> None:
        try:
            before = self.round
            stays = record[0] == "event" and before is not None and has_no_way_back(before, record[2])
            self.view.take(record)
            self.follow(number, record)
        except UNPLAYABLE:
            return  # the bridge raises the alarm about it
        if stays:
            self.slip = None

    def follow(self, number: int | None, record: list[Any]) -> None:
        kind = record[0]
        if kind == "command":
            self.staff = record[2]
            if self.called and self.reaches(record[2].rpartition(", ")[2]):
                self.called = ""
        elif kind == "call":
            if not self.called or self.reaches(record[1]):
                self.called = record[1]
        elif kind == "answer":
            self.staff = None
        elif kind == "event":
            self.take_event(number, record[2])
        elif kind == "ask":
            self.asked += 1
        elif kind == "line":
            self.lines.append(line_of(record))
        elif kind in ("bonus", "envy"):
            self.lines.append(self.extra_line(record))
        elif kind == "reversed":
            self.lines = [line for line in self.lines if record[1] not in (None, line["box"])]
        elif kind == "held" and record[1] in ADVICE:
            self.held = record[2]
        if kind in TELLS_UNDO and self.staff and self.slip:
            self.slip.caused.append(record)
        book = self.round.book if self.round else None
        happening = told(number, record, self.staff, book)
        if happening:
            self.happenings.append(happening)

    def reaches(self, post: str) -> bool:
        """Whether this is the post that was called, or one above it."""
        return self.round is not None and self.round.table.role_reaches(post, self.called)

    def take_event(self, number: int | None, event: list[Any]) -> None:
        self.held = ""
        if event[0] == "open":
            self.lines = []
            self.called = ""
        if self.staff and number is not None:
            self.slip = Slip(number, event, self.staff, [])
        elif event[0] not in ("card", "cards_left"):
            self.slip = None  # the table's own keys went on from there

    def extra_line(self, record: list[Any]) -> dict[str, Any]:
        """An Ante Bonus or an Envy Bonus; the latter is the player's, and stands where he first has a line."""
        kind, *fields = record
        if kind == "bonus":
            box, player, _, _, cents, _ = fields
        else:
            player, cents, _ = fields
            box = next((line["box"] for line in self.lines if line["player"] == player), None)
        money = "" if cents is None else dollars(cents)
        words = {"bonus": "ante bonus", "envy": "envy bonus"}[kind]
        return {
            "box": box,
            "player": player,
            "wager": words,
            "result": WIN,
            "stake": "",
            "paid": money,
            "returned": money,
            "rule": rule_words(record),
        }

    # -- for everybody

    def describe(self, service: "TableService") -> dict[str, Any]:
        """The table for everybody; plain values that JSON can hold."""
        view = self.view.view()
        round_ = self.round
        why = service.news.stale_why()
        return {
            "table": service.bridge.link.identity.table,
            "game": view.title,
            "operator": round_.book.OPERATOR if round_ else "",
            "rulebook": round_.book.ID if round_ else "",
            "limits": [limit_of(limit) for limit in view.limits],
            "round": self.describe_round(view, round_),
            "dealer": hand_of(view.dealer) | {"qualifies": QUALIFIES[view.qualifies]},
            "boxes": self.describe_boxes(view, round_),
            "seen": [cards.text(card) for card in round_.seen] if round_ and round_.state not in NO_ROUND else [],
            "lines": self.lines if view.state != VOID else [],
            "meter": "" if view.meter is None else dollars(view.meter),
            "hand_pays": self.describe_hand_pays(view, round_),
            "question": describe_question(round_),
            "faults": [
                {"code": code, "words": plain(code), "advice": ADVICE.get(code, "")} for code in view.faults
            ],
            "holds": [words for words in (service.config_problem, self.held) if words],
            "called": post_words(self.called),
            "alarms": list(service.news.alarms),
            "happenings": list(self.happenings)[::-1],
            "link": {"up": not why, "why": why},
        }

    def describe_round(self, view: TableView, round_: Round | None) -> dict[str, Any]:
        if round_ is not None and round_.state == FROZEN:
            question: Any = round_.question
            words, sentence, mood = "Please wait", QUESTIONS[question.kind], "wait"
        else:
            words, sentence, mood = STATES[view.state]
        if view.state == VOID and view.was_reversed:
            sentence = "The settlement was taken back. Every bet goes back."
        return {"number": view.number, "state": view.state, "words": words, "sentence": sentence, "mood": mood}

    def describe_boxes(self, view: TableView, round_: Round | None) -> list[dict[str, Any]]:
        if round_ is None:
            return []
        shown = {box.number: box for box in view.boxes}
        boxes = []
        for number in range(1, round_.table.boxes + 1):
            box = shown.get(number)
            boxes.append(
                {
                    "number": number,
                    "hand": hand_of(box.hand if box else Hand()),
                    "stands": box.stands or "" if box else "",
                    "decision": box.decision or "" if box else "",
                    "out": bool(box and box.out),
                    "bets": bets_of(round_, number),
                    "outcomes": [outcome._asdict() for outcome in box.outcomes] if box else [],
                }
            )
        return boxes

    def describe_hand_pays(self, view: TableView, round_: Round | None) -> list[dict[str, str]]:
        names = round_.hand_pays if round_ else []
        return [
            {"player": name, "money": "" if cents is None else dollars(cents)}
            for name, cents in zip(names, view.hand_pays)
        ]

    # -- for staff

    def describe_console(self, post: str) -> dict[str, Any]:
        """What this post may do now, and what of the last slip can be undone."""
        round_ = self.round
        if round_ is None:
            return {"offers": [], "undo": None}
        found = offers(round_, self.view.replay.faults, post, self.asked)
        return {"offers": found, "undo": self.describe_undo(post)}

    def moment(self, action: str) -> str:
        """What a page that shows the table as it stands sends with an action."""
        return moment_now(self.round, action, self.asked) if self.round else ""

    def describe_undo(self, post: str) -> dict[str, Any] | None:
        undo = self.undo()
        round_ = self.round
        if undo is None or round_ is None or self.slip is None:
            return None
        problem = round_.verify(event_for(undo, post))
        return {
            "number": self.slip.number,
            "label": undo.label,
            "staff": staff_words(self.slip.staff),
            "possible": problem is None,
            "why": refusal_words(problem[1]) if problem else "",
            "rule": (problem[0] or "") if problem else "",
            "lines": effects(round_, undo, post) if problem is None else [],
        }

    def undo(self) -> Undo | None:
        return undo_of(self.round, self.slip) if self.round and self.slip else None


def limit_of(limit: Any) -> dict[str, Any]:
    least, most = dollars(limit.least), dollars(limit.most)
    return {"wager": limit.wager, "main": limit.is_main, "text": least if least == most else f"{least} to {most}"}


def hand_of(hand: Hand) -> dict[str, Any]:
    return {"lying": hand.lying, "cards": list(hand.cards), "name": hand.name}


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


def line_of(record: list[Any]) -> dict[str, Any]:
    _, box, player, wager, result, _, _, stake, paid, returned, *_ = record
    return {
        "box": box,
        "player": player,
        "wager": plain(wager),
        "result": result,
        "stake": "" if stake is None else dollars(stake),
        "paid": "" if paid is None else dollars(paid),
        "returned": "" if returned is None else dollars(returned),
        "rule": rule_words(record),
    }


def describe_question(round_: Round | None) -> dict[str, Any] | None:
    if round_ is None or round_.state != FROZEN:
        return None
    question: Any = round_.question
    role = question.role if question.kind != CHECK else "dealer"
    return {
        "kind": question.kind,
        "situation": plain(question.situation),
        "words": QUESTIONS[question.kind],
        "who": post_words(role) + ("" if role == round_.table.roles[-1] else " or above"),
        "rule": rule_of(round_.book, question.paragraph, question.ruling),
        "pending": [f"{player} on {place_words(box)}" if box else player for box, player in round_.pending],
    }
