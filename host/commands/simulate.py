"""`felt simulate`: a whole table without hardware, as `make run` shows it."""

import io
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import ModuleType

import click

from host.commands.arguments import FOLDER, BookArgument, FiniteRange
from host.commands.init import init_command
from host.commands.run import farewell, live_page, load_or_say, run_table, running
from host.config.table_file import TableConfig
from host.pico.boards import find_board
from host.rules.catalogue import fullest_book
from host.simulator.desk import Desk
from host.staff.pins import StaffMember, hash_pin, pin_problem
from host.table.screen import ENDED
from host.table.service import Change, TableService

TABLE = "SIM"
BOARD = "full"
BOXES = 4
START_S = 20
SIZE = "128x32"


@click.command("simulate")
@click.argument("game", type=BookArgument(), default=fullest_book)
@click.option(
    "--folder", type=FOLDER, default=Path("felt-simulation"), show_default=True, help="Where the table is kept."
)
@click.option("--rounds", type=click.IntRange(1), help="Stop after so many rounds.")
@click.option("--seed", help="Repeat a run: the same text gives the same people.")
@click.option(
    "--mischief", type=FiniteRange(0, 1), default=0.25, show_default=True, help="How often something goes wrong."
)
@click.option(
    "--pace", type=click.IntRange(20), default=600, show_default=True, help="Milliseconds between actions."
)
def simulate_command(
    game: ModuleType, folder: Path, rounds: int | None, seed: str | None, mischief: float, pace: int
) -> None:
    """Run a simulated table without any hardware.

    The firmware runs on simulated hardware behind a pseudo-terminal, with simulated people around it; everything
    after the port is as at a real table. Log, keys and the table's own flash are kept in a folder for each GAME,
    so the next run continues where this one stopped.
    """
    home = folder / game.ID
    config = prepare(home, game)
    seed = seed or secrets.token_hex(4)
    pin = new_pin()
    staff = [StaffMember(post, post, hash_pin(pin)) for post in (*game.PROCEDURE.roles, *config.game.posts_above)]
    with (
        table_process(home, config, seed, mischief, pace) as port,
        running(config, port) as table,
        live_page(table, staff, any_port=True) as page,
    ):
        names = ", ".join(member.name for member in staff)
        login = [f"Log in there as {names}; the PIN is {pin}."] if page.is_served else []
        desk = Desk(find_board(BOARD), table.service.bridge, table.service.config or {}, seed, mischief, pace)
        counter = RoundCounter()
        observers = [desk, counter, *page.observers]
        run_table(
            table, observers, [*page.heading, *login], (lambda: counter.ended >= rounds) if rounds else None
        )
    click.echo(farewell(config))


def new_pin() -> str:
    """A PIN for this run alone; nobody keeps it."""
    while True:
        pin = str(secrets.randbelow(900_000) + 100_000)
        if pin_problem(pin) is None:
            return pin


class RoundCounter:
    def __init__(self) -> None:
        self.ended = 0

    def passed(self, service: TableService, change: Change, now: int) -> None:
        self.ended += sum(one.record[0] == "state" and one.record[1] in ENDED for one in change.records)


def prepare(home: Path, game: ModuleType) -> TableConfig:
    """The table's files, made as `felt init` makes them."""
    file = home / "table.toml"
    if not file.exists():
        home.mkdir(parents=True, exist_ok=True)
        words = [str(file), "--name", TABLE, "--game", game.ID, "--board", BOARD, "--boxes", str(BOXES)]
        with redirect_stdout(io.StringIO()):
            init_command.main([*words, "--display", "terminal", "--yes"], standalone_mode=False)
        file.write_text(file.read_text().replace('size = "64x32"', f'size = "{SIZE}"'))
    return load_or_say(file)


@contextmanager
def table_process(home: Path, config: TableConfig, seed: str, mischief: float, pace: int) -> Iterator[str]:
    """A simulated table in a process of its own; gives its port."""
    command = [sys.executable, "-m", "host.simulator.table_process", str(home / "table"), str(config.path)]
    command += ["--seed", seed, "--mischief", str(mischief), "--pace", str(pace)]
    # In a session of its own: Ctrl-C in the terminal is for us, and we end the table in our turn.
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        yield port_of(process)
    finally:
        process.communicate()  # closing its standard input ends it


def port_of(process: "subprocess.Popen[str]") -> str:
    assert process.stdout
    line = process.stdout.readline()
    if not line.startswith("port "):
        if process.wait() == 1:
            raise click.exceptions.Exit(1)  # it has said why
        raise click.ClickException("the simulated table ended before it began; start it again")
    return line.removeprefix("port ").strip()
