"""A table that plays as fast as the rules core and the recorder can: people's moves without devices or a wire.

What happens is what people and devices would cause: bets told by a dealer, cards from a shuffled deck, refusals,
faults that are cleared, power cuts, unread and wrong cards, questions and rulings, reports that come late. One
seed gives the same play again. `mischief` from 0 to 1 is how often something goes wrong in a round.
"""

import random
from typing import Any

from firmware.recorder import Recorder
from host.rules.catalogue import is_progressive, progressive_place
from host.simulator.virtual_pico import Memory
from shared.journal.chain import record_of
from shared.journal.journal import Journal
from shared.journal.seal import Sealer
from shared.journal.snapshot import plain_config
from shared.round.deal import undecided
from shared.round.states import CHOOSE, ORDER, TELL
from shared.rules import cards
from shared.rules.rulebook import load

KEY = bytes(32)  # its own seals are thrown away
CAPACITY = 1 << 20
CHIP = 500
MOST_STEPS = 400  # in a round, after which the highest post voids it
DEALERS = ("Mei, dealer", "Ravi, dealer", "Siti, dealer")
SUPERVISORS = ("Tan, pit_supervisor", "Lee, pit_supervisor")
MANAGER = "Ann, shift_manager"
PLAYERS = tuple(f"P{number}" for number in range(1, 30))
DECK = [cards.text(card) for card in range(cards.DECK_SIZE)]
FAULTS = ("shuffler_jam", "shuffler_door", "reader_silent", "card_count")


def quick_config(game: str, boxes: int) -> dict[str, Any]:
    book = load(game)
    names = [wager.name for wager in book.WAGERS if not wager.on_decision and not is_progressive(wager)]
    config: dict[str, Any] = {"game": game, "boxes": min(boxes, book.MAX_BOXES), "chip": CHIP}
    config["limits"] = {name: [CHIP, 50_000 if place == 0 else 20_000] for place, name in enumerate(names)}
    if progressive_place(book) is not None:
        config["progressive"] = {"stake": 500, "contribution": 100, "meter": 1_000_000, "reset": 250_000}
    return config


