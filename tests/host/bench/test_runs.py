"""`felt bench`: what a run tells, by its words, its exit status, and the files that it writes."""

import json
import os
import re
import shlex
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from host.bench.kept import keep
from host.bench.outcomes import Broken
from host.bench.report_page import page
from host.bench.reports import Conditions, junit, result_words
from host.bench.runs import FAILED, FLAKY, INSTRUMENT, PRODUCT, exit_status, run
from host.bench.summary import check, summary_of
from host.bench.targets import CoreTarget
from host.cli import felt
from host.keys import make_signer, read_public
from host.pico.digests import firmware_digest, rules_digest
from host.rules.coverage import SHOWN_ONLY
from host.rules.inventory import paragraphs
from tests.support.documents import ROOT

FOLDER = ROOT / "tests" / "scenarios"
GOOD = FOLDER / "rws-three-pictures-4" / "power-open-picture.toml"
SKIPPED = FOLDER / "mbs-three-pictures-2" / "closing-new-day.toml"
FIRMWARE = firmware_digest()


def felt_bench(*arguments):
    done = CliRunner().invoke(felt, ["bench", *map(str, arguments)])
    assert not done.exception or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Where a run leaves what failed."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def wrong(tmp_path):
    """A scenario that expects what does not come out."""
    path = tmp_path / "wrong.toml"
    path.write_text(GOOD.read_text().replace('"P2 initial" = "returned $25"', '"P2 initial" = "wins $25"'))
    return path


DIFFERENCE = "P2 initial on box 2: expected wins $25, came out as: returned $25"

# -- verdicts and exit status


def test_what_passes_is_counted_with_status_0():
    status, told = felt_bench("run", GOOD, "--target", "core", "--target", "cpython", "--firmware", "here")
    assert status == 0
    assert told.splitlines()[-1] == "2 passed"
    assert re.search(rf"^passed: {GOOD} on core \(\d+\.\d\d s\)$", told, re.MULTILINE)
    assert re.search(rf"^passed: {GOOD} on cpython \(\d+\.\d\d s\)$", told, re.MULTILINE)
    assert re.search(r"^cpython: 1 passed, \d+\.\d s$", told, re.MULTILINE)
    status, told = felt_bench("run", GOOD, "--quiet")
    assert (status, "passed: " in told, told.splitlines()[-1]) == (0, False, "1 passed")


def test_a_difference_is_told_in_words_with_status_1(wrong):
    status, told = felt_bench("run", wrong)
    assert status == 1
    assert f"failed: {wrong} on core" in told
    assert "  product: " + DIFFERENCE in told
    assert "  because: A king may still become" in told
    assert told.splitlines()[-1] == "1 failed"


def test_what_a_target_cannot_play_is_skipped_aloud_with_status_3():
    status, told = felt_bench("run", GOOD, SKIPPED, "--target", "cpython", "--firmware", FIRMWARE)
    assert status == 3
    assert f"skipped: {SKIPPED} on cpython: between rounds a power failure decides nothing" in told
    assert told.splitlines()[-1] == "1 passed, 1 skipped"


def test_a_file_that_cannot_be_read_is_set_up_with_status_2(tmp_path):
    bad = tmp_path / "bad.toml"
    bad.write_text("title = 1")
    status, told = felt_bench("run", bad, GOOD)
    assert status == 2
    assert f"unread: {bad}" in told
    assert "set-up: " in told
    assert told.splitlines()[-1] == "1 passed, 1 unread"
    assert felt_bench("run", tmp_path / "nothing.toml")[0] == 2


def test_a_run_that_is_not_told_which_firmware_it_tests_does_not_start(tmp_path):
    for given in ([], ["--firmware", "00" * 16]):
        status, told = felt_bench("run", GOOD, "--target", "cpython", *given)
        assert status == 2
        assert "firmware" in told
        assert "passed" not in told
    assert felt_bench("run", GOOD, "--summary", tmp_path / "s.json")[0] == 2
    assert felt_bench("run", GOOD, "--match", "no such text")[0] == 2
    assert felt_bench("run", GOOD, "--target", "toaster")[0] == 2


