"""What staff can do at a table, as data: each action with its event, its subject, and what must be filled in."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from host.page.consequences import is_mendable
from host.words.money import dollars
from host.words.names import place as place_words
from host.words.page import PAGE
from shared.round.deal import DEALER
from shared.round.events import EVENTS
from shared.round.playing import undecided
from shared.round.round import Round
from shared.round.states import CHECK, CHOOSE, FROZEN, ORDER, RULING
from shared.rules import policy

ROUND = "Round"
BETS = "Bets and players"
CARDS = "Cards"
IRREGULARITIES = "Irregularities"
ANSWERS = "Questions"
SERVICE = "Table"
GROUPS = (ROUND, BETS, CARDS, IRREGULARITIES, ANSWERS, SERVICE)


class Pick(NamedTuple):
    """One of several things that an action can be about, the fields that it stands for, and what it leads to."""

    label: str
    fields: dict[str, Any]
    hint: str = ""


class Input(NamedTuple):
    """A field that staff fill in. `kind` is name, money, card, count, text or flag."""

    field: str
    label: str
    kind: str
    optional: bool = False


class Action(NamedTuple):
    """What staff can do; `fixed` goes into the event as it is."""

    name: str
    label: str
    group: str
    event: str
    picks: Callable[[Round], list[Pick]] | None = None
    inputs: tuple[Input, ...] = ()
    fixed: Mapping[str, Any] = MappingProxyType({})
    confirm: bool = False


# -- what actions are about


def boxes_in_play(round_: Round) -> list[Pick]:
    boxes = [box for box in round_.order if box not in round_.removed]
    return [Pick(f"Box {box}", {"box": box}) for box in boxes]


def box_to_decide(round_: Round) -> list[Pick]:
    return [Pick(f"Box {box}", {"box": box}) for box in undecided(round_)[:1]]


def players_of_boxes(round_: Round) -> list[Pick]:
    pairs = list(dict.fromkeys((bet.box, bet.player) for bet in round_.in_play()))
    return [Pick(f"{player} on box {box}", {"box": box, "player": player}) for box, player in pairs]


def seats(round_: Round) -> list[Pick]:
    return [
        Pick(f"{pick.label} {word}", pick.fields | {"seated": seated})
        for pick in players_of_boxes(round_)
        for word, seated in (("sits", True), ("stands", False))
    ]


def players(round_: Round) -> list[Pick]:
    names = dict.fromkeys(bet.player for bet in round_.bets)
    return [Pick(name, {"player": name}) for name in names]


def bet_pick(round_: Round, bet: Any, cents: int) -> Pick:
    wager = round_.book.WAGERS[bet.place]
    money = f", {dollars(cents)}" if round_.table.amounts else ""
    label = f"{bet.player}: {wager.title} on box {bet.box}{money}"
    return Pick(label, {"box": bet.box, "player": bet.player, "wager": wager.name})


def bets(round_: Round) -> list[Pick]:
    return [bet_pick(round_, bet, bet.cents) for bet in round_.in_play()]


def bets_to_take(round_: Round) -> list[Pick]:
    """The amount that is shown goes with it: a bet that grows under an open sheet is not taken whole."""
    picks = []
    for bet in round_.in_play():
        lying = bet.cents - bet.gone
        if lying > 0:
            pick = bet_pick(round_, bet, lying)
            picks.append(Pick(pick.label, pick.fields | ({"cents": lying} if round_.table.amounts else {})))
    return picks


def places_for_bets(round_: Round) -> list[Pick]:
    return [
        Pick(f"Box {box}: {wager.title}", {"box": box, "wager": wager.name})
        for box in range(1, round_.table.boxes + 1)
        for wager in round_.book.WAGERS
        if not wager.on_decision
    ]


def hands(round_: Round) -> list[Pick]:
    boxes = [box for box in round_.order if box not in round_.removed]
    return [Pick(place_words(place).capitalize(), {"place": place}) for place in (*boxes, DEALER)]


def kinds(round_: Round) -> list[Pick]:
    return [Pick(PAGE[f"kind.{kind}"], {"kind": kind}) for kind in policy.KINDS]


def choices(round_: Round) -> list[Pick]:
    return [
        Pick(
            f"{player} on {place_words(box)}: {word}" if box is not None else f"{player}: {word}",
            {"player": player, "choice": choice} | ({"box": box} if box is not None else {}),
        )
        for box, player in round_.pending
        for word, choice in (("go on", "continue"), ("withdraw", "withdraw"))
    ]


def rulings(round_: Round) -> list[Pick]:
    question: Any = round_.question
    if question and question.kind == ORDER:
        return [ruling("State the order of the cards", "order")]
    picks = [ruling("Play goes on", "continue"), ruling("The round is void", "void")]
    for pick in boxes_in_play(round_):
        picks.append(ruling(f"{pick.label} is out", "hand_out", pick.fields))
        if round_.book.PROCEDURE.deciding:
            picks.append(ruling(f"{pick.label} folds", "fold", pick.fields))
    return picks


def ruling(label: str, decision: str, fields: Mapping[str, Any] = MappingProxyType({})) -> Pick:
    return Pick(label, {"decision": decision, **fields}, PAGE[f"ruling.{decision}"])


def winners(round_: Round) -> list[Pick]:
    return [Pick(f"Paid to {player}", {"player": player}) for player in round_.hand_pays]


def holds(round_: Round) -> list[Pick]:
    names = list(dict.fromkeys([bet.player for bet in round_.bets] + round_.one_box_players))
    return [
        Pick(f"{name}: {words}", {"player": name, "limit": limit})
        for name in names
        for words, limit in (("one position only", 1), ("any position", 0))
    ]


def areas(round_: Round) -> list[Pick]:
    most = round_.book.PROCEDURE.wagers_an_area
    return [Pick(f"{count} an area", {"limit": count}) for count in range(1, most[0] + 1)] if most else []


# -- which actions there are


def is_asked(round_: Round, *question_kinds: str) -> bool:
    question: Any = round_.question
    return round_.state == FROZEN and question.kind in question_kinds


# When an action is on the console, by its event; all others always are.
SHOWN_IF: dict[str, Callable[[Round], Any]] = {
    "decide": lambda round_: round_.book.PROCEDURE.deciding,
    "restrict": lambda round_: round_.book.PROCEDURE.wagers_an_area,
    "withdraw": lambda round_: round_.book.PROCEDURE.permit,
    "counted": lambda round_: round_.table.amounts,
    "misread": lambda round_: is_asked(round_, CHECK),
    "choose": lambda round_: is_asked(round_, CHOOSE),
    "choices_done": lambda round_: is_asked(round_, CHOOSE),
    "ruling": lambda round_: is_asked(round_, CHECK, ORDER, RULING),
    "hand_paid": lambda round_: round_.hand_pays,
}

NAME = Input("player", "Player", "name")
PLACED = Input("placed", "Placed by staff for the player", "flag", True)
AMOUNT = Input("cents", "Amount", "money")
PART = Input("cents", "Amount, if not all", "money", True)
LAY = Input("lay", "What lay there at closing", "money")
SURE = Input("sure", "Fold it though it would be paid", "flag", True)
CARD = Input("card", "Card", "card")
WITH = Input("with", "With", "card")
UP = Input("up", "It came face up", "flag", True)
COUNT = Input("count", "Cards", "count")
TEXT = Input("text", "In your own words", "text", True)
MENDED = Input("mended", "It was put right", "flag", True)
WHICH_CARD = Input("card", "Which card", "card")
ROUND_NUMBER = Input("round", "Number of the round", "count")
# What stands for a field that is not filled in yet when the round is asked whether an action is possible.
PROBES = {"player": "?", "card": "?", "with": "?", "count": 52, "round": 1}

ACTIONS = (
    Action("open", "Open betting", ROUND, "open"),
    Action("close", "No more bets", ROUND, "close"),
    Action("reveal", "Dealer shows his hand", ROUND, "reveal"),
    Action("settle", "Settle: pay and collect", ROUND, "settle"),
    Action("play", "Player plays", ROUND, "decide", box_to_decide, fixed={"choice": "play"}),
    Action("fold", "Player folds", ROUND, "decide", box_to_decide, (SURE,), {"choice": "fold"}, True),
    Action("bet", "Declare a bet", BETS, "bet", places_for_bets, (NAME, AMOUNT, PLACED)),
    Action("take_back", "Take a bet back", BETS, "take_back", bets_to_take, (PART,)),
    Action("seat", "Say who sits", BETS, "seat", seats),
    Action("counted", "Correct an amount", BETS, "counted", bets, (LAY,), confirm=True),
    Action("undeclared", "Undeclared bet", BETS, "counted", places_for_bets, (NAME, LAY), confirm=True),
    Action("hold", "Hold a player to one position", BETS, "restrict", holds, confirm=True),
    Action("fewer", "Fewer wagers an area", BETS, "restrict", areas, confirm=True),
    Action("withdraw", "Permit a withdrawal", BETS, "withdraw", players_of_boxes, confirm=True),
    Action("handled", "A player handled cards", CARDS, "handled", boxes_in_play),
    Action("look", "A player looks at a hand", CARDS, "look", players_of_boxes),
    Action("show", "Hand put back face up", CARDS, "show", boxes_in_play),
    Action("opened", "Dealer opens a hand", CARDS, "show", boxes_in_play),
    Action("card", "Enter a card by hand", CARDS, "card", None, (CARD, UP), confirm=True),
    Action("exchanged", "Two cards lie exchanged", CARDS, "exchanged", None, (CARD, WITH), confirm=True),
    Action("cards_counted", "Deck counted", CARDS, "cards_counted", None, (COUNT,), confirm=True),
    Action("misread", "The card was misread", ANSWERS, "misread"),
    Action("choose", "A player chooses", ANSWERS, "choose", choices),
    Action("choices_done", "Everybody else goes on", ANSWERS, "choices_done", confirm=True),
    Action("ruling", "Give a ruling", ANSWERS, "ruling", rulings, (TEXT,), confirm=True),
    Action("hand_paid", "Confirm a hand pay", SERVICE, "hand_paid", winners, confirm=True),
    Action("new_day", "A new gaming day begins", SERVICE, "new_day", confirm=True),
)
# Events that name the post that acts; any other is told of players or of the table.
BY_STAFF = ("irregularity", "cards_counted", *(name for name, fields in EVENTS.items() if "by" in fields))
REPORT_INPUTS = {"exposed_card": (WHICH_CARD,)}
REPORT_PICKS: dict[str, Callable[[Round], list[Pick]]] = {"wrong_count": hands, "left": players}
REPORT = "report_"
EARLIER = Action(
    "earlier", "About an earlier round", IRREGULARITIES, "irregularity", kinds, (ROUND_NUMBER, TEXT), confirm=True
)


def report_action(kind: str, mendable: bool) -> Action:
    inputs = (*REPORT_INPUTS.get(kind, ()), *((MENDED,) if mendable else ()), TEXT)
    picks, fixed = REPORT_PICKS.get(kind), {"kind": kind}
    return Action(REPORT + kind, PAGE[f"kind.{kind}"], IRREGULARITIES, "irregularity", picks, inputs, fixed, True)


def actions(round_: Round) -> list[Action]:
    """All that this book has, in the order of the console."""
    reports = [report_action(kind, is_mendable(round_, kind)) for kind in policy.KINDS]
    shown = [one for one in ACTIONS if one.event not in SHOWN_IF or SHOWN_IF[one.event](round_)]
    return [*shown, *reports, *([EARLIER] if round_.number > 1 else [])]


def find_action(round_: Round, name: str) -> Action | None:
    return next((one for one in actions(round_) if one.name == name), None)
