"""`felt verify` and `felt checkpoint`: is a log whole, and signing that it is."""

import time
from pathlib import Path

import click
from rich.markup import escape

from host.commands.arguments import CHECKPOINTS, KEY, PATH, SIGNER, click_errors
from host.keys import KeyFileError, TableKey, read_public, read_signer, read_table_key
from host.log.checkpoints import BadCheckpoint, Checkpoint, CheckpointBook, read_checkpoints
from host.log.schema import NotALog
from host.log.verify import OpenedLog, Verdict, open_log, verify
from host.terminal import make_console
from host.words.faults import broken_words

LOG = click.argument("log", type=click.Path(exists=True, path_type=Path))


def check(
    log: OpenedLog, key: TableKey, checkpoints: list[Checkpoint], start: tuple[int, bytes] | None
) -> Verdict:
    verdict = verify(log.lines, key.sealer, key.table, checkpoints, start or log.start)
    if verdict.is_whole and log.problem:
        raise click.ClickException(f"the log is NOT whole: {broken_words(log.problem)}")
    return verdict


@click.command("verify")
@LOG
@KEY
@CHECKPOINTS
@SIGNER
@click.option("--from", "from_number", type=int, help="Begin at the checkpoint of this record.")
def verify_command(
    log: Path, key_file: Path, checkpoint_file: Path | None, signer_file: Path | None, from_number: int | None
) -> None:
    """Check every line of a log against the table's key.

    LOG is the host's log, a file of records, or a journal's folder. With checkpoints, a missing end is found as
    well. The exit status is 0 only if all is whole.
    """
    if from_number is not None and checkpoint_file is None:
        raise click.ClickException("--from needs --checkpoints, where the place to begin is signed")
    with click_errors(KeyFileError, BadCheckpoint, NotALog):
        key = read_table_key(key_file)
        checkpoints = signed_checkpoints(checkpoint_file, signer_file, key.table)
        opened = open_log(log, key.sealer, key.table)
    start = start_at(checkpoints, from_number) if from_number is not None else None
    verdict = check(opened, key, checkpoints, start)
    report(verdict, key.table, bool(checkpoints), opened.growing)


def signed_checkpoints(file: Path | None, signer_file: Path | None, table: str) -> list[Checkpoint]:
    if file and signer_file:
        return read_checkpoints(file, table, read_public(signer_file))
    if file or signer_file:
        raise click.ClickException("--checkpoints and --signer go together: one is checked with the other")
    return []


def start_at(checkpoints: list[Checkpoint], number: int) -> tuple[int, bytes]:
    for checkpoint in checkpoints:
        if checkpoint.number == number:
            return checkpoint.number, checkpoint.seal
    there = ", ".join(str(checkpoint.number) for checkpoint in checkpoints[-8:]) or "none"
    raise click.ClickException(f"no checkpoint at record {number}; the last ones are at {there}")


def report(verdict: Verdict, table: str, has_checkpoints: bool, growing: int) -> None:
    console = make_console()
    for one in verdict.breaks:
        console.print(escape(str(one)), soft_wrap=True)
    if growing:
        console.print(f"{growing} bytes at the end are a line that is still being written", soft_wrap=True)
    checked = max(verdict.last - verdict.first + 1, 0)
    if verdict.breaks:
        count = len(verdict.breaks)
        places = "1 place is" if count == 1 else f"{count} places are"
        console.print(f"table {table}: NOT whole; {places} wrong", soft_wrap=True)
        raise SystemExit(1)
    beyond = f"; checkpoints passed: {verdict.checkpoints}" if has_checkpoints else ""
    what = f"records {verdict.first} to {verdict.last}" if checked else "no records"
    console.print(f"table {table}: whole; {what}{beyond}", soft_wrap=True)
    if has_checkpoints and not verdict.checkpoints:
        console.print("No checkpoint lies in what was checked, so none of it is signed yet.", style="dim")
    if not has_checkpoints:
        console.print("Without checkpoints nobody can tell whether the end was cut off.", style="dim")


@click.command("checkpoint")
@LOG
@KEY
@click.option("--signer", "signer_file", required=True, type=PATH, help="The signing key's file.")
@click.option(
    "--checkpoints", "checkpoint_file", required=True, type=PATH, help="Where the signed checkpoints are kept."
)
def checkpoint_command(log: Path, key_file: Path, signer_file: Path, checkpoint_file: Path) -> None:
    """Check a log and sign where it ends now.

    A LOG that is not whole is not signed."""
    with click_errors(KeyFileError, BadCheckpoint, NotALog):
        key = read_table_key(key_file)
        book = CheckpointBook(checkpoint_file, key.table, read_signer(signer_file))
        verdict = check(open_log(log, key.sealer, key.table), key, book.all, None)
        if not verdict.is_whole:
            report(verdict, key.table, True, 0)
        signed = book.sign(verdict.last, verdict.seal, int(time.time()))
    click.echo(f"checkpoint {signed.serial}: table {key.table}, record {signed.number}")
