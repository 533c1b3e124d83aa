"""What a review says: to a pit manager in a line, to an engineer in detail, and as numbers for charts."""

import json
import re
from math import inf

import numpy as np
import pytest

from host.review.statistics import charts, reader, review, shuffler
from host.review.statistics.observation import Observer
from host.review.statistics.telling import details, summary
from host.words import review as words
from host.words.review import told_words
from tests.support.review.fair_deals import fair_deals
from tests.support.review.played import config_of, played
from tests.support.tables import MBS

CODES = """
hold.none hold.quiet hold.quiet_alike hold.striking hold.striking_alike left_out
shuffler.quiet shuffler.places shuffler.cards shuffler.pairs shuffler.repeats reader.quiet reader.striking
finding.places finding.cards finding.pairs finding.repeats
detail.hold detail.hold_alike detail.evidence detail.band detail.band_above detail.band_below detail.open_band
detail.left_out detail.deals_left_out
detail.shuffler detail.places detail.cards detail.pairs detail.repeats detail.reader detail.rate detail.most_often
"""
ACCUSING = re.compile(r"cheat|fraud|manipulat|guilty|suspic|tamper|rigged|steal|stole", re.I)


def review_of(rounds, seed=9, start=None):
    kept = start or review.new_review(MBS)
    observer = Observer()
    for record in played(config_of(MBS), seed, rounds):
        seen = observer.follow(record)
        if seen:
            review.add_round(kept, seen)
    return kept


@pytest.fixture(scope="module")
def fair():
    return review_of(60)


def said(kept):
    return [told_words(told) for told in summary(review.result_of(kept))]


def test_a_fair_table_in_three_lines(fair):
    wagers, cards, read = said(fair)
    assert re.fullmatch(
        r"Wagers: nothing to look at\. The House kept -?[\d.]+% of \$[\d,.]+; [\d.]+% was expected, "
        r"and chance alone gives -?[\d.]+% to [\d.]+% on 95 tables in 100",
        wagers,
    )
    assert cards == "Shuffler: nothing to look at; deals counted: 59"
    assert read == "Reader: nothing to look at; cards read: 708, of them double: 0"


def test_a_table_without_amounts_tells_no_money():
    kept = review.new_review(MBS)
    observer = Observer()
    for record in played(config_of(MBS, amounts=False), 9, 20):
        seen = observer.follow(record)
        if seen:
            review.add_round(kept, seen)
    told = [*said(kept), *(told_words(one) for one in details(review.result_of(kept)))]
    assert told[0].startswith("Wagers: nothing to look at. The House kept ")
    assert not any("$" in line for line in told)


def test_no_rounds_at_all():
    assert said(review.new_review(MBS)) == [
        "No wager was settled in these rounds",
        "Shuffler: nothing to look at; deals counted: 0",
        "Reader: nothing to look at; cards read: 0, of them double: 0",
    ]


def test_a_wager_that_keeps_too_little_is_named_with_figure_and_chance(fair):
    """Every tie wager is paid as if it had tied."""
    kept = review.new_review(MBS)
    observer = Observer()
    for record in played(config_of(MBS), 4, 80):
        seen = observer.follow(record)
        if seen:
            bets = [bet._replace(gained=8 * bet.stake) if bet.wager == "tie" else bet for bet in seen.bets]
            review.add_round(kept, seen._replace(bets=bets))
    first, *rest = said(kept)
    assert first.startswith("Look here: tie kept -800.00% of $")
    assert first.endswith("chance alone shows this at most on 1 table in 1,000,000,000, however often one looks")
    assert rest[0].startswith("Shuffler: nothing")


