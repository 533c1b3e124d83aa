"""Deals with a shuffler: has it shuffle for every round, tells it what the round needs next, and compares what it
dealt with what was read.

With a shoe there is nothing to tell: the dealer draws, the shoe reports, and is locked outside the deal.
"""

from shared.round.deal import held, places
from shared.round.states import BETTING, CLOSED, DEALING
from shared.rules.rulebook import SETS_OF_THREE
from shared.values import const, since

_SHUFFLE_MS = const(120_000)  # how long the shuffler may take to shuffle
_DEAL_MS = const(8000)  # and to deal
_READ_MS = const(1500)  # how long cards may take from the shuffler to the reader


class Dealing:
    def __init__(self):
        self.asked_at = 0
        self.dealt_at = 0
        self.shuffled_for = None  # the number of the round
        self.reset()

    def reset(self):
        """Wait for nothing any more; the next step asks for what is then needed."""
        self.asked = 0  # cards that the shuffler was told to deal and that are not all there yet
        self.dealt = None  # how many it says it dealt
        self.read = 0
        self.is_shuffling = False

    def step(self, round_, shuffler, now):
        """Ask for what is needed next, or say what is wrong: (code, detail) of a fault, or None."""
        if round_.state in (BETTING, CLOSED) and self.shuffled_for != round_.number:
            return self.shuffle(shuffler, now)
        if round_.state not in (CLOSED, DEALING):
            if self.asked:
                self.reset()
                shuffler.forget()
            return None
        if self.asked:
            return self.wait(now)
        place = round_.next_place()
        if place is not None:
            sets = round_.table.deal.cards == SETS_OF_THREE
            # Where later places hold cards, one turned out to lie in another hand: staff say first what follows.
            order = places(round_)
            most = 0 if sets else held(round_, place)
            if any(held(round_, later) > most for later in order[order.index(place) + 1 :]):
                return None
            self.reset()
            self.asked = 3 - held(round_, place) if sets else 1
            self.asked_at = now
            shuffler.deal(self.asked, now)
        return None

    def shuffle(self, shuffler, now):
        """No card of a round is dealt before the shuffler has said that it shuffled."""
        if not self.is_shuffling:
            self.is_shuffling = True
            self.asked_at = now
            shuffler.shuffle(now)
        elif since(self.asked_at, now) > _SHUFFLE_MS:
            self.is_shuffling = False
            return "shuffler_late", "asked to shuffle"
        return None

    def was_shuffled(self, round_):
        """Counts if it was asked: what was said before a fault was cleared is not about the deck as it is now."""
        if self.is_shuffling:
            self.shuffled_for = round_.number
        self.is_shuffling = False

    def wait(self, now):
        if self.dealt is None:
            if since(self.asked_at, now) > _DEAL_MS:
                asked = self.asked
                self.reset()
                return "shuffler_late", str(asked)
            return None
        if self.read == self.asked == self.dealt:
            self.reset()
        elif since(self.dealt_at, now) > _READ_MS:
            detail = "%d %d %d" % (self.asked, self.dealt, self.read)
            self.reset()
            return "card_count", detail
        return None

    def was_dealt(self, count, now):
        self.dealt = count
        self.dealt_at = now

    def was_read(self):
        self.read += 1
