"""The Angel Eye shoe: reports worked out by hand, each counted once however its three copies are disturbed."""

import random
from functools import reduce
from operator import xor

import pytest

from firmware.drivers.angel_eye import AngelEye, card_of, lock_command
from host.simulator.devices import AngelEyeShoe
from shared.rules import cards
from tests.support.campaign import LONG
from tests.support.firmware.heard import Heard

# Worked out by hand: the BCC is the XOR from the sequence byte through ETX, e.g. 31^44^31^3D^03 = 7A.
KING_OF_SPADES = bytes.fromhex("05 31 44 31 3D 03 37 41")  # sequence 31, D, target 1, 3D
START = bytes.fromhex("05 30 53 03 36 30")
ERROR_7 = bytes.fromhex("05 32 45 47 03 33 33")  # 47: bit 6, in error mode, and code 7
SEQUENCE_IS_ENQ = bytes.fromhex("05 05 44 31 41 03 33 32")  # ace of hearts
SEQUENCE_IS_ETX = bytes.fromhex("05 03 44 31 1A 03 36 46")  # ten of diamonds
ACK = b"\x06"
NAK = b"\x15\x31"

LOCK = bytes.fromhex("02 4F 50 4C 4B 30 32 03") + b"1B"
UNLOCK = bytes.fromhex("02 4F 50 4C 4B 30 31 03") + b"18"


def report(sequence, data):
    body = bytes([sequence]) + data + b"\x03"
    return b"\x05" + body + b"%02X" % reduce(xor, body)


def card_report(sequence, card):
    """A card's report by the published table: suits 1 to 4 are diamonds, clubs, spades, hearts."""
    byte = (" DCSH".index(card[1]) << 4) + " A23456789TJQK".index(card[0])
    return report(sequence, b"D1" + bytes([byte]))


# -- reports


@pytest.mark.parametrize(
    ("frame", "meaning"),
    [
        (KING_OF_SPADES, ("card", "KS", False)),
        (START, ("note", "start")),
        (ERROR_7, ("fault", "reader_error", "code 7")),
        (SEQUENCE_IS_ENQ, ("card", "AH", False)),
        (SEQUENCE_IS_ETX, ("card", "TD", False)),
    ],
)
def test_worked_reports_come_three_times_and_count_once(frame, meaning):
    shoe = Heard(AngelEye)
    assert shoe.hear(frame * 3) == [meaning]
    assert shoe.hear(b"", 60_000) == [], "a shoe that nobody draws from is silent, and that is no fault"


def test_the_test_s_own_reports_are_the_worked_ones():
    assert report(0x30, b"S") == START
    assert report(0x32, b"E\x47") == ERROR_7
    assert card_report(0x31, "KS") == KING_OF_SPADES
    assert card_report(5, "AH") == SEQUENCE_IS_ENQ
    assert card_report(3, "TD") == SEQUENCE_IS_ETX


def test_the_same_card_under_a_new_sequence_byte_is_a_second_card():
    shoe = Heard(AngelEye)
    assert shoe.hear(card_report(0x31, "KS") * 3) == [("card", "KS", False)]
    assert shoe.hear(card_report(0x32, "KS") * 3) == [("card", "KS", False)]


@pytest.mark.parametrize("card", [cards.text(card) for card in range(52)])
def test_every_card(card):
    assert Heard(AngelEye).hear(card_report(0x40, card)) == [("card", card, False)]


def test_the_bytes_that_are_no_card():
    found = [card_of(byte) for byte in range(128)]
    assert sorted(card for card in found if card != cards.UNREAD) == sorted(
        cards.text(card) for card in range(52)
    )
    assert [byte for byte in range(0x10, 0x50) if found[byte] == cards.UNREAD] == [
        *(0x10, 0x1E, 0x1F, 0x20, 0x2E, 0x2F),
        *(0x30, 0x3E, 0x3F, 0x40, 0x4E, 0x4F),
    ]
    assert Heard(AngelEye).hear(report(0x31, b"D1\x7f")) == [("card", "??", False)]


@pytest.mark.parametrize("sequence", range(256))
def test_any_sequence_byte_will_do(sequence):
    shoe = Heard(AngelEye)
    assert shoe.hear(card_report(sequence, "9C") * 3) == [("card", "9C", False)]
    assert shoe.hear(card_report((sequence + 1) % 256, "8C") * 3) == [("card", "8C", False)]


