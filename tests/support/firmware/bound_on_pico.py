"""Runs on the Pico: a round as large as the bounds allow, told by the host and dealt by the devices, to its end.

Compiled and laid there by the test beside host/measure/on_pico.py. It prints how many bytes were free at worst in
each part of the round, garbage collected, and for how many milliseconds at most the watchdog was not fed.
"""

import gc
import time

from host.measure.on_pico import MeasuredTable
from shared.rules.cards import text
from shared.rules.policy import ASK

BOXES = 8
CENTS = 1000


def name_of(kind, number):
    """Of the greatest length, and shared with nobody."""
    return f"{kind}{number:039}"


class BoundTable(MeasuredTable):
    """Its clock stands still, so that devices which are not there are not missed."""

    def __init__(self, game):
        self.least = 1 << 20
        self.is_watched = False  # before every write, which takes long
        self.longest = 0  # milliseconds without food for the watchdog
        self.fed_at = time.ticks_ms()
        super().__init__([["game", game], ["boxes", BOXES]])
        self.number = 1
        self.recorder.journal.feed = self.feed
        self.controller.open_devices(self.now)

    def feed(self):
        now = time.ticks_ms()
        self.longest = max(self.longest, time.ticks_diff(now, self.fed_at))
        self.fed_at = now

    def send(self):
        link = self.controller.link
        while link.sent_to < self.recorder.journal.chain.number:
            link.host_has = link.sent_to
            self.controller.step(self.now)
            self.feed()

    def look(self):
        if not self.is_watched:
            return
        gc.collect()
        self.least = min(self.least, gc.mem_free())

    def tell(self, *event):
        """What the host says; the code of the refusal, if it is one."""
        self.number += 1
        done, code, _, _ = self.recorder.command(self.number, name_of("host", 0)[-40:], "event", list(event))
        self.recorder.journal.acknowledge(self.recorder.journal.chain.number)
        self.send()
        return "" if done else code

    def must(self, *event):
        code = self.tell(*event)
        if code:
            raise ValueError(f"{event}: {code}")

    def lay(self, *event):
        """Many of a kind, in the round alone: on flash they would take minutes."""
        if self.recorder.round.apply(list(event))[0][0] != "event":
            raise ValueError(event)

    def part(self, name):
        """The part of the round that ends here."""
        self.is_watched = True
        self.look()
        print("part", name, self.least, self.longest)
        self.least = 1 << 20
        self.longest = 0
        self.fed_at = time.ticks_ms()
        self.is_watched = name in ("seats", "dealt", "reveal", "settle", "correct")


def run(game, most_bets, most_seats, most_held, most_late):
    """Every number is a bound: one more is refused."""
    table = BoundTable(game)
    round_ = table.recorder.round
    book = round_.book
    table.part("idle")
    area = book.PROCEDURE.wagers_an_area
    if area:
        for number in range(most_held):
            table.lay("restrict", 1, name_of("H", number), "pit_manager")
        refused(table, "too_many_players", "restrict", 1, name_of("H", most_held), "pit_manager")
        table.part("restrict")
    table.must("open")
    wagers = [wager.name for wager in book.WAGERS if not wager.on_decision]
    number = 0
    while number < most_bets:
        box, lap = number % BOXES + 1, number // BOXES
        if area and lap >= area[0] * len(wagers):
            break
        table.lay("bet", box, name_of("B", number), wagers[lap % len(wagers)], CENTS)
        number += 1
    if number == most_bets:
        refused(table, "too_many_bets", "bet", 1, name_of("B", number), wagers[0], CENTS)
    table.part(f"bets {number}")
    for seat in range(most_seats):
        table.lay("seat", seat % BOXES + 1, name_of("S", seat), True)
    refused(table, "too_many_seats", "seat", 1, name_of("S", most_seats), True)
    table.part("seats")
    table.must("close")
    table.part("close")
    deck = [text(card * 5 % 52) for card in range(52)]
    card(table, deck[0])
    manager = book.PROCEDURE.gap_role
    table.must("irregularity", "other")
    for late in range(most_late + 1):
        card(table, deck[(late + 1) % 52])
    if len(table.recorder.late) != most_late or not table.recorder.faults:
        raise ValueError(f"late {len(table.recorder.late)} {table.recorder.faults}")
    table.part("late")
    clear(table, "reader_error")
    table.recorder.late = table.recorder.late[: 3 * BOXES + 2]  # the rest would only be asked about one by one
    table.must("ruling", "continue", manager)
    table.controller.deal_late_cards()
    table.send()
    table.part("dealt")
    if round_.state == "deciding":
        for box in round_.order:
            table.must("decide", box, "play")
    for box in round_.order:
        table.must("show", box)
    table.must("reveal")
    table.part("reveal")
    table.must("settle")
    table.part("settle")
    if len(round_.paid) < number:
        raise ValueError(f"paid {len(round_.paid)}")
    table.must("handled", 1)
    if book.IRREGULARITIES["misdeal_handled"].later == ASK:
        one, other = text(round_.hands[1][0]), text(round_.hands[2][0])
        table.must("lies", one, "pit_supervisor", 2)
        table.must("lies", other, "pit_supervisor", 1)
        table.must("all_told", "pit_supervisor")
        table.must("ruling", "correct", manager)
        table.part("correct")
    table.must("irregularity", "wrong_count", 0, None, None, "pit_supervisor")
    table.part("void")
    if round_.state != "void":
        raise ValueError(round_.state)
    table.must("open")
    table.part("open")


def card(table, word):
    """What the reader says."""
    table.controller.card(word, False)
    table.send()


def clear(table, code):
    table.number += 1
    table.recorder.command(table.number, "host", "clear", [code, "pit_supervisor"])
    table.send()


def refused(table, code, *event):
    told = table.tell(*event)
    if told != code:
        raise ValueError(f"{event}: {told}")
