"""`felt log stats`: whether wagers, shuffler and reader of a table behave as they should."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from host.commands.arguments import LOG, click_errors
from host.log.reading import LogReader
from host.log.schema import NotALog
from host.words.names import plain

if TYPE_CHECKING:
    from host.review.statistics.hold import Hold
    from host.review.statistics.review import Result

STEP = 20_000  # records between two steps of the progress bar
PERCENT = 1  # in 100: how often a table in order may be pointed at


@click.command("stats")
@LOG
@click.option("--details", is_flag=True, help="Everything, for an engineer: evidence, bands, limits, findings.")
@click.option("--promise", type=click.FloatRange(0.01, 10), default=PERCENT, show_default=True, metavar="PERCENT")
@click.option("--json", "as_json", is_flag=True, help="As JSON lines, one for each game, with charts as numbers.")
def stats_command(log: Path, details: bool, promise: float, as_json: bool) -> None:
    """Say whether the table of LOG behaves as it should.

    Wagers are held against the exact odds of what was placed and decided, cards against a well shuffled deck. A
    line that begins with "Look here" says where to look. Chance alone brings one to PERCENT of tables in order
    for wagers, shuffler and reader each, however often one looks.
    """
    from host.review.statistics.review import result_of

    with click_errors(NotALog):
        reviews = read_reviews(log)
    if not reviews:
        click.echo("no round has opened yet")
        return
    for game, kept in sorted(reviews.items()):
        result = result_of(kept, promise / 100)
        if as_json:
            click.echo(json.dumps(json_of(result, kept), ensure_ascii=False))
        else:
            print_result(game, result, details)


def read_reviews(log: Path) -> dict[str, Any]:
    from host.review.statistics.log_reviews import LogReviews
    from host.terminal import slow_progress

    reviews_of_log = LogReviews()
    with LogReader(log) as reader:
        first, last = reader.ends()
        with slow_progress((last - first) // STEP + 1) as step:
            for number, line in reader.lines(first, last):
                if (number - first) % STEP == 0:
                    step(f"record {number:,} of {last:,}")
                reviews_of_log.follow(number, record_at(reader, number, line))
    return reviews_of_log.close()


def record_at(reader: LogReader, number: int, line: bytes) -> list[Any]:
    """The record of a line whose seal the audit checks; only one that cannot be read is looked at closely."""
    from shared.journal.chain import record_of

    try:
        record = record_of(line)
    except (ValueError, IndexError, TypeError, RecursionError):
        record = None
    return record if isinstance(record, list) and record else reader.read_record(number, line)


def print_result(game: str, result: "Result", details: bool) -> None:
    from host.review.statistics.telling import details as all_details
    from host.review.statistics.telling import summary
    from host.rules.catalogue import book_ids
    from host.words.review import told_words
    from shared.rules.rulebook import load

    title = load(game).TITLE if game in book_ids() else game
    click.secho(f"{title}, {result.rounds:,} rounds", bold=True)
    for told in all_details(result) if details else summary(result):
        click.secho(told_words(told), bold=told.striking)
    if result.holds and not details:
        from host.commands.log_show import table_lines

        headings = ("wager", "staked", "kept", "rate", "expected", "by chance")
        for line in table_lines(headings, "<>>>>>", list(hold_cells(result.holds, result.amounts))):
            click.echo(line)


def hold_cells(holds: "list[Hold]", amounts: bool) -> Iterator[list[str]]:
    from host.review.statistics.hold import verdicts
    from host.words.money import dollars

    for hold in holds:
        limit = next((one.limit for one in verdicts(hold)), None)
        yield [
            plain(hold.wager),
            dollars(hold.staked) if amounts else "",
            dollars(hold.kept) if amounts else "",
            f"{hold.rate:.2%}",
            f"{hold.expected_rate:.2%}",
            f"± {(limit[1] - limit[0]) / 2:.2%}" if limit else "",
        ]


def json_of(result: "Result", kept: dict[str, Any]) -> dict[str, Any]:
    from host.review.statistics import charts
    from host.review.statistics.anytime import chance
    from host.review.statistics.hold import verdicts
    from host.review.statistics.telling import details, summary
    from host.words.review import told_words

    def told_json(told: Any) -> dict[str, Any]:
        return {"code": told.code, "striking": told.striking, "fields": told.fields, "text": told_words(told)}

    return {
        "game": result.game,
        "rounds": result.rounds,
        "left_out": result.left_out,
        "summary": [told_json(told) for told in summary(result)],
        "details": [told_json(told) for told in details(result)],
        "holds": [
            {
                "wager": hold.wager,
                "bets": hold.bets,
                "staked": hold.staked if result.amounts else None,
                "kept": hold.kept if result.amounts else None,
                "expected": str(hold.expected) if result.amounts else None,
                "rate": hold.rate,
                "expected_rate": hold.expected_rate,
                "chance": chance(hold.evidence),
                "limits": {one.name: {"outside": one.outside, "limit": one.limit} for one in verdicts(hold)},
            }
            for hold in result.holds
        ],
        "charts": [charts.as_json(one) for one in (charts.holds_chart(result), charts.places_chart(kept))],
    }
