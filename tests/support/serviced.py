"""A table behind a real pseudo-terminal and the service that runs it, stepped by hand in virtual time."""

from pathlib import Path
from typing import Any

from click.testing import CliRunner

from host.cli import felt
from host.config.table_file import game_config, load
from host.keys import read_table_key
from host.pico.boards import find_board
from host.pico.digests import rules_digest
from host.simulator.desk import Desk
from host.simulator.floor import Floor
from host.simulator.table_process import FIRMWARE, Here, KeptTable
from host.simulator.terminal import Terminal
from host.simulator.virtual_pico import Memory
from host.table.announcements import Announcement
from host.table.assemble import open_table
from host.table.service import Change, TableService

STEP_MS = 20
NOON = 1_790_000_000


class Listener:
    """An observer that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[Announcement] = []
        self.records: list[list[Any]] = []
        self.passes = 0

    def passed(self, service: TableService, change: Change, now: int) -> None:
        self.told += change.told
        self.records += [record.record for record in change.records]
        self.passes += 1

    def codes(self, since: int = 0) -> list[tuple[Any, ...]]:
        """(code, details...) of what was told, without commands in them."""
        return [(code, *details) for code, details in self.told[since:]]

    def details(self, code: str) -> list[tuple[Any, ...]]:
        """The details of what was told with this code."""
        return [one.details for one in self.told if one.code == code]


class Serviced:
    def __init__(self, folder: Path, game: str = "mbs-three-pictures-2") -> None:
        self.folder = folder
        file = folder / "t1.toml"
        if not file.exists():
            made = CliRunner().invoke(
                felt, ["init", str(file), "--name", "T1", "--game", game, "--board", "small", "--yes"]
            )
            assert made.exit_code == 0, made.output
        self.config = load(file)
        self.board = find_board("small")
        self.now = 0
        self.flash = Memory()
        self.path = folder / "port"
        self.terminal: Terminal | None = None
        self.switch_on()
        self.plug_in()
        self.start()

    # -- the table

    def switch_on(self) -> None:
        key = read_table_key(self.config.key)
        table = KeptTable(self.board, key.key, key.table, rules_digest(), FIRMWARE, storage=self.flash)
        self.here = Here(table)
        self.floor = Floor(self.board, game_config(self.config), self.here, self.here, "people", at_desk=False)

    def plug_in(self) -> None:
        self.terminal = Terminal(self.path)

    def unplug(self) -> None:
        assert self.terminal
        self.terminal.close()
        self.path.unlink()
        self.terminal = None

    # -- the host

    def start(self) -> None:
        self.table = open_table(self.config, str(self.path))
        self.service = self.table.service
        self.service.milliseconds = lambda: self.now
        self.service.seconds = lambda: NOON + self.now // 1000
        self.heard = Listener()
        self.desk = Desk(self.board, self.service.bridge, game_config(self.config), "people", 0.0, 100)
        self.service.observers += [self.heard, self.desk]

    def stop(self) -> None:
        self.service.close()
        self.table.close()

    def close(self) -> None:
        self.stop()
        if self.terminal:
            self.unplug()

    # -- time

    def step(self, act: bool = True) -> None:
        self.now += STEP_MS
        self.floor.now = self.now
        usb = self.terminal.read() if self.terminal else b""
        said = self.floor.pass_through(usb)
        if self.terminal:
            self.terminal.write(said)
        if act and self.now >= self.floor.act_at:
            self.floor.act()
        self.service.step()

    def run(self, milliseconds: int, act: bool = True) -> None:
        for _ in range(0, milliseconds, STEP_MS):
            self.step(act)

    def run_until(self, is_so, at_most: int = 120_000, act: bool = True) -> None:
        for _ in range(0, at_most, STEP_MS):
            if is_so():
                return
            self.step(act)
        raise AssertionError(f"not within {at_most} ms; the host told {self.heard.told[-5:]}")

    # -- what is known

    @property
    def link(self):
        return self.service.bridge.link

    @property
    def round(self) -> Any:
        return self.service.bridge.replay.round

    def rounds_ended(self) -> int:
        ended = [record for record in self.heard.records if record[0] == "state" and record[1] == "settled"]
        return len(ended)

    def agree(self) -> bool:
        """Whether the log ends where the table's journal does."""
        return self.link.chain.number == self.here.table.controller.recorder.journal.chain.number
