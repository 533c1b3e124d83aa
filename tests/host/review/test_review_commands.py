"""The commands of `felt log` that look through a log, and `felt export`: what a reviewer types and reads."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from host.cli import felt
from host.commands.log_list import list_lines
from host.log.reading import LogReader
from host.log.rollups.summary import summarize
from host.log.store import LogStore
from host.log.verify import open_log, verify
from host.review.export import LISTS
from host.review.follow import Follower
from tests.support.log.logs import KEY, NOON, RecordingTable, play_round, random_play, read_rows, write_log
from tests.support.table_files import LUCKY_FILE, write
from tests.support.tables import LUCKY, MBS

DAY = "2026-09-21"


@pytest.fixture(autouse=True)
def in_singapore(monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Singapore")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(scope="module")
def table():
    """Round 1 is paid, 2 is void, 3 is paid an hour later with other limits, 4 is open."""
    made = RecordingTable({"game": MBS, "boxes": 1, "limits": {"main": [500, 100_000]}})
    made.tell_time(NOON)
    play_round(made)
    made.do("open")
    made.say("Mei, dealer", "bet", 1, "P7", "main", 1)
    made.say("Mei, dealer", "bet", 1, "P7", "main", 2000)
    made.say("Ann, shift_manager", "irregularity", "other", None, None, None, "shift_manager", "a [fire] alarm")
    made.say("Ann, shift_manager", "ruling", "void", "shift_manager")
    made.command(
        "config", [["game", MBS], ["boxes", 2], ["limits", [["main", [500, 200_000]]]]], "Ann, pit_manager"
    )
    made.recorder.now += 3_600_000
    made.recorder.fault("shuffler_jam", "")
    made.command("clear", ["shuffler_jam", "dealer"], "Mei, dealer")
    play_round(made, "2C 3C 4C 9D KD QD")
    made.do("open")
    return made


@pytest.fixture
def path(tmp_path, table):
    made = tmp_path / "t1.log"
    with LogStore(made, "T1") as store:
        store.commit(table.records(), NOON)
        store.notice("staff", "Mei, Dealer, logged in from 10.0.0.7.", seconds=NOON - 60)
        store.notice("alarm", "ALARM: record 30 is not what the rules make of it.", 30, NOON + 5)
    return made


def run(*arguments, columns="80"):
    done = CliRunner().invoke(felt, [str(one) for one in arguments], env={"COLUMNS": columns})
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def listed(*arguments):
    """The rounds that a list has."""
    status, said = run("log", "list", *arguments, "--json")
    assert status == 0, said
    return [json.loads(line)["round"] for line in said.splitlines()]


# -- list


def test_rounds_are_listed_newest_first_with_reasons_in_80_columns(path):
    status, said = run("log", "list", path)
    assert status == 0
    assert max(map(len, said.splitlines())) <= 80
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    assert lines[0].split() == ["round", "begun", "outcome", "staked", "returned", "House"]
    assert lines[2] == "Three Pictures (MBS)"
    rounds = [line.split()[0] for line in lines if line.split()[0].isdigit()]
    assert rounds == ["4", "3", "2", "1"]
    void = next(place for place, line in enumerate(lines) if line.startswith("2 "))
    assert lines[void].split()[1:4] == [DAY, "22:13:33", "void"]
    assert "by" in " ".join(lines[void : void + 2])
    assert "by (M-24), other, 1 refusal" in " ".join(lines[void : void + 3])
    paid = next(line for line in lines if line.startswith("1 "))
    assert paid.split()[-4:] == ["settled", "$10", "$20", "-$10"]
    assert lines[-1] == "rounds 1 to 4 of 4, newest first. Times are +08, UTC+08:00."


def test_an_amount_is_never_cut_short(path):
    with LogReader(path) as log:
        row = summarize(log.connection, 1)
    assert row
    much = 10**11
    text = "\n".join(list_lines([row._replace(staked=much, returned=much, house_net=-much)], 80))
    assert "$1,000,000,000  $1,000,000,000  -$1,000,000,000" in text


@pytest.mark.parametrize(
    ("filters", "rounds"),
    [
        ((), [4, 3, 2, 1]),
        (("--void",), [2]),
        (("--irregular", "other"), [2]),
        (("--irregular", "any"), [2]),
        (("--refused",), [2]),
        (("--refused", "--code", "under_minimum"), [2]),
        (("--player", "P7"), [2]),
        (("--player", "p1", "--result", "WIN"), [1]),
        (("--wager", "main", "--box", 1, "--result", "lose"), [3]),
        (("--hand", "double knights nine"), [3, 1]),
        (("--hand", "Double Knights Nine", "--box", 0), [3]),
        (("--card", "kc"), [1]),
        (("--card", "KC", "--box", 0), []),
        (("--over", "$10"), [2]),
        (("--over", "9.99", "--wager", "main", "--result", "win"), [1]),
        (("--staff", "ann"), [2]),
        (("--staff", "Mei, dealer"), [2]),
        (("--post", "shift manager"), [2]),
        (("--game", "mbs-three"), [4, 3, 2, 1]),
        (("--since", f"{DAY} 23:00"), [4, 3]),
        (("--until", f"{DAY} 22:13:25"), [1]),
        (("--until", DAY), [4, 3, 2, 1]),
        (("--since", "2026-09-22"), []),
        (("--before", 3), [2, 1]),
        (("--rows", 1, "--page", 2), [3]),
        (("--rows", 3, "--page", 2), [1]),
    ],
)
def test_filters(path, filters, rounds):
    assert listed(path, *filters) == rounds
    if not {"--before", "--rows"} & set(filters):
        assert run("log", "list", path, *filters, "--count") == (0, f"{len(rounds)}\n")


def test_a_list_says_how_to_get_the_next_page(path):
    assert "rounds 1 to 2 of 4, newest first; older ones: --before 3." in run("log", "list", path, "--rows", 2)[1]
    assert "2 of 4 rounds" in run("log", "list", path, "--before", 3)[1]
    assert run("log", "list", path, "--since", "2026-10-01")[1] == "no round fits\n"


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("--since", "soon"), 2, '"soon" is not a time: write 2026-09-21'),
        (("--over", "much"), 2, "is not an amount"),
        (("--code", "under_minimum"), 2, "--code goes with --fault or --refused"),
        (("--wager", "tei"), 1, 'no round in this log has wager "tei"; there are: main'),
        (("--box", "one"), 2, "is not a valid integer range"),
        (("--game", "chess"), 1, "chess"),
    ],
)
def test_mistakes_are_explained(path, arguments, status, words):
    found, said = run("log", "list", path, *arguments)
    assert found == status
    assert words in " ".join(said.split())


def test_a_tables_file_stands_for_its_log(tmp_path, path):
    (tmp_path / "t1.toml").write_text('[log]\nfile = "t1.log"\n')
    assert listed(tmp_path / "t1.toml") == [4, 3, 2, 1]
    assert run("log", "show", 1, tmp_path / "t1.toml") == run("log", "show", 1, path)
    (tmp_path / "bad.toml").write_text("log = 5")
    status, said = run("log", "list", tmp_path / "bad.toml")
    assert (status, "names no log; `felt check" in said) == (1, True)
    file = write(tmp_path, LUCKY_FILE)
    assert run("log", "list", file)[0] == 1
    assert "there is no" in run("log", "list", file)[1]


# -- notices


def test_notices_tell_what_happened_with_who_and_when(path):
    status, said = run("log", "notices", path, columns="200")
    assert status == 0
    told = [line.split("  ") for line in said.splitlines() if line.startswith(f" {DAY}")]
    words = [[part.strip() for part in line if part] for line in told]
    assert [line[1] for line in words] == [
        *("cleared", "fault", "begin", "refused", "alarm", "begin", "boot", "staff"),
    ]
    assert words[0][2].endswith("[Mei, Dealer]")
    assert words[2][2] == (
        "a new configuration: boxes 2, not 1 and limits main 500/200000, not main 500/100000 [Ann, Pit Manager]"
    )
    assert words[3][2].startswith("refused: P7 bets $0.01 main on box 1")
    assert words[3][2].endswith("[round 2, Mei, Dealer]")
    assert words[-1] == [f"{DAY} 22:12:20", "staff", "Mei, Dealer, logged in from 10.0.0.7."]
    assert said.splitlines()[-1] == "1 to 8 of 8, newest first. Times are +08, UTC+08:00."
    assert max(map(len, run("log", "notices", path)[1].splitlines())) <= 80


@pytest.mark.parametrize(
    ("options", "kinds"),
    [
        (("--only", "logins"), ["staff"]),
        (("--only", "alarms", "--only", "refusals"), ["refused", "alarm"]),
        (("--only", "configuration"), ["begin", "begin"]),
        (("--only", "undos"), []),
        (("--since", f"{DAY} 23:00"), ["cleared", "fault"]),
        (("--rows", 2, "--page", 2), ["begin", "refused"]),
    ],
)
def test_notices_are_chosen_and_paged(path, options, kinds):
    status, said = run("log", "notices", path, *options, "--json")
    assert status == 0
    assert [json.loads(line)["kind"] for line in said.splitlines()] == kinds
    if "--rows" not in options:
        assert run("log", "notices", path, *options, "--count") == (0, f"{len(kinds)}\n")


# -- find, show, last, tail


def test_text_is_found_in_records_not_in_seals(path, table):
    status, said = run("log", "find", "double KNIGHTS", path)
    assert (status, said.splitlines()[-1]) == (0, "0 records have it")
    said = run("log", "find", "FIRE", path)[1]
    assert '"a [fire] alarm"' in " ".join(said.split())
    assert said.splitlines()[-1] == "1 record has it"
    assert max(map(len, said.splitlines())) <= 80
    assert run("log", "find", "p7", path, "--count") == (0, "3\n")
    assert run("log", "find", "p7", path, "--since", f"{DAY} 23:00", "--count") == (0, "0\n")
    seal = table.records()[10].line[-30:-12].decode()
    assert run("log", "find", seal, path, "--count") == (0, "0\n")


def test_show_why_tells_paragraphs_and_readings_in_words(path):
    said = run("log", "show", 2, path, "--why")[1]
    short = run("log", "show", 2, path)[1]
    assert said.startswith(short)
    more = said.removeprefix(short)
    assert "\nParagraph 3.1\n" in more
    assert more.count("\nParagraph 3.1\n") == 1
    assert max(map(len, more.splitlines())) <= 80
    assert "does not know it" not in more


def test_show_and_last_for_programs(path):
    steps = [json.loads(line) for line in run("log", "show", 1, path, "--json")[1].splitlines()]
    assert steps[0]["record"] == ["event", 1, ["open"]]
    assert steps[0]["at"] == f"{DAY}T22:13:21+08:00"
    rows = list(csv.DictReader(io.StringIO(run("log", "last", path, "--csv")[1])))
    assert [row["round"] for row in rows] == ["4", "3", "2", "1"]
    assert rows[-1]["returned"] == "2000"


def test_last_is_marked_as_recall_and_has_ten_rounds(tmp_path):
    path = tmp_path / "many.log"
    write_log(path, random_play(LUCKY, "recall", 400).records())
    said = run("log", "last", path)[1]
    assert said.startswith("RECALL of the last 10 rounds in ")
    assert sum(line.split()[:1] != [] and line.split()[0].isdigit() for line in said.splitlines()) == 10


def test_a_follower_tells_each_record_once_as_it_comes(tmp_path, table):
    path = tmp_path / "t1.log"
    records = table.records()
    with LogStore(path, "T1") as store:
        store.commit(records[:30], NOON)
        follower = Follower(path, 10)
        assert [step.number for step in follower.more()] == list(range(21, 31))
        assert follower.more() == []
        store.commit(records[30:33], NOON)
        assert [step.record for step in follower.more()] == [one.record for one in records[30:33]]


@pytest.mark.slow
def test_tail_follows_until_ctrl_c(path, table):
    command = [str(Path(sys.executable).parent / "felt"), "log", "tail", str(path), "--json", "--records", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stderr
    try:
        time.sleep(2)
        table.do("close")
        with LogStore(path, "T1") as store:
            store.commit([one for one in table.records() if one.number > store.end().number], NOON)
        assert "close" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130
        assert process.stderr.read() == ""
    finally:
        process.kill()
        process.communicate()


# -- export


def test_raw_lines_are_those_that_the_table_sealed(tmp_path, path, table):
    lines = tmp_path / "lines"
    assert run("export", path, "lines", "-o", lines) == (0, f"{lines}: written\n")
    opened = open_log(lines, KEY.sealer, KEY.table)
    assert verify(opened.lines, KEY.sealer, KEY.table).last == read_rows(path)[-1].number
    status, said = run("export", path, "lines", "-o", lines)
    assert (status, "is there already" in said) == (1, True)
    assert not list(tmp_path.glob("*.part"))


def test_every_list_comes_as_json_lines_and_as_csv(path):
    for name, made in LISTS.items():
        status, said = run("export", path, name)
        assert status == 0
        objects = [json.loads(line) for line in said.splitlines()]
        status, said = run("export", path, name, "--csv")
        rows = list(csv.DictReader(io.StringIO(said)))
        assert rows
        assert tuple(rows[0]) == made.fields
        assert len(rows) == len(objects) > 1, name
        for one, row in zip(objects, rows):
            assert set(made.fields) <= one.keys()
            first = made.fields[0]
            assert str(one[first]) == row[first]


def test_an_export_takes_the_filters_of_a_list(path):
    rounds = [json.loads(line)["round"] for line in run("export", path, "rounds", "--void")[1].splitlines()]
    assert rounds == [2]
    records = [json.loads(line) for line in run("export", path, "records", "--void")[1].splitlines()]
    assert {one["round"] for one in records} == {2}
    late = run("export", path, "lines", "--since", f"{DAY} 23:00")[1].splitlines()
    assert 0 < len(late) < len(read_rows(path))
    bets = [json.loads(line) for line in run("export", path, "bets")[1].splitlines()]
    assert [(one["round"], one["result"], one["returned"]) for one in bets] == [(3, "lose", 0), (1, "win", 2000)]
    status, said = run("export", path, "notices", "--void")
    assert (status, "take only --since and --until" in said) == (2, True)


def test_what_people_typed_is_no_formula_in_a_csv(tmp_path):
    made = RecordingTable({"game": MBS, "boxes": 1})
    made.do("open")
    made.do("bet", 1, "=1+1", "main", 1000)
    made.say("@Mei", "irregularity", "other", None, None, None, "shift_manager", "x")
    path = tmp_path / "t1.log"
    write_log(path, made.records())
    rows = list(csv.DictReader(io.StringIO(run("export", path, "columns", "--csv")[1])))
    assert {row["player"] for row in rows} == {"", "'=1+1"}
    assert "'@Mei" in {row["staff"] for row in rows}


def test_a_round_is_the_same_in_a_list_as_in_the_log(path):
    with LogReader(path) as log:
        summary = summarize(log.connection, 1)
    assert summary
    row = json.loads(run("export", path)[1].splitlines()[-1])
    assert (row["first"], row["last"], row["staked"]) == (summary.first, summary.last, summary.staked)
    assert os.environ["TZ"] == "Asia/Singapore"
    assert row["begun"] == f"{DAY}T22:13:21+08:00"