@pytest.mark.parametrize(
    ("data", "meaning"),
    [
        (b"P", ("note", "standby")),
        (b"C", ("note", "cutting card")),
        (b"R", ("note", "re-deal")),
        (b"L\x31", ("note", "lock")),
        (b"G\x33", ("note", "result")),
        (b"d1\x4c", ("card", "QH", False)),
        (b"d\x4c", ("card", "QH", False)),
        (b"d1\x7f", ("card", "??", False)),
        (b"d", ("note", "unknown report")),
        (b"E\x43", ("fault", "reader_error", "code 3")),
        (b"E\x03", ("fault", "reader_error", "code 3")),
        (b"E\x45", ("fault", "reader_error", "code 5")),
        (b"E\x05", ("fault", "reader_error", "code 5")),
        (b"e\x07", ("note", "error cleared")),
        (b"D1", ("note", "unknown report")),
        (b"D", ("note", "unknown report")),
        (b"x", ("note", "unknown report")),
        (b"\x03", ("note", "unknown report")),
        (b"\x05\x05\x05", ("note", "unknown report")),
    ],
)
def test_what_else_it_reports(data, meaning):
    assert Heard(AngelEye).hear(report(0x31, data) * 3) == [meaning]


def test_a_long_report_is_found_behind_bytes_that_begin_like_one():
    shoe = Heard(AngelEye)
    longest = report(0x31, b"G" + bytes(range(0x40, 0x4A)))
    assert len(longest) == 16
    assert shoe.hear(b"\x05" + b"x" * 40 + longest) == [("note", "result")]


def test_bytes_may_come_one_by_one():
    shoe = Heard(AngelEye)
    heard = [said for byte in KING_OF_SPADES * 3 for said in shoe.hear(bytes([byte]))]
    assert heard == [("card", "KS", False)]


# -- the sequence byte


def test_the_first_report_may_have_any_sequence_byte_and_is_no_gap():
    for sequence in range(256):
        assert Heard(AngelEye).hear(card_report(sequence, "KS") * 3) == [("card", "KS", False)]


def test_the_sequence_byte_counts_from_0_to_9_and_begins_again():
    shoe = Heard(AngelEye)
    heard = []
    for count in range(35):
        heard += shoe.hear(card_report(0x30 + count % 10, cards.text(count)) * 3)
    assert heard == [("card", cards.text(count), False) for count in range(35)]


def test_a_shoe_that_counts_past_9_is_taken_as_it_counts():
    shoe = Heard(AngelEye)
    heard = [said for sequence in range(0x38, 0x42) for said in shoe.hear(card_report(sequence, "KS") * 3)]
    assert heard == [("card", "KS", False)] * 10


@pytest.mark.parametrize(
    ("last", "came"), [(0x31, 0x33), (0x31, 0x30), (0x39, 0x31), (0x38, 0x30), (0x6F, 0x30), (0x32, 0x41)]
)
def test_a_gap_is_a_fault_that_comes_before_the_card_that_shows_it(last, came):
    shoe = Heard(AngelEye)
    shoe.hear(card_report(last, "KS") * 3)
    fault = ("fault", "reader_gap", f"{last:02X} {came:02X}")
    assert shoe.hear(card_report(came, "QS") * 3) == [fault, ("card", "QS", False)]
    assert shoe.hear(card_report(came + 1, "JS") * 3) == [("card", "JS", False)], "it counts on from there"


def test_another_report_under_the_same_sequence_byte_is_no_copy():
    """Ten were lost, or the shoe has restarted without saying so: in any case something is missing."""
    shoe = Heard(AngelEye)
    shoe.hear(card_report(0x31, "KS") * 3)
    assert shoe.hear(card_report(0x31, "QS") * 3) == [("fault", "reader_gap", "31 31"), ("card", "QS", False)]


@pytest.mark.parametrize("last", [0x30, 0x35, 0x39])
def test_a_start_begins_anew_and_the_count_goes_on_from_it(last):
    shoe = Heard(AngelEye)
    shoe.hear(card_report(last, "KS") * 3)
    assert shoe.hear(START * 3) == [("note", "start")], "also under the sequence byte of the last report"
    assert shoe.hear(KING_OF_SPADES * 3) == [("card", "KS", False)]
    shoe.hear(START * 3)
    assert shoe.hear(card_report(0x32, "QS") * 3) == [("fault", "reader_gap", "30 32"), ("card", "QS", False)]


