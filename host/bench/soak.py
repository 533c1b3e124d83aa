"""Soaks the whole firmware: random play and random troubles in virtual time, with everything checked by the host.

A campaign is cut into shifts. Each is a fresh table whose game, number and the campaign's seed alone make all that
happens, so a failure is played again by itself. Shifts run in processes of their own, several at once.
"""

import multiprocessing
import random
import signal
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from host.bench.chaos import Chaos
from host.keys import make_signer, read_signer
from host.log.checkpoints import CheckpointBook
from host.pico.boards import find_board
from host.pico.digests import firmware_digest, rules_digest
from host.rules.catalogue import progressive_place
from host.simulator.floor import make_link
from host.simulator.memory_log import MemoryLog
from host.simulator.target import CPythonTarget, Flashed, WasmTarget
from host.simulator.virtual_pico import Memory
from host.table.bridge import Bridge
from host.table.link import NOT_DONE
from host.wasm import MicroPythonError
from host.words.faults import ADVICE
from shared.journal.journal import Journal
from shared.journal.seal import Sealer
from shared.journal.wire import spell
from shared.rules.rulebook import load

CPYTHON, MICROPYTHON = "cpython", "micropython"
SOAKED = (CPYTHON, MICROPYTHON)
TABLE = "SOAK"
KEY = bytes(range(32))  # of a table that exists here only
STEP_MS = 50  # between two passes
MOST_QUIET_MS = 3_600_000  # without a round that ends
SETTLING_MS = 180_000  # within which the host has everything once all is well
QUIET_MS = 5_000  # without a record, after which there are no more
MISCHIEF = (0.2, 0.5, 0.9)
# Few enough that a journal is full in minutes, and enough that a long round never fills it.
SEGMENTS = (56, 76, 150)
STOPS = ("crashed", "journal_broken", "journal_failed", "journal_full")  # faults by which a table stops for good
TOLD = ("held", "denied", "quiet", "late", "sensed", "debt", "reversed", "hand_pay")  # records that are counted
PROGRESSIVE = {"stake": 500, "contribution": 100, "meter": 1_000_000, "reset": 50_000}
# The devices that a table may have, as its configuration names them.
DEVICES: tuple[dict[str, Any], ...] = (
    {},
    {"device": "shoe", "reader": "angel_eye"},
    {"device": "shoe"},
    {"reader": "fixed_frames"},
    {"amounts": False},
)
Pico = CPythonTarget | WasmTarget


class Shift(NamedTuple):
    """Rounds in a row at a fresh table."""

    seed: int
    game: str
    number: int
    rounds: int

    @property
    def name(self) -> str:
        return f"{self.seed} {self.game} {self.number}"


class Failed(Exception):
    """What must not happen; the text says what did."""


class Report(NamedTuple):
    """What came of a shift on a target; `lines` are its log, if it failed."""

    shift: Shift
    target: str
    failure: str
    digest: str  # of all records
    counts: Counter[str]  # of rounds, records and what some of these tell
    troubles: Counter[str]  # by kind
    faults: Counter[str]  # that the table latched, by code
    refused: Counter[str]  # events and commands, by code
    heap: list[int]  # bytes in use after each round, on MicroPython
    lines: list[bytes]


# -- a table


def config_of(shift: Shift, dice: random.Random) -> tuple[dict[str, Any], str]:
    """A configuration, and the board that it needs."""
    book = load(shift.game)
    board = find_board(dice.choice(("small", "full")))
    boxes = dice.randint(1, min(board.BOXES, book.MAX_BOXES))
    config = {"game": shift.game, "boxes": boxes} | dice.choice(DEVICES)
    if progressive_place(book) is not None:
        config["progressive"] = PROGRESSIVE
    return config, board.NAME


class MicroPythons:
    """One process of MicroPython for all shifts of this process: a new one takes as long as some rounds."""

    running: WasmTarget | None = None

    @classmethod
    def make(cls, *table: Any) -> WasmTarget:
        if cls.running:
            cls.running.begin(*table)
        else:
            cls.running = WasmTarget(*table)
            cls.running.load_all()
        return cls.running

    @classmethod
    def close(cls) -> None:
        if cls.running:
            running, cls.running = cls.running, None
            running.__exit__()


