"""The ring after two power cuts at one sector, a cut in the first half of an erase, and flash that refuses."""

import errno
import os

import pytest

from shared.journal.ring import _EMPTY, HEADER, RingFailed
from shared.journal.ring_making import open_ring
from tests.shared.journal.test_journal import rounds_of_records
from tests.shared.journal.test_ring import again, bare_ring, nothing, open_journal
from tests.support.firmware.littlefs_pico import ring_table
from tests.support.nor_flash import BLOCK, Files


def test_an_erase_that_had_turned_all_bits_to_0_when_the_power_went_costs_no_sector():
    """Flash programs a sector to 0 before it erases it, so that its cells wear alike."""
    flash, ring = bare_ring()
    start = ring.blocks[5] * BLOCK
    flash.cells[start : start + BLOCK] = bytes(BLOCK)
    _, ring = again(flash, ring)
    while ring.prepare():
        pass
    assert ring.capacity == ring.ready() == len(ring.blocks)


def test_a_sector_with_a_torn_head_is_not_empty_after_the_next_cut_either():
    flash, ring = bare_ring()
    ring.append("00000001", b"[1]\n")
    torn = ring.next(_EMPTY)
    assert torn is not None
    ring.program(torn, HEADER, b'["seg",2,')  # the power goes before its number is there
    _, ring = again(flash, ring)
    ring.append("00000002", b"[2]\n")  # in the sector after that one
    _, ring = again(flash, ring)
    assert ring.is_blank(torn, HEADER) or ring.states[torn] != _EMPTY


def test_a_segment_whose_header_takes_nothing_more_does_not_come_back_after_the_next_ones_went():
    flash, ring = bare_ring()
    journal = open_journal(ring)
    for record in rounds_of_records(12):
        journal.append(record)
        journal.acknowledge(journal.chain.number)
    flash.weak.add((ring.blocks[ring.place_of(f"{journal.oldest:08d}")], 0))
    assert journal.drop()
    assert journal.drop()
    _, ring = again(flash, ring)
    assert open_journal(ring).chain.number == journal.chain.number


def test_two_sectors_that_fail_in_a_row_stop_nothing():
    flash, ring = bare_ring()
    journal = open_journal(ring)
    journal.append(["quiet", 1])
    for step in range(3):
        flash.weak.update((ring.blocks[(ring.newest + step) % len(ring.blocks)], page) for page in (0, 256))
    for number in range(2, 40):
        journal.append(["quiet", number])
    _, ring = again(flash, ring)
    assert open_journal(ring).chain.number == journal.chain.number == 39


def test_a_map_that_cannot_be_read_is_not_a_missing_one():
    flash, journal = ring_table()
    files = Files(flash)
    segments = journal.storage.names()

    def failing(path, mode="r"):
        if path == "felt/ring" and "r" in mode:
            raise OSError(errno.EIO)
        return files.open(path, mode)

    with pytest.raises((OSError, RingFailed)):
        open_ring(flash, files.os, failing, os.urandom, nothing, files.cost)
    assert open_ring(flash, files.os, files.open, os.urandom, nothing, files.cost).names() == segments
