"""Lists of rounds: with any filter they are what looking at every record of every round finds."""

import random
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.log.reading import LogReader
from host.log.rollups import blocks, keeper
from host.log.rollups.marks import LISTED
from host.log.store import LogStore
from host.review import filters, rounds
from host.review.filters import ANY, RoundFilter
from host.review.rounds import RoundIndex
from host.words.hand_names import hand_name
from shared.journal.chain import record_of
from shared.rules import cards
from shared.rules.rulebook import load
from tests.support.log.logs import KEY, NOON, random_play, tampered, write_log
from tests.support.tables import GAMES

FAULTS = ("fault", "cleared", "held")
MONEY = ("event", "placed", "refund", "hand_pay", "line", "bonus", "envy")


class NaiveRound:
    """A round as its records have it, without rollups."""

    def __init__(self, rows, later, game):
        self.rows = rows
        self.records = [record_of(row.line) for row in rows]
        self.game = game
        self.number = rows[0].round
        opened = next(row for row in rows if row.what == "open")
        self.begun = opened.seconds if opened.table_seconds is None else opened.table_seconds
        states = [row.what for row in rows if row.kind == "state"]
        self.outcome = states[-1] if states else None
        told = [*rows, *later]
        self.irregular = {row.irregularity for row in told if row.irregularity and row.kind not in FAULTS}
        self.faults = {row.irregularity for row in rows if row.kind == "fault"}
        self.refused = {record[3] for record in self.records if record[0] == "refused"}
        self.staff = {row.staff for row in told if row.staff}
        self.posts = {row.post for row in rows if row.kind == "event" and row.post}
        self.cards = set()
        self.hands = {}
        for row, record in zip(rows, self.records):
            if record[0] == "dealt":
                self.cards.add((row.box, record[2]))
            elif record[0] in ("lies", "seen"):
                self.cards.add((row.box, record[1]))
            elif record[0] == "shown":
                self.cards |= {(row.box, card) for card in record[2]}
                self.hands[row.box] = record[2]

    def ranks(self):
        book = load(self.game)
        for box, held in self.hands.items():
            if len(held) == 3 and cards.UNREAD not in held:
                yield box, hand_name(book, book.value(*[cards.parse(card) for card in held])).entry

    def amounts(self, wager):
        for row in self.rows:
            is_bet = row.kind != "event" or row.wager is not None
            if row.kind in MONEY and is_bet and wager in (None, row.wager):
                yield from (row.cents or 0, row.stake or 0, row.paid or 0)

    def fits(self, wanted):
        place = wanted.box
        bet = ("box", "player", "wager", "result")
        asked = {name: getattr(wanted, name) for name in bet if getattr(wanted, name) is not None}
        is_bet = asked.keys() - {"box"} or (asked and wanted.hand is None and wanted.card is None)
        if is_bet and not any(
            all(getattr(row, name) == value for name, value in asked.items()) for row in self.rows
        ):
            return False
        here = [
            (wanted.hand, {rank for box, rank in self.ranks() if place in (None, box)} if wanted.hand else ()),
            (wanted.card, {card for box, card in self.cards if place in (None, box)}),
            (wanted.game, {self.game}),
            ("void" if wanted.void else None, {self.outcome}),
            (wanted.staff, self.staff | {who.rpartition(", ")[0] for who in self.staff}),
            (wanted.post, self.posts),
        ]
        counted = [
            (wanted.irregular, self.irregular),
            (wanted.fault, self.faults),
            (wanted.refused, self.refused),
        ]
        return (
            all(value is None or value in there for value, there in here)
            and all(value is None or (value in there if value != ANY else there) for value, there in counted)
            and (wanted.over is None or max(self.amounts(wanted.wager), default=0) > wanted.over)
            and (wanted.since is None or self.begun >= wanted.since)
            and (wanted.until is None or self.begun < wanted.until)
        )


def naive_rounds(path):
    """Newest first."""
    with LogReader(path) as log:
        rows = list(log.rows(0, 1 << 40))
    of_round, later, game, games = {}, {}, None, {}
    for row in rows:
        if row.kind == "config" and row.what == "game":
            game = record_of(row.line)[2]
        if row.round is not None:
            games.setdefault(row.round, game)
            of_round.setdefault(row.round, []).append(row)
            if row.about is not None and row.about != row.round and row.kind == "event":
                later.setdefault(row.about, []).append(row)
    made = [
        NaiveRound(rows, later.get(number, []), games[number])
        for number, rows in of_round.items()
        if any(row.kind == "event" and row.what == "open" for row in rows)
    ]
    return made[::-1]


@pytest.fixture(scope="module", params=GAMES)
def played(request, tmp_path_factory):
    """A log whose rounds are in several blocks and some in none, and its rounds as the records have them."""
    path = tmp_path_factory.mktemp("lists") / "t1.log"
    records = random_play(request.param, "lists", 900, 0.2).records()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keeper, "FOLD", 4)
        patch.setattr(blocks, "BLOCK", 16)
        patch.setattr(rounds, "BLOCK", 16)
        write_log(path, records, 23)
        yield path, naive_rounds(path)


