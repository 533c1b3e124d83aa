"""`felt rescue`: saves a table's journal from the raw flash of its Pico, also if the filesystem there is gone."""

from pathlib import Path

import click

from host.commands.arguments import FOLDER, PATH, click_errors
from host.commands.flash import byte_progress
from host.keys import KeyFileError, TableKey, read_table_key
from host.log.schema import NotALog
from host.pico.deploy import DeployError
from host.pico.mpremote_port import open_device
from host.pico.rescue import (
    Checked,
    FoundRing,
    check_folder,
    check_saved,
    find_ring,
    leave_mark,
    read_segments,
    save,
    segments_text,
)
from host.pico.serial_ports import PortError, find_port


@click.command("rescue")
@click.argument("folder", type=FOLDER)
@click.option("--port", help="The Pico's serial port; by default the only Pico that is plugged in.")
@click.option("--key", "key_file", type=PATH, help="The table's key file, to verify what was saved.")
@click.option(
    "--as-it-is",
    is_flag=True,
    help="Mark the Pico though what was saved is not whole, not verified or not in the log.",
)
def rescue_command(folder: Path, port: str | None, key_file: Path | None, as_it_is: bool) -> None:
    """Save the records of a Pico that lost its filesystem.

    It reads the raw flash, so it works where only MicroPython's prompt answers, and also at the open console of a
    table. FOLDER, which must be new or empty, is then a journal for `felt verify` and `felt log import`. If what
    was saved is whole, the Pico gets a mark by which `felt flash` knows that its records are safe. It is not
    changed otherwise.
    """
    with click_errors(DeployError, KeyFileError, NotALog, PortError):
        key = read_table_key(key_file) if key_file else None
        check_folder(folder)
        port = port or find_port()
        with open_device(port) as device:
            ring = find_ring(device, device.survey(()).files)
            if not ring:
                device.restart()
                raise PortError("pico.no_ring", port=port)
            size = save(read_segments(device, ring, byte_progress), folder)
            checked = check_saved(folder, key) if key else None
            is_whole = checked is not None and not checked.problem
            # What is not on this disk as it was sealed may still be had from the flash.
            if not ring.has_map and (is_whole or as_it_is):
                leave_mark(device, ring, as_it_is)
            device.restart()
    report(folder, ring, size, key, checked)
    if not ring.has_map:
        say_mark(is_whole, as_it_is)
    if checked and checked.problem:
        raise SystemExit(1)


def say_mark(is_whole: bool, as_it_is: bool) -> None:
    if is_whole or as_it_is:
        click.echo("the Pico is marked as rescued")
        click.echo("with all of it in the log, felt flash --replace TABLE.toml puts the table back")
        return
    click.echo("the Pico is not marked as rescued, so felt flash leaves it alone")
    click.echo(
        "rescue it again, into another folder and with the table's key; --as-it-is gives up the rest of it"
    )


def report(folder: Path, ring: FoundRing, size: int, key: TableKey | None, checked: Checked | None) -> None:
    click.echo(f"{folder}: {segments_text(ring)} of the journal, {size:,} bytes")
    if not key or not checked:
        click.echo(f"not verified yet: `felt verify {folder} --key KEY` does that with the table's key")
        return
    if checked.problem:
        click.echo(f"table {key.table}: NOT whole; {checked.problem}")
        return
    last = f"; the last round is {checked.round}" if checked.round else ""
    click.echo(f"table {key.table}: whole; records {checked.first} to {checked.last}{last}")
    click.echo(f"`felt log import {folder} LOG --key KEY` adds what the host's log lacks")
