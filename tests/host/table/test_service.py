"""The service that runs a table: joining, configuring, losing and finding the table again, commands, failures."""

import os

import pytest

from host.config.table_file import game_config
from host.log.entries import LogFailed
from host.log.reading import LogReader
from host.table.assemble import open_table
from host.table.link import NOT_DONE
from host.table.port import PortBusy, TablePort
from host.table.service import CATCHING_UP, NO_TABLE, NOT_CONFIRMED, UNSENDABLE, Answer
from shared.journal.snapshot import plain_config
from tests.support.linked import DONE, not_done
from tests.support.serviced import Serviced


def test_a_new_table_is_joined_configured_and_plays(table):
    table.run_until(lambda: table.rounds_ended() == 2)
    assert table.heard.told[0] == ("port", ("pico.open", {"port": str(table.path)}))
    assert len(table.heard.details("up")) == 1
    assert plain_config(table.service.bridge.replay.config) == plain_config(game_config(table.config))
    configured = [record for record in table.heard.records if record[0] == "command" and record[3] == "config"]
    assert len(configured) == 1, "sent once"
    assert table.service.stale_why() is None


def test_a_new_configuration_waits_for_the_end_of_the_round(table):
    table.run_until(lambda: table.round is not None and table.round.state == "dealing")
    changed = dict(game_config(table.config), boxes=1)
    table.service.config = changed
    table.run_until(lambda: table.service.bridge.replay.config == changed)
    kinds = [record for record in table.heard.records if record[0] in ("state", "config") and record[1] != "game"]
    place = kinds.index(["config", "boxes", 1])
    assert ["state", "settled"] in [record[:2] for record in kinds[:place]]
    assert not [record for record in table.heard.records if record[0] == "held"], "and is not tried before"


def test_a_table_that_is_unplugged_and_plugged_in_again_goes_on(table):
    for moment in ("betting", "dealing", "revealed", "settled"):
        table.run_until(lambda moment=moment: table.round is not None and table.round.state == moment)
        table.unplug()
        table.run(5_000)
        assert not table.link.is_up
        assert table.service.stale_why().code == "port"
        assert ("unplugged",) in table.heard.details("down")
        table.plug_in()
        table.run_until(lambda: table.link.is_up and table.agree())
        assert table.service.stale_why() is None
    before = table.rounds_ended()
    table.run_until(lambda: table.rounds_ended() > before)
    numbers = [record for record in table.heard.records if record[0] == "event"]
    assert numbers
    assert list(table.service.bridge.alarms) == []


def test_a_table_that_restarts_is_joined_again(table):
    table.run_until(lambda: table.rounds_ended() == 1)
    table.switch_on()
    table.floor.act_at = table.now + 1000
    table.run_until(lambda: len(table.heard.details("up")) == 2)
    assert table.heard.details("down") == [("restarted",)]
    table.run_until(lambda: table.link.is_up and table.agree())


def test_a_host_that_restarts_goes_on_where_its_log_ends(table):
    table.run_until(lambda: table.round is not None and table.round.state == "dealing")
    table.stop()
    for _ in range(100):
        table.now += 20
        table.floor.now = table.now
        table.terminal.write(table.floor.pass_through(table.terminal.read()))
    table.start()
    table.run_until(lambda: table.rounds_ended() == 2)
    with LogReader(table.config.log.file) as log:
        first, last = log.ends()
        assert [number for number, _ in log.lines(first, last)] == list(range(1, last + 1))
        assert log.notices("alarm") == []


# -- commands


def test_a_command_is_answered_by_the_table(table):
    table.run_until(lambda: table.round is not None and table.round.state == "betting", act=True)
    done = table.service.command("Ann (dealer)", "event", ["bet", 1, "Ann's guest", "main", 2500])
    refused = table.service.command("Ann (dealer)", "event", ["settle"])
    table.run_until(lambda: done.done() and refused.done(), act=False)
    assert done.result() == DONE
    assert refused.result()[:2] == (False, "not_possible_now")
    assert refused.result().detail == ["betting"]
    whose = [record[2] for record in table.heard.records if record[0] == "command"]
    assert "Ann (dealer)" in whose


def test_a_command_without_a_table_is_refused_at_once_and_never_sent(table):
    table.run_until(lambda: table.link.is_up)
    table.unplug()
    table.run(1_000)
    future = table.service.command("staff", "event", ["open"])
    assert future.result(timeout=0) == Answer(False, NO_TABLE)
    table.plug_in()
    table.run_until(lambda: table.link.is_up)
    assert ["open"] not in [command.arguments for command in table.link.commands]


def lose_the_table(table):
    """Nothing that is said arrives any more, though the port is there; the wire is returned."""
    wire, table.terminal = table.terminal, None
    return wire


