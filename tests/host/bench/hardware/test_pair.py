"""Whole rounds on an emulated pair: people press keys, lay chips and deal cards by way of the rig's wires."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from shared.round.states import DEALING
from tests.support.campaign import LONG
from tests.support.firmware.images import needs_image
from tests.support.firmware.pairs import pair_floor
from tests.support.floors import play
from tests.support.tables import LUCKY, MBS, NON_COMMISSION, POKER, ROYAL

pytestmark = [pytest.mark.slow, needs_image]
LONG_ONLY = pytest.mark.skipif(
    not LONG, reason="one more round on the pair; `make test-long` has one of each book"
)


class Trouble(NamedTuple):
    cause: Callable[[Any], None]  # of the floor
    shows: Callable[[list[Any]], bool]  # in this record
    faults: set[str]


def jam(floor):
    floor.shuffler.faults.jam = True


def foreign_card(floor):
    floor.shuffler.faults.foreign_card = True


def unread_card(floor):
    floor.reader.faults.unread = True


def power_cut(floor):
    """In the middle of the deal."""
    while floor.bridge.replay.round is None or floor.bridge.replay.round.state != DEALING:
        floor.step(20)
    floor.target.restart(floor.now)
    floor.bridge.link.unplugged()  # a Pico without power leaves the USB


JAM = Trouble(jam, lambda record: record[:2] == ["fault", "shuffler_jam"], {"shuffler_jam"})
FOREIGN = Trouble(
    foreign_card, lambda record: record[0] == "event" and record[2] == ["card", "XX"], {"card_count"}
)
UNREAD = Trouble(unread_card, lambda record: record[0] == "dealt" and record[2] == "??", set())
POWER_CUT = Trouble(power_cut, lambda record: record[0] == "event" and record[2][0] == "power_failure", set())


@pytest.mark.parametrize(
    ("book", "rig", "trouble"),
    [
        pytest.param(ROYAL, "rig", JAM, id="royal-jam"),
        pytest.param(MBS, "rig_full", POWER_CUT, id="mbs-full-power-cut", marks=LONG_ONLY),
        pytest.param(NON_COMMISSION, "rig", FOREIGN, id="non-commission-foreign", marks=LONG_ONLY),
        pytest.param(POKER, "rig", UNREAD, id="poker-unread", marks=LONG_ONLY),
        pytest.param(LUCKY, "rig_full", JAM, id="lucky-full-jam", marks=LONG_ONLY),
    ],
)
def test_a_round_with_a_trouble_is_played_to_its_end(tmp_path, book, rig, trouble):
    floor, log, pair = pair_floor(tmp_path, book, rig)
    highs = lines_driven_high(pair)
    trouble.cause(floor)
    play(floor, 1, 20)
    records = list(log.records())
    assert list(floor.bridge.alarms) == []
    assert floor.bridge.replay.round.is_over()
    assert any(map(trouble.shows, records))
    assert {record[1] for record in records if record[0] == "fault"} == trouble.faults
    assert not {record[0] for record in records} & {"sensed", "held", "denied"}
    assert highs == []


def lines_driven_high(pair):
    """The rig's lines that are ever driven high from now on: they are open drain, so none may be."""
    highs = []
    for wire in pair.lines:
        pair.rig.on_pin(wire.rig, lambda level, pin=wire.rig: highs.append(pin) if level else None)
    return highs
