"""Awkward turns of journal, recorder and link: full journals, failing storage, odd commands."""

import random

import pytest

from firmware.recorder import _IDLE_BYTES, Recorder, Stopped
from firmware.recovery import CUT_OFF
from host.measure.rounds import full_round, table_config
from host.table.link import Unsendable
from host.words.refusals import REFUSALS
from shared.journal.chain import BrokenChain
from shared.journal.journal import _SEGMENT_BYTES, SEGMENTS, Journal, JournalFull
from shared.journal.replay import Replay
from shared.journal.seal import Sealer
from shared.journal.snapshot import plain_config
from shared.journal.wire import MAX_LINE, decode, encode
from tests.support.firmware.small_rounds import small_config, small_round
from tests.support.linked import DONE, KEY, RULES, Host, Pair, Table, not_done
from tests.support.storage import PowerCut, Storage
from tests.support.tables import GAMES, LUCKY, MBS, POKER

SEALER = Sealer(KEY)
SMALL = {"segment_bytes": 1500}
DICE = random.Random("starts")


def start(storage, more=(), told=None, **sizes):
    return Recorder(Journal(storage, SEALER, "T1", **sizes), "power", DICE.randbytes, RULES, more, "", told)


def configured(storage, config, **sizes):
    recorder = start(storage, **sizes)
    assert recorder.command(1, "staff", "config", plain_config(config)) == DONE
    return recorder


def records_of(recorder):
    return [decode(line)[3] for line in recorder.journal.lines_from(1)]


def size_of(storage):
    return sum(len(content) for content in storage.files.values())


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_table_with_a_full_journal_starts_after_a_torn_line_though_no_host_is_there(game):
    storage = Storage()
    recorder = configured(storage, table_config(game))
    for _ in range(40):
        for event in full_round(game):
            recorder.apply(event)
        recorder.journal.acknowledge(recorder.journal.chain.number)
        assert size_of(storage) <= SEGMENTS * _SEGMENT_BYTES
    storage.files[max(storage.files)] += b'["rec",1,'
    again = start(storage)
    assert again.apply(["open"])[-1][:2] == ["state", "betting"]


@pytest.mark.slow
def test_ten_of_the_longest_rounds_are_kept_for_recall_and_the_next_opens():
    storage = Storage()
    recorder = configured(storage, table_config(LUCKY))
    for number in range(1, 21):
        for event in full_round(LUCKY):
            assert recorder.apply(event)[0][0] == "event"
        recorder.journal.acknowledge(recorder.journal.chain.number)
        recalled = records_of(recorder)
        opened = [record[1] for record in recalled if record[0] == "event" and record[2] == ["open"]]
        assert opened[-10:] == list(range(max(1, number - 9), number + 1))


@pytest.mark.slow
def test_without_a_host_rounds_stop_opening_before_anything_is_lost():
    storage = Storage()
    recorder = configured(storage, table_config(LUCKY))
    rounds = 0
    while True:
        records = recorder.apply(["open"])
        if records[0][0] == "held":
            break
        for event in full_round(LUCKY)[1:]:
            assert recorder.apply(event)[0][0] == "event"
        rounds += 1
    assert records[0][:2] == ["held", "journal_full"]
    assert rounds >= 10
    for _ in range(3000):  # a dealer leans on the key; it is not recorded without end
        recorder.apply(["open"])
    assert size_of(storage) <= SEGMENTS * _SEGMENT_BYTES
    for _ in range(30):
        recorder = start(storage)
    recorder.journal.acknowledge(recorder.journal.chain.number)
    assert recorder.apply(["open"])[-1][:2] == ["state", "betting"]
    numbers = [decode(line)[2] for line in recorder.journal.lines_from(1)]
    assert numbers == list(range(numbers[0], numbers[-1] + 1))


@pytest.mark.slow
def test_a_stranger_talking_for_days_to_an_idle_table_stops_nothing():
    storage = Storage()
    recorder = configured(storage, small_config(MBS))
    for event in small_round(MBS):
        recorder.apply(event)
    for tick in range(20_000):
        recorder.note(["denied", "command", "without_session", []], tick * 10_000)
        recorder.journal.acknowledge(recorder.journal.chain.number)
    assert size_of(storage) <= SEGMENTS * _SEGMENT_BYTES
    assert recorder.apply(["open"])[-1][:2] == ["state", "betting"]
    again = start(storage)
    assert again.round.state == "frozen"  # the power went in the middle of betting, and this book asks
    assert again.round.number == 2


