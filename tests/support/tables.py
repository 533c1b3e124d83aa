"""Short ways to write a table down in a test."""

from typing import Any

import pytest

from host.rules.settle_request import settle_request

LUCKY = "rws-lucky-three-pictures-2"
MBS = "mbs-three-pictures-2"
NON_COMMISSION = "rws-three-pictures-4"
POKER = "rws-three-card-poker-2"
ROYAL = "mbs-royal-three-pictures-2"
GAMES = (LUCKY, MBS, NON_COMMISSION, POKER, ROYAL)


def rule(*paragraphs: str) -> pytest.MarkDecorator:
    """Names the paragraphs a test is about; the rulebook is its module's BOOK."""
    return pytest.mark.rule(*paragraphs)


def entry(box: int, player: str, cards: str, **wagers: Any) -> dict[str, Any]:
    """One player on one box: `entry(1, "P1", "KS QH 9D", initial=100)`; decision= and seated= as well."""
    made: dict[str, Any] = {"box": box, "player": player, "cards": cards.split()}
    for field in ("decision", "seated"):
        if field in wagers:
            made[field] = wagers.pop(field)
    return made | {"wagers": wagers}


def settle(game: str, dealer: str, *entries: dict[str, Any], meter: int | None = None) -> dict[str, Any]:
    request: dict[str, Any] = {"id": "test", "game": game, "boxes": list(entries), "dealer": dealer.split()}
    if meter is not None:
        request["jackpot_meter"] = meter
    return settle_request(request)


def settle_wager(
    game: str, player: str, dealer: str, wager: str, stake: int = 10000, **others: Any
) -> tuple[str, str | None, int, str]:
    """One wager on box 1, with the main wager it may need: result, pays, cents back, paragraph."""
    wagers = {wager: stake} | others
    if game != POKER and wager not in ("initial", "main"):
        wagers["main" if game in (MBS, ROYAL) else "initial"] = 10000
    answer = settle(game, dealer, entry(1, "P1", player, **wagers), meter=5_000_000)
    settled = answer["boxes"][0]["wagers"][wager]
    return settled["result"], settled["pays"], settled["returned"], settled["paragraph"]
