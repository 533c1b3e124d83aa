"""Arguments and options that several commands take, and how they report what went wrong."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import click

LOG = click.argument("log", type=click.Path(path_type=Path))
KEY = click.option(
    "--key", "key_file", required=True, type=click.Path(path_type=Path), help="The table's key file."
)
CHECKPOINTS = click.option(
    "--checkpoints", "checkpoint_file", type=click.Path(path_type=Path), help="The signed checkpoints."
)
SIGNER = click.option("--signer", "signer_file", type=click.Path(path_type=Path), help="The signer's public key.")


@contextmanager
def click_errors(*kinds: type[Exception]) -> Iterator[None]:
    """These errors end the command with their text on one line and exit status 1."""
    try:
        yield
    except kinds as problem:
        raise click.ClickException(str(problem)) from None


def refuse_half_checkpoints(checkpoint_file: Path | None, signer_file: Path | None) -> None:
    if (checkpoint_file is None) != (signer_file is None):
        raise click.ClickException("--checkpoints and --signer go together: one is checked with the other")


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
