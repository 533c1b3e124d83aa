"""The course of a scenario: plays its steps and says the first thing that comes out otherwise than it must.

It knows the round by its records alone, so any target that takes events and gives records can be played.
"""

from collections.abc import Callable
from typing import Any

from host.bench.phrases import QUESTIONS, Outcome
from host.bench.scenario import Scenario
from host.bench.troubles.phrases import is_own_refusal, may_be_named, must_be_named, told
from host.words.hand_names import hand_name
from host.words.money import dollars
from host.words.names import plain
from host.words.records import record_words, rule_words
from shared.round.records import RECORDS
from shared.round.states import FROZEN
from shared.rules import cards

Record = list[Any]
Bet = tuple[str, str, int | None]  # player, wager, box

VERBS = {"win": "wins", "lose": "loses", "push": "pushes", "returned": "returned"}
SETTLED_BY = {"wins", "loses", "pushes"}


class Course:
    """What the records have told so far."""

    def __init__(self, book: Any = None) -> None:
        self.book = book
        self.state = "idle"
        self.meter: int | None = None
        self.void: set[str] = set()  # the paragraph and the reading that voided the round
        self.bets: dict[Bet, Outcome] = {}
        self.last: list[Record] = []  # what the last step caused
        self.played: list[tuple[str, list[Record]]] = []  # each step with what it caused
        self.difference: str | None = None
        self.staked = self.handed_back = 0  # by the lines since the last total, where amounts are known
        self.wrong: str | None = None  # with its own records
        self.unnamed: list[Record] = []  # of what the table records beside the game, what no line has named yet

    def follow(self, records: list[Record]) -> None:
        self.last += records
        self.unnamed += [record for record in records if may_be_named(record)]
        for kind, *values in records:
            follow = FOLLOW.get(kind)
            if follow:
                follow(self, dict(zip(RECORDS[kind], values)))

    def add(self, f: dict[str, Any], verb: str, cents: int | None, wager: str | None = None) -> None:
        outcome = self.bets.setdefault((f["player"], wager or f["wager"], f.get("box")), {})
        before = outcome.get(verb)
        outcome[verb] = cents if before is None or cents is None else before + cents

    def happen(self, f: dict[str, Any]) -> None:
        if f["event"][0] in ("open", "close"):
            # What goes back before closing was never at stake.
            self.bets, self.void = {}, set()

    def ask(self, f: dict[str, Any]) -> None:
        self.state = FROZEN

    def settle(self, f: dict[str, Any]) -> None:
        self.staked += f["stake"] or 0
        self.handed_back += f["returned"] or 0
        if f["stake"] is not None and f["returned"] != due(f):
            self.wrong = (
                f"{f['player']}'s {plain(f['wager'])} gets {dollars(f['returned'])} back, not {dollars(due(f))}"
            )
        self.add(f, VERBS[f["result"]], f["paid"] if f["result"] == "win" else f["stake"])

    def pay(self, f: dict[str, Any], wager: str, cents: int | None) -> None:
        """What goes to a player beside his wagers."""
        self.add(f, "wins", cents, wager)
        self.handed_back += cents or 0

    def sum_up(self, f: dict[str, Any]) -> None:
        """The total must be that of the lines before it."""
        wanted = [self.staked, self.handed_back, self.staked - self.handed_back]
        if list(f.values()) != wanted:
            told = ", ".join(map(dollars, f.values()))
            self.wrong = f"the total is {told}, of its lines {', '.join(map(dollars, wanted))}"
        self.staked = self.handed_back = 0

    def reverse(self, f: dict[str, Any]) -> None:
        """A settlement that is taken back leaves what went back before it."""
        wager = f["wager"] or ("bonus" if f["box"] is not None else "envy")
        outcome = self.bets.pop((f["player"], wager, f["box"]), {})
        if "returned" in outcome and SETTLED_BY & set(outcome):
            self.add(f, "returned", outcome["returned"], wager)


FOLLOW: dict[str, Callable[[Course, dict[str, Any]], None]] = {
    "event": Course.happen,
    "state": lambda course, f: setattr(course, "state", f["state"]),
    "ask": Course.ask,
    "line": Course.settle,
    "reversed": Course.reverse,
    "bonus": lambda course, f: course.pay(f, "bonus", f["paid"]),
    "envy": lambda course, f: course.pay(f, "envy", f["cents"]),
    "total": Course.sum_up,
    "refund": lambda course, f: course.add(f, "returned", f["cents"]),
    "kept": lambda course, f: course.add(f, "keeps", f["cents"]),
    "debt": lambda course, f: course.add(f, "owes", f["cents"]),
    "meter": lambda course, f: setattr(course, "meter", f["cents"]),
    "void": lambda course, f: setattr(course, "void", cited(f)),
}


