"""The chain of sealed records: every single change to a log is found, and where."""

import hashlib
import hmac
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.journal.chain import BrokenChain, Chain
from shared.journal.seal import SEAL_LENGTH, Sealer, same
from shared.journal.wire import decode, encode
from tests.support.campaign import LONG, SHORT

KEY = bytes(range(32))
RECORDS = 1000


def write_log(count=RECORDS, key=KEY, table="T1", boot=3):
    chain = Chain(Sealer(key), table)
    return [chain.write(boot, ["state", "betting", str(number)])[:-1] for number in range(count)]


LOG = write_log()


def verify(lines, key=KEY, table="T1"):
    chain = Chain(Sealer(key), table)
    for line in lines:
        chain.follow(line)
    return chain


def broken(lines, **who):
    with pytest.raises(BrokenChain) as caught:
        verify(lines, **who)
    return caught.value.number, caught.value.how


@given(st.binary(min_size=32, max_size=32), st.lists(st.binary(max_size=200), max_size=4))
def test_the_seal_is_hmac_sha_256(key, parts):
    assert Sealer(key).digest(*parts) == hmac.new(key, b"".join(parts), hashlib.sha256).digest()


def test_rfc_4231_first_case():
    """Its key is shorter than a table's, which padding with zeros makes no difference to."""
    key = b"\x0b" * 20 + bytes(12)
    assert Sealer(key).digest(b"Hi There").hex().startswith("b0344c61d8db38535ca8afceaf0bf12b")


@pytest.mark.parametrize("key", [b"", b"short", bytes(31), bytes(33), "x" * 32, None])
def test_there_is_no_table_without_its_key(key):
    with pytest.raises(ValueError, match="32 bytes"):
        Sealer(key)


def test_seals_are_at_least_64_bits_and_compared_whole():
    assert SEAL_LENGTH >= 8
    assert same(b"abc", b"abc")
    assert not same(b"abc", b"abd")
    assert not same(b"abc", b"ab")


def test_a_whole_log_verifies_and_another_key_or_table_does_not():
    assert verify(LOG).number == RECORDS
    assert broken(LOG, key=bytes(32)) == (1, "changed")
    assert broken(LOG, table="T2") == (1, "changed")


def test_verifying_can_begin_at_any_known_seal():
    middle = verify(LOG[:400])
    chain = Chain(Sealer(KEY), "T1", middle.number, middle.last)
    for line in LOG[400:]:
        chain.follow(line)
    assert chain.last == verify(LOG).last


@pytest.mark.parametrize("place", [0, 1, 499, 998])
def test_a_missing_line_is_found_where_it_is_missing(place):
    assert broken(LOG[:place] + LOG[place + 1 :]) == (place + 1, "missing")


def test_every_deleted_swapped_inserted_or_repeated_line_is_found():
    """In each place of the log: the line after it, the one before it again, and a foreign one."""
    foreign = write_log(3, key=bytes(32))
    for place in range(RECORDS - 1):
        assert broken_at(place, LOG[place + 1]) == (place + 1, "missing")
        if place:
            assert broken_at(place, LOG[place - 1]) == (place + 1, "reordered")
        broken_at(place, foreign[place % 3])


MARKS = [bytes.fromhex(decode(line)[4]) for line in LOG]


def broken_at(place, line):
    """What following `line` says in the place of record place + 1."""
    before = MARKS[place - 1] if place else None
    chain = Chain(Sealer(KEY), "T1", place, before)
    with pytest.raises(BrokenChain) as caught:
        chain.follow(line)
    return caught.value.number, caught.value.how


def test_any_single_flipped_bit_is_found():
    """Every bit of every line in the long campaign, of every tenth line else, of every hundredth in the short."""
    for place in range(0, RECORDS, 1 if LONG else 100 if SHORT else 10):
        for byte in range(len(LOG[place])):
            for bit in range(8):
                line = bytearray(LOG[place])
                line[byte] ^= 1 << bit
                broken_at(place, bytes(line))


def test_a_line_made_without_the_key_is_found_whatever_it_says():
    dice = random.Random("forged")
    for place in range(0, RECORDS, 7):
        message = decode(LOG[place])
        message[3] = ["line", 1, "P1", "initial", "win", 1, 1, 10**6]
        assert broken_at(place, encode(message)[:-1]) == (place + 1, "changed")
        message[4] = dice.randbytes(SEAL_LENGTH).hex()
        assert broken_at(place, encode(message)[:-1]) == (place + 1, "changed")
        assert broken_at(place, encode(message[:4])[:-1]) == (place + 1, "unsealed")


def test_an_old_line_resealed_for_another_boot_or_number_does_not_fit():
    other_boot = write_log(5, boot=4)
    assert broken_at(2, other_boot[2]) == (3, "changed")


def test_a_chain_taken_up_at_the_wrong_number_is_found():
    chain = Chain(Sealer(KEY), "T1", 7, MARKS[4])
    with pytest.raises(BrokenChain) as caught:
        chain.follow(LOG[5])
    assert (caught.value.number, caught.value.how, caught.value.detail) == (8, "reordered", ("other_number", "6"))
    assert str(caught.value) == "8 reordered other_number 6"
