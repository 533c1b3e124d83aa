"""Whole tables in virtual time, on CPython and on MicroPython: firmware, devices and people."""

import random
import statistics
from collections import Counter
from itertools import groupby

import pytest

from firmware.drivers.inputs import _CHIP_QUIET_MS
from host.simulator.devices import Chatter
from host.simulator.target import CPythonTarget, WasmTarget
from host.words.faults import ADVICE
from shared.journal.journal import _SEGMENT_BYTES
from tests.support.campaign import LONG
from tests.support.floors import DEVICES, make_floor, play
from tests.support.tables import GAMES

pytestmark = pytest.mark.slow

SOAK_ROUNDS = 5000 if LONG else 100
TROUBLED_ROUNDS = 25
ROUNDS_ON_BOTH = 3 if LONG else 1
# What a table loads when it first needs it.
LOADED_LATE = "from shared.round import answers, corrections, facts, irregularities, refunds"


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


@pytest.mark.parametrize("more", DEVICES, ids=str)
@pytest.mark.parametrize("game", GAMES)
def test_whatever_goes_wrong_every_round_comes_to_an_end_and_agrees(tmp_path, game, more):
    floor, log = make_floor(tmp_path, game, "full", mischief=0.9, seed=f"{game} {more}", **more)
    play(floor, TROUBLED_ROUNDS)
    check_log(floor, log)
    assert states_of(log)["settled"] + states_of(log)["void"] >= TROUBLED_ROUNDS
    assert any(record[0] == "fault" for record in log.records())
    assert not floor.bridge.replay.faults or floor.now < 10**9


@pytest.mark.parametrize("more", DEVICES, ids=str)
@pytest.mark.parametrize("game", GAMES)
def test_both_runtimes_keep_the_same_log(tmp_path, game, more):
    """Told the same by the same devices and people, MicroPython and CPython write the same bytes."""
    logs = []
    for runtime, make in (("cpython", CPythonTarget), ("wasm", WasmTarget)):
        (tmp_path / runtime).mkdir()
        floor, log = make_floor(tmp_path / runtime, game, "full", make, mischief=0.9, **more)
        play(floor, ROUNDS_ON_BOTH)
        check_log(floor, log)
        logs.append(log.lines)
        if isinstance(floor.target, WasmTarget):
            floor.target.__exit__()
    assert logs[0] == logs[1] != []


@pytest.mark.parametrize("game", GAMES)
def test_power_cuts_in_the_middle_of_rounds(tmp_path, game):
    dice = random.Random(f"cuts {game}")
    floor, log = make_floor(tmp_path, game, "full", mischief=0.3)
    ended = 0
    was_playing = False
    while ended < TROUBLED_ROUNDS:
        floor.step(50)
        if dice.random() < 0.003:
            floor.target.restart(floor.now)
        round_ = floor.bridge.replay.round
        playing = round_ is not None and round_.state not in ("idle", "settled", "void")
        ended += was_playing and not playing
        was_playing = playing
    check_log(floor, log)
    assert any(record[0] == "event" and record[2] == ["power_failure"] for record in log.records())


@pytest.mark.parametrize("game", GAMES)
def test_soak(tmp_path, game):
    """Thousands of rounds with random faults: the heap is flat from the 100th on, and every round agrees."""
    floor, log = make_floor(tmp_path, game, "small", WasmTarget, seed=f"soak {game}", mischief=0.5)
    assert isinstance(floor.target, WasmTarget)
    with floor.target:
        # What is loaded when it is first needed is there from the start, whenever this seed happens to need it.
        floor.target.micropython.run(LOADED_LATE)
        held = soak_one(floor, SOAK_ROUNDS // len(GAMES))
    check_log(floor, log)
    if LONG:
        check_flat(held[len(held) // 10 :])
    else:  # too short to be flat: the journal's first segments are still filling
        later = held[len(held) // 2 :]
        assert max(later) - min(later) < 16 * 1024, held


def check_flat(held):
    """No growth, and no more at any time than what a conservative collector may take for alive.

    A word on the stack that looks like a pointer may keep a freed journal segment for some samples, beside what
    rounds differ by; a leak stays.
    """
    quarter = len(held) // 4
    assert statistics.median(held[-quarter:]) - statistics.median(held[:quarter]) < 4 * 1024, held
    lasting = [min(near) for near in zip(held, held[1:], held[2:], strict=False)]
    assert max(lasting) - min(lasting) < _SEGMENT_BYTES + 8 * 1024, held
    assert max(held) - min(held) < 2 * 16 * 1024, held


def test_growth_is_not_called_flat():
    level = [220_000 + 3000 * (sample % 2) for sample in range(40)]
    check_flat(level)
    check_flat([*level[:20], level[20] + 17_000, *level[21:]])
    for grown in (
        [bytes_ + 150 * sample for sample, bytes_ in enumerate(level)],  # 15 bytes a round
        [*level[:15], *(bytes_ + 16_384 for bytes_ in level[15:20]), *level[20:]],  # a segment that stays a while
        [*level[:20], level[20] + 33_000, *level[21:]],
    ):
        with pytest.raises(AssertionError):
            check_flat(grown)


def soak_one(floor, rounds):
    """Heap in use without the journal that this target keeps in memory, a hundred times or every round."""
    held = []
    for number in floor.run_rounds(rounds, 50):
        if number % max(1, rounds // 100) == 0:
            held.append(floor.target.memory() - floor.target.stored())
        if number % 100 == 0:
            print(f"{floor.config['game']}: {number} of {rounds} rounds, {held[-1]} bytes")
    return held


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
