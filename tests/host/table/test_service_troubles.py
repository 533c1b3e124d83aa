"""What must not stop a table, flood its log or pass unsaid: cables, wrong keys, moved logs, wrong records."""

import io
import os
import subprocess
import sys
import termios
from pathlib import Path

import pytest
import serial

from host.config.table_file import game_config
from host.display.display import Display
from host.display.terminal import NO_COLOUR, TerminalSink
from host.keys import read_table_key
from host.log.reading import LogReader
from host.log.store import LogStore
from host.pico.digests import rules_digest
from host.simulator.floor import Floor
from host.simulator.table_process import FIRMWARE, Here, KeptTable
from host.table.display_observer import DisplayObserver
from host.table.link import HAIL
from host.table.port import TablePort
from host.table.screen import Screen
from host.table.service import NO_TABLE, Answer
from host.words.failures import failure_words
from host.words.faults import ADVICE

pytestmark = pytest.mark.slow

NOT_PLAYABLE = ["cleared"]


def observe(table):
    """The observers of `felt run`."""
    log = table.config.log.file
    screen = Screen(io.StringIO(), log, ["Table T1"])
    screen.start()
    display = Display(TerminalSink(io.StringIO(), NO_COLOUR, in_place=False), (64, 32))
    table.service.observers += [DisplayObserver([display]), screen]


def notices(table, kind):
    with LogReader(table.config.log.file) as log:
        return [notice.text for notice in log.notices(kind)]


# -- the log


def look_from_outside(log):
    """Somebody looks at a log with nothing but SQLite, who may write it, in a process of his own."""
    look = "c = sqlite3.connect(sys.argv[1]); c.execute('SELECT count(*) FROM records').fetchone(); c.close()"
    code = f"import sqlite3, sys; {look}"
    subprocess.run([sys.executable, "-c", code, str(log)], check=True, timeout=30)


def locks_on(path: Path):
    inode = path.stat().st_ino
    return [line for line in Path("/proc/locks").read_text().splitlines() if f":{inode} " in line]


def test_reading_the_log_in_the_process_that_writes_it_keeps_the_locks_that_others_heed(table):
    observe(table)
    table.run_until(lambda: table.rounds_ended() == 1)
    log = table.config.log.file
    assert any(str(os.getpid()) in line for line in locks_on(log))
    look_from_outside(log)
    assert Path(f"{log}-wal").exists(), "or records that were acknowledged would go with it"
    table.run_until(lambda: table.rounds_ended() == 2)
    assert not table.heard.details("failed")


def test_a_log_that_is_moved_away_while_it_is_written_stops_the_acknowledging_until_it_is_back(table):
    table.run_until(lambda: table.rounds_ended() == 1)
    log = table.config.log.file
    away = log.with_name("away.db")
    log.rename(away)
    before = table.link.acknowledged
    table.run(5_000)
    assert table.link.acknowledged == before
    replaced = ("log.replaced", {"path": log})
    assert table.heard.details("log") == [replaced]
    assert table.service.stale_why() == ("log", replaced)
    assert not log.exists(), "no new log in its place"
    away.rename(log)
    table.run_until(lambda: table.link.is_up and table.agree())
    assert table.heard.details("log") == [replaced, ("log.works", {})]
    assert notices(table, "log_failed") == [failure_words(*replaced)]


def test_a_log_that_fails_for_long_is_told_of_once(table, monkeypatch):
    table.run_until(lambda: table.rounds_ended() == 1)
    store = table.table.store
    full = table.config.log.file.with_name("elsewhere")
    monkeypatch.setattr(store, "path", full)
    before = len(table.heard.told)
    table.run(60_000)
    monkeypatch.undo()
    table.run_until(lambda: table.link.is_up and table.agree())
    down, failed, again = table.heard.told[before:]
    assert down == ("down", ("log_failed",))
    assert failed.code == "log"
    assert again == ("log", ("log.works", {}))


def test_notices_that_wait_for_a_log_are_bounded_and_what_was_lost_is_counted(tmp_path):
    with LogStore(tmp_path / "t1.db", "T1") as store:
        away = tmp_path / "away.db"
        store.path.rename(away)
        assert not store.notice("alarm", "the first")
        for number in range(1_200):
            store.notice("login", f"{number}")
        assert not store.notice("alarm", "the last")
        away.rename(store.path)
        assert store.notice("login", "back")
    with LogReader(tmp_path / "t1.db") as log:
        assert {notice.text for notice in log.notices("alarm")} == {"the first", "the last"}
        assert len(log.notices("log_failed")) == 1
        assert "notices were lost" in log.notices("lost")[0].text
        assert len(log.notices("login")) < 1_000


# -- records that are wrong


def test_a_sealed_record_that_cannot_be_played_is_an_alarm_and_the_table_goes_on(table):
    observe(table)
    table.run_until(lambda: table.round is not None and table.round.state == "betting")
    table.here.table.controller.recorder.keep([NOT_PLAYABLE])
    table.run_until(lambda: table.heard.details("alarm"))
    table.run(1_000)
    table.stop()
    table.start()
    observe(table)
    table.run_until(lambda: table.link.is_up and table.agree())
    assert not table.heard.details("failed")
    assert len(notices(table, "alarm")) == 1, "and is not raised again by a restart"


def test_an_alarm_that_a_kill_kept_from_being_told_is_told_by_the_next_start(table, monkeypatch):
    table.run_until(lambda: table.round is not None and table.round.state == "betting")
    monkeypatch.setattr(table.service.bridge, "check", lambda record: None)  # killed before it looked
    table.here.table.controller.recorder.keep([NOT_PLAYABLE])
    table.run_until(table.agree, act=False)
    table.stop()
    assert notices(table, "alarm") == []
    table.start()
    table.run(1_000, act=False)
    assert len(notices(table, "alarm")) == 1


