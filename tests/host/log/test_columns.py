"""The columns of a round of each book, worked out by hand; and that a log which is opened again goes on alike."""

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host.log.audit import audit
from host.log.columns import FIELDS, Columns, Row
from host.log.opening import open_to_write
from host.log.reading import LogReader, readable
from host.log.store import INSERT, LogStore, resumed
from host.words.records import record_words
from shared.journal.chain import Chain
from shared.round.records import RECORDS, TABLE_RECORDS
from tests.support.campaign import LONG, fewer
from tests.support.log.logs import (
    KEY,
    NOON,
    RULES,
    RecordingTable,
    random_play,
    read_rows,
    records_of,
    rows_of,
    write_log,
)
from tests.support.tables import GAMES, LUCKY, MBS, NON_COMMISSION, POKER, ROYAL

# Columns that a written-out row leaves unsaid because every row has them.
ALWAYS = ("number", "boot", "line", "seconds")


def told(row):
    """A row as its kind, then name=value of every column that says something."""
    said = [
        f"{name}={value}"
        for name, value in zip(FIELDS, row)
        if value is not None and name not in (*ALWAYS, "kind")
    ]
    return " ".join([row.kind, *said])


def columns_of(table, *kinds):
    """The rows of some kinds, or of the last round all, without the clock."""
    return [told(row) for row in rows_of(table.records()) if row.kind in kinds]


def written(text):
    return [line.strip() for line in text.strip().splitlines()]


def test_three_pictures_mbs_a_question_a_ruling_too_low_and_a_void_round():
    table = RecordingTable({"game": MBS, "boxes": 1})
    first = table.journal.chain.number + 1
    table.do("open")
    table.say("dealer 1", "bet", 1, "P1", "main", 1000)
    table.do("close")
    table.do("card", "2C")
    table.do("card", "2C")
    table.do("misread")
    table.say("pit 7", "irregularity", "misdeal", None, None, "moved")
    table.say("pit 7", "irregularity", "left", None, "P1")
    table.say("pit 7", "ruling", "continue", "pit_manager")
    table.say("shift 1", "ruling", "void", "shift_manager", None, "seen on camera")
    rows = [told(row) for row in rows_of(table.records()) if row.number >= first]
    assert rows == written("""
        begin what=open
        config what=game
        config what=boxes
        carried what=number
        carried what=command
        event what=open round=1
        state what=betting round=1 paragraph=3.1
        command what=event round=1 staff=dealer 1
        event what=bet round=1 box=1 player=P1 wager=main cents=1000 staff=dealer 1
        answer round=1 staff=dealer 1
        event what=close round=1
        state what=closed round=1 paragraph=3.2
        event what=card round=1
        state what=dealing round=1 paragraph=3.4
        dealt round=1 box=1
        event what=card round=1
        ask what=check round=1 irregularity=deck_count paragraph=5.2
        event what=misread round=1
        state what=dealing round=1
        command what=event round=1 staff=pit 7
        event what=irregularity round=1 irregularity=misdeal staff=pit 7
        reconstructed round=1 irregularity=misdeal paragraph=5.3 staff=pit 7
        answer round=1 staff=pit 7
        command what=event round=1 staff=pit 7
        event what=irregularity round=1 player=P1 irregularity=left staff=pit 7
        ask what=ruling round=1 irregularity=left staff=pit 7
        answer round=1 staff=pit 7
        command what=event round=1 staff=pit 7
        refused what=ruling round=1 paragraph=M-24 staff=pit 7 post=pit_manager
        answer round=1 staff=pit 7
        command what=event round=1 staff=shift 1
        event what=ruling round=1 staff=shift 1 post=shift_manager
        void round=1 staff=shift 1
        refund round=1 box=1 player=P1 wager=main cents=1000 staff=shift 1
        state what=void round=1 staff=shift 1
        answer round=1 staff=shift 1
    """)


