"""`felt rescue`: saves a table's journal from the raw flash of its Pico, also if the filesystem there is gone."""

from pathlib import Path

import click

from host.commands.arguments import FOLDER, PATH, click_errors
from host.commands.flash import byte_progress
from host.keys import KeyFileError, TableKey, read_table_key
from host.log.schema import NotALog
from host.pico.deploy import DeployError
from host.pico.mpremote_port import open_device
from host.pico.rescue import Checked, check_folder, check_saved, find_ring, leave_mark, read_segments, save
from host.pico.serial_ports import PortError, find_port


@click.command("rescue")
@click.argument("folder", type=FOLDER)
@click.option("--port", help="The Pico's serial port; by default the only Pico that is plugged in.")
@click.option("--key", "key_file", type=PATH, help="The table's key file, to verify what was saved.")
def rescue_command(folder: Path, port: str | None, key_file: Path | None) -> None:
    """Save the records of a Pico that lost its filesystem.

    It reads the raw flash, so it works where only MicroPython's prompt answers, and also at the open console of a
    table. FOLDER, which must be new or empty, is then a journal for `felt verify` and `felt log import`. The Pico
    gets a mark by which `felt flash` knows that its records are safe, and is not changed otherwise.
    """
    with click_errors(DeployError, KeyFileError, NotALog, PortError):
        key = read_table_key(key_file) if key_file else None
        check_folder(folder)
        port = port or find_port()
        with open_device(port) as device:
            ring = find_ring(device, device.survey(()).files)
            size = 0
            if ring:
                size = save(read_segments(device, ring, byte_progress), folder)
                if not ring.has_map:
                    leave_mark(device, ring)
            device.restart()
        if not ring:
            raise PortError("pico.no_ring", port=port)
        checked = check_saved(folder, key) if key else None
    report(folder, len(ring.blocks), size, key, checked)
    if not ring.has_map:
        click.echo("the Pico is marked as rescued; felt flash --replace TABLE.toml puts the table back")
    if checked and checked.problem:
        raise SystemExit(1)


def report(folder: Path, count: int, size: int, key: TableKey | None, checked: Checked | None) -> None:
    segments = "1 segment" if count == 1 else f"{count} segments"
    click.echo(f"{folder}: {segments} of the journal, {size:,} bytes")
    if not key or not checked:
        click.echo(f"not verified yet: `felt verify {folder} --key KEY` does that with the table's key")
        return
    if checked.problem:
        click.echo(f"table {key.table}: NOT whole; {checked.problem}")
        return
    last = f"; the last round is {checked.round}" if checked.round else ""
    click.echo(f"table {key.table}: whole; records {checked.first} to {checked.last}{last}")
    click.echo(f"`felt log import {folder} LOG --key KEY` adds what the host's log lacks")
