"""A shuffler for the bench: the table says how many cards to deal, the scenario which, and when each leaves."""

import random

from host.simulator.devices import LineDevice
from shared.rules.cards import DECK_SIZE


class HandFedShuffler(LineDevice):
    def __init__(self, dice: random.Random) -> None:
        super().__init__(dice)
        self.told = 0  # cards to deal, by the last order
        self.left = 0  # of these are out
        self.orders: list[str] = []  # that came lately

    @property
    def due(self) -> int:
        return self.told - self.left

    def obey(self, words: list[str], now: int) -> None:
        self.orders.append(" ".join(words))
        if words == ["SHUFFLE"]:
            self.told = self.left = 0
            self.say(f"READY {DECK_SIZE}")
        elif words[0] == "DEAL":
            self.told, self.left = int(words[1]), 0

    def let_go(self) -> None:
        """A card leaves it, ordered or not."""
        if self.due:
            self.left += 1
            if not self.due:
                self.say(f"DEALT {self.told}")
