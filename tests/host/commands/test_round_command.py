"""`felt round` as a person uses it from the shell."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from host.cli import felt
from tests.support.tables import LUCKY, MBS, POKER, ROYAL

FELT = str(Path(sys.executable).parent / "felt")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.json"
    path.write_text(json.dumps({"game": MBS, "boxes": 2}))
    return str(path)


def play(table, *lines, arguments=()):
    done = CliRunner().invoke(felt, ["round", table, *arguments], input="\n".join(lines))
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.output.splitlines()]


def test_events_may_be_objects_or_lists(table):
    as_object = play(
        table, '{"event": "open"}', '{"event": "bet", "box": 1, "player": "P1", "wager": "main", "cents": 5}'
    )
    as_list = play(table, '["open"]', '["bet", 1, "P1", "main", 5]')
    assert as_object == as_list
    assert as_list[-1] == {"record": "event", "round": 1, "event": ["bet", 1, "P1", "main", 5]}


def test_lines_prints_the_lists_that_the_log_keeps(table):
    assert play(table, '["open"]', arguments=["--lines"]) == [["event", 1, ["open"]], ["state", "betting", "3.1"]]


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("nonsense", "bad_json", "line: not JSON"),
        ('{"event": "open", "event": "close"}', "bad_json", "event: stands twice in one object"),
        ("[]", "not_an_event", "expected a list, or an object"),
        ('"open"', "not_an_event", "expected a list, or an object"),
        ('["dance"]', "no_such_event", "there is no event dance"),
        ('["bet", 1, "P1", "main"]', "missing", "cents: missing"),
        ('["bet", 1, "P1"]', "missing", "wager: missing"),
        ('["bet", 9, "P1", "main", 500]', "number_expected", "box: expected a whole number from 1 to 2"),
        (
            '["bet", 1, "P1", "main", -500]',
            "number_expected",
            "cents: expected a whole number from 1 to 1000000000",
        ),
        (
            '["bet", 1, "P1", "main", 1.5]',
            "number_expected",
            "cents: expected a whole number from 1 to 1000000000",
        ),
        (
            '["bet", 1, "P1", "main", true]',
            "number_expected",
            "cents: expected a whole number from 1 to 1000000000",
        ),
        ('["bet", "1", "P1", "main", 500]', "number_expected", "box: expected a whole number from 0 to 999"),
        ('["bet", 1, "P1", "lucky", 500]', "no_such_wager", "this game has no wager lucky"),
        ('["bet", 1, "P1", "main", 500, null, null, 1]', "too_many_fields", "bet has only 6 fields"),
        (
            '{"event": "bet", "box": 1, "colour": "red", "player": "P1", "wager": "main", "cents": 5}',
            "no_such_field",
            "colour: bet has no such field",
        ),
    ],
)
def test_a_bad_event_is_refused_with_its_reason_and_the_round_goes_on(table, line, code, words):
    records = play(table, '["open"]', line, '["close"]')
    assert records[2]["record"] == "refused"
    assert records[2]["code"] == code
    assert records[2]["words"].startswith(words)
    assert records[3]["event"] == ["close"]


def test_each_line_is_answered_before_the_next_is_read(table):
    with subprocess.Popen(
        [FELT, "round", table], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        for event in ("open", "close"):
            process.stdin.write(json.dumps([event]) + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["event"] == [event]
            process.stdout.readline()
        process.stdin.close()


def poker_table(**more):
    return {"game": POKER, "boxes": 1, "progressive": {"stake": 500, "meter": 1} | more}


BAD_TABLES = [
    ("{", "not JSON"),
    ("[]", "table: expected named fields"),
    ({"game": "baccarat", "boxes": 1}, "game: there is no rulebook baccarat"),
    ({"boxes": 1}, "game: missing"),
    ({"game": LUCKY}, "boxes: expected a whole number from 1 to 16"),
    ({"game": ROYAL, "boxes": 9}, "boxes: expected a whole number from 1 to 8"),
    ({"game": LUCKY, "boxes": 1, "device": "hat"}, "device: expected one of shoe, shuffler"),
    ({"game": LUCKY, "boxes": 1, "limits": {"tie": [1, 2]}}, "limits.tie: limits has no such field"),
    (
        {"game": LUCKY, "boxes": 1, "limits": {"initial": [5, 2]}},
        "limits.initial: expected [minimum, maximum], the smaller first",
    ),
    ({"game": LUCKY, "boxes": 1, "limits": {"initial": 5}}, "limits.initial: expected [minimum, maximum]"),
    ({"game": LUCKY, "boxes": 1, "amounts": 1}, "amounts: expected true or false"),
    ({"game": LUCKY, "boxes": 1, "chip": 0}, "chip: expected a whole number from 1 to"),
    ({"game": LUCKY, "boxes": 1, "colour": "red"}, "colour: table has no such field"),
    (
        {"game": LUCKY, "boxes": 1, "progressive": {}},
        "progressive: rws-lucky-three-pictures-2 has no such field",
    ),
    ({"game": POKER, "boxes": 1}, "progressive: expected named fields"),
    (
        {"game": POKER, "boxes": 1, "progressive": {"stake": 0, "meter": 1}},
        "progressive.stake: expected a whole number",
    ),
    ({"game": LUCKY, "boxes": 1, "posts_above": ["dealer"]}, "posts_above: expected a list of new posts"),
    ({"game": LUCKY, "boxes": 1, "posts_above": "director"}, "posts_above: expected a list of new posts"),
    ({"game": LUCKY, "boxes": 1, "limits": [1, 2]}, "limits: expected named fields"),
    (poker_table(colour=1), "progressive.colour: progressive has no such field"),
    (poker_table() | {"chip": 300}, "progressive.stake: $5 is not a multiple of the $3 chip"),
    (
        poker_table() | {"limits": {"progressive": [1, 2]}},
        "limits.progressive: limits has no such field",
    ),
]


@pytest.mark.parametrize(("config", "message"), BAD_TABLES, ids=lambda part: str(part)[:50])
def test_a_mistake_in_the_table_is_named_by_its_field(tmp_path, config, message):
    path = tmp_path / "table.json"
    path.write_text(config if isinstance(config, str) else json.dumps(config))
    done = CliRunner().invoke(felt, ["round", str(path)], input="")
    assert done.exit_code == 1
    assert message in done.output


def test_a_table_that_is_not_there_is_said():
    done = CliRunner().invoke(felt, ["round", "/nonexistent.json"], input="")
    assert done.exit_code == 1
    assert "cannot read /nonexistent.json" in done.output


def test_posts_above_may_do_what_lower_ones_may(tmp_path):
    path = tmp_path / "table.json"
    path.write_text(json.dumps({"game": MBS, "boxes": 1, "posts_above": ["casino_manager"]}))
    events = ('["open"]', '["power_failure"]', '["ruling", "void", "casino_manager"]')
    assert play(str(path), *events)[-1] == {"record": "state", "state": "void", "paragraph": None}
