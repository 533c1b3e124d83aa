"""Arguments that several commands take."""

import math
from types import ModuleType
from typing import Any

import click

from host.rules.catalogue import find_book


class BookArgument(click.ParamType):
    """A rulebook by its id, or by a part of its id or title that fits no other."""

    name = "game"

    def convert(
        self, value: str | ModuleType, param: click.Parameter | None, ctx: click.Context | None
    ) -> ModuleType:
        if isinstance(value, ModuleType):
            return value
        try:
            return find_book(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class FiniteRange(click.FloatRange):
    """A number within bounds; "nan" is within all of them for click, as it is less and more than nothing."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is no number.", param, ctx)
        return number
