"""A round as large as its bounds allow, on an emulated RP2040 with real MicroPython: it is closed, dealt, settled
twice and voided with memory to spare, and a table that starts in the middle of it stands where it stood.

`make test` starts the oldest image in the cache in the middle; `make test-long` plays the rounds, on every image.
"""

import os
import re
from pathlib import Path

import pytest

from firmware.recorder import _MOST_LATE, Recorder
from host.emulator.pico import Emulator
from host.measure.pico import KEY, WATCHDOG_MS, WORST, at_prompt, deployed
from host.pico.digests import rules_digest
from host.pico.images import cache_folder, cached_images
from host.pico.mpy import compile_source
from host.simulator.virtual_pico import Memory
from shared.journal.journal import Journal
from shared.journal.seal import Sealer
from shared.round.bets import _MOST_BETS, _MOST_SEATS
from shared.round.corrections import MOST_HELD
from shared.rules import cards
from tests.support.campaign import LONG
from tests.support.tables import LUCKY, ROYAL

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not cached_images(cache_folder(), None), reason="no MicroPython image; see `felt pico-image`"
    ),
]

IMAGES = cached_images(cache_folder(), None)
PLAYED = IMAGES if LONG else IMAGES[:1]
SPARE = 16 * 1024  # bytes of the heap that must be left at worst
LONGEST_MS = WATCHDOG_MS // 2  # without food for the watchdog, with the flash at its slowest
BOXES = 8

PLAY = "from bound_on_pico import run\nrun({!r}, {}, {}, {}, {})"


def name_of(kind, number):
    return f"{kind}{number:039}"


@pytest.mark.skipif(not LONG, reason="takes minutes: `make test-long`")
@pytest.mark.parametrize("game", [LUCKY, ROYAL])
@pytest.mark.parametrize("image", IMAGES, ids=lambda path: path.name)
def test_a_round_at_its_bounds_has_memory_to_spare(image, game):
    programs = {
        "host/measure/on_pico.mpy": compile_source(Path("host/measure/on_pico.py")),
        "bound_on_pico.mpy": compile_source(Path("tests/support/firmware/bound_on_pico.py")),
    }
    table = at_prompt(Emulator.boot(image, deployed() | programs, {}, **WORST))
    printed = table.execute(PLAY.format(game, _MOST_BETS, _MOST_SEATS, MOST_HELD, _MOST_LATE), 600_000)
    parts = re.findall(r"^part (.+) (\d+) (\d+)$", printed, re.MULTILINE)
    for name, free, longest in parts:
        print(f"{image.name}, {game}: {name:10} {int(free) / 1024:5.0f} KB free, {longest} ms unfed")
    assert [part[0] for part in parts][-4:-2] == ["settle", "correct"] or game == ROYAL
    assert [part[0] for part in parts][-2:] == ["void", "open"]
    assert min(int(free) for _, free, _ in parts) >= SPARE
    assert max(int(longest) for _, _, longest in parts) <= LONGEST_MS


BOOTS = """
import rp2
from shared.journal.ring import Ring
from shared.journal.ring_making import read_map
ring = Ring(rp2.Flash(), *read_map(open))
print(sum([ring.read(name, 0, 4064).count(b'["boot",') for name in ring.names()]))
"""


@pytest.mark.parametrize("image", PLAYED, ids=lambda path: path.name)
def test_a_table_starts_in_the_middle_of_a_round_at_its_bounds(image):
    """The power goes after the settlement, which is then played again at the start."""
    memory = Memory()
    journal = Journal(memory, Sealer(KEY.key), KEY.table)
    recorder = Recorder(journal, "power", os.urandom, rules_digest())
    recorder.command(1, "host", "config", [["game", LUCKY], ["boxes", BOXES]])
    recorder.apply(["open"])
    wagers = [wager.name for wager in recorder.round.book.WAGERS]
    for number in range(_MOST_BETS):
        wager = wagers[number // BOXES % len(wagers)]
        recorder.apply(["bet", number % BOXES + 1, name_of("B", number), wager, 1000])
    for number in range(_MOST_SEATS):
        recorder.apply(["seat", number % BOXES + 1, name_of("S", number), True])
    recorder.apply(["close"])
    for number in range(3 * BOXES + 3):
        recorder.apply(["card", cards.text(number * 5 % 52)])
    recorder.apply(["reveal"])
    recorder.apply(["settle"])
    recorder.apply(["irregularity", "other", None, None, None, "pit_supervisor"])
    assert recorder.round.state == "frozen"
    assert len(recorder.round.paid) == _MOST_BETS
    last = journal.chain.number
    table = Emulator.boot(image, deployed(), memory.contents())
    table.usb_expect(b'["hello"', 10_000)
    table.usb_expect(b'["hello"', 60_000)  # the first comes before the replay, the next from the running table
    print(f"{image.name}: runs {table.now_us / 1e6:.1f} s after power, {last} records replayed")
    assert table.resets == 0
    console = at_prompt(table.power_cycle())
    assert int(console.execute(BOOTS)) == 2
