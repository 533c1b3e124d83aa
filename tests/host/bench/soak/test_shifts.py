"""A soak: every kind of trouble at a table that bears it, and products broken on purpose, which are found out."""

import random
import re
import shlex
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

import firmware.recovery
from firmware.link import Link
from firmware.recorder import Recorder
from host.bench.soak import chaos, inspector
from host.bench.soak.chaos import DEVICE_KINDS, OTHER_KINDS, TROUBLES
from host.bench.soak.inspector import Inspector
from host.bench.soak.report import has_failed, report_lines, total
from host.bench.soak.shifts import CPYTHON, DEVICES, MICROPYTHON, Shift, config_of, play, shifts_of, soak
from host.cli import felt
from host.pico.digests import firmware_digest
from host.simulator.memory_log import MemoryLog
from tests.support.campaign import LONG
from tests.support.tables import GAMES, POKER

SEED = 18
FIRMWARE = firmware_digest()
CPYTHON_ROUNDS, CPYTHON_SHIFT = (20_000, 25) if LONG else (25, 5)  # of each game
MICROPYTHON_ROUNDS, MICROPYTHON_SHIFT = (2_000, 250) if LONG else (2, 1)  # in long shifts the heap is judged


def play_all(these):
    return list(soak(these, [CPYTHON], 1))


def failures(reports):
    return [f"{report.shift.name}: {report.failure}\n{report.crash}" for report in reports if report.failure]


# -- campaigns


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_whatever_goes_wrong_no_record_is_lost_or_differs(game):
    reports = play_all(shifts_of(SEED, [game], CPYTHON_ROUNDS, CPYTHON_SHIFT))
    assert failures(reports) == []
    counts = total(report.counts for report in reports)
    assert counts["rounds"] >= CPYTHON_ROUNDS
    assert counts["settled"] > counts["void"]
    assert counts["with_bets"] > 0.8 * counts["rounds"]
    if LONG:
        troubles = total(report.troubles for report in reports)
        assert [kind for kind in (*OTHER_KINDS, *DEVICE_KINDS) if not troubles[kind]] == []


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_both_runtimes_write_the_same_records_and_the_heap_is_flat(game):
    longer = shifts_of(SEED, [game], MICROPYTHON_ROUNDS, MICROPYTHON_SHIFT)
    reports = list(soak(longer, [CPYTHON, MICROPYTHON], 1))
    assert not has_failed(reports), "\n".join(report_lines(reports) + failures(reports))
    for report in reports:
        assert len(report.heap) == (report.counts["rounds"] if report.target == MICROPYTHON else 0)


# -- one trouble at a time


LED_TO = {"torn_write": "cut_at_start", "journal_unread": "journal_full"}  # some of the time


def play_until_happened(*kinds):
    """What happened until all of these did a few times."""
    happened = Counter()
    for shift in shifts_of(SEED, GAMES, 300, 2):
        report = play(shift, CPYTHON, FIRMWARE)
        assert failures([report]) == []
        happened += report.troubles
        if shift.number >= len(GAMES) and all(happened[kind] >= 3 for kind in kinds):
            return happened
    raise AssertionError(f"{kinds}: {happened}")


@pytest.mark.slow
@pytest.mark.parametrize("kind", TROUBLES)
def test_a_table_bears_each_trouble(monkeypatch, kind):
    monkeypatch.setattr(chaos, "TROUBLES", {kind: TROUBLES[kind]})
    happened = play_until_happened(*{kind, LED_TO.get(kind, kind)} - {"device"})
    others = {*TROUBLES, *LED_TO.values()} - {kind, LED_TO.get(kind)}
    assert not [other for other in others if happened[other]]


@pytest.mark.slow
@pytest.mark.parametrize("kind", DEVICE_KINDS)
def test_a_table_bears_each_trouble_with_a_device(monkeypatch, kind):
    monkeypatch.setattr(chaos, "TROUBLES", {"device": TROUBLES["device"]})
    monkeypatch.setattr(chaos, "DEVICE_FAULTS", (kind,))
    monkeypatch.setattr(chaos, "LASTING", ())
    play_until_happened(kind)


def test_shifts_draw_every_board_and_every_choice_of_devices():
    drawn = [config_of(shift, random.Random(shift.name)) for shift in shifts_of(SEED, [POKER], 60, 1)]
    assert {board for _, board in drawn} == {"small", "full"}
    for devices in DEVICES:
        assert [config for config, _ in drawn if devices.items() <= config.items()]


# -- the same again


def test_one_seed_makes_the_same_records_again_and_another_others():
    first, again = (play_all(shifts_of(SEED, GAMES, 10, 2)) for _ in range(2))
    assert first == again
    assert len({report.digest for report in first}) == len(first)
    others = play_all(shifts_of(SEED + 1, GAMES, 10, 2))
    assert not {report.digest for report in first} & {report.digest for report in others}


def test_a_shift_plays_the_same_alone_and_in_a_campaign():
    reports = play_all(shifts_of(SEED, GAMES, 10, 2))
    assert play(Shift(SEED, GAMES[3], 3, 2), CPYTHON, FIRMWARE) == reports[3]


# -- broken on purpose