def due(f: dict[str, Any]) -> int:
    """What a settled wager gets back: its stake and what it won, unless it lost; no stake beside a sum."""
    if f["result"] == "lose":
        return 0
    return (f["paid"] or 0) + (0 if f["result"] == "win" and not f["den"] > 0 else f["stake"])


def cited(f: dict[str, Any]) -> set[str]:
    return {rule for rule in (f.get("paragraph"), f.get("ruling")) if rule}


# -- what must come out between the steps


def found(course: Course, kind: str) -> list[dict[str, Any]]:
    return [dict(zip(RECORDS[kind], record[1:])) for record in course.last if record[0] == kind]


def refusals(course: Course) -> list[dict[str, Any]]:
    """Of events; of what is no event the table tells with its own records."""
    own = [record for record in course.last if is_own_refusal(record)]
    return [f for f in found(course, "refused") if ["refused", *f.values()] not in own]


def need_record(course: Course, record: str, what: str, rules: set[str], **fields: Any) -> str | None:
    """None if the last step caused such a record by these rules, else what is wrong."""
    same = [f for f in found(course, record) if all(f[name] == value for name, value in fields.items())]
    if any(rules <= cited(f) for f in same):
        return None
    if same:
        return f"{what} rests on {rules_words(cited(same[0]))}, not on {rules_words(rules)}"
    return f"expected that {what}; {so_far(course)}"


def so_far(course: Course) -> str:
    followed = [record_words(record) for record in course.last if record[0] != "event"]
    return f"what happened: {'; '.join(followed)}" if followed else "nothing followed"


def rules_words(rules: set[str]) -> str:
    return " ".join(sorted(rules)) or "no rule"


def check_refused(course: Course, f: dict[str, Any]) -> str | None:
    refused = refusals(course)
    if not refused:
        return f"expected a refusal; it was accepted, and {so_far(course)}"
    rules = f.get("rules", set())
    if rules != cited(refused[0]):
        return f"refused by {rules_words(cited(refused[0]))}, expected {rules_words(rules)}"
    return None


def check_question(course: Course, f: dict[str, Any]) -> str | None:
    what = (
        f"the {plain(f['by'])} is asked {next(words for words in QUESTIONS if QUESTIONS[words] == f['question'])}"
    )
    return need_record(course, "ask", what, f["rules"], kind=f["question"], role=f["by"])


def check_choice(course: Course, f: dict[str, Any]) -> str | None:
    offered = {(offer["player"], offer["box"]) for offer in found(course, "offer")}
    if offered != set(f["players"]):
        names = ", ".join(bettor_words(*pair) for pair in sorted(offered, key=str)) or "nobody"
        return f"asked to choose: {names}; {so_far(course)}"
    return need_record(course, "ask", "players choose", f["rules"], kind="choose")


def check_outcome(course: Course, f: dict[str, Any]) -> str | None:
    return compare_bet(course, bet_of(course, f["player"], f["wager"], f.get("box")), f["outcome"])


def check_state(course: Course, f: dict[str, Any]) -> str | None:
    return None if course.state == f["state"] else f"the round is {course.state}, expected {f['state']}"


def check_decided(course: Course, f: dict[str, Any]) -> str | None:
    bet = {name: f[name] for name in ("player", "wager", "box", "result")}
    return need_record(course, "outcome", f"{f['player']} {plain(f['wager'])} is decided", f["rules"], **bet)


def check_warning(course: Course, f: dict[str, Any]) -> str | None:
    return need_record(course, "warning", "this is warned about", f["rules"], wager=f["wager"], box=f["box"])


def check_called(course: Course, f: dict[str, Any]) -> str | None:
    """What the book calls a hand that is shown, as it stands on the display."""
    for shown in found(course, "shown"):
        if shown["place"] == f["place"]:
            book = course.book
            name = hand_name(book, book.value(*map(cards.parse, shown["cards"]))).full
            return None if name == f["hand"] else f"this hand is called {name}"
    return f"this hand is not shown; {so_far(course)}"


def check_moved(course: Course, f: dict[str, Any]) -> str | None:
    where = f.get("place")
    for moved in found(course, "lies"):
        if moved["card"] == f["card"]:
            return None if moved["place"] == where else f"it lies in {moved['place']}"
    return f"expected that {f['card']} lies there now; {so_far(course)}"


def check_nothing(course: Course, f: dict[str, Any]) -> str | None:
    return so_far(course) if any(record[0] != "event" for record in course.last) else None


def check_recorded(course: Course, f: dict[str, Any]) -> str | None:
    """The next record that must be named, or one before it that may be."""
    waiting = course.unnamed
    while waiting:
        record = waiting.pop(0)
        if told(record) == f["record"]:
            return None
        if must_be_named(record):
            return f'the table recorded "{told(record)}"'
    return "the table recorded nothing more"


