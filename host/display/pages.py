"""The pages of the display: the table's state, and hands and results, one pane at a time."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from host.display.font import AS_MANY, BAR, MOST_LOST, MOST_WON, NORMAL, ONE_STEP, SMALL, TWO_STEPS
from host.display.palette import BLUE, GREEN, GREY, ORANGE, PURPLE, WHITE, YELLOW, Colour
from host.display.pane import BOLD, CARD_STEP, FINE, PLAIN, WIDTH, Lettering, Pane, biggest, width
from host.display.table_view import EVEN, LOST, NO_RESULT, WON, Box, Hand, Limit, Outcome, TableView
from host.display.words import RESULTS, headline, range_text, result_words, shorten
from host.words.money import dollars
from shared.round.states import CLOSED, DECIDING, FOLD, PLAY
from shared.rules.rulebook import LOSE, WIN

DisplayPage = Callable[[Pane], None]
Row = Callable[[Pane, int], None]  # drawn at a height, seven pixels high
Thing = TypeVar("Thing")

ROW_STEP = 8
ROWS_A_PAGE = 3  # under the dealer's
LIMITS_A_PAGE = 5
NUMBERS_A_ROW = 8
GAP = 2
LIMIT_ROOM = 44  # of a limit that has its wager's name beside it
NAME_STEP = 11
WENT = {WON: (MOST_WON, GREEN), LOST: (MOST_LOST, ORANGE), EVEN: (AS_MANY, YELLOW), NO_RESULT: ("V", PURPLE)}
NO_LIMITS = "LIMITS: SEE SIGN"
JACKPOT = "JACKPOT"
DEALER_SIGN = "D"


# -- the table's state


def draw_status(view: TableView, pane: Pane) -> None:
    """Game, state, limits of the main wager, and the last results."""
    said = headline(view)
    pane.centre(0, shorten(view.title or "Felt", view.shorter, fits(WIDTH, FINE)), BLUE, FINE)
    if said.detail:
        draw_big(pane, 6, said.words, said.colour)
        lettering = biggest(said.detail, WIDTH, PLAIN, FINE)
        pane.centre(17 if lettering is PLAIN else 18, said.detail, said.colour, lettering)
        draw_main_limit(pane, 25, view)
    else:
        draw_big(pane, 6, said.words, said.colour, said.before)
        draw_main_limit(pane, 18, view)
        draw_history(pane, 27, view)


def draw_big(pane: Pane, top: int, words: str, colour: Colour, before: str = "") -> None:
    """As big as the room allows; smaller characters stand in the middle of the ten pixels."""
    taken = width(before, FINE) + GAP + 1 if before else 0
    font, scale = lettering = biggest(words, WIDTH - taken, BOLD, PLAIN, FINE)
    x = (WIDTH - taken - width(words, lettering)) // 2
    pane.text(x, top + 3, before, colour, FINE)
    pane.text(x + taken, top + (10 - font.height * scale) // 2, words, colour, lettering)


def draw_main_limit(pane: Pane, top: int, view: TableView) -> None:
    if not view.title:
        return
    main = [limit for limit in view.limits if limit.is_main]
    words = range_text(main[0], fits(WIDTH, FINE)) if main else NO_LIMITS
    lettering = biggest(words, WIDTH, PLAIN, FINE)
    pane.centre(top if lettering is PLAIN else top + 1, words, WHITE, lettering)


def draw_history(pane: Pane, top: int, view: TableView) -> None:
    """The last results, the newest on the right: the dealer's hand, and how it went for the boxes."""
    right = WIDTH
    for past in reversed(view.history):
        mark, colour = WENT[past.went]
        left = right - width(past.dealer + mark, FINE)
        if left < 0:
            return
        pane.text(pane.text(left, top, past.dealer, WHITE, FINE), top, mark, colour, FINE)
        right = left - GAP - 1


# -- beside it


