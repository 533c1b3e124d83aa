"""Records of rounds that are played fairly through the rules core, by players who bet on everything."""

import random
from collections.abc import Iterator
from typing import Any

from host.rules.catalogue import is_progressive
from shared.journal.snapshot import standing_records
from shared.round.round import Round
from shared.rules import cards


def config_of(game: str, boxes: int = 3, **more: Any) -> dict[str, Any]:
    config: dict[str, Any] = {"game": game, "boxes": boxes, **more}
    if game.startswith("rws-three-card"):
        config["progressive"] = {"stake": 500, "contribution": 125, "meter": 1_000_000, "reset": 500_000}
    return config


def played(config: dict[str, Any], seed: int, rounds: int, folds: float = 0.3) -> Iterator[list[Any]]:
    """The records of so many rounds, each with a standing before it as a table writes them."""
    dice = random.Random(seed)
    round_ = Round(config)
    for _ in range(rounds):
        yield from standing_records("open", config, round_, None, (), ())
        for event in events_of(round_, dice, folds):
            yield from round_.apply(event)


def events_of(round_: Round, dice: random.Random, folds: float) -> Iterator[list[Any]]:
    table = round_.table
    deck = list(range(52))
    dice.shuffle(deck)
    for player in list(round_.hand_pays):
        yield ["hand_paid", player, "pit_supervisor"]
    yield ["open"]
    for box in range(1, table.boxes + 1):
        for wager in table.book.WAGERS:
            if not wager.on_decision:
                stake = 500 if is_progressive(wager) else dice.choice((500, 1001, 2500))
                yield ["bet", box, f"P{box}", wager.name, *([stake] if table.amounts else [])]
    yield ["close"]
    for card in deck[: 3 * (table.boxes + 1)]:
        yield ["card", cards.text(card)]
    for box in range(1, table.boxes + 1):
        if table.book.PROCEDURE.deciding:
            yield ["decide", box, "fold" if dice.random() < folds else "play", None, True]
        else:
            yield ["show", box, "dealer"]
    yield ["reveal"]
    yield ["settle"]