def start(shift: Shift, target: str, folder: Path, firmware: str) -> Chaos:
    dice = random.Random(shift.name)
    config, board_name = config_of(shift, dice)
    board = find_board(board_name)
    flashed = Flashed(TABLE, KEY, rules_digest(), firmware)
    make: Callable[..., Pico] = CPythonTarget if target == CPYTHON else MicroPythons.make
    pico = make(board, flashed, dice.randint(1, 1 << 30), dice.choice(SEGMENTS))
    log = MemoryLog()
    make_signer(folder / "host.key")
    signer = read_signer(folder / "host.key")

    def make_bridge(clock: Callable[[], int]) -> Bridge:
        checkpoints = CheckpointBook(folder / "checkpoints", TABLE, signer)
        return Bridge(make_link(flashed, log, dice, clock), log, checkpoints)

    return Chaos(board, config, pico, make_bridge, log, shift.name, dice.choice(MISCHIEF))


# -- a shift


class Inspector:
    """Looks at everything that comes from the table, and says at once what must not be."""

    def __init__(self, floor: Chaos) -> None:
        self.floor = floor
        self.counts: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.is_counted = True  # the end of the round that runs
        self.has_bets = False
        self.ended_at = 0
        self.answers: dict[str, tuple[Any, ...]] = {}  # by the command's own name

    def look(self) -> None:
        floor = self.floor
        while floor.records:
            record = floor.records.popleft()
            self.counts["records"] += 1
            self.take(record.record)
        while floor.events:
            what, details = floor.events.popleft()
            if what == "answer":
                self.answers[details[0].who] = details[1:]
            elif what == "refused" and not floor.is_undisturbed:
                self.counts["line_refused"] += 1
            elif what not in ("up", "down", "unproved"):
                raise Failed(f"the link: {what} {' '.join(map(str, details))}")
        if floor.bridge.alarms:
            self.counts["differing"] += 1
            number, (wanted, came) = floor.bridge.alarms[0]
            raise Failed(f"record {number} is {spell(came)}; by the rules it is {wanted!r}")
        if floor.bridge.unsigned:
            raise Failed(f"no checkpoint: {floor.bridge.unsigned}")
        if floor.now - self.ended_at > MOST_QUIET_MS:
            round_ = floor.bridge.replay.round
            state = round_.state if round_ else "not configured"
            raise Failed(f"no round ends any more: {state}, faults {floor.bridge.replay.faults}")

    def take(self, record: list[Any]) -> None:
        kind = record[0]
        counts = self.counts
        if kind == "event":
            self.take_event(record[2][0])
        elif kind == "state" and record[1] in ("settled", "void") and not self.is_counted:
            self.is_counted = True
            counts["rounds"] += 1
            counts[record[1]] += 1
            counts["with_bets"] += self.has_bets
            self.ended_at = self.floor.now
        elif kind == "refused":
            self.refused[record[3]] += 1
        elif kind in TOLD:
            counts[kind] += 1
        elif kind == "boot":
            counts["boot"] += 1
            counts["torn"] += record[2] > 0
        elif kind == "fault":
            if record[1] in STOPS or record[1] not in ADVICE:
                raise Failed(f"the table latched the fault {record[1]} ({record[2]})")
            self.faults[record[1]] += 1

    def take_event(self, name: str) -> None:
        if name == "open":
            self.is_counted = self.has_bets = False
        self.has_bets = self.has_bets or name == "bet"
        self.counts["power_failure"] += name == "power_failure"

    # -- at the end

    def finish(self) -> None:
        """Once everything works again the host has exactly what is on flash, and each command's end is as told."""
        floor = self.floor
        floor.calm_down()
        quiet = 0
        for _ in range(0, SETTLING_MS, STEP_MS):
            before = len(floor.log.lines)
            floor.step(STEP_MS)
            self.look()
            link = floor.bridge.link
            is_rest = link.is_up and not link.commands and len(floor.log.lines) == before
            quiet = quiet + STEP_MS if is_rest else 0
            if quiet > QUIET_MS:
                break
        else:
            raise Failed(f"the host does not get everything within {SETTLING_MS // 1000} s")
        self.compare_with_flash()
        self.check_commands()

    def compare_with_flash(self) -> None:
        floor = self.floor
        memory = Memory()
        memory.files = {name: [data] for name, data in floor.exposed.target.flash().items()}
        journal = Journal(memory, Sealer(KEY), TABLE)
        first = journal.first()
        kept = list(journal.lines_from(first))
        logged = floor.log.lines[first - 1 :]
        self.counts["lost"] = max(0, len(kept) - len(logged))
        self.counts["differing"] += sum(ours != theirs for ours, theirs in zip(kept, logged, strict=False))
        if kept != logged:
            raise Failed(f"the table has {len(kept)} records from number {first} on, the log {len(logged)}")

    def check_commands(self) -> None:
        """Each was done once under its own number if it was answered so, and never if it was given up."""
        numbers: dict[str, int] = {}
        answers: dict[int, tuple[Any, ...]] = {}
        for record in self.floor.log.records():
            if record[0] == "command":
                if record[2] in numbers:
                    raise Failed(f"the command of {record[2]} was done twice")
                numbers[record[2]] = record[1]
            elif record[0] == "answer":
                answers[record[1]] = tuple(record[2:])
        for who, outcome in self.answers.items():
            done, code = outcome[:2]
            is_logged = who in numbers
            if code == NOT_DONE and is_logged:
                raise Failed(f"the command of {who} was given up, and done")
            if done and not is_logged:
                raise Failed(f"the command of {who} was done, and is not in the log")
            if code != NOT_DONE and is_logged and answers.get(numbers[who]) != outcome:
                raise Failed(f"the command of {who} was answered {outcome}, not {answers.get(numbers[who])}")


