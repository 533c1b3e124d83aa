"""An intruder on the port without the key: he hears everything, says anything, and changes what passes."""

import random

import pytest

from firmware.recorder import _NOTES_AT_ONCE
from shared.journal.snapshot import plain_config
from shared.journal.wire import decode, encode
from shared.link.messages import HOST, MESSAGES, TABLE, VERSION
from shared.link.session import HI, Session
from tests.support.linked import DONE, KEY, RULES, Host, Pair, Table
from tests.support.tables import MBS

CONFIG = plain_config({"game": MBS, "boxes": 2})
OTHER_KEY = bytes(reversed(range(32)))
# What the table may write because somebody talks nonsense to it.
ABOUT_THE_LINK = ("link", "denied", "unknown", "quiet", "mismatch")


def connected(seed="intruder", **changes):
    pair = Pair(seed, **changes)
    pair.run(1000)
    return pair


def in_a_round():
    pair = connected()
    pair.command("config", CONFIG)
    pair.command("event", ["open"])
    return pair


def denied(pair):
    return [record[1:] for record in pair.table.records() if record[0] == "denied"]


def acts(pair):
    """What the table did: its records without those about the link."""
    return [record for record in pair.table.records() if record[0] not in ABOUT_THE_LINK]


def say_to_table(pair, *lines):
    for line in lines:
        pair.table.link.receive(line + b"\n", pair.now)


def commands_of(lines):
    return [line for line in lines if line.startswith(b'["command"')]


def greetings_of(lines):
    return [line for line in lines if line.startswith(b'["hi"')]


def changed(line, place, value):
    """The line with one field changed and its checksum right."""
    message = decode(line)
    message[place] = value
    return encode(message)[:-1]


def test_a_host_with_another_key_gets_nothing_and_can_do_nothing():
    pair = connected(key=OTHER_KEY)
    pair.host.link.command("staff", "config", CONFIG)
    pair.run(3000)
    assert not pair.table.link.is_up()
    assert not pair.host.link.is_up
    assert pair.host.log.lines == []
    assert all(line.startswith(b'["hello"') for line in pair.heard_by_host)
    assert ["hi", "hi_not_sealed", []] in denied(pair)
    assert pair.table.recorder.round is None


def test_a_table_with_another_key_is_not_believed():
    dice = random.Random("impostor")
    impostor, host = Table(dice, key=OTHER_KEY), Host(dice)
    now = 0
    for _ in range(100):
        now += 50
        impostor.link.receive(host.say(now), now)
        host.hear(impostor.say(now), now)
        # He does not wait to be asked, but sends his records all the same.
        host.hear(b"".join(line + b"\n" for line in impostor.journal.lines_from(1)), now)
    assert not host.link.is_up
    assert host.log.lines == []


def test_a_replayed_hello_leads_nowhere():
    """Whoever says an old hello again cannot answer the host's new nonce."""
    pair = connected()
    hello = next(line for line in pair.heard_by_host if line.startswith(b'["hello"'))
    proof = next(line for line in pair.heard_by_host if line.startswith(b'["proof"'))
    old = [line for line in pair.heard_by_host if not line.startswith(b'["hello"')]
    host = Host(random.Random("later"))
    host.hear(hello + b"\n", 0)
    assert host.say(0).startswith(b'["hi"')
    host.hear(proof + b"\n", 10)
    host.hear(b"".join(line + b"\n" for line in old), 20)
    assert not host.link.is_up
    assert host.log.lines == []
    assert ("refused", ("proof", "bad_reply", [])) in [tuple(told) for told in host.told]


@pytest.mark.parametrize("when", ["at once", "after silence", "after a restart"])
def test_a_replayed_session_does_nothing(when):
    """All that the host ever said, in its order, again: greeting, commands and all."""
    pair = in_a_round()
    pair.command("event", ["bet", 1, "P1", "main", 500])
    said = list(pair.heard_by_table)
    if when == "after silence":
        pair.now += 60_000
        pair.table.say(pair.now)
        assert not pair.table.link.is_up()
    elif when == "after a restart":
        pair.table.start("power")
    before = acts(pair)
    for line in said:
        say_to_table(pair, line)
        pair.table.say(pair.now)
    assert acts(pair) == before
    expected = "replayed" if when == "at once" else "without_session"
    assert ["command", expected, []] in denied(pair)