def some_filter(made, dice):
    """Of what rounds have, mostly of one and the same round."""
    one = dice.choice(made)
    other = dice.choice((one, one, dice.choice(made)))
    row = dice.choice([row for row in one.rows if row.box is not None] or one.rows)
    ranks, held = list(other.ranks()), sorted(other.cards, key=repr)
    rank, card = dice.choice(ranks or [(None, None)]), dice.choice(held or [(None, None)])
    known = {
        "since": other.begun + dice.choice((-1, 0, 1)),
        "until": one.begun + dice.choice((-1, 0, 1, 100)),
        "game": one.game,
        "box": dice.choice((row.box, rank[0], card[0])),
        "player": row.player,
        "wager": row.wager,
        "result": row.result,
        "hand": rank[1],
        "card": card[1],
        "over": dice.choice((0, 499, 500, 1000, 7000, 30000)),
        "void": True,
        "irregular": dice.choice([ANY, *sorted(other.irregular)]),
        "fault": ANY,
        "refused": dice.choice([ANY, *sorted(other.refused)]),
        "staff": dice.choice(sorted(other.staff) or [None]),
        "post": dice.choice(sorted(other.posts) or [None]),
    }
    assert known.keys() == {field.name for field in fields(RoundFilter)}
    names = dice.sample(sorted(known), dice.choice((0, 1, 1, 1, 2, 2, 3, 4)))
    return RoundFilter(**{name: known[name] for name in names})


def test_lists_counts_and_pages_are_those_of_the_records(played):
    path, made = played
    dice = random.Random(f"filters {made[0].game}")
    found_some = set()
    with LogReader(path) as log:
        index = RoundIndex(log)
        assert len(index.blocks) >= 2, "or the test would ask for too little"
        for _ in range(300):
            wanted = some_filter(made, dice)
            fitting = [one.number for one in made if one.fits(wanted)]
            assert [one.round for one in index.every(wanted)] == fitting, wanted
            assert index.count(wanted) == len(fitting), wanted
            skip, count = dice.randrange(12), dice.randrange(1, 12)
            page = index.find(wanted, count, skip)
            assert [one.round for one in page] == fitting[skip : skip + count], wanted
            before = dice.randrange(made[0].number + 2)
            older = index.find(wanted, count, 0, before)
            assert [one.round for one in older] == [one for one in fitting if one < before][:count], wanted
            if fitting and len(fitting) < len(made):
                found_some |= wanted.given().keys()
    most = {"since", "box", "player", "wager", "hand", "card", "void", "irregular", "refused"}
    assert found_some >= most, "each of these has told rounds apart"


def test_facets_count_the_rounds_that_fit(played):
    path, made = played
    dice = random.Random(f"facets {made[0].game}")
    with LogReader(path) as log:
        index = RoundIndex(log)
        for _ in range(20):
            wanted = some_filter(made, dice)
            counts = index.counts(wanted, LISTED)
            for facet in ("irregular", "refused", "player", "hand", "outcome"):
                for value, count in counts[facet].items():
                    both = [one for one in made if one.fits(wanted) and has(one, facet, value)]
                    assert count == len(both), (wanted, facet, value)


def has(one, facet, value):
    there = {
        "irregular": one.irregular,
        "refused": one.refused,
        "player": {row.player for row in one.rows},
        "hand": {rank for _, rank in one.ranks()},
        "outcome": {one.outcome},
    }
    return value in there[facet]


@pytest.mark.parametrize("how", ["none", "behind", "other rules"])
def test_a_log_whose_rollups_are_not_there_is_listed_all_the_same(tmp_path, monkeypatch, how):
    monkeypatch.setattr(keeper, "FOLD", 4)
    path = tmp_path / "t1.log"
    write_log(path, random_play(GAMES[0], "without", 300).records())
    wanted = RoundFilter(void=True)
    with LogReader(path) as log:
        right = [one.round for one in RoundIndex(log).every(wanted)]
    changes = {
        "none": [f"DELETE FROM rollup_{name}" for name in ("state", *keeper.TABLES)],
        "behind": [
            "UPDATE rollup_state SET behind = 1, rolled = (SELECT max(last) FROM rollup_rounds WHERE round < 20)",
            "DELETE FROM rollup_rounds WHERE round >= 20 AND round > (SELECT folded FROM rollup_state)",
        ],
        "other rules": ["UPDATE rollup_state SET derivation = 0", "DELETE FROM rollup_facets"],
    }
    tampered(path, *changes[how])
    before = path.read_bytes()
    path.chmod(0o400)
    told = []
    with LogReader(path) as log:
        index = RoundIndex(log, lambda *how: told.append(how))
        assert [one.round for one in index.every(wanted)] == right
    assert len(right) > 3
    assert told[-1][0] == told[-1][1] > 0
    assert path.read_bytes() == before


def test_a_list_is_of_one_moment_while_the_log_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(keeper, "FOLD", 4)
    records = random_play(GAMES[0], "moment", 400).records()
    path = tmp_path / "t1.log"
    write_log(path, records[:-600])
    with LogReader(path) as log, LogStore(path, KEY.table) as store:
        index = RoundIndex(log)
        before = [one.round for one in index.every(RoundFilter())]
        for start in range(len(records) - 600, len(records), 40):
            store.commit(records[start : start + 40], NOON)
            assert [one.round for one in index.every(RoundFilter())] == before
            assert index.count(RoundFilter()) == len(before)
    with LogReader(path) as log:
        after = [one.round for one in RoundIndex(log).every(RoundFilter())]
    assert after[-len(before) :] == before
    assert len(after) > len(before) + 3


@given(bound=st.integers(0, 5000), numbers=st.lists(st.integers(0, 5000), max_size=40))
def test_numbers_are_compared_by_their_digits(bound, numbers):
    bits = {}
    for place, number in enumerate(numbers):
        for digit in range(number.bit_length()):
            if number >> digit & 1:
                bits[digit] = bits.get(digit, 0) | 1 << place
    everything = (1 << len(numbers)) - 1
    found = filters.larger(lambda mark, block: bits.get(int(mark[1]), 0), "any", bound, 0, everything)
    assert [place for place in range(len(numbers)) if found >> place & 1] == [
        place for place, number in enumerate(numbers) if number > bound
    ]