def play(shift: Shift, target: str, firmware: str) -> Report:
    """A shift from its start to its end, or to what must not happen."""
    with tempfile.TemporaryDirectory() as folder:
        floor = start(shift, target, Path(folder), firmware)
        inspector = Inspector(floor)
        heap: list[int] = []
        failure = ""
        try:
            while inspector.counts["rounds"] < shift.rounds:
                before = inspector.counts["rounds"]
                floor.step(STEP_MS)
                inspector.look()
                if inspector.counts["rounds"] > before and isinstance(floor.exposed.target, WasmTarget):
                    heap.append(floor.exposed.target.memory() - floor.exposed.target.stored())
            inspector.finish()
        except Failed as problem:
            failure = str(problem)
        except (MicroPythonError, BrokenPipeError) as problem:
            failure = f"the firmware crashed: {problem}"
            MicroPythons.close()
        except Exception:
            failure = traceback.format_exc()
    if failure:
        failure = f"after {inspector.counts['rounds']} rounds, at {floor.now / 1000:.2f} s: {failure}"
    lines = floor.log.lines
    digest = sha256(b"\n".join(lines)).hexdigest()
    kept = lines if failure else []
    found = inspector.counts, floor.happened(), inspector.faults, inspector.refused
    return Report(shift, target, failure, digest, *found, heap, kept)


# -- a campaign


def shifts_of(seed: int, games: list[str], rounds: int, a_shift: int) -> list[Shift]:
    """At least so many rounds, the games in turn."""
    a_shift = min(a_shift, rounds)
    return [Shift(seed, games[number % len(games)], number, a_shift) for number in range(-(-rounds // a_shift))]


def soak(shifts: list[Shift], targets: list[str], jobs: int) -> Iterator[Report]:
    """Every shift on every target, in this order."""
    work = [(shift, target, firmware_digest()) for target in targets for shift in shifts]
    if jobs == 1:
        try:
            for one in work:
                yield play(*one)
        finally:
            MicroPythons.close()
        return
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(jobs, fork, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as processes:
        try:
            yield from processes.map(play, *zip(*work, strict=True))
        finally:
            processes.shutdown(cancel_futures=True)
