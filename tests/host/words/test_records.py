"""What lies on the table in words, as the log tells it; and reports that older tables wrote."""

import pytest

from host.words.older_events import DECLARED_EVENTS, OLDER_REPORT, declared_name
from host.words.records import EVENT_WORDS, RECORD_WORDS, event_words, record_words
from shared.round.events import EVENTS
from shared.round.records import RECORDS, TABLE_RECORDS
from shared.rules.rulebook import load
from tests.support.tables import MBS


def test_every_event_and_record_has_words_and_nothing_else_has():
    assert set(EVENT_WORDS) == set(DECLARED_EVENTS)
    assert set(RECORD_WORDS) | {"event", "shown"} == {*RECORDS, *TABLE_RECORDS}


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (["card", "??"], "a card passed unread; it is named when its hand is shown"),
        (["card", "KS", True], "card KS face up"),
        (["entered", "KS", "pit_supervisor"], "KS is entered BY HAND (by pit supervisor)"),
        (["entered", "KS", "pit_supervisor", 0], "KS is entered BY HAND for the dealer (by pit supervisor)"),
        (["lies", "2S", "pit_supervisor", 2], "2S lies in box 2 (by pit supervisor)"),
        (["lies", "2S", "pit_supervisor", 0], "2S lies with the dealer (by pit supervisor)"),
        (["lies", "??", "pit_supervisor", None, 1], "the unread card lies in no hand (by pit supervisor)"),
        (["turned", "KS"], "KS lies open, by a slip"),
        (["turned", "KS", "P1", 1, "dealer"], "KS lies open, turned by P1 (by dealer)"),
        (["handled", 1], "a player touched the hand of box 1"),
        (["handled", 1, "P1"], "P1 touched the hand of box 1"),
        (["chips_gone", 1, "P1", "main"], "chips of P1's main on box 1 are gone"),
        (["chips_gone", 1, "P1", "main", 2500, "dealer"], "$25 of P1's main on box 1 are gone (by dealer)"),
        (["all_told"], "all that lies on the table is told"),
        (["irregularity", "misdeal", None, None, "moved"], "irregularity: misdeal, complete hands moved"),
        (
            ["irregularity", "wrong_count", 0, None, "restored", "dealer", "one too many"],
            'irregularity: wrong count at the dealer, cards put back in order, "one too many" (by dealer)',
        ),
    ],
)
def test_what_lies_on_the_table(event, words):
    assert event_words(event) == words


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (["dealt", 1, "??"], "the unread card is for box 1"),
        (["lies", "2S", 1, 2], "2S lies in box 2, not in box 1"),
        (["lies", "2S", None, 0], "2S lies with the dealer, not in no hand"),
        (["lies", "2S", 1, None], "2S lies in no hand, not in box 1"),
        (["lies", "KS", 1, 1], "the unread card in box 1 is KS"),
        (["boot", "power", 0], "the table started (power)"),
        (["boot", "power", 7, "00", "ab"], "the table started (power), a line was torn"),
        (["console"], "the service console was open before this start"),
        (["files", "00", "ab"], "the table's files changed: ab, before 00"),
        (["files", "", "ab"], "the table's files changed: ab, before not known"),
        (["shown", 1, ["KS", "??", "2D"]], "box 1 shows KS ?? 2D"),
        (["shown", 1, ["KS", "QD"]], "box 1 shows KS QD"),
        (["shown", 1, ["KS", "QD", "JH"]], "box 1 shows KS QD JH: Three Pictures"),
    ],
)
def test_what_the_table_writes_of_it(record, words):
    assert record_words(record, load(MBS)) == words


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (["irregularity", "exposed_card", 1, "KS"], "irregularity: exposed card at box 1, card KS"),
        (["irregularity", "left", None, None, "P1"], "irregularity: left, player P1"),
        (["irregularity", "misdeal", None, None, None, True], "irregularity: misdeal, put right"),
        (
            ["irregularity", "other", None, None, None, None, "dealer", "smoke"],
            'irregularity: other, "smoke" (by dealer)',
        ),
        (["irregularity", "other", None, None, None, None, "dealer"], "irregularity: other (by dealer)"),
        (
            ["irregularity", "misdeal", None, None, None, None, "dealer", None, 7],
            "irregularity: misdeal in round 7 (by dealer)",
        ),
        (["exchanged", "KS", "2S", "dealer"], "KS and 2S lie in each other's place (by dealer)"),
    ],
)
def test_what_older_tables_reported_is_told_as_it_was_meant(event, words):
    assert event_words(event) == words
    assert declared_name(event) in (OLDER_REPORT, "exchanged")


@pytest.mark.parametrize(
    "event",
    [
        ["irregularity", "other"],
        ["irregularity", "left", None, "P1"],
        ["irregularity", "misdeal", None, None, "moved", "dealer", "text", 3],
        ["irregularity", "other", None, None, None, "dealer", "smoke"],
        ["irregularity", "other", None, None, None, None, None, 3],
    ],
)
def test_a_report_of_today_is_taken_as_one(event):
    assert declared_name(event) == "irregularity"
    assert "irregularity" in EVENTS
