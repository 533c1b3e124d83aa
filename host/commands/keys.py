"""`felt keys`: makes the keys that a table and its host need. None is made by default."""

from pathlib import Path

import click

from host.keys import KeyFileError, make_signer, make_table_key


@click.group("keys")
def keys_command() -> None:
    """Make a table's key, or the key that signs checkpoints."""


@keys_command.command("table")
@click.argument("name")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def table_command(name: str, file: Path) -> None:
    """Make the key of table NAME in FILE, readable by its owner only.

    The table and its host share it: it seals every record and every command. Keep a copy where you keep such
    things; without it nobody can check the table's log.
    """
    try:
        make_table_key(file, name)
    except KeyFileError as problem:
        raise click.ClickException(str(problem)) from None
    click.echo(f"{file}: the key of table {name}")


@keys_command.command("signer")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def signer_command(file: Path) -> None:
    """Make the host's signing key in FILE, and its public key beside it with the ending .pub."""
    try:
        public = make_signer(file)
    except KeyFileError as problem:
        raise click.ClickException(str(problem)) from None
    click.echo(f"{file}: signs checkpoints\n{public}: checks them; give it to whoever reviews the log")
