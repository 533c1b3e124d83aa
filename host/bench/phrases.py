"""The phrases of a scenario: what happens at the table, each with its event, and what must come out.

A phrase is a template. `{box}` and the like are fields of the event, read as FIELDS says; the rest is written
as it stands. A phrase that staff tell may end with who says it: ", says the dealer".
"""

import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, NamedTuple

from host.bench.troubles.phrases import TROUBLE_FIELDS, TROUBLES
from host.words.money import BadAmount, read_money
from shared.round.events import EVENTS
from shared.round.states import CHECK, ORDER, RULING, TELL
from shared.rules import cards, policy

Fields = dict[str, tuple[str, Callable[[str], Any]]]

FOREIGN = "XX"  # a card that the reader reads and that no deck has
TELLER = ", says the {by}"

POSTS = {
    "dealer": "dealer",
    "supervisor": "pit_supervisor",
    "pit manager": "pit_manager",
    "shift manager": "shift_manager",
}
KINDS = {
    "foreign card": "foreign_card",
    "wrong number of cards in the deck": "deck_count",
    "cards not shuffled": "not_shuffled",
    "misdeal": "misdeal",
    "wrong count": "wrong_count",
    "cards drawn together": "drawn_together",
    "too few cards in the device": "too_few_cards",
    "technical interruption": "technical",
    "something else": "other",
}
PUT_RIGHT = {"hands moved": policy.MOVED, "cards restored": policy.RESTORED}
SEATED = {"seated": True, "standing": False}
CHOICES = {"goes on": "continue", "withdraws": "withdraw"}


class UnknownPhrase(ValueError):
    """What somebody wrote is not a phrase; the text says what to write."""


class Phrase(NamedTuple):
    key: str  # of `felt bench console`; those that say more or less of the same have the same
    template: str
    event: str
    given: dict[str, Any] | None = None  # fields that the phrase does not say


SUPERVISOR = {"by": "pit_supervisor"}
MANAGER = {"by": "shift_manager"}

PHRASES = (
    # staff, mostly between rounds
    Phrase("R", "at most {limit} wagers an area", "restrict", {"by": "pit_manager"}),
    Phrase("1", "{player} is held to one position", "restrict", {"limit": 1, "by": "pit_manager"}),
    Phrase("2", "{player} may bet on several positions", "restrict", {"limit": 0, "by": "pit_manager"}),
    Phrase("$", "the jackpot is paid to {player}", "hand_paid", {"by": "dealer"}),
    Phrase("Y", "a new gaming day", "new_day", {"by": "dealer"}),
    # betting
    Phrase("o", "place your bets", "open"),
    Phrase("b", "{player} bets {cents} {wager} on {box}", "bet"),
    Phrase("b", "{player} bets {cents} {wager} on {box}, {seated}", "bet"),
    Phrase("b", "{player} bets {wager} on {box}", "bet"),
    Phrase("t", "{player} takes back {cents} {wager} on {box}", "take_back"),
    Phrase("t", "{player} takes back {wager} on {box}", "take_back"),
    Phrase("e", "{player} is {seated} at {box}", "seat"),
    Phrase("c", "no more bets", "close"),
    Phrase("v", "counted: {lay} {wager} of {player} on {box}", "counted", SUPERVISOR),
    # dealing
    Phrase("z", "{count} cards are left", "cards_left"),
    Phrase("d", "cards {cards}", "card"),
    Phrase("F", "card {card} face up", "card", {"up": True}),
    Phrase("n", "{card} is entered", "entered", SUPERVISOR),
    Phrase("n", "{card} is entered for {place}", "entered", SUPERVISOR),
    Phrase("m", "the card was misread", "misread"),
    # playing
    Phrase("l", "{player} looks at {box}", "look"),
    Phrase("h", "{box} shows its hand", "show"),
    Phrase("H", "the dealer opens {box}", "show", {"by": "dealer"}),
    Phrase("p", "{box} plays", "decide", {"choice": "play"}),
    Phrase("p", "{box} plays {cents}", "decide", {"choice": "play"}),
    Phrase("f", "{box} folds", "decide", {"choice": "fold"}),
    Phrase("!", "{box} folds all the same", "decide", {"choice": "fold", "sure": True}),
    Phrase("r", "the dealer shows", "reveal"),
    Phrase("s", "settle", "settle"),
    # facts, from closing to the next opening
    Phrase("T", "{box} is touched", "handled"),
    Phrase("T", "{player} touches {box}", "handled"),
    Phrase("L", "{card} lies in {place}", "lies", SUPERVISOR),
    Phrase("L", "{card} lies in no hand", "lies", SUPERVISOR),
    Phrase("L", "{card} of {before} lies in {place}", "lies", SUPERVISOR),
    Phrase("L", "{card} of {before} lies in no hand", "lies", SUPERVISOR),
    Phrase("O", "{card} lies open", "turned"),
    Phrase("O", "{card} lies open in {place}", "turned"),
    Phrase("O", "{player} turns up {card}", "turned"),
    Phrase("O", "{player} turns up {card} in {place}", "turned"),
    Phrase("g", "chips are gone: {wager} of {player} on {box}", "chips_gone"),
    Phrase("g", "chips are gone: {cents} {wager} of {player} on {box}", "chips_gone"),
    # irregularities
    Phrase("i", "report: {kind}", "irregularity"),
    Phrase("i", "report: {kind}, {put_right}", "irregularity"),
    Phrase("i", "report: {kind} in {place}", "irregularity"),
    Phrase("i", "report: {kind} in {place}, {put_right}", "irregularity"),
    Phrase("i", "report: {kind} in round {round}", "irregularity"),
    Phrase("i", "report: {player} has left", "irregularity", {"kind": "left"}),
    Phrase("a", "every open card is told", "all_told"),
    Phrase("A", "every card that lies elsewhere is told", "all_told", SUPERVISOR),
    Phrase("Z", "{count} cards are counted", "cards_counted"),
    Phrase("P", "the power fails", "power_failure"),
    Phrase("C", "{player} on {box} {choice}", "choose"),
    Phrase("C", "{player} {choice}", "choose"),
    Phrase("N", "nobody else chooses", "choices_done"),
    Phrase("W", "{player} is permitted to withdraw from {box}", "withdraw", SUPERVISOR),
    Phrase("G", "ruling: play on", "ruling", MANAGER | {"decision": "continue"}),
    Phrase("V", "ruling: void", "ruling", MANAGER | {"decision": "void"}),
    Phrase("B", "ruling: the hand of {box} is out", "ruling", MANAGER | {"decision": "hand_out"}),
    Phrase("K", "ruling: {box} is folded", "ruling", MANAGER | {"decision": "fold"}),
    Phrase("S", "ruling: settle again as the hands lie", "ruling", MANAGER | {"decision": "correct"}),
    Phrase("I", "ruling: this is the order", "ruling", SUPERVISOR | {"decision": "order"}),
)

