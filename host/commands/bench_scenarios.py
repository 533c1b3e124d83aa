"""`felt bench explain` and `felt bench new`: what a scenario says, and one made from a log."""

from pathlib import Path

import click

from host.bench.from_log import NotAScenario, scenario_text
from host.bench.scenario import BadScenario, kind_names, read_scenario
from host.bench.telling import explain
from host.commands.arguments import FILE, PATH, click_errors
from host.commands.bench_options import set_up_errors
from host.files import write_new
from host.log.reading import LogReader
from host.log.schema import NotALog
from shared.link.messages import _MAX_NUMBER


@click.command("explain")
@click.argument("file", type=FILE)
def explain_command(file: Path) -> None:
    """Tell the scenario in FILE in words.

    The table, what happens, and why it ends as it does."""
    with set_up_errors(BadScenario):
        scenario = read_scenario(file)
    click.echo("\n".join(explain(scenario)))


@click.command("new")
@click.argument("log", type=PATH)
@click.argument("number", metavar="ROUND", type=click.IntRange(1, _MAX_NUMBER))
@click.option("-o", "--output", "file", required=True, type=FILE, help="The scenario file to write.")
@click.option("--kind", required=True, type=click.Choice(kind_names()), help="What kind of situation it is.")
def new_command(log: Path, number: int, file: Path, kind: str) -> None:
    """Make a scenario from round ROUND of LOG.

    So a problem at a table becomes a test. The file plays to the records of the log, which is checked.
    Players are called P1, P2 and so on."""
    with click_errors(NotALog, NotAScenario), LogReader(log) as reader:
        text, notes = scenario_text(reader, number, kind)
    try:
        write_new(file, text.encode())
    except FileExistsError:
        raise click.ClickException(f"{file} is there already; choose another name") from None
    for note in notes:
        click.echo(f"left out: {note}")
    click.echo(f"{file}: plays to the same records as round {number}.")
    click.echo("Write its title, and work out what must come out.")