def test_only_what_matches_is_played():
    status, told = felt_bench("run", GOOD.parent, "--match", "OPEN PICTURE")
    assert status == 0
    assert told.splitlines()[-1] in ("1 passed", "2 passed", "3 passed", "4 passed")


# -- retries: a target whose first tries go wrong


class Wobbly(CoreTarget):
    """It breaks down so many times before it works."""

    def __init__(self, failures):
        super().__init__()
        self.failures = failures

    def start(self, config):
        self.failures -= 1
        if self.failures >= 0:
            raise Broken("a loose plug")
        super().start(config)


def run_wobbly(failures, retries):
    results = list(run([GOOD], [Wobbly(failures)], retries))
    tested = Conditions("", rules_digest(), {"core": "CPython"}, "00", 1, retries, 1_790_000_000)
    return results, tested


def test_what_passes_at_the_second_try_is_flaky_and_every_try_is_kept():
    results, tested = run_wobbly(1, 2)
    assert results[0].verdict == FLAKY
    assert [one.outcome for one in results[0].attempts] == ["failed", "passed"]
    assert exit_status(results) == 1
    assert result_words(results[0])[1:] == ["  try 1: instrument: a loose plug", "  try 2: passed"]
    case = ElementTree.fromstring(junit(results, tested)).find(".//testcase/error")
    assert case is not None
    assert case.get("message") == "flaky: a loose plug"
    assert "try 2: passed" in (case.text or "")
    told = summary_of(results, tested)
    assert (told["targets"][0]["flaky"], told["targets"][0]["passed"], told["exit status"]) == (1, 0, 1)


def test_without_retries_it_has_failed_and_speaks_against_the_instrument():
    results, _ = run_wobbly(1, 0)
    assert (results[0].verdict, results[0].cause, len(results[0].attempts)) == (FAILED, INSTRUMENT, 1)
    results, _ = run_wobbly(9, 2)
    assert (results[0].verdict, len(results[0].attempts)) == (FAILED, 3)


def test_what_speaks_against_the_product_at_any_try_is_said_before_what_does_not(wrong):
    (result,) = run([wrong], [Wobbly(1)], retries=1)
    assert [one.cause for one in result.attempts] == [INSTRUMENT, PRODUCT]
    assert (result.cause, result.words) == (PRODUCT, DIFFERENCE)


# -- slow targets: a process for each scenario, and a file of what is done


class Slow(CoreTarget):
    """It ends its process where it is told to, and counts what it has prepared."""

    name = "slow"
    is_slow = True

    def __init__(self, ends_at=""):
        super().__init__()
        self.ends_at = ends_at
        self.prepared = 0

    def prepare(self, config):
        self.prepared += 1

    def start(self, config):
        super().start(config)
        if self.ends_at and config["game"] == self.ends_at:
            os._exit(3)


class Unprepared(Slow):
    def prepare(self, config):
        raise Broken("no such image")


ONE_A_BOOK = [sorted(folder.glob("*.toml"))[0] for folder in sorted(FOLDER.iterdir()) if folder.is_dir()]


def test_slow_targets_play_in_processes_of_their_own_as_well_as_others():
    target = Slow()
    results = list(run(ONE_A_BOOK, [CoreTarget(), target], jobs=2))
    assert [result.target for result in results[:5]] == ["core"] * 5
    assert sorted(result.path for result in results[5:]) == sorted(ONE_A_BOOK)
    assert {(result.target, result.verdict) for result in results[5:]} == {("slow", "passed")}
    assert target.prepared == 5
    assert target.records == []  # what is played is played in a copy


