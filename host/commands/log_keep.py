"""`felt log import`, `adopt` and `upgrade`: what is done to a log as a whole."""

from pathlib import Path

import click

from host.commands.arguments import FILE, KEY, LOG, click_errors
from host.log.schema import NotALog


@click.command("import")
@click.argument("journal", type=click.Path(exists=True, file_okay=False, path_type=Path))
@LOG
@KEY
@click.option("--staff", help="Who decides that a new log begins later than the table's first record.")
@click.option("--reason", help="Why.")
def import_command(journal: Path, log: Path, key_file: Path, staff: str | None, reason: str | None) -> None:
    """Add the records of a saved JOURNAL folder to LOG.

    Records that LOG already has are left out. A log that does not exist is made. Stop `felt run`
    first if it writes this log.
    """
    from host.keys import KeyFileError, read_table_key
    from host.log.entries import LogFailed
    from host.log.importing import import_journal

    with click_errors(NotALog, LogFailed, KeyFileError):
        done = import_journal(journal, log, read_table_key(key_file), staff, reason)
    noun = "record is" if done.added == 1 else "records are"
    click.echo(f"{log}: {done.added} {noun} new, of {done.first} to {done.last} in the journal")


@click.command("adopt")
@click.argument("file", metavar="TABLE.toml", type=FILE)
@click.option("--port", help="The table's port, in place of the one in the file.")
@click.option("--staff", required=True, help="Who decides that a new log begins: a name of the table's staff.")
@click.option("--reason", required=True, help="Why.")
@click.option("--stdin", "from_stdin", is_flag=True, help="Read the PIN from standard input.")
def adopt_command(file: Path, port: str | None, staff: str, reason: str, from_stdin: bool) -> None:
    """Begin a new log at a table that has dropped its first records.

    A table keeps the records that its host has not taken, and the last rounds; it drops older ones. So a host
    that lost its log cannot join the table with an empty one. This begins a log where the table's journal begins,
    and keeps who decided so and why; `felt audit` and `felt verify` report it from then on. It takes the PIN of
    somebody whose post may do it, as `log` under [posts] in the table's file says.
    """
    from host.commands.run import load_or_say
    from host.commands.staff import admit
    from host.keys import KeyFileError, read_table_key
    from host.log.entries import LogFailed
    from host.table.adopt import CannotAdopt, adopt
    from host.table.port import TablePort

    config = load_or_say(file)
    member = admit(config, staff, "log", from_stdin)
    who = f"{member.name}, {member.post}"
    with click_errors(CannotAdopt, NotALog, LogFailed, KeyFileError):
        key = read_table_key(config.key)
        origin = adopt(config.log.file, config.name, key.key, TablePort(port or config.port), who, reason)
    click.echo(f"{config.log.file}: begins with record {origin.number + 1} of table {config.name}")


@click.command("upgrade")
@LOG
@click.option("--rollups", is_flag=True, help="Also make what is kept for lists and statistics anew.")
def upgrade_command(log: Path, rollups: bool) -> None:
    """Bring a LOG of an older felt up to date; `felt run` does so too."""
    from host.log.opening import upgrade
    from host.terminal import record_progress

    with click_errors(NotALog), record_progress() as progress:
        applied = upgrade(log, progress, rollups)
    click.echo(f"{log}: {'brought' if applied else 'is'} up to date")