# -- copies that are disturbed


def disturbances(frame):
    """The frame with one byte lost, doubled, or with any one bit flipped; and with its end or start cut off."""
    for place in range(len(frame)):
        yield frame[:place] + frame[place + 1 :]
        yield frame[:place] + frame[place : place + 1] * 2 + frame[place + 1 :]
        yield frame[:place]
        yield frame[place:]
        for bit in range(8):
            yield frame[:place] + bytes([frame[place] ^ 1 << bit]) + frame[place + 1 :]


def check_counts_once(frame, *arrangements):
    """Whatever is wrong with the copies that an arrangement calls bad, the report and the next one count once."""
    expected = Heard(AngelEye).hear(frame)
    for bad in disturbances(frame):
        for arrangement in arrangements:
            copies = b"".join(frame if good else bad for good in arrangement)
            shoe = Heard(AngelEye)
            assert shoe.hear(copies) == expected, copies.hex(" ")
            following = card_report(frame[1] + 1, "2C") * 3
            assert shoe.hear(following) == [("card", "2C", False)], copies.hex(" ")


@pytest.mark.parametrize("frame", [KING_OF_SPADES, START, ERROR_7])
def test_one_disturbed_copy_of_three_costs_nothing(frame):
    check_counts_once(frame, (0, 1, 1), (1, 0, 1), (1, 1, 0))


@pytest.mark.parametrize("frame", [SEQUENCE_IS_ENQ, SEQUENCE_IS_ETX])
def test_one_disturbed_copy_costs_nothing_though_its_sequence_looks_like_an_end(frame):
    check_counts_once(frame, (0, 1, 1), (1, 0, 1), (1, 1, 0))


@pytest.mark.parametrize("frame", [KING_OF_SPADES, START, ERROR_7, SEQUENCE_IS_ENQ, SEQUENCE_IS_ETX])
def test_one_good_copy_of_three_is_enough(frame):
    check_counts_once(frame, (0, 0, 1), (0, 1, 0), (1, 0, 0))


def test_three_disturbed_copies_are_no_card_and_the_next_report_shows_that_one_is_missing():
    shoe = Heard(AngelEye)
    shoe.hear(START * 3)
    bad = KING_OF_SPADES[:-1] + b"B"
    assert shoe.hear(bad * 3) == []
    assert shoe.hear(card_report(0x32, "2C") * 3) == [("fault", "reader_gap", "30 32"), ("card", "2C", False)]


def test_a_bcc_in_lower_case_is_wrong():
    assert Heard(AngelEye).hear(KING_OF_SPADES[:-1] + b"a") == []


def test_twenty_bad_reports_in_a_row_are_a_fault_said_once():
    shoe = Heard(AngelEye)
    bad = KING_OF_SPADES[:-1] + b"B"
    assert shoe.hear(bad * 19) == []
    assert shoe.hear(bad) == [("fault", "reader_nonsense", "")]
    assert shoe.hear(bad * 100) == []


def test_a_good_report_starts_the_count_anew():
    shoe = Heard(AngelEye)
    bad = KING_OF_SPADES[:-1] + b"B"
    for sequence in range(0x40, 0x50):
        assert shoe.hear(bad * 19) == []
        assert shoe.hear(report(sequence, b"P")) == [("note", "standby")]
    assert shoe.hear(bad * 20) == [("fault", "reader_nonsense", "")]


def good_frames(stream):
    """Every stretch of a stream that is a report of at most 17 bytes with the right BCC, found a second time."""
    for start in range(len(stream)):
        if stream[start] != 5:
            continue
        for end in range(start + 6, min(start + 17, len(stream)) + 1):
            frame = stream[start:end]
            if frame[-3] == 3 and frame[-2:] == b"%02X" % reduce(xor, frame[1:-2]):
                yield frame


