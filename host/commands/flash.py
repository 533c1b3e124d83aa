"""`felt flash`: puts the firmware, a key and a manifest onto a table's Pico, and restarts it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.progress import BarColumn, DownloadColumn, TextColumn, TransferSpeedColumn

from host.commands.arguments import FILE, PATH, click_errors
from host.commands.boards import BoardName
from host.keys import KeyFileError, check_table_name, read_signer, read_table_key
from host.log.checkpoints import BadCheckpoint, read_checkpoints
from host.log.entries import LogFailed
from host.log.reading import LogReader
from host.log.schema import NotALog
from host.log.store import LogStore
from host.pico.boards import BoardError, find_board
from host.pico.deploy import DeployError, JournalChoice, Key, KeyChoice, table_files
from host.pico.flashing import Flashed, flash
from host.pico.migration import Brought
from host.pico.mpremote_port import open_device
from host.pico.replacement import REPLACED, CannotReplace, read_replacement
from host.pico.rescue import check_folder
from host.pico.serial_ports import PortError, find_port
from host.terminal import make_bar
from host.words.names import capital, plain
from host.words.records import record_words

KEY_OPTION = click.option("--key", "key_file", type=FILE, help="The table's key file.")
TABLE_OPTION = click.option(
    "--table", metavar="NAME", help="The table's name; makes its key, in NAME.key, if it has none."
)


@click.command("flash")
@click.option("--port", help="The Pico's serial port; by default the only Pico that is plugged in.")
@click.option("--board", "board_name", type=BoardName(), help="The board that it is wired as.")
@KEY_OPTION
@TABLE_OPTION
@click.option("--new-key", is_flag=True, help="Replace the key on it; a journal that is there must be set aside.")
@click.option(
    "--new-journal",
    "journal_folder",
    metavar="FOLDER",
    type=PATH,
    help="Save the journal on it in FOLDER and let the table begin a new one.",
)
@click.option(
    "--old-journal",
    "old_folder",
    metavar="FOLDER",
    type=PATH,
    help="Where the journal of an older firmware is saved before it is brought along; by default TABLE-journal.",
)
@click.option("--abandon-round", is_flag=True, help="With --new-journal: also if a round is in the middle.")
@click.option(
    "--replace",
    "table_file",
    metavar="TABLE.toml",
    type=FILE,
    help="Put a table onto another Pico, with what its log knows, in place of one that is dead.",
)
@click.option("--staff", help="With --replace: who does it, a name of the table's staff; asked for by default.")
@click.option("--stdin", "from_stdin", is_flag=True, help="With --replace: read the PIN from standard input.")
def flash_command(
    port: str | None,
    board_name: str | None,
    key_file: Path | None,
    table: str | None,
    new_key: bool,
    journal_folder: Path | None,
    old_folder: Path | None,
    abandon_round: bool,
    table_file: Path | None,
    staff: str | None,
    from_stdin: bool,
) -> None:
    """Put the firmware onto a table's Pico.

    It copies only what has changed, removes programs that do not belong there, and restarts the Pico. The journal
    stays unless you give --new-journal, and the key stays unless you give --new-key. A running table accepts no
    update: put its service jumper on first, and press reset. A Pico that lost its filesystem, but not the records
    in its flash, is refused until `felt rescue` has saved them.

    With --replace another Pico goes on as the table of TABLE.toml where the table's log ends. Stop `felt run`
    first. It takes the PIN of somebody whose post may do it, as `log` under [posts] in the table's file says.
    """
    if table_file:
        if key_file or table is not None or new_key or journal_folder or abandon_round:
            raise click.ClickException("with --replace the table's file says the key, and the log is the journal")
        replace(table_file, port, board_name, staff, from_stdin)
        return
    if staff or from_stdin:
        raise click.ClickException("--staff and --stdin go with --replace TABLE.toml")
    if not board_name:
        raise click.UsageError("Missing option '--board'.")
    choice = key_choice(key_file, table, new_key)
    if abandon_round and not journal_folder:
        raise click.ClickException("--abandon-round needs --new-journal FOLDER, where the journal is saved")
    journal = JournalChoice(journal_folder, abandon_round, old_folder)
    with click_errors(BoardError, DeployError, KeyFileError, PortError):
        board = find_board(board_name)
        if journal_folder:
            if board.ROLE == "rig":
                raise DeployError("a rig has no journal; leave --new-journal away")
            check_folder(journal_folder)
        if old_folder:
            check_folder(old_folder)
        files = table_files(board)
        if choice.file:
            read_table_key(choice.file)  # before a device is stopped for it
        port = port or find_port()
        with open_device(port) as device:
            done = flash(device, board, files, choice, byte_progress, journal)
    report(done, port, board.NAME)
    if journal_folder:
        say_journal(done.saved, journal_folder)
    if done.brought:
        say_brought(done.brought)
    say_jumper(done)


def say_jumper(done: Flashed) -> None:
    if done.jumper:
        click.echo("take the service jumper off and press reset to run the table")


def replace(file: Path, port: str | None, board_name: str | None, staff: str | None, from_stdin: bool) -> None:
    """Put the table of a file onto another Pico, with what its log knows."""
    from host.commands.run import load_or_say  # which a plain flash does not wait for
    from host.commands.staff import admit

    config = load_or_say(file)
    if board_name not in (None, config.board):
        raise click.ClickException(f"{file} says board {config.board}, not {board_name}; leave --board out")
    if not config.log.file.exists():
        raise click.ClickException(str(CannotReplace("pico.no_log", path=config.log.file)))
    member = admit(config, staff or click.prompt("Name"), "log", from_stdin)
    errors = (BoardError, DeployError, KeyFileError, PortError, LogFailed, NotALog, BadCheckpoint)
    with click_errors(*errors), LogStore(config.log.file, config.name) as store:
        board = find_board(config.board)
        key = read_table_key(config.key)
        signer = read_signer(config.log.signer).public_key()
        book = config.log.checkpoints
        signed = read_checkpoints(book, config.name, signer) if book.exists() else []
        with LogReader(config.log.file) as log:
            known = read_replacement(log, key, signed, member.name, member.post, int(time.time()))
            files = table_files(board)
            port = port or find_port()
            with open_device(port) as device:
                pico = device.unique_id()
                done = flash(
                    device, board, files, KeyChoice(config.key, replace=True), byte_progress, replacement=known
                )
        store.notice(REPLACED, capital(record_words(known.note(pico), None)) + ".", known.end.number)
    report(done, port, board.NAME)
    click.echo(f"the log goes on after record {known.end.number}, with Pico {pico}")
    if known.round:
        number, state = known.round
        click.echo(f"round {number} ({plain(state)}) is decided at the start, as after a power failure")
    click.echo("do not plug the old Pico in again: its records no longer fit the log")
    say_jumper(done)


def key_choice(key_file: Path | None, table: str | None, new_key: bool) -> KeyChoice:
    if key_file and table is not None:
        raise click.ClickException("--key and --table exclude each other: a key file names its table")
    if new_key and not key_file and table is None:
        raise click.ClickException("--new-key needs --table NAME, which makes a key, or --key FILE")
    if table:
        with click_errors(KeyFileError):
            check_table_name(table)
    return KeyChoice(key_file, table, new_key)


def report(done: Flashed, port: str, board: str) -> None:
    say_key(done.key)
    click.echo(f"{who(done.key)} on {port}: board {board}, MicroPython {done.runtime.text}")
    copied, removed = done.changes.copy, [*done.changes.remove, *done.changes.remove_folders]
    if removed:
        click.echo(f"removed {', '.join(removed)}")
    if copied:
        size = sum(map(len, copied.values()))
        click.echo(f"copied {files_text(len(copied))}, {size:,} bytes; all {done.files} are as they should be")
    else:
        click.echo(f"nothing to copy; {files_text(done.files)} are as they should be")
    if done.note:
        click.echo(f"note: {done.note}", err=True)


def say_journal(saved: int, folder: Path) -> None:
    if not saved:
        click.echo("there was no journal to save")
        return
    click.echo(f"{folder}: the journal that was there, {saved:,} bytes")
    click.echo("the table begins a new chain, and with it a new log: name another file in its [log]")


def say_brought(brought: Brought) -> None:
    click.echo(
        f"{brought.folder}: the journal of the older firmware, records {brought.first} to {brought.last}, "
        f"{brought.size:,} bytes; it is whole"
    )
    click.echo("its end is on the Pico, and the table goes on with it; its next start takes half a minute longer")
    click.echo(
        f"before you run it, `felt log import {brought.folder} LOG --key KEY` adds what the host's log lacks"
    )


def who(key: Key | None) -> str:
    return f"table {key.key.table}" if key else "rig"


def say_key(key: Key | None) -> None:
    if key and key.made:
        click.echo(f"{key.made}: the key of table {key.key.table}; keep a copy in a safe place")


def files_text(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"


@contextmanager
def byte_progress(total: int) -> Iterator[Callable[[int], None]]:
    """Yields a function to call with the number of bytes just copied, to the Pico or from it."""
    with make_bar(TextColumn("copying"), BarColumn(), DownloadColumn(), TransferSpeedColumn()) as bar:
        task = bar.add_task("", total=total)
        yield lambda count: bar.advance(task, count)
