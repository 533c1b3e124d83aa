"""Every action of every book, in every state that a round can be in: previewed and sent, and answered in words.

The page's application and the rules core are real; the table's own thread and its link are left out, so that a
command goes straight to the core.
"""

import asyncio
import json
from concurrent.futures import Future
from typing import Any

import pytest

from host.page.actions import ACTIONS, EARLIER, REPORT
from host.page.app import CHANGE_HEADER, make_app
from host.page.hub import Hub
from host.page.state import describe_console
from host.staff.logins import Logins
from host.staff.pins import StaffMember
from host.staff.throttle import Gate
from host.table.service import Answer
from shared.round.states import CHECK, CHOOSE, FROZEN, ORDER, RULING, TELL
from shared.rules import policy
from tests.support.page.played import POSTS, STAGES, Played, quiet_service
from tests.support.tables import GAMES

ORIGIN = "http://localhost"
FAULT = "shuffler_jam"
NAMES = [
    *(action.name for action in (*ACTIONS, EARLIER)),
    *(REPORT + kind for kind in policy.KINDS),
    *(f"clear_{FAULT}", "call_pit_supervisor", "undo", "nothing of the kind"),
]
TYPED: dict[str, Any] = {
    "name": "P9",
    "money": "$25",
    "card": "2C",
    "count": "52",
    "text": "as it was seen",
    "flag": True,
}
TYPED["choice"] = ""
WRONG: dict[str, Any] = {
    "name": ["P9"],
    "money": "much",
    "card": "joker",
    "count": -1,
    "text": {"no": "text"},
    "flag": "maybe",
}
WRONG["choice"] = "elsewhere"
MANAGER = "shift_manager"
# How a round comes to wait for each kind of answer; not every book asks each, or asks it in both of two states.
QUESTIONS = {
    CHECK: [("dealing", ["card", "no card"])],
    TELL: [("dealt", ["irregularity", "technical"])],
    RULING: [(stage, ["irregularity", "other"]) for stage in ("dealing", "revealed")]
    + [("settled", ["irregularity", "other", None, None, None, MANAGER])],
    CHOOSE: [("dealt", ["irregularity", "misdeal"]), ("handled", ["irregularity", "wrong_count", 1])],
    ORDER: [("dealing", ["irregularity", "drawn_together"])],
}


class Reached(Played):
    """A round in one of the states, a fault latched, and the last thing done by staff."""

    def __init__(self, game, stage, *events):
        super().__init__(game)
        self.until(stage)
        self.play(*events, staff="Shift Three, shift_manager")
        self.keep([["fault", FAULT, ""]])


class HandPay(Reached):
    """A jackpot was won and waits to be paid by hand."""

    def __init__(self, game):
        super().__init__(game, "betting")
        self.play(["bet", 1, "P1", "progressive", 500], ["close"])
        self.play(*[["card", card] for card in ["AS", "KS", "QS", "9C", "7D", "2H", "JC", "TD", "8H"]])
        self.play(["decide", 1, "play"], ["decide", 2, "play"], ["reveal"], ["settle"])


class CoreTable:
    """A service whose table is the rules core itself: what is asked is done at once."""

    def __init__(self, folder, reach):
        self.reach = reach
        folder.mkdir()
        self.service: Any = quiet_service(folder)
        self.service.call = self.call
        self.service.command = self.command
        self.renew()

    def renew(self):
        self.played = self.reach()
        self.service.bridge.keeper = self.played.keeper

    def call(self, ask):
        future: Future[Any] = Future()
        try:
            future.set_result(ask())
        except Exception as problem:
            future.set_exception(problem)
        return future

    def command(self, who, name, arguments):
        answer = Answer(True)
        if name == "event":
            records = self.played.round.apply(arguments)
            if records[0][0] == "refused":
                answer = Answer(False, records[0][3], records[0][2], records[0][4])
        future: Future[Any] = Future()
        future.set_result(answer)
        return future


