"""`make measure`: measures the core and the commands, and says whether each figure keeps its promise.

Machines are noisy, so each time is also given as a ratio to a yardstick measured in the same run.
"""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from host.measure import display, link, log, micropython, pico, review, rounds, startup, wear
from host.measure.figure import Figures, at_least, at_most, rate
from host.rules.catalogue import all_books, fullest_book
from host.rules.odds import book_odds
from host.rules.settle_request import read_request
from host.terminal import make_console
from shared.rules import cards
from shared.rules.rulebook import load
from shared.rules.settlement import settle_table

BOXES = 8
PROMISED_BOXES_A_SECOND = 50_000
PROMISED_LINES_A_SECOND = 5_000
PROMISED_ODDS_SECONDS = 10
PROMISED_HEAP_KB = 40


def full_table(game: str) -> dict[str, Any]:
    """Eight boxes with every wager of the book on each."""
    book = load(game)
    deck = [cards.text(card * 5 % 52) for card in range(52)]
    wagers = {wager.name: 10_000 for wager in book.WAGERS if not wager.on_decision}
    entry = {"wagers": wagers, "decision": "play"}
    boxes = [
        entry | {"box": box, "player": f"P{box}", "cards": deck[box * 3 : box * 3 + 3]}
        for box in range(1, BOXES + 1)
    ]
    return {"id": 1, "game": game, "boxes": boxes, "dealer": deck[:3], "jackpot_meter": 1_000_000}


def measure_core() -> Figures:
    for book in all_books():
        _, dealer, hands, seats, meter = read_request(full_table(book.ID))
        boxes = rate(lambda: settle_table(book, dealer, hands, seats, meter or 0), 1500) * BOXES  # noqa: B023
        values = rate(lambda: [book.value(*hand) for hand in hands.values()], 3000) * BOXES  # noqa: B023
        beside = f"{values / boxes:.1f} x the time to rank its hand"
        yield at_least(f"core, every wager, {book.ID}", boxes, "boxes/s", PROMISED_BOXES_A_SECOND, beside)


def measure_settle_command() -> Figures:
    """Lines of one box with every wager through the real command, and its work beside bare JSON."""
    request = full_table(fullest_book().ID)
    request["boxes"] = request["boxes"][:1]
    line = json.dumps(request)
    count = 20_000
    felt = Path(sys.executable).parent / "felt"
    begun = time.perf_counter()
    subprocess.run([felt, "settle"], input=(line + "\n") * count, capture_output=True, text=True, check=True)
    lines = count / (time.perf_counter() - begun)
    bare = rate(lambda: json.dumps(json.loads(line)), 5000)
    beside = f"{bare / lines:.1f} x the time to read and write its JSON"
    yield at_least("felt settle, start-up included", lines, "lines/s", PROMISED_LINES_A_SECOND, beside)


def measure_odds() -> Figures:
    begun = time.perf_counter()
    for book in all_books():
        book_odds(book)
    yield at_most("felt odds, all books", time.perf_counter() - begun, "s", PROMISED_ODDS_SECONDS)


IMPORT_BOOK = "from shared.rules import settlement\nfrom shared.rules.rulebook import load\nbook = load(request)"
PREPARE_SEAT = """
size = settlement.places(book)
stakes = tuple([10000] * len(book.WAGERS))
lines = [None] * size
paid = [0] * size
def settle_box():
    hand = book.value(3, 22, 41)
    settlement.settle_seat(book, stakes, False, hand, book.mark(3, 22, 41), 5, True, 1000000, lines, paid)
settle_box()
"""


def measure_micropython() -> Figures:
    for book in all_books():
        with micropython.with_rules() as interpreter:
            empty = micropython.allocated(interpreter)
            interpreter.run(IMPORT_BOOK, book.ID)
            heap = micropython.allocated(interpreter) - empty
            interpreter.run(PREPARE_SEAT)
            microseconds, garbage = micropython.cost(interpreter, "settle_box")
        beside = f"{garbage} bytes and {microseconds:.0f} us a settled box"
        yield at_most(f"MicroPython, core and {book.ID}", heap / 1024, "KB heap", PROMISED_HEAP_KB, beside)


def main() -> None:
    console = make_console(min_width=180)
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("figure", "measured", "promise", "", "beside it"):
        table.add_column(heading, no_wrap=True)
    broken = 0
    measures = (
        measure_core,
        startup.measure_startup,
        measure_settle_command,
        measure_odds,
        rounds.measure_events,
        measure_micropython,
        rounds.measure_heap,
        link.measure_lines,
        link.measure_micropython_records,
        log.measure_log,
        review.measure_review,
        display.measure_display,
        wear.measure_wear,
        pico.measure_pico,
    )
    for measure in measures:
        name = measure.__name__.removeprefix("measure_").replace("_", " ")
        print(f"measuring: {name} ...", file=sys.stderr, flush=True)
        for figure in measure():
            verdict = "" if not figure.promise else "kept" if figure.kept else "BROKEN"
            broken += not figure.kept
            table.add_row(figure.what, figure.measured, figure.promise, verdict, figure.beside)
    console.print(table)
    if broken:
        console.print(f"{broken} promises broken")
        raise SystemExit(1)


if __name__ == "__main__":
    main()