def test_non_commission_a_choice_a_power_failure_a_settlement_and_its_reversal():
    table = RecordingTable({"game": NON_COMMISSION, "boxes": 2})
    table.do("open")
    table.do("bet", 1, "P1", "initial", 1000)
    table.do("bet", 1, "P1", "three_pictures", 500)
    table.do("bet", 2, "P2", "initial", 1000)
    table.do("close")
    table.do("card", "2C")
    table.do("turned", "2C")
    table.do("choose", "P1", 1, "continue")
    table.do("choose", "P2", 2, "withdraw")
    for card in ("3C", "4C", "KH", "QH", "7H"):
        table.do("card", card)
    table.do("power_failure")
    table.do("reveal")
    table.do("settle")
    table.say("pit 7", "irregularity", "foreign_card", None, None, None, "pit_supervisor")
    table.do("open")
    table.say("pit 7", "irregularity", "other", None, None, None, "shift_manager", "seen on camera", 1)
    kinds = ("ask", "offer", "refund", "outcome", "line", "total", "void", "reversed", "noted", "shown")
    assert columns_of(table, *kinds) == written("""
        ask what=choose round=1 irregularity=exposed_card paragraph=5.6.1
        offer round=1 box=1 player=P1 paragraph=5.6.1
        offer round=1 box=2 player=P2 paragraph=5.6.1
        refund round=1 box=2 player=P2 wager=initial cents=1000 paragraph=5.6.3
        outcome round=1 box=1 player=P1 wager=three_pictures result=lose paragraph=5.4.1
        shown round=1 box=0
        shown round=1 box=1
        line round=1 box=1 player=P1 wager=initial result=win stake=1000 paid=1000 returned=2000 paragraph=4.1/initial-other
        line round=1 box=1 player=P1 wager=three_pictures result=lose stake=500 paid=0 returned=0 paragraph=1.17
        total round=1 stake=1500 returned=2000
        void round=1 paragraph=5.5.1 staff=pit 7
        reversed round=1 box=1 player=P1 wager=initial stake=1000 returned=2000 staff=pit 7
        reversed round=1 box=1 player=P1 wager=three_pictures stake=500 returned=0 staff=pit 7
        refund round=1 box=1 player=P1 wager=initial cents=1000 paragraph=5.14 staff=pit 7
        refund round=1 box=1 player=P1 wager=three_pictures cents=500 paragraph=5.14 staff=pit 7
        noted round=2 irregularity=other paragraph=5.11 staff=pit 7
    """)  # noqa: E501
    assert [row for row in columns_of(table, "event") if "irregularity=" in row] == written("""
        event what=turned round=1 irregularity=exposed_card
        event what=power_failure round=1 irregularity=power_failure
        event what=irregularity round=1 irregularity=foreign_card staff=pit 7 post=pit_supervisor
        event what=irregularity round=2 about=1 irregularity=other staff=pit 7 post=shift_manager
    """)


def test_what_lies_on_the_table_is_found_by_its_irregularity_and_a_card_entered_by_hand_too():
    table = RecordingTable({"game": MBS, "boxes": 1})
    table.do("open")
    table.do("bet", 1, "P1", "main", 1000)
    table.do("close")
    table.do("card", "??")
    for card in ("3C", "4C", "KH", "QH"):
        table.do("card", card)
    table.say("pit 7", "entered", "7H", "pit_supervisor")
    table.say("pit 7", "lies", "7H", "pit_supervisor", 1)
    table.say("pit 7", "lies", "7H", "pit_supervisor", 0)
    table.do("turned", "3C", "P1", 1, "dealer")
    table.do("chips_gone", 1, "P1", "main", 500, "dealer")
    rows = [row for row in columns_of(table, "event", "lies", "stands", "noted") if "what=card" not in row][3:]
    assert rows == written("""
        event what=entered round=1 irregularity=entered staff=pit 7 post=pit_supervisor
        event what=lies round=1 box=1 irregularity=lies staff=pit 7 post=pit_supervisor
        lies round=1 box=1 staff=pit 7
        event what=lies round=1 box=0 irregularity=lies staff=pit 7 post=pit_supervisor
        lies round=1 box=0 staff=pit 7
        event what=turned round=1 box=1 player=P1 irregularity=exposed_card post=dealer
        noted round=1 irregularity=own_card
        event what=chips_gone round=1 box=1 player=P1 wager=main cents=500 irregularity=chips_gone post=dealer
        stands round=1 box=1 player=P1 wager=main cents=500 paragraph=5.6
    """)


