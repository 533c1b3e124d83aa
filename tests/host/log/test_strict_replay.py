"""The host's quick way of comparing records finds the differences that the table's own replay finds."""

import random

import pytest

from host.log.strict_replay import StrictReplay
from shared.journal.replay import Replay
from tests.support.campaign import share

PLAIN = (None, True, False, 0, 1, -1, 1 << 70, 1.0, 0.0, "", "1", "True", "\u00e9", "\ud800")
VALUES = (*PLAIN, [], [1], [True], ["1"])
PAIRS = share(100_000)


def verdict(replay, record, expected):
    replay.expected = [expected, ["next"]]
    return replay.compare(record), replay.expected


@pytest.mark.parametrize("one", VALUES, ids=repr)
@pytest.mark.parametrize("other", VALUES, ids=repr)
def test_values_are_the_same_only_with_their_types(one, other):
    same = type(one) is type(other) and repr(one) == repr(other)
    for replay in (Replay(), StrictReplay(None)):
        difference, left = verdict(replay, ["pay", one], ["pay", other])
        assert (difference is None, left) == ((True, [["next"]]) if same else (False, []))


def test_random_records_get_the_same_verdict():
    dice = random.Random("strict replay")
    slow, quick = Replay(), StrictReplay(None)
    for _ in range(PAIRS):
        record = made(dice, 3)
        expected = made(dice, 3) if dice.random() < 0.5 else changed(dice, record)
        assert verdict(quick, record, expected) == verdict(slow, record, expected)


def made(dice, depth):
    """A record with values of all sorts, now and then the same object twice."""
    parts = [dice.choice(VALUES) for _ in range(dice.randrange(4))]
    if depth:
        inner = made(dice, depth - 1)
        parts += [inner] * dice.randrange(1, 3)
    return parts


def changed(dice, record):
    """A copy that shares nothing with the record, with one of its values exchanged half of the time."""
    copied = [changed(dice, part) if isinstance(part, list) else part for part in record]
    if copied and dice.random() < 0.5:
        copied[dice.randrange(len(copied))] = dice.choice(VALUES)
    return copied
