"""How worn the table's flash is, and how long it lasts, as the doctor reads it from the log."""

import pytest

from host.doctor.findings import LOOK, OK, read_subject
from host.doctor.wear import DAY_S, check_flash
from host.log.entries import Record
from host.log.store import LogStore
from host.words.doctor import found_words
from shared.journal.chain import Chain
from shared.journal.seal import Sealer
from tests.support.doctoring import codes, marks
from tests.support.log.logs import KEY, NOON


class DailyLog:
    """A log in which a table told its wear now and then."""

    def __init__(self, table_file):
        self.file = table_file
        self.store = LogStore(table_file.parent / "t1.db", "T1")
        self.chain = Chain(Sealer(KEY.key), "T1")

    def found(self):
        return check_flash(read_subject(self.file))

    def tell(self, day, *wear, kind="wear"):
        record = [kind, *wear]
        line = self.chain.write(1, record)[:-1]
        self.store.commit([Record(self.chain.number, 1, record, line)], NOON + int(day * DAY_S))


@pytest.fixture
def daily(table_file):
    made = DailyLog(table_file)
    yield made
    made.store.close()


def years(findings):
    return findings[0].fields["years"]


def test_without_a_log_or_a_record_nothing_is_known(table_file, daily):
    assert codes(daily.found()) == ["flash.not_told"]
    daily.tell(0, "power", 0, kind="boot")
    assert codes(daily.found()) == ["flash.not_told"]


def test_under_a_day_the_years_are_not_known_yet(daily):
    daily.tell(0, 10, 1280, 0, 128)
    daily.tell(0.9, 34, 4352, 0, 128)
    (finding,) = daily.found()
    assert (finding.code, finding.mark, finding.fields["years"]) == ("flash.fine", OK, None)
    said = (
        "the most worn of 128 sectors was erased 34 of 100,000 times, 0 failed; left at this pace: not known yet"
    )
    assert found_words(finding) == said


def test_the_years_that_are_left_go_by_the_pace_between_the_first_and_the_last_record(daily):
    daily.tell(0, 10, 1280, 0, 128)
    daily.tell(1, 20, 2000, 0, 128)
    daily.tell(10, 210, 1280 + 128 * 200, 0, 128)
    findings = daily.found()
    assert marks(findings) == [OK]
    assert years(findings) == pytest.approx((100_000 - 210) / 20 / 365.25)
    assert "left at this pace: 13.7 years" in found_words(findings[0])


def test_a_quiet_table_lasts_for_ever(daily):
    daily.tell(0, 2, 256, 0, 128)
    daily.tell(20, 2, 257, 0, 128)
    assert "more than 100 years" in found_words(daily.found()[0])


def test_only_the_last_month_counts(daily):
    daily.tell(0, 2, 256, 0, 128)
    for day in (100, 110):
        daily.tell(day, 5000 + day, 128 * (5000 + 10 * day), 0, 128)
    assert years(daily.found()) == pytest.approx((100_000 - 5110) / 10 / 365.25)
    daily.tell(200, "power", 0, kind="boot")
    assert codes(daily.found()) == ["flash.not_told"]


def test_sectors_that_failed_are_to_be_looked_at(daily):
    daily.tell(0, 10, 1280, 3, 128)
    assert codes(daily.found()) == ["flash.failing"]


@pytest.mark.parametrize(("most", "laps"), [(100_000, 1), (50_000, 100)])
def test_a_flash_that_will_soon_be_worn_is_to_be_replaced(daily, most, laps):
    daily.tell(0, most - 10 * laps, 128 * 1000, 0, 128)
    daily.tell(10, most, 128 * (1000 + 10 * laps), 0, 128)
    findings = daily.found()
    assert (codes(findings), marks(findings)) == (["flash.worn"], [LOOK])


@pytest.mark.parametrize("told", ["by the host", "by the table"])
def test_another_pico_has_another_flash(daily, told):
    daily.tell(0, 90_000, 128 * 90_000, 4, 128)
    if told == "by the host":
        daily.store.notice("replaced", "Somebody put the table onto another Pico.", daily.chain.number, NOON)
    else:
        daily.tell(4, "Pit Two", "pit_supervisor", "e660583883265039", NOON, kind="replaced")
    daily.tell(5, 2, 256, 0, 128)
    daily.tell(7, 42, 256 + 128 * 40, 0, 128)
    findings = daily.found()
    assert codes(findings) == ["flash.fine"]
    assert years(findings) == pytest.approx((100_000 - 42) / 20 / 365.25)


def test_a_record_that_is_damaged_stops_nothing(daily):
    daily.tell(0, "many", None)
    assert codes(daily.found()) == ["flash.not_told"]
