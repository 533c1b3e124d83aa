"""Felt's line protocol with shuffler and reader: worked bytes, repetitions, silence, nonsense, and a bad line."""

import random
from itertools import combinations
from zlib import crc32

import pytest

from firmware.drivers.device_line import DeviceLine, with_check, words_of
from firmware.drivers.reader import CardReader
from firmware.drivers.shuffler import Shuffler
from host.simulator.devices import LineDevice
from host.simulator.virtual_pico import Port
from shared.journal.wire import check_of
from tests.support.campaign import LONG, fewer

# The first is the published check value of this CRC; the others were worked out with another program (gzip).
LINES = [
    ("123456789", b"123456789*cbf43926\n"),
    ("17 CARD KS", b"17 CARD KS*e97d7bb1\n"),
    ("OK 17", b"OK 17*163903e4\n"),
    ("3 DEAL 3", b"3 DEAL 3*d57b2360\n"),
    ("OK 3", b"OK 3*b4a8b0e2\n"),
    ("0 HELLO", b"0 HELLO*35c5ec31\n"),
    ("OK 0", b"OK 0*2da1e158\n"),
    ("1 ALIVE", b"1 ALIVE*b5991b50\n"),
    ("A", b"A*d3d99e8b\n"),
]
CAMPAIGN = 2000 if LONG else fewer(200)


@pytest.mark.parametrize(("text", "line"), LINES)
def test_worked_lines(text, line):
    assert with_check(text) == line
    assert words_of(line[:-1]) == text.split(" ")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"*",
        b"*00000000",  # the check of nothing
        b"17 CARD KS",
        b"17 CARD KS*",
        b"17 CARD KS*e97d7bb",
        b"17 CARD KS*e97d7bb0",
        b"17 CARD KQ*e97d7bb1",
        b"17 CARD KS*E97D7BB1",
        b"17 CARD KS+e97d7bb1",
        b"17 CARD KS*e97d7bb1\r",
    ],
)
def test_lines_that_are_none(line):
    assert words_of(line) is None


@pytest.mark.parametrize("body", [b"17 CARD K\xd3", b"17\tCARD KS", b"1 A\x7f", b"1 A\n", b"1 A*2", b"\xff"])
def test_a_right_check_makes_no_line_of_bytes_that_are_no_text(body):
    assert words_of(body + check_of(body)) is None


def test_a_lost_newline_joins_two_lines_into_none():
    assert words_of(b"17 CARD KS*e97d7bb117 CARD KS*e97d7bb1") is None
    body = b"17 CARD KS*e97d7bb117 CARD KS"
    assert words_of(body + check_of(body)) is None, "not even if the check fits by chance"


def test_any_flipped_pair_of_bits_is_found():
    line = bytearray(with_check("17 CARD KS")[:-1])
    bits = range(8 * len(line))
    for first, second in combinations(bits, 2):
        line[first >> 3] ^= 1 << (first & 7)
        line[second >> 3] ^= 1 << (second & 7)
        assert words_of(bytes(line)) is None
        line[first >> 3] ^= 1 << (first & 7)
        line[second >> 3] ^= 1 << (second & 7)
    assert words_of(bytes(line)) == ["17", "CARD", "KS"]


# -- the table's side


class Talk:
    """A DeviceLine, and what a device says to it."""

    def __init__(self, greeted=True):
        self.port = Port()
        self.line = DeviceLine(self.port, 0)
        self.now = 0
        if greeted:
            assert self.hear(b"OK 0*2da1e158\n", 0) == []
            self.port.take()

    def hear(self, data, now):
        self.now = now
        self.port.incoming += data
        said = list(self.line.poll(now))
        while self.port.incoming:
            said += self.line.poll(now)
        return said

    def say(self, text, now):
        return self.hear(with_check(text), now)

    def answered(self):
        """What the table has said since, by the next pass at the latest."""
        assert list(self.line.poll(self.now)) == []
        return self.port.take()


def test_what_the_device_says_is_answered_and_given_without_number_and_check():
    talk = Talk()
    assert talk.hear(b"17 CARD KS*e97d7bb1\n", 10) == [["CARD", "KS"]]
    assert talk.answered() == b"OK 17*163903e4\n"


