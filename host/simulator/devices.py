"""Shuffler, card readers and Angel Eye shoe as the table meets them: bytes in, bytes out, time passed in.

Faults happen on demand: see `Faults`, and `Chatter` for a bet sensor. Everything else works.
"""

import random
from collections import Counter
from dataclasses import dataclass, field

from firmware.drivers import fixed_frames
from firmware.drivers.angel_eye import ENQ, ETX, check_of
from firmware.drivers.device_line import _REPEAT_MS, with_check, words_of
from shared.round.table import _ANGEL_EYE, _FIXED_FRAMES, FELT_READER
from shared.rules import cards

ALIVE_MS = 800
DEAL_CARD_MS = 120  # a card on its way out
# A sensor that chatters: how long in all, and how long one level lasts. The table accepts one after 100 ms.
CHATTER_MS = 8000
SHORT_MS = (10, 90)
LONG_MS = (120, 400)
FOREIGN = "XX"  # what a reader says of a card that is not of this deck
NO_CARD = 0x7F  # the byte of the shoe for a card that it could not read
SUIT_BITS = {"D": 1, "C": 2, "S": 3, "H": 4}
RANKS = " A23456789TJQK"


@dataclass
class Faults:
    """What goes wrong next, once each; `silent` and `noisy` last until they are removed.

    `happened` counts what did go wrong, by name.
    """

    jam: bool = False
    one_card_less: bool = False
    one_card_more: bool = False
    foreign_card: bool = False
    read_twice: bool = False
    unread: bool = False
    disturbed: bool = False
    lost: bool = False  # a report with all its copies, where the device does not wait for an answer
    face_up: bool = False
    empty: bool = False
    door: bool = False
    short_deck: bool = False
    silent: bool = False
    noisy: bool = False
    happened: Counter[str] = field(default_factory=Counter)

    def take(self, name: str) -> bool:
        """Whether this fault is due; it happens once."""
        ordered = getattr(self, name)
        if ordered:
            setattr(self, name, False)
            self.happened[name] += 1
        return ordered


class Chatter:
    """A bet sensor with a loose wire: for a while it comes and goes, longer than a bounce lasts."""

    def __init__(self, dice: random.Random, place: int, now: int) -> None:
        self.dice = dice
        self.place = place
        self.turn_at = now
        self.end_at = now + CHATTER_MS
        self.is_wrong = False

    def levels(self, levels: list[int], now: int) -> list[int]:
        """What the table sees of these."""
        if now >= self.end_at:
            return levels
        if now >= self.turn_at:
            self.is_wrong = not self.is_wrong
            shortest, longest = self.dice.choice((SHORT_MS, LONG_MS))
            self.turn_at = now + self.dice.randint(shortest, longest)
        return [level ^ (self.is_wrong and place == self.place) for place, level in enumerate(levels)]


@dataclass
class LineDevice:
    """The device's side of Felt's line protocol."""

    dice: random.Random
    faults: Faults = field(default_factory=Faults)

    def __post_init__(self) -> None:
        self.held = b""
        self.number = 0
        self.waiting: list[tuple[str, bytes]] = []
        self.sent_at = 0
        self.alive_at = 0
        self.last_command: str | None = None
        self.outgoing = b""
        self.say("HELLO")

    def say(self, text: str) -> None:
        number = str(self.number)
        self.number = self.number % 999 + 1
        self.waiting.append((number, with_check(f"{number} {text}")))
        if len(self.waiting) == 1:
            self.outgoing += self.waiting[0][1]

    def step(self, data: bytes, now: int) -> bytes:
        """Read what the table says, and answer."""
        if self.faults.silent:
            self.held = b""
            return b""
        *lines, self.held = (self.held + data).split(b"\n")
        for line in lines:
            self.take(line, now)
        self.act(now)
        if now - self.alive_at >= ALIVE_MS:
            self.alive_at = now
            if not self.waiting:
                self.say("ALIVE")
                self.sent_at = now
        if self.waiting and now - self.sent_at >= _REPEAT_MS:
            self.sent_at = now
            self.outgoing += self.waiting[0][1]
        said, self.outgoing = self.outgoing, b""
        if self.faults.noisy:
            return self.dice.randbytes(len(said) + self.dice.randint(1, 30)) + b"\n"
        return said

    def take(self, line: bytes, now: int) -> None:
        words = words_of(line)
        if words is None or len(words) < 2:
            return
        if words[0] == "OK":
            if self.waiting and self.waiting[0][0] == words[1]:
                self.waiting.pop(0)
                if self.waiting:
                    self.sent_at = now
                    self.outgoing += self.waiting[0][1]
            return
        self.outgoing += with_check("OK " + words[0])
        if words[1] == "HELLO":
            self.tell_wrong()
        if words[0] != self.last_command:
            self.last_command = words[0]
            self.obey(words[1:], now)

    def obey(self, words: list[str], now: int) -> None:
        """Do what the table says."""

    def tell_wrong(self) -> None:
        """Repeat what is wrong, for a table that has just started."""

    def act(self, now: int) -> None:
        """Do what is due."""


