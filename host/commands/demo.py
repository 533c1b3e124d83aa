"""`felt demo`: deals a few rounds of each game, settles them and draws them in the terminal."""

import random
import re
import shlex
from pathlib import Path
from types import ModuleType
from typing import Any

import click
from rich.console import Group
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from host.commands.arguments import BookArgument
from host.rules.catalogue import all_books, play_wager_place, progressive_place
from host.rules.settle_request import settle_request
from host.terminal import MIN_WIDTH, felt_here, make_console
from host.words.money import dollars
from host.words.records import totals
from shared.rules import cards
from shared.rules.rulebook import WIN
from shared.rules.settlement import MAIN

CHIPS = (500, 1000, 2500, 5000, 10000)
SUIT_SIGNS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
RESULT_LOOKS = {
    "win": ("▲ wins", "bold green"),
    "lose": ("▽ loses", "red"),
    "push": ("= push", "yellow"),
    "returned": ("↩ back", "cyan"),
}
METER = 8_421_750
# Player, wager, stake, result, odds, money back, paragraph: they fit a panel of 80 columns.
WIDTHS = (3, 14, 5, 7, 6, 10, 22)
RIGHT = (2, 4, 5)  # the columns of figures


def deal_round(book: ModuleType, boxes: int, dice: random.Random) -> dict[str, Any]:
    """A request for `felt settle` with random cards, and wagers as a lively table would have them."""
    deck = [cards.text(card) for card in range(cards.DECK_SIZE)]
    dice.shuffle(deck)
    entries = []
    for box in range(1, boxes + 1):
        hand, deck = deck[:3], deck[3:]
        entry = {"box": box, "player": f"P{box}", "cards": hand, "wagers": random_wagers(book, dice)}
        if play_wager_place(book) is not None:
            # A plain habit: stay in with any hand that would qualify for the dealer.
            value = book.value(*[cards.parse(word) for word in hand])
            entry["decision"] = "play" if not book.qualifies or book.qualifies(value) else "fold"
        entries.append(entry)
    if not book.PROCEDURE.one_player_a_box and dice.random() < 0.5:
        # Somebody standing behind bets on a box that is taken.
        shared_box = dice.choice(entries)
        guest = {"player": f"P{boxes + 1}", "seated": False, "wagers": random_wagers(book, dice)}
        entries.insert(entries.index(shared_box) + 1, shared_box | guest)
    return {"id": None, "game": book.ID, "boxes": entries, "dealer": deck[:3], "jackpot_meter": METER}


def random_wagers(book: ModuleType, dice: random.Random) -> dict[str, int]:
    wagers = {book.WAGERS[0].name: dice.choice(CHIPS)}
    for wager in book.WAGERS[1:]:
        if not wager.on_decision and dice.random() < 0.6:
            wagers[wager.name] = dice.choice(CHIPS[:3])
    return wagers


def card_text(words: list[str]) -> Text:
    text = Text()
    for word in words:
        colour = "red" if word[1] in "DH" else "black"
        text.append(f" {word[0].replace('T', '10')}{SUIT_SIGNS[word[1]]} ", style=f"bold {colour} on white")
        text.append(" ")
    return text


def hand_text(hand: dict[str, Any]) -> Text:
    if "folded" in hand:
        back = Text(" ░░ ", style="white on blue")
        return Text(" ").join([back, back, back]) + Text("  folded", style="dim")
    return card_text(hand["cards"]) + Text(f" {hand['name']}", style="bold")


def box_tables(book: ModuleType, answer: dict[str, Any]) -> list[Any]:
    parts: list[Any] = []
    for number in dict.fromkeys(box["box"] for box in answer["boxes"]):
        players = [box for box in answer["boxes"] if box["box"] == number]
        parts.append(Rule(style="green4"))
        parts.append(Text(f"Box {number}    ", style="bold") + hand_text(players[0]["hand"]))
        table = Table(box=None, padding=(0, 1, 0, 0), show_header=False)
        for column, width in enumerate(WIDTHS):
            table.add_column(width=width, justify="right" if column in RIGHT else "left", no_wrap=True)
        for player in players:
            for index, row in enumerate(wager_rows(book, player)):
                table.add_row(Text(player["player"], style="bold") if index == 0 else "", *row)
        parts.append(table)
    return parts


