"""What the console proposes for a field that nobody typed: the most likely thing, as the round stands."""

import random
from collections.abc import Sequence
from typing import Any

from host.bench.console.choice import NotMeant
from host.bench.phrases import CHOICES, KINDS, POSTS, PUT_RIGHT, SEATED, Phrase, read_place
from host.words.money import dollars
from host.words.names import plain
from shared.round.bets import bets_on
from shared.round.deal import DEALER, cards_needed, undecided, unshown
from shared.round.states import BETTING, CLOSED, DEALING, DECIDING, PLAYING, REVEALED
from shared.rules import cards
from shared.rules.settlement import MAIN

USUAL_BET = 2500
NEXT_KEYS = {BETTING: "close", PLAYING: "reveal", DECIDING: "play", REVEALED: "settle"}
# Events about bets that lie there already.
OF_BETS = ("take_back", "counted", "chips_gone")


class Proposals:
    """One for each phrase that is put together: `round_` is as the log has it."""

    def __init__(self, round_: Any, seed: int, faults: Sequence[str] = ()) -> None:
        self.round = round_
        self.faults = faults
        self.dice = random.Random(f"{seed} deck {round_.number}")
        self.book = round_.book

    def propose(self, phrase: Phrase, name: str, typed: dict[str, str]) -> str:
        """`typed` are the fields of the phrase that somebody typed, in words."""
        if name in ("box", "player", "wager", "cents", "lay"):
            box, player, wager, cents = self.bet(phrase, typed)
            return {"box": f"box {box}", "player": player, "wager": plain(wager)}.get(name, dollars(cents))
        if name in ("card", "cards"):
            return self.card(phrase)
        if name in ("place", "before"):
            return place_words(self.place(phrase, name))
        return {
            "count": lambda: {"cards_counted": "51", "wait": "3"}.get(phrase.event, "0"),
            "limit": lambda: "1",
            "round": lambda: str(max(self.round.number, 1)),
            "seated": lambda: next(word for word, seated in SEATED.items() if not seated),
            "kind": lambda: "misdeal" if "misdeal" in KINDS else next(iter(KINDS)),
            "put_right": lambda: next(iter(PUT_RIGHT)),
            "choice": lambda: next(iter(CHOICES)),
            "by": lambda: next(word for word, post in POSTS.items() if post == self.book.PROCEDURE.gap_role),
            "key": lambda: NEXT_KEYS.get(self.round.state, "open"),
            "device": lambda: self.round.table.device if phrase.event == "say" else "reader",
            "words": lambda: "JAM",
            "fault": self.fault,
        }[name]()

    def fault(self) -> str:
        if not self.faults:
            raise NotMeant("there is no fault to be cleared")
        return plain(self.faults[0])

    # -- bets

    def bet(self, phrase: Phrase, typed: dict[str, str]) -> tuple[int, str, str, int]:
        """Box, player, wager, cents: the next that is missing, or the first that is meant."""
        round_ = self.round
        main = self.book.WAGERS[MAIN].name
        box = read_place(typed["box"]) if "box" in typed else None
        if phrase.event == "bet":
            return self.next_bet(box, typed.get("wager"))
        if phrase.event in OF_BETS:
            lying = [bet for bet in round_.bets if bet.cents and box in (None, bet.box)]
            if lying:
                return lying[0].box, lying[0].player, self.book.WAGERS[lying[0].place].name, lying[0].cents
        if phrase.event == "choose" and round_.pending:
            offered, player = round_.pending[0]
            return offered or self.first_box(), player, main, USUAL_BET
        if phrase.event == "hand_paid" and round_.hand_pays:
            return self.first_box(), round_.hand_pays[0], main, USUAL_BET
        box = box or self.box_for(phrase)
        return box, self.player_on(box), main, self.least(MAIN)

    def next_bet(self, box: int | None, wager: str | None) -> tuple[int, str, str, int]:
        """Main wagers first, box by box, then others where a main wager lies."""
        boxes = [box] if box else range(1, self.round.table.boxes + 1)
        first = None
        for place, one in enumerate(self.book.WAGERS):
            if one.on_decision or wager not in (None, plain(one.name)):
                continue
            first = place if first is None else first
            for number in boxes:
                has_main = place == MAIN or bets_on(self.round, number, MAIN)
                if has_main and not bets_on(self.round, number, place):
                    return number, self.player_on(number), one.name, self.least(place)
        place = first or MAIN
        return boxes[0], self.player_on(boxes[0]), self.book.WAGERS[place].name, self.least(place)

    def player_on(self, box: int) -> str:
        lying = bets_on(self.round, box)
        return lying[0].player if lying else f"P{box}"

    def least(self, place: int) -> int:
        if place == self.round.table.progressive:
            return self.round.table.stake
        limits = self.round.table.limits[place]
        return limits[0] if limits else USUAL_BET

    # -- boxes and places

    def first_box(self) -> int:
        return next(iter(self.round.order), 1)

    def box_for(self, phrase: Phrase) -> int:
        waiting = {"decide": undecided, "show": unshown}.get(phrase.event)
        found = waiting(self.round) if waiting else []
        return found[0] if found else self.first_box()

    def place(self, phrase: Phrase, name: str) -> int:
        """Where a card is said to lie: the dealer's hand, but for a card that is named in its own hand."""
        round_ = self.round
        if phrase.event == "lies" and name == "place":
            return DEALER
        for place in (*round_.shown, *round_.order):
            if cards.UNKNOWN in round_.hands.get(place, ()):
                return place
        return self.first_box()

    # -- cards

    def deck(self) -> list[str]:
        """Shuffled anew for each round, without what lies on the table."""
        lying = [card for hand in (*self.round.hands.values(), self.round.loose) for card in hand]
        left = list(range(cards.DECK_SIZE))
        self.dice.shuffle(left)
        return [cards.text(card) for card in left if card not in lying]

    def card(self, phrase: Phrase) -> str:
        """The next of the deck, or one that lies there where that is meant."""
        lying = [card for place in self.round.order for card in self.round.hands.get(place, ())]
        known = [card for card in lying if card != cards.UNKNOWN]
        if phrase.event in ("lies", "turned") and known:
            return cards.text(known[0])
        return next(iter(self.deck()), "??")

    def rest(self) -> str:
        """The cards that the deal still needs."""
        if self.round.state not in (CLOSED, DEALING):
            return ""
        return " ".join(self.deck()[: cards_needed(self.round)])


def place_words(place: int) -> str:
    return "the dealer's hand" if place == DEALER else f"box {place}"
