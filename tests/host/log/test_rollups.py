"""Rollups follow from the records: however these came, they are what the records alone make of them."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host.log.columns import FIELDS
from host.log.opening import upgrade
from host.log.reading import LogReader
from host.log.rollups import keeper
from host.log.rollups.blocks import BLOCK
from host.log.rollups.check import check_rollups
from host.log.rollups.summary import Entry, Summary, details_in, summarize
from host.log.schema import NEWEST, declared_schema
from host.log.store import LogStore
from host.table.rollup_observer import STEP, RollupObserver
from host.table.service import Change
from tests.support.log.logs import KEY, NOON, RecordingTable, play_round, random_play, tampered, write_log
from tests.support.tables import GAMES, LUCKY, MBS, NON_COMMISSION, POKER

SMALL = {"game": MBS, "boxes": 2, "limits": {"main": [500, 100_000]}}
SCHEMA = declared_schema(NEWEST)


def differences(path):
    with LogReader(path) as log:
        return list(check_rollups(log.connection, SCHEMA))


def summary_of(path, number):
    with LogReader(path) as log:
        summary = summarize(log.connection, number)
    assert summary
    return summary, details_in(summary)


def kept(path, number):
    with LogReader(path) as log:
        row = log.one(f"SELECT {', '.join(Summary._fields)} FROM rollup_rounds WHERE round = ?", number)
    return Summary._make(row) if row else None


def query(path, sql, *values):
    with LogReader(path) as log:
        return list(log.query(sql, *values))


@pytest.fixture
def small_folds(monkeypatch):
    monkeypatch.setattr(keeper, "FOLD", 3)


def test_an_entry_is_a_row_of_the_table_records():
    assert Entry._fields == FIELDS


# -- one round


@pytest.fixture(scope="module")
def table():
    """A round that is paid, with a refusal and a fault in it; one that is void; and one that is open."""
    made = RecordingTable(SMALL)
    made.tell_time(NOON)
    made.do("open")
    made.say("Mei, dealer", "bet", 1, "P1", "main", 1000)
    made.say("Mei, dealer", "bet", 2, "P2", "main", 1)
    made.do("close")
    for card in ["9C", "KC", "QC", "2D", "3D", "4D"]:
        made.do("card", card)
    made.recorder.fault("shuffler_jam", "")
    made.do("show", 1, "dealer")
    made.do("reveal")
    made.do("settle")
    made.command("clear", ["shuffler_jam", "dealer"], "Mei, dealer")
    made.do("open")
    made.do("bet", 1, "P1", "main", 2000)
    made.say("Ann, shift_manager", "irregularity", "other", None, None, None, "shift_manager", "an alarm")
    made.say("Ann, shift_manager", "ruling", "void", "shift_manager")
    made.do("open")
    return made


def test_a_settled_round_is_summed_up(path):
    found = kept(path, 1)
    assert (found.game, found.outcome, found.paragraph) == (MBS, "settled", None)
    assert (found.staked, found.returned, found.house_net) == (1000, 2000, -1000)
    assert (found.hands, found.bets, found.largest) == (1, 1, 1000)
    assert (found.betting, found.dealing, found.deciding, found.settling) == (3, 6, 2, 1)
    assert (found.refusals, found.faults, found.irregularities) == (1, 1, 0)
    summary, details = summary_of(path, 1)
    assert found == summary
    assert details.hands == [[0, "Plain Nine"], [1, "Double Knights Nine"]]
    assert details.lines == [[1, "main", "win", 1, 1000, 1000, 2000]]
    assert [1, "P1", "main", "win"] in details.bets
    assert [2, "P2", "main", None] in details.bets, "also a bet that was refused is found"
    assert details.staff == ["Mei, dealer"]
    assert details.faults == [["shuffler_jam", 1]]
    assert details.refused == [["under_minimum", 1]]


def test_a_void_round_keeps_its_reason(path):
    found, details = summary_of(path, 2)
    assert (found.outcome, found.staked, found.house_net) == ("void", None, None)
    assert found.paragraph or found.ruling
    assert details.irregular[0][0] == "other"
    assert found.pause is not None
    assert details.posts == [["shift_manager", 2]]


def test_the_round_being_played_is_in_no_rollup(path):
    assert kept(path, 3) is None
    assert summary_of(path, 3)[0].outcome == "betting"


def test_what_is_told_later_changes_the_round_that_it_is_about(path, table):
    assert kept(path, 1).irregularities == 0
    table.do("irregularity", "other", None, None, None, "shift_manager", None, 1)
    path.unlink()
    write_log(path, table.records(), 7)
    assert kept(path, 1).irregularities == 1
    assert kept(path, 1) == summary_of(path, 1)[0]
    assert differences(path) == []


def test_what_is_taken_back_is_not_in_the_sums(tmp_path):
    made = RecordingTable({"game": NON_COMMISSION, "boxes": 1})
    made.do("open")
    made.do("bet", 1, "P1", "initial", 1000)
    made.do("close")
    for card in ["9C", "KC", "QC", "2D", "3D", "4D"]:
        made.do("card", card)
    made.do("reveal")
    made.do("settle")
    made.say("Ann, pit_supervisor", "irregularity", "foreign_card", None, None, None, "pit_supervisor")
    path = tmp_path / "t1.log"
    write_log(path, made.records(), 3)
    found, details = summary_of(path, 1)
    assert found == kept(path, 1)
    assert (found.outcome, found.staked, found.returned) == ("void", 0, 0)
    assert details.lines == []
    assert differences(path) == []


# -- any log, in any batches


def write_in_batches(path, records, dice):
    """Commit in batches of any size, by one process after another."""
    place = 0
    while place < len(records):
        with LogStore(path, KEY.table) as store:
            for _ in range(dice.randint(1, 20)):
                size = dice.choice((1, 2, 5, 40, 400))
                store.commit(records[place : place + size], NOON + place)
                place += size


@pytest.mark.parametrize("game", GAMES)
def test_rollups_are_the_same_however_the_records_came(tmp_path, game, small_folds):
    records = random_play(game, "rollups", 600).records()
    for seed in range(3):
        path = tmp_path / f"{seed}.log"
        write_in_batches(path, records, random.Random(f"{game} {seed}"))
        assert differences(path) == []
        assert query(path, "SELECT count(*) FROM rollup_rounds")[0][0] > 10
        assert query(path, "SELECT folded FROM rollup_state")[0][0] > 0


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), game=st.sampled_from((LUCKY, POKER)))
def test_rollups_are_the_same_for_any_play(tmp_path_factory, seed, game):
    path = tmp_path_factory.mktemp("any") / "t1.log"
    before = keeper.FOLD
    keeper.FOLD = 2
    try:
        records = random_play(game, f"any {seed}", 150, 0.3).records()
        write_in_batches(path, records, random.Random(seed))
    finally:
        keeper.FOLD = before
    assert differences(path) == []


def test_a_commit_that_fails_leaves_them_as_they_were(path, table, tmp_path, small_folds):
    records = random_play(MBS, "fail", 400).records()
    path = tmp_path / "fails.log"
    with LogStore(path, KEY.table) as store:
        for start in range(0, len(records), 30):
            batch = records[start : start + 30]
            with pytest.raises(Exception, match="does not follow"):
                store.commit([*batch, *batch[:1]], NOON)
            store.commit(batch, NOON)
    assert differences(path) == []


def test_records_are_kept_though_rollups_cannot_be_made(tmp_path, monkeypatch, small_folds):
    records = random_play(MBS, "broken", 300).records()
    path = tmp_path / "t1.log"
    with LogStore(path, KEY.table) as store:
        store.commit(records[:200], NOON)
        kept_rounds = query(path, "SELECT count(*) FROM rollup_rounds")
        with monkeypatch.context() as patch:
            patch.setattr(keeper, "summarize", lambda *arguments: 1 // 0)
            for start in range(200, len(records), 20):
                store.commit(records[start : start + 20], NOON)
            assert not store.tidy(100), "and they are left alone"
    assert query(path, "SELECT count(*) FROM records") == [(len(records),)]
    assert query(path, "SELECT count(*) FROM rollup_rounds") == kept_rounds
    with LogStore(path, KEY.table) as store:
        while store.tidy(100):
            pass
    assert query(path, "SELECT behind FROM rollup_state") == [(0,)]
    assert differences(path) == []


def test_an_amount_that_no_table_has_is_in_no_rollup(tmp_path):
    made = RecordingTable(SMALL)
    play_round(made)
    path = tmp_path / "t1.log"
    write_log(path, made.records())
    tampered(path, f"UPDATE records SET paid = {1 << 62} WHERE kind = 'line'")
    assert upgrade(path, anew=True)
    assert kept(path, 1) is None


# -- an old log


def forget_rollups(path):
    tampered(path, *(f"DELETE FROM rollup_{name}" for name in ("state", *keeper.TABLES)))


def test_a_log_without_them_is_caught_up_in_steps_and_goes_on(tmp_path, small_folds):
    records = random_play(LUCKY, "old", 500).records()
    path = tmp_path / "old.log"
    write_log(path, records[:-200])
    wanted = query(path, "SELECT * FROM rollup_rounds ORDER BY round")
    forget_rollups(path)
    with LogStore(path, KEY.table) as store:
        for place in range(len(records) - 200, len(records), 10):
            store.commit(records[place : place + 10], NOON)
            if place % 3 == 0:
                store.tidy(100)
        assert query(path, "SELECT behind FROM rollup_state") == [(1,)]
        while store.tidy(100):
            pass
    assert query(path, "SELECT * FROM rollup_rounds ORDER BY round")[: len(wanted)] == wanted
    assert query(path, "SELECT behind FROM rollup_state") == [(0,)]
    assert differences(path) == []


def test_those_of_another_derivation_are_made_anew(tmp_path, monkeypatch, small_folds):
    records = random_play(LUCKY, "other", 300).records()
    path = tmp_path / "other.log"
    write_log(path, records)
    tampered(path, "UPDATE rollup_state SET derivation = 0", "UPDATE rollup_rounds SET staked = 5")
    with LogStore(path, KEY.table) as store:
        while store.tidy(500):
            pass
    assert differences(path) == []


def test_upgrading_catches_up_and_makes_them_anew_on_demand(tmp_path, small_folds):
    path = tmp_path / "old.log"
    write_log(path, random_play(LUCKY, "upgrade", 300).records())
    wanted = query(path, "SELECT * FROM rollup_facets ORDER BY facet, value")
    forget_rollups(path)
    done = []
    assert upgrade(path, lambda *how: done.append(how))
    last = query(path, "SELECT max(number) FROM records")[0][0]
    assert done[-1] == (last, last)
    assert not upgrade(path)
    tampered(path, "UPDATE rollup_rounds SET staked = 5")
    assert differences(path) != []
    assert upgrade(path, anew=True)
    assert differences(path) == []
    assert len(query(path, "SELECT * FROM rollup_facets")) == len(wanted)


def test_a_table_that_runs_catches_up_while_nothing_comes(tmp_path, small_folds):
    path = tmp_path / "old.log"
    records = random_play(LUCKY, "running", 300).records()
    write_log(path, records)
    forget_rollups(path)
    with LogStore(path, KEY.table) as store:
        observer: Any = RollupObserver(store)
        observer.passed(None, Change(records[:1], []), 0)
        assert query(path, "SELECT * FROM rollup_state") == [], "not while records come"
        passes = 0
        while query(path, "SELECT behind FROM rollup_state") != [(0,)]:
            passes += 1
            observer.passed(None, Change([], []), passes * 10**6)
    assert passes > len(records) // STEP, "in steps"
    assert differences(path) == []


def commit_new(store, table):
    end = store.end()
    store.commit(table.records(end.number + 1 if end else 1), NOON)


def test_rounds_are_folded_in_a_quiet_moment_or_when_many_wait(tmp_path, monkeypatch):
    monkeypatch.setattr(keeper, "FOLD", 5)
    path = tmp_path / "t1.log"
    table = RecordingTable(SMALL)
    with LogStore(path, KEY.table) as store:
        observer: Any = RollupObserver(store)
        for number in range(1, 13):
            play_round(table)
            commit_new(store, table)
            folded = query(path, "SELECT folded FROM rollup_state")[0][0]
            assert folded == (10 if number > 10 else 0), "without a quiet moment twice as many wait"
        for _ in range(6):
            play_round(table)
        table.do("open")
        commit_new(store, table)
        observer.passed(None, Change([], []), 0)
        assert query(path, "SELECT folded FROM rollup_state") == [(10,)], "not while a round is played"
        table.do("close")
        play_round(table)
        commit_new(store, table)
        observer.passed(None, Change([], []), 10**7)
        assert query(path, "SELECT folded FROM rollup_state")[0][0] > 15
    assert differences(path) == []


# -- checking


@pytest.mark.parametrize(
    ("statement", "table"),
    [
        ("UPDATE rollup_rounds SET staked = 1 WHERE round = 2", "rounds"),
        ("DELETE FROM rollup_rounds WHERE round = 2", "rounds"),
        ("DELETE FROM rollup_facets WHERE facet = 'game'", "facets"),
        ("UPDATE rollup_facets SET rounds = x'ff' WHERE facet = 'box'", "facets"),
        ("UPDATE rollup_totals SET rounds = rounds + 1 WHERE facet = 'outcome'", "totals"),
        ("UPDATE rollup_blocks SET latest = 0", "blocks"),
        ("UPDATE rollup_sums SET staked = staked + 1 WHERE facet = 'wager'", "sums"),
        ("UPDATE rollup_hours SET pause = pause + 1", "hours"),
        ("DELETE FROM rollup_notables WHERE kind = 'boot'", "notables"),
    ],
)
def test_what_somebody_changed_is_found(tmp_path, small_folds, statement, table):
    path = tmp_path / "t1.log"
    write_log(path, random_play(MBS, "changed", 300).records())
    assert differences(path) == []
    tampered(path, statement)
    assert {name for name, _ in differences(path)} == {table}


def test_blocks_begin_where_they_should():
    assert BLOCK == 4096
