"""A table with everything around it: devices, a host bridge, a dealer, players and staff, in virtual time.

The people know only what the log says. They press keys, lay chips, draw cards, answer the round's questions, and
repair and clear what breaks. One seed gives the same play again.

Some of them stand at the table (keys, chips, cards, repairs) and some at the desk (what is told to the host). If
the two are in different processes, each has a Floor that does one half and waits for the other: it looks at the
log each time, and which bets are laid depends only on the seed and the round's number.
"""

import random
from collections import Counter
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from host.simulator.devices import FOREIGN, READERS, AnyReader, Chatter, Faults, Shuffler
from host.simulator.target import Flashed, Outside, Target
from host.table.link import HostLink
from shared.journal.seal import Sealer
from shared.journal.snapshot import plain_config
from shared.round.bets import find_bet
from shared.round.deal import undecided
from shared.round.states import CHOOSE, ORDER, TELL
from shared.round.table import Table
from shared.rules import cards

PRESS_MS = 150  # how long a key is held down
PACE_MS = 250  # between one action and the next
STUCK_MS = 90_000  # staff end a round in which nothing has happened for so long
PATIENCE_MS = 2_000  # before an action is repeated
TRIES = 3  # after which a bet is given up
LAID_MS = 6_000  # within which a bet is declared, or betting is closed without it
SENSED_MS = 400  # until a sensor's level counts
REPAIR_MS = 3_000  # what a repair at the table takes, before the desk clears the fault
DEVICE_FAULTS = (
    *("jam", "one_card_less", "one_card_more", "foreign_card", "read_twice", "unread", "disturbed", "face_up"),
    *("empty", "door", "short_deck", "lost"),
)
LASTING = ("silent", "noisy", "cable", "sensor", "reader")


