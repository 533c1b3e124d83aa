"""What other threads ask of the table's thread."""

import pytest

from host.log.entries import Record
from host.table.service import NO_TABLE, STOPPED, Answer
from tests.support.page.played import quiet_service


def test_a_call_is_answered_in_the_tables_thread_and_may_fail_without_harm(tmp_path):
    service = quiet_service(tmp_path)
    good, bad, last = service.call(lambda: 7), service.call(lambda: 1 // 0), service.call(lambda: "after")
    assert not good.done()
    service.step()
    assert good.result(0) == 7
    with pytest.raises(ZeroDivisionError):
        bad.result(0)
    assert last.result(0) == "after"


class Counter:
    """An observer that counts what it is told."""

    def __init__(self):
        self.told = self.passes = 0

    def passed(self, service, change, now):
        self.told += [one.code for one in change.told].count("display")
        self.passes += 1


def test_a_call_finds_observers_told_of_all_that_the_pass_brought(tmp_path):
    service = quiet_service(tmp_path)
    counter = Counter()
    service.observers.append(counter)
    service.announce("display", ("display.no_answer", {"reason": "told with the next pass"}))
    asked = service.call(lambda: (counter.told, counter.passes))
    service.step()
    assert asked.result(0) == (1, 1)


def test_nobody_waits_for_a_service_that_has_stopped(tmp_path):
    service = quiet_service(tmp_path)
    early = service.command("somebody", "event", ["open"])
    late = service.call(lambda: service.command("somebody", "event", ["open"]))
    asked = service.call(lambda: 7)
    service.close()
    assert early.result(0) == Answer(False, NO_TABLE)
    assert late.result(0).result(0) == Answer(False, STOPPED)
    assert asked.result(0) == 7


def test_alarms_are_kept_for_those_who_look_later(tmp_path):
    service = quiet_service(tmp_path)
    assert service.alarms == []
    service.bridge.check(Record(5, 1, ["begin", 1, "open", service.bridge.link.rules], b""))
    service.bridge.check(Record(6, 1, ["config", "game", "none"], b""))
    service.step()
    assert [(one.code, one.details[0]) for one in service.alarms] == [("alarm", 6)]
