"""The reader with fixed frames: frames worked out by hand, and a lost one known by the number of the next."""

from binascii import crc_hqx

import pytest

from firmware.drivers.fixed_frames import FixedFrames, crc_of
from shared.rules import cards
from tests.support.firmware.heard import Heard

KING_OF_SPADES = bytes.fromhex("a5 43 07 4b 53 00 09 2b")  # number 7


def frame(kind, number, data=b""):
    """By another CRC than the driver's: that of the standard library."""
    body = kind + bytes([number]) + data.ljust(3, b"\0")
    return b"\xa5" + body + crc_hqx(body, 0xFFFF).to_bytes(2, "big")


def card(number, text, up=0):
    return frame(b"C", number, text.encode() + bytes([up]))


def test_the_crc_is_the_published_one():
    assert crc_of(b"123456789") == 0x29B1
    assert card(7, "KS") == KING_OF_SPADES


@pytest.mark.parametrize(
    ("data", "meaning"),
    [
        (KING_OF_SPADES, ("card", "KS", False)),
        (card(7, "KS", 1), ("card", "KS", True)),
        (card(7, "XX"), ("card", "XX", False)),
        (frame(b"C", 7, b"\x00\xff\x00"), ("card", "??", False)),
        (frame(b"U", 7), ("card", cards.UNREAD, False)),
        (frame(b"E", 7, b"\x05"), ("fault", "reader_error", "code 5")),
        (frame(b"S", 7), ("note", "HELLO")),
        (frame(b"x", 7), ("note", "unknown report")),
    ],
)
def test_what_it_reports(data, meaning):
    assert Heard(FixedFrames).hear(data) == [meaning]


def test_every_card_and_every_number_once():
    reader = Heard(FixedFrames)
    heard = [said for count in range(600) for said in reader.hear(card(count % 256, cards.text(count % 52)))]
    assert heard == [("card", cards.text(count % 52), False) for count in range(600)]


def test_a_number_that_comes_again_is_a_repetition():
    reader = Heard(FixedFrames)
    assert reader.hear(KING_OF_SPADES * 3) == [("card", "KS", False)]
    assert reader.hear(card(8, "KS")) == [("card", "KS", False)], "under a new number it is a second card"


@pytest.mark.parametrize(("last", "came"), [(7, 9), (7, 6), (255, 1), (254, 0), (0, 255)])
def test_a_gap_is_a_fault_that_comes_before_the_card_that_shows_it(last, came):
    reader = Heard(FixedFrames)
    reader.hear(card(last, "KS"))
    assert reader.hear(card(came, "QS")) == [("fault", "reader_gap", f"{last} {came}"), ("card", "QS", False)]
    assert reader.hear(card((came + 1) % 256, "JS")) == [("card", "JS", False)]


def test_alive_shows_that_the_last_report_was_lost():
    reader = Heard(FixedFrames)
    reader.hear(card(7, "KS"))
    assert reader.hear(frame(b"A", 7), 800) == []
    assert reader.hear(frame(b"A", 8), 1600) == [("fault", "reader_gap", "7 8")]
    assert reader.hear(frame(b"A", 8) + card(9, "QS"), 2400) == [("card", "QS", False)]


def test_a_start_begins_anew():
    reader = Heard(FixedFrames)
    reader.hear(card(7, "KS"))
    assert reader.hear(frame(b"S", 0) + card(1, "QS")) == [("note", "HELLO"), ("card", "QS", False)]
    assert reader.hear(frame(b"S", 0) + card(2, "JS"))[1:] == [
        ("fault", "reader_gap", "0 2"),
        ("card", "JS", False),
    ]


def test_a_silent_reader_is_a_fault_once_and_its_return_is_noted():
    reader = Heard(FixedFrames)
    assert reader.hear(b"", 3000) == []
    assert reader.hear(b"", 3001) == [("fault", "reader_silent", "")]
    assert reader.hear(b"", 60_000) == []
    assert reader.hear(frame(b"A", 0), 61_000) == [("note", "BACK")]


def test_160_bytes_without_a_good_frame_are_a_fault_said_once():
    reader = Heard(FixedFrames)
    assert reader.hear(b"x" * 166) == []
    assert reader.hear(b"x") == [("fault", "reader_nonsense", "")]
    assert reader.hear(b"\xa5" * 500) == []
    assert reader.hear(KING_OF_SPADES) == [("card", "KS", False)]
    assert reader.hear(b"x" * 167) == [("fault", "reader_nonsense", "")]


def test_a_card_inside_a_damaged_frame_is_found():
    assert Heard(FixedFrames).hear(b"\xa5C\x07" + KING_OF_SPADES) == [("card", "KS", False)]
