"""`felt keys`: makes the keys that a table and its host need. None is made by default."""

from pathlib import Path

import click

from host.commands.arguments import FILE, click_errors
from host.keys import KeyFileError, make_signer, make_table_key


@click.group("keys")
def keys_command() -> None:
    """Make a table's key, or the key that signs checkpoints."""


@keys_command.command("table")
@click.argument("name")
@click.argument("file", type=FILE)
def table_command(name: str, file: Path) -> None:
    """Make the key of table NAME in FILE, readable by its owner only.

    The table and its host share it: it seals every record and every command. Keep a copy in a safe
    place; without it nobody can check the table's log.
    """
    with click_errors(KeyFileError):
        make_table_key(file, name)
    click.echo(f"{file}: the key of table {name}")


@keys_command.command("signer")
@click.argument("file", type=FILE)
def signer_command(file: Path) -> None:
    """Make the host's signing key in FILE.

    Its public key goes beside it, with the ending .pub."""
    with click_errors(KeyFileError):
        public = make_signer(file)
    click.echo(f"{file}: signs checkpoints\n{public}: checks them; give it to the people who review the log")