def test_random_bytes_never_raise_and_no_card_comes_of_a_report_whose_bcc_is_wrong():
    for seed in range(1000 if LONG else 100):
        dice = random.Random(f"shoe {seed}")
        shoe = Heard(AngelEye)
        stream = b""
        heard = []
        for _ in range(60):
            frame = card_report(dice.randrange(256), cards.text(dice.randrange(52)))
            piece = dice.choice(
                (
                    dice.randbytes(dice.randrange(40)),
                    bytes(dice.choice((2, 3, 5, 6, 0x15, 0x30, 0x44)) for _ in range(dice.randrange(40))),
                    frame[: dice.randrange(len(frame))],
                    frame[dice.randrange(len(frame)) :],
                    frame,
                )
            )
            stream += piece
            heard += shoe.hear(piece)
        found = [said[1] for said in heard if said[0] == "card"]
        possible = [card_of(frame[-4]) for frame in good_frames(stream) if frame[2:3] in (b"D", b"d")]
        remaining = iter(possible)
        assert all(card in remaining for card in found), seed
        assert found, seed


# -- locking


def test_the_lock_commands_byte_by_byte():
    assert lock_command(True) == LOCK
    assert lock_command(False) == UNLOCK


def test_nothing_is_said_before_a_lock_is_wanted():
    shoe = Heard(AngelEye)
    assert shoe.hear(b"", 60_000) == []
    assert shoe.port.take() == b""


def test_stray_bytes_are_no_answer_and_take_none_back():
    shoe = Heard(AngelEye)
    shoe.driver.lock(True, 0)
    shoe.hear(ACK, 10)
    shoe.port.take()
    shoe.hear(b"A?\x00", 20)
    shoe.hear(b"", 5000)
    assert shoe.port.take() == b""
    shoe.driver.lock(False, 5010)
    shoe.port.take()
    shoe.hear(b"A?\x00", 5020)
    shoe.hear(b"", 6010)
    assert shoe.port.take() == UNLOCK


def test_a_lock_is_asked_for_once_and_every_second_until_the_shoe_answers():
    shoe = Heard(AngelEye)
    shoe.driver.lock(True, 0)
    assert shoe.port.take() == LOCK
    shoe.driver.lock(True, 10)
    shoe.hear(b"", 999)
    assert shoe.port.take() == b""
    shoe.hear(b"", 1000)
    assert shoe.port.take() == LOCK
    shoe.hear(b"", 2000)
    assert shoe.port.take() == LOCK
    shoe.hear(ACK, 2010)
    shoe.hear(b"", 60_000)
    assert shoe.port.take() == b""
    shoe.driver.lock(False, 60_010)
    assert shoe.port.take() == UNLOCK


def test_a_shoe_that_does_not_answer_to_its_lock_for_five_seconds_is_missed_once():
    shoe = Heard(AngelEye)
    shoe.driver.lock(True, 0)
    assert [shoe.hear(b"", now) for now in (1000, 5000)] == [[], []]
    assert shoe.hear(b"", 5001) == [("fault", "reader_silent", "lock")]
    assert shoe.hear(b"", 60_000) == []
    shoe.driver.listen_again(61_000)
    assert shoe.hear(b"", 66_000) == []
    assert shoe.hear(b"", 66_001) == [("fault", "reader_silent", "lock")], "still unplugged"
    assert shoe.hear(ACK, 70_000) == []
    shoe.driver.listen_again(71_000)
    assert shoe.hear(b"", 100_000) == []


def test_a_shoe_that_refuses_its_lock_for_five_seconds_is_out_of_order():
    shoe = Heard(AngelEye)
    shoe.driver.lock(False, 0)
    assert [shoe.hear(NAK, now) for now in (1000, 2000, 3000, 4000)] == [[]] * 4
    assert shoe.hear(b"", 5001) == [("fault", "reader_error", "lock")]


def test_a_refusal_is_no_answer_and_the_lock_is_asked_for_again():
    shoe = Heard(AngelEye)
    shoe.driver.lock(True, 0)
    shoe.port.take()
    assert shoe.hear(NAK, 100) == []
    shoe.hear(b"", 1000)
    assert shoe.port.take() == LOCK
    shoe.hear(ACK, 1100)
    shoe.hear(b"", 5000)
    assert shoe.port.take() == b""


@pytest.mark.parametrize("code", [ACK, NAK[:1], b"\x05"])
def test_the_code_of_a_refusal_may_look_like_an_answer_or_a_report(code):
    shoe = Heard(AngelEye)
    shoe.driver.lock(True, 0)
    for now in range(1000, 5000, 1000):
        assert shoe.hear(NAK[:1], now) == []
        assert shoe.hear(code, now + 10) == []
    assert shoe.hear(b"", 5001) == [("fault", "reader_error", "lock")]
    shoe.port.take()
    assert shoe.hear(NAK[:1] + code + ACK, 5500) == []
    shoe.hear(b"", 10_000)
    assert shoe.port.take() == b"", "it has obeyed"


