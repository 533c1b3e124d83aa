"""`felt odds`: what every wager is worth, counted exactly over all pairs of hands."""

import json
from fractions import Fraction
from types import ModuleType
from typing import Any

import click
from rich.console import Console

from host.commands.arguments import BookArgument
from host.rules import odds as counting
from host.rules.catalogue import all_books, all_wagers, is_progressive
from host.rules.odds import HANDS, PAIRS, Strategy, WagerOdds, order_digest
from host.terminal import make_console, make_table, slow_progress
from host.words.hand_names import hand_counts, hand_name
from host.words.money import odds_text
from shared.rules.settlement import MAIN


def edge_of(book: ModuleType, odds: WagerOdds) -> str:
    """What the edge is a share of."""
    main = book.WAGERS[MAIN].name
    if odds.parts:
        *others, last = [name.replace("_", " ") for name in odds.parts]
        return f"the {main}, for {', '.join(others)} and {last} together"
    wager = next(wager for wager in all_wagers(book) if wager.name == odds.wager)
    if wager.on_decision:
        return f"the {wager.name} wagers made"
    if wager is book.BONUS:
        return f"the {main}"
    return "the stake, envy bonus not counted" if is_progressive(wager) and book.envy else "the stake"


def percent(share: Fraction, places: int = 4) -> str:
    """A share in per cent, rounded half up from the exact fraction."""
    scaled = abs(share) * 100 * 10**places
    digits = str((2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)).rjust(places + 1, "0")
    return f"{'-' if share < 0 else ''}{digits[:-places]}.{digits[-places:]} %"


def as_json(book: ModuleType, odds: WagerOdds, strategy: Strategy | None) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "game": odds.game,
        "wager": odds.wager,
        "lines": [
            {"line": line.key, "pays": odds_text(line.num, line.den), "count": count}
            for line, count in odds.lines
        ],
        "pairs": PAIRS,
        "edge": None if odds.edge is None else f"{odds.edge.numerator}/{odds.edge.denominator}",
    }
    if odds.parts:
        entry["parts"] = {name: f"{part.numerator}/{part.denominator}" for name, part in odds.parts.items()}
    if strategy:
        entry["strategy"] = strategy_json(book, strategy)
    return entry


def strategy_json(book: ModuleType, strategy: Strategy) -> dict[str, Any]:
    return {
        "play_from": hand_name(book, strategy.lowest).full,
        "played_hands": sum(strategy.played),
        "exceptions": strategy.exceptions,
        "hands": len(HANDS),
        "dealer_qualifies": qualifying_hands(book),
        "order_md5": order_digest(book),
    }


def qualifying_hands(book: ModuleType) -> int:
    """With how many hands the dealer qualifies; all of them in a book where he need not."""
    counts = hand_counts(book).items()
    return sum(count for value, count in counts if not book.qualifies or book.qualifies(value))


def hands_json(book: ModuleType) -> list[dict[str, Any]]:
    return [
        {
            "game": book.ID,
            "hand": hand_name(book, value).full,
            "value": value,
            "count": count,
            "hands": len(HANDS),
        }
        for value, count in hand_counts(book).items()
    ]


def print_odds(console: Console, book: ModuleType, odds: WagerOdds) -> None:
    title = f"[bold]{book.TITLE}[/] · {odds.wager}"
    table = make_table(("line", "pays", "pairs of hands", "share"), "<<>>", title=title)
    table.columns[0].min_width, table.columns[1].min_width = 22, 19
    for line, count in odds.lines:
        share = percent(Fraction(count, PAIRS))
        table.add_row(
            line.key.replace("-", " "), odds_text(line.num, line.den) or line.result, f"{count:,}", share
        )
    table.add_section()
    table.add_row("all", "", f"{PAIRS:,}", percent(Fraction(1)))
    console.print(table)
    if odds.edge is None:
        console.print("  house edge depends on stake and meter: give --stake and --meter in cents")
        return
    fraction = f"{odds.edge.numerator}/{odds.edge.denominator}"
    console.print(f"  house edge [bold]{fraction} = {percent(odds.edge)}[/] of {edge_of(book, odds)}")


