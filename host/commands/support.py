"""`felt support`: writes one file for the people who help with a table, without keys and PINs."""

import time
from pathlib import Path

import click

from host.commands.arguments import FILE, PATH
from host.commands.doctor import writable
from host.doctor.findings import read_subject
from host.doctor.support import RECORDS, SupportRefused, default_name, support_file, there_already, write_support


@click.command("support")
@click.argument("file", metavar="TABLE", type=FILE)
@click.option("-o", "--output", type=PATH, help="The file to write; by default felt-support-... here.")
@click.option(
    "--records",
    type=click.IntRange(0, 1_000_000),
    default=RECORDS,
    show_default=True,
    help="How many of the log's last records.",
)
@click.option("--without", multiple=True, metavar="PART", help="Leave a part out, such as rounds.txt.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
def support_command(file: Path, output: Path | None, records: int, without: tuple[str, ...], force: bool) -> None:
    """Write a file for the people who help you with a table.

    TABLE is the table's file. The new file holds versions, the configuration, the findings of `felt doctor`, the
    last records, faults and notices. It holds no keys, PINs or hashes of PINs.
    """
    now = time.time()
    path = output or Path(default_name(read_subject(file).name, now))
    try:
        if path.is_dir():
            raise SupportRefused(f"{path} is a folder; name a file in it with -o")
        if path.exists() and not force:
            raise SupportRefused(there_already(path))
        content = support_file(file, records, now, without)
        write_support(path, content, force)
    except SupportRefused as refused:
        raise click.ClickException(writable(str(refused))) from None
    click.echo(writable(f"{path}: {len(content):,} bytes, no key and no PIN in it"))
    click.echo(
        "Send it to the people who help you. It names staff, players and stakes, so send it to nobody else."
    )
