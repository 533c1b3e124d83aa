"""What staff can do at a table, as data: each action with its event, its subject, and what must be filled in."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from host.page.consequences import may_be_put_right
from host.words.money import dollars
from host.words.names import place as place_words
from host.words.page import PAGE
from shared.round.deal import DEALER, held, undecided
from shared.round.events import EVENTS
from shared.round.facts import laid_bet
from shared.round.refunds import on_layout
from shared.round.round import Round
from shared.round.states import CHECK, CHOOSE, FOLD, FROZEN, ORDER, RULING, TELL
from shared.rules import cards, policy

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


class Option(NamedTuple):
    """One of the values of a choice; an empty one leaves the field out."""

    label: str
    value: str | int


class Input(NamedTuple):
    """A field that staff fill in. `kind` is name, money, card, count, text, flag, or choice with its options."""

    field: str
    label: str
    kind: str
    optional: bool = False
    options: Callable[[Round], list[Option]] | None = None


class Action(NamedTuple):
    """What staff can do; `fixed` goes into the event as it is. A primary one stands out."""

    name: str
    label: str
    group: str
    event: str
    picks: Callable[[Round], list[Pick]] | None = None
    inputs: tuple[Input, ...] = ()
    fixed: Mapping[str, Any] = MappingProxyType({})
    confirm: bool = False
    primary: bool = False


# -- what actions are about


def boxes_in_play(round_: Round) -> list[Pick]:
    boxes = [box for box in round_.order if box not in round_.removed]
    return [Pick(f"Box {box}", {"box": box}) for box in boxes]


def touched_hands(round_: Round) -> list[Pick]:
    """Each hand with those who bet on it, also one that is out."""
    picks = []
    for box in boxes_with_cards(round_):
        names = dict.fromkeys(bet.player for bet in round_.by_box.get(box, ()))
        picks += [Pick(f"{name} on box {box}", {"box": box, "player": name}) for name in names]
        picks.append(Pick(f"Somebody, box {box}", {"box": box}))
    return picks


def boxes_with_cards(round_: Round) -> list[int]:
    return sorted(place for place, held in round_.hands.items() if held and place != DEALER)


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


def bets_that_lay(round_: Round) -> list[Pick]:
    """With the amount that is shown, also of bets that were settled or given back before anybody noticed."""
    picks = []
    for box, player, place in dict.fromkeys((bet.box, bet.player, bet.place) for bet in round_.bets):
        bet = laid_bet(round_, box, player, place)
        left = on_layout(round_, bet) if bet else 0
        if left > 0:
            pick = bet_pick(round_, bet, left)
            picks.append(Pick(pick.label, pick.fields | ({"cents": left} if round_.table.amounts else {})))
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


def hands_with_cards(round_: Round) -> list[Pick]:
    """Every hand that lies on the table, also one that is out."""
    dealers = [DEALER] if round_.hands.get(DEALER) else []
    return [Pick(hand_words(place), {"place": place}) for place in (*boxes_with_cards(round_), *dealers)]


def hand_words(place: int) -> str:
    return "Dealer" if place == DEALER else f"Box {place}"


def cards_on_table(round_: Round) -> list[Pick]:
    """Each card by its place. Of one that lies face down nobody learns more than that."""
    picks = []
    for pick in hands_with_cards(round_):
        place = pick.fields["place"]
        lies_open = place in round_.shown and round_.decisions.get(place) != FOLD
        for at, card in enumerate(round_.hands[place]):
            name = cards.text(card) if lies_open and card != cards.UNKNOWN else f"card {at + 1}"
            picks.append(Pick(f"{pick.label}: {name}", {"of": place, "at": at}))
    for at in range(len(round_.loose)):
        picks.append(Pick(f"In no hand: card {at + 1}", {"of": None, "at": at}))
    return picks


def places_for_a_card(round_: Round) -> list[Option]:
    boxes = [Option(f"In box {box}", box) for box in range(1, round_.table.boxes + 1)]
    return [*boxes, Option("With the dealer", DEALER), Option("In no hand", "")]


def missing_cards(round_: Round) -> list[Pick]:
    """Where a card is missing, or one in a hand that lies open has no name."""
    due = round_.next_place()
    picks = []
    for pick in hands(round_):
        place = pick.fields["place"]
        if place in round_.shown and cards.UNKNOWN in round_.hands.get(place, ()):
            picks.append(Pick(f"{hand_words(place)}: the unread card", pick.fields))
        elif held(round_, place) < 3:
            more = " (the next card)" if place == due else ""
            picks.append(Pick(f"{hand_words(place)}{more}", pick.fields))
    return picks


def who_turned(round_: Round) -> list[Option]:
    names = dict.fromkeys(bet.player for bet in round_.bets)
    return [Option("Nobody: a slip", ""), *(Option(name, name) for name in names)]


def ways_to_put_right(round_: Round) -> list[Option]:
    return [
        Option("Not put right", ""),
        Option("Complete hands were moved", policy.MOVED),
        Option("Single cards were put back in order", policy.RESTORED),
    ]


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
    picks.append(ruling("Pay again for the hands as they lie", "correct"))
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
    "all_told": lambda round_: is_asked(round_, TELL),
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
CARD = Input("card", "Which card", "card")
WHERE = Input("place", "Where it lies", "choice", False, places_for_a_card)
WHO_TURNED = Input("player", "Who turned it", "choice", True, who_turned)
COUNT = Input("count", "Cards", "count")
TEXT = Input("text", "In your own words", "text", True)
PUT_RIGHT = Input("put_right", "Was it put right?", "choice", True, ways_to_put_right)
ROUND_NUMBER = Input("round", "Number of the round", "count")
# What stands for a field that is not filled in yet when the round is asked whether an action is possible.
PROBES = {"player": "?", "card": "?", "count": 52, "round": 1}

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
    Action("chips_gone", "Chips are gone", BETS, "chips_gone", bets_that_lay, (PART,), confirm=True),
    Action("handled", "A player touched cards", CARDS, "handled", touched_hands),
    Action("look", "A player looks at a hand", CARDS, "look", players_of_boxes),
    Action("show", "Hand put back face up", CARDS, "show", boxes_in_play),
    Action("opened", "Dealer opens a hand", CARDS, "show", boxes_in_play),
    Action("turned", "A card lies open", CARDS, "turned", hands_with_cards, (CARD, WHO_TURNED), confirm=True),
    Action("lies", "A card lies elsewhere", CARDS, "lies", cards_on_table, (WHERE,), confirm=True),
    Action("lies_named", "A named card lies elsewhere", CARDS, "lies", None, (CARD, WHERE), confirm=True),
    Action("entered", "Enter a card by hand", CARDS, "entered", missing_cards, (CARD,), confirm=True),
    Action("cards_counted", "Deck counted", CARDS, "cards_counted", None, (COUNT,), confirm=True),
    Action("all_told", "All is told", ANSWERS, "all_told", confirm=True, primary=True),
    Action("misread", "The card was misread", ANSWERS, "misread"),
    Action("choose", "A player chooses", ANSWERS, "choose", choices),
    Action("choices_done", "Everybody else goes on", ANSWERS, "choices_done", confirm=True),
    Action("ruling", "Give a ruling", ANSWERS, "ruling", rulings, (TEXT,), confirm=True),
    Action("hand_paid", "Confirm a hand pay", SERVICE, "hand_paid", winners, confirm=True),
    Action("new_day", "A new gaming day begins", SERVICE, "new_day", confirm=True),
)
# Events that name the post that acts; any other is told of players or of the table.
TOLD_BY_STAFF = ("irregularity", "cards_counted", "turned", "chips_gone", "all_told")
BY_STAFF = (*TOLD_BY_STAFF, *(name for name, fields in EVENTS.items() if "by" in fields))
REPORT_PICKS: dict[str, Callable[[Round], list[Pick]]] = {"wrong_count": hands, "left": players}
REPORT = "report_"
EARLIER = Action(
    "earlier", "About an earlier round", IRREGULARITIES, "irregularity", kinds, (ROUND_NUMBER, TEXT), confirm=True
)


def report_action(round_: Round, kind: str) -> Action:
    inputs = (PUT_RIGHT, TEXT) if may_be_put_right(round_, kind) else (TEXT,)
    picks, fixed = REPORT_PICKS.get(kind), {"kind": kind}
    return Action(REPORT + kind, PAGE[f"kind.{kind}"], IRREGULARITIES, "irregularity", picks, inputs, fixed, True)


def actions(round_: Round) -> list[Action]:
    """All that this book has, in the order of the console."""
    reports = [report_action(round_, kind) for kind in policy.KINDS]
    shown = [one for one in ACTIONS if one.event not in SHOWN_IF or SHOWN_IF[one.event](round_)]
    if is_asked(round_, TELL):
        shown = [one._replace(group=ANSWERS) if one.event in ("turned", "lies") else one for one in shown]
    return [*shown, *reports, *([EARLIER] if round_.number > 1 else [])]


def find_action(round_: Round, name: str) -> Action | None:
    return next((one for one in actions(round_) if one.name == name), None)
