"""A wire that drops, doubles, delays, flips and cuts bytes, and adds some of its own."""

import random


class BadWire:
    """One direction. `badness` is how often a piece of what is sent meets with something."""

    def __init__(self, dice: random.Random, badness: float) -> None:
        self.dice = dice
        self.badness = badness
        self.pieces: list[tuple[int, bytes]] = []  # (when it arrives, what)

    def send(self, data: bytes, now: int) -> None:
        dice = self.dice
        while data:
            size = dice.randint(1, 300)
            piece, data = data[:size], data[size:]
            arrives = now
            if dice.random() < self.badness:
                how = dice.randrange(6)
                if how == 0:
                    continue
                if how == 1:
                    self.pieces.append((now + dice.choice((0, 500)), piece))
                elif how == 2:
                    arrives = now + dice.randint(50, 4000)  # late, so that others pass it
                elif how == 3:
                    changed = bytearray(piece)
                    changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
                    piece = bytes(changed)
                elif how == 4:
                    piece = piece[: dice.randrange(len(piece))]
                else:
                    piece = piece + dice.randbytes(dice.randint(1, 40))
            self.pieces.append((arrives, piece))

    def receive(self, now: int) -> bytes:
        here = [piece for piece in self.pieces if piece[0] <= now]
        self.pieces = [piece for piece in self.pieces if piece[0] > now]
        return b"".join(piece for _, piece in here)

    def unplug(self) -> bytes:
        """What is on its way is lost, but for some first bytes of it."""
        rest = b"".join(piece for _, piece in self.pieces)
        self.pieces = []
        return rest[: self.dice.randint(0, len(rest))]
