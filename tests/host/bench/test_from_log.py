"""A round of a log becomes a scenario that plays to the same records, on the rules core and on the firmware."""

import pytest

from host.bench.course import play as play_course
from host.bench.from_log import NotAScenario, scenario_text
from host.bench.runs import PASSED, SKIPPED, attempt
from host.bench.scenario import read_scenario
from host.bench.targets import open_target
from host.log.reading import LogReader
from host.pico.digests import firmware_digest
from host.rules.catalogue import book_ids
from shared.round.records import RECORDS
from shared.round.round import Round
from tests.support.floors import make_floor, play
from tests.support.log.logs import RecordingTable, play_round, records_of, write_log
from tests.support.tables import MBS

KIND = "card elsewhere, before the report"


def made(tmp_path, log, number):
    """The scenario of a round, and the notes about it."""
    with LogReader(log) as reader:
        text, notes = scenario_text(reader, number, KIND)
    path = tmp_path / f"round-{number}.toml"
    path.write_text(text)
    return read_scenario(path), notes


@pytest.mark.parametrize("book", book_ids())
def test_rounds_of_a_simulated_table_play_again(tmp_path, book):
    floor, memory = make_floor(tmp_path, book, mischief=1.0)
    play(floor, 3)
    log = tmp_path / "t1.db"
    write_log(log, records_of([line.rstrip() for line in memory.lines]))
    target = open_target("cpython", firmware_digest())
    for number in (1, 2, 3):
        scenario, notes = made(tmp_path, log, number)
        assert notes == []
        assert play_course(scenario, Round(scenario.config).apply).difference is None
        assert attempt(scenario, target).outcome in (PASSED, SKIPPED)
        with LogReader(log) as reader:
            kinds = [step.record[0] for step in reader.steps(number) if step.record[0] in RECORDS]
        core = Round(scenario.config)
        events = [event for step in scenario.steps for event in step.events]
        assert [record[0] for event in events for record in core.apply(event)] == kinds


def table_with(tmp_path, *told):
    """A log of two rounds, in the second of which staff tell this before the bets are closed."""
    table = RecordingTable({"game": MBS, "boxes": 1, "limits": {"main": [500, 5000]}})
    play_round(table)
    table.do("settle")
    table.do("open")
    table.say("dealer 1", "bet", 1, "Ms Tan", "main", 1000)
    for event in told:
        table.say("dealer 1", *event)
    table.do("close")
    log = tmp_path / "t1.db"
    write_log(log, table.records())
    return log


def test_players_and_rounds_are_named_anew_and_texts_left_out(tmp_path):
    log = table_with(tmp_path, ["irregularity", "other", None, "Ms Tan", None, "dealer", "Ms Tan said so"])
    with LogReader(log) as reader, pytest.raises(NotAScenario, match="no phrase stands for"):
        scenario_text(reader, 2, KIND)
    log.unlink()
    log = table_with(tmp_path, ["irregularity", "other", None, None, None, "dealer", "Ms Tan said so"])
    scenario, notes = made(tmp_path, log, 2)
    assert [step.words for step in scenario.steps[:3]] == [
        "place your bets",
        "P1 bets $10 main on box 1",
        "report: something else, says the dealer",
    ]
    assert [note.partition(":")[0] for note in notes] == ["the text of"]
    assert "Tan" not in scenario.path.read_text()
    assert scenario.config == {"game": MBS, "boxes": 1, "limits": {"main": [500, 5000]}}


def test_what_was_refused_is_refused_again(tmp_path):
    log = table_with(tmp_path, ["bet", 1, "Ms Tan", "main", 9_000_00], ["take_back", 1, "Mr Lim", "main"])
    scenario, _ = made(tmp_path, log, 2)
    shown = [step.shown() for step in scenario.steps]
    assert "P2 takes back main on box 1" in shown
    assert any(words.startswith("=> refused") for words in shown)


def test_a_round_that_is_not_there_or_was_played_by_other_rules_is_told(tmp_path):
    log = table_with(tmp_path)
    with LogReader(log) as reader:
        with pytest.raises(NotAScenario, match=r"there is no round 7 in .*; it has rounds 1 to 2"):
            scenario_text(reader, 7, KIND)
        reader.steps = lambda number: [
            one._replace(record=["state", "closed", "9.9"]) if one.record[:2] == ["state", "closed"] else one
            for one in LogReader.steps(reader, number)
        ]
        with pytest.raises(NotAScenario, match="a fresh table plays the round otherwise: the log has"):
            scenario_text(reader, 2, KIND)
