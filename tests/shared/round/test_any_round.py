"""What holds for any sequence of events in any book: money, cards, refusals, and a way to end the round.

One seed reproduces any failure: it names the book, the table and every event.
"""

import json
import random

import pytest

from shared.round.round import Round
from tests.support.campaign import fewer, parts
from tests.support.ledger import Ledger, finish, state_of
from tests.support.rounds import Players, play_events, random_config
from tests.support.tables import GAMES

SEQUENCES = 100_000
EVENTS_EACH = 45


@pytest.mark.parametrize("seeds", parts(SEQUENCES, 4), ids=lambda seeds: f"{seeds.start}-{seeds.stop}")
@pytest.mark.parametrize("game", GAMES)
def test_random_sequences_keep_money_and_cards_and_can_always_be_ended(game, seeds):
    settlements = changed = again = 0
    for seed in seeds:
        dice = random.Random(f"{game} {seed}")
        round_ = Round(random_config(game, dice))
        ledger = Ledger(round_)
        try:
            for _, records in play_events(round_, dice, EVENTS_EACH, mischief=0.15):
                ledger.follow(records)
            finish(round_, ledger)
        except Exception as error:
            raise AssertionError(f"seed {game} {seed}: {error!r}") from error
        settlements += ledger.second.settlements
        changed += ledger.second.changed
        again += ledger.second.again
    print(f"{game}: {settlements} settlements, {changed} of hands told to lie elsewhere, {again} made again")
    assert settlements > changed > 0
    assert again or len(seeds) < 1000, "no payment was ever corrected"


@pytest.mark.parametrize("game", GAMES)
def test_a_refused_event_changes_nothing_and_verify_foresees_it(game):
    refused = 0
    for seed in range(fewer(60)):
        dice = random.Random(f"refused {game} {seed}")
        round_ = Round(random_config(game, dice))
        players = Players(round_, dice, 0.4)
        for _ in range(60):
            event = players.event()
            before = state_of(round_)
            foreseen = round_.verify(event)
            assert state_of(round_) == before, "verify changed something"
            records = round_.apply(event)
            assert (records[0][0] == "refused") == (foreseen is not None)
            if foreseen is not None:
                refused += 1
                assert len(records) == 1
                assert tuple(records[0][2:]) == foreseen
                assert state_of(round_) == before
    assert refused > 100


@pytest.mark.parametrize("game", GAMES)
def test_every_record_has_its_declared_fields(game):
    from shared.round.records import RECORDS

    seen = set()
    for seed in range(fewer(400)):
        dice = random.Random(f"records {game} {seed}")
        round_ = Round(random_config(game, dice))
        for _, records in play_events(round_, dice, 60, mischief=0.2):
            for record in records:
                assert len(record) == 1 + len(RECORDS[record[0]]), record
                seen.add(record[0])
    assert {"event", "refused", "state", "refund", "dealt", "line", "ask", "void"} <= seen


@pytest.mark.parametrize("game", GAMES)
def test_a_fresh_round_takes_over_what_the_last_one_carries(game):
    """Split any play between two rounds: the second half gives the same records from what is carried."""
    for seed in range(fewer(40)):
        dice = random.Random(f"carry {game} {seed}")
        config = random_config(game, dice)
        first = Round(config)
        players = Players(first, dice, 0.1)
        for _ in range(120):
            first.apply(players.event())
        finish(first)
        while first.hand_pays:
            first.apply(["hand_paid", first.hand_pays[0], "dealer"])
        second = Round(config, json.loads(json.dumps(first.carry())))
        event = ["open"]
        for _ in range(120):
            assert second.apply(event) == first.apply(event)
            event = players.event()
