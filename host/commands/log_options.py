"""Options that several commands about a log take: which rounds, from when to when."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from host.commands.arguments import click_errors
from host.log.reading import LogReader
from host.log.schema import NotALog
from host.review.ask import ANY_WORD, NoSuchValue, fitted
from host.review.filters import ANY, RoundFilter
from host.review.rounds import RoundIndex
from host.review.times import BadTime, read_time
from host.words.money import BadAmount, read_money

PAGE = 20
MOST_A_PAGE = 100_000
COUNT = click.option("--count", "count_only", is_flag=True, help="Only how many there are.")
Function = Callable[..., Any]
Option = Callable[[Function], Function]


class Moment(click.ParamType):
    """A time as `read_time` takes it."""

    name = "time"

    def __init__(self, is_end: bool) -> None:
        self.is_end = is_end

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return value if isinstance(value, int) else read_time(value, datetime.now(), self.is_end)
        except BadTime as problem:
            self.fail(str(problem), param, ctx)


class Amount(click.ParamType):
    name = "amount"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return value if isinstance(value, int) else read_money(value)
        except BadAmount as problem:
            self.fail(str(problem), param, ctx)


def added(options: list[Option]) -> Option:
    """All of these options, in their order."""

    def add(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return add


TIMES = added(
    [
        click.option("--since", type=Moment(False), help="From this time on, such as 2026-09-21 or 14:30 or 2h."),
        click.option("--until", type=Moment(True), help="Up to this time, a day or minute being the last."),
    ]
)
ROUNDS = added(
    [
        TIMES,
        click.option("--game", help="A rulebook's id or title, or a part of either."),
        click.option("--box", type=click.IntRange(0, 999), help="A box that took part; 0 is the dealer."),
        click.option("--player", help="A player who took part."),
        click.option("--card", help="A card that lay there, such as KS; with --box in that hand."),
        click.option("--hand", help="A hand that was shown, by its name; with --box that of the box."),
        click.option("--wager", help="A wager that was laid, also with --box and --player."),
        click.option("--result", help="How a wager ended: win, lose, push or returned."),
        click.option("--over", type=Amount(), help="A single bet or payment of more than this; of --wager."),
        click.option("--void", is_flag=True, help="Rounds that were void."),
        click.option("--irregular", metavar="KIND", help=f"What was out of the ordinary, or `{ANY_WORD}`."),
        click.option("--fault", is_flag=True, help="Rounds with a fault of the table."),
        click.option("--refused", is_flag=True, help="Rounds in which something was refused."),
        click.option("--code", help="Only this code of a fault or refusal."),
        click.option("--staff", help="Somebody who gave a command, by name."),
        click.option("--post", help="A post that acted."),
    ]
)
PAGED = added(
    [
        click.option(
            "--rows", type=click.IntRange(1, MOST_A_PAGE), default=PAGE, show_default=True, help="A page."
        ),
        click.option("--page", type=click.IntRange(1), default=1, help="Which page, the newest being 1."),
    ]
)


def as_filter(options: dict[str, Any]) -> RoundFilter:
    """What the options of ROUNDS ask for."""
    options = dict(options)
    code = options.pop("code")
    named = {name: options.pop(name) for name in ("fault", "refused")}
    if code is not None and not any(named.values()):
        raise click.UsageError("--code goes with --fault or --refused")
    counted = {name: code or ANY for name, is_asked in named.items() if is_asked}
    void = options.pop("void") or None
    rest = ("since", "until", "game", "box", "player", "card", "hand", "wager", "result", "over", "irregular")
    return RoundFilter(void=void, **counted, **{name: options.pop(name) for name in (*rest, "staff", "post")})


@contextmanager
def progress_if_slow() -> Iterator[Callable[[int, int], None]]:
    """A bar for records that are read first; what draws it is loaded only if there are any."""
    with ExitStack() as stack:
        made: list[Callable[[int, int], None]] = []

        def tell(done: int, last: int) -> None:
            if not made:
                from host.terminal import record_progress

                made.append(stack.enter_context(record_progress()))
            made[0](done, last)

        yield tell


@contextmanager
def looking(path: Path) -> Iterator[RoundIndex]:
    """The log with what lists need of it; what goes wrong is one line for people."""
    with click_errors(NotALog, NoSuchValue), LogReader(path) as log, progress_if_slow() as progress:
        yield RoundIndex(log, progress)


def fitted_or_say(index: RoundIndex, options: dict[str, Any]) -> RoundFilter:
    return fitted(index, as_filter(options))