def test_a_refusal_without_its_code_takes_nothing_from_what_comes_after_a_pause():
    shoe = Heard(AngelEye)
    shoe.driver.lock(True, 0)
    assert shoe.hear(NAK[:1], 100) == []
    assert shoe.hear(KING_OF_SPADES, 300) == [("card", "KS", False)]


def test_an_answer_between_reports_is_heard_and_one_inside_a_report_is_data():
    shoe = Heard(AngelEye)
    shoe.driver.lock(True, 0)
    shoe.port.take()
    frame = report(0x06, b"E\x06")  # sequence and code have the value of ACK
    assert shoe.hear(frame * 3) == [("fault", "reader_error", "code 6")]
    shoe.hear(b"", 1000)
    assert shoe.port.take() == LOCK
    king = card_report(0x07, "KS")
    assert shoe.hear(king + ACK + king, 1100) == [("card", "KS", False)]
    shoe.hear(b"", 5000)
    assert shoe.port.take() == b""


def test_with_the_simulated_shoe_every_card_comes_once_and_in_order():
    dice = random.Random("simulated")
    simulated = AngelEyeShoe(dice)
    shoe = Heard(AngelEye)
    heard, drawn = [], []
    for now in range(0, 60_000, 20):
        if now % 400 == 0:
            drawn.append(cards.text(dice.randrange(52)))
            simulated.faults.disturbed = dice.random() < 0.5
            simulated.passes(drawn[-1])
        shoe.driver.lock(now // 7000 % 2 == 1, now)
        shoe.port.incoming += simulated.step(shoe.port.take(), now)
        heard += shoe.driver.poll(now)
        if now % 7000 == 6000:
            assert simulated.locked == (now // 7000 % 2 == 1)
    assert [said[1] for said in heard] == drawn


# -- noise on an idle line


@pytest.mark.parametrize("noise", [b"\x05", b"\x05\x31", b"\x05\x05\x05"])
def test_a_stray_enq_does_not_make_the_table_deaf_to_what_the_shoe_answers(noise):
    shoe = Heard(AngelEye)
    shoe.hear(noise, 0)
    shoe.driver.lock(True, 5000)
    assert shoe.hear(ACK, 5050) == []
    assert shoe.hear(b"", 30_000) == [], "it has obeyed"
    assert shoe.hear(noise + KING_OF_SPADES, 31_000) == [("card", "KS", False)]


def test_a_report_that_comes_byte_by_byte_is_whole():
    shoe = Heard(AngelEye)
    said = []
    for place in range(len(KING_OF_SPADES)):
        said += shoe.hear(KING_OF_SPADES[place : place + 1], 40 * place)
    assert said == [("card", "KS", False)]


def test_half_a_report_and_a_silence_take_nothing_from_the_next_one():
    shoe = Heard(AngelEye)
    assert shoe.hear(KING_OF_SPADES[:5], 0) == []
    assert shoe.hear(KING_OF_SPADES, 500) == [("card", "KS", False)]


def test_nonsense_that_goes_on_after_staff_cleared_it_is_said_again():
    shoe = Heard(AngelEye)
    bad = KING_OF_SPADES[:-1] + b"B"
    assert shoe.hear(bad * 25) == [("fault", "reader_nonsense", "")]
    shoe.driver.listen_again(1000)
    assert shoe.hear(bad * 19) == []
    assert shoe.hear(bad) == [("fault", "reader_nonsense", "")]


def test_a_shoe_that_reports_another_state_of_its_lock_is_told_again():
    shoe = Heard(AngelEye)
    shoe.driver.lock(True, 0)
    shoe.hear(ACK, 10)
    shoe.port.take()
    assert shoe.hear(report(0x31, b"L1"), 60_000) == [("note", "lock")]
    shoe.hear(b"", 70_000)
    assert shoe.port.take() == b"", "it is as it should be"
    assert shoe.hear(report(0x32, b"L0"), 80_000) == [("note", "lock")]
    assert shoe.port.take() == LOCK
    assert shoe.hear(b"", 85_000) == []
    assert shoe.hear(b"", 85_001) == [("fault", "reader_silent", "lock")], "and is missed if it does not obey"
