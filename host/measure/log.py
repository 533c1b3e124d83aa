"""The log's part of `make measure`: records a second from the port to the acknowledgement, beside plain inserts.

The firmware plays in virtual time and its link sends what it records: event by event as in play, or all at once
as after an absence of the host. Timed is the host's work alone: link, chain, commit, acknowledgement and playing
each record again. After each commit the same rows go into a second log by nothing but `sqlite3`, so that
a slow moment of the disk is in both figures.
"""

import random
import tempfile
import time
from pathlib import Path
from typing import Any

from firmware.link import Identity, Link
from firmware.recorder import Recorder
from host.keys import make_signer, read_signer
from host.log.checkpoints import CheckpointBook
from host.log.entries import Record
from host.log.opening import open_to_write
from host.log.store import INSERT, LogStore
from host.measure.figure import Figure, Figures
from host.measure.rounds import full_round, table_config
from host.rules.catalogue import fullest_book
from host.simulator.virtual_pico import Memory
from host.table.bridge import Bridge
from host.table.link import HostLink
from shared.journal.journal import Journal
from shared.journal.seal import Sealer
from shared.journal.snapshot import plain_config
from shared.link.declarations import digest

GAME = fullest_book().ID
TABLE = "T1"
KEY = bytes(range(32))
DIGEST = "00" * 16
ROUNDS_IN_PLAY = 4
ROUNDS_IN_ABSENCE = 30
SECONDS = 1_790_000_000
PROMISED_SHARES = {"in play": 0.55, "after an absence": 0.5}


class TimedStore(LogStore):
    """Passes on the rows of each commit, and knows how long commits took."""

    def __init__(self, path: Path, table: str) -> None:
        super().__init__(path, table)
        self.rows: list[tuple[Any, ...]] = []
        self.committing = 0.0

    def commit(self, records: list[Record], seconds: int) -> None:
        begun = time.perf_counter()
        super().commit(records, seconds)
        self.committing += time.perf_counter() - begun

    def write(self, rows: list[tuple[Any, ...]], seconds: int) -> None:
        super().write(rows, seconds)
        self.rows = rows


class MeasuredTable:
    """A table, a bridge with its log, and beside it a log that is written plainly."""

    def __init__(self, folder: Path) -> None:
        dice = random.Random("measure")
        journal = Journal(Memory(capacity=1 << 20), Sealer(KEY), TABLE)
        self.recorder = Recorder(journal, "power", dice.randbytes, DIGEST)
        identity = Identity(TABLE, "full", DIGEST, digest(), DIGEST)
        self.table = Link(self.recorder, Sealer(KEY), identity, dice.randbytes)
        self.store = TimedStore(folder / "log", TABLE)
        make_signer(folder / "host.key")
        book = CheckpointBook(folder / "checkpoints", TABLE, read_signer(folder / "host.key"))
        self.link = HostLink(self.store.end, Sealer(KEY), TABLE, DIGEST, dice.randbytes, lambda: SECONDS)
        self.bridge = Bridge(self.link, self.store, book)
        self.beside = open_to_write(folder / "plain", SECONDS)
        self.beside.execute("INSERT INTO origins VALUES (1, ?, 0, NULL, 0, NULL, NULL)", (TABLE,))
        self.now = 0
        self.records = self.batches = 0
        self.host = self.plain = 0.0  # seconds of the host's work, and of the plain inserts

    def close(self) -> None:
        self.store.close()
        self.beside.close()
        if self.bridge.alarms:
            raise RuntimeError(f"the measured table raised an alarm: {self.bridge.alarms[0]}")

    @property
    def share(self) -> float:
        """How fast it is beside plain inserts."""
        return self.plain / self.host

    def play(self, rounds: int, send: bool) -> None:
        if self.recorder.config is None:
            self.recorder.command(1, "measure", "config", plain_config(table_config(GAME)))
        for _ in range(rounds):
            for event in full_round(GAME):
                self.recorder.now = self.now = self.now + 300
                self.recorder.apply(event)
                if send:
                    self.send_all()

    def send_all(self) -> None:
        journal = self.table.journal
        while journal.acknowledged < journal.chain.number:
            self.now += 10
            self.send()

    def send(self) -> None:
        said = []
        while line := self.table.output(self.now):
            said.append(line)
        heard = b"".join(said)
        self.store.rows = []
        begun = time.perf_counter()
        self.take(heard)
        answer = self.link.output(self.now)
        self.host += time.perf_counter() - begun
        self.table.receive(answer, self.now)
        if self.store.rows:
            self.records += len(self.store.rows)
            self.batches += 1
            self.insert(self.store.rows)

    def take(self, heard: bytes) -> None:
        self.bridge.receive(heard, self.now, SECONDS)

    def insert(self, rows: list[tuple[Any, ...]]) -> None:
        begun = time.perf_counter()
        self.beside.execute("BEGIN IMMEDIATE")
        self.beside.executemany(INSERT, rows)
        self.beside.execute("COMMIT")
        self.plain += time.perf_counter() - begun


def timed(rounds: int, in_play: bool) -> MeasuredTable:
    """The middle one of three runs, on the disk of the current folder: a log does not live in memory."""
    runs = []
    for _ in range(3):
        with tempfile.TemporaryDirectory(prefix=".measure-", dir=Path.cwd()) as name:
            table = MeasuredTable(Path(name))
            if in_play:
                table.send_all()
            table.play(rounds, in_play)
            table.send_all()
            table.close()
        runs.append(table)
    return sorted(runs, key=lambda table: table.share)[1]


def measure_log() -> Figures:
    for how, rounds in (("in play", ROUNDS_IN_PLAY), ("after an absence", ROUNDS_IN_ABSENCE)):
        table = timed(rounds, how == "in play")
        yield Figure(
            f"bridge and log, {how}, {table.records / table.batches:.0f} records a commit",
            f"{table.records / table.host:,.0f} records/s",
            f"{table.share:.2f} of {table.records / table.plain:,.0f} plain inserts/s; "
            f"{table.store.committing / table.host:.0%} of it in commits",
            f">= {PROMISED_SHARES[how]} of plain inserts",
            table.share >= PROMISED_SHARES[how],
        )
