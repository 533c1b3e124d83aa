"""`felt rulebooks`: which books there are, and what one of them says."""

from types import ModuleType

import click
from rich.box import SIMPLE
from rich.table import Table

from host.commands.arguments import BookArgument
from host.rules.catalogue import all_books, all_wagers
from host.terminal import make_console, make_table
from host.words.hand_names import hand_counts, hand_name
from host.words.money import odds_text
from shared.rules.rulebook import NEEDS_MAIN_ON_BOX, NEEDS_NOTHING, NEEDS_OWN_MAIN, SETS_OF_THREE

NEEDS_WORDS = {
    NEEDS_NOTHING: "nothing",
    NEEDS_MAIN_ON_BOX: "anyone's {main} on the box",
    NEEDS_OWN_MAIN: "the player's own {main} on the box",
}


@click.group("rulebooks", invoke_without_command=True)
@click.pass_context
def rulebooks_command(context: click.Context) -> None:
    """List the rulebooks, or print one."""
    if context.invoked_subcommand:
        return
    table = make_table(("id", "game", "in force"), "<<<", pad_edge=False, show_edge=False)
    for book in all_books():
        table.add_row(book.ID, book.TITLE, book.EFFECTIVE[:10])
    make_console().print(table)


@rulebooks_command.command("show")
@click.argument("game", type=BookArgument())
def show_command(game: ModuleType) -> None:
    """Print wagers, pay lines, ranking and deal order of GAME.

    Each comes with the paragraph it rests on."""
    console = make_console()
    console.print(f"[bold]{game.TITLE}[/] ({game.OPERATOR})")
    console.print(f"{game.ID}: version {game.VERSION}, in force from {game.EFFECTIVE}\n")
    console.print(wagers_table(game))
    console.print(pay_lines_table(game))
    console.print(ranking_table(game))
    console.print(deals_table(game))
    console.print(
        "\nA reading says how Felt reads a gap in the text; `felt rules show GAME PARAGRAPH` explains it."
    )


def wagers_table(book: ModuleType) -> Table:
    table = make_table(("wager", "name", "needs", "paragraph"), "<<w<", title="Wagers")
    for wager in book.WAGERS:
        needs = NEEDS_WORDS[wager.needs].format(main=book.WAGERS[0].name)
        if wager.on_decision:
            needs += ", which it equals"
        table.add_row(wager.name, wager.title, needs, wager.paragraph)
    if book.BONUS:
        table.add_row(
            book.BONUS.name, book.BONUS.title, f"a pay on the {book.WAGERS[0].name}", book.BONUS.paragraph
        )
    return table


def pay_lines_table(book: ModuleType) -> Table:
    table = make_table(("wager", "result", "pays", "paragraph", "reading"), "<<<<<", title="Pay lines")
    for wager in all_wagers(book):
        lines = [*wager.lines, *([wager.unmet] if wager.unmet else [])]
        for line in lines:
            name = wager.name if line is lines[0] else ""
            pays = odds_text(line.num, line.den) or "–"
            last = line is lines[-1]
            table.add_row(name, line.result, pays, line.paragraph, line.ruling or "", end_section=last)
    return table


def ranking_table(book: ModuleType) -> Table:
    title = f"Ranking, best first ({book.RANKING})"
    table = Table(title=title, title_justify="left", min_width=30, box=SIMPLE, show_header=False)
    # Hands of one short name share a row; an entry with many ranks comes once, with its best.
    short_of: dict[str, str] = {}
    for value in hand_counts(book):
        name = hand_name(book, value)
        short_of.setdefault(name.entry, name.short)
    for short in dict.fromkeys(short_of.values()):
        table.add_row(*[entry for entry in short_of if short_of[entry] == short])
    return table


def deals_table(book: ModuleType) -> Table:
    title = "Deal: clockwise from the dealer's left, dealer last"
    table = make_table(("device", "cards", "paragraph"), "<<<", title=title)
    for deal in book.DEALS:
        how = "sets of three" if deal.cards == SETS_OF_THREE else "one at a time, three times round"
        table.add_row(deal.device, how, deal.paragraph)
    return table