def test_each_finding_of_the_shuffler_and_the_reader_is_a_sentence():
    kept = review.new_review(MBS)
    deals = fair_deals(np.random.default_rng(1), 3000, 12)
    deals[200] = deals[199]
    for row in range(0, 3000, 15):
        deals[row, deals[row] == 30] = deals[row, 7]
        deals[row, 7] = 30
    shuffler.add_deals(kept["shuffler"], 1, deals)
    for number in range(3000):
        reader.add_deal(kept["counts"]["reader"], 12, doubles=[7] if number % 600 == 0 else [])
    _, *lines = said(kept)
    count = int((deals[:, 7] == 30).sum())
    assert lines[0].startswith(
        f"Look here: 9H was card 8 of the deal {count} times in 3,000, where 58 were expected"
    )
    assert lines[1].startswith("Look here: 9H was dealt ")
    assert lines[2].startswith("Look here: round 201 was dealt like round 200, with 12 of 12 cards in the same")
    assert lines[3].startswith(
        "Look here: 5 of 36,000 cards came double, as from a reader that takes one card in 1,553"
    )
    everything = [told_words(told) for told in details(review.result_of(kept))]
    assert any("9H was card 8 of the deal" in line for line in everything)
    assert any(line.startswith("3S came double most often, 5 times") for line in everything)
    assert not any(ACCUSING.search(line) for line in [*lines, *everything])


def test_an_engineer_gets_every_figure(fair):
    told = details(review.result_of(fair))
    lines = [told_words(one) for one in told]
    assert sum(one.code.startswith("limit.") for one in told) == 3 * 4
    assert [one.code for one in told if one.striking and not one.code.startswith("limit.")] == []
    assert lines[0].startswith("Main: 177 bets, $")
    assert any("standard deviation of chance" in line for line in lines)


def test_every_sentence_of_the_file_can_be_said():
    """Codes that no program uses would go unnoticed."""
    used = set(CODES.split())
    used |= {f"limit.{name}.{side}" for name in ("maryland", "kansas", "ohio") for side in ("inside", "outside")}
    assert set(words.SENTENCES) == used
    assert not any(ACCUSING.search(sentence) for sentence in words.SENTENCES.values())


@pytest.mark.parametrize(
    ("chance", "text"),
    [
        (1.0, "any table"),
        (0.05, "1 table in 20"),
        (1 / 123, "1 table in 120"),
        (1 / 12_999, "1 table in 12,000"),
        (1e-30, "1 table in 1,000,000,000"),
        (0.0, "1 table in 1,000,000,000"),
    ],
)
def test_chances_in_words_promise_no_more_than_is_true(chance, text):
    assert words.tables_words(chance) == text


def test_rates_in_words():
    assert [words.one_in_words(rate) for rate in (1 / 2048, 0.0, inf)] == ["2,000", "any number", "1"]


# -- charts


def test_the_chart_of_holds(fair):
    chart = charts.holds_chart(review.result_of(fair))
    assert chart.labels == ["main", "tie", "three_pictures", "all"]
    named = {series.name: [float(value or 0) for value in series.values] for series in chart.series}
    assert named["expected"][0] == pytest.approx(0.0306, abs=1e-4)
    for low, expected, high in zip(named["low"], named["expected"], named["high"]):
        assert low < expected < high
    assert json.loads(json.dumps(charts.as_json(chart))) == charts.as_json(chart)


def test_the_hold_over_time_ends_with_the_whole(fair):
    days = [("Monday", review_of(30, 1)), ("Tuesday", review_of(40, 2))]
    chart = charts.hold_over_time(days, "main")
    whole = review.result_of(review.merge(days[0][1], days[1][1]))
    assert chart.labels == ["Monday", "Tuesday"]
    assert chart.series[0].values[1] == whole.holds[0].rate
    cards = charts.shuffler_over_time(days)
    assert [series.name for series in cards.series] == ["shuffler", "places", "cards", "pairs", "repeats"]
    assert all(len(series.values) == 2 for series in cards.series)


def test_the_chart_of_places(fair):
    chart = charts.places_chart(fair)
    assert (len(chart.series), len(chart.labels)) == (12, 52)
    rows = [[float(value or 0) for value in series.values] for series in chart.series]
    assert sum(rows[0]) == pytest.approx(0, abs=1e-9)
    counts = fair["shuffler"]["counts"]["places"][3]
    most = counts.index(max(counts))
    assert rows[3][most] == max(rows[3])