def test_a_process_that_ends_speaks_against_the_instrument_and_stops_nothing():
    target = Slow(ends_at=GOOD.parent.name)
    results = list(run(ONE_A_BOOK, [target], retries=1, jobs=2))
    ended = [result for result in results if result.verdict == FAILED]
    assert [result.path.parent.name for result in ended] == [GOOD.parent.name]
    assert (ended[0].cause, len(ended[0].attempts)) == (INSTRUMENT, 2)
    assert ended[0].words == "its process ended with status 3"
    assert len(results) == 5


def test_a_target_that_cannot_be_prepared_speaks_against_the_instrument():
    results = list(run(ONE_A_BOOK, [Unprepared()], jobs=2))
    assert {(result.verdict, result.cause, result.words) for result in results} == {
        (FAILED, INSTRUMENT, "no such image")
    }


def test_a_long_run_goes_on_from_where_it_was_stopped(tmp_path, wrong):
    file, other = tmp_path / "progress", tmp_path / "good.toml"
    other.write_text(GOOD.read_text())
    words = ["run", other, wrong, SKIPPED, "--target", "cpython", "--firmware", "here", "--progress", file]
    first = felt_bench(*words)
    assert (first[0], first[1].splitlines()[-1]) == (1, "1 passed, 1 skipped, 1 failed")
    lines = file.read_text().splitlines()
    assert len(lines) == 2  # what failed is played again
    lines[0] = lines[0].replace('"words": ""', '"words": "kept"')
    file.write_text("\n".join(lines) + '\n{"of": "torn')  # the machine was switched off
    status, told = felt_bench(*words, "--junit", tmp_path / "junit.xml")
    assert (status, told.splitlines()[-1]) == (1, "1 passed, 1 skipped, 1 failed")
    assert len([line for line in file.read_text().splitlines() if line in lines]) == 2
    # Another file, other seeds of sessions, or another target is another case.
    other.write_text(GOOD.read_text() + "\n# played anew\n")
    felt_bench(*words)
    assert len(file.read_text().splitlines()) == 4
    assert felt_bench("run", other, "--progress", tmp_path)[0] == 2


# -- files


def test_junit_has_a_suite_for_each_target(tmp_path, wrong):
    file = tmp_path / "junit.xml"
    names = ["--target", "core", "--target", "cpython", "--firmware", "here"]
    assert felt_bench("run", wrong, SKIPPED, *names, "--junit", file)[0] == 1
    suites = ElementTree.parse(file).getroot().findall("testsuite")
    counts = [
        [suite.get(name) for name in ("name", "tests", "failures", "errors", "skipped")] for suite in suites
    ]
    assert counts == [["core", "2", "1", "0", "0"], ["cpython", "2", "1", "0", "1"]]
    whole = ElementTree.parse(file).getroot()
    assert [whole.get(name) for name in ("tests", "failures", "skipped")] == ["4", "2", "1"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suites[0].get("timestamp", ""))
    failure = suites[1].find("testcase/failure")
    assert failure is not None
    assert failure.get("type") == PRODUCT
    assert DIFFERENCE in failure.get("message", "")
    firmware = suites[1].find("properties/property[@name='firmware']")
    assert firmware is not None
    assert firmware.get("value") == FIRMWARE


def test_junit_shows_each_try_that_failed():
    results, tested = run_wobbly(9, 2)
    case = ElementTree.fromstring(junit(results, tested)).find(".//testcase")
    assert case is not None
    assert [one.tag for one in case] == ["error", "rerunFailure", "rerunFailure"]
    assert [one.get("message") for one in case][1:] == ["try 2: a loose plug", "try 3: a loose plug"]


