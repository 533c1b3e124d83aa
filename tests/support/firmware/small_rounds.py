"""A whole small round of each book as the table meets it: a configuration, then events from all sides."""

from typing import Any

from firmware.recorder import Recorder
from host.measure.rounds import full_round, table_config
from shared.journal.snapshot import plain_config
from shared.round.round import Round


def small_config(game: str) -> dict[str, Any]:
    return table_config(game) | {"boxes": 2}


def small_round(game: str) -> list[list[Any]]:
    """One player on each of two boxes with every wager; one event that is refused."""
    events = []
    round_ = Round(small_config(game))
    for event in full_round(game):
        if event[0] == "bet" and (event[1] > 2 or not event[2].endswith("0")):
            continue
        if event[0] in ("decide", "show") and event[1] > 2:
            continue
        if event[0] == "card" and round_.next_place() is None:
            continue
        events.append(event)
        assert round_.apply(event)[0][0] == "event"
        if event[0] == "close":
            events.append(["bet", 1, "P10", "nothing", 500])
    assert round_.state == "settled"
    return events


def steps(game: str) -> list[tuple[str, list[Any]]]:
    """What happens, in order: commands of the host and events of the table's own devices, mixed."""
    mixed = []
    for place, event in enumerate(small_round(game)):
        is_told = place % 3 == 0 and event[0] != "card"  # which only a device says
        mixed.append(("command" if is_told else "own", event))
    return [("config", plain_config(small_config(game))), *mixed]


def take_step(recorder: Recorder, step: tuple[str, list[Any]], number: int) -> None:
    """Do one step; commands are numbered by their step."""
    how, what = step
    if how == "own":
        recorder.apply(what)
    else:
        recorder.command(number, "dealer 1", "config" if how == "config" else "event", what)
