"""Bet sensors through a chain of 74HC165 shift registers, for tables with more sensors than a Pico has pins.

If the chain is unplugged, its last bit, which is wired to ground, reads high, so `read` returns False and the
levels stay as they were. If a single wire to it is broken, every input may read active, because none is loaded or
nothing is shifted. If fewer than half of them were active before, that is taken for a broken wire and a failed
read.
"""

from shared.values import const

_BITS = const((1, 2, 4, 8, 16, 32, 64, 128))


class ShiftRegisters:
    """A chain of 74HC165: `latch` takes all inputs at once, each `clock` shifts one bit to `data`.

    Bits come first input first. The serial input at the far end of the chain is wired to ground; that bit comes
    last and shows that the chain is there.
    """

    def __init__(self, latch, clock, data, count):
        self.latch = latch
        self.clock = clock
        self.data = data
        self.size = count
        self.levels = bytearray(count)
        self.all_active = b"\xff" * count
        self.latch.value(1)
        self.clock.value(0)

    def read(self, levels):
        data = self.data.value
        clock = self.clock.value
        self.latch.value(0)
        self.latch.value(1)
        fresh = self.levels
        for place in range(self.size):
            byte = 0
            for bit in _BITS:
                if not data():
                    byte |= bit
                clock(1)
                clock(0)
            fresh[place] = byte
        if data() or (fresh == self.all_active and active_in(levels) < 4 * self.size):
            return False
        levels[:] = fresh
        return True


def active_in(levels):
    count = 0
    for byte in levels:
        while byte:
            byte &= byte - 1
            count += 1
    return count