def test_what_was_confirmed_before_an_absence_is_not_done_after_it(table):
    table.run_until(lambda: table.round is not None and table.round.state == "betting", act=True)
    table.service.observers.remove(table.desk)  # whose commands would be before it
    table.run(200, act=False)  # until the last of them is answered
    wire = lose_the_table(table)
    report = ["irregularity", "technical", None, None, None, "shift_manager"]
    sent = table.service.command("Ann, Shift Manager", "event", report)
    behind = table.service.command("Ann, Shift Manager", "event", ["close"])
    table.run(10_000, act=False)
    assert not table.link.is_up
    assert behind.result(timeout=0) == not_done(NOT_DONE)
    assert not sent.done(), "the table may have done it before it was lost"
    table.floor.press("close")
    table.run(10_000, act=False)
    wire.read()
    table.terminal = wire
    table.run_until(lambda: table.link.is_up and table.agree(), act=False)
    assert sent.result(timeout=0) == not_done(NOT_DONE)
    assert not any(record[0] == "event" and record[2] == report for record in table.heard.records)
    words = (
        "Not done, as the table was away: irregularity: technical (by shift manager), asked for by Ann, Shift "
        "Manager. Look at the table, then decide again."
    )
    assert words in [one.words for one in table.heard.told]
    with LogReader(table.config.log.file) as log:
        assert words in [notice.text for notice in log.notices("answer")]


def test_a_configuration_that_did_not_arrive_is_sent_again_and_no_complaint_is_made(table):
    table.run_until(lambda: table.link.is_up and table.round is not None, act=False)
    wire = lose_the_table(table)
    changed = dict(game_config(table.config), boxes=1)
    table.service.config = changed
    table.run(10_000, act=False)
    wire.read()
    table.terminal = wire
    table.run_until(lambda: table.service.bridge.replay.config == changed, at_most=12_000, act=False)
    assert table.service.config_problem is None
    assert table.heard.details("answer") == table.heard.details("config") == []


def test_a_command_is_refused_until_it_is_known_what_happened_in_an_absence(table):
    table.run_until(lambda: table.round is not None and table.round.state == "betting", act=True)
    table.unplug()
    table.run(2_000, act=False)
    for word in range(100):
        table.here.table.controller.recorder.apply(["nonsense", word])
    table.plug_in()
    table.run_until(lambda: table.link.is_up, act=False)
    assert not table.agree()
    future = table.service.command("Ann (dealer)", "event", ["close"])
    assert future.result(timeout=0) == Answer(False, CATCHING_UP)
    table.run_until(table.agree, act=False)
    future = table.service.command("Ann (dealer)", "event", ["close"])
    table.run_until(future.done, act=False)
    assert future.result(timeout=0) == DONE


def test_nobody_waits_for_an_answer_when_the_host_stops(tmp_path):
    table = Serviced(tmp_path)
    table.run_until(lambda: table.link.is_up and table.round is not None)
    future = table.service.command("staff", "event", ["open"])
    table.close()
    assert future.result(timeout=0) == Answer(False, NOT_CONFIRMED)


def test_what_cannot_be_sent_is_refused_in_words(table):
    table.run_until(lambda: table.link.is_up)
    future = table.service.command("staff", "event", [{"no": "list"}])
    assert future.result(timeout=0)[:2] == (False, UNSENDABLE)


# -- failures


def test_a_log_that_takes_no_records_is_said_and_nothing_is_acknowledged_or_lost(table, monkeypatch):
    table.run_until(lambda: table.rounds_ended() == 1)
    store = table.table.store
    commit = store.commit

    def full(records, seconds):
        raise LogFailed("log.SQLITE_FULL")

    monkeypatch.setattr(store, "commit", full)
    before = table.link.acknowledged
    table.run(8_000)
    failed = ("log.SQLITE_FULL", {})
    assert table.heard.details("log") == [failed], "told once"
    assert table.here.table.controller.recorder.journal.acknowledged <= before
    monkeypatch.setattr(store, "commit", commit)
    table.run_until(lambda: table.link.is_up and table.agree())
    assert table.heard.details("log") == [failed, ("log.works", {})], "and that it works again"
    table.run_until(lambda: table.rounds_ended() >= 2)


def test_an_alarm_is_said_and_noticed_with_its_record(table):
    table.run_until(lambda: table.round is not None and table.round.state == "betting")
    table.round.number += 5  # the host's own picture is wrong now, so the table's differs
    table.run_until(lambda: table.heard.details("alarm"))
    with LogReader(table.config.log.file) as log:
        alarms = log.notices("alarm")
    assert alarms[0].number is not None
    assert "call for help" in alarms[0].text


def test_a_second_bridge_on_the_same_log_is_refused(table):
    with pytest.raises(LogFailed, match=str(os.getpid())):
        open_table(table.config)


def test_a_second_bridge_on_the_same_port_is_refused(table):
    table.run_until(lambda: table.link.is_up)
    with pytest.raises(PortBusy, match="in use by another program"):
        TablePort(str(table.path)).open(0)


def test_a_port_that_is_not_there_says_so_and_is_tried_every_second(tmp_path):
    port = TablePort(str(tmp_path / "none"))
    assert not port.open_if_due(0)
    assert port.problem
    assert port.problem.code == "pico.no_port"
    assert port.read() == b""
    port.write(b"x")
    assert not port.open_if_due(999)


def test_bytes_that_a_table_does_not_take_wait_and_are_bounded(table):
    table.run_until(lambda: table.link.is_up)
    port = table.service.port
    for _ in range(200):
        port.write(b"x" * 1024 + b"\n")
    assert 0 < len(port.unsent) <= 65536
    table.run_until(lambda: not port.unsent)
    table.run_until(lambda: table.link.is_up and table.agree())