class Reader(LineDevice):
    """Felt's card reader; `passes` is told of every card that goes by, `unread` has those it could not read."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.unread: list[str] = []

    def passes(self, card: str, face_up: bool = False) -> None:
        if self.faults.take("unread"):
            self.unread.append(card)
            self.say("UNREAD")
            return
        text = f"CARD {card} UP" if face_up else f"CARD {card}"
        self.say(text)
        if self.faults.take("read_twice"):
            self.say(text)


class Shuffler(LineDevice):
    """Deals cards past the reader when it is told to."""

    def __init__(self, dice: random.Random, reader: "AnyReader") -> None:
        super().__init__(dice)
        self.reader = reader
        self.deck: list[str] = []
        self.first: list[str] = []  # cards that every shuffle puts on top, for tests that must know them
        self.leaving: list[tuple[int, str]] = []  # (when it passes the reader, card)
        self.told: int | None = None  # cards to deal, reported once they are out
        self.jammed = False
        self.is_open = False
        self.is_short = False  # a card is missing from the deck
        self.shuffle()

    def shuffle(self) -> None:
        self.deck = [cards.text(card) for card in range(52)]
        self.dice.shuffle(self.deck)
        self.deck = [card for card in self.deck if card not in self.first] + self.first[::-1]
        if self.is_short:
            self.deck.pop(0)

    def open_door(self) -> None:
        self.is_open = True
        self.say("DOOR OPEN")

    def run_out(self) -> None:
        self.deck.clear()
        self.say("EMPTY")

    def free(self) -> None:
        """A person frees the cards, shuts the door, counts the deck and loads it."""
        if self.jammed:
            self.jammed = False
            self.say("FREE")
        if self.is_open:
            self.is_open = False
            self.say("DOOR SHUT")
        self.is_short = False
        if not self.deck:
            self.shuffle()
            self.say("READY 52")

    def tell_wrong(self) -> None:
        if self.jammed:
            self.say("JAM")
        if self.is_open:
            self.say("DOOR OPEN")
        if not self.deck:
            self.say("EMPTY")

    def obey(self, words: list[str], now: int) -> None:
        if words == ["HELLO"]:
            return
        if self.jammed:
            self.say("JAM")
        elif self.is_open:
            self.say("DOOR OPEN")
        elif words == ["SHUFFLE"]:
            self.is_short = self.faults.take("short_deck") or self.is_short
            self.shuffle()
            self.say(f"COUNT {len(self.deck)}" if self.is_short else f"READY {len(self.deck)}")
        elif words[0] == "DEAL":
            self.deal(int(words[1]), now)

    def deal(self, count: int, now: int) -> None:
        if self.faults.take("jam"):
            self.jammed = True
            self.say("JAM")
            return
        if self.faults.take("door"):
            self.open_door()
            return
        if self.faults.take("empty") or len(self.deck) < count:
            self.run_out()
            return
        if self.faults.take("one_card_less"):
            count -= 1
        if self.faults.take("one_card_more"):
            count += 1
        drawn = [self.deck.pop() for _ in range(count)]
        if drawn and self.faults.take("foreign_card"):
            drawn[-1] = FOREIGN
        self.leaving = [(now + DEAL_CARD_MS * place, card) for place, card in enumerate(drawn, 1)]
        self.told = count

    def act(self, now: int) -> None:
        while self.leaving and self.leaving[0][0] <= now:
            self.reader.passes(self.leaving.pop(0)[1], self.faults.take("face_up"))
        if self.told is not None and not self.leaving:
            self.say(f"DEALT {self.told}")
            self.told = None


class AngelEyeShoe:
    """The shoe: the dealer draws, it reports each card three times."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.faults = Faults()
        self.unread: list[str] = []
        self.sequence = 0x30
        self.outgoing = b""
        self.locked = False
        self.held = b""

    def passes(self, card: str, face_up: bool = False) -> None:
        """Draw a card; nothing comes out of a locked shoe."""
        byte = NO_CARD if card == FOREIGN else SUIT_BITS[card[1]] << 4 | RANKS.index(card[0])
        if self.faults.take("unread"):
            self.unread.append(card)
            byte = NO_CARD
        self.report(b"D1" + bytes([byte]))
        if self.faults.take("read_twice"):
            self.report(b"D1" + bytes([byte]))

    def report(self, data: bytes) -> None:
        body = bytes([self.sequence]) + data + bytes([ETX])
        frame = bytes([ENQ]) + body + check_of(body)
        copies = [frame] * 3
        if self.faults.take("disturbed"):
            copies[0] = frame[:-1]  # two more come
        if self.faults.take("lost"):
            copies = []
        self.outgoing += b"".join(copies)
        self.sequence = 0x30 + (self.sequence - 0x2F) % 10

    def step(self, data: bytes, now: int) -> bytes:
        if self.faults.silent:
            return b""
        self.held += data
        while len(self.held) >= 10:
            self.locked = self.held[5:7] == b"02"
            self.held = self.held[10:]
            self.outgoing += b"\x06"
        said, self.outgoing = self.outgoing, b""
        if self.faults.noisy:
            return self.dice.randbytes(len(said) + 4)
        return said


