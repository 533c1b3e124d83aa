"""Arguments that several commands take."""

from types import ModuleType

import click

from host.books import find_book


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
