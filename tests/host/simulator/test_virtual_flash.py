"""A simulated flash does what a Pico's does: bits only turn to 0, and a power cut leaves things half done."""

import random

import pytest

from host.simulator.virtual_flash import PAGE, SECTOR, FlashChip
from host.simulator.virtual_pico import PowerCut
from shared.journal.journal import SEGMENTS, Journal
from shared.journal.seal import Sealer

SEALER = Sealer(bytes(32))


def random_bytes(count):
    return random.Random(7).randbytes(count)


@pytest.fixture(scope="module")
def made():
    """A chip with a ring."""
    chip = FlashChip()
    dice = random.Random(1)
    chip.open_storage(dice.randbytes)
    return chip


def page_of(chip, block, offset=0):
    into = bytearray(PAGE)
    chip.readblocks(block, into, offset)
    return bytes(into)


def test_bits_only_turn_to_0_until_the_sector_is_erased():
    chip = FlashChip()
    assert page_of(chip, 3) == b"\xff" * PAGE
    chip.writeblocks(3, b"\x0f" * PAGE, 0)
    chip.writeblocks(3, b"\xf3" * PAGE, 0)
    assert page_of(chip, 3) == b"\x03" * PAGE
    assert page_of(chip, 3, PAGE) == b"\xff" * PAGE
    chip.ioctl(6, 3)
    assert page_of(chip, 3) == b"\xff" * PAGE


def test_reading_goes_over_the_end_of_a_page():
    chip = FlashChip()
    chip.writeblocks(3, bytes(PAGE), PAGE)
    into = bytearray(4)
    chip.readblocks(3, into, PAGE - 2)
    assert into == b"\xff\xff\x00\x00"


@pytest.mark.parametrize("kept", [0, 3, 7])
def test_a_power_cut_leaves_a_write_half_done(kept):
    chip = FlashChip()
    chip.cut_in, chip.kept = 1, kept
    chip.writeblocks(3, bytes(PAGE), 0)
    with pytest.raises(PowerCut):
        chip.writeblocks(4, bytes(PAGE), 0)
    assert page_of(chip, 4) == bytes(PAGE * kept // 8) + b"\xff" * (PAGE - PAGE * kept // 8)
    with pytest.raises(PowerCut):
        chip.writeblocks(5, bytes(PAGE), 0)
    assert page_of(chip, 5) == b"\xff" * PAGE


def test_a_power_cut_leaves_an_erase_half_done():
    chip = FlashChip()
    chip.writeblocks(3, b"\x0f" * PAGE, 0)
    chip.cut_in, chip.kept = 0, 4
    with pytest.raises(PowerCut):
        chip.ioctl(6, 3)
    assert page_of(chip, 3) == b"\xff" * PAGE
    assert page_of(chip, 3, SECTOR - PAGE) == bytes(PAGE)


def test_weak_flash_takes_nothing_and_broken_flash_says_so():
    chip = FlashChip()
    chip.weak = 1
    chip.writeblocks(3, bytes(PAGE), 0)
    assert page_of(chip, 3) == b"\xff" * PAGE
    chip.is_broken = True
    with pytest.raises(OSError, match="the flash is broken"):
        chip.writeblocks(3, bytes(PAGE), 0)


def test_a_ring_is_made_once_and_found_again(made):
    ring = made.open_storage(random_bytes)
    assert len(ring.blocks) == len(set(ring.blocks)) == SEGMENTS
    assert ring.ready() == SEGMENTS
    assert list(made.open_storage(random_bytes).blocks) == list(ring.blocks)


def test_a_journal_on_a_copy_leaves_the_chip_as_it_was(made):
    before = {place: bytes(page) for place, page in made.pages.items()}
    copy = made.copy()
    journal = Journal(copy.open_storage(random_bytes), SEALER, "T1")
    for number in range(300):
        journal.append(["call", f"post {number}"])
    again = Journal(copy.open_storage(random_bytes), SEALER, "T1")
    assert again.chain.number == 300
    assert {place: bytes(page) for place, page in made.pages.items()} == before


def append_until_cut(journal):
    """How many records were on flash by what the journal said."""
    for kept in range(1000):
        try:
            journal.append(["call", "somebody"])
        except PowerCut:
            return kept
    raise AssertionError("the power never went")


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_journal_whose_write_is_cut_off_has_all_or_nothing_of_it(made, cut):
    chip = made.copy()
    journal = Journal(chip.open_storage(random_bytes), SEALER, "T1")
    chip.cut_in, chip.kept = cut, cut % 8
    kept = append_until_cut(journal)
    chip.cut_in, chip.is_off = -1, False
    assert Journal(chip.open_storage(random_bytes), SEALER, "T1").chain.number in (kept, kept + 1)


def test_a_bit_that_flips_is_found(made):
    chip = made.copy()
    Journal(chip.open_storage(random_bytes), SEALER, "T1").append(["call", "x" * 100])
    chip.flip_bit()
    with pytest.raises(ValueError, match="changed"):
        Journal(chip.open_storage(random_bytes), SEALER, "T1")
