"""The round's part of `make measure`: events a second, and the heap that a full table needs on MicroPython."""

import json
from typing import Any

from host.measure import micropython
from host.measure.figure import Figure, Figures, at_most, rate
from host.rules.catalogue import book_ids, is_progressive, progressive_place
from shared.round.round import Round
from shared.rules import cards
from shared.rules.rulebook import load

BOXES = 8
PLAYERS_A_BOX = 3
PROMISED_ROUND_KB = 60


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


def measure_events() -> Figures:
    for game in book_ids():
        round_, events = Round(table_config(game)), full_round(game)
        lines = [json.dumps(event) for event in events]
        played = rate(lambda: [round_.apply(event) for event in events], 30) * len(events)  # noqa: B023
        bare = rate(lambda: [json.loads(line) for line in lines], 30) * len(lines)  # noqa: B023
        beside = f"{bare / played:.1f} x the time to read the event's JSON"
        yield Figure(f"round, full table, {game}", f"{played:,.0f} events/s", beside)


PREPARE = "import gc, json\nfrom shared.round.round import Round\nround_ = Round(json.loads(request))"
APPLY = "records = round_.apply(json.loads(request))\nprint(gc.mem_alloc())"


def measure_heap() -> Figures:
    """The heap held after each event with its records still in hand, at worst; and garbage beside it.

    What an event throws away is all still there when it returns, because nothing is collected meanwhile.
    """
    for game in book_ids():
        with micropython.with_rules() as interpreter:
            empty = micropython.allocated(interpreter)
            interpreter.run(PREPARE, json.dumps(table_config(game)))
            core = micropython.allocated(interpreter)
            held = garbage = 0
            for event in full_round(game):
                uncollected = int(interpreter.run(APPLY, json.dumps(event)))
                kept = micropython.allocated(interpreter)
                held = max(held, kept - core)
                garbage = max(garbage, uncollected - kept)
                interpreter.run("records = None")
        beside = f"{garbage / 1024:.1f} KB garbage at worst; round and book {(core - empty) / 1024:.1f} KB"
        yield at_most(f"MicroPython, full table, {game}", held / 1024, "KB heap", PROMISED_ROUND_KB, beside)
