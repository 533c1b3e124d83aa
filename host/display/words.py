"""What the display says of each state, and names made short enough for it."""

from collections.abc import Callable
from typing import NamedTuple

from host.display.palette import GREEN, ORANGE, PURPLE, WHITE, YELLOW, Colour
from host.display.table_view import UNKNOWN, Limit, Outcome, TableView
from host.words.money import dollars
from shared.round import states
from shared.rules.rulebook import _PUSH, _RETURNED, LOSE, WIN


class Headline(NamedTuple):
    """`detail` is a second, smaller line, or nothing; `before` a small word in front of the big ones."""

    words: str
    colour: Colour
    detail: str = ""
    before: str = ""


BETS_CLOSED = Headline("CLOSED", ORANGE, before="BETS")
HEADLINES = {
    UNKNOWN: Headline("STARTING", WHITE),
    states.IDLE: Headline("STAND BY", WHITE),
    states.BETTING: Headline("OPEN", GREEN, before="BETS"),
    states.CLOSED: BETS_CLOSED,
    states.DEALING: BETS_CLOSED,
    states.PLAYING: BETS_CLOSED,
    states.DECIDING: Headline("PLAY/FOLD", YELLOW),
    states.REVEALED: Headline("REVEALED", WHITE),
    states.SETTLED: Headline("RESULT", WHITE),
    states.VOID: Headline("VOID", PURPLE, "ALL BETS BACK"),
}
QUESTIONS = {
    states.CHECK: "CHECKING A CARD",
    states.TELL: "CHECKING CARDS",
    states.CHOOSE: "PLAYERS CHOOSE",
    states.ORDER: "AWAITING RULING",
    states.RULING: "AWAITING RULING",
}
# Codes of faults that are too long as they are.
FAULTS = {"shuffler_nonsense": "SHUFFLER NOISE", "sensors_unplugged": "SENSORS OUT"}
RESULTS = {
    WIN: ("WIN", GREEN),
    LOSE: ("LOSE", ORANGE),
    _PUSH: ("TIE", YELLOW),
    _RETURNED: ("BACK", PURPLE),
}
# A side wager that neither wins nor loses says so in its own word: a tie is the main wager's.
SIDE_PUSH = "PUSH"


def headline(view: TableView) -> Headline:
    """The most important thing to say: no link, a fault, a jackpot to be paid, a question, then the state."""
    if view.stale:
        return Headline("NO LINK", ORANGE, "LAST KNOWN STATE")
    if view.faults:
        return Headline(
            "TABLE FAULT", ORANGE, FAULTS.get(view.faults[0]) or view.faults[0].replace("_", " ").upper()
        )
    if view.question:
        return Headline("PLEASE WAIT", YELLOW, QUESTIONS[view.question.kind])
    if view.hand_pays:
        cents = view.hand_pays[0]
        return Headline("HAND PAY", PURPLE, "JACKPOT" if cents is None else dollars(cents))
    if view.state == states.VOID and view.was_reversed:
        return HEADLINES[states.VOID]._replace(detail="RESULT REVERSED")
    if view.state == states.SETTLED and not any(box.outcomes for box in view.boxes):
        return Headline("NO RESULT", PURPLE, "ALL BETS BACK")
    return HEADLINES[view.state]


def result_words(outcome: Outcome) -> tuple[str, Colour]:
    words, colour = RESULTS[outcome.result]
    return (SIDE_PUSH if outcome.result == _PUSH and not outcome.is_main else words), colour


def shorten(name: str, shorter: str, fits: Callable[[str], bool]) -> str:
    """The name in capitals, made shorter until it fits: by the book's abbreviations (`THREE=3, BONUS=B`) in their
    order, as many as it takes; at last its initials, or what of them has room."""
    words = name.upper().removesuffix(" WAGER").removesuffix(" BET")
    for step in filter(None, shorter.split(", ")):
        if fits(words):
            return words
        long, _, short = step.partition("=")
        words = words.replace(long, short)
    if not fits(words):
        words = "".join(word[0] for word in words.split())
    while words and not fits(words):
        words = words[:-1]
    return words


def range_text(limit: Limit, fits: Callable[[str], bool]) -> str:
    """The least and the most, in the fullest way that fits; whole thousands and millions can be short."""
    least, most = dollars(limit.least), dollars(limit.most)
    if least == most:
        return least
    for text in (f"{least}-{most}", f"{least}-{most[1:]}"):
        if fits(text):
            return text
    return f"{in_short(limit.least)}-{in_short(limit.most)}"


def in_short(cents: int) -> str:
    """`$10M` for exactly ten million dollars, `$25K`, or the sum in full."""
    for size, letter in ((100_000_000, "M"), (100_000, "K")):
        if cents % size == 0:
            return f"{dollars(cents // size * 100)}{letter}"
    return dollars(cents)