def check_all_named(course: Course) -> str | None:
    left = [told(record) for record in course.unnamed if must_be_named(record)]
    return f'the table recorded "{left[0]}", which no line names' if left else None


Look = Callable[[Course, dict[str, Any]], str | None]
LOOKS: dict[str, Look] = {
    "refused": check_refused,
    "question": check_question,
    "choice": check_choice,
    "noted": lambda course, f: need_record(course, "noted", "this is noted", f["rules"]),
    "put_right": lambda course, f: need_record(course, "reconstructed", "the deal is put right", f["rules"]),
    "out": lambda course, f: need_record(course, "removed", f"box {f['box']} is out", f["rules"], box=f["box"]),
    "decided": check_decided,
    "warning": check_warning,
    "void": lambda course, f: need_record(course, "void", "the round is void", f["rules"]),
    "state": check_state,
    "called": check_called,
    "moved": check_moved,
    "nothing": check_nothing,
    "outcome": check_outcome,
    "recorded": check_recorded,
}


# -- what must come out at the end


def bet_of(course: Course, player: str, wager: str, box: int | None) -> Bet:
    """The bet that a player's wager means; its box is said only if he has it on several."""
    same = [bet for bet in course.bets if bet[:2] == (player, wager) and box in (None, bet[2])]
    return same[0] if len(same) == 1 else (player, wager, box)


def bettor_words(player: str, box: int | None) -> str:
    return player if box is None else f"{player} on box {box}"


def bet_words(bet: Bet) -> str:
    player, wager, box = bet
    return f"{player} {plain(wager)}" + ("" if box is None else f" on box {box}")


def outcome_words(outcome: Outcome) -> str:
    clauses = [verb if cents is None else f"{verb} {dollars(cents)}" for verb, cents in outcome.items()]
    return ", ".join(clauses) or "neither settled nor given back"


def compare_bet(course: Course, bet: Bet, expected: Outcome) -> str | None:
    outcome = course.bets.get(bet, {})
    if outcome == expected:
        return None
    return f"{bet_words(bet)}: expected {outcome_words(expected)}, came out as: {outcome_words(outcome)}"


def compare_end(scenario: Scenario, course: Course) -> str | None:
    """The first difference between what came out and what had to, in words."""
    expected = scenario.expect
    if course.state != expected.state:
        return f"the round is {course.state} at the end, expected {expected.state}"
    if not expected.void <= course.void:
        return f"void by {rules_words(course.void)}, expected {rules_words(expected.void)}"
    named = []
    for player, wager, box, outcome in expected.bets:
        bet = bet_of(course, player, wager, box)
        named.append(bet)
        difference = compare_bet(course, bet, outcome)
        if difference:
            return difference
    for bet, outcome in course.bets.items():
        if bet not in named:
            return f"{bet_words(bet)}: {outcome_words(outcome)}, which [expect] does not name"
    if expected.meter is not None and course.meter != expected.meter:
        came = "never told" if course.meter is None else dollars(course.meter)
        return f"the jackpot's meter: expected {dollars(expected.meter)}, it is {came}"
    return None


# -- playing


def play(scenario: Scenario, apply: Callable[[dict[str, Any]], list[Record]]) -> Course:
    """Play a scenario until its end or the first difference."""
    course = Course(scenario.book_module())
    for place, step in enumerate(scenario.steps):
        if step.check:
            name, fields = step.check
            difference = LOOKS[name](course, fields)
        else:
            course.difference = check_all_named(course)
            if course.difference:
                return course
            course.last, course.unnamed = [], []
            for event in step.events:
                course.follow(apply(event))
            course.played.append((step.words, course.last))
            difference = course.wrong or unexpected_refusal(scenario, place, course)
        if difference:
            course.difference = f'step {place + 1} ("{step.shown()}"): {difference}'
            return course
    course.difference = check_all_named(course) or compare_end(scenario, course)
    return course


def unexpected_refusal(scenario: Scenario, place: int, course: Course) -> str | None:
    following = scenario.steps[place + 1 : place + 2]
    if not refusals(course) or (following and following[0].check and following[0].check[0] == "refused"):
        return None
    return so_far(course)


def course_words(scenario: Scenario, course: Course) -> list[str]:
    """The course as lines for people: each step, and below it what followed and by which rule."""
    book = scenario.book_module()
    lines = [f"{scenario.title} ({scenario.book})"]
    for words, records in course.played:
        lines.append(f"  {words}")
        for record in records:
            if record[0] != "event":
                rule = rule_words(record)
                lines.append(f"      {record_words(record, book)}" + (f"  [{rule}]" if rule else ""))
    return lines