def test_the_page_shows_a_failures_wires_and_its_picture(tmp_path, wrong):
    file = tmp_path / "page.html"
    felt_bench("run", wrong, GOOD, "--target", "cpython", "--firmware", "here", "--html", file)
    text = file.read_text()
    assert text.count("<td class=failed") == text.count("<td class=passed") == 1
    assert 'src="data:image/png;base64,iVBOR' in text
    assert re.search(r"<span class=shuffler> *\d+ shuffler *&lt; \d+ DEAL", text)
    assert re.search(r"<span class=reader> *\d+ reader *&gt; \d+ CARD KS", text)
    assert "&quot;command&quot;" in text
    assert "the round is void: every bet goes back  [5.4.2 (N-10)]" in text  # records in words, with their rules
    assert "<a href=#failure-1>failed</a>" in text
    assert "<section id=failure-1>" in text
    assert FIRMWARE in text
    assert "a king may still become" in text.lower()


def test_the_page_shows_every_try_and_why_something_was_skipped(tmp_path, wrong):
    file = tmp_path / "page.html"
    felt_bench("run", wrong, SKIPPED, "--target", "cpython", "--firmware", "here", "--retries", 1, "--html", file)
    text = file.read_text()
    assert "try 1 of 2" in text
    assert "try 2 of 2" in text
    assert text.count('src="data:image/png') == 2
    assert "<li>between rounds a power failure decides nothing" in text


def test_a_page_escapes_what_files_say():
    results, tested = run_wobbly(1, 0)
    attempt = results[0].attempts[0]._replace(words="<script>")
    text = page([results[0]._replace(attempts=[attempt])], tested)
    assert "<script>" not in text
    assert "&lt;script&gt;" in text


def test_a_kept_failure_is_played_again_by_its_own_command(tmp_path, wrong):
    kept = tmp_path / "kept"
    for number in (1, 2):
        status, told = felt_bench(
            "run", wrong, "--target", "cpython", "--firmware", "here", "--seed", 7, "--keep", kept
        )
        assert status == 1
        assert f"  kept: {kept}" in told
        assert len(list(kept.iterdir())) == number  # never one over another
    home = kept / "wrong-cpython"
    about = json.loads((home / "about.json").read_text())
    assert (about["target"], about["firmware"], about["seed"]) == ("cpython", FIRMWARE, 7)
    assert (home / "scenario.toml").read_text() == wrong.read_text()
    assert '["event",1,["card","KS"]]' in (home / "records-1.txt").read_text()
    assert re.search(r"^ +\d+ usb +< \[", (home / "wire-1.txt").read_text(), re.MULTILINE)
    assert (home / "display-1.png").read_bytes()[:4] == b"\x89PNG"
    assert (kept / "wrong-cpython-2" / "wire-1.txt").read_text() == (home / "wire-1.txt").read_text()
    assert about["replay"] in (home / "README.txt").read_text()
    for line in about["play again"]:
        assert line in (home / "README.txt").read_text()
        command, *words = shlex.split(line)
        assert command == "felt"
        again = CliRunner().invoke(felt, words)
        assert again.exit_code == 1
        assert DIFFERENCE in again.output


def test_each_failure_leaves_a_folder_unless_told_where(tmp_path, wrong):
    felt_bench("run", wrong, GOOD)
    assert [home.name for home in (tmp_path / "felt-bench-failures").iterdir()] == ["wrong-core"]