class Floor:
    """`mischief` is how often something goes wrong in a round: 0 never, 1 in about every round.

    `bridge` is what the people see: its replay, and its link.
    """

    def __init__(
        self,
        board: ModuleType,
        config: dict[str, Any],
        target: Target | None,
        bridge: Any,
        seed: str = "floor",
        mischief: float = 0.0,
        at_table: bool = True,
        at_desk: bool = True,
    ) -> None:
        self.board = board
        self.config = config
        self.table = Table(config)
        self.target = target
        self.bridge = bridge
        self.seed = seed
        self.dice = random.Random(seed)
        self.mischief = mischief
        self.at_table = at_table
        self.at_desk = at_desk
        self.now = 0
        self.seconds = 1_790_000_000
        self.keys = [1] * len(board.KEYS)
        self.key_names = [name for name, _ in board.KEYS]
        self.release_at: int | None = None
        self.sensors = [1] * (8 * board.REGISTERS[3] if board.REGISTERS else board.BOXES * board.SPOTS)
        self.plugged = True
        self.chatter: Chatter | None = None  # a sensor that comes and goes
        self.reader: AnyReader = READERS[self.table.reader](self.dice)
        self.shuffler = Shuffler(self.dice, self.reader) if self.table.device == "shuffler" else None
        self.shoe: list[str] = []  # the cards, where the dealer draws them
        self.drawn: tuple[str, int] | None = None  # the last of them, and how many lay on the table before
        self.said = (b"", b"")  # what the table said to shuffler and reader last
        self.act_at = 0
        self.tries: Counter[tuple[int, int, int]] = Counter()  # to lay a bet: round, box, place
        self.progress_at = 0
        self.sound_at = 0  # when there was last no fault
        self.seen = 0  # records in the log at the last look
        self.configured = False
        self.pace_ms = PACE_MS
        self.lasting: Counter[str] = Counter()  # troubles that stayed until they were repaired

    # -- time

    def step(self, milliseconds: int) -> None:
        self.now += milliseconds
        said = self.pass_through(self.bridge.link.output(self.now))
        self.bridge.receive(said, self.now, self.seconds + self.now // 1000)
        if self.now >= self.act_at:
            self.act()

    def pass_through(self, usb: bytes) -> bytes:
        """One pass of the table and its devices: what the host says to it, and what it says."""
        now = self.now
        self.let_go()
        to_table = self.shuffler.step(self.said[0], now) if self.shuffler else b""
        from_reader = self.reader.step(self.said[1], now)
        sensors = self.chatter.levels(self.sensors, now) if self.chatter else self.sensors
        outside = Outside(self.keys, sensors, self.plugged, to_table, from_reader, usb)
        said = self.target.step(now, outside)
        self.said = (said.shuffler, said.reader)
        return said.usb

    def let_go(self) -> None:
        if self.release_at is not None and self.now >= self.release_at:
            self.keys = [1] * len(self.keys)
            self.release_at = None

    def run_rounds(self, count: int, step_ms: int = 20) -> Iterator[int]:
        """Play until so many rounds have ended; yields the number of rounds after each."""
        ended = 0
        was_playing = False
        while ended < count:
            self.step(step_ms)
            round_ = self.bridge.replay.round
            playing = round_ is not None and not round_.is_over()
            if was_playing and not playing:
                ended += 1
                yield ended
            was_playing = playing

    # -- what people do

    def press(self, key: str) -> None:
        if not self.at_table:
            return
        self.keys[self.key_names.index(key)] = 0
        self.release_at = self.now + PRESS_MS
        self.act_at = self.now + PATIENCE_MS

    def command(self, name: str, arguments: list[Any], who: str = "staff") -> None:
        if not self.at_desk:
            return
        self.bridge.link.command(who, name, arguments)

    def tell(self, *event: Any) -> None:
        self.command("event", list(event))

    def act(self) -> None:
        """Do the next thing, if all that was done before has been answered."""
        link = self.bridge.link
        if not link.is_up or link.commands or self.release_at is not None:
            return
        self.act_at = self.now + self.pace_ms
        number = link.chain.number
        if number != self.seen:
            self.seen = number
            self.progress_at = self.now
        faults = self.bridge.replay.faults
        if not faults:
            self.sound_at = self.now
        round_ = self.bridge.replay.round
        if round_ is None or not self.configured:
            self.configured = True
            self.command("config", plain_config(self.config))
        elif faults:
            self.repair(faults[0])
        elif self.now - self.progress_at > STUCK_MS:
            self.progress_at = self.now
            self.give_up(round_)
        elif round_.is_over():
            self.between_rounds(round_)
        elif round_.state == "frozen":
            self.answer(round_)
        else:
            getattr(self, "while_" + round_.state)(round_)

    def repair(self, code: str) -> None:
        """Staff repair what the fault names, and clear it."""
        faults = [self.reader.faults] + ([self.shuffler.faults] if self.shuffler else [])
        for device in faults:
            device.silent = device.noisy = False
        if self.shuffler:
            self.shuffler.free()
        self.plugged = True
        self.chatter = None
        if self.at_table or self.now - self.sound_at >= REPAIR_MS:
            self.command("clear", [code, "pit_supervisor"])

    def give_up(self, round_: Any) -> None:
        """The highest post ends a round in which nothing moves any more."""
        if round_.state == "frozen":
            self.tell("ruling", "void", round_.book.PROCEDURE.gap_role)
        elif round_.is_over():
            self.press("open")
        else:
            self.tell("irregularity", "other", None, None, None, round_.book.PROCEDURE.gap_role)

    def between_rounds(self, round_: Any) -> None:
        if any(not level for level in self.sensors):
            self.sensors = [1] * len(self.sensors)
            return
        if round_.hand_pays:
            self.tell("hand_paid", round_.hand_pays[0], "pit_supervisor")
            return
        self.shoe = [cards.text(card) for card in range(52)]
        self.dice.shuffle(self.shoe)
        self.drawn = None
        self.reader.unread.clear()
        self.order_trouble()
        self.press("open")

    def order_trouble(self) -> None:
        if self.dice.random() < self.mischief:
            self.cause(self.dice.choice((*DEVICE_FAULTS, *LASTING, "none")))

    def cause(self, kind: str) -> None:
        """Have something go wrong with the devices, by its name."""
        faults = self.shuffler.faults if self.shuffler else self.reader.faults
        if kind == "cable":
            self.plugged = False
        elif kind == "sensor":
            box = self.dice.randrange(min(self.board.BOXES, self.table.boxes))
            self.chatter = Chatter(self.dice, box * self.board.SPOTS, self.now)
        elif kind == "reader":
            self.reader.faults.silent = True
        elif kind in ("read_twice", "unread", "disturbed", "lost"):
            setattr(self.reader.faults, kind, True)
        elif kind != "none" and isinstance(faults, Faults):
            setattr(faults, kind, True)
        if kind in LASTING:
            self.lasting[kind] += 1

    def plan_bets(self, round_: Any) -> list[tuple[int, int, str, int]]:
        """The main wager on some boxes, and side wagers on some of those: (box, place, wager, cents)."""
        dice = random.Random(f"{self.seed} {round_.number}")
        plan = []
        for box in range(1, round_.table.boxes + 1):
            if dice.random() < 0.25 and plan:
                continue
            for place, wager in enumerate(round_.book.WAGERS):
                if wager.on_decision or (place and dice.random() < 0.5):
                    continue
                limits = round_.table.limits[place]
                cents = limits[0] * dice.randint(1, 4) if limits else 500
                if place == round_.table.progressive:
                    cents = round_.table.stake
                plan.append((box, place, wager.name, min(cents, limits[1]) if limits else cents))
        return plan

    def while_betting(self, round_: Any) -> None:
        laid_now = False
        for box, place, wager, cents in self.plan_bets(round_):
            spot = (box - 1) * self.board.SPOTS + place
            if box <= self.board.BOXES and self.sensors[spot]:
                self.sensors[spot] = 0
                laid_now = True
                if not round_.table.amounts:
                    break
            bet = (round_.number, box, place)
            is_laid = find_bet(round_, box, f"P{box}", place) is not None
            if round_.table.amounts and not is_laid and self.may_still_lay(bet):
                self.tries[bet] += self.at_desk
                self.tell("bet", box, f"P{box}", wager, cents)
                return
        if laid_now:
            self.act_at = self.now + SENSED_MS
        else:
            self.press("close")

    def may_still_lay(self, bet: tuple[int, int, int]) -> bool:
        """The desk gives up a bet that keeps being refused; the dealer waits a while before closing."""
        if self.at_desk:
            return self.tries[bet] < TRIES
        return self.now - self.progress_at < LAID_MS

    def while_closed(self, round_: Any) -> None:
        """With a shoe the dealer draws, and looks whether the table has taken the card, read or not."""
        if self.shuffler:
            return
        lying = sum(map(len, round_.hands.values())) + len(round_.loose)
        if self.drawn and self.drawn[1] == lying:
            self.reader.faults.silent = self.reader.faults.noisy = False
            self.tell("entered", self.drawn[0], "pit_supervisor")
            self.drawn = None
        elif not self.shoe:
            self.tell("cards_left", 0)
        elif self.reader.faults.take("foreign_card"):
            self.reader.passes(FOREIGN)
        else:
            self.drawn = self.shoe.pop(), lying
            self.reader.passes(self.drawn[0])

    while_dealing = while_closed

    def while_playing(self, round_: Any) -> None:
        if self.dice.random() < 0.1 * self.mischief:
            self.turn_a_card(round_)
        else:
            self.press("reveal")

    def turn_a_card(self, round_: Any) -> None:
        """A card lies open: its own player turned it, or it was a slip."""
        box = self.dice.choice(round_.order)
        known = [card for card in round_.hands.get(box, ()) if card != cards.UNKNOWN]
        if known:
            self.tell("turned", cards.text(known[0]), self.dice.choice((None, f"P{box}")), box, "dealer")

    def while_deciding(self, round_: Any) -> None:
        if undecided(round_):
            self.press(self.dice.choice(("play", "play", "fold")))
        else:
            self.press("reveal")

    def while_revealed(self, round_: Any) -> None:
        """A card that was not read has its name now that its hand is shown."""
        for place in round_.shown:
            if cards.UNKNOWN in round_.hands.get(place, ()):
                self.tell("entered", self.name_of_unread(round_), "pit_supervisor", place)
                return
        self.press("settle")

    def name_of_unread(self, round_: Any) -> str:
        """What passed the reader; those who sit at the desk alone say any card that lies nowhere else."""
        lying = [card for hand in (*round_.hands.values(), round_.loose) for card in hand]
        known = [card for card in self.reader.unread if card != FOREIGN and cards.parse(card) not in lying]
        return known[0] if known else next(cards.text(card) for card in range(52) if card not in lying)

    def answer(self, round_: Any) -> None:
        """Answer the question that the round is frozen with."""
        kind = round_.question.kind
        if kind == CHOOSE and round_.pending and self.dice.random() < 0.7:
            box, player = round_.pending[0]
            self.tell("choose", player, box, self.dice.choice(("continue", "withdraw")))
        elif kind == CHOOSE:
            self.tell("choices_done")
        elif kind == TELL:
            if self.dice.random() < 0.3:
                self.turn_a_card(round_)
            else:
                self.tell("all_told", "dealer")
        elif kind == ORDER:
            self.tell("ruling", "order", round_.book.PROCEDURE.ordering_role, None, "the left one first")
        elif kind == "check" and self.dice.random() < 0.7:
            self.tell("misread")
        else:
            self.tell("ruling", self.dice.choice(("continue", "void")), round_.book.PROCEDURE.gap_role)


def make_link(flashed: Flashed, log: Any, dice: random.Random, clock: Any) -> HostLink:
    return HostLink(log.end, Sealer(flashed.key), flashed.table, flashed.rules, dice.randbytes, clock)
