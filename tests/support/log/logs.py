"""Records for the tests of the log: made by the firmware's own recorder, sealed, and taken apart again."""

import random
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from firmware.recorder import Recorder
from host.keys import TableKey
from host.log.columns import Columns, Row
from host.log.entries import Record
from host.log.reading import LogReader
from host.log.store import LogStore
from host.pico.digests import rules_digest
from shared.journal.chain import Chain
from shared.journal.journal import Journal
from shared.journal.seal import Sealer
from shared.journal.snapshot import plain_config
from tests.support.rounds import Players, random_config
from tests.support.storage import Storage

KEY = TableKey("T1", bytes(range(32)))
NOON = 1_790_000_000
RULES = rules_digest()
FILES = "0123456789abcdef" * 2


class RecordingTable:
    """A table's recorder on a journal that holds everything; each event takes a second."""

    def __init__(self, config: dict[str, Any] | None = None, seed: str = "table", rules: str = RULES) -> None:
        self.dice = random.Random(seed)
        self.rules = rules
        self.storage = Storage(capacity=1 << 20)
        self.commands = 0
        self.start("power")
        if config:
            self.command("config", plain_config(config), "manager 1")

    def start(self, cause: str, more: Iterable[list[Any]] = (), files: str = "") -> None:
        self.journal = Journal(self.storage, Sealer(KEY.key), KEY.table)
        self.recorder: Any = Recorder(self.journal, cause, self.dice.randbytes, self.rules, more, files)

    def tell_time(self, seconds: int) -> None:
        self.recorder.told_time = (seconds, self.recorder.now)

    def do(self, *event: Any) -> None:
        """The table's own keys and devices."""
        self.recorder.now += 1000
        self.recorder.apply(event[0] if len(event) == 1 and isinstance(event[0], dict) else list(event))

    def command(self, name: str, arguments: list[Any], who: str) -> None:
        self.recorder.now += 1000
        self.commands += 1
        self.recorder.command(self.commands, who, name, arguments)

    def say(self, who: str, *event: Any) -> None:
        self.command("event", list(event), who)

    def records(self, first: int = 1) -> list[Record]:
        return records_of(list(self.journal.lines_from(1)))[first - 1 :]


def records_of(lines: list[bytes]) -> list[Record]:
    chain = Chain(Sealer(KEY.key), KEY.table)
    made = []
    for line in lines:
        boot, number, record = chain.follow(line)
        made.append(Record(number, boot, record, line))
    return made


def random_play(game: str, seed: str, events: int, mischief: float = 0.15) -> RecordingTable:
    """A table at which anything happens, with power cuts, told partly by commands of several people."""
    dice = random.Random(f"{game} {seed}")
    table = RecordingTable(random_config(game, dice), seed)
    players = Players(table.recorder.round, dice, mischief)
    for _ in range(events):
        if dice.random() < 0.01:
            table.start("power", [["console"], ["files", "", FILES]], FILES)
        if dice.random() < 0.05:
            table.tell_time(NOON + table.recorder.now // 1000)
        players.round = table.recorder.round
        event = players.event()
        if isinstance(event, list) and event and dice.random() < 0.5:
            table.say(dice.choice(("dealer 1", "dealer 2", "pit 7")), *event)
        else:
            table.recorder.now += 300
            table.recorder.apply(event)
    return table


def rows_of(records: list[Record], columns: Columns | None = None) -> list[Row]:
    columns = columns or Columns()
    return [Row._make(columns.row(one.number, one.boot, one.record, one.line, NOON)) for one in records]


def write_log(path: Path, records: list[Record], batch: int = 50) -> None:
    with LogStore(path, KEY.table) as store:
        for start in range(0, len(records), batch):
            store.commit(records[start : start + batch], NOON)


def read_rows(path: Path) -> list[Row]:
    with LogReader(path) as log:
        return list(log.rows(0, 1 << 40))


def tampered(path: Path, *statements: str) -> None:
    """What somebody with a hex editor can do: the triggers do not stop whoever removes them first."""
    connection = sqlite3.connect(path, isolation_level=None)
    triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    for _, sql in triggers:
        connection.execute(sql)
    connection.close()


def play_round(table: RecordingTable, hand: str = "9C KC QC 2D 3D 4D") -> None:
    """A round of Three Pictures with one bet, from the player's cards and then the dealer's."""
    table.do("open")
    table.say("dealer 1", "bet", 1, "P1", "main", 1000)
    table.do("close")
    for card in hand.split():
        table.do("card", card)
    table.do("show", 1, "dealer")
    table.do("reveal")
    table.do("settle")