class QuickTable:
    def __init__(self, config: dict[str, Any], rules: str, seed: str, mischief: float, seconds: int) -> None:
        self.dice = random.Random(seed)
        self.rules = rules
        self.mischief = mischief
        self.storage = Memory(capacity=CAPACITY)
        self.seconds = seconds
        self.commands = 0
        self.said: dict[int, tuple[str, str, list[Any]]] = {}  # what each command was
        self.now = 0
        self.start()
        self.command(MANAGER, "config", plain_config(config))

    def start(self) -> None:
        journal = Journal(self.storage, Sealer(KEY), "quick", later=True)
        self.recorder: Any = Recorder(journal, "power", self.dice.randbytes, self.rules)
        self.now = 0
        self.recorder.told_time = (self.seconds, 0)

    @property
    def round(self) -> Any:
        return self.recorder.round

    def records(self) -> list[tuple[int, list[Any]]]:
        """(boot, record) of everything."""
        found = []
        for line in self.recorder.journal.lines_from(1):
            found.append((int(line.split(b",", 2)[1]), record_of(line)))
        return found

    # -- what people do

    def wait(self, least: float, most: float) -> None:
        passed = int(1000 * self.dice.uniform(least, most))
        self.now += passed
        self.recorder.now = self.now

    def happens(self, *event: Any) -> list[list[Any]]:
        """At the table: keys, cards."""
        return self.recorder.apply(list(event))

    def command(self, who: str, name: str, arguments: list[Any]) -> bool:
        self.commands += 1
        self.said[self.commands] = who, name, arguments
        return self.recorder.command(self.commands, who, name, arguments)[0]

    def tell(self, who: str, *event: Any) -> bool:
        return self.command(who, "event", list(event))

    def any_of(self, people: tuple[str, ...]) -> str:
        return self.dice.choice(people)

    def goes_wrong(self, share: float) -> bool:
        return self.dice.random() < self.mischief * share

    # -- a round

    def play_round(self) -> None:
        self.dealer = self.any_of(DEALERS)
        self.before_round()
        self.wait(15, 45)
        self.happens("open")
        steps = 0
        while not self.round.is_over():
            steps += 1
            self.step(steps)
        self.after_round()

    def before_round(self) -> None:
        if self.round.hand_pays:
            self.wait(60, 300)
            self.tell(self.any_of(SUPERVISORS), "hand_paid", self.round.hand_pays[0], "pit_supervisor")
        if self.goes_wrong(0.15):
            self.break_down(self.dice.choice(FAULTS))
        self.deck = DECK[:]
        self.dice.shuffle(self.deck)

    def break_down(self, code: str) -> None:
        self.wait(1, 5)
        self.recorder.fault(code, "")
        self.wait(10, 120)
        self.command(self.any_of(SUPERVISORS), "clear", [code, "pit_supervisor"])

    def step(self, steps: int) -> None:
        state = self.round.state
        if steps > MOST_STEPS:
            self.give_up()
        elif state == "frozen":
            self.answer()
        elif state in ("closed", "dealing") and self.round.next_place() is not None:
            self.deal_card()
        else:
            getattr(self, "while_" + state, self.give_up)()

    def give_up(self) -> None:
        self.wait(30, 60)
        gap = self.round.book.PROCEDURE.gap_role
        if self.round.state == "frozen":
            self.tell(MANAGER, "ruling", "void", gap)
        else:
            self.tell(MANAGER, "irregularity", "other", None, None, None, gap)

    def while_betting(self) -> None:
        book, table = self.round.book, self.round.table
        taken = [box for box in range(1, table.boxes + 1) if self.dice.random() < 0.7] or [1]
        for box in taken:
            player = PLAYERS[(self.round.number // 20 * 7 + box * 3) % len(PLAYERS)]
            for place, wager in enumerate(book.WAGERS):
                if wager.on_decision or (place and self.dice.random() < 0.6):
                    continue
                self.lay(box, player, wager.name, place)
        self.wait(1, 4)
        self.happens("close")
        if self.goes_wrong(0.1) and not self.round.is_over():
            self.tell(self.dealer, "bet", taken[0], "P1", book.WAGERS[0].name, CHIP)  # too late

    def lay(self, box: int, player: str, wager: str, place: int) -> None:
        table = self.round.table
        limits = table.limits[place]
        cents = CHIP * self.dice.choice((1, 2, 2, 4, 5, 10, 20, 40))
        if place == table.progressive:
            cents = table.stake
        elif limits:
            cents = min(cents, limits[1])
            if self.goes_wrong(0.04):
                cents = self.dice.choice((CHIP // 5, limits[1] * 3))
        self.wait(1, 5)
        self.tell(self.dealer, "bet", box, player, wager, cents)
        if self.goes_wrong(0.03):
            self.tell(self.dealer, "take_back", box, player, wager)

    def deal_card(self) -> None:
        self.wait(0.7, 1.6)
        card = self.deck.pop()
        if self.goes_wrong(0.002):
            self.power_cut()
        elif self.goes_wrong(0.004):
            self.happens("card", "??")
        elif self.goes_wrong(0.002):
            self.happens("card", self.dice.choice(("XX", self.dice.choice(DECK))))
        elif self.goes_wrong(0.004):
            self.happens("card", card, True)
        else:
            self.happens("card", card)

    def power_cut(self) -> None:
        self.seconds += self.now // 1000 + self.dice.randint(20, 200)
        self.start()

    def while_playing(self) -> None:
        round_ = self.round
        waiting = [box for box in round_.order if box not in round_.removed and box not in round_.shown]
        self.wait(1, 6)
        if self.goes_wrong(0.1):
            self.trouble()
            return
        for bet in round_.bets:
            if bet.box in waiting and self.dice.random() < 0.2:
                self.happens("look", bet.box, bet.player)
        if self.happens("reveal")[0][0] == "refused":
            for box in waiting:
                self.wait(0.5, 2)
                self.happens("show", box, "dealer")

    def while_deciding(self) -> None:
        waiting = undecided(self.round)
        self.wait(1, 8)
        if self.goes_wrong(0.02):
            self.trouble()
        elif not waiting:
            self.happens("reveal")
        else:
            self.decide(waiting[0])

    def decide(self, box: int) -> None:
        hand = self.round.hands[box]
        is_known = cards.UNKNOWN not in hand and len(hand) == 3
        good = not is_known or self.round.book.value(*hand) >= self.play_from()
        folds = not good and self.dice.random() < 0.95
        if folds and self.happens("decide", box, "fold")[0][0] == "event":
            return
        if self.happens("decide", box, "play")[0][0] == "refused":
            self.happens("decide", box, "fold", None, True)

    def play_from(self) -> int:
        """The value of Q-6-4, from which best play plays."""
        return self.round.book.value(*(cards.parse(card) for card in ("QC", "6D", "4H")))

    def while_revealed(self) -> None:
        self.wait(2, 6)
        for place in self.round.shown:
            if cards.UNKNOWN in self.round.hands.get(place, ()):
                self.tell(self.any_of(SUPERVISORS), "entered", self.free_card(), "pit_supervisor", place)
                return
        if self.goes_wrong(0.05):
            self.trouble()
        if self.round.state == "revealed" and self.happens("settle")[0][0] == "refused":
            self.give_up()

    def free_card(self) -> str:
        lying = {card for hand in (*self.round.hands.values(), self.round.loose) for card in hand}
        return self.dice.choice([card for card in DECK if cards.parse(card) not in lying])

    # -- what goes wrong

    def trouble(self) -> None:
        """Something that people see on the layout, and tell."""
        round_, dice = self.round, self.dice
        box = dice.choice(round_.order)
        who, post = self.any_of(SUPERVISORS), "pit_supervisor"
        known = [card for card in round_.hands.get(box, ()) if card != cards.UNKNOWN]
        kind = dice.choice(("turned", "turned", "gone", "lies", "misdeal", "wrong_count", "other", "counted"))
        if kind == "turned" and known:
            self.tell(self.dealer, "turned", cards.text(known[0]), dice.choice((None, "P1")), box, "dealer")
        elif kind == "gone" and round_.bets:
            bet = dice.choice(round_.bets)
            self.tell(who, "chips_gone", bet.box, bet.player, round_.book.WAGERS[bet.place].name, None, post)
        elif kind == "lies" and known and round_.hands.get(0):
            self.tell(who, "lies", cards.text(known[0]), post, 0)
            self.tell(who, "lies", cards.text(known[0]), post, box)
        elif kind == "misdeal":
            self.tell(who, "irregularity", "misdeal", None, None, dice.choice((None, "moved")), post)
        elif kind == "wrong_count":
            self.tell(who, "irregularity", "wrong_count", box, None, None, post)
        elif kind == "other":
            gap = round_.book.PROCEDURE.gap_role
            self.tell(MANAGER, "irregularity", "other", None, None, None, gap, "a disturbance at the table")
        else:
            self.tell(who, "cards_counted", dice.choice((52, 52, 51)), post)

    def answer(self) -> None:
        """What ends the question that the round waits with."""
        round_, dice = self.round, self.dice
        kind, gap = round_.question.kind, round_.book.PROCEDURE.gap_role
        self.wait(3, 40)
        if kind == CHOOSE and round_.pending and dice.random() < 0.7:
            box, player = round_.pending[0]
            self.tell(self.dealer, "choose", player, box, dice.choice(("continue", "withdraw")))
        elif kind == CHOOSE:
            self.tell(self.dealer, "choices_done")
        elif kind == TELL:
            self.tell(self.dealer, "all_told", "dealer")
        elif kind == ORDER:
            role = round_.book.PROCEDURE.ordering_role
            self.tell(f"Tan, {role}", "ruling", "order", role, None, "the left one first")
        elif kind == "check" and dice.random() < 0.7:
            self.tell(self.dealer, "misread")
        else:
            self.tell(MANAGER, "ruling", dice.choice(("continue", "void")), gap)

    def after_round(self) -> None:
        """What is found when bets are paid: a card in doubt, a report about the round before."""
        number = self.round.number
        if self.goes_wrong(0.05):
            self.wait(2, 10)
            self.tell(
                self.any_of(SUPERVISORS), "irregularity", "foreign_card", None, None, None, "pit_supervisor"
            )
            while self.round.state == "frozen":
                self.give_up()
        if number > 1 and self.goes_wrong(0.03):
            self.tell(
                *(MANAGER, "irregularity", "other", None, None, None, "shift_manager"),
                *("seen on the cameras", number - 1),
            )
