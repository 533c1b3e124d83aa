"""`felt image` and `felt pico-image`: a whole table as one file for a blank Pico, and the MicroPython in it."""

import os
from pathlib import Path

import click

from host.commands.arguments import FILE, click_errors
from host.commands.boards import BoardName
from host.commands.flash import KEY_OPTION, TABLE_OPTION, files_text, key_choice, say_key, who
from host.keys import KeyFileError
from host.pico import images
from host.pico.boards import BoardError, find_board
from host.pico.deploy import DeployError, settle_key, table_files, with_key
from host.pico.flash_image import build_flash, flash_to_uf2
from host.pico.images import ImageError


@click.command("image")
@click.option("--board", "board_name", required=True, type=BoardName(), help="The board that it is wired as.")
@click.option(
    "--micropython", "image_file", type=FILE, help="By default the newest image that `felt pico-image` fetched."
)
@KEY_OPTION
@TABLE_OPTION
@click.option("-o", "--output", default="table.uf2", show_default=True, type=FILE, help="The file to write.")
def image_command(
    board_name: str, image_file: Path | None, key_file: Path | None, table: str | None, output: Path
) -> None:
    """Make one file of MicroPython and a table, for a blank Pico.

    It is a UF2 file, to drag onto the Pico. It brings an empty filesystem: a journal that is on the Pico is lost.
    It holds the table's key, so only its owner can read it; keep it as you keep the key, or delete it when the
    Pico has it.
    """
    choice = key_choice(key_file, table, False)
    with click_errors(BoardError, DeployError, ImageError, KeyFileError):
        board = find_board(board_name)
        source = image_file or images.newest_image(images.cache_folder())
        micropython = images.read_image(source)
        if output.exists() and output.samefile(source):
            raise ImageError(f"{output} is the MicroPython image itself; choose another name with -o")
        files = table_files(board)
        key = settle_key(None, choice, board.ROLE)
    say_key(key)
    planned = with_key(files, board.NAME, key)
    ring = {} if board.ROLE == "table" else None
    content = flash_to_uf2(build_flash(micropython, {f"/{path}": data for path, data in planned.items()}, ring))
    write_owned(output, content)
    click.echo(
        f"{output}: {who(key)}, board {board.NAME}, {source.name}; {files_text(len(planned))}, "
        f"{len(content):,} bytes"
    )


def write_owned(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, over an older one if need be."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, 0o600)
            file.write(content)
    except OSError as error:
        raise click.ClickException(f"cannot write {path}: {error.strerror}") from None


@click.command("pico-image")
@click.option("--version", default=images.USUAL, show_default=True, help=f"One of {', '.join(images.RELEASES)}.")
@click.option("--file", type=FILE, help="Check and take a downloaded file instead.")
def pico_image_command(version: str, file: Path | None) -> None:
    """Fetch MicroPython for the Pico and check it.

    It comes from micropython.org and is kept for `felt image`."""
    with click_errors(ImageError):
        if file:
            path, words = images.take_file(file, images.cache_folder()), "checked and kept"
        else:
            path, fetched = images.fetch_image(version, images.cache_folder())
            words = "fetched and checked" if fetched else "is there already, and sound"
        click.echo(f"{path}: {words}; SHA-256 {images.sha256_of(path)}")
