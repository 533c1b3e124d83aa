"""The round's part of `make bench`: events a second, and the heap that a full table needs on MicroPython."""

import json
import time
from typing import Any

from host.measure.figure import Figure
from host.pico.mpy import compile_room
from host.rules.catalogue import book_ids, is_progressive, progressive_place
from host.wasm import MicroPython
from shared.round.round import Round
from shared.rules import cards
from shared.rules.rulebook import load

BOXES = 8
PLAYERS_A_BOX = 3
PROMISED_ROUND_HEAP = 60 * 1024


def table_config(game: str) -> dict[str, Any]:
    book = load(game)
    config: dict[str, Any] = {"game": game, "boxes": BOXES}
    names = [wager.name for wager in book.WAGERS if not wager.on_decision and not is_progressive(wager)]
    config["limits"] = {name: [500, 100_000] for name in names}
    if progressive_place(book) is not None:
        config["progressive"] = {"stake": 500, "contribution": 100, "meter": 1_000_000, "reset": 250_000}
    return config


def full_round(game: str) -> list[list[Any]]:
    """The events of a round with every wager of three players on each of eight boxes; of one if a box has one."""
    book = load(game)
    players = 1 if book.PROCEDURE.one_player_a_box else PLAYERS_A_BOX
    events: list[list[Any]] = [["open"]]
    for box in range(1, BOXES + 1):
        for player in range(players):
            for wager in book.WAGERS:
                if not wager.on_decision:
                    events.append(["bet", box, f"P{box}{player}", wager.name, 500])
    events.append(["close"])
    events += [["card", cards.text(card * 5 % 52)] for card in range(3 * (BOXES + 1))]
    if book.PROCEDURE.deciding:
        events += [["decide", box, "play"] for box in range(1, BOXES + 1)]
    else:
        events += [["show", box] for box in range(1, BOXES + 1)]
    return [*events, ["reveal"], ["settle"]]


def bench_events() -> list[Figure]:
    figures = []
    for game in book_ids():
        config, events = table_config(game), full_round(game)
        lines = [json.dumps(event) for event in events]
        count = 0
        round_ = Round(config)
        begun = time.perf_counter()
        while time.perf_counter() - begun < 0.7:
            for event in events:
                round_.apply(event)
            count += len(events)
        rate = count / (time.perf_counter() - begun)
        begun = time.perf_counter()
        for _ in range(20):
            for line in lines:
                json.loads(line)
        bare = 20 * len(lines) / (time.perf_counter() - begun)
        beside = f"{bare / rate:.1f} x the time to read the event's JSON"
        figures.append(Figure(f"round, full table, {game}", f"{rate:,.0f} events/s", "", True, beside))
    return figures


PREPARE = "import gc, json\nfrom shared.round.round import Round\nround_ = Round(json.loads(request))"
MEASURE = "gc.collect()\nprint(gc.mem_alloc())"
APPLY = "records = round_.apply(json.loads(request))\nprint(gc.mem_alloc())"


def bench_heap() -> list[Figure]:
    """The heap held after each event with its records still in hand, at worst; and garbage beside it.

    This port of MicroPython collects only between calls, so what an event throws away is all still there
    when it returns; a Pico collects when it runs short.
    """
    files = compile_room("shared")
    figures = []
    for game in book_ids():
        with MicroPython() as interpreter:
            interpreter.install(files)
            empty = int(interpreter.run("import gc, json\n" + MEASURE))
            interpreter.run(PREPARE, json.dumps(table_config(game)))
            core = int(interpreter.run(MEASURE))
            held = garbage = 0
            for event in full_round(game):
                uncollected = int(interpreter.run(APPLY, json.dumps(event)))
                kept = int(interpreter.run(MEASURE))
                held = max(held, kept - core)
                garbage = max(garbage, uncollected - kept)
                interpreter.run("records = None")
        figures.append(
            Figure(
                f"MicroPython, full table, {game}",
                f"{held / 1024:.1f} KB heap",
                f"<= {PROMISED_ROUND_HEAP // 1024} KB",
                held <= PROMISED_ROUND_HEAP,
                f"{garbage / 1024:.1f} KB garbage at worst; round and book {(core - empty) / 1024:.1f} KB",
            )
        )
    return figures
