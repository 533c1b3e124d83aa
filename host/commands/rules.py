"""`felt rules`: every paragraph of the rulebooks, what the controller does about it, and what shows it."""

from types import ModuleType

import click
from rich.table import Table

from host.commands.arguments import BookArgument
from host.rules.coverage import SHOWN_ONLY, gaps, has_tests, named_by_tests
from host.rules.inventory import Reading, paragraphs, readings
from host.terminal import make_console, make_table

CONTROLLER_WORDS = {
    "enforce": "enforces it",
    "detect": "detects it",
    "told": "is told by staff and follows",
    "display": "shows it or leaves it to people",
}


@click.group("rules")
def rules_command() -> None:
    """Explain paragraphs of the rulebooks, and which tests show them."""


@rules_command.command("coverage")
@click.argument("game", type=BookArgument(), required=False)
def coverage_command(game: ModuleType | None) -> None:
    """Print every paragraph with the tests that name it, and the gaps."""
    if not has_tests():
        raise click.ClickException(
            "the tests are not part of an installed copy; run `felt rules coverage` in a checkout of the project"
        )
    console = make_console(min_width=110)
    named = named_by_tests()
    missing = gaps()
    rows = [row for row in paragraphs() if game is None or row.rulebook == game.ID]
    for book in dict.fromkeys(row.rulebook for row in rows):
        headings = ("paragraph", "controller", "tests", "meaning")
        table = make_table(headings, "<<>w", title=f"[bold]{book}[/]", pad_edge=False)
        for row in rows:
            if row.rulebook == book:
                tests = len(named.get((book, row.paragraph), ()))
                shown = str(tests) if tests else "–" if row.controller == SHOWN_ONLY else "NONE"
                table.add_row(row.paragraph, row.controller, shown, row.meaning)
        console.print(table)
    acted = [row for row in rows if row.controller != SHOWN_ONLY]
    lost = [row for row in missing if game is None or row.rulebook == game.ID]
    console.print(f"{len(rows)} paragraphs; {len(acted)} that the controller acts on; {len(lost)} without a test")
    for row in lost:
        console.print(f"  {row.rulebook} {row.paragraph}: {row.meaning}")
    if lost:
        raise SystemExit(1)


@rules_command.command("show")
@click.argument("game", type=BookArgument())
@click.argument("paragraph")
def show_command(game: ModuleType, paragraph: str) -> None:
    """Explain one PARAGRAPH of GAME, or a reading such as X-04."""
    console = make_console()
    known = readings()
    rows = [row for row in paragraphs() if row.rulebook == game.ID]
    row = next((row for row in rows if row.paragraph == paragraph), None)
    if row is None:
        if paragraph in known:
            table = explanation()
            add_reading(table, known[paragraph])
            console.print(table)
            return
        near = [one.paragraph for one in rows if one.paragraph.startswith(paragraph.split(".")[0])]
        raise click.ClickException(
            f"{game.ID} has no paragraph {paragraph!r}; near it are: {', '.join(near) or 'none'}"
        )
    console.print(f"[bold]{game.TITLE}[/] ({game.OPERATOR}), paragraph [bold]{row.paragraph}[/] ({row.kind})")
    table = explanation()
    table.add_row("means", row.meaning)
    table.add_row("controller", f"{CONTROLLER_WORDS[row.controller]}: {row.how}")
    for name in row.readings.split():
        add_reading(table, known[name])
    console.print(table)
    for test in named_by_tests().get((row.rulebook, row.paragraph), []):
        console.print(f"shown by   {test}", soft_wrap=True)


def explanation() -> Table:
    """Two columns: a word on the left, what it stands for on the right."""
    table = Table.grid(padding=(0, 1, 0, 1))
    table.add_column(width=10, no_wrap=True)
    table.add_column()
    return table


def add_reading(table: Table, reading: Reading) -> None:
    table.add_row("reading", f"[bold]{reading.id}[/] {reading.question}")
    table.add_row("", reading.reading)
    if reading.why:
        table.add_row("", f"Why: {reading.why}")