def test_an_observer_that_fails_is_told_of_once_and_the_table_goes_on(table):
    class Failing:
        def passed(self, service, change, now):
            raise RuntimeError("no paper")

    table.service.observers.insert(0, Failing())
    table.run_until(lambda: table.rounds_ended() == 1)
    assert table.heard.details("failed") == [("Failing", "RuntimeError", "no paper")]
    assert len(notices(table, "failed")) == 1


# -- the port


def test_a_cable_that_goes_between_reading_and_writing_is_missed_at_once(table, monkeypatch):
    table.run_until(lambda: table.link.is_up)
    port = table.service.port
    monkeypatch.setattr(port, "write", lambda data: port.lose(OSError(5, "Input/output error")))
    table.service.step()
    assert not table.link.is_up
    assert table.service.stale_why().code == "port"
    assert table.service.command("staff", "event", ["open"]).result(timeout=0) == Answer(False, NO_TABLE)


def test_a_cable_that_goes_while_the_port_is_opened_is_a_port_that_is_not_there(tmp_path, monkeypatch):
    def gone(*_, **__):
        raise termios.error(5, "Input/output error")

    monkeypatch.setattr(serial, "Serial", gone)
    port = TablePort(str(tmp_path / "port"))
    assert not port.open_if_due(0)
    assert port.problem
    assert port.problem.code == "pico.not_opened"
    assert "Input/output error" in port.problem.fields["reason"]


# -- who is at the other end


def other_table(table, name, key):
    made = KeptTable(table.board, key, name, rules_digest(), FIRMWARE)
    table.here = Here(made)
    table.floor = Floor(table.board, game_config(table.config), table.here, table.here, "people", at_desk=False)


def test_a_table_that_does_not_prove_its_key_is_told_of_once(table):
    other_table(table, "T1", bytes(32))
    table.run(60_000)
    assert not table.link.is_up
    assert table.heard.details("unproved") == [("T1",)]
    assert table.service.stale_why() == ("unproved", ("T1",))
    assert notices(table, "unproved") == [table.service.stale_why().words]


def test_a_table_that_comes_back_as_a_bare_prompt_is_told_of_once_and_what_to_do(table):
    """MicroPython's console shows a prompt without a newline, and repeats what the host says."""
    table.run_until(lambda: table.rounds_ended() == 1)
    table.unplug()
    table.run(1000, act=False)
    table.plug_in()
    table.terminal.write(b"\r\nMicroPython v1.23.0 on 2024-06-02; Raspberry Pi Pico with RP2040\r\n>")
    for _ in range(500):
        table.now += 20
        table.terminal.write(b">> " + table.terminal.read())
        table.service.step()
    assert table.heard.details("prompt") == [()]
    assert table.service.stale_why() == ("prompt", ())
    words = table.service.stale_why().words
    assert notices(table, "prompt") == [words]
    assert "felt rescue" in words
    assert "felt flash --replace" in words


@pytest.mark.parametrize(
    "heard", [b">>> ", b"\r\n>>> ", b"MicroPython v1.28.0", HAIL.strip(), b"raw REPL; CTRL-B"]
)
def test_a_console_is_known_by_each_sign_of_it_in_one_part_or_two(table, heard):
    table.link.unplugged()
    for half in range(len(heard)):
        table.link.events.clear()
        table.link.receive(heard[:half], 0)
        table.link.receive(heard[half:], 0)
        assert [event.what for event in table.link.events] == ["prompt"], half


def test_another_table_at_the_port_is_told_of_once(table):
    other_table(table, "T9", read_table_key(table.config.key).key)
    table.run(60_000)
    assert table.heard.details("refused") == [("hello", "other_table", ["T9", "T1"])]
    assert len(notices(table, "refused")) == 1


def test_a_table_that_says_ever_new_nonsense_does_not_fill_the_log(table):
    table.run_until(lambda: table.link.is_up)
    for number in range(200):
        table.link.tell("unknown", f"word{number}")
        table.run(20)
    assert len(notices(table, "unknown")) == 20


# -- what is wrong at the table


def test_a_fault_is_told_with_what_to_do(table):
    table.run_until(lambda: table.round is not None)
    table.here.table.controller.recorder.fault("reader_error", "7 LAMP")
    table.run(500, act=False)
    told = [one for one in table.heard.told if one.code == "fault"]
    assert [one.details for one in told] == [("reader_error", "7 LAMP")]
    assert told[0].words == f"Fault, reader error (7 LAMP). {ADVICE['reader_error']}"


def test_an_open_console_and_other_files_are_told_and_are_no_alarm(table):
    table.run_until(lambda: table.round is not None)
    table.here.table.controller.recorder.keep([["console"], ["files", "00" * 16, "ab" * 16]])
    table.run(500, act=False)
    told = [one for one in table.heard.told if one.code in ("console", "files")]
    assert [one.details for one in told] == [(), ("00" * 16, "ab" * 16)]
    assert all("stop it and call for help" in one.words for one in told)
    assert notices(table, "alarm") == []


def test_a_configuration_that_is_refused_is_told_of_once_and_tried_ever_more_seldom(table):
    table.run_until(lambda: table.rounds_ended() == 1)
    table.service.config = dict(game_config(table.config), boxes=99)
    table.run(120_000, act=False)
    [(code, _)] = table.heard.details("config")
    assert code == "number_expected"
    assert notices(table, "config") == [table.service.config_problem.words]
    tries = [record for record in table.heard.records if record[0] == "command" and record[3] == "config"]
    assert len(tries) < 8
