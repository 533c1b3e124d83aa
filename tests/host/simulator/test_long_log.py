"""Logs of any length: as one table could have written them, so an audit plays all of them again."""

import json

import pytest
from click.testing import CliRunner

from host.keys import read_table_key
from host.log.audit import audit
from host.log.reading import LogReader
from host.pico.digests import rules_digest
from host.simulator import long_log
from host.simulator.quick_table import QuickTable, quick_config
from tests.support.tables import GAMES

KINDS = {"event", "refused", "fault", "cleared", "boot", "void", "ask", "command", "answer", "line", "shown"}


@pytest.fixture
def short_stretches(monkeypatch):
    monkeypatch.setattr(long_log, "STRETCH", 6)


def make(folder, *options):
    done = CliRunner().invoke(long_log.long_log, [str(folder), *map(str, options)])
    assert done.exit_code == 0, done.output
    return folder / "table.db"


@pytest.mark.parametrize("distinct", [(), ("--distinct", 12)])
def test_a_log_is_in_order_and_has_every_game_and_trouble(tmp_path, short_stretches, distinct):
    path = make(tmp_path, "--rounds", 80, "--mischief", 1, *distinct)
    report = audit(path, read_table_key(tmp_path / "table.key"), (), lambda count: None, rules_digest())
    assert [str(one) for one in report.findings] == []
    assert report.rounds == 80
    assert report.replayed > 0.98 * report.last
    with LogReader(path) as log:
        games = {
            json.loads(line[:-9])[3][2] for (line,) in log.query("SELECT line FROM records WHERE what = 'game'")
        }
        kinds = {kind for (kind,) in log.query("SELECT DISTINCT kind FROM records")}
        rounds = [number for (number,) in log.query("SELECT round FROM rollup_rounds ORDER BY round")]
        assert log.notices("staff")
    assert len(games) > (1 if distinct else 3)
    assert kinds >= KINDS
    assert rounds == list(range(1, 81))


def test_the_same_seed_plays_the_same_rounds(tmp_path, short_stretches):
    sums = []
    for name in ("one", "two", "other"):
        path = make(tmp_path / name, "--rounds", 12, "--seed", name == "other")
        with LogReader(path) as log:
            sums.append(list(log.query("SELECT round, begun, details FROM rollup_rounds ORDER BY round")))
    assert sums[0] == sums[1] != sums[2]


def test_a_log_that_is_there_is_left_alone(tmp_path, short_stretches):
    path = make(tmp_path, "--rounds", 1)
    before = path.read_bytes()
    done = CliRunner().invoke(long_log.long_log, [str(tmp_path)])
    assert (done.exit_code, "has a log already" in done.output) == (1, True)
    assert path.read_bytes() == before


@pytest.mark.parametrize("game", GAMES)
def test_most_rounds_are_settled_though_everything_goes_wrong(game):
    table = QuickTable(quick_config(game, 4), rules_digest(), "quick", 1.0, 0)
    for _ in range(60):
        table.play_round()
    ended = [record[1] for _, record in table.records() if record[0] == "state"]
    assert ended.count("settled") > 40
    assert table.round.number == 60
