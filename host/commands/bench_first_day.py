"""`felt bench first-day`: what has never run on silicon, and the session that tries it."""

import click

from host.bench.first_day.telling import tell


@click.command("first-day")
def first_day_command() -> None:
    """Print what has never run on silicon, and the session for two Picos.

    The list is made from the sources; the session names every command with what it must print. Without hardware
    nothing of it is proved."""
    click.echo("\n".join(tell()))