def test_an_old_greeting_cannot_bring_an_old_session_back():
    """The host greets twice, as after its own restart; then its first greeting is said again."""
    pair = in_a_round()
    first = list(pair.heard_by_table)
    pair.host.start()
    pair.run(1500)
    assert pair.command("event", ["bet", 1, "P1", "main", 500]) == DONE
    before = acts(pair)
    say_to_table(pair, *greetings_of(first), *commands_of(first))
    assert acts(pair) == before
    assert pair.command("event", ["bet", 1, "P1", "main", 700]) == DONE, "the real session goes on"


def test_two_answers_to_one_hello_do_not_both_count():
    """A host that greets twice over the same hello: the second greeting is refused, so it cannot be swapped."""
    pair = Pair()
    hello = pair.table.say(10).splitlines()[0]
    end = pair.host.link.chain_of_log()
    fields = [VERSION, pair.host.link.messages, RULES, end.number, end.last.hex()]
    one, two = (pair.host.sealer.line(["hi", *fields, nonce * 16], HI, hello)[:-1] for nonce in ("aa", "bb"))
    say_to_table(pair, one)
    session = pair.table.link.session
    command = Session(pair.host.sealer, hello, one, HOST, TABLE).line(["command", 1, "staff", "config", CONFIG])
    say_to_table(pair, command[:-1], two, one, command[:-1])
    assert pair.table.link.session is session
    assert [record[1] for record in pair.table.records() if record[0] == "command"] == [1]
    assert denied(pair)[-2:] == [
        ["hi", "hi_not_sealed", []],
        ["command", "replayed", []],
    ]


def test_a_command_replayed_reordered_altered_or_without_a_session_is_refused_and_recorded():
    pair = in_a_round()
    pair.host.link.command("staff", "event", ["bet", 1, "P1", "main", 500])
    late = commands_of(pair.host.say(pair.now).splitlines())[0]
    pair.now += 700
    newer = commands_of(pair.host.say(pair.now).splitlines())[0]
    say_to_table(pair, newer)
    before = acts(pair)
    say_to_table(pair, late)  # passed by the newer one
    say_to_table(pair, newer)  # a second time
    say_to_table(pair, changed(newer, 5, decode(newer)[5] + 50))  # with a fresh counter
    say_to_table(pair, changed(newer, 4, ["bet", 1, "P1", "main", 50_000]))
    say_to_table(pair, encode(decode(newer)[:-1])[:-1])  # without its seal
    assert acts(pair) == before
    assert denied(pair)[-5:] == [
        ["command", "replayed", []],
        ["command", "replayed", []],
        ["command", "altered", []],
        ["command", "altered", []],
        ["command", "field_undeclared", [""]],
    ]
    pair.table.link.end_session("unplugged", pair.now)
    say_to_table(pair, newer)
    assert denied(pair)[-1] == ["command", "without_session", []]


def test_a_forged_acknowledgement_drops_nothing():
    pair = connected()
    for word in range(5):
        pair.table.recorder.apply(["nonsense", word])
    before = pair.table.journal.acknowledged
    say_to_table(pair, encode(["ack", before + 5, 10_000, "0" * 24])[:-1])
    assert pair.table.journal.acknowledged == before
    assert denied(pair)[-1] == ["ack", "altered", []]


def test_what_either_side_said_does_not_fit_the_other_direction():
    pair = in_a_round()
    before = acts(pair), list(pair.host.log.lines)
    say_to_table(pair, *pair.heard_by_host)
    for line in pair.heard_by_table:
        pair.host.hear(line + b"\n", pair.now)
    assert acts(pair) == before[0]
    assert pair.host.log.lines[: len(before[1])] == before[1]
    assert pair.command("event", ["bet", 1, "P1", "main", 500]) == DONE