def forgets_its_last_command(monkeypatch):
    recover = firmware.recovery.recover

    def broken(recorder):
        recover(recorder)
        recorder.last_command = 0

    monkeypatch.setattr(firmware.recovery, "recover", broken)


def leaves_out_a_record(monkeypatch):
    caused_by = Recorder.caused_by

    def broken(recorder, event):
        before, records = caused_by(recorder, event)
        return before, [record for record in records if record[0] != "total"]

    monkeypatch.setattr(Recorder, "caused_by", broken)


def crashes_over_a_fault(monkeypatch):
    monkeypatch.setattr(Recorder, "fault", lambda recorder, code, detail: 1 // 0)


def latches_what_nobody_has_advice_for(monkeypatch):
    fault = Recorder.fault
    monkeypatch.setattr(Recorder, "fault", lambda recorder, code, detail: fault(recorder, "odd " + code, detail))


def says_nothing_twice(monkeypatch):
    monkeypatch.setattr(Link, "rewind", lambda link, now: None)
    monkeypatch.setattr(chaos, "TROUBLES", {"bad_line": TROUBLES["bad_line"]})
    monkeypatch.setattr(inspector, "MOST_QUIET_MS", 120_000)


def does_again_what_comes_again(monkeypatch):
    command = Recorder.command

    def broken(recorder, number, who, name, arguments):
        recorder.last_command = 0
        return command(recorder, number, who, name, arguments)

    monkeypatch.setattr(Recorder, "command", broken)
    monkeypatch.setattr(chaos, "TROUBLES", {"bad_line": TROUBLES["bad_line"]})


def changes_a_record_of_long_ago(monkeypatch):
    commit = MemoryLog.commit

    def broken(log, records, seconds):
        commit(log, records, seconds)
        if len(log.lines) > 200:
            log.lines[100] = log.lines[99]

    monkeypatch.setattr(MemoryLog, "commit", broken)


def changes_what_is_no_longer_on_flash(monkeypatch):
    changes_a_record_of_long_ago(monkeypatch)
    monkeypatch.setattr(Inspector, "compare_with_flash", lambda inspector: None)


BROKEN = {
    forgets_its_last_command: r"the command of staff \d+ was |record \d+ is not what the rules make of ",
    leaves_out_a_record: r'record \d+ is not what the rules make .*: expected \["total".*, found \["state"',
    crashes_over_a_fault: r"the firmware crashed: ZeroDivisionError: .* \(test_shifts.py, line \d+\)",
    latches_what_nobody_has_advice_for: "the table latched the fault odd ",
    does_again_what_comes_again: r"the command of staff \d+ was done twice",
    changes_a_record_of_long_ago: r"and the log \d+; the first that is not the same is number 101$",
    changes_what_is_no_longer_on_flash: r"the log does not hold together: record 101: ",
    says_nothing_twice: "no round has ended for 2 minutes; the last is .*, and the table has no fault",
}
FAILURE = re.compile(r"failed: shift (\d+) of (\S+) on cpython, after \d+ rounds, at [\d.]+ s: (.*)")


def felt_soak(arguments):
    done = CliRunner().invoke(felt, ["bench", "soak", *arguments])
    assert not done.exception or isinstance(done.exception, SystemExit), done.exception
    assert "Traceback" not in done.output
    return done.exit_code, done.output.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_product_fails_and_fails_again_in_the_same_record(monkeypatch, tmp_path, broken):
    campaign = ["--seed", str(SEED), "--rounds", "25", "--shift-rounds", "5"]
    with monkeypatch.context() as patched:
        broken(patched)
        status, told = felt_soak([*campaign, "--keep", str(tmp_path / "first")])
        assert status == 1
        failed, again, kept = told[:3]
        assert re.search(BROKEN[broken], FAILURE.fullmatch(failed)[3])
        replay = shlex.split(again.partition("Play it again: ")[2])
        assert replay[:3] == ["felt", "bench", "soak"]
        status, told = felt_soak([*replay[3:], "--keep", str(tmp_path / "second")])
        assert (status, told[0]) == (1, failed)
    first, second = Path(kept.partition("kept: ")[2]), Path(told[2].partition("kept: ")[2])
    assert first.parent != second.parent
    assert len((first / "records.txt").read_text().splitlines()) > 20
    names = {path.name for path in first.iterdir()}
    assert names >= {"records.txt", "about.json", "README.txt"}
    for name in names - {"crash.txt"}:
        assert (first / name).read_bytes() == (second / name).read_bytes(), name
    status, told = felt_soak(replay[3:])
    assert (status, [line for line in told if line.startswith("failed ")]) == (0, ["failed      0 shifts"])


@pytest.mark.slow
def test_a_difference_between_the_runtimes_is_told(monkeypatch):
    """On CPython alone the clock is a millisecond off."""
    uptime = Recorder.uptime
    monkeypatch.setattr(Recorder, "uptime", lambda recorder: uptime(recorder) + 1)
    reports = list(soak([Shift(SEED, POKER, 0, 1)], [CPYTHON, MICROPYTHON], 1))
    assert failures(reports) == []
    assert has_failed(reports)
    name = f"{SEED} {POKER} 0"
    assert report_lines(reports)[-1] == f"{name}: the records on cpython and micropython are not the same"