def test_the_records_of_a_failure_are_compared_again_without_what_made_them(tmp_path, wrong):
    kept = tmp_path / "kept"
    felt_bench("run", wrong, "--target", "cpython", "--firmware", "here", "--retries", 1, "--keep", kept)
    home = kept / "wrong-cpython"
    command, *words = shlex.split(json.loads((home / "about.json").read_text())["replay"])
    done = CliRunner().invoke(felt, words)
    assert (command, done.exit_code) == ("felt", 1)
    assert done.output.splitlines() == [
        f"try {number}, {when}: product: {DIFFERENCE}"
        for number in (1, 2)
        for when in ("at the time", "its records here")
    ]
    # Other records are another difference, and what was expected wrongly can be put right.
    (home / "scenario.toml").write_text(GOOD.read_text())
    assert felt_bench("replay", home)[0] == 0
    records = home / "given-2.txt"
    records.write_text(
        records.read_text().replace('["refund",1,"P1","initial",2500', '["refund",1,"P1","initial",2600')
    )
    status, told = felt_bench("replay", home)
    assert (status, "try 1, its records here: passed" in told) == (1, True)
    assert "the rules core says: $25 of P1's initial on box 1 goes back; the table: $26 of P1's initial" in told
    records.write_text("")
    assert "try 2, its records here: instrument: what was kept ends here" in felt_bench("replay", home)[1]
    about = (home / "about.json").read_text()
    (home / "about.json").write_text(about.replace(rules_digest(), "00" * 16))
    assert f"the rules here are {rules_digest()}; {'00' * 16} were tested" in felt_bench("replay", home)[1]
    (home / "about.json").write_text("{}")
    assert felt_bench("replay", home) == (2, f"Error: {home}: not as `felt bench run` keeps it\n")
    assert felt_bench("replay", tmp_path / "nothing")[0] == 2


def test_only_what_can_be_played_again_is_kept(tmp_path):
    bad = tmp_path / "bad.toml"
    bad.write_text("")
    results = list(run([bad, GOOD], [CoreTarget()]))
    _, tested = run_wobbly(0, 0)
    assert [keep(tmp_path / "kept", result, tested) for result in results] == [None, None]


def test_the_summary_is_signed_and_names_what_was_tested(tmp_path):
    key, file = tmp_path / "bench.key", tmp_path / "summary.json"
    public = make_signer(key)
    names = ["--target", "core", "--target", "micropython", "--firmware", "here"]
    status, _ = felt_bench("run", GOOD, *names, "--summary", file, "--key", key)
    assert status == 0
    summary = check(file.read_text(), read_public(public))
    assert (summary["firmware"], summary["rules"], summary["exit status"]) == (FIRMWARE, rules_digest(), 0)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", summary["date"])
    core, micropython = summary["targets"]
    assert (core["target"], core["passed"], core["boards"]) == ("core", 1, ["none"])
    assert micropython["runtime"].startswith("MicroPython v1.")
    assert (micropython["passed"], micropython["boards"]) == (1, ["small"])
    status, told = felt_bench("verify", file, "--signer", public)
    assert status == 0
    assert f"firmware {FIRMWARE}" in told
    file.write_text(file.read_text().replace('"passed": 1', '"passed": 2'))
    status, told = felt_bench("verify", file, "--signer", public)
    assert (status, told) == (1, "Error: this key has not signed the summary as it is\n")
    file.write_text("{}")
    assert felt_bench("verify", file, "--signer", public)[0] == 1


# -- coverage, explain, new


def test_coverage_lists_each_paragraph_with_what_shows_it_and_where_that_passes(wrong):
    status, told = felt_bench(
        "coverage", GOOD, wrong, "--target", "core", "--target", "cpython", "--firmware", "here"
    )
    assert status == 0
    acted = [
        row for row in paragraphs() if (row.rulebook, row.controller == SHOWN_ONLY) == (GOOD.parent.name, False)
    ]
    shown = [line.split() for line in told.splitlines() if re.match(r"  5\.4\.2 .* 2  ", line)]
    assert shown == [["5.4.2", "enforce", "2", "1", "1"]]
    assert told.splitlines()[-1].startswith(f"{len(acted)} paragraphs that the controller acts on, ")


def test_a_scenario_is_told_in_words():
    status, told = felt_bench("explain", GOOD)
    assert status == 0
    assert "     6. cards KS 5D 2S 7H 7D 4C QC TD 6S\n" in told
    assert "         must follow: the round is void: 5.4.2\n" in told
    assert "  5.4.2: Nothing decided yet: round void\n" in told
    assert felt_bench("explain", ROOT / "README.md")[0] == 2
