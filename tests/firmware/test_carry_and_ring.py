"""What a table carries replaces its ring's records only once it is known to be whole and its own."""

import pytest

from shared.journal.carry import CARRY_FILE
from shared.journal.chain import BrokenChain
from tests.support.firmware.littlefs_pico import ring_table, start
from tests.support.nor_flash import Files


def test_a_file_that_is_no_carry_costs_no_record():
    flash, journal = ring_table()
    files = Files(flash)
    with files.open(CARRY_FILE, "wb") as file:
        file.write(b"junk\n")
    with pytest.raises(BrokenChain):
        start(flash)
    Files(flash).os.remove(CARRY_FILE)
    assert start(flash).journal.chain.number > journal.chain.number