def test_the_table_says_hello_at_once_and_every_300_ms_until_it_is_answered():
    talk = Talk(greeted=False)
    assert talk.answered() == b"0 HELLO*35c5ec31\n"
    assert (talk.hear(b"", 299), talk.answered()) == ([], b"")
    assert (talk.hear(b"", 300), talk.answered()) == ([], b"0 HELLO*35c5ec31\n")
    assert (talk.hear(b"", 599), talk.answered()) == ([], b"")
    assert (talk.hear(b"", 600), talk.answered()) == ([], b"0 HELLO*35c5ec31\n")
    assert (talk.hear(b"OK 0*2da1e158\n", 610), talk.answered()) == ([], b"")
    assert (talk.hear(b"", 2000), talk.answered()) == ([], b"")


def test_a_command_is_said_until_its_own_number_is_answered():
    talk = Talk()
    talk.line.command("SHUFFLE", talk.now)
    assert talk.answered() == with_check("1 SHUFFLE")
    talk.say("OK 0", 20)
    talk.say("OK 2", 30)
    talk.hear(b"OK 1*2da1e158\n", 40)  # its check is wrong
    talk.hear(b"", 310)
    assert talk.answered() == with_check("1 SHUFFLE")
    talk.say("OK 1", 320)
    talk.hear(b"", 2000)
    assert talk.answered() == b""


def test_commands_go_one_at_a_time_and_in_order():
    talk = Talk()
    for count in (3, 2, 1):
        talk.line.command(f"DEAL {count}", talk.now)
    assert talk.answered() == with_check("1 DEAL 3")
    talk.say("OK 1", 20)
    assert talk.answered() == with_check("2 DEAL 2")
    talk.say("OK 1", 30)
    assert talk.answered() == b""
    talk.say("OK 2", 40)
    assert talk.answered() == with_check("3 DEAL 1")
    talk.hear(b"", 340)
    assert talk.answered() == with_check("3 DEAL 1")


def test_a_repeated_number_is_answered_again_and_counts_once():
    talk = Talk()
    assert talk.say("5 CARD KS", 10) == [["CARD", "KS"]]
    assert talk.say("5 CARD KS", 310) == []
    assert talk.say("5 CARD KS", 610) == []
    assert talk.answered() == with_check("OK 5") * 3
    assert talk.say("6 CARD KS", 620) == [["CARD", "KS"]], "a new number is a new thing"


def test_alive_is_answered_and_told_to_nobody():
    talk = Talk()
    for number in range(1, 30):
        assert talk.say(f"{number} ALIVE", number * 1000) == []
        assert talk.answered() == with_check(f"OK {number}")


def test_silence_is_said_once_after_three_seconds_and_so_is_the_return():
    talk = Talk()
    talk.say("1 ALIVE", 1000)
    assert talk.hear(b"", 4000) == []
    assert talk.hear(b"", 4001) == [["SILENT"]]
    assert talk.hear(b"", 60_000) == []
    assert talk.say("2 CARD KS", 60_010) == [["BACK"], ["CARD", "KS"]]
    assert talk.hear(b"", 63_010) == []
    assert talk.hear(b"", 63_011) == [["SILENT"]]


def test_a_device_that_was_never_there_is_silent_too():
    talk = Talk(greeted=False)
    assert talk.hear(b"", 3000) == []
    assert talk.hear(b"", 3001) == [["SILENT"]]


def test_an_answer_is_a_sign_of_life():
    talk = Talk()
    talk.line.command("SHUFFLE", 2900)
    talk.say("OK 1", 2950)
    assert talk.hear(b"", 5950) == []
    assert talk.hear(b"", 5951) == [["SILENT"]]


def test_a_device_taken_for_present_again_is_missed_again_if_it_stays_silent():
    talk = Talk()
    assert talk.hear(b"", 3001) == [["SILENT"]]
    talk.line.listen_again(10_000)
    assert talk.hear(b"", 13_000) == []
    assert talk.hear(b"", 13_001) == [["SILENT"]]
    assert talk.say("1 ALIVE", 14_000) == [["BACK"]]
    talk.line.listen_again(16_900)  # nobody missed it, so nothing begins anew
    assert talk.hear(b"", 17_001) == [["SILENT"]]


