"""Random rounds from a seed: a dealer and players who mostly do the right thing, and sometimes anything."""

import random
from typing import Any

from host.rules.catalogue import is_progressive, progressive_place
from shared.round import deal
from shared.round.bets import wager_place
from shared.round.events import EVENTS
from shared.round.round import Round
from shared.rules import cards
from shared.rules.policy import KINDS
from shared.rules.rulebook import load
from tests.support.deals import DECK

ROLES = ("dealer", "pit_supervisor", "pit_manager", "shift_manager")
PLAYERS = ("P1", "P2", "P3", "P4")


def random_config(game: str, dice: random.Random) -> dict[str, Any]:
    book = load(game)
    config: dict[str, Any] = {
        "game": game,
        "boxes": dice.randint(1, min(8, book.MAX_BOXES)),
        "device": dice.choice(("shoe", "shuffler")),
        "amounts": dice.random() < 0.9,
    }
    if dice.random() < 0.8:
        config["limits"] = {
            wager.name: [500, dice.choice((2000, 20000))]
            for wager in book.WAGERS
            if not wager.on_decision and not is_progressive(wager)
        }
    if progressive_place(book) is not None:
        config["progressive"] = {"stake": 500, "contribution": 125, "meter": 1_000_000, "reset": 500_000}
    return config


