"""`felt display`: pictures of the LED results display in every state of every game."""

from pathlib import Path
from types import ModuleType

import click

from host.books import all_books
from host.commands.arguments import BookArgument
from host.display.gallery import contact_sheet, poster, strip
from host.display.leds import png_bytes
from host.display.picture import SIZES
from host.display.scenes import scenes
from host.display.sinks import write_whole
from host.progress import slow_progress

SCALE = 6


@click.group("display")
def display_command() -> None:
    """The LED results display."""


@display_command.command("gallery")
@click.argument("game", type=BookArgument(), required=False)
@click.option(
    "-o",
    "--output",
    "folder",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder to write into; it is made if it is not there.",
)
@click.option(
    "--raw",
    is_flag=True,
    help="One strip a game and size, a pixel for each LED: what the tests compare with.",
)
def gallery_command(game: ModuleType | None, folder: Path, raw: bool) -> None:
    """Draw the display in every state of GAME, or of every game, at both sizes, from rounds played for it.

    gallery.png shows all of them; the folders of the games hold each by itself, with every page that it turns to.
    """
    books = [game] if game else all_books()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        count = write_strips(folder, books) if raw else write_gallery(folder, books)
    except OSError as error:
        raise click.ClickException(f"cannot write into {folder}: {error.strerror or error}") from None
    click.echo(f"{folder}: {count} pictures")


def write_strips(folder: Path, books: list[ModuleType]) -> int:
    count = 0
    for book in books:
        for size in SIZES:
            write_whole(folder / strip_name(book.ID, size), png_bytes(strip(book, size)))
            count += 1
    return count


def strip_name(game: str, size: tuple[int, int]) -> str:
    return f"{game}-{size[0]}x{size[1]}.png"


def write_gallery(folder: Path, books: list[ModuleType]) -> int:
    count = 1
    with slow_progress(len(books) + 1) as step:
        step("gallery.png")
        write_whole(folder / "gallery.png", png_bytes(contact_sheet(books)))
        for book in books:
            step(book.TITLE)
            (folder / book.ID).mkdir(exist_ok=True)
            for place, scene in enumerate(scenes(book), 1):
                name = scene.name.replace(",", "").replace(" ", "-")
                for size in SIZES:
                    path = folder / book.ID / f"{place:02d}-{name}-{size[0]}x{size[1]}.png"
                    write_whole(path, png_bytes(poster(scene.view, size, SCALE)))
                    count += 1
    return count
