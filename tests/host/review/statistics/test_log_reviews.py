"""Following a log in several goes is the same as in one; and `felt log stats` tells what came of it."""

import json
from fractions import Fraction

import pytest
from click.testing import CliRunner

from host.cli import felt
from host.review.statistics import review
from host.review.statistics.log_reviews import LogReviews
from tests.support.log.logs import RecordingTable, play_round, tampered, write_log
from tests.support.review.played import config_of, played
from tests.support.tables import MBS, ROYAL


def follow(records, kept=None, first=1):
    reviews_of_log = LogReviews(kept)
    for number, record in enumerate(records, first):
        reviews_of_log.follow(number, record)
    return reviews_of_log


@pytest.fixture(scope="module")
def records():
    return [*played(config_of(MBS), 1, 12), *played(config_of(ROYAL, boxes=2), 2, 8)]


def test_each_game_has_its_own_review(records):
    reviews = follow(records).close()
    assert {game: kept["counts"]["rounds"] for game, kept in reviews.items()} == {MBS: 12, ROYAL: 8}
    assert review.result_of(reviews[MBS]).deals == 12


def test_it_goes_on_from_what_was_kept_wherever_it_stopped(records):
    whole = follow(records).close()
    for cut in range(0, len(records), 37):
        kept = json.loads(json.dumps(follow(records[:cut]).kept))
        start = max(kept["next"], 1)
        assert start <= cut + 1
        assert follow(records[start - 1 :], kept, start).close() == whole


def test_closing_leaves_what_was_kept_as_it_was(records):
    reviews_of_log = follow(records)
    before = json.dumps(reviews_of_log.kept)
    assert reviews_of_log.close()[ROYAL]["counts"]["rounds"] == 8
    assert json.dumps(reviews_of_log.kept) == before


# -- the command


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    path = tmp_path_factory.mktemp("stats") / "t1.db"
    table = RecordingTable({"game": MBS, "boxes": 1})
    for _ in range(3):
        play_round(table)
    write_log(path, table.records())
    return path


def run(*arguments):
    return CliRunner().invoke(felt, ["log", "stats", *map(str, arguments)])


def test_the_command_tells_wagers_shuffler_and_reader(log):
    """Three rounds of the same cards: Double Nine against Plain Nine."""
    done = run(log)
    assert done.exit_code == 0
    lines = done.output.splitlines()
    assert lines[0] == "Three Pictures, 3 rounds"
    assert lines[1].startswith("Wagers: nothing to look at. The House kept -100.00% of $30; 3.06% was expected")
    assert lines[2].startswith(
        "Look here: round 2 was dealt like round 1, with 6 of 6 cards in the same place or order"
    )
    assert lines[3] == "Reader: nothing to look at; cards read: 18, of them double: 0"
    assert all(len(line) <= 80 for line in lines[4:])


def test_details_and_json_have_every_figure(log):
    done = run(log, "--details")
    assert "Main: 3 bets, $30 staked, -$30 kept, $0.92 expected" in done.output
    assert "Main: inside of 95 % of chance" in done.output
    (line,) = run(log, "--json").output.splitlines()
    found = json.loads(line)
    assert (found["game"], found["rounds"], found["left_out"]) == (MBS, 3, 0)
    assert found["holds"][0]["kept"] == -3000
    assert Fraction(found["holds"][0]["expected"]) == 3000 * Fraction(3110763, 101792600)
    assert [told["code"] for told in found["summary"]] == ["hold.quiet", "shuffler.repeats", "reader.quiet"]
    assert [chart["name"] for chart in found["charts"]] == ["holds", "places"]


def test_a_stricter_promise_says_less(log):
    assert "Look here" in run(log, "--promise", "10").output
    assert run(log, "--promise", "0").exit_code == 2


@pytest.mark.parametrize("line", ["x", "[1,2,3]", "[1,2,3,4,5]*01234567", "[0,0,0,[],0]*01234567"])
def test_a_line_that_cannot_be_read_is_named(log, tmp_path, line):
    other = tmp_path / "t2.db"
    other.write_bytes(log.read_bytes())
    tampered(other, f"UPDATE records SET line = CAST('{line}' AS BLOB) WHERE number = 20")
    done = run(other)
    assert done.exit_code == 1
    assert "record 20" in done.output


def test_a_log_without_rounds_and_a_file_that_is_not_a_log(tmp_path):
    write_log(tmp_path / "empty.db", RecordingTable({"game": MBS, "boxes": 1}).records())
    assert run(tmp_path / "empty.db").output == "no round has opened yet\n"
    (tmp_path / "other.db").write_text("not a log")
    done = run(tmp_path / "other.db")
    assert done.exit_code == 1
    assert "is not a Felt log" in done.output