class Players:
    """Writes events for a round as it stands; `mischief` is the share of events that are anything at all."""

    def __init__(self, round_: Round, dice: random.Random, mischief: float) -> None:
        self.round = round_
        self.dice = dice
        self.mischief = mischief
        self.deck: list[str] = []
        self.next: list[Any] = []  # what follows from the last event

    def event(self) -> Any:
        if self.next:
            return self.next.pop()
        if self.dice.random() < self.mischief:
            return self.dice.choice((self.irregularity, self.fact, self.noise, self.nonsense))()
        return self.next_step()

    # -- the ordinary course

    def next_step(self) -> list[Any]:
        r, dice = self.round, self.dice
        if r.state == "settled" and r.paid and dice.random() < 0.15:
            return dice.choice((self.exchange, self.fact, self.irregularity, self.struck_out))()
        if r.state in ("idle", "settled", "void") or (r.is_over() and dice.random() < 0.5):
            if r.hand_pays:
                return ["hand_paid", r.hand_pays[0], "pit_supervisor"]
            self.deck = DECK[:]
            dice.shuffle(self.deck)
            if dice.random() < 0.3:
                self.deck.sort(key=lambda card: card[0] in "AKQJ")
            return ["open"]
        if r.state == "betting":
            return ["close"] if dice.random() < 0.12 else self.bet()
        if r.state in ("closed", "dealing") and r.table.amounts and (not r.order or dice.random() < 0.06):
            lay = dice.choice((500, 1001, 7777, 30000))
            if not r.in_play():
                return ["counted", 1, "P1", r.book.WAGERS[0].name, lay, "pit_supervisor"]
            bet = dice.choice(r.in_play())
            return ["counted", bet.box, bet.player, r.book.WAGERS[bet.place].name, lay, "pit_supervisor"]
        if r.next_place() is not None:
            return self.card()
        if r.state in ("closed", "dealing"):
            return ["cards_left", 0]
        unnamed = [place for place in r.shown if cards.UNKNOWN in r.hands.get(place, ())]
        if unnamed and self.deck:
            return ["entered", self.deck.pop(), "pit_supervisor", unnamed[0]]
        wrong = [place for place in deal.places(r) if deal.held(r, place) != 3]
        if wrong and dice.random() < 0.5:
            return ["irregularity", "wrong_count", wrong[0], None, dice.choice((None, "moved")), "pit_supervisor"]
        if r.state in ("playing", "deciding") and self.deck and dice.random() < 0.03:
            return ["card", self.deck.pop()]  # one too many
        if r.state == "deciding":
            return self.decide()
        if r.state == "playing":
            waiting = [box for box in r.order if box not in r.removed and box not in r.shown]
            if waiting and dice.random() < 0.7:
                box = dice.choice(waiting)
                return dice.choice((["show", box], ["look", box, dice.choice(PLAYERS)], ["handled", box]))
            return ["reveal"] if not waiting or dice.random() < 0.5 else ["show", waiting[0]]
        if r.state == "revealed":
            return ["settle"]
        return self.answer()

    def card(self) -> list[Any]:
        """Nearly always a card that is read; one that the reader could not read, missed, or read twice."""
        if not self.deck:
            return ["cards_left", 0]
        chance = self.dice.random()
        if chance < 0.03:
            self.deck.pop()
            return ["card", "??"]
        if chance < 0.05:
            return ["entered", self.deck.pop(), "pit_supervisor"]
        if chance < 0.06:
            return ["card", self.dice.choice((*self.dealt(), "XX"))]
        return ["card", self.deck.pop()]

    def bet(self) -> list[Any]:
        r, dice = self.round, self.dice
        place = dice.randrange(len(r.book.WAGERS))
        name = r.book.WAGERS[0 if dice.random() < 0.5 else place].name
        cents = None
        if r.table.amounts:
            fixed = wager_place(r, name) == r.table.progressive
            cents = 500 if fixed else dice.choice((100, 500, 700, 1001, 5000, 30000))
        event = ["bet", dice.randint(1, r.table.boxes), dice.choice(PLAYERS), name, cents]
        if dice.random() < 0.3:
            event.append(dice.random() < 0.5)
        return event

    def decide(self) -> list[Any]:
        waiting = [
            box for box in self.round.order if box not in self.round.removed and box not in self.round.decisions
        ]
        if not waiting:
            return ["reveal"]
        choice = self.dice.choice(("play", "play", "fold"))
        return ["decide", waiting[0], choice, None, self.dice.random() < 0.8]

    def answer(self) -> list[Any]:
        """What ends the question that the round is frozen with, or something that is told meanwhile."""
        r, dice = self.round, self.dice
        kind = r.question[0]
        if r.resume != "betting" and dice.random() < 0.25:
            return self.fact()
        if kind == "choose":
            if dice.random() < 0.2:
                return ["choices_done"]
            box, player = dice.choice(r.pending)
            return ["choose", player, box, dice.choice(("continue", "withdraw"))]
        if kind == "tell":
            return ["all_told", "pit_supervisor"]
        if kind == "order":
            return ["ruling", "order", r.book.PROCEDURE.ordering_role, None, "the left one first"]
        if kind == "check" and dice.random() < 0.6:
            return ["misread"]
        box = dice.choice(r.order) if r.order else 1
        if r.resume == "settled" and dice.random() < 0.5:
            return ["ruling", "correct", r.book.PROCEDURE.gap_role]
        decision = dice.choice(("continue", "void", "hand_out", "correct", "fold"))
        return ["ruling", decision, r.book.PROCEDURE.gap_role, box]

    # -- the rest

    def irregularity(self) -> list[Any]:
        r, dice = self.round, self.dice
        if dice.random() < 0.25:
            return dice.choice(
                (["power_failure"], ["cards_counted", dice.choice((51, 52))], ["cards_left", dice.randint(0, 52)])
            )
        return [
            "irregularity",
            dice.choice(KINDS),
            dice.randint(0, r.table.boxes),
            dice.choice(PLAYERS),
            dice.choice((None, None, "moved", "restored")),
            dice.choice(ROLES),
            None,
            dice.choice((None, None, None, r.number, max(1, r.number - 1))),
        ]

    def dealt(self) -> list[str]:
        hands = (*self.round.hands.values(), self.round.loose)
        return [cards.text(card) for hand in hands for card in hand] or DECK

    def struck_out(self) -> list[Any]:
        """A bet that never lay there."""
        bet = self.dice.choice(self.round.bets)
        return ["counted", bet.box, bet.player, self.round.book.WAGERS[bet.place].name, 0, "pit_supervisor"]

    def exchange(self) -> list[Any]:
        """Two cards lie in each other's place."""
        places = [place for place, hand in self.round.hands.items() if hand]
        if len(places) < 2:
            return ["power_failure"]
        one, other = self.dice.sample(places, 2)
        card, second = (cards.text(self.dice.choice(self.round.hands[place])) for place in (one, other))
        self.next = [["lies", second, "pit_supervisor", one, other]]
        return ["lies", card, "pit_supervisor", other, one]

    def fact(self) -> list[Any]:
        """What really lies on the table, at any time."""
        r, dice = self.round, self.dice
        if dice.random() < 0.25:
            return self.exchange()
        place, card = dice.randint(0, r.table.boxes), dice.choice(self.dealt())
        if dice.random() < 0.5:
            return ["lies", card, "pit_supervisor", dice.choice((place, place, place, None)), place]
        if dice.random() < 0.4:
            return ["turned", card, dice.choice((None, *PLAYERS)), place, dice.choice((None, "dealer"))]
        if r.bets and dice.random() < 0.5:
            bet = dice.choice(r.bets)
            cents = dice.choice((None, 1, 500)) if r.table.amounts else None
            return ["chips_gone", bet.box, bet.player, r.book.WAGERS[bet.place].name, cents]
        touch = ["handled", max(place, 1), dice.choice(PLAYERS)]
        return dice.choice((touch, ["entered", card, "pit_supervisor", place]))

    def noise(self) -> list[Any]:
        """A well-formed event of any kind, at any time."""
        r, dice = self.round, self.dice
        dealt = self.dealt()
        values = {
            "box": dice.randint(0, r.table.boxes + 1),
            "place": dice.randint(0, r.table.boxes),
            "player": dice.choice(PLAYERS),
            "wager": dice.choice(r.book.WAGERS).name,
            "cents": dice.choice((None, 1, 500, 700, 30000)),
            "lay": dice.choice((0, 1, 500, 7001, 30000)),
            "seated": dice.choice((None, True, False)),
            "by": dice.choice((*ROLES, "guest")),
            "count": dice.choice((0, 3, 51, 52)),
            "card": dice.choice((*dealt, "XX", "??")),
            "before": dice.randint(0, r.table.boxes),
            "up": dice.choice((None, True, False)),
            "choice": dice.choice(("play", "fold", "continue", "withdraw")),
            "sure": dice.choice((None, True)),
            "put_right": dice.choice((None, "moved", "restored")),
            "decision": dice.choice(("continue", "void", "hand_out", "fold", "order", "correct")),
            "kind": dice.choice(KINDS),
            "limit": dice.randint(0, 4),
            "text": None,
            "round": None,
        }
        name = dice.choice(sorted(EVENTS))
        return [name] + [values[field.rstrip("?")] for field in EVENTS[name]]

    def nonsense(self) -> Any:
        """Something that is no event, or one with wrong fields."""
        dice = self.dice
        rubbish = (
            None,
            True,
            -1,
            10**12,
            1.5,
            "",
            "x" * 300,
            [],
            {},
            ["bet"],
            {"event": "bet", "box": "1"},
            [["x"] * 30] * 30,
            "Jos\u00e9",
            "\b",
        )
        if dice.random() < 0.3:
            return dice.choice(rubbish)
        event = self.noise()
        if dice.random() < 0.3:
            return {"event": event[0]} | {
                field.rstrip("?"): value
                for field, value in zip(EVENTS[event[0]], event[1:])
                if dice.random() < 0.8
            }
        event[dice.randrange(len(event))] = dice.choice(rubbish)
        return event


def play_events(round_: Round, dice: random.Random, count: int, mischief: float):
    """Yield (event, records) of a random stretch of play."""
    players = Players(round_, dice, mischief)
    for _ in range(count):
        event = players.event()
        yield event, round_.apply(event)
