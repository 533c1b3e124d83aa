"""`felt odds`: what every wager is worth, counted exactly over all pairs of hands."""

import json
from fractions import Fraction
from types import ModuleType
from typing import Any

import click
from rich.console import Console

from host.commands.arguments import BookArgument
from host.rules import odds as counting
from host.rules.catalogue import all_books, all_wagers
from host.rules.hand_names import is_poker, rank_name
from host.rules.odds import HANDS, PAIRS, Strategy, WagerOdds, hand_counts, order_digest
from host.terminal import make_console, make_table, slow_progress
from host.words.money import odds_text
from shared.rules import poker

# What the edge is a share of, where that is not plainly the stake.
EDGE_OF = {
    "ante": "the ante, for ante, play and ante bonus together",
    "play": "the play wagers made",
    "ante_bonus": "the ante",
    "progressive": "the stake, envy bonus not counted",
}


def percent(share: Fraction, places: int = 4) -> str:
    """A share in per cent, rounded half up from the exact fraction."""
    scaled = abs(share) * 100 * 10**places
    digits = str((2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)).rjust(places + 1, "0")
    return f"{'-' if share < 0 else ''}{digits[:-places]}.{digits[-places:]} %"


def as_json(book: ModuleType, odds: WagerOdds, strategy: Strategy | None) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "game": odds.game,
        "wager": odds.wager,
        "lines": [{"line": line.key, "pays": odds_text(line), "count": count} for line, count in odds.lines],
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
        "play_from": rank_name(book, strategy.lowest),
        "played_hands": sum(strategy.played),
        "exceptions": strategy.exceptions,
        "hands": len(HANDS),
        "dealer_qualifies": sum(count for value, count in hand_counts(book).items() if book.qualifies(value)),
        "order_md5": order_digest(book),
    }


def hands_json(book: ModuleType) -> list[dict[str, Any]]:
    return [
        {"game": book.ID, "hand": rank_name(book, value), "value": value, "count": count, "hands": len(HANDS)}
        for value, count in hand_counts(book).items()
    ]


def print_odds(console: Console, odds: WagerOdds, title: str) -> None:
    table = make_table("line", "pays", ">pairs of hands", ">share", title=f"[bold]{title}[/] · {odds.wager}")
    table.columns[0].min_width, table.columns[1].min_width = 22, 19
    for line, count in odds.lines:
        share = percent(Fraction(count, PAIRS))
        table.add_row(line.key.replace("-", " "), odds_text(line) or line.result, f"{count:,}", share)
    table.add_section()
    table.add_row("all", "", f"{PAIRS:,}", percent(Fraction(1)))
    console.print(table)
    if odds.edge is None:
        console.print("  house edge depends on stake and meter: give --stake and --meter in cents")
        return
    fraction = f"{odds.edge.numerator}/{odds.edge.denominator}"
    console.print(
        f"  house edge [bold]{fraction} = {percent(odds.edge)}[/] of {EDGE_OF.get(odds.wager, 'the stake')}"
    )


def print_parts(console: Console, odds: WagerOdds) -> None:
    console.print(f"  for each unit of {odds.wager}, with best play:")
    for name, part in odds.parts.items():
        console.print(f"    {name:<12} {percent(part):>12}")


def print_strategy(console: Console, book: ModuleType, strategy: Strategy) -> None:
    rule = f"play [bold]{rank_name(book, strategy.lowest)}[/] or better, fold the rest"
    if strategy.exceptions:
        rule += f" (but for {strategy.exceptions} hands)"
    qualifying = sum(count for value, count in hand_counts(book).items() if book.qualifies(value))
    console.print(f"  best play: {rule}")
    console.print(f"  that plays {sum(strategy.played):,} of {len(HANDS):,} hands")
    console.print(f"  the dealer qualifies with {qualifying:,} of {len(HANDS):,} hands")


def print_hands(console: Console, book: ModuleType) -> None:
    """Hands by rank; in poker by kind, since its single ranks run to hundreds."""
    counts = hand_counts(book)
    table = make_table("hand", ">count", ">share", title=f"[bold]{book.TITLE}[/] · hands ({book.RANKING})")
    named: dict[str, int] = {}
    for value, count in counts.items():
        name = book.RANK_WORDS[poker.kind(value)] if is_poker(book) else rank_name(book, value)
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
        print_odds(console, odds, book.TITLE)
        if strategy:
            print_parts(console, odds)
            print_strategy(console, book, strategy)
        console.print()
