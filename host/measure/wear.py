"""The flash's part of `make measure`: how often full rounds have a sector erased, and how many years it lasts."""

import os
from typing import NamedTuple

from firmware.recorder import Recorder
from host.measure.figure import Figure, Figures
from host.measure.rounds import full_round
from host.pico.flash_image import BLOCK, ERASE, RawFlash
from host.rules.catalogue import fullest_book
from shared.journal.journal import SEGMENTS, Journal
from shared.journal.ring import Ring
from shared.journal.seal import Sealer

GAME = fullest_book().ID
LIFE_ERASES = 100_000  # of a sector, by the flash's data sheet
ROUNDS_A_YEAR = 40 * 24 * 365
PROMISED_SHARE = 1.2  # erases for each 4,096 bytes of records
PROMISED_YEARS = 10
FIRST_ROUNDS = 50  # until the ring has turned over
ROUNDS = 100


class Wear(NamedTuple):
    bytes_a_round: float
    erases_a_round: float

    @property
    def share(self) -> float:
        return self.erases_a_round * BLOCK / self.bytes_a_round

    @property
    def years(self) -> float:
        return SEGMENTS * LIFE_ERASES / (self.erases_a_round * ROUNDS_A_YEAR)


class CountingFlash(RawFlash):
    erases = 0

    def ioctl(self, request: int, block: int) -> int:
        self.erases += request == ERASE
        return super().ioctl(request, block)


def full_table_events() -> list[list[object]]:
    """Eight boxes with every wager, one player each."""
    return [event for event in full_round(GAME) if event[0] != "bet" or str(event[2]).endswith("0")]


def play_rounds() -> Wear:
    """Rounds at a full table whose host takes every record, as the table's loop treats its journal."""
    flash = CountingFlash(bytearray(b"\xff" * (SEGMENTS * BLOCK)))
    ring = Ring(flash, 1, list(range(SEGMENTS)))
    while ring.prepare():
        pass
    journal = Journal(ring, Sealer(bytes(32)), "T1")
    recorder = Recorder(journal, "power", os.urandom, "0" * 32)
    recorder.command(1, "measure", "config", [["game", GAME], ["boxes", 8]])
    written = erased = 0
    for number in range(FIRST_ROUNDS + ROUNDS):
        if number == FIRST_ROUNDS:
            written, erased = 0, flash.erases
        for event in full_table_events():
            last = journal.chain.number
            recorder.apply(event)
            written += sum(len(line) + 1 for line in journal.lines_from(last + 1))
            journal.acknowledge(journal.chain.number)
            state = recorder.round.state
            while state in ("betting", "settled") and journal.prepare():
                pass
            journal.settle_down(state in ("closed", "dealing"))
    return Wear(written / ROUNDS, (flash.erases - erased) / ROUNDS)


def measure_wear() -> Figures:
    wear = play_rounds()
    measured = f"{wear.erases_a_round:.2f} of {SEGMENTS} sectors"
    beside = f"{wear.share:.2f} for each 4 KB of {wear.bytes_a_round / 1024:.1f} KB of records"
    kept = wear.share <= PROMISED_SHARE
    yield Figure("flash, erases a round at a full table", measured, beside, f"<= {PROMISED_SHARE} a 4 KB", kept)
    years, promise = f"{wear.years:.1f} years", f">= {PROMISED_YEARS} years"
    is_long = wear.years >= PROMISED_YEARS
    yield Figure("flash, life at 40 such rounds an hour all day", years, "", promise, is_long)