def detail_pages(view: TableView, alone: bool) -> list[DisplayPage]:
    """Hands and results while there are any, then the jackpot; else the jackpot and every wager's limits.

    `alone` if they take turns with the status and do not stand beside it.
    """
    jackpot: list[DisplayPage] = [] if view.meter is None else [partial(draw_jackpot, view, alone)]
    if view.state == CLOSED and view.boxes:
        return [partial(draw_numbers, view.boxes), *jackpot]
    if view.boxes:
        return [*table_pages(view), *jackpot]
    parts = in_parts(view.limits, LIMITS_A_PAGE)
    return [*jackpot, *(partial(draw_limits, some, view.shorter) for some in parts)]


def draw_jackpot(view: TableView, alone: bool, pane: Pane) -> None:
    """The meter; where nothing else would say the limits, they are there too."""
    top = 1 if alone else 4
    pane.centre(top, JACKPOT, PURPLE)
    draw_big(pane, top + 10, dollars(view.meter or 0), WHITE)
    if alone:
        draw_main_limit(pane, 25, view)


def draw_limits(limits: Sequence[Limit], shorter: str, pane: Pane) -> None:
    step = ROW_STEP if len(limits) < LIMITS_A_PAGE else SMALL.height + 1
    for place, limit in enumerate(limits):
        top = 1 + step * place
        amount = range_text(limit, fits(LIMIT_ROOM, FINE))
        pane.right(top, amount, WHITE, FINE)
        room = WIDTH - width(amount, FINE) - GAP - 1
        pane.text(0, top, shorten(limit.wager, shorter, fits(room, FINE)), BLUE, FINE)


def draw_numbers(boxes: Sequence[Box], pane: Pane) -> None:
    """Bets are closed and no card has come: the boxes that play."""
    pane.centre(4, "BOXES IN PLAY", BLUE, FINE)
    for row, some in enumerate(in_parts(boxes, NUMBERS_A_ROW)):
        lettering = PLAIN if len(boxes) <= NUMBERS_A_ROW else FINE
        pane.centre(15 + 8 * row, "  ".join(str(box.number) for box in some), WHITE, lettering)


def draw_suits(pane: Pane) -> None:
    for place, (suit, colour) in enumerate((("♠", WHITE), ("♥", ORANGE), ("♣", WHITE), ("♦", ORANGE))):
        pane.text(4 + 15 * place, 9, suit, colour, (NORMAL, 2))


# -- hands and results


def table_pages(view: TableView) -> list[DisplayPage]:
    """The dealer's hand on top of every page, the boxes below it."""
    rows = [row for box in view.boxes for row in box_rows(box, view)]
    if view.qualifies is False:
        rows.insert(0, partial(draw_note, "NOT QUALIFIED"))
    return [partial(draw_table, view.dealer, some) for some in in_parts(rows, ROWS_A_PAGE)]


def draw_table(dealer: Hand, rows: Sequence[Row], pane: Pane) -> None:
    draw_hand(DEALER_SIGN, dealer, None, pane, 0)
    for place, row in enumerate(rows):
        row(pane, ROW_STEP * (place + 1))


def box_rows(box: Box, view: TableView) -> list[Row]:
    number = str(box.number)
    if box.out:
        return [partial(draw_result, number, "", "OUT", PURPLE, "BACK")]
    if box.decision == FOLD:
        return [partial(draw_result, number, "", "FOLD", ORANGE, ""), *side_rows(box, view.shorter)]
    if box.outcomes:
        # Where side wagers alone were made and none of them won, the box has lost.
        lost = partial(draw_result, number, code_text(box.hand), *RESULTS[LOSE], "")
        return main_rows(box) + side_rows(box, view.shorter) or [lost]
    if view.state == DECIDING and not box.hand.cards:
        return [partial(draw_decision, box)]
    return [partial(draw_hand, number, box.hand, box.stands)]


def main_rows(box: Box) -> list[Row]:
    return [
        partial(draw_result, str(box.number), code_text(box.hand), *result_words(outcome), outcome.pays or "")
        for outcome in box.outcomes
        if outcome.is_main
    ]


