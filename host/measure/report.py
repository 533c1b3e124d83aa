"""`make bench`: measures the core and the commands, and says whether each figure keeps its promise.

Machines are noisy, so each time is also given as a ratio to a yardstick measured in the same run.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from host.console import make_console
from host.measure import display, link, log, pico, rounds
from host.measure.figure import Figure
from host.pico.mpy import compile_room
from host.rules.catalogue import all_books, fullest_book
from host.rules.odds import book_odds
from host.rules.settle_request import read_request
from host.wasm import MicroPython
from shared.rules import cards
from shared.rules.rulebook import load
from shared.rules.settlement import settle_table

BOXES = 8
PROMISED_BOXES_A_SECOND = 50_000
PROMISED_LINES_A_SECOND = 5_000
PROMISED_ODDS_SECONDS = 10
PROMISED_HEAP_BYTES = 40 * 1024


def full_table(game: str) -> dict[str, Any]:
    """Eight boxes with every wager of the book on each."""
    book = load(game)
    deck = [cards.text(card * 5 % 52) for card in range(52)]
    wagers = {wager.name: 10_000 for wager in book.WAGERS if not wager.on_decision}
    boxes = [
        {
            "box": box,
            "player": f"P{box}",
            "cards": deck[box * 3 : box * 3 + 3],
            "wagers": wagers,
            "decision": "play",
        }
        for box in range(1, BOXES + 1)
    ]
    return {"id": 1, "game": game, "boxes": boxes, "dealer": deck[:3], "jackpot_meter": 1_000_000}


def rate(act: Callable[[], Any], times: int) -> float:
    """Acts a second, the best of three runs."""
    best = 0.0
    for _ in range(3):
        begun = time.perf_counter()
        for _ in range(times):
            act()
        best = max(best, times / (time.perf_counter() - begun))
    return best


def bench_core() -> list[Figure]:
    return [bench_core_of(book.ID) for book in all_books()]


def bench_core_of(game: str) -> Figure:
    book, dealer, hands, seats, meter = read_request(full_table(game))
    boxes = rate(lambda: settle_table(book, dealer, hands, seats, meter or 0), 1500) * BOXES
    values = rate(lambda: [book.value(*hand) for hand in hands.values()], 3000) * BOXES
    return Figure(
        f"core, every wager, {game}",
        f"{boxes:,.0f} boxes/s",
        f">= {PROMISED_BOXES_A_SECOND:,}",
        boxes >= PROMISED_BOXES_A_SECOND,
        f"{values / boxes:.1f} x the time to rank its hand",
    )


def bench_settle_command() -> list[Figure]:
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
    return [
        Figure(
            "felt settle, start-up included",
            f"{lines:,.0f} lines/s",
            f">= {PROMISED_LINES_A_SECOND:,}",
            lines >= PROMISED_LINES_A_SECOND,
            f"{bare / lines:.1f} x the time to read and write its JSON",
        )
    ]


def bench_odds() -> list[Figure]:
    begun = time.perf_counter()
    for book in all_books():
        book_odds(book)
    seconds = time.perf_counter() - begun
    promise = f"<= {PROMISED_ODDS_SECONDS} s"
    return [Figure("felt odds, all five books", f"{seconds:.1f} s", promise, seconds <= PROMISED_ODDS_SECONDS)]


MEASURE_IMPORT = "import gc\ngc.collect()\nprint(gc.mem_alloc())"
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
# The collector is off while counting; the loop itself costs three blocks of heap, once.
MEASURE_SEAT = """
gc.collect()
gc.disable()
before = gc.mem_alloc()
for _ in range(100):
    settle_box()
after = gc.mem_alloc()
gc.enable()
print(after - before)
"""
MEASURE_TIME = """
import time
begun = time.ticks_us()
for _ in range(500):
    settle_box()
print(time.ticks_diff(time.ticks_us(), begun))
"""


def bench_micropython() -> list[Figure]:
    files = compile_room("shared")
    figures = []
    for book in all_books():
        with MicroPython() as interpreter:
            interpreter.install(files)
            empty = int(interpreter.run(MEASURE_IMPORT))
            interpreter.run(IMPORT_BOOK, book.ID)
            heap = int(interpreter.run(MEASURE_IMPORT)) - empty
            interpreter.run(PREPARE_SEAT)
            allocated = int(interpreter.run(MEASURE_SEAT)) // 100
            microseconds = int(interpreter.run(MEASURE_TIME)) / 500
        figures.append(
            Figure(
                f"MicroPython, core and {book.ID}",
                f"{heap / 1024:.1f} KB heap",
                f"<= {PROMISED_HEAP_BYTES // 1024} KB",
                heap <= PROMISED_HEAP_BYTES,
                f"{allocated} bytes and {microseconds:.0f} us a settled box",
            )
        )
    return figures


def main() -> None:
    console = make_console(min_width=180)
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("figure", "measured", "promise", "", "beside it"):
        table.add_column(heading, no_wrap=True)
    broken = 0
    benches = (
        bench_core,
        bench_settle_command,
        bench_odds,
        rounds.bench_events,
        bench_micropython,
        rounds.bench_heap,
        link.bench_lines,
        link.bench_micropython_records,
        log.bench_log,
        display.bench_display,
        pico.bench_pico,
    )
    for bench in benches:
        name = bench.__name__.removeprefix("bench_").replace("_", " ")
        print(f"measuring: {name} ...", file=sys.stderr, flush=True)
        for figure in bench():
            verdict = "" if not figure.promise else "kept" if figure.kept else "BROKEN"
            broken += not figure.kept
            table.add_row(figure.what, figure.measured, figure.promise, verdict, figure.beside)
    console.print(table)
    if broken:
        console.print(f"{broken} promises broken")
        raise SystemExit(1)


if __name__ == "__main__":
    main()