def test_what_was_to_be_sent_is_sent_when_an_unplugged_device_is_back():
    talk = Talk()
    talk.line.command("DEAL 3", 0)
    talk.line.command("DEAL 2", 0)
    for now in range(0, 60_000, 100):
        talk.hear(b"", now)
    talk.answered()
    assert talk.say("1 ALIVE", 60_000) == [["BACK"]]
    assert sorted(talk.answered().splitlines(keepends=True)) == [with_check("1 DEAL 3"), with_check("OK 1")]
    talk.say("OK 1", 60_010)
    assert talk.answered() == with_check("2 DEAL 2")


def test_twenty_bad_lines_without_a_good_one_are_nonsense_and_said_once():
    talk = Talk()
    for _ in range(19):
        assert talk.hear(b"17 CARD KS*e97d7bb0\n", 10) == []
    assert talk.hear(b"\n", 20) == [["NONSENSE"]]
    for _ in range(100):
        assert talk.hear(b"what?\n", 30) == []
    assert talk.answered() == b"", "nonsense is not answered"


def test_a_good_line_starts_the_count_anew_and_nonsense_is_said_again():
    talk = Talk()
    talk.hear(b"?\n" * 19, 10)
    assert talk.say("1 ALIVE", 20) == []
    assert talk.hear(b"?\n" * 19, 30) == []
    assert talk.hear(b"?\n", 40) == [["NONSENSE"]]
    assert talk.say("2 ALIVE", 50) == []
    assert talk.hear(b"?\n" * 20, 60) == [["NONSENSE"]]


def test_a_number_alone_is_nonsense():
    talk = Talk()
    assert talk.hear(with_check("17") * 20, 10) == [["NONSENSE"]]


def test_nonsense_is_no_sign_of_life():
    talk = Talk()
    said = []
    for now in range(100, 3200, 100):
        said += talk.hear(b"xxxx\n", now)
    assert said == [["NONSENSE"], ["SILENT"]]


def test_a_line_of_56_bytes_is_taken_and_a_longer_one_dropped_to_its_end():
    talk = Talk()
    longest = with_check("1 " + "x" * 45)
    assert len(longest) == 56 + 1
    assert talk.hear(longest, 10) == [["x" * 45]]
    longest = with_check("2 " + "x" * 45)
    assert talk.hear(longest[:-1], 12) + talk.hear(longest[-1:], 14) == [["x" * 45]], "in two pieces too"
    too_long = with_check("3 " + "x" * 46)
    assert talk.hear(too_long, 20) == []
    assert talk.hear(b"y" * 10_000, 30) == []
    assert talk.say("4 CARD KS", 40) == [], "still the long line"
    assert talk.say("4 CARD KS", 50) == [["CARD", "KS"]]


def test_bytes_may_come_one_by_one_or_all_at_once():
    talk = Talk()
    heard = [words for byte in b"17 CARD KS*e97d7bb1\n" for words in talk.hear(bytes([byte]), 10)]
    assert heard == [["CARD", "KS"]]
    lines = b"".join(with_check(f"{number} CARD {number}") for number in range(1, 51))
    assert talk.hear(lines, 20) == [["CARD", str(number)] for number in range(1, 51)]


def test_a_device_that_never_stops_talking_holds_nobody_up():
    talk = Talk()
    talk.port.incoming = b"x" * 1_000
    talk.line.poll(10)
    assert len(talk.port.incoming) == 1_000 - 4 * 64, "the rest waits for the next pass"


def test_a_device_that_starts_again_counts_from_hello_on():
    talk = Talk()
    assert talk.say("0 HELLO", 10) == [["HELLO"]]
    assert talk.say("1 CARD KS", 20) == [["CARD", "KS"]]
    assert talk.say("0 HELLO", 30) == [["HELLO"]]
    assert talk.say("1 CARD KS", 40) == [["CARD", "KS"]]


def test_the_table_counts_to_999_and_goes_on_with_1():
    talk = Talk()
    numbers = []
    for now in range(1001):
        talk.line.command("DEAL 1", now)
        number = talk.answered().split(b" ")[0].decode()
        numbers.append(int(number))
        talk.say(f"OK {number}", now)
    assert numbers == [*range(1, 1000), 1, 2]


# -- what shuffler and reader mean by it