def side_rows(box: Box, shorter: str) -> list[Row]:
    """Every side wager that did not simply lose. One that goes with the main wager needs no word."""
    told = [(outcome.result, outcome.pays) for outcome in box.outcomes if outcome.is_main]
    return [
        partial(draw_side, str(box.number), outcome, shorter)
        for outcome in box.outcomes
        if not outcome.is_main
        and outcome.result != LOSE
        and not (outcome.follows_main and (outcome.result, outcome.pays) in told)
    ]


def draw_result(number: str, code: str, words: str, colour: Colour, pays: str, pane: Pane, top: int) -> None:
    x = draw_number(pane, top, number)
    if code:
        pane.text(x, top + 1, code, YELLOW, FINE)
        x += NAME_STEP
    draw_pays(pane, top, pays, WIDTH - pane.text(x, top, words, colour) - GAP)


def draw_side(number: str, outcome: Outcome, shorter: str, pane: Pane, top: int) -> None:
    """A side wager by its name: what it pays behind a plus, or that it pushes or goes back."""
    words, colour = result_words(outcome)
    wins = outcome.result == WIN
    pays = (outcome.pays or words) if wins else words
    x = draw_number(pane, top, number)
    x = pane.text(x, top + 1, "+" if wins else "", colour, FINE)
    room = WIDTH - x - GAP
    label = ""
    for lettering in (PLAIN, FINE):
        label = shorten(outcome.wager, shorter, fits(room - width(pays, lettering), FINE))
        if len(label) > 2:
            break  # a name in full says more than big figures
    pane.text(x, top + 1, label, colour, FINE)
    draw_pays(pane, top, pays, room - width(label, FINE))


def draw_decision(box: Box, pane: Pane, top: int) -> None:
    pane.backs(draw_number(pane, top, str(box.number)), top, box.hand.lying)
    words, colour = ("PLAY", GREEN) if box.decision == PLAY else ("?", YELLOW)
    pane.right(top, words, colour)


def draw_note(words: str, pane: Pane, top: int) -> None:
    pane.centre(top + 1, words, YELLOW, FINE)


def draw_number(pane: Pane, top: int, number: str) -> int:
    """The box, or D, at the start of a row, with a bar behind it; returns where the rest begins."""
    lettering = PLAIN if len(number) == 1 else FINE
    x = pane.text(0, top if lettering is PLAIN else top + 1, number, BLUE, lettering)
    return pane.text(x, top, BAR, GREY)


def draw_pays(pane: Pane, top: int, pays: str, room: int) -> None:
    lettering = biggest(pays, room, PLAIN, FINE)
    pane.right(top if lettering is PLAIN else top + 1, pays, WHITE, lettering)


def draw_hand(owner: str, hand: Hand, stands: str | None, pane: Pane, top: int) -> None:
    """Whose it is, the cards or their backs, what the hand is called, and W, L or T once that is known."""
    x = draw_number(pane, top, owner)
    if not hand.cards:
        pane.backs(x, top, hand.lying)
        return
    pane.cards(x, top, hand.cards)
    x += len(hand.cards) * CARD_STEP - GAP + 1
    if stands:
        words, colour = RESULTS[stands]
        letter = words[0]
        room = width(letter, PLAIN) + GAP + 1
        pane.text(WIDTH - room - width(code_text(hand), FINE), top + 1, code_text(hand), YELLOW, FINE)
        pane.right(top, letter, colour)
        return
    name = hand.short + STEP_SIGNS[hand.step]
    if width(name, FINE) > WIDTH - x:
        name = code_text(hand)
    lettering = biggest(name, WIDTH - x, PLAIN, FINE)
    pane.right(top if lettering is PLAIN else top + 1, name, YELLOW, lettering)


STEP_SIGNS = ("", ONE_STEP, TWO_STEPS)


def code_text(hand: Hand) -> str:
    return hand.code + STEP_SIGNS[hand.step]


def fits(room: int, lettering: Lettering) -> Callable[[str], bool]:
    return lambda text: width(text, lettering) <= room


def in_parts(things: Sequence[Thing], size: int) -> list[Sequence[Thing]]:
    return [things[start : start + size] for start in range(0, len(things), size)]
