"""Plays shifts of a soak: rounds in a row at a fresh table, with random play and random troubles.

A campaign is cut into shifts. Game, number and the campaign's seed alone make all that happens in one, so a
failure is played again by itself. Shifts may run in processes of their own, several at once.
"""

import multiprocessing
import random
import signal
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from host.bench.soak.chaos import Chaos
from host.bench.soak.inspector import STEP_MS, Inspector, SoakFailed
from host.keys import make_signer, read_signer
from host.log.checkpoints import CheckpointBook
from host.pico.boards import find_board
from host.pico.digests import firmware_digest, rules_digest
from host.rules.catalogue import progressive_place
from host.simulator.floor import make_link
from host.simulator.memory_log import MemoryLog
from host.simulator.target import VIRTUAL_PICO, CPythonTarget, Flashed, WasmTarget
from host.table.bridge import Bridge
from host.wasm import MicroPythonError
from host.words.failures import failure_words
from shared.rules.rulebook import load

CPYTHON, MICROPYTHON = "cpython", "micropython"
SOAKED = (CPYTHON, MICROPYTHON)
TABLE = "SOAK"
KEY = bytes(range(32))  # of a table that exists here only
MISCHIEF = (0.2, 0.5, 0.9)
# Few enough that a journal is full in minutes, and enough that a long round never fills it; 150 on a real table.
SEGMENTS = (56, 76, 150)
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


class Report(NamedTuple):
    """What came of a shift on a target; `lines` are its log, if it failed.

    `failure` says in words what must not happen, and `crash` is the traceback of a program that crashed.
    """

    shift: Shift
    target: str
    failure: str
    crash: str
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


def start(shift: Shift, target: str, flashed: Flashed, folder: Path) -> Chaos:
    dice = random.Random(shift.name)
    config, board_name = config_of(shift, dice)
    board = find_board(board_name)
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


def play(shift: Shift, target: str, firmware: str) -> Report:
    """A shift from its start to its end, or to what must not happen."""
    flashed = Flashed(TABLE, KEY, rules_digest(), firmware)
    with tempfile.TemporaryDirectory() as folder:
        floor = start(shift, target, flashed, Path(folder))
        inspector = Inspector(floor, flashed)
        heap: list[int] = []
        failure = crash = ""
        try:
            for used in play_rounds(shift, floor, inspector):
                heap.append(used)
            inspector.finish()
        except SoakFailed as problem:
            failure = str(problem)
        except Exception as problem:
            failure, crash = crash_words(problem), traceback.format_exc()
            if isinstance(problem, MicroPythonError | OSError):
                MicroPythons.close()
    if failure:
        failure = f"after {inspector.counts['rounds']} rounds, at {floor.now / 1000:.2f} s: {failure}"
    lines = floor.log.lines
    digest = sha256(b"\n".join(lines)).hexdigest()
    kept = lines if failure else []
    found = inspector.counts, floor.happened(), inspector.faults, inspector.refused
    return Report(shift, target, failure, crash, digest, *found, heap, kept)


def play_rounds(shift: Shift, floor: Chaos, inspector: Inspector) -> Iterator[int]:
    """Yields on MicroPython how many bytes of its heap are in use after each round."""
    pico = floor.exposed.target
    while inspector.counts["rounds"] < shift.rounds:
        before = inspector.counts["rounds"]
        floor.step(STEP_MS)
        inspector.look()
        if inspector.counts["rounds"] > before and isinstance(pico, WasmTarget):
            yield pico.memory()


def crash_words(problem: Exception) -> str:
    """Which end crashed, over what, and where."""
    if isinstance(problem, MicroPythonError | BrokenPipeError):
        end, error = "firmware", str(problem).strip().splitlines()[-1]
    else:
        frames = traceback.extract_tb(problem.__traceback__)
        end = "firmware" if any(Path(frame.filename).name == VIRTUAL_PICO for frame in frames) else "host"
        where = f"{Path(frames[-1].filename).name}, line {frames[-1].lineno}"
        error = f"{type(problem).__name__}: {problem} ({where})"
    return failure_words("soak.crashed", {"end": end, "error": error})


# -- a campaign


def shifts_of(seed: int, games: Sequence[str], rounds: int, a_shift: int) -> list[Shift]:
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
