"""The bridge: commits, acknowledges, plays every record again, and signs each hour and at a clean stop."""

import random

import pytest

from host.keys import make_signer, read_signer
from host.log.checkpoints import EVERY_SECONDS, CheckpointBook, read_checkpoints
from host.log.verify import Line, verify
from host.table.bridge import Bridge
from host.table.link import HostLink
from host.words.records import difference_words
from shared.journal.seal import Sealer
from shared.journal.snapshot import plain_config
from shared.journal.wire import decode
from tests.support.firmware.small_rounds import small_config, small_round
from tests.support.floors import MemoryLog
from tests.support.linked import KEY, NOON, RULES, Table
from tests.support.tables import GAMES, MBS


class Desk:
    """A table, a bridge and a good wire; `seconds` is the host's clock."""

    def __init__(self, folder):
        dice = random.Random("desk")
        self.folder = folder
        self.dice = dice
        self.table = Table(dice)
        self.log = MemoryLog()
        self.now = 0
        self.seconds = NOON
        make_signer(folder / "host.key")
        self.start()

    def start(self):
        signer = read_signer(self.folder / "host.key")
        link = HostLink(self.log.end, Sealer(KEY), "T1", RULES, self.dice.randbytes, lambda: self.seconds)
        self.bridge = Bridge(link, self.log, CheckpointBook(self.folder / "checkpoints", "T1", signer))

    def run(self, milliseconds, step=50):
        for _ in range(0, milliseconds, step):
            self.now += step
            self.table.link.receive(self.bridge.link.output(self.now), self.now)
            self.bridge.receive(self.table.say(self.now), self.now, self.seconds)

    def signed(self):
        public = read_signer(self.folder / "host.key").public_key()
        return read_checkpoints(self.folder / "checkpoints", "T1", public)


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


@pytest.mark.parametrize("game", GAMES)
def test_every_round_is_played_again_and_agrees(desk, game):
    desk.run(1000)
    desk.bridge.link.command("staff", "config", plain_config(small_config(game)))
    desk.run(1000)
    for event in small_round(game):
        desk.table.recorder.apply(event)
    desk.run(3000)
    assert desk.log.records() == desk.table.records()
    assert desk.bridge.replay.round.state == "settled"
    assert list(desk.bridge.alarms) == []


def test_a_table_that_settles_differently_raises_an_alarm(desk):
    desk.run(1000)
    desk.bridge.link.command("staff", "config", plain_config(small_config(MBS)))
    desk.run(1000)
    for event in small_round(MBS)[:-1]:
        desk.table.recorder.apply(event)
    wrong = desk.table.recorder.round.apply(["settle"])
    line = next(record for record in wrong if record[0] == "line")
    line[8] += 100  # a cent too much, a hundred times
    desk.table.journal.append_all(wrong)
    desk.run(3000)
    expected, found = desk.bridge.alarms[0].difference
    assert found == line
    assert expected == [*line[:8], line[8] - 100, *line[9:]]
    assert len(desk.log.lines) == desk.table.journal.chain.number, "it is in the log all the same"


def test_checkpoints_each_hour_and_at_a_clean_stop_and_all_are_kept(desk):
    desk.run(1000)
    assert [one.number for one in desk.signed()] == [3], "a new chain, the start and the link"
    desk.table.recorder.apply(["nonsense"])
    desk.run(1000)
    assert len(desk.signed()) == 1, "the hour is not over"
    desk.seconds += EVERY_SECONDS
    desk.run(1000)
    assert desk.signed()[-1].number == desk.log.end().number
    desk.seconds += EVERY_SECONDS
    desk.run(1000)
    assert len(desk.signed()) == 2, "nothing new, nothing to sign"
    desk.table.recorder.apply(["nonsense"])
    desk.run(1000)
    desk.table.link.receive(desk.bridge.stop(desk.seconds + 5), desk.now)
    assert not desk.table.link.is_up()
    signed = desk.signed()
    assert [one.serial for one in signed] == list(range(1, len(signed) + 1))
    assert signed[-1].number == desk.log.end().number
    lines = [Line(("in_line", "log", place), line) for place, line in enumerate(desk.log.lines)]
    assert verify(lines, Sealer(KEY), "T1", signed).is_whole
    assert not verify(lines[:-1], Sealer(KEY), "T1", signed).is_whole
    desk.start()
    desk.run(1000)
    assert desk.signed()[: len(signed)] == signed