class FixedFramesReader:
    """A reader that sends each report once, as a frame of eight bytes, and hears nothing."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.faults = Faults()
        self.unread: list[str] = []
        self.number = 0
        self.alive_at = 0
        self.outgoing = self.frame(fixed_frames.START)

    def frame(self, kind: int, data: bytes = b"") -> bytes:
        body = bytes([kind, self.number]) + data.ljust(3, b"\0")
        return bytes([fixed_frames.SYNC]) + body + fixed_frames.crc_of(body).to_bytes(2, "big")

    def report(self, kind: int, data: bytes = b"") -> None:
        self.number = (self.number + 1) % 256
        frame = self.frame(kind, data)
        if self.faults.take("disturbed"):
            frame = frame[:-1]
        if not self.faults.take("lost"):
            self.outgoing += frame

    def passes(self, card: str, face_up: bool = False) -> None:
        if self.faults.take("unread"):
            self.unread.append(card)
            self.report(fixed_frames.NOT_READ)
            return
        data = card.encode() + bytes([face_up])
        self.report(fixed_frames.CARD, data)
        if self.faults.take("read_twice"):
            self.report(fixed_frames.CARD, data)

    def step(self, data: bytes, now: int) -> bytes:
        if self.faults.silent:
            return b""
        if now - self.alive_at >= ALIVE_MS:
            self.alive_at = now
            self.outgoing += self.frame(fixed_frames.ALIVE)
        said, self.outgoing = self.outgoing, b""
        if self.faults.noisy:
            return self.dice.randbytes(len(said) + 4)
        return said


AnyReader = Reader | AngelEyeShoe | FixedFramesReader
# The simulated device of each reader that a configuration names.
READERS: dict[str, type[AnyReader]] = {
    FELT_READER: Reader,
    _FIXED_FRAMES: FixedFramesReader,
    _ANGEL_EYE: AngelEyeShoe,
}