def test_refused_commands_without_end_stop_nothing():
    pair = Pair()
    pair.run(1000)
    recorder = pair.table.recorder
    for number in range(1, 4000):
        done = recorder.command(number, "staff", "dance", [])[0]
        assert not done
    pair.run(2000)
    pair.table.start("power")
    pair.run(30_000, step=200)
    assert pair.host.link.is_up
    assert pair.command("config", plain_config(small_config(MBS))) == DONE


def test_a_settled_round_can_be_taken_back_until_much_has_happened_since():
    recorder = configured(Storage(), small_config(MBS))
    for event in small_round(MBS):
        recorder.apply(event)
    reverse = ["irregularity", "foreign_card", None, None, None, None, "pit_supervisor"]
    written = 0
    while recorder.round.state == "settled":
        assert recorder.round.verify(reverse) is None
        recorder.keep([["device", "reader", "x" * 100]])
        written += 100
    assert _IDLE_BYTES // 3 < written < _IDLE_BYTES
    assert recorder.round.state == "idle"
    replay = Replay()
    for record in records_of(recorder):
        assert replay.take(record) is None
    assert replay.round.state == "idle"


@pytest.mark.parametrize("game", GAMES)
def test_a_cut_between_a_standing_and_its_opening_leaves_the_last_round_as_it_was(game):
    storage = Storage()
    recorder = configured(storage, small_config(game))
    for event in small_round(game):
        recorder.apply(event)
    recorder.journal.append_all(recorder.standing("open", recorder.last_command, recorder.last_answer))
    again = start(storage)
    assert again.round.state == "settled"
    replay = Replay()
    for record in records_of(again):
        assert replay.take(record) is None


def test_after_a_failed_write_nothing_more_is_done_until_the_next_start():
    storage = Storage()
    recorder = configured(storage, small_config(MBS))
    recorder.apply(["open"])
    storage.cut, storage.kept = storage.operations, 4
    with pytest.raises(PowerCut):
        recorder.command(2, "staff", "event", ["bet", 1, "P1", "main", 500])
    storage.cut = None
    with pytest.raises(Stopped):
        recorder.command(2, "staff", "event", ["bet", 1, "P1", "main", 500])
    with pytest.raises(Stopped):
        recorder.apply(["close"])
    again = start(storage)
    bets = [record for record in records_of(again) if record[0] == "event" and record[2][0] == "bet"]
    assert len(bets) == len(again.round.in_play()) == 0


@pytest.mark.parametrize("where", ["head", "line"])
def test_damage_that_no_power_cut_makes_is_not_taken_for_a_torn_line(where):
    storage = Storage()
    recorder = configured(storage, small_config(MBS), segment_bytes=6000)
    for event in small_round(MBS):
        recorder.apply(event)
    last = max(storage.files)
    content = bytearray(storage.files[last])
    begin = 0 if where == "head" else content.index(b"\n") + 1
    content[begin : begin + 1800] = bytes(1800)
    storage.files[last] = bytes(content)
    with pytest.raises(BrokenChain):
        start(storage, segment_bytes=6000)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("config", [["game", "--init--"]]),
        ("config", [["game", ""]]),
        ("config", [["game", "a" * 200]]),
        ("config", [["g" * 800, 1]]),
        ("config", [["game", MBS], ["boxes", 2], ["posts_above", ["x" * 300]]]),
        ("config", [["game", MBS], ["boxes", 2], ["posts_above", list("abcdefgh")]]),
        ("config", [["game", MBS], ["boxes", 2], ["limits", [["main", 5]]]]),
        ("config", [["game", MBS], ["boxes", 2], ["limits", 7]]),
        ("config", [["game", MBS], ["boxes", True]]),
        ("config", [["game", MBS], ["game", MBS]]),
        ("config", [[[], 1]]),
        ("config", [7]),
        ("config", []),
        ("event", ["\\" * 40] * 11),
        ("event", ['"' * 40] * 11),
        ("event", []),
        ("event", [[["open"]]]),
        ("event", ["irregularity", '"' * 40, None, '"' * 40, '"' * 40, None, '"' * 40, '"' * 200]),
        ("event", ["bet", 10**12, None, True, "x"]),
        ("clear", []),
        ("clear", [1, 2]),
        ("clear", ["x" * 41, "dealer"]),
        ("call", []),
        ("call", ["porter"]),
        ("call", [[]]),
        ("x" * 190, []),
        ("", []),
    ],
)
def test_odd_commands_are_refused_in_words_and_the_session_goes_on(name, arguments):
    pair = Pair()
    pair.run(1000)
    pair.command("config", plain_config(small_config(MBS)))
    done, code, _, detail = pair.command(name, arguments, who='"')
    assert (done, code in REFUSALS) == (False, True)
    assert len(detail) == len(REFUSALS[code][0])
    assert pair.command("event", ["open"]) == DONE
    pair.table.start("power")
    pair.run(6000)
    assert pair.host.log.records() == pair.table.records()