TROUBLE_PHRASES = tuple(Phrase(one.key, one.template, one.act, one.given) for one in TROUBLES)

CHECK_MARK = "=> "  # before a phrase that says what must have come out
# What must have come out of the step before, and the name of what looks whether it has.
CHECKS = {
    "refused": "refused",
    "refused: {rules}": "refused",
    "asks the {by} {question}: {rules}": "question",
    "asks {players} to choose: {rules}": "choice",
    "noted: {rules}": "noted",
    "put right: {rules}": "put_right",
    "{box} is out: {rules}": "out",
    "decided, {result}: {player} {wager} on {box}: {rules}": "decided",
    "warning, {wager} on {box}: {rules}": "warning",
    "the round is void: {rules}": "void",
    "the round is {state}": "state",
    "{place} is called {hand}": "called",
    "{card} lies in {place} now": "moved",
    "{card} lies in no hand now": "moved",
    "nothing follows": "nothing",
    "{player} {wager} on {box}: {outcome}": "outcome",
    "{player} {wager}: {outcome}": "outcome",
    "recorded: {record}": "recorded",
}
QUESTIONS = {
    "about a card": CHECK,
    "which cards lie open": TELL,
    "where the cards lie": TELL,  # after settlement
    "which card comes first": ORDER,
    "for a ruling": RULING,
}
RESULTS = {"won": "win", "lost": "lose"}
# What becomes of a bet, with an amount where the table knows amounts.
OUTCOMES = {
    "wins": "is paid this, and has its stake back",
    "loses": "is collected",
    "pushes": "neither wins nor loses",
    "returned": "goes back without a result, or this part of it",
    "owes": "of what is collected, these chips are gone: a debt",
    "keeps": "of what is handed out, the player holds these chips already",
}
Outcome = dict[str, int | None]


# -- fields


def one_of(words: dict[str, Any]) -> tuple[str, Callable[[str], Any]]:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True)), words.__getitem__


def read_place(words: str) -> int:
    return 0 if words.startswith("the dealer") else int(words.removeprefix("box "))


def read_bettors(words: str) -> list[tuple[str, int | None]]:
    pairs = [one.partition(" on box ") for one in words.split(", ")]
    return [(player, int(box) if box else None) for player, _, box in pairs]


