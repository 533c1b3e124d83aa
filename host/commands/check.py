"""`felt check`: explains every mistake in a table's file by line."""

from pathlib import Path

import click

from host.commands.arguments import FILE
from host.config.table_file import TableConfig, examine
from host.page.addresses import page_url
from host.rules.catalogue import find_book
from host.words.config import problem_text, shown_line
from host.words.money import dollars
from host.words.sentences import all_of, boxes_text
from shared.round.table import _ANGEL_EYE, _FIXED_FRAMES, FELT_READER

READER_WORDS = {
    FELT_READER: "a reader that speaks Felt's lines",
    _FIXED_FRAMES: "a reader that sends fixed frames",
    _ANGEL_EYE: "the Angel Eye",
}


@click.command("check")
@click.argument("file", type=FILE)
def check_command(file: Path) -> None:
    """Check a table's file and explain every mistake.

    The exit status is 1 if FILE has a mistake, and 0 if it has only warnings."""
    examined = examine(file)
    for problem in examined.problems:
        click.echo(problem_text(file, problem))
        for line in shown_line(examined.text, problem):
            click.echo(line)
    if examined.config is None:
        raise SystemExit(1)
    click.echo(f"{file}: fine")
    for line in summary(examined.config):
        click.echo(line)


def summary(config: TableConfig) -> list[str]:
    """The table in words, one line for each thing."""
    game, book = config.game, find_book(config.game.rulebook)
    rows = [
        ("table", f"{config.name} on the board {config.board}, port {config.port}"),
        ("game", f"{book.TITLE} ({book.ID}), {boxes_text(game.boxes)}"),
        ("cards", f"from a {game.device}, read by {READER_WORDS[game.reader]}"),
        ("chips", f"of {dollars(game.chip_unit)} and its multiples, {'' if game.amounts else 'not '}counted"),
        *(
            ("limits", f"{wager} {dollars(least)} to {dollars(most)}")
            for wager, (least, most) in game.limits.items()
        ),
    ]
    if game.progressive:
        one = game.progressive
        rows.append(("jackpot", f"stake {dollars(one.stake)}, meter {dollars(one.meter)} to start with"))
    rows += [
        ("log", f"{config.log.file.name}, signed in {config.log.checkpoints.name}"),
        ("display", config.display.kind),
        ("page", "none" if config.page.off else page_url(config.page.address, config.page.port)),
        ("posts", posts_words(config)),
        ("staff", staff_words(config)),
    ]
    labels = [label if place == 0 or rows[place - 1][0] != label else "" for place, (label, _) in enumerate(rows)]
    return [f"  {label:<9}{words}" for label, (_, words) in zip(labels, rows)]


def posts_words(config: TableConfig) -> str:
    """`pit_supervisor for cards, chips and log; dealer for faults`."""
    posts = config.game.posts
    return "; ".join(
        f"{post} for {all_of([name for name in posts if posts[name] == post])}"
        for post in dict.fromkeys(posts.values())
    )


def staff_words(config: TableConfig) -> str:
    if not config.staff:
        return f"nobody yet; `felt staff add {config.path}` adds somebody"
    return all_of([f"{member.name} ({member.post})" for member in config.staff])
