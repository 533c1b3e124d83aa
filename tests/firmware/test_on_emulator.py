"""Whole rounds on an emulated RP2040 with real MicroPython: bets through GPIO, cards through the UARTs, the
journal on its flash, records over its USB; then a power cut in mid-round. On the way the flash is copied as a
power cut would leave it, at 50 moments that a seed chooses, and each copy is opened.

The table boots from one UF2, as `felt image` makes it. `make test` plays one book on the newest image that is in
the cache; `make test-long` plays all five on every image there.
"""

import io
import random

import pytest

from firmware.recorder import Recorder
from host.emulator.pico import Emulator
from host.keys import TableKey
from host.pico.boards import find_board
from host.pico.deploy import Key, table_files, with_key
from host.pico.digests import rules_digest
from host.pico.flash_image import FS_OFFSET, RawFlash, build_flash, flash_to_uf2, read_filesystem, uf2_to_flash
from host.pico.images import cache_folder, cached_images
from host.simulator.emulator_target import EmulatorTarget
from shared.journal.journal import Journal
from shared.journal.ring import Ring
from shared.journal.ring_making import read_map
from shared.journal.seal import Sealer
from shared.link.manifest import content_digest
from shared.round.table import Table
from tests.support.campaign import LONG
from tests.support.floors import IDENTITY, config_of, make_floor
from tests.support.tables import GAMES, MBS

pytestmark = pytest.mark.slow

IMAGES = cached_images(cache_folder(), None)
PLAYED = IMAGES if LONG else IMAGES[-1:]
BOOKS = GAMES if LONG else [MBS]
STEP_MS = 20
PACE_MS = 100
COPIES = 50

# By hand from the books: what a power cut after the first card leads to.
AFTER_A_CUT = {
    "rws-lucky-three-pictures-2": ("5.4.1", "5.4.2"),
    "rws-three-pictures-4": ("5.4.1", "5.4.2"),
    "mbs-three-pictures-2": ("M-19",),
    "rws-three-card-poker-2": ("T-25",),
    "mbs-royal-three-pictures-2": ("5.13", "5.13.1", "5.13.2"),
}


def table_uf2(image):
    key = TableKey(IDENTITY.table, IDENTITY.key)
    files = with_key(table_files(find_board("small")), "small", Key(key))
    return flash_to_uf2(build_flash(image.read_bytes(), files, {}))


def run_until(floor, done, seconds):
    """Let device time pass until something holds; fails after so many seconds of it."""
    end = floor.now + seconds * 1000
    while not done():
        assert floor.now < end, floor.bridge.replay.round and floor.bridge.replay.round.state
        floor.step(STEP_MS)


def play_round(floor):
    """A whole round from opening to settlement."""
    number = floor.bridge.replay.round.number + 1 if floor.bridge.replay.round else 1

    def settled():
        round_ = floor.bridge.replay.round
        is_over = round_ is not None and round_.number == number and round_.state in ("settled", "void")
        return is_over and not floor.bridge.replay.expected

    run_until(floor, settled, 60)


@pytest.mark.skipif(not IMAGES, reason=f"no MicroPython image in {cache_folder()}; `felt pico-image` gets one")
@pytest.mark.parametrize("image", PLAYED, ids=lambda path: path.name)
def test_rounds_on_an_emulated_pico(tmp_path, image):
    emulator = Emulator(uf2_to_flash(table_uf2(image)))
    floor, log = make_floor(
        tmp_path, BOOKS[0], "small", lambda board, _i, _s: EmulatorTarget(board, emulator, "felt")
    )
    floor.pace_ms = PACE_MS
    copies = Copies(emulator, log, image.name)
    run_until(floor, lambda: floor.bridge.link.is_up, 6)
    for place, game in enumerate(BOOKS):
        floor.config = config_of(game, 2)
        floor.table = Table(floor.config)
        floor.configured = False
        print(f"{image.name}: {game}")
        play_round(floor)
        records = log.records()
        assert list(floor.bridge.alarms) == []
        assert sum(record[0] == "total" for record in records) == place + 1
        assert not any(record[0] in ("fault", "sensed", "denied") for record in records)
    copies.check()
    cut_in_mid_round(floor, log, BOOKS[-1])


@pytest.mark.skipif(not LONG, reason="takes half a minute an image: `make test-long`")
@pytest.mark.parametrize("image", IMAGES, ids=lambda path: path.name)
def test_what_happened_before_a_start_is_in_the_hosts_log(tmp_path, image):
    files = with_key(table_files(find_board("small")), "small", Key(TableKey(IDENTITY.table, IDENTITY.key)))
    now = content_digest(files["felt/manifest"])
    before = "00" * 16
    files |= {"felt/console": b"", "felt/files": before.encode()}
    emulator = Emulator(build_flash(image.read_bytes(), files, {}))
    floor, log = make_floor(tmp_path, MBS, "small", lambda board, _i, _s: EmulatorTarget(board, emulator, "felt"))
    run_until(floor, lambda: len(log.records()) > 4, 9)
    _, boot, *news = log.records()[:4]
    assert (boot[0], boot[4], news) == ("boot", now, [["console"], ["files", before, now]])
    assert list(floor.bridge.alarms) == []


class Copies:
    """Copies of the flash at moments in the middle of anything, also of a page or an erase."""

    def __init__(self, emulator, log, seed):
        self.emulator = emulator
        self.log = log
        self.dice = random.Random(seed)
        self.taken = []  # (records that the host had before, the filesystem's flash)
        self.next()

    def next(self):
        if len(self.taken) < COPIES:
            self.emulator.at(self.dice.uniform(1_000, self.longest_us()), self.take)

    def longest_us(self):
        return 400_000 if LONG else 150_000

    def take(self):
        self.taken.append((len(self.log.lines), self.emulator.dump_flash()[FS_OFFSET:]))
        self.next()

    def check(self):
        """Nothing that the host had is lost, nothing is there twice or otherwise, and the table goes on."""
        assert len(self.taken) == COPIES
        for told, content in self.taken:
            ring_map = read_filesystem(content)["/felt/ring"]
            generation, blocks = read_map(lambda _path, _mode, found=ring_map: io.BytesIO(found))
            ring = Ring(RawFlash(bytearray(content)), generation, blocks)
            journal = Journal(ring, Sealer(IDENTITY.key), IDENTITY.table)
            lines = list(journal.lines_from(1))
            assert len(lines) >= told
            assert lines == self.log.lines[: len(lines)]
            recorder = Recorder(journal, "power", bytes, rules_digest())
            assert not recorder.starting
            assert journal.chain.number > len(lines)


def cut_in_mid_round(floor, log, game):
    run_until(floor, lambda: any(record[0] == "dealt" for record in log.records()[-6:]), 60)
    number = floor.bridge.replay.round.number
    floor.target.restart(floor.now)
    print(f"{game}: power cut in round {number}")

    def recovered():
        return any(record[0] == "event" and record[2] == ["power_failure"] for record in log.records())

    run_until(floor, recovered, 10)

    def is_over():
        return floor.bridge.replay.round.state in ("settled", "void") and not floor.bridge.replay.expected

    run_until(floor, is_over, 60)
    # The dealer is asked first which cards lie open.
    cited = {value for record in log.records() for value in record[-2:] if isinstance(value, str)}
    assert cited & set(AFTER_A_CUT[game])
    assert floor.bridge.replay.round.number == number
    assert list(floor.bridge.alarms) == []
    assert len(log.lines) == floor.bridge.link.chain.number
