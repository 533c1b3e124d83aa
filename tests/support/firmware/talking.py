"""A table on an emulated Pico whose shuffler and card reader never stop talking: as soon as a line is answered
the next one comes, on both UARTs at once, to the byte."""

import io
from typing import Any, NamedTuple

from boards import full
from host.emulator.patches import watch_registers
from host.emulator.pico import Emulator
from host.keys import TableKey
from host.pico.boards import find_board
from host.pico.deploy import Key, table_files, with_key
from host.pico.flash_image import FS_OFFSET, RawFlash, build_flash, read_filesystem
from host.simulator.devices import LineDevice, Reader, Shuffler
from host.simulator.emulator_target import EmulatorTarget
from shared.journal.ring import _NUMBER_AT, Ring
from shared.journal.ring_making import read_map
from shared.round.table import Table
from tests.support.floors import IDENTITY, config_of, make_floor

BAUD = 115200
WATCHDOG_BASE = 0x40058
WATCHDOG_LOAD = 0x04
STEP_MS = 20
PACE_MS = 20
WRONG = ("fault", "sensed", "denied", "device", "quiet", "held")


class TalkingPico(Emulator):
    """What the table says is heard at once, and answered; times and counts are of the device."""

    def __init__(self, flash):
        super().__init__(flash)
        self.lines = [Line(), Line()]
        self.devices = []
        self.unfed_us = 0  # for how long the watchdog was not fed at most
        self.fed_us = None

        def written(offset, value):
            if offset == WATCHDOG_LOAD:
                if self.fed_us is not None:
                    self.unfed_us = max(self.unfed_us, self.now_us - self.fed_us)
                self.fed_us = self.now_us

        watch_registers(self.mcu, WATCHDOG_BASE, written)

    def uart_send(self, number, data, baud=BAUD):
        self.lines[number].sent(data)
        super().uart_send(number, data, baud)

    def run_for(self, ms):
        end = self.now_us + ms * 1000
        while self.now_us < end:
            self.step((end - self.now_us) / 1000)

    def step(self, ms):
        super().step(ms)
        for number, device in enumerate(self.devices):
            said = self.uart_receive(number)
            if said:
                self.uart_send(number, device.step(said, int(self.now_us / 1000)))


class Line:
    """Counts the lines that a device sent, and those that it repeated because they were not answered. Simulated
    devices say HELLO twice if the table starts late; that does not count."""

    def __init__(self):
        self.count = 0
        self.repeated = 0
        self.last = self.held = b""

    def sent(self, data):
        *lines, self.held = (self.held + data).split(b"\n")
        for line in lines:
            self.count += 1
            if not line.startswith(b"OK "):
                self.repeated += line == self.last and b" HELLO*" not in line
                self.last = line


class Talkative(LineDevice):
    """A device that has always something to say."""

    def step(self, data, now):
        said = super().step(data, now)
        if not self.waiting:
            self.say("ALIVE")
            self.sent_at = now
            said += self.outgoing
            self.outgoing = b""
        return said


class TalkingShuffler(Talkative, Shuffler):
    pass


class TalkingReader(Talkative, Reader):
    """It also knows which cards passed, and when."""

    def __init__(self, dice, pico):
        super().__init__(dice)
        self.pico = pico
        self.passed = []  # (microseconds, card)

    def passes(self, card, face_up=False):
        self.passed.append((self.pico.now_us, card))
        super().passes(card, face_up)


def used_flash(image):
    """A table whose ring has gone round: every sector must be erased before it is used again."""
    files = with_key(table_files(find_board(full.NAME)), full.NAME, Key(TableKey(IDENTITY.table, IDENTITY.key)))
    flash = build_flash(image.read_bytes(), files, {})
    content = bytearray(flash[FS_OFFSET:])
    ring_map = read_filesystem(bytes(content))["/felt/ring"]
    generation, blocks = read_map(lambda _path, _mode: io.BytesIO(ring_map))
    ring = Ring(RawFlash(content), generation, blocks)
    for place in range(len(blocks)):
        ring.program(place, _NUMBER_AT, bytes(8))
    return flash[:FS_OFFSET] + bytes(content)


def talking_floor(folder, image, game, boxes):
    """(the Pico, the people at it, the host's log), once both devices were heard."""
    pico = TalkingPico(used_flash(image))
    floor, log = make_floor(folder, game, full.NAME, lambda board, *_: EmulatorTarget(board, pico, "felt"))
    floor.config = config_of(game, boxes)
    floor.table = Table(floor.config)
    floor.pace_ms = PACE_MS
    floor.reader = TalkingReader(floor.dice, pico)
    floor.shuffler = TalkingShuffler(floor.dice, floor.reader)
    pico.devices = [floor.shuffler, floor.reader]
    while floor.reader.number < 3 or floor.shuffler.number < 3:
        floor.step(STEP_MS)
        assert floor.now < 20_000
    return pico, floor, log


class Heard(NamedTuple):
    """What became of what the devices said in a round."""

    lines: int
    repeated: int
    lost_bytes: int
    erases: int
    erases_in_deal: int
    unfed_ms: float
    cards: bool  # whether all were recorded in their order
    wrong: list[list[Any]]  # records that no round should have


def watch_round(pico, floor, log):
    """Play the round that is open or opens next, until another one opens."""
    pico.unfed_us = 0
    lines, repeated = counted(pico)
    lost, erases, records = sum(pico.uart_lost), len(pico.erased_us), len(log.lines)
    floor.reader.passed.clear()
    number = max(floor.bridge.replay.round.number, 1) if floor.bridge.replay.round else 1
    end, state, dealt_us = floor.now + 90_000, None, None
    while floor.bridge.replay.round is None or floor.bridge.replay.round.number <= number:
        floor.step(STEP_MS)
        assert floor.now < end, state
        round_ = floor.bridge.replay.round
        if round_ and round_.state != state:
            if state == "dealing":
                dealt_us = pico.now_us
            state = round_.state
    found = log.records()[records:]
    passed = floor.reader.passed
    in_deal = [at for at in pico.erased_us if passed[0][0] <= at <= dealt_us]
    now_lines, now_repeated = counted(pico)
    return Heard(
        now_lines - lines,
        now_repeated - repeated,
        sum(pico.uart_lost) - lost,
        len(pico.erased_us) - erases,
        len(in_deal),
        pico.unfed_us / 1000,
        [record[2][1] for record in found if record[0] == "event" and record[2][0] == "card"]
        == [card for _, card in passed],
        [record for record in found if record[0] in WRONG],
    )


def counted(pico):
    """(lines, repetitions) of both devices."""
    return sum(line.count for line in pico.lines), sum(line.repeated for line in pico.lines)
