"""Whatever happens at a table, in every game: the page can be made, its console is right, no card is told."""

import json
import random

import pytest

from host.page.console import order_of
from host.page.orders import Orders, Wanted
from host.page.public_log import public_words
from host.page.state import undo_now
from host.page.undo import event_for
from host.table.view import ViewKeeper
from shared.journal.snapshot import standing_records
from shared.round.round import Round
from shared.round.states import CARDS_DOWN
from shared.rules.cards import text as card_text
from tests.support.campaign import LONG
from tests.support.floors import config_of
from tests.support.linked import DONE
from tests.support.page.played import DEAL, POSTS, Played, Watched, quiet_service
from tests.support.rounds import Players, random_config
from tests.support.tables import GAMES, MBS, POKER

pytestmark = pytest.mark.slow

EVENTS = 160


class AnyRound(Watched):
    """A random round with what the page keeps of it."""

    def __init__(self, game, seed):
        dice = random.Random(f"{game} {seed}")
        self.config = random_config(game, dice)
        self.round = Round(self.config)
        self.players = Players(self.round, dice, 0.25)
        self.keeper = ViewKeeper()
        self.dice = dice
        self.number = 0
        self.keep(standing_records("config", self.config, self.round, 0, (*DONE, ""), []))

    def keep(self, records):
        for record in records:
            self.number += 1
            self.keeper.take(record, self.number)

    def step(self):
        event = self.players.event()
        before = standing_records("open", self.config, self.round, 0, (*DONE, ""), [])
        records = self.round.apply(event)
        if records[0][0] == "event" and records[0][2][0] == "open":
            self.keep(before)
        if self.dice.random() < 0.5:
            records = [["command", 1, "somebody", "event", ""], *records, ["answer", 1, *DONE]]
        self.keep(records)


@pytest.mark.parametrize("seed", range(3 if LONG else 2))
@pytest.mark.parametrize("game", GAMES)
def test_the_page_can_always_be_made_and_its_console_keeps_its_word(game, seed, tmp_path):
    service = quiet_service(tmp_path)
    table = AnyRound(game, seed)
    offered = undone = 0
    for _ in range(EVENTS):
        table.step()
        assert json.loads(json.dumps(table.picture(service)))["table"] == "T1"
        post = table.dice.choice(POSTS)
        console = table.console(post)
        for offer in console["offers"]:
            if offer["action"] == "fold" or offer["action"].startswith("call_"):
                continue
            if not offer["possible"] or any(not one["optional"] for one in offer["inputs"]):
                continue
            for pick in offer["picks"] or [{"fields": {}}]:
                order = order_of(table.round, offer["action"], pick["fields"], post)
                assert table.round.verify(order.arguments) is None, (offer, order)
                offered += 1
        if console["undo"] and console["undo"]["possible"]:
            undo = undo_now(table.keeper)
            assert undo
            assert table.round.verify(event_for(undo, post)) is None
            undone += 1
    assert offered > EVENTS
    assert undone > 3


@pytest.mark.parametrize("game", GAMES)
def test_a_card_is_in_the_picture_only_when_the_table_has_seen_it(game, tmp_path):
    service = quiet_service(tmp_path)
    hidden_seen = 0
    for seed in range(3):
        table = AnyRound(game, f"hidden {seed}")
        for _ in range(EVENTS):
            table.step()
            round_ = table.round
            if round_.stage() not in CARDS_DOWN:
                continue
            picture = table.picture(service)
            hands = [picture["dealer"], *(box["hand"] for box in picture["boxes"])]
            shown = {card for hand in hands for card in hand["cards"]} | set(picture["seen"])
            public = {card for place in round_.shown for card in round_.hands.get(place, ())} | set(round_.seen)
            assert shown <= set(map(card_text, public))
            hidden_seen += len([card for hand in round_.hands.values() for card in hand if card not in public])
    assert hidden_seen > 50


@pytest.mark.parametrize("deal", ["2C 7D 9H AC AD AH 5S 5D KC", "QS KS AS JD TD 9D 2H 3H 5C"])
@pytest.mark.parametrize("game", GAMES)
def test_a_preview_is_the_same_whatever_cards_lie_face_down(game, deal, tmp_path):
    """Or staff could try out on it what lies there, and nobody would know."""
    service = quiet_service(tmp_path)
    previews = []
    for cards in (DEAL, deal):
        played = Played(game).dealt(cards)
        service.bridge.keeper = played.keeper
        orders = Orders(service)
        found = []
        guesses = [f"{rank}{suit}" for rank in "23456789TJQKA" for suit in "CDHS"]
        tries = [("turned", {"card": card, "place": 1}) for card in guesses]
        tries += [("entered", {"card": card, "place": 1}) for card in guesses]
        tries += [("lies_named", {"card": card, "place": 2}) for card in guesses]
        tries += [("lies", {"of": 1, "at": at, "place": place}) for at in range(3) for place in (0, 1, 2, "")]
        tries += [("report_misdeal", {"put_right": way}) for way in ("", "moved", "restored")]
        tries += [("report_technical", {}), ("report_other", {}), ("handled", {"box": 1, "player": "P1"})]
        tries += [("cards_counted", {"count": "51"}), ("report_wrong_count", {"place": 1})]
        if game == POKER:
            tries += [("fold", {"box": 1}), ("play", {"box": 1})]
        for action, fields in tries:
            found.append(orders.foresee(Wanted(action, fields, None, "shift_manager")))
        previews.append(found)
    assert previews[0] == previews[1]
    assert sum(map(len, previews[0])) > 3, "some of it can be foreseen"


def test_the_public_does_not_learn_that_a_folded_hand_would_pay(tmp_path):
    played = Played(POKER).dealt("QS KS AS JD 8D 9D 2H 3H 5C")
    played.keep(played.round.apply(["decide", 1, "fold"]))
    told = played.picture(quiet_service(tmp_path))["recent"][0]
    assert told["words"] == "Refused: box 1 decides: fold; the player must be sure"


def test_a_fold_that_an_older_table_refused_tells_no_more_of_the_hand():
    older = [
        "refused",
        ["decide", 1, "fold"],
        "T-06",
        "this hand would be paid; say sure to fold it all the same",
    ]
    assert public_words(older, None) == "refused: box 1 decides: fold; the player must be sure"


def test_what_was_paid_stays_on_view_when_another_game_comes(tmp_path):
    played = (
        Played(POKER)
        .dealt("2C 3D 4H 6S 7S 9C QS JD 9H")
        .play(["decide", 1, "play"], ["decide", 2, "play"], ["reveal"], ["settle"])
    )
    service = quiet_service(tmp_path)
    lines = played.picture(service)["lines"]
    assert "ante bonus" in [line["wager"] for line in lines], "a straight"
    other = config_of(MBS, 2)
    played.keep(standing_records("config", other, Round(other), 0, (*DONE, ""), []))
    assert played.picture(service)["lines"] == lines