def test_cut_and_paste_of_old_records_is_not_believed():
    """Lines of this table again, with new numbers, of another table, of the same table with another key."""
    pair = in_a_round()
    log = list(pair.host.log.lines)
    next_number = decode(log[-1])[2] + 1
    same_key, other_key = Table(random.Random(1), name="T2"), Table(random.Random(1), key=OTHER_KEY)
    for table in (same_key, other_key):
        for word in range(next_number + 3):
            table.recorder.apply(["nonsense", word])
    pasted = [
        *log,
        *(changed(line, 2, next_number) for line in log),
        *same_key.journal.lines_from(1),
        *other_key.journal.lines_from(1),
        encode(["rec", 1, next_number, ["void", None, None], "0" * 24])[:-1],
        encode(["rec", 1, next_number, ["void", None, None]])[:-1],
    ]
    for line in pasted:
        pair.host.hear(line + b"\n", pair.now)
    assert pair.host.log.lines == log
    assert [told.details[1] for told in pair.host.told if told.what == "broken"]
    pair.run(2000)
    assert pair.host.log.records() == pair.table.records()


@pytest.mark.parametrize(
    ("place", "value"), [(1, 0), (1, VERSION + 1), (2, "0" * 32), (3, "0" * 32), (6, "T2"), (8, "0" * 32)]
)
def test_a_hello_changed_on_its_way_ends_in_no_session(place, value):
    """Downgrade: whoever makes the table look older, or another, breaks the seal of the answer."""
    pair = Pair()
    for _ in range(40):
        pair.now += 50
        say_to_table(pair, *pair.host.say(pair.now).splitlines())
        for line in pair.table.say(pair.now).splitlines():
            if line.startswith(b'["hello"'):
                line = changed(line, place, value)
            pair.host.hear(line + b"\n", pair.now)
    assert not pair.table.link.is_up()
    assert not pair.host.link.is_up
    assert pair.host.log.lines == []


@pytest.mark.parametrize(("place", "value"), [(1, 0), (2, "0" * 32), (4, 0), (6, "0" * 32)])
def test_a_hi_changed_on_its_way_is_refused(place, value):
    pair = Pair()
    pair.table.recorder.apply(["nonsense"])
    hello = pair.table.say(50)
    pair.host.hear(hello, 50)
    hi = greetings_of(pair.host.say(60).splitlines())[0]
    forged = changed(hi, place, value)
    say_to_table(pair, forged)
    assert (forged == hi) == pair.table.link.is_up()


def test_a_host_of_an_older_version_is_told_so_though_it_has_the_key():
    pair = Pair()
    hello = pair.table.say(10).splitlines()[0]
    end = pair.host.link.chain_of_log()
    old = [VERSION - 1, pair.host.link.messages, RULES, end.number, end.last.hex(), "ab" * 16]
    say_to_table(pair, pair.host.sealer.line(["hi", *old], HI, hello)[:-1])
    assert not pair.table.link.is_up()
    assert decode(pair.table.say(20).splitlines()[0])[:4] == ["sorry", "version", str(VERSION), str(VERSION - 1)]


def test_a_flood_of_nonsense_fills_no_journal_and_stops_no_session():
    pair = in_a_round()
    before = pair.table.journal.chain.number
    for word in range(5000):
        say_to_table(pair, encode(["command", word, "x", "event", ["open"], word, "0" * 24])[:-1], b"noise")
    assert pair.table.journal.chain.number - before <= _NOTES_AT_ONCE
    assert pair.command("event", ["bet", 1, "P1", "main", 500]) == DONE
    pair.run(30_000)
    say_to_table(pair, encode(["dance"])[:-1])
    assert [record for record in pair.table.records() if record[0] == "quiet"], "how many were not recorded is"


def test_anything_at_all_from_a_stranger_changes_nothing():
    """Random changes to everything either side ever said, with right checksums, while a session runs."""
    dice = random.Random("stranger")
    pair = in_a_round()
    heard = pair.heard_by_table + pair.heard_by_host
    before = acts(pair), list(pair.host.log.lines)
    for _ in range(3000):
        message = decode(dice.choice(heard))
        place = dice.randrange(len(message))
        message[place] = dice.choice(
            [None, True, -1, 0, 1, 2**40, "", "0" * 24, [], [["open"]], *MESSAGES, message[place]]
        )
        line = encode(message)
        pair.table.link.receive(line, pair.now)
        pair.host.hear(line, pair.now)
    assert acts(pair) == before[0]
    assert pair.host.log.lines == before[1]
    assert pair.command("event", ["bet", 1, "P1", "main", 500]) == DONE


def test_no_key_is_in_anything_that_is_said():
    pair = in_a_round()
    said = b"".join(pair.heard_by_table + pair.heard_by_host)
    assert KEY.hex().encode() not in said
    assert KEY not in said
