"""Following a log in several goes is the same as in one; and `felt log stats` tells what came of it."""

import json
import time
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner

from host.cli import felt
from host.review.statistics import log_reviews, review, shuffler
from host.review.statistics.log_reviews import LogReviews
from host.review.statistics.observation import Observer
from tests.support.log.logs import RecordingTable, play_round, tampered, write_log
from tests.support.review.fair_deals import fair_deals
from tests.support.review.played import config_of, played
from tests.support.tables import LUCKY, MBS, ROYAL


def follow(records, reviews_of_log=None, first=1):
    reviews_of_log = reviews_of_log or LogReviews()
    for number, record in enumerate(records, first):
        reviews_of_log.follow(number, record)
    return reviews_of_log


def observe(records):
    observer = Observer()
    found = [observer.follow(record) for record in records]
    return [one for one in [*found, observer.finish()] if one]


@pytest.fixture(scope="module")
def records():
    return [*played(config_of(MBS), 1, 12), *played(config_of(ROYAL, boxes=2), 2, 8)]


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(log_reviews, "BLOCK", 5)


def test_each_game_has_its_own_review(records):
    reviews = follow(records).close()
    assert {game: kept["counts"]["rounds"] for game, kept in reviews.items()} == {MBS: 12, ROYAL: 8}
    assert review.result_of(reviews[MBS]).deals == 12


def test_it_goes_on_from_what_was_kept_wherever_it_stopped(records, small_blocks):
    """What changed is written each time, and read again by the next one."""
    whole = follow(records).close()
    disk = {}
    reviews_of_log = LogReviews()
    for cut in range(0, len(records), 61):
        start = max(reviews_of_log.next_record, 1)
        assert start <= cut + 1
        reviews_of_log = follow(records[start - 1 : cut], reviews_of_log, start)
        disk |= {key: json.dumps(one) for key, one in reviews_of_log.take_changed().items()}
        assert reviews_of_log.take_changed() == {}
        kept = {key: json.loads(text) for key, text in disk.items()}
        reviews_of_log = LogReviews(reviews_of_log.next_record, kept)
    start = reviews_of_log.next_record
    assert follow(records[start - 1 :], reviews_of_log, start).close() == whole
    assert sorted(disk) == [(ROYAL, 0), (ROYAL, 1), (MBS, 0), (MBS, 1), (MBS, 2)]


def test_blocks_of_rounds_add_up_to_the_whole(records, small_blocks):
    blocks = follow(records)
    counted = {key: one["counts"]["rounds"] for key, one in blocks.reviews.items() if key[0] == ROYAL}
    assert counted == {(ROYAL, 0): 4, (ROYAL, 1): 3}  # the last round waits until it can no longer be corrected
    whole = {}
    for one in observe(records):
        review.add_round(whole.setdefault(one.game, review.new_review(one.game)), one)
    assert blocks.close() == whole


def test_closing_leaves_what_is_kept_as_it_is(records):
    reviews_of_log = follow(records)
    before = json.dumps(list(reviews_of_log.reviews.values()))
    assert reviews_of_log.close()[ROYAL]["counts"]["rounds"] == 8
    assert json.dumps(list(reviews_of_log.reviews.values())) == before


def test_a_million_rounds_are_told_in_half_a_second():
    """244 reviews of 4,096 rounds each, as they lie on the disk. Of this process's own time."""
    one = review.new_review(LUCKY)
    for seen in observe(played(config_of(LUCKY), 1, 300)):
        review.add_round(one, seen)
    shuffler.add_deals(one["shuffler"], 301, fair_deals(np.random.default_rng(1), 3796, 24))
    texts = [json.dumps(one)] * 244
    begun = time.process_time()
    reviews = {(LUCKY, block): json.loads(text) for block, text in enumerate(texts)}
    result = review.result_of(log_reviews.by_game(reviews)[LUCKY])
    assert time.process_time() - begun < 0.5
    assert result.deals == 244 * 4096


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
