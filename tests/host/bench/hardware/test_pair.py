"""Whole rounds on an emulated pair: people press keys, lay chips and deal cards by way of the rig's wires."""

import pytest

from tests.support.campaign import LONG
from tests.support.firmware.images import needs_image
from tests.support.firmware.pairs import pair_floor
from tests.support.floors import play
from tests.support.tables import LUCKY, MBS, NON_COMMISSION, POKER, ROYAL

pytestmark = [pytest.mark.slow, needs_image]
LONG_ONLY = pytest.mark.skipif(not LONG, reason="one more round on the pair; `make test-long` has one of each book")
FAULTS = {"jam": "shuffler_jam"}
EVENTS = {"foreign_card": "card", "unread": "card", "power_cut": "power_failure"}
POWER_CUT = "power_cut"


@pytest.mark.parametrize(
    ("book", "rig", "trouble"),
    [
        (ROYAL, "rig", "jam"),
        (MBS, "rig_full", POWER_CUT),
        pytest.param(NON_COMMISSION, "rig", "foreign_card", marks=LONG_ONLY),
        pytest.param(POKER, "rig", "unread", marks=LONG_ONLY),
        pytest.param(LUCKY, "rig_full", "jam", marks=LONG_ONLY),
    ],
)
def test_a_round_with_a_trouble_is_played_to_its_end(tmp_path, book, rig, trouble):
    floor, log, pair = pair_floor(tmp_path, book, rig)
    highs = watch_lines(pair)
    if trouble == POWER_CUT:
        while not any(record[0] == "dealt" for record in log.records()):
            floor.step(20)
        floor.target.restart(floor.now)
    else:
        setattr(floor.shuffler.faults, trouble, True)
        setattr(floor.reader.faults, trouble, True)
    play(floor, 1, 20)
    records = list(log.records())
    assert list(floor.bridge.alarms) == []
    assert floor.bridge.replay.round.is_over()
    assert any(TROUBLES[trouble](record) for record in records)
    assert highs == [], "the rig never drives a line high"
    assert {record[1] for record in records if record[0] == "fault"} <= {"shuffler_jam"}


# The record that shows that it happened.
TROUBLES = {
    "jam": lambda record: record[:2] == ["fault", "shuffler_jam"],
    "foreign_card": lambda record: record[0] == "event" and record[2] == ["card", "XX"],
    "unread": lambda record: record[0] == "dealt" and record[2] == "??",
    POWER_CUT: lambda record: record[0] == "event" and record[2][0] == "power_failure",
}


def watch_lines(pair):
    """The lines that the rig drives high from now on."""
    highs = []
    for wire in pair.lines:
        pair.rig.on_pin(wire.rig, lambda level, pin=wire.rig: highs.append(pin) if level else None)
    return highs