def test_a_report_of_an_older_table_has_the_columns_that_it_had():
    older = ["event", 3, ["irregularity", "left", None, None, "P1", None, "pit_supervisor", "ill", 2]]
    row = Row._make(Columns().row(9, 1, older, b"line", NOON))
    assert (row.player, row.irregularity, row.post, row.about) == ("P1", "left", "pit_supervisor", 2)


def test_royal_late_chips_a_hand_that_is_out_and_a_debt():
    table = RecordingTable({"game": ROYAL, "boxes": 3})
    table.say("manager 1", "new_day", "dealer")
    table.say("manager 1", "restrict", 2, "P9", "pit_manager")
    table.do("open")
    for box in (1, 2, 3):
        table.do("bet", box, f"P{box}", "main", 1000)
    table.do("close")
    table.do("take_back", 1, "P1", "main")
    for card in ("2C", "3C", "4C", "5D", "6D", "7D", "8H", "9H", "TH", "KS", "QS", "JS"):
        table.do("card", card)
    table.do("look", 1, "P1")
    table.do("irregularity", "misdeal")
    table.say("pit 7", "withdraw", 2, "P2", "pit_supervisor")
    table.do("irregularity", "wrong_count", 3)
    table.do("show", 1, "dealer")
    table.do("reveal")
    table.do("settle")
    kinds = ("stands", "noted", "removed", "refund", "line", "debt", "total", "void")
    assert columns_of(table, *kinds) == written("""
        stands round=1 box=1 player=P1 wager=main cents=1000 paragraph=5.3
        noted round=1 irregularity=misdeal_handled paragraph=5.6
        refund round=1 box=2 player=P2 wager=main cents=1000 paragraph=5.7 staff=pit 7
        removed round=1 box=3 paragraph=5.5
        refund round=1 box=3 player=P3 wager=main cents=1000 paragraph=5.5
        line round=1 box=1 player=P1 wager=main result=lose stake=1000 paid=0 returned=0 paragraph=3.16
        debt round=1 box=1 player=P1 wager=main cents=1000
        total round=1 stake=1000 returned=0
    """)
    events = columns_of(table, "event")
    # Before the first round there is no number yet.
    assert events[0] == "event what=new_day staff=manager 1 post=dealer"
    assert "event what=show round=1 box=1 post=dealer" in events
    assert "event what=withdraw round=1 box=2 player=P2 staff=pit 7 post=pit_supervisor" in events


def test_three_card_poker_a_jackpot_an_ante_bonus_and_envy():
    progressive = {"stake": 500, "contribution": 100, "meter": 1_000_000, "reset": 250_000}
    table = RecordingTable({"game": POKER, "boxes": 2, "progressive": progressive})
    table.do("open")
    for box in (1, 2):
        table.do("bet", box, f"P{box}", "ante", 1000)
        table.do("bet", box, f"P{box}", "progressive", 500)
    table.do("close")
    for card in ("AS", "KS", "QS", "9C", "7D", "2H", "JC", "TD", "8H"):
        table.do("card", card)
    table.do("decide", 1, "fold")
    table.do("decide", 1, "play")
    table.do("decide", 2, "fold", None, True)
    table.do("reveal")
    table.do("settle")
    table.do("open")
    table.say("pit 7", "hand_paid", "P1", "pit_supervisor")
    kinds = ("meter", "refused", "placed", "line", "bonus", "hand_pay", "envy", "total")
    assert columns_of(table, *kinds) == written("""
        meter what=contribution round=1 cents=1000200 paragraph=T-18
        refused what=decide round=1 box=1 paragraph=T-06
        placed round=1 box=1 player=P1 wager=play cents=1000 paragraph=3.8.2
        line round=1 box=1 player=P1 wager=ante result=win stake=1000 paid=1000 returned=2000 paragraph=3.9.2
        line round=1 box=1 player=P1 wager=play result=push stake=1000 paid=0 returned=1000 paragraph=3.9.1
        line round=1 box=1 player=P1 wager=progressive result=win stake=500 paid=1000200 returned=1000200 paragraph=4.4/akq-spades
        bonus round=1 box=1 player=P1 paid=5000 paragraph=4.3/straight-flush
        hand_pay round=1 player=P1 cents=1000200 paragraph=4.4/cheque
        meter what=award round=1 cents=250000 paragraph=4.4/akq-spades
        line round=1 box=2 player=P2 wager=ante result=lose stake=1000 paid=0 returned=0 paragraph=3.8.1
        line round=1 box=2 player=P2 wager=progressive result=lose stake=500 paid=0 returned=0 paragraph=1/fold
        envy round=1 player=P2 cents=25000 paragraph=3.12
        total round=1 stake=4000 returned=1033200
        refused what=open paragraph=4.4/cheque
    """)  # noqa: E501
    assert columns_of(table, "event")[-1] == (
        "event what=hand_paid round=1 player=P1 staff=pit 7 post=pit_supervisor"
    )