@pytest.mark.parametrize(
    ("who", "name", "arguments"),
    [("Zoë", "event", []), ("staff", "event", [1.5]), ("staff", "event", [{}]), ("staff", "event", None)]
    + [("staff", "event", ["x" * 1000]), ("staff", None, []), ("staff", "event", [[[[[[[[[[]]]]]]]]]])],
)
def test_the_host_never_queues_what_the_table_cannot_read(who, name, arguments):
    pair = Pair()
    with pytest.raises(Unsendable):
        pair.host.link.command(who, name, arguments)
    assert not pair.host.link.commands


def test_the_longest_event_that_can_be_refused_fits_its_line():
    recorder = configured(Storage(), small_config(POKER))
    longest = ["irregularity"] + ['"' * 40] * 5 + ['"' * 200]
    event = ["irregularity", '"' * 40, 999, '"' * 40, '"' * 40, True, '"' * 40, '"' * 200, 1 << 29]
    for one in (event, longest, ["ruling", '"' * 40, '"' * 40, 999, '"' * 200]):
        records = recorder.apply(one)
        assert len(encode(["rec", 1 << 29, 1 << 29, records[0], "0" * 24])) <= MAX_LINE


def test_a_host_with_an_older_log_than_the_table_knows_of_catches_up():
    pair = Pair()
    pair.run(1000)
    for word in range(300):
        pair.table.recorder.apply(["nonsense", word])
    pair.run(10_000)
    pair.host.log.lines = pair.host.log.lines[:20]
    pair.host.start()
    late: list[bytes] = []
    for _ in range(400):  # with everything 50 ms late
        pair.now += 50
        late.append(pair.table.say(pair.now))
        pair.table.link.receive(pair.host.say(pair.now), pair.now)
        pair.host.hear(late.pop(0) if len(late) > 1 else b"", pair.now)
    assert pair.host.log.records() == pair.table.records()


def test_a_greeting_said_thousands_of_times_is_answered_once_a_pass():
    pair = Pair()
    pair.run(1000)
    hi = next(line for line in pair.heard_by_table if line.startswith(b'["hi"'))
    pair.table.link.receive((hi + b"\n") * 3000, pair.now)
    assert pair.table.say(pair.now, most=5000).count(b'["proof"') == 1


def test_forged_records_do_not_keep_a_dead_session_alive():
    pair = Pair()
    pair.run(1000)
    number = pair.host.link.chain.number
    for _ in range(100):
        pair.now += 100
        pair.host.hear(encode(["rec", 1, number + 1, ["void", None, None], "0" * 24]), pair.now)
        pair.host.say(pair.now)
    assert not pair.host.link.is_up


def test_a_stranger_s_hail_does_not_disturb_a_living_session():
    pair = Pair()
    pair.run(1000)
    session = pair.table.link.session
    for _ in range(50):
        pair.table.link.receive(encode(["hail"]), pair.now)
        pair.run(100)
    assert pair.table.link.session is session


def test_two_hosts_with_one_number_are_not_answered_for_each_other():
    pair = Pair()
    pair.run(1000)
    pair.command("config", plain_config(small_config(MBS)))
    pair.command("event", ["open"])
    recorder = pair.table.recorder
    number = recorder.last_command + 1
    assert recorder.command(number, "one", "event", ["bet", 1, "P1", "main", 500]) == DONE
    other = recorder.command(number, "other", "event", ["bet", 2, "P2", "main", 500])
    assert other == not_done("number_used", number)


