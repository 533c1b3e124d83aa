"""Arguments and options that several commands take, and how they report what went wrong."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import click

PATH = click.Path(path_type=Path)


class LogPath(click.ParamType):
    """A log, or the log of the table whose file is given."""

    name = "log"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(value)
        return log_of_table(path) if path.suffix == ".toml" and path.is_file() else path


def log_of_table(file: Path) -> Path:
    """Only the log's name is read: checking the whole file takes longer than most that is asked of a log."""
    import tomllib

    try:
        named = tomllib.loads(file.read_text(encoding="utf-8")).get("log", {}).get("file")
    except (OSError, ValueError, AttributeError):
        named = None
    if not isinstance(named, str):
        raise click.ClickException(f"{file} names no log; `felt check {file}` says what is wrong with it")
    return file.parent / named


FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
LOG = click.argument("log", type=LogPath())
KEY = click.option("--key", "key_file", required=True, type=PATH, help="The table's key file.")
CHECKPOINTS = click.option("--checkpoints", "checkpoint_file", type=PATH, help="The signed checkpoints.")
SIGNER = click.option("--signer", "signer_file", type=PATH, help="The signer's public key.")


@contextmanager
def click_errors(*kinds: type[Exception]) -> Iterator[None]:
    """These errors end the command with their words on one line and exit status 1."""
    try:
        yield
    except kinds as problem:
        raise click.ClickException(str(problem)) from None


class BookArgument(click.ParamType):
    """A rulebook by its id, or by a part of its id or title that fits no other."""

    name = "game"

    def convert(
        self, value: str | ModuleType, param: click.Parameter | None, ctx: click.Context | None
    ) -> ModuleType:
        from host.rules.catalogue import find_book  # `felt log` needs no rulebook to begin with

        if isinstance(value, ModuleType):
            return value
        try:
            return find_book(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class FiniteRange(click.FloatRange):
    """A number within bounds. To click, "nan" is within any: it compares as neither less nor more."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number