SHUFFLER_WORDS = [
    ("DEALT 3", ("dealt", 3)),
    ("READY 52", ("ready", 52)),
    ("COUNT 51", ("count", 51)),
    ("FACEUP", ("faceup",)),
    ("EMPTY", ("fault", "shuffler_empty", "")),
    ("JAM", ("fault", "shuffler_jam", "")),
    ("JAM AT THE EXIT", ("fault", "shuffler_jam", "AT THE EXIT")),
    ("DOOR OPEN", ("fault", "shuffler_door", "")),
    ("DOOR SHUT", ("note", "DOOR SHUT")),
    ("FREE", ("note", "FREE")),
    ("HELLO", ("note", "HELLO")),
    ("DEALT", ("note", "DEALT")),
    ("DEALT three", ("note", "DEALT three")),
    ("DEALT -3", ("note", "DEALT -3")),
    ("DEALT 3 4", ("note", "DEALT 3 4")),
    ("DANCE", ("note", "DANCE")),
]
READER_WORDS = [
    ("CARD KS", ("card", "KS", False)),
    ("CARD KS UP", ("card", "KS", True)),
    ("CARD XX", ("card", "XX", False)),
    ("UNREAD", ("card", "??", False)),
    ("ERROR 7 LAMP", ("fault", "reader_error", "7 LAMP")),
    ("HELLO", ("note", "HELLO")),
    ("CARD", ("note", "CARD")),
    ("CARD KS DOWN", ("note", "CARD KS DOWN")),
    ("CARD KS UP UP", ("note", "CARD KS UP UP")),
]


@pytest.mark.parametrize(("text", "meaning"), SHUFFLER_WORDS)
def test_what_the_shuffler_means(text, meaning):
    port = Port()
    shuffler = Shuffler(port, 0)
    port.incoming += with_check(f"1 {text}")
    assert list(shuffler.poll(10)) == [meaning]


@pytest.mark.parametrize(("text", "meaning"), READER_WORDS)
def test_what_the_reader_means(text, meaning):
    port = Port()
    reader = CardReader(port, 0)
    port.incoming += with_check(f"1 {text}")
    assert list(reader.poll(10)) == [meaning]


@pytest.mark.parametrize(("driver", "name"), [(Shuffler, "shuffler"), (CardReader, "reader")])
def test_silence_and_nonsense_are_faults_and_the_return_is_noted(driver, name):
    port = Port()
    device = driver(port, 0)
    port.incoming += b"?\n" * 20
    assert list(device.poll(10)) == [("fault", f"{name}_nonsense", "")]
    assert list(device.poll(3001)) == [("fault", f"{name}_silent", "")]
    port.incoming += with_check("1 ALIVE")
    assert list(device.poll(4000)) == [("note", "BACK")]


def test_what_the_shuffler_is_told():
    port = Port()
    shuffler = Shuffler(port, 0)
    port.incoming += b"OK 0*2da1e158\n"
    shuffler.poll(0)
    port.take()
    shuffler.shuffle(10)
    shuffler.deal(3, 10)
    assert port.take() == with_check("1 SHUFFLE")
    port.incoming += with_check("OK 1")
    shuffler.poll(20)
    assert port.take() == with_check("2 DEAL 3")


# -- anything at all on the line


def good_lines(stream):
    """The texts of all lines in a stream of which the check is right, worked out a second time."""
    for line in stream.split(b"\n")[:-1]:
        body, check = line[:-9], line[-9:]
        printable = body and all(32 <= byte <= 126 for byte in body)
        if printable and len(line) <= 56 and check == b"*%08x" % crc32(body):
            yield body.decode()


def noise(dice):
    """Random bytes, pieces of lines, and lines with something wrong."""
    line = with_check(f"{dice.randrange(1000)} CARD {dice.choice('A23456789TJQK')}{dice.choice('CDHS')}")
    kind = dice.randrange(6)
    if kind == 0:
        return dice.randbytes(dice.randrange(80))
    if kind == 1:
        return line[dice.randrange(len(line)) :]
    if kind == 2:
        place = dice.randrange(len(line) - 1)
        return line[:place] + bytes([line[place] ^ 1 << dice.randrange(8)]) + line[place + 1 :]
    if kind == 3:
        return with_check("".join(chr(dice.randrange(43, 127)) for _ in range(dice.randrange(60))))
    if kind == 4:
        return dice.choice((b"\n", b"*\n", b"*00000000\n", b"\x00", *map(with_check, (" ", "OK", "OK OK", "  "))))
    return line


