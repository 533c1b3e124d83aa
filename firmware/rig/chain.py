"""Plays a chain of 74HC165 to the table: its latch and clock come in, its data goes out.

Two state machines of the PIO answer each edge at once: one shifts out the first 32 bits, the other counts those,
shifts out the rest, and last the level of the far end. At each latch both begin with the word that they had, or
with a newer one. They understand scans of exactly 8 clocks a register; one that is cut off spoils the next.
"""

# A program is run by `asm_pio` with the assembler's words in place of this module's names.
# ruff: noqa: F821
# pyright: reportUndefinedVariable=false, reportCallIssue=false

import rp2
from machine import Pin

WORD_BITS = 32
MOST_REGISTERS = 7


def first_bits(latch, clock, bits):
    @rp2.asm_pio(out_init=rp2.PIO.OUT_HIGH, out_shiftdir=rp2.PIO.SHIFT_RIGHT)
    def program():
        wrap_target()
        wait(0, gpio, latch)
        wait(1, gpio, latch)
        pull(noblock)  # without a new word this takes the one in x
        mov(x, osr)
        set(y, bits - 1)
        label("bit")
        out(pins, 1)
        wait(1, gpio, clock)
        wait(0, gpio, clock)
        jmp(y_dec, "bit")
        wrap()

    return program


def other_bits(latch, clock, skipped, bits):
    @rp2.asm_pio(out_init=rp2.PIO.OUT_HIGH, out_shiftdir=rp2.PIO.SHIFT_RIGHT)
    def program():
        wrap_target()
        wait(0, gpio, latch)
        wait(1, gpio, latch)
        pull(noblock)
        mov(x, osr)
        set(y, skipped - 1)
        label("skip")
        wait(1, gpio, clock)
        wait(0, gpio, clock)
        jmp(y_dec, "skip")
        set(y, bits - 1)
        label("bit")
        out(pins, 1)
        wait(1, gpio, clock)
        wait(0, gpio, clock)
        jmp(y_dec, "bit")
        out(pins, 1)
        wrap()

    return program


def word(levels):
    value = 0
    for place in range(len(levels)):
        value |= levels[place] << place
    return value


class Chain:
    """`set` takes a level for each input, and last that of the far end."""

    def __init__(self, latch, clock, data, count):
        if not WORD_BITS // 8 < count <= MOST_REGISTERS:
            raise ValueError("5 to 7 registers")
        self.size = 8 * count + 1
        for pin in (latch, clock):
            Pin(pin, Pin.IN)
        out_base = Pin(data)
        first = first_bits(latch, clock, WORD_BITS)
        others = other_bits(latch, clock, WORD_BITS, self.size - 1 - WORD_BITS)
        self.machines = [
            rp2.StateMachine(0, first, out_base=out_base),
            rp2.StateMachine(1, others, out_base=out_base),
        ]
        self.waiting = [None, None]  # words that a machine takes after the one that it has not taken yet
        self.release()
        self.refresh()
        for machine in self.machines:
            machine.active(1)

    def __len__(self):
        return self.size

    def set(self, levels):
        self.waiting = [word(levels[:WORD_BITS]), word(levels[WORD_BITS:])]

    def release(self):
        """No chip, and the cable in."""
        self.set([1] * (self.size - 1) + [0])

    def refresh(self):
        """Never more than one word in a queue: while the table does not scan, nothing is taken from it."""
        for number in (0, 1):
            waiting = self.waiting[number]
            if waiting is not None and not self.machines[number].tx_fifo():
                self.machines[number].put(waiting)
                self.waiting[number] = None
