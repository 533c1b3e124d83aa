"""A whole table in real time for tests of the page: the firmware behind a pseudo-terminal, and the host."""

import random
import select
import threading
import time
from pathlib import Path
from typing import Any

from host.keys import make_signer, read_signer
from host.log.checkpoints import CheckpointBook
from host.page.addresses import page_url
from host.page.app import make_app
from host.page.console import moment_now
from host.page.hub import Hub
from host.page.server import PageServer
from host.simulator.devices import Reader, Shuffler
from host.simulator.floor import make_link
from host.simulator.target import CPythonTarget, Outside
from host.simulator.terminal import Terminal
from host.staff.logins import Logins
from host.staff.pins import LEAST_WORK, StaffMember, hash_pin
from host.staff.throttle import Gate
from host.table.bridge import Bridge
from host.table.port import TablePort
from host.table.service import TableService
from tests.support.floors import IDENTITY, MemoryLog, board_of, config_of

PINS = {"dealer": "402817", "pit_supervisor": "918273", "shift_manager": "730164"}
NAMES = {"dealer": "Dealer One", "pit_supervisor": "Pit Two", "shift_manager": "Shift Three"}
STAFF = [StaffMember(NAMES[post], post, hash_pin(pin, LEAST_WORK)) for post, pin in PINS.items()]
STEP_S = 0.008
PATIENCE_S = 8.0


class Notebook:
    """What the host noticed."""

    def __init__(self) -> None:
        self.notices: list[tuple[str, str, int | None]] = []

    def notice(self, kind: str, text: str, number: int | None = None, seconds: int | None = None) -> bool:
        self.notices.append((kind, text, number))
        return True


class LiveTable:
    """`first` are the cards that every shuffle puts on top."""

    def __init__(self, folder: Path, game: str, first: str = "", **more: Any) -> None:
        self.board = board_of("small")
        config = config_of(game, self.board.BOXES, **more)
        dice = random.Random("page")
        self.reader = Reader(dice)
        self.shuffler = Shuffler(dice, self.reader)
        self.shuffler.first = first.split()
        self.target = CPythonTarget(self.board, IDENTITY, 1)
        self.terminal = Terminal()
        self.log = MemoryLog()
        make_signer(folder / "host.key")
        checkpoints = CheckpointBook(folder / "checkpoints", IDENTITY.table, read_signer(folder / "host.key"))
        link = make_link(IDENTITY, self.log, dice, lambda: int(time.time()))
        self.notebook = Notebook()
        port = TablePort(self.terminal.name)
        self.service = TableService(Bridge(link, self.log, checkpoints), port, self.notebook, config)
        self.hub = Hub()
        self.service.observers.append(self.hub)
        self.offset = 0.0  # seconds that the page's clock is ahead
        self.gate = Gate(STAFF)
        self.logins = Logins()
        self.app = make_app(
            self.hub, self.service, self.gate, self.logins, lambda: time.monotonic() + self.offset
        )
        self.server = PageServer(self.app, "127.0.0.1", 0)
        self.is_switched_off = False
        self.stop = threading.Event()
        self.threads = [
            threading.Thread(target=self.run_table, name="table"),
            threading.Thread(target=self.service.run, args=(self.stop,), name="service"),
        ]

    def __enter__(self) -> "LiveTable":
        self.server.start()
        for thread in self.threads:
            thread.start()
        self.wait_until(lambda: self.round is not None and self.service.bridge.link.is_up)
        return self

    def __exit__(self, *problem: Any) -> None:
        self.server.stop()
        self.stop.set()
        for thread in self.threads:
            thread.join(5)
        self.terminal.close()

    def clock(self) -> float:
        return time.monotonic() + self.offset

    @property
    def round(self) -> Any:
        return self.service.bridge.replay.round

    @property
    def url(self) -> str:
        return page_url(self.server.address, self.server.port)

    def wait_until(self, condition: Any, seconds: float = PATIENCE_S) -> None:
        give_up_at = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < give_up_at, "it did not happen in time"
            time.sleep(0.01)

    def wait_for(self, *states: str) -> None:
        self.wait_until(lambda: self.round.state in states)

    def tell(self, *event: Any) -> None:
        """An event of somebody at the table, which the table must accept."""
        sent = self.service.call(lambda: self.service.command("floor", "event", list(event)))
        answer = sent.result(PATIENCE_S).result(PATIENCE_S)
        assert answer.done, answer

    def wait_until_still(self) -> None:
        """Until all that the table did is in the log and known to the page."""
        self.wait_until(lambda: not self.service.call(self.service.is_moving).result(PATIENCE_S))

    def moment(self, action: str) -> str:
        """What a page that shows the table as it stands sends with an action."""
        self.wait_until_still()
        activity = self.service.keeper.activity
        sent = self.service.call(lambda: moment_now(self.round, action, activity.asked, activity.placed))
        return sent.result(PATIENCE_S)

    def records(self, *kinds: str) -> list[list[Any]]:
        return [record for record in self.log.records() if record[0] in kinds]

    def run_table(self) -> None:
        said = (b"", b"")
        idle = [1] * (self.board.BOXES * self.board.SPOTS)
        begun = time.monotonic()
        while not self.stop.is_set():
            select.select([self.terminal.ours], [], [], STEP_S)
            usb = self.terminal.read()
            if self.is_switched_off:
                time.sleep(STEP_S)
                continue
            now = int((time.monotonic() - begun) * 1000)
            shuffled = self.shuffler.step(said[0], now)
            read = self.reader.step(said[1], now)
            outside = Outside([1] * len(self.board.KEYS), idle, True, shuffled, read, usb)
            answer = self.target.step(now, outside)
            said = (answer.shuffler, answer.reader)
            self.terminal.write(answer.usb)
