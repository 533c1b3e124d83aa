"""`felt run`: runs a table from the host: log, checks, display and page."""

import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import click

from host.commands.arguments import FILE, click_errors
from host.config.table_file import ConfigError, TableConfig, load
from host.display.config import open_sink
from host.display.display import Display
from host.display.sinks import DisplayFailed
from host.keys import KeyFileError
from host.log.checkpoints import BadCheckpoint
from host.log.entries import LogFailed
from host.log.reading import LogReader
from host.log.schema import NotALog
from host.page.app import make_app
from host.page.hub import Hub
from host.page.server import PageFailed, PageServer
from host.staff.logins import Logins
from host.staff.pins import StaffMember
from host.staff.throttle import Gate
from host.staff.throttle_file import TriesBook
from host.table.assemble import RunningTable, open_table
from host.table.display_observer import DisplayObserver
from host.table.port import PortBusy
from host.table.screen import FittingDisplay, Screen
from host.table.service import Observer
from host.terminal import felt_here
from host.words.link import announcement_words


@click.command("run")
@click.argument("file", type=FILE)
@click.option("--port", help="The table's port, in place of the one in the file.")
def run_command(file: Path, port: str | None) -> None:
    """Run a real table until Ctrl-C.

    FILE is the table's file. Every record of the table is logged, played again with the same rules and
    acknowledged; any difference is an alarm. You can unplug and restart the table at any moment, and this command
    too.
    """
    config = load_or_say(file)
    with running(config, port) as table, live_page(table, config.staff) as page:
        run_table(table, page.observers, page.heading)
    click.echo(farewell(table.config))


def load_or_say(file: Path) -> TableConfig:
    try:
        return load(file)
    except ConfigError as problem:
        raise click.ClickException(f"{problem}{problem.where}") from None


@contextmanager
def running(config: TableConfig, port: str | None) -> Iterator[RunningTable]:
    """The table, opened; the reason if it cannot be opened is one line for people."""
    with click_errors(LogFailed, BadCheckpoint, KeyFileError):
        table = open_table(config, port)
    try:
        yield table
    finally:
        table.close()


class LivePage(NamedTuple):
    is_served: bool
    observers: list[Observer]
    heading: list[str]  # where it is and who can see it, or why it is not served


@contextmanager
def live_page(table: RunningTable, staff: Sequence[StaffMember], any_port: bool = False) -> Iterator[LivePage]:
    """The page of the table while it runs. A page that cannot be served keeps no table from running."""
    page = table.config.page
    if page.off:
        yield LivePage(False, [], [])
        return
    log = table.config.log.file
    hub = Hub()
    gate = Gate(list(staff), book=TriesBook(log.with_name(log.name + ".tries")), now=time.monotonic())
    app = make_app(hub, table.service, gate, Logins(), time.monotonic)
    server = PageServer(app, page.address, page.port, any_port)
    try:
        server.start()
    except PageFailed as problem:
        table.service.notice("page", problem.args)
        yield LivePage(False, [], [announcement_words("page", (problem.args,))])
        return
    try:
        yield LivePage(True, [hub], [server.reach])
    finally:
        server.stop()


def run_table(
    table: RunningTable, more: list[Observer], heading: list[str], until: Callable[[], bool] | None = None
) -> None:
    """Run it until somebody stops it, or `until` says so. `heading` stays in view."""
    config, service = table.config, table.service
    title = f"Table {config.name}, {config.game.rulebook}. Ctrl-C stops it."
    screen = Screen(sys.stdout, config.log.file, [title, *heading])
    stop = threading.Event()
    with click_errors(PortBusy):
        service.port.open(service.milliseconds())
    displays = open_displays(config, screen)
    service.observers += [*more, DisplayObserver(displays), screen]
    screen.start()
    with stopped_by_signals(stop):
        try:
            service.run(stop, until)
        finally:
            for display in displays:
                display.close()
            screen.close()


def open_displays(config: TableConfig, screen: Screen) -> list[Display]:
    """The configured display; one in the terminal is part of what this command shows there."""
    size = config.display.pixels()
    if config.display.kind == "terminal":
        return [FittingDisplay(screen, size)]
    if config.display.kind == "none":
        return []
    try:
        return [Display(open_sink(config.display, sys.stdout), size)]
    except DisplayFailed as failure:
        raise click.ClickException(f'{failure}. Set kind = "none" in [display] to run without it.') from None


@contextmanager
def stopped_by_signals(stop: threading.Event) -> Iterator[None]:
    """Ctrl-C and an ordinary kill are clean stops."""

    def ask(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    before: dict[int, Any] = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def farewell(config: TableConfig) -> str:
    """Where the log is, and what can be typed next, as it can be typed here."""
    log, felt = config.log.file, felt_here()
    commands = [["log", "last", log]]
    newest = newest_round(log)
    if newest is not None:
        commands.append(["log", "show", newest, log])
    signed = ["--checkpoints", config.log.checkpoints, "--signer", config.log.signer.with_suffix(".pub")]
    commands.append(["audit", log, "--key", config.key, *signed])
    lines = [f"  {shlex.quote(felt)} {shlex.join(map(str, words))}" for words in commands]
    return "\n".join([f"stopped; the log is {log}", *lines])


def newest_round(log: Path) -> int | None:
    try:
        with LogReader(log) as reader:
            rounds = reader.round_numbers()
    except NotALog:
        return None
    return rounds[1] if rounds else None