def read_outcome(words: str) -> Outcome:
    """`wins $25, owes $10`: each part once."""
    outcome: Outcome = {}
    for clause in words.split(", "):
        verb, _, amount = clause.partition(" ")
        if verb not in OUTCOMES or verb in outcome:
            raise UnknownPhrase(f'"{words}" is not an outcome; write {", ".join(OUTCOMES)}, each with its amount')
        outcome[verb] = read_money(amount) if amount else None
    return outcome


def read_begun(words: str) -> list[dict[str, Any]]:
    """The events of a step in whose middle something happens."""
    return read_step(words)


PLAYER = r"P[1-9][0-9]?|box [1-9][0-9]?"  # a box where nothing but sensors tells who bets
BETTOR = r"P[1-9][0-9]?(?: on box [1-9][0-9]?)?"
CARD = rf"[{cards.RANKS}][{cards.SUITS}]|\?\?|{FOREIGN}"
MONEY = r"\$[0-9][0-9,]*(?:\.[0-9]{2})?"
PLACE = r"box [1-9][0-9]?|the dealer's hand"
NUMBER = (r"[0-9]{1,3}", int)
# How each field is written, and read.
FIELDS: Fields = {
    "player": (PLAYER, str),
    "box": (r"box [1-9][0-9]?", read_place),
    "place": (PLACE, read_place),
    "before": (PLACE, read_place),
    "wager": (r"[a-z][a-z0-9 ]*[a-z0-9]", lambda words: words.replace(" ", "_")),
    "cents": (MONEY, read_money),
    "lay": (MONEY, read_money),
    "card": (CARD, str),
    "cards": (rf"(?:{CARD})(?: (?:{CARD}))*", str.split),
    "count": NUMBER,
    "limit": NUMBER,
    "round": NUMBER,
    "seated": one_of(SEATED),
    "kind": one_of(KINDS),
    "put_right": one_of(PUT_RIGHT),
    "choice": one_of(CHOICES),
    "by": one_of(POSTS),
    # of checks
    "rules": (r"\S+(?: \S+)*", lambda words: set(words.split())),
    "question": one_of(QUESTIONS),
    "players": (rf"{BETTOR}(?:, {BETTOR})*", read_bettors),
    "state": (r"[a-z]+", str),
    "result": one_of(RESULTS),
    "outcome": (r"[^:]+", read_outcome),
    "record": (r".+", str),
    "hand": (r"[0-9A-Z].*", str),
    **TROUBLE_FIELDS,
    "step": (r".+", read_begun),
}


def pattern_of(template: str) -> re.Pattern[str]:
    """The pattern that a template's sentences fit."""
    parts = re.split(r"\{(\w+)\}", template)
    made = [
        f"(?P<{part}>{FIELDS[part][0]})" if place % 2 else re.escape(part) for place, part in enumerate(parts)
    ]
    return re.compile("".join(made))


def step_pattern(phrase: Phrase) -> re.Pattern[str]:
    pattern = pattern_of(phrase.template).pattern
    if phrase.event in EVENTS and "by" in [field.rstrip("?") for field in EVENTS[phrase.event]]:
        pattern += f"(?:{pattern_of(TELLER).pattern})?"
    return re.compile(pattern)


STEP_PATTERNS = [(phrase, step_pattern(phrase)) for phrase in (*PHRASES, *TROUBLE_PHRASES)]
CHECK_PATTERNS = [(name, pattern_of(template)) for template, name in CHECKS.items()]


def fields_of(found: re.Match[str]) -> dict[str, Any]:
    try:
        return {name: FIELDS[name][1](words) for name, words in found.groupdict().items() if words is not None}
    except BadAmount as problem:
        raise UnknownPhrase(str(problem)) from None


def read_step(words: str) -> list[dict[str, Any]]:
    """The events that a step stands for: one, or one for each card."""
    for phrase, pattern in STEP_PATTERNS:
        found = pattern.fullmatch(words)
        if found:
            fields = fields_of(found)
            read = fields.pop("cards", None)
            event = {"event": phrase.event} | (phrase.given or {}) | fields
            return [event | {"card": card} for card in read] if read else [event]
    raise not_a_phrase(words, [phrase.template for phrase, _ in STEP_PATTERNS])


def read_check(words: str) -> tuple[str, dict[str, Any]]:
    """The name of what looks whether it has come out so, and the fields."""
    for name, pattern in CHECK_PATTERNS:
        found = pattern.fullmatch(words)
        if found:
            return name, fields_of(found)
    raise not_a_phrase(words, list(CHECKS))


def not_a_phrase(words: str, templates: list[str]) -> UnknownPhrase:
    close = get_close_matches(words, templates, 1, 0.3)
    hint = f'; the nearest phrase is "{close[0]}"' if close else ""
    return UnknownPhrase(f'"{words}" is not a phrase{hint}. tests/scenarios/README.md lists them all')
