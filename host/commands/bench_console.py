"""`felt bench console`: a table by hand, one key for each thing that can happen."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from host.bench.console.console import QUIT, Console
from host.bench.console.keyboard import Keyboard, open_keyboard
from host.bench.console.panel import open_panel
from host.bench.firmware_target import FirmwareTarget
from host.bench.outcomes import Broken, CannotPlay
from host.bench.scenario import BadScenario, read_scenario
from host.bench.targets import TARGETS, Places
from host.commands.arguments import BookArgument
from host.commands.bench_options import (
    FIRMWARE,
    MICROPYTHON,
    PORT,
    RIG_PORT,
    SEED,
    SetUpError,
    firmware_or_say,
    open_targets,
    set_up_errors,
)
from host.config.template import DEFAULT_PROGRESSIVE
from host.display.display import Display
from host.rules.catalogue import book_ids, progressive_place

BOXES = 2


class TableArgument(click.ParamType):
    """A rulebook, for a plain table, or a scenario file, for its table."""

    name = "game"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, Any]:
        if str(value).endswith(".toml"):
            with set_up_errors(BadScenario):
                return read_scenario(Path(value)).config
        return plain_table(BookArgument().convert(value, param, ctx))


def plain_table(book: ModuleType) -> dict[str, Any]:
    config: dict[str, Any] = {"game": book.ID, "boxes": BOXES}
    if progressive_place(book) is not None:
        config["progressive"] = dict(DEFAULT_PROGRESSIVE)
    return config


@click.command("console")
@click.argument("table", metavar="[GAME|SCENARIO.toml]", type=TableArgument(), default=lambda: book_ids()[0])
@click.option(
    "--target", "name", type=click.Choice(TARGETS), default="core", show_default=True, help="What to play on."
)
@FIRMWARE
@MICROPYTHON
@RIG_PORT
@PORT
@SEED
@click.option("--picture/--no-picture", default=True, help="Draw the LED display.")
def console_command(
    table: dict[str, Any],
    name: str,
    firmware: str | None,
    image: Path | None,
    rig_port: str | None,
    port: str | None,
    seed: int,
    picture: bool,
) -> None:
    """Play a table by hand: one key for each thing that can happen.

    The table is a plain one of GAME with two boxes, or that of a scenario file. Records are told in words, and
    the LED display is drawn as it goes. Press ? for the keys. Where input is no terminal, each line is a key and
    what is typed after it. The exit status is 1 if the table did otherwise than the rules here.
    """
    if sys.stdin is None or sys.stdout is None:
        raise click.ClickException("standard input or output is closed; the console needs both")
    places = Places(image, rig_port, port)
    (target,) = open_targets((name,), firmware_or_say((name,), firmware), seed, places)
    sink, size = open_panel(sys.stdout, click.echo, picture)
    console = Console(target, table, click.echo, Display(sink, size), seed)

    def idle() -> None:
        if isinstance(target, FirmwareTarget) and target.picos.is_live:
            console.look()

    try:
        with open_keyboard(idle) as keyboard:
            console.start()
            play(console, keyboard)
    except KeyboardInterrupt:
        pass  # the way out, as the key for it
    except (Broken, CannotPlay) as problem:
        raise SetUpError(str(problem)) from None
    finally:
        console.display.close()
        target.close()
    if console.problems:
        raise click.exceptions.Exit(1)


def play(console: Console, keyboard: Keyboard) -> None:
    """Until the input ends, or somebody quits."""
    while True:
        key = keyboard.key()
        if key is None or key == QUIT:
            return
        typed = keyboard.words(console.prompt(key))
        if typed is None:
            click.echo("nothing happened")
        else:
            console.press(key, typed)
