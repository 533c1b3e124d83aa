"""The journal on littlefs itself, with the power cut at every program and erase of a whole round."""

import bisect

import pytest

from shared.journal.journal import Journal
from shared.journal.wire import decode
from tests.shared.journal.test_journal import SEALER, whole_round
from tests.support.flash import Flash, LittlefsStorage, cut_at
from tests.support.tables import GAMES

pytestmark = pytest.mark.slow

SEGMENT_BYTES = 3000


def open_journal(flash):
    return Journal(LittlefsStorage(flash), SEALER, "T1", segment_bytes=SEGMENT_BYTES)


def records_of(journal):
    return [decode(line)[3] for line in journal.lines_from(1)]


@pytest.mark.parametrize("game", GAMES)
def test_a_power_cut_at_every_flash_operation_loses_nothing(game):
    _, records = whole_round(game)
    flash = Flash()
    LittlefsStorage(flash, format_it=True)
    before = bytes(flash.cells)
    flash.operations.clear()
    journal = open_journal(flash)
    told_after = []  # operations done when each append returned
    for record in records:
        journal.append(record)
        told_after.append(len(flash.operations))

    for cut in range(len(flash.operations)):
        told = bisect.bisect_right(told_after, cut)
        again = open_journal(Flash(cut_at(before, flash.operations, cut)))
        kept = records_of(again)
        assert kept == records[: len(kept)], cut
        assert told <= len(kept) <= told + 1, cut
        for record in records[len(kept) :]:
            again.append(record)
        assert records_of(again) == records, cut
    assert len(flash.operations) > len(records)
