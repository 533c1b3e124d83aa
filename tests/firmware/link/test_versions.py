"""Tables and hosts of different versions still tell each other so, and an older standing is still read."""

import random

import pytest

from shared.journal.replay import Replay
from shared.journal.snapshot import plain_config, read_standing, standing_records
from shared.journal.wire import decode, encode
from shared.link.messages import MESSAGES, VERSION, read
from shared.link.session import HI, REPLY
from tests.support.firmware.small_rounds import small_config
from tests.support.linked import RULES, Host, Pair, not_done
from tests.support.tables import MBS

# As version 1 declared them. Every version must be able to read these of every other.
FIRST_HELLO = (
    "version number, messages digest, rules digest, firmware digest, board text, table text, boot number, "
    "nonce nonce"
)
FIRST_HI = "version number, messages digest, rules digest, number number, mark seal, nonce nonce"


def test_the_greeting_has_the_shape_that_every_version_reads():
    assert MESSAGES["hello"] == ("table", "open", FIRST_HELLO)
    assert MESSAGES["hi"] == ("host", "key", FIRST_HI)
    assert MESSAGES["hail"] == ("host", "open", "")


def test_an_older_host_is_told_the_versions_as_texts():
    """An older host reads three texts: what, the table's and its own."""
    pair = Pair()
    hello = pair.table.say(10).splitlines()[0]
    fields = [1, "ab" * 16, RULES, 0, "00" * 12, "aa" * 16]
    pair.table.link.receive(pair.host.sealer.line(["hi", *fields], HI, hello), 20)
    sorry = decode(pair.table.say(30).splitlines()[0])
    assert sorry[:4] == ["sorry", "version", str(VERSION), "1"]
    assert ["mismatch", "version", str(VERSION), "1"] in pair.table.records()
    assert pair.table.recorder.holds == ["mismatch"]


def test_an_older_table_s_sorry_is_understood():
    host = Host(random.Random("newer"))
    hello = encode(["hello", 1, "ab" * 16, RULES, "cd" * 16, "small", "T1", 3, "ee" * 16])[:-1]
    host.hear(hello + b"\n", 0)
    hi = host.say(0).splitlines()[0]
    assert read(hi, "host")[1] == VERSION
    host.hear(host.sealer.line(["sorry", "version", "1", str(VERSION)], REPLY, hello, hi), 10)
    assert ("mismatch", ("version", "1", str(VERSION))) in [tuple(told) for told in host.told]


@pytest.mark.parametrize(
    "line", [["faulty", "no_key", "x"], ["ailing", "no_key", "x", "what an older table advises"]]
)
def test_a_table_of_any_version_that_does_not_start_says_so(line):
    host = Host(random.Random("newer"))
    host.hear(encode(line), 0)
    assert [tuple(told) for told in host.told] == [("faulty", ("no_key", "x"))]


@pytest.mark.parametrize("line", [["faulty", "no_key"], ["ailing"], ["ailing", 1, [], "x"]])
def test_a_table_that_says_so_badly_is_ignored(line):
    host = Host(random.Random("newer"))
    host.hear(encode(line), 0)
    assert [(told.what, told.details[:2]) for told in host.told] == [("refused", ("faulty", "field_undeclared"))]


@pytest.mark.parametrize(
    ("older", "command"),
    [
        ([12, True, "", "8c736521"], [12, True, "", None, [], "8c736521"]),
        ([12, False, "betting is not open", "8c736521"], [12, *not_done("before_update"), "8c736521"]),
    ],
)
def test_a_standing_of_an_older_firmware_is_read_and_its_command_answered_again(older, command):
    standing = [["begin", 4, "idle"], *(["config", *pair] for pair in plain_config(small_config(MBS)))]
    standing += [["carried", "number", 6], ["carried", "command", older]]
    standing[0][1] = len(standing) - 1
    assert read_standing(standing[1:])[2] == command
    replay = Replay()
    assert [replay.take(record) for record in standing] == [None] * len(standing)
    assert (replay.last_command, replay.last_answer) == (12, tuple(command[1:]))
    again = standing_records("open", replay.config, replay.round, replay.last_command, replay.last_answer, [])
    assert [replay.take(record) for record in again] == [None] * len(again)
