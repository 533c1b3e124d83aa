"""`felt rig`: plays a real table on the bench through the rig."""

from pathlib import Path

import click

from host.bench.hardware.rig import RigError, RigTarget, open_bench
from host.commands.arguments import FILE, FiniteRange, click_errors
from host.commands.run import load_or_say, running
from host.config.table_file import game_config
from host.pico.boards import find_board
from host.pico.serial_ports import PortError, find_port
from host.simulator.floor import Floor
from host.table.assemble import RunningTable
from host.table.port import AUTO
from host.words.records import difference_words

STEP_MS = 20


@click.group("rig")
def rig_command() -> None:
    """Play a real table on the bench, through a second Pico.

    The second Pico is the rig: it plays shuffler, reader, sensors and keys to the table."""


@rig_command.command("play")
@click.argument("file", metavar="TABLE.toml", type=FILE)
@click.option("--rig-port", required=True, help="The rig's serial port.")
@click.option("--port", help="The table's port, in place of the one in the file.")
@click.option("--rounds", type=click.IntRange(1), default=3, show_default=True, help="How many.")
@click.option("--seed", default="bench", help="Repeat a run: the same text gives the same people.")
@click.option("--mischief", type=FiniteRange(0, 1), default=0.0, help="How often something goes wrong.")
def play_command(file: Path, rig_port: str, port: str | None, rounds: int, seed: str, mischief: float) -> None:
    """Play rounds at the real table of TABLE.toml, through the rig.

    Simulated people press its keys, lay chips and deal cards by way of the rig's wires, and its log is kept as
    `felt run` keeps it. A table that settles anything otherwise than the rules here ends it.
    """
    config = load_or_say(file)
    with click_errors(RigError, PortError):
        board = find_board(config.board)
        table_port = port or (find_port() if config.port == AUTO else config.port)
        target = open_bench(rig_port, table_port, board, config.game.reader)
        with running(config, table_port) as table:
            play(table, target, rounds, seed, mischief)


def play(table: RunningTable, target: RigTarget, rounds: int, seed: str, mischief: float) -> None:
    """Play so many rounds, and say how each ended; ClickException on any difference."""
    bridge = table.service.bridge
    floor = Floor(find_board(table.config.board), game_config(table.config), target, bridge, seed, mischief)
    floor.seconds = table.service.seconds()
    for number in floor.run_rounds(rounds, STEP_MS):
        for alarm in bridge.alarms:
            raise click.ClickException(f"record {alarm.number} differs: {difference_words(*alarm.difference)}")
        click.echo(f"round {number} of {rounds}: {bridge.replay.round.state}")
    click.echo(
        f"{rounds} rounds played, every record as the rules here make it; the log is {table.config.log.file}"
    )
