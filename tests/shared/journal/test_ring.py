"""The journal's ring of raw flash sectors: on flash that loses its power at any operation, and that wears out."""

import random

import pytest

from host.measure.wear import PROMISED_SHARE, PROMISED_YEARS, play_rounds
from shared.journal.journal import _READY, SEGMENTS, Journal, JournalFull, Reader
from shared.journal.ring import _BAD, _EMPTY, SECTOR, Ring, RingFailed, read_header
from shared.journal.ring_making import check_files, make_ring, open_ring, read_map, write_headers
from shared.journal.wire import decode
from tests.shared.journal.test_journal import SEALER, append_all, rounds_of_records, whole_round
from tests.support.nor_flash import BLOCK, Files, NorFlash, cuts
from tests.support.tables import GAMES

SECTORS = 12


def nothing():
    pass


def bare_ring(count=SECTORS):
    """A ring without files, its sectors freshly erased, in an order that is not that of the blocks."""
    flash = NorFlash(blocks=2 * count)
    blocks = random.Random(1).sample(range(2 * count), count)
    write_headers(flash, 1, blocks, [1] * count, nothing)
    flash.operations.clear()
    return flash, Ring(flash, 1, blocks)


def again(flash, ring, cells=None):
    """The same ring after a restart."""
    if cells is not None:
        flash = NorFlash(cells)
    return flash, Ring(flash, ring.generation, ring.blocks)


def erases_of(ring):
    return [ring.erases(place) for place in range(len(ring.blocks))]


def open_journal(ring):
    return Journal(ring, SEALER, "T1")


def records_of(journal, first=1):
    return [decode(line)[3] for line in journal.lines_from(first)]


# -- a storage like any other


def test_what_is_appended_is_there_after_a_restart():
    flash, ring = bare_ring()
    journal = open_journal(ring)
    records = list(rounds_of_records(3))
    for record in records:
        journal.append(record)
    assert records_of(journal) == records
    _, ring = again(flash, ring)
    assert records_of(open_journal(ring)) == records
    assert len(ring.names()) > 1


def test_an_append_erases_nothing_and_programs_one_page_a_call():
    flash, ring = bare_ring()
    journal = open_journal(ring)
    for record in rounds_of_records(5):
        journal.append(record)
    assert all(data is not None for _, data in flash.operations)


def test_old_segments_go_lap_after_lap_and_every_sector_is_erased_alike():
    flash, ring = bare_ring()
    journal = open_journal(ring)
    written = 0
    for record in rounds_of_records(200):
        journal.append(record)
        written += len(journal.recent[-1])
        journal.acknowledge(journal.chain.number)
        while journal.prepare() and ring.ready() < 4:
            pass
    laps = sorted(flash.erases[block] for block in ring.blocks)
    assert laps[0] > 3
    assert laps[-1] - laps[0] <= 1
    assert sorted(erases_of(ring)) == laps, "counted as it was"
    _, same = again(flash, ring)
    assert erases_of(same) == erases_of(ring)
    journal = open_journal(same)
    assert journal.chain.number == len(list(rounds_of_records(200)))
    assert sum(laps) - SECTORS <= written / SECTOR * 1.2


def test_what_the_host_lacks_is_never_dropped():
    flash, ring = bare_ring()
    journal = open_journal(ring)
    with pytest.raises(JournalFull):
        append_all(journal, rounds_of_records(1000))
    assert journal.first() == 1
    _, ring = again(flash, ring)
    assert len(records_of(open_journal(ring))) == journal.chain.number


def test_segments_are_made_ready_ahead_for_a_whole_round():
    flash, ring = bare_ring(40)
    journal = open_journal(ring)
    for record in rounds_of_records(45):
        journal.append(record)
    journal.acknowledge(journal.chain.number)
    assert ring.ready() < _READY
    while ring.ready() < _READY:
        assert journal.prepare()
    assert not any(data is None for _, data in flash.operations[: -_READY * 20])
    flash.operations.clear()
    for record in rounds_of_records(20):
        journal.append(record)
    assert all(data is not None for _, data in flash.operations), "nothing is erased in a round"


def test_a_reader_follows_what_is_written_record_by_record():
    """It never takes flash that is not written yet for a line, also where a segment is begun ahead."""
    _, ring = bare_ring()
    journal = open_journal(ring)
    records = list(rounds_of_records(5))
    readers = []
    for number, record in enumerate(records, 1):
        if number % 7 == 1:
            readers.append((number, Reader(journal, number), []))
        journal.append(record)
        for _, reader, heard in readers:
            line = reader.next()
            if line:
                heard.append(decode(line)[3])
        journal.settle_down(True)
    for first, reader, heard in readers:
        while line := reader.next():
            heard.append(decode(line)[3])
        assert heard == records[first - 1 :]