def print_parts(console: Console, odds: WagerOdds) -> None:
    console.print(f"  for each unit of {odds.wager}, with best play:")
    for name, part in odds.parts.items():
        console.print(f"    {name:<12} {percent(part):>12}")


def print_strategy(console: Console, book: ModuleType, strategy: Strategy) -> None:
    rule = f"play [bold]{hand_name(book, strategy.lowest).full}[/] or better, fold the rest"
    if strategy.exceptions:
        rule += f" (but for {strategy.exceptions} hands)"
    console.print(f"  best play: {rule}")
    console.print(f"  that plays {sum(strategy.played):,} of {len(HANDS):,} hands")
    console.print(f"  the dealer qualifies with {qualifying_hands(book):,} of {len(HANDS):,} hands")


def print_hands(console: Console, book: ModuleType) -> None:
    """How many hands there are of each entry in the book's ranking list."""
    title = f"[bold]{book.TITLE}[/] · hands ({book.RANKING})"
    table = make_table(("hand", "count", "share"), "<>>", title=title)
    named: dict[str, int] = {}
    for value, count in hand_counts(book).items():
        name = hand_name(book, value).entry
        named[name] = named.get(name, 0) + count
    for name, count in named.items():
        table.add_row(name, f"{count:,}", percent(Fraction(count, len(HANDS))))
    console.print(table)
    console.print(f"order of all {len(HANDS):,} hands, MD5: {order_digest(book)}")


@click.command("odds")
@click.argument("game", type=BookArgument(), required=False)
@click.option("--wager", help="Only this wager.")
@click.option("--stake", type=click.IntRange(min=1), help="Stake of a progressive wager, in cents.")
@click.option("--meter", type=click.IntRange(min=0), help="Jackpot meter, in cents.")
@click.option("--hands", is_flag=True, help="How many hands there are of each rank, instead.")
@click.option("--json", "json_output", is_flag=True, help="Print JSON.")
def odds_command(
    game: ModuleType | None,
    wager: str | None,
    stake: int | None,
    meter: int | None,
    hands: bool,
    json_output: bool,
) -> None:
    """Count the exact odds and house edge of every wager.

    They are the wagers of GAME, or of all games."""
    books = [game] if game else all_books()
    console = make_console()
    if (stake is None) != (meter is None):
        raise click.UsageError("--stake and --meter go together: both price a progressive wager")
    if hands:
        if wager or stake:
            raise click.UsageError("--hands counts hands and takes no --wager, --stake or --meter")
        if json_output:
            click.echo(json.dumps([entry for book in books for entry in hands_json(book)], indent=1))
            return
        for book in books:
            print_hands(console, book)
        return

    names = {one.name for book in books for one in all_wagers(book)}
    if wager is not None and wager not in names:
        choice = ", ".join(sorted(names))
        raise click.BadParameter(f"there is no wager {wager!r}; choose one of: {choice}", param_hint="--wager")
    books = [book for book in books if wager is None or wager in {one.name for one in all_wagers(book)}]
    found: list[tuple[ModuleType, WagerOdds, Strategy | None]] = []
    with slow_progress(sum(len(counting.wagers_to_count(book, wager)) + 2 for book in books)) as step:
        for book in books:
            step(f"{book.ID}: best strategy")
            strategy = counting.best_strategy(book) if counting.decided_wagers(book) else None
            odds_of_book = counting.book_odds(book, wager, stake, meter, step, strategy)
            found += [(book, odds, strategy if odds.parts else None) for odds in odds_of_book]

    if json_output:
        click.echo(json.dumps([as_json(*one) for one in found], indent=1))
        return
    for book, odds, strategy in found:
        print_odds(console, book, odds)
        if strategy:
            print_parts(console, odds)
            print_strategy(console, book, strategy)
        console.print()