def test_lucky_bets_outside_the_limits_by_staff_and_counted_late():
    limits = {"initial": [5000, 100000]}
    table = RecordingTable({"game": LUCKY, "boxes": 2, "device": "shoe", "limits": limits})
    table.do("open")
    table.do("bet", 1, "P1", "initial", 4000)
    table.say("pit 7", "bet", 2, "P3", "initial", 9000, None, "pit_supervisor")
    table.do("close")
    table.say("dealer 1", "counted", 1, "P1", "initial", 24000, "pit_supervisor")
    for card in ("KS", "7C", "2S", "QH", "8C", "3S", "9D", "9C", "4S"):
        table.do("card", card)
    table.do("show", 1)
    table.do("show", 2)
    table.do("reveal")
    table.do("settle")
    kinds = ("warning", "placed_by_staff", "recounted", "line", "total")
    assert columns_of(table, *kinds) == written("""
        warning round=1 box=1 wager=initial irregularity=under_minimum paragraph=5.2
        placed_by_staff round=1 box=2 player=P3 wager=initial paragraph=5.15 staff=pit 7 post=pit_supervisor
        recounted round=1 box=1 player=P1 wager=initial cents=24000 staff=dealer 1
        line round=1 box=1 player=P1 wager=initial result=win stake=24000 paid=24000 returned=48000 paragraph=4.1/initial-other
        line round=1 box=2 player=P3 wager=initial result=lose stake=9000 paid=0 returned=0 paragraph=3.13.2
        total round=1 stake=33000 returned=48000
    """)  # noqa: E501
    assert (
        "event what=counted round=1 box=1 player=P1 wager=initial cents=24000 staff=dealer 1 post=pit_supervisor"
        in (columns_of(table, "event"))
    )


def test_the_table_s_time_is_known_from_its_clock_until_it_starts_again():
    table = RecordingTable({"game": MBS, "boxes": 1})
    table.tell_time(NOON)
    table.do("open")
    table.do("bet", 1, "P1", "main", 1000)
    table.start("power")
    table.do("close")
    rows = [(row.kind, row.what, row.round, row.table_seconds) for row in rows_of(table.records())]
    opened = rows.index(("event", "open", 1, NOON + 1))
    assert rows[opened - 1][3] == NOON + 1
    assert ("clock", None, 1, NOON + 2) in rows
    assert ("event", "bet", 1, NOON + 2) in rows
    started = rows.index(("boot", "power", 1, None))
    assert {row[3] for row in rows[started:]} == {None}
    assert rows[started + 1 : started + 3] == [
        ("event", "power_failure", 1, None),
        ("ask", "ruling", 1, None),
    ]
    assert {row[3] for row in rows[: opened - 6]} == {None}, "nobody had told it the time"


