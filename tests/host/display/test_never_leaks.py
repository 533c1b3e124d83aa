"""Whatever happens at a table, the display shows no card before it may be seen, and it always shows something."""

import random

import pytest

from host.display.picture import PAGE_MS, SIZES, draw, page_count
from host.table.view import ViewKeeper
from shared.round.states import BETTING, CARDS_DOWN, CLOSED, FROZEN, IDLE, VOID
from tests.support.campaign import parts
from tests.support.display.tables import Watched, deal, face_up
from tests.support.floors import make_floor, play
from tests.support.rounds import PLAYERS, Players, random_config
from tests.support.tables import GAMES, POKER

NOTHING_SEEN = (IDLE, BETTING, CLOSED, VOID)


class Spectator:
    """Knows which hands lie face up, from the log alone: what was shown since betting opened and not folded."""

    def __init__(self):
        self.shown = {}
        self.folded = set()
        self.opens = False

    def watch(self, records):
        for record in records:
            if record[0] == "state" and self.opens:
                self.shown, self.folded, self.opens = {}, set(), False
            elif record[0] == "event":
                name, *fields = record[2]
                self.opens = name == "open"
                if name == "decide" and fields[1] == "fold":
                    self.folded.add(fields[0])
                elif name == "ruling" and fields[0] == "fold":
                    self.folded.add(fields[2])
            elif record[0] == "shown":
                self.shown[record[1]] = tuple(record[2])

    def may_see(self, place, cards):
        return not cards or (place not in self.folded and self.shown.get(place) == cards)


def check(table, spectator, dice):
    view, round_ = table.view, table.round
    assert spectator.may_see(0, view.dealer.cards)
    for box in view.boxes:
        assert spectator.may_see(box.number, box.hand.cards), box
        if not box.hand.cards:
            assert (box.hand.name, box.hand.short, box.hand.code, box.hand.step) == ("", "", "", 0)
            assert box.stands is None
        if not view.dealer.cards:
            assert box.stands is None
            assert box.outcomes == ()
    state = round_.resume if round_.state == FROZEN else round_.state
    if state in CARDS_DOWN:
        assert view.dealer.cards == ()
        assert view.dealer.name == ""
        assert view.qualifies is None
    if state in NOTHING_SEEN:
        assert face_up(view) == []
    assert not any(f"'{player}'" in repr(view) for player in PLAYERS)
    for size in SIZES:
        turn = dice.randrange(page_count(view, size))
        assert draw(view, size, turn * PAGE_MS).getbbox(), "blank"


@pytest.mark.parametrize("seeds", parts(80, 2), ids=str)
@pytest.mark.parametrize("game", GAMES)
def test_no_card_is_in_the_view_before_it_lies_face_up(game, seeds):
    for seed in seeds:
        dice = random.Random(f"leak {game} {seed}")
        table = Watched(random_config(game, dice))
        players = Players(table.round, dice, mischief=0.05 if seed % 2 else 0.25)
        spectator = Spectator()
        seen = set()
        for step in range(150):
            spectator.watch(table.apply(players.event()))
            seen.add(table.view.state)
            try:
                check(table, spectator, dice)
            except AssertionError as wrong:
                raise AssertionError(f"seed {seed}, event {step}: {wrong}") from wrong
        assert len(seen) > 3, f"seed {seed}: the rounds went nowhere"


@pytest.mark.parametrize("game", GAMES)
def test_a_keeper_that_starts_again_at_any_standing_sees_the_same(game):
    dice = random.Random(f"again {game}")
    table = Watched(random_config(game, dice))
    players = Players(table.round, dice, mischief=0.05)
    for _ in range(120):
        table.apply(players.event())
        if dice.random() < 0.2:
            begins = [place for place, record in enumerate(table.records) if record[0] == "begin"]
            late = ViewKeeper()
            for record in table.records[dice.choice(begins) :]:
                late.take(record)
            ours, theirs = table.view, late.view()
            assert theirs.boxes == ours.boxes
            assert (theirs.state, theirs.dealer, theirs.meter) == (ours.state, ours.dealer, ours.meter)
            assert ours.history[len(ours.history) - len(theirs.history) :] == theirs.history


def bets_of(game, boxes):
    main = {"mbs": "main", "rws": "initial"}[game[:3]] if game != POKER else "ante"
    return [["bet", box, f"P{box}", main, 1000] for box in range(1, boxes + 1)]


def config_of(game):
    config = {"game": game, "boxes": 2}
    if game == POKER:
        config["progressive"] = {"stake": 500, "contribution": 100, "meter": 1_000_000, "reset": 250_000}
    return config


@pytest.mark.parametrize("game", GAMES)
def test_tables_that_differ_only_in_cards_face_down_look_the_same(game):
    tables = Watched(config_of(game)), Watched(config_of(game))
    decks = deal("KS QS JS 9H 9D 8C AC 2C 3C"), deal("2H 7D 4C TS JD QD 5S KD AH")
    for table in tables:
        table.play(["open"], *bets_of(game, 2), ["close"])
    for cards in zip(*decks):
        views = [table.play(card) for table, card in zip(tables, cards)]
        assert views[0] == views[1]
        for size in SIZES:
            for turn in range(page_count(views[0], size)):
                pictures = [draw(view, size, turn * PAGE_MS).tobytes() for view in views]
                assert pictures[0] == pictures[1]


def test_tables_that_differ_only_in_a_folded_hand_look_the_same_to_the_end():
    views = []
    for folded in ("9C 7D 2H", "AH AD AC"):
        table = Watched(config_of(POKER))
        table.play(["open"], *bets_of(POKER, 2), ["close"], *deal(f"AS KS QS {folded} JC TD 8H"))
        steps = (["decide", 1, "play"], ["decide", 2, "fold", None, True], ["reveal"], ["settle"], ["open"])
        views.append([table.play(step) for step in steps])
    assert views[0] == views[1]


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_every_record_of_a_table_with_devices_that_fail_can_be_shown(tmp_path, game):
    """The keeper is asked in the middle of an event's records too, as when the link breaks off there."""
    floor, log = make_floor(tmp_path, game, seed="trouble", mischief=1.0)
    play(floor, 4)
    keeper, spectator = ViewKeeper(), Spectator()
    seen = set()
    for record in log.records():
        keeper.take(record)
        spectator.watch([record])
        view = keeper.view()
        seen |= {view.state, *view.faults}
        assert spectator.may_see(0, view.dealer.cards)
        assert all(spectator.may_see(box.number, box.hand.cards) for box in view.boxes)
        assert all(draw(view, size, 0).getbbox() for size in SIZES)
    assert len(seen) > 5
