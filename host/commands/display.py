"""`felt display`: tries a display out, and draws it in every state of every game."""

import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from host.commands.arguments import FOLDER, BookArgument, FiniteRange
from host.config.checks import check_display
from host.config.fields import SECTIONS, typed
from host.config.problems import Findings, read_fields
from host.config.toml_positions import Layout
from host.display.config import KINDS, open_sink
from host.display.leds import png_bytes
from host.display.picture import SIZES
from host.display.sinks import DisplayFailed
from host.files import write_whole
from host.rules.catalogue import all_books
from host.simulator.gallery import contact_sheet, poster, sampler, scene_pages, strip
from host.simulator.scenes import scenes
from host.terminal import slow_progress
from host.words.config import problem_words

SCALE = 6


@click.group("display")
def display_command() -> None:
    """Try out the LED results display."""


@display_command.command("show")
@click.argument("game", type=BookArgument())
@click.option("--scene", help="Only this one, such as settled; by default all, one after the other.")
@click.option(
    "--kind", type=click.Choice(KINDS), default="terminal", show_default=True, help="What to show it on."
)
@click.option("--size", default="64x32", show_default=True, help="64x32 or 128x32.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Another setting of the display.")
@click.option("--seconds", type=FiniteRange(0, 60), default=2.5, show_default=True, help="For each page.")
def show_command(
    game: ModuleType, scene: str | None, kind: str, size: str, settings: tuple[str, ...], seconds: float
) -> None:
    """Show scenes of GAME on a display.

    They show whether it is wired and set as it should be."""
    given: dict[str, Any] = {"kind": kind, "size": size}
    for setting in settings:  # rotate=90 or rows=zigzag
        name, _, value = setting.partition("=")
        given[name] = typed(value)
    findings = Findings(Layout(""))
    config = check_display(read_fields(("display",), given, SECTIONS["display"], findings), Path(), findings)
    if config is None:
        raise click.ClickException("; ".join(map(problem_words, findings.problems)))
    known = list(scenes(game))
    chosen = [one for one in known if scene in (None, one.name)]
    if not chosen:
        raise click.ClickException(
            f"there is no scene {scene!r}; there are: {', '.join(one.name for one in known)}"
        )
    try:
        sink = open_sink(config, sys.stdout)
        try:
            for one in chosen:
                for page in scene_pages(one.view, config.pixels()):
                    sink.show(page)
                    time.sleep(seconds)
        finally:
            sink.close()
    except DisplayFailed as failure:
        raise click.ClickException(str(failure)) from None


@display_command.command("gallery")
@click.argument("game", type=BookArgument(), required=False)
@click.option(
    "-o", "--output", "folder", required=True, type=FOLDER, help="The folder to write; made if missing."
)
@click.option(
    "--raw", is_flag=True, help="A strip for each game and size, a pixel for each LED, as tests need it."
)
def gallery_command(game: ModuleType | None, folder: Path, raw: bool) -> None:
    """Draw the display in every state of GAME, or of every game.

    The pictures have both sizes and come from rounds that are played for them.

    gallery.png shows all of them and display.png a few; the folders of the games hold each by itself, with every
    page that it turns to.
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
    count = 2
    with slow_progress(len(books) + 1) as step:
        step("gallery.png")
        write_whole(folder / "gallery.png", png_bytes(contact_sheet(books)))
        write_whole(folder / "display.png", png_bytes(sampler()))
        for book in books:
            step(book.TITLE)
            (folder / book.ID).mkdir(exist_ok=True)
            for place, scene in enumerate(scenes(book), 1):
                name = scene.name.replace(" ", "-")
                for size in SIZES:
                    path = folder / book.ID / f"{place:02d}-{name}-{size[0]}x{size[1]}.png"
                    write_whole(path, png_bytes(poster(scene.view, size, SCALE)))
                    count += 1
    return count
