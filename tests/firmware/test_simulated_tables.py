"""Whole tables in virtual time: firmware, devices and people. What goes wrong at random is left to the soak."""

import random
from collections import Counter
from itertools import groupby

import pytest

from firmware.drivers.inputs import _CHIP_QUIET_MS
from host.bench.soak.shifts import DEVICES
from host.simulator.devices import Chatter
from host.words.faults import ADVICE
from tests.support.floors import make_floor, play
from tests.support.tables import GAMES

pytestmark = pytest.mark.slow


def states_of(log):
    return Counter(record[1] for record in log.records() if record[0] == "state")


def check_log(floor, log):
    """The host has what the table has, and its own core settled every round the same way."""
    assert list(floor.bridge.alarms) == []
    assert not [told for told in floor.bridge.link.events if told.what in ("broken", "mismatch", "refused")]
    faults = {record[1] for record in log.records() if record[0] == "fault"}
    assert faults <= set(ADVICE)


@pytest.mark.parametrize("board", ["small", "full"])
@pytest.mark.parametrize("more", DEVICES, ids=str)
@pytest.mark.parametrize("game", GAMES)
def test_rounds_without_trouble_are_all_settled(tmp_path, game, more, board):
    floor, log = make_floor(tmp_path, game, board, **more)
    play(floor, 3)
    check_log(floor, log)
    assert states_of(log)["settled"] >= 3
    kinds = {record[0] for record in log.records()}
    assert not kinds & {"fault", "void", "sensed", "held"}


# -- what can be ordered


def after_one_trouble(tmp_path, game, order, **more):
    """Two rounds, with trouble ordered for the first."""
    floor, log = make_floor(tmp_path, game, "small", seed="one trouble", **more)
    for _ in range(100):
        floor.step(20)
    order(floor)
    play(floor, 2, 20)
    check_log(floor, log)
    assert not floor.bridge.replay.faults
    return log.records()


@pytest.mark.parametrize("game", GAMES)
def test_a_short_deck_is_counted_put_right_and_the_round_played(tmp_path, game):
    def order(floor):
        floor.shuffler.faults.short_deck = True

    records = after_one_trouble(tmp_path, game, order)
    assert [record for record in records if record[0] == "fault"] == [["fault", "shuffler_count", "51"]]
    assert not [record for record in records if record[0] == "void"]


@pytest.mark.parametrize("game", GAMES)
def test_a_card_too_many_is_seen_and_staff_get_out_of_it(tmp_path, game):
    def order(floor):
        floor.shuffler.faults.one_card_more = True

    records = after_one_trouble(tmp_path, game, order)
    assert ["fault", "card_count"] in [record[:2] for record in records]


@pytest.mark.parametrize("amounts", [True, False])
@pytest.mark.parametrize("game", GAMES)
def test_a_sensor_that_chatters_makes_no_debt(tmp_path, game, amounts):
    def order(floor):
        floor.chatter = Chatter(random.Random("loose wire"), 0, floor.now)

    records = after_one_trouble(tmp_path, game, order, amounts=amounts)
    assert not [record for record in records if record[0] in ("stands", "debt", "void")]
    if not amounts:
        assert any(record[0] == "event" and record[2][0] == "take_back" for record in records)


def test_a_sensor_chatters_below_and_above_the_time_that_makes_a_level_true():
    chatter = Chatter(random.Random("loose wire"), 1, 0)
    seen = [chatter.levels([1, 1], now) for now in range(10_000)]
    assert all(levels[0] == 1 for levels in seen)
    lengths = [len(list(run)) for _, run in groupby(levels[1] for levels in seen)]
    assert min(lengths) < _CHIP_QUIET_MS < sorted(lengths)[-2]
    assert seen[-1] == [1, 1], "it is over"