def test_faults_and_what_clears_them_belong_to_the_round_being_played():
    table = RecordingTable({"game": MBS, "boxes": 1})
    table.recorder.fault("reader_silent", "nothing for 3 s")
    table.command("clear", ["reader_silent", "pit_supervisor"], "pit 7")
    table.do("open")
    table.recorder.fault("card_unread", "")
    table.command("clear", ["nothing", "pit_supervisor"], "pit 7")
    assert columns_of(table, "fault", "cleared", "refused") == written("""
        fault irregularity=reader_silent
        cleared irregularity=reader_silent staff=pit 7 post=pit_supervisor
        fault round=1 irregularity=card_unread
        refused what=command round=1 staff=pit 7
    """)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_log_opened_again_anywhere_goes_on_with_the_same_columns(tmp_path, game):
    """The rows after every single record are the same whether the writer ran on or was started anew there."""
    records = random_play(game, "resume", 120).records()
    expected = rows_of(records)
    assert len({row.round for row in expected}) > 2
    assert any(row.table_seconds for row in expected)
    connection = open_to_write(tmp_path / "log", NOON)
    connection.execute("INSERT INTO origins VALUES (1, 'T1', 0, NULL, 0, NULL, NULL)")
    connection.execute("PRAGMA synchronous = OFF")
    for record, row in zip(records, expected):
        again = resumed(connection).row(record.number, record.boot, record.record, record.line, NOON)
        assert again == row
        connection.execute(INSERT, row)
    connection.close()


def test_what_is_stored_is_what_was_worked_out(tmp_path):
    records = random_play(LUCKY, "stored", 200).records()
    write_log(tmp_path / "log", records, 7)
    assert read_rows(tmp_path / "log") == rows_of(records)


def test_a_record_that_nobody_declared_is_kept_without_columns(tmp_path):
    assert Columns().row(1, 1, ["from the future", 1, 2], b"line", NOON)[2:4] == ("from the future", None)


@pytest.mark.parametrize(
    ("question", "index"),
    [
        ("SELECT * FROM records WHERE coalesce(table_seconds, seconds) BETWEEN 5 AND 9", "records_by_time"),
        ("SELECT * FROM records WHERE round = 7", "records_by_round"),
        ("SELECT * FROM records WHERE box = 3", "records_by_box"),
        (
            "SELECT * FROM records WHERE wager = 'lucky_tie' AND result = 'win' AND paid > 100000",
            "records_by_wager",
        ),
        ("SELECT * FROM records WHERE irregularity = 'misdeal'", "records_by_irregularity"),
        ("SELECT * FROM records WHERE staff = 'pit 7'", "records_by_staff"),
        ("SELECT * FROM records WHERE post = 'pit_manager'", "records_by_post"),
        ("SELECT * FROM rounds WHERE round = 7", "records_that_open"),
        ("SELECT * FROM notices WHERE kind = 'alarm'", "notices_by_kind_and_time"),
    ],
)
def test_every_question_that_reviewers_ask_has_its_index(tmp_path, question, index):
    LogStore(tmp_path / "log", KEY.table).close()
    connection = sqlite3.connect(tmp_path / "log")
    plan = [row[3] for row in connection.execute("EXPLAIN QUERY PLAN " + question)]
    connection.close()
    assert any(f"USING INDEX {index} " in step for step in plan), plan


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=6,
)
KINDS_OF_RECORDS = st.sampled_from(sorted(RECORDS | TABLE_RECORDS)) | st.text(min_size=1, max_size=5)


RECORDS_OF_ANY_KIND = st.lists(
    st.builds(lambda kind, rest: [kind, *rest], KINDS_OF_RECORDS, st.lists(ANYTHING, max_size=5))
    | st.lists(ANYTHING, max_size=3),
    max_size=6,
)


@settings(max_examples=300 if LONG else fewer(25), deadline=None)
@given(made=RECORDS_OF_ANY_KIND)
def test_whatever_a_table_seals_is_kept_and_the_log_goes_on(tmp_path_factory, made):
    """A firmware gone mad, with the right key: its records are kept, for they are what has to be looked into."""
    path = tmp_path_factory.mktemp("mad") / "log"
    chain = Chain(KEY.sealer, KEY.table)
    records = records_of([chain.write(1, record)[:-1] for record in made])
    for record in records:
        with LogStore(path, KEY.table) as store:
            store.commit([record], NOON)
    if not records:
        return
    with LogStore(path, KEY.table) as store:
        tail = [record for _, record in store.replayable()]
        assert tail == [one.record for one in records][-len(tail) :]
    report = audit(path, KEY, (), lambda count: None, RULES)
    assert {one.kind for one in report.findings} <= {"replay", "totals", "columns"}, "its chain holds"
    with LogReader(path) as log:
        for row in log.last_rounds(100):
            if all(readable(one.line) for one in records):
                assert all(record_words(step.record) for step in log.steps(row.round))