def test_old_records_of_a_table_whose_flash_was_wiped_are_not_believed():
    pair = Pair()
    pair.run(1000)
    for word in range(5):
        pair.table.recorder.apply(["nonsense", word])
    old = list(pair.table.journal.lines_from(1))
    dice = random.Random("wiped")
    table, host = Table(dice), Host(dice)  # same key, same name, everything else new
    now = 0
    for _ in range(100):
        now += 50
        host.hear(b"".join(line + b"\n" for line in old), now)
        table.link.receive(host.say(now), now)
        host.hear(table.say(now), now)
    assert host.log.records() == table.records()
    assert [told for told in host.told if told.what == "broken"]


def test_a_jackpot_that_waits_to_be_paid_is_not_configured_away():
    recorder = configured(Storage(), small_config(POKER))
    recorder.round.hand_pays.append("P1")
    assert recorder.command(2, "staff", "config", plain_config(small_config(MBS))) == not_done("jackpot_unpaid")


def full_storage():
    """The flash of a table whose small journal is full to the last byte."""
    storage = Storage(capacity=4)
    journal = configured(storage, small_config(MBS), **SMALL).journal
    with pytest.raises(JournalFull):
        fill(journal)
    return storage


def fill(journal):
    while True:
        journal.append(["device", "reader", ""])


def test_a_journal_that_is_full_when_the_table_starts_waits_for_the_host():
    """However that came about: it comes up, does nothing, and goes on by itself once there is room."""
    storage = full_storage()
    again = start(storage, **SMALL)
    assert again.apply(["close"])[0][:2] == ["held", "journal_full"]
    assert again.command(9, "staff", "event", ["close"])[0] is False
    again.keep([["call", "pit_supervisor"]])
    assert again.starting[0][0] == "boot"
    again.journal.whole = again.journal.chain.number  # what a host and a new standing would allow to go
    again.journal.acknowledge(again.journal.chain.number)
    assert again.apply(["close"])[0][0] == "refused"
    assert records_of(again)[-1][0] == "boot"  # the refusal is only counted, there is little room


def test_what_happened_before_the_start_is_told_only_once_it_is_in_the_journal():
    told = []
    again = start(full_storage(), [["console"]], lambda: told.append(True), **SMALL)
    journal = again.journal
    again.keep([["call", "pit_supervisor"]])
    assert told == []
    journal.whole = journal.chain.number
    journal.acknowledge(journal.chain.number)
    again.keep([["call", "pit_supervisor"]])
    assert [record[0] for record in records_of(again)[-3:]] == ["boot", "console", "call"]
    assert told == [True]
    again.keep([["call", "pit_supervisor"]])
    assert told == [True]


def test_what_happened_before_a_start_that_there_is_no_room_to_tell_waits_for_the_next():
    storage = Storage(capacity=4)
    configured(storage, small_config(MBS), **SMALL)
    start(storage, **SMALL)
    told = []
    again = start(storage, [["console"]], lambda: told.append(True), **SMALL)
    assert (again.room() < 0, again.starting) == (True, [])
    assert (records_of(again)[-1][0], told) == ("boot", [])


def test_a_fault_that_comes_before_there_is_room_to_start_is_told_with_the_start_and_outlives_the_next():
    storage = full_storage()
    again = start(storage, **SMALL)
    assert again.fault("shuffler_jam", "")
    assert again.faults == ["shuffler_jam"]
    again.journal.whole = again.journal.chain.number
    again.journal.acknowledge(again.journal.chain.number)
    again.keep([["call", "pit_supervisor"]])
    told = [record for record in records_of(again) if record[0] in ("boot", "fault", "call")]
    assert [record[0] for record in told[-3:]] == ["boot", "fault", "call"]
    assert start(storage, **SMALL).faults == ["shuffler_jam"]


@pytest.mark.parametrize(("kept", "answer"), [("command", CUT_OFF), ("call", DONE)])
def test_a_call_that_the_power_cut_short_is_answered_by_whether_it_was_written(kept, answer):
    storage = Storage()
    recorder = configured(storage, table_config(MBS))
    recorder.command(2, "dealer 1", "call", ["pit_supervisor"])
    name = max(storage.files)
    lines = storage.files[name].splitlines(keepends=True)
    last = max(number for number, line in enumerate(lines) if b'["%s",' % kept.encode() in line)
    storage.files[name] = b"".join(lines[: last + 1])
    again = start(storage)
    assert ["answer", 2, *answer] in records_of(again)
    assert again.command(2, "dealer 1", "call", ["pit_supervisor"]) == answer, "and is not made twice"
    assert len([record for record in records_of(again) if record[0] == "call"]) == answer[0]