def test_a_log_that_is_full_acknowledges_nothing_and_loses_nothing(desk):
    desk.run(1000)
    before = desk.table.journal.acknowledged
    desk.log.full = True
    desk.table.recorder.apply(["nonsense"])
    desk.run(3000)
    assert desk.bridge.failure.code == "log.SQLITE_FULL"
    assert desk.table.journal.acknowledged == before
    desk.log.full = False
    desk.run(3000)
    assert desk.bridge.failure is None
    assert desk.log.records() == desk.table.records()


def test_a_bridge_that_starts_in_mid_round_goes_on_checking(desk):
    desk.run(1000)
    desk.bridge.link.command("staff", "config", plain_config(small_config(MBS)))
    desk.run(1000)
    events = small_round(MBS)
    for event in events[:8]:
        desk.table.recorder.apply(event)
    desk.run(1000)
    desk.start()
    for event in events[8:]:
        desk.table.recorder.apply(event)
    desk.run(3000)
    assert desk.bridge.replay.round.state == "settled"
    assert list(desk.bridge.alarms) == []
    assert decode(desk.log.lines[-1])[2] == desk.table.journal.chain.number


def test_a_checkpoint_that_cannot_be_written_holds_up_no_record_and_is_signed_later(desk):
    desk.run(1000)
    signed = len(desk.signed())
    checkpoints = desk.folder / "checkpoints"
    away = checkpoints.rename(desk.folder / "away")
    checkpoints.mkdir()
    desk.seconds += EVERY_SECONDS
    desk.table.recorder.apply(["nonsense"])
    desk.bridge.checkpoints.path = checkpoints / "absent" / "file"
    desk.run(1000)
    assert "cannot write" in str(desk.bridge.unsigned)
    assert desk.table.journal.acknowledged == desk.log.end().number == desk.table.journal.chain.number
    checkpoints.rmdir()
    away.rename(checkpoints)
    desk.bridge.checkpoints.path = checkpoints
    desk.table.recorder.apply(["nonsense"])
    desk.run(1000)
    assert desk.bridge.unsigned is None
    assert len(desk.signed()) == signed + 1


@pytest.mark.parametrize("record", [["line"], ["event", 1, ["open", 7]], ["refused", 5, 5, 5], ["command"]])
def test_a_sealed_record_that_no_core_writes_is_an_alarm_and_not_the_end(desk, record):
    desk.run(1000)
    desk.bridge.link.command("staff", "config", plain_config(small_config(MBS)))
    desk.run(1000)
    desk.table.recorder.apply(["open"])
    desk.table.journal.append_all([record, ["quiet", 1]])
    desk.run(3000)
    assert [alarm.number for alarm in desk.bridge.alarms] == [desk.table.journal.chain.number - 1]
    assert len(desk.log.lines) == desk.table.journal.chain.number
    desk.table.journal.append_all([["quiet", 2]])
    desk.run(3000)
    assert len(desk.log.lines) == desk.table.journal.chain.number


def test_a_payment_that_nothing_caused_is_an_alarm_and_told_once(desk):
    desk.run(1000)
    desk.bridge.link.command("staff", "config", plain_config(small_config(MBS)))
    desk.run(1000)
    for event in small_round(MBS):
        desk.table.recorder.apply(event)
    last = desk.table.journal.chain.number
    refund = ["refund", 1, "P10", "main", 500, "5.5", None]
    desk.table.journal.append_all(
        [["quiet", 1], refund, ["quiet", 1], ["refund", 1, "P10", "main", 700, "5.5", None]]
    )
    desk.run(3000)
    assert [alarm.number for alarm in desk.bridge.alarms] == [last + 2, last + 4]
    difference = desk.bridge.alarms[0].difference
    assert difference == (None, ["refund", 1, "P10", "main", 500, "5.5", None])
    assert difference_words(*difference).startswith('expected no such record here, found ["refund",1,')


def test_a_joined_table_that_names_other_rules_is_an_alarm(desk):
    desk.run(1000)
    desk.bridge.link.command("staff", "config", plain_config(small_config(MBS)))
    desk.run(1000)
    desk.table.recorder.rules = "0" * 8
    desk.table.recorder.apply(["open"])
    desk.run(3000)
    alarm = desk.bridge.alarms.popleft()
    expected, found = alarm.difference
    assert (found[0], found[3], expected) == ("begin", "0" * 8, [*found[:3], RULES])
    assert not desk.bridge.alarms


def test_what_other_rules_wrote_before_the_table_was_joined_is_no_alarm(desk):
    desk.table.journal.append_all([["boot", "power", 0, "0" * 8]])
    desk.run(3000)
    assert len(desk.log.lines) == desk.table.journal.chain.number
    assert not desk.bridge.alarms