def wager_rows(book: ModuleType, box: dict[str, Any]) -> list[tuple[Text | str, ...]]:
    rows = []
    for name, wager in box["wagers"].items():
        stake = dollars(wager["stake"])
        rows.append(wager_row(name, stake, wager["result"], wager["pays"], wager["returned"], wager["paragraph"]))
        bonus = box[book.BONUS.name] if book.BONUS and name == book.WAGERS[MAIN].name else None
        if bonus:
            rows.append(wager_row(book.BONUS.name, "", WIN, bonus["pays"], bonus["paid"], bonus["paragraph"]))
    return rows


def wager_row(
    name: str, stake: str, result: str, pays: str | None, back: int, rule: str
) -> tuple[Text | str, ...]:
    words, style = RESULT_LOOKS[result]
    returned = Text(dollars(back) if back else "–", style=style)
    odds = "meter" if pays and "jackpot" in pays else pays or ""
    return name, stake, Text(words, style=style), odds, returned, Text(rule, style="dim")


def round_panel(book: ModuleType, number: int, answer: dict[str, Any]) -> Panel:
    dealer = Text("Dealer   ", style="bold") + hand_text(answer["dealer"])
    if "qualifies" in answer["dealer"]:
        dealer += Text("  qualifies" if answer["dealer"]["qualifies"] else "  does not qualify", style="italic")
    parts: list[Any] = [dealer, *box_tables(book, answer), Rule(style="green4")]
    for player, cents in answer["envy"].items():
        parts.append(Text(f"Envy Bonus for {player}: {dollars(cents)}", style="bold magenta"))
    parts.append(Text(totals(answer["staked"], answer["returned"], answer["house_net"]), style="italic"))
    title = f"[bold]{book.TITLE}[/] ({book.OPERATOR}) · round {number}"
    if progressive_place(book) is not None:
        title += f" · jackpot {dollars(METER)}"
    return Panel(Group(*parts), title=title, title_align="left", border_style="green4", width=MIN_WIDTH)


@click.command("demo")
@click.argument("game", type=BookArgument(), required=False)
@click.option("--rounds", type=click.IntRange(1, 1000), default=2, show_default=True, help="Rounds of each game.")
@click.option("--boxes", type=click.IntRange(1, 8), default=3, show_default=True, help="Boxes at the table.")
@click.option("--seed", type=int, help="Deal the same rounds again.")
@click.option("--svg", type=click.Path(dir_okay=False, writable=True), help="Also draw it into an SVG file.")
def demo_command(game: ModuleType | None, rounds: int, boxes: int, seed: int | None, svg: str | None) -> None:
    """Deal and settle a few rounds in the terminal.

    They are rounds of GAME, or of every game."""
    if seed is None:
        seed = random.randrange(1_000_000)
    console = make_console(record=svg is not None)
    if svg:
        console.width = MIN_WIDTH
    for book in [game] if game else all_books():
        for number in range(1, rounds + 1):
            dice = random.Random(f"{seed} {book.ID} {number}")
            console.print(round_panel(book, number, settle_request(deal_round(book, boxes, dice))))
    console.print("Each line names the paragraph that decided it.")
    again = [felt_here(), "demo", *([game.ID] if game else []), "--seed", str(seed)]
    again += ["--rounds", str(rounds), "--boxes", str(boxes)]
    click.echo(f"The same rounds again: {shlex.join(again)}")
    if svg:
        # Rich asks a font server for its letters; a picture in a repository should ask nobody.
        picture = re.sub(r"@font-face {.*?}\s*", "", console.export_svg(title="felt demo"), flags=re.DOTALL)
        try:
            Path(svg).write_text(picture, encoding="utf-8")
        except OSError as error:
            raise click.ClickException(f"cannot write {svg}: {error.strerror}") from None