def test_random_bytes_never_raise_and_nothing_is_heard_whose_check_is_wrong():
    for seed in range(CAMPAIGN):
        dice = random.Random(f"noise {seed}")
        talk = Talk()
        stream = b""
        heard = []
        for now in range(0, 2000, 10):
            data = noise(dice)
            stream += data
            heard += talk.hear(data, now)
        told = [" ".join(words) for words in heard if words not in (["NONSENSE"], ["SILENT"], ["BACK"])]
        last = None
        expected = []
        for text in good_lines(stream):
            number, space, rest = text.partition(" ")
            if not space or number == "OK":
                continue
            if number != last and rest.split(" ")[0] != "ALIVE":
                expected.append(rest)
            last = number
        assert told == expected, seed


# -- both sides over a bad line


class BadWire:
    """Drops, flips and doubles bytes."""

    def __init__(self, dice, rate):
        self.dice = dice
        self.rate = rate
        self.damaged = 0

    def carry(self, data):
        carried = bytearray()
        for byte in data:
            if self.dice.random() >= self.rate:
                carried.append(byte)
                continue
            self.damaged += 1
            kind = self.dice.choice(("drop", "flip", "double"))
            if kind == "flip":
                carried.append(byte ^ 1 << self.dice.randrange(8))
            elif kind == "double":
                carried += bytes([byte, byte])
        return bytes(carried)


class Device(LineDevice):
    """A device that keeps what it is told."""

    def __post_init__(self):
        super().__post_init__()
        self.told = []

    def obey(self, words, now):
        self.told.append(" ".join(words))


@pytest.mark.parametrize("rate", [0.0, 0.001, 0.01, 0.03])
def test_whatever_is_said_over_a_bad_line_arrives_once_and_in_order(rate):
    damaged = 0
    for seed in range(CAMPAIGN // 4):
        dice = random.Random(f"bad wire {rate} {seed}")
        port = Port()
        table, device = DeviceLine(port, 0), Device(dice)
        up, down = BadWire(dice, rate), BadWire(dice, rate)
        heard, said, ordered = [], ["HELLO"], ["HELLO"]
        now = 0
        while len(said) + len(ordered) < 42 or table.waiting or device.waiting:
            now += 10
            assert now < 120_000, f"seed {seed}: it hangs"
            if len(said) + len(ordered) < 42 and dice.random() < 0.05:
                if dice.random() < 0.5:
                    said.append(f"CARD {dice.choice('A23456789TJQK')}{dice.choice('CDHS')}")
                    device.say(said[-1])
                else:
                    ordered.append(f"DEAL {dice.randint(1, 3)}")
                    table.command(ordered[-1], now)
            port.incoming += up.carry(device.step(down.carry(port.take()), now))
            heard += [" ".join(words) for words in table.poll(now)]
        # A line so bad that nothing good comes through for 3 s is missed, and noticed again.
        assert [text for text in heard if text not in ("SILENT", "BACK", "NONSENSE")] == said, seed
        assert device.told == ordered, seed
        damaged += up.damaged + down.damaged
    assert (damaged > 0) == (rate > 0)


def test_a_device_that_starts_again_in_the_middle_is_heard_from_its_hello_on():
    dice = random.Random("restart")
    port = Port()
    table, device = DeviceLine(port, 0), Device(dice)
    heard = []
    for now in range(10, 12_000, 10):
        if now in (3000, 6000, 9000):
            device = Device(dice)  # whatever it had not said is gone
        if now % 1000 == 500:
            device.say(f"CARD {now}")
        port.incoming += device.step(port.take(), now)
        heard += [" ".join(words) for words in table.poll(now)]
    cards = [f"CARD {now}" for now in range(500, 12_000, 1000)]
    assert heard == ["HELLO", *cards[:3], "HELLO", *cards[3:6], "HELLO", *cards[6:9], "HELLO", *cards[9:]]


def test_a_line_has_printable_characters_from_space_to_tilde_and_no_other():
    assert words_of(with_check("17 NOTE ~")[:-1]) == ["17", "NOTE", "~"]
    assert words_of(with_check("17 NOTE !")[:-1]) == ["17", "NOTE", "!"]
    for other in ("\x1f", "\x7f", "*"):
        assert words_of(with_check(f"17 NOTE {other}")[:-1]) is None