def reachable(game):
    """(name, how to reach it) of every state of the book."""
    found: dict[str, Any] = {stage: lambda stage=stage: Reached(game, stage) for stage in STAGES}
    for kind, ways in QUESTIONS.items():
        for stage, event in ways:
            reached: Any = Reached(game, stage)
            may_ask = reached.round.verify(event) is None and reached.play(event).round.state == FROZEN
            if may_ask and reached.round.question.kind == kind:
                found[f"{kind} while {stage}"] = lambda stage=stage, event=event: Reached(game, stage, event)
    found["void"] = lambda: Reached(game, "dealing", ["irregularity", "other"], ["ruling", "void", MANAGER])
    if "progressive" in Played(game).wagers:
        found["hand pay"] = lambda: HandPay(game)
    return found


def attempts(console):
    """(action, fields): each action as it is offered, with each pick filled in, and filled in wrongly."""
    offers = {offer["action"]: offer for offer in console["offers"]}
    for name in NAMES:
        offer = offers.get(name)
        inputs = offer["inputs"] if offer else []
        yield name, {}
        for pick in (offer and offer["picks"]) or [{"fields": {}}]:
            for values in (TYPED, WRONG):
                yield name, {one["field"]: values[one["kind"]] for one in inputs} | pick["fields"]


class Browser:
    """Posts to the application itself: a client library takes longer than the page for thousands of requests."""

    def __init__(self, app, token, change):
        self.app = app
        headers = {"host": "localhost", "origin": ORIGIN, CHANGE_HEADER: change, "cookie": f"felt_80={token}"}
        headers["content-type"] = "application/json"
        self.headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def post(self, path, wanted):
        """The status and the JSON of the answer."""
        body = json.dumps(wanted).encode()
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [*self.headers, (b"content-length", str(len(body)).encode())],
            "client": ("127.0.0.1", 50_000),
            "server": ("localhost", 80),
        }
        answers = []

        async def receive():
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message):
            answers.append(message)

        await self.app(scope, receive, send)
        assert answers[0]["type"] == "http.response.start"
        return answers[0]["status"], json.loads(b"".join(answer.get("body", b"") for answer in answers[1:]))


async def try_all(table, app, token, change, post):
    """How many were done, refused by the table, and refused by the page; each in words."""
    counts = {"done": 0, "refused": 0, "problem": 0}
    browser = Browser(app, token, change)
    console = describe_console(table.played.keeper, post)
    moments = {offer["action"]: offer["moment"] for offer in console["offers"]}
    number = console["undo"]["number"] if console["undo"] else 1
    for action, fields in attempts(console):
        wanted = {"action": action, "fields": fields, "number": number, "moment": moments.get(action, "")}
        status, foreseen = await browser.post("/preview", wanted)
        assert status in (200, 422), (action, fields, foreseen)
        words = [line["words"] for line in foreseen.get("lines", [])] or [foreseen.get("problem")]
        assert status == 200 or all(words), (action, fields)
        status, told = await browser.post("/do", wanted)
        assert status in (200, 422), (action, fields, told)
        assert told.get("words") or told.get("problem"), (action, fields)
        counts["problem" if status == 422 else "done" if told["done"] else "refused"] += 1
        if told.get("done"):
            table.renew()  # it stands otherwise now
            app.state.page.orders.undoing = None
    return counts


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_every_action_in_every_state_is_previewed_and_sent_and_answered_in_words(game, tmp_path):
    states = reachable(game)
    kinds = {name.partition(" while ")[0] for name in states}
    assert {CHECK, RULING, "void", *STAGES} <= kinds
    done = 0
    for number, (name, reach) in enumerate(states.items()):
        table = CoreTable(tmp_path / str(number), reach)
        logins = Logins()
        post = POSTS[number % len(POSTS)] if name in STAGES else MANAGER
        opened = logins.open(StaffMember("Somebody", post, ""), 0)
        app = make_app(Hub(), table.service, Gate([]), logins, lambda: 1.0)
        counts = asyncio.run(try_all(table, app, opened.token, opened.change, post))
        assert min(counts.values()) > 0, (name, counts)
        done += counts["done"]
    assert done > 100


def test_every_kind_of_question_and_a_hand_pay_are_reached_in_some_book():
    asked = {name.partition(" while ")[0] for game in GAMES for name in reachable(game)}
    assert {CHECK, TELL, CHOOSE, ORDER, RULING, "hand pay"} <= asked