@pytest.mark.slow
def test_full_rounds_leave_the_flash_ten_years():
    wear = play_rounds()
    assert wear.share <= PROMISED_SHARE
    assert wear.years >= PROMISED_YEARS


# -- power cuts


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_power_cut_at_every_flash_operation_of_a_round_loses_nothing_and_repeats_nothing(game):
    """On a small ring that has turned over, so that cuts fall on heads, numbers, drops, erases and headers."""
    _, records = whole_round(game)
    flash, ring = bare_ring(6)
    journal = open_journal(ring)
    for record in rounds_of_records(16):
        journal.append(record)
        journal.acknowledge(journal.chain.number)
    number = journal.chain.number
    before = bytes(flash.cells)
    erases = dict(flash.erases)
    flash.operations.clear()
    told_after = []  # operations done when each append returned
    opening = [["begin", 1, "open"], ["carried", "number", 16]]
    records = opening + records
    for place, record in enumerate(records):
        journal.append(record)
        told_after.append(len(flash.operations))
        if place % 3 == 0:
            journal.acknowledge(journal.chain.number)
            ring.prepare()
    kinds = {data is None for _, data in flash.operations}
    assert kinds == {True, False}
    done = dict(erases)
    for cut, cells in cuts(before, flash.operations, game):
        start, data = flash.operations[cut]
        if data is None:
            done[start // BLOCK] += 1
        told = sum(1 for after in told_after if after <= cut)
        after_cut, same = again(flash, ring, cells)
        opened = open_journal(same)
        kept = records_of(opened, number + 1)
        assert kept == records[: len(kept)], cut
        assert told <= len(kept) <= told + 1, cut
        for place, block in enumerate(same.blocks):
            # One erase may be counted that did not come to pass, none is forgotten.
            assert done[block] <= same.erases(place) <= done[block] + 1, (cut, place)
        assert _BAD not in same.states
        for record in records[len(kept) :]:
            opened.append(record)
            opened.acknowledge(opened.chain.number)
        assert records_of(opened, number + 1)[-10:] == records[-10:], cut
        assert opened.chain.number == number + len(records)
        _, same = again(after_cut, ring)
        assert records_of(open_journal(same), number + 1)[-10:] == records[-10:], cut


# -- flash that does not take what it is given


def test_a_page_that_fails_is_skipped_and_its_sector_not_used_again():
    flash, ring = bare_ring()
    journal = open_journal(ring)
    records = list(rounds_of_records(3))
    for record in records[:10]:
        journal.append(record)
    sector = ring.newest
    flash.weak.add((ring.blocks[sector], (32 + ring.end) // 256 * 256 + 256))
    for record in records[10:]:
        journal.append(record)
    assert records_of(journal) == records
    _, ring = again(flash, ring)
    journal = open_journal(ring)
    assert records_of(journal) == records
    journal.acknowledge(journal.chain.number)
    for record in rounds_of_records(200):
        journal.append(record)
        journal.acknowledge(journal.chain.number)
    assert ring.states[sector] == _BAD
    assert ring.capacity == SECTORS - 1
    assert flash.erases[ring.blocks[sector]] == 1
    _, ring = again(flash, ring)
    assert ring.states[sector] == _BAD, "remembered"
    assert open_journal(ring).chain.number == journal.chain.number


def test_a_sector_that_cannot_be_erased_is_skipped_and_remembered():
    flash, ring = bare_ring()
    journal = open_journal(ring)
    flash.stuck.add(ring.blocks[3])
    for record in rounds_of_records(100):
        journal.append(record)
        journal.acknowledge(journal.chain.number)
    assert ring.states[3] == _BAD
    _, ring = again(flash, ring)
    assert ring.states[3] == _BAD
    assert open_journal(ring).chain.number == journal.chain.number


def test_a_first_page_that_fails_costs_its_sector_and_no_record():
    flash, ring = bare_ring()
    flash.weak.update((block, 0) for block in ring.blocks[:3])
    journal = open_journal(ring)
    journal.append(["state", "betting", "3.4"])
    assert records_of(journal) == [["state", "betting", "3.4"]]
    assert ring.capacity == SECTORS - 3


def test_a_ring_that_is_worn_out_is_full_and_keeps_what_it_has():
    flash, ring = bare_ring()
    journal = open_journal(ring)
    journal.append(["state", "betting", "3.4"])
    for block in ring.blocks:
        flash.weak.update((block, at) for at in range(0, BLOCK, 256))
    flash.stuck.update(ring.blocks)
    with pytest.raises(JournalFull):
        journal.append(["state", "closed", "3.11"])
    _, ring = again(flash, ring)
    assert records_of(open_journal(ring)) == [["state", "betting", "3.4"]]


# -- the ring within the filesystem


def opened(flash, files, seed=3):
    return open_ring(flash, files.os, files.open, random.Random(seed).randbytes, nothing, files.cost)


def fresh():
    flash = NorFlash()
    files = Files(flash, format_it=True)
    for folder in ("felt", "shared", "firmware"):
        files.os.mkdir(folder)
    for number in range(40):
        with files.open(f"shared/{number}", "wb") as file:
            file.write(bytes([number]) * 3000)
    return flash, files


def test_a_ring_is_made_once_and_found_again():
    flash, files = fresh()
    ring = opened(flash, files)
    assert len(set(ring.blocks)) == ring.count(_EMPTY) == SEGMENTS
    files = Files(flash)
    flash.operations.clear()
    same = opened(flash, files)
    assert same.blocks == ring.blocks
    assert not flash.operations, "looking changes nothing"
    assert files.fs.used_block_count < 352 - 40, "there is room for the program"


@pytest.mark.slow
def test_the_filesystem_never_touches_the_ring():
    flash, files = fresh()
    ring = opened(flash, files)
    journal = open_journal(ring)
    dice = random.Random(4)
    ours = set(ring.blocks)
    for turn, record in enumerate(rounds_of_records(250)):
        journal.append(record)
        journal.acknowledge(journal.chain.number)
        journal.prepare()
        name = f"shared/{dice.randrange(40)}"
        before = len(flash.operations)
        with files.open(name, "wb") as file:
            file.write(dice.randbytes(dice.randrange(6000)))
        if turn % 7 == 0:
            files.os.remove(name)
        touched = {start // BLOCK for start, _ in flash.operations[before:]}
        assert not touched & ours
        if turn % 1000 == 0:
            files = Files(flash)
            ring = opened(flash, files)
            journal = open_journal(ring)
    assert open_journal(opened(flash, files)).chain.number == journal.chain.number


def test_a_format_loses_no_sector_and_no_count():
    """As the stock boot does when the filesystem cannot be mounted; the ring made then goes on counting."""
    flash, files = fresh()
    ring = opened(flash, files)
    journal = open_journal(ring)
    for record in rounds_of_records(10):
        journal.append(record)
    blocks, counts = list(ring.blocks), dict(flash.erases)
    files = Files(flash, format_it=True)
    files.os.mkdir("felt")
    assert "ring" not in files.os.listdir("felt")
    headers = [flash.cells[block * BLOCK : block * BLOCK + 32] for block in blocks]
    assert sum(read_header(header) is not None for header in headers) >= 127
    renewed = opened(flash, files, 5)
    assert renewed.generation == ring.generation + 1
    both = set(blocks) & set(renewed.blocks)
    assert both
    for block in both:
        assert renewed.erases(renewed.blocks.index(block)) >= counts[block]


def test_a_power_cut_at_every_operation_of_making_a_ring_leaves_one_that_can_be_made():
    flash = NorFlash(blocks=40)
    files = Files(flash, format_it=True)
    files.os.mkdir("felt")
    before = bytes(flash.cells)
    flash.operations.clear()
    make_ring(flash, files.os, files.open, random.Random(6).randbytes, nothing, files.cost, 4)
    for cut, cells in cuts(before, flash.operations, "making"):
        torn = NorFlash(cells)
        files = Files(torn)
        if "ring" not in files.os.listdir("felt"):
            make_ring(torn, files.os, files.open, random.Random(cut).randbytes, nothing, files.cost, 4)
        generation, blocks = read_map(files.open)
        check_files(torn, files.open, blocks, nothing)
        assert Ring(torn, generation, blocks).count(_EMPTY) == 4, cut


def test_a_file_that_moved_is_found_before_anything_is_written():
    flash, files = fresh()
    opened(flash, files)
    with files.open("ring0/f", "wb") as file:
        file.write(bytes(4096))
    flash.operations.clear()
    with pytest.raises(RingFailed, match="ring_file_moved 5"):
        opened(flash, files)
    assert not flash.operations
