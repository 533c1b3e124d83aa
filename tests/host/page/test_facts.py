"""The table as it lies, told on the console: by tapping a card or by its name, by the post that may."""

import json

import pytest

from host.page.console import offers, order_of
from host.page.orders import Orders, Wanted
from host.page.state import describe_undo
from host.words.faults import ADVICE
from shared.rules import cards
from tests.support.log.logs import RecordingTable
from tests.support.page.played import POSTS, Played, quiet_service
from tests.support.tables import GAMES, LUCKY, MBS, NON_COMMISSION, POKER, ROYAL

PIT = "Pit Two, pit_supervisor"


def offered(played, post="pit_supervisor", faults=()):
    return {offer["action"]: offer for offer in offers(played.round, faults, post, 0)}


def told(played, action, post="pit_supervisor", **fields):
    """The records of what is sent; the round is left as it then stands."""
    event = order_of(played.round, action, fields, post).arguments
    return played.play(event, staff=PIT)


def hand(played, place):
    return [cards.text(card) for card in played.round.hands.get(place, [])]


# -- where a card lies


@pytest.mark.parametrize("game", GAMES)
def test_a_card_that_is_tapped_lies_where_staff_say_and_nobody_learns_its_name(game, tmp_path):
    played = Played(game).until("dealt")
    pick = next(one for one in offered(played)["lies"]["picks"] if one["fields"] == {"of": 1, "at": 2})
    assert pick["label"] == "Box 1: card 3"
    told(played, "lies", **pick["fields"], place=2)
    assert hand(played, 1) == ["KS", "QH"]
    assert hand(played, 2) == ["2S", "3S", "4S", "9D"]
    picture = played.picture(quiet_service(tmp_path))
    assert [box["hand"]["lying"] for box in picture["boxes"]] == [2, 4]
    assert picture["recent"][0]["words"] == "A card lies in box 2, not in box 1"
    assert "9D" not in json.dumps([picture, *(played.console(post) for post in POSTS)])


def test_a_card_that_lies_open_is_picked_by_its_name():
    played = Played(LUCKY).until("revealed")
    labels = [pick["label"] for pick in offered(played)["lies"]["picks"]]
    assert labels[:3] == ["Box 1: KS", "Box 1: QH", "Box 1: 9D"]
    told(played, "lies", of=1, at=0, place=2)
    assert hand(played, 2)[-1] == "KS"


def test_the_right_hand_is_paid_after_two_cards_were_told_by_tapping():
    """N, as it is dealt 2S is in box 1 and 4C in box 2; as they lie box 1 has nine and wins against eight."""
    played = Played(NON_COMMISSION).dealt("KS 5D 2S 7H 7D 4C QC TD 8S")
    hands = [hand(played, place) for place in (1, 2, 0)]
    assert hands == [["KS", "5D", "2S"], ["7H", "7D", "4C"], ["QC", "TD", "8S"]]
    told(played, "lies", of=1, at=2, place=2)
    told(played, "lies", of=2, at=2, place=1)
    assert (hand(played, 1), hand(played, 2)) == (["KS", "5D", "4C"], ["7H", "7D", "2S"])
    played.play(["reveal"], ["settle"])
    results = {box: record[4] for box, record in played.keeper.activity.lines}
    assert results == {1: "win", 2: "lose"}


@pytest.mark.parametrize("game", GAMES)
def test_a_card_can_be_told_by_its_name_and_to_lie_in_no_hand(game, tmp_path):
    played = Played(game).until("dealt")
    told(played, "lies_named", card="ks", place="")
    assert hand(played, 1) == ["QH", "9D"]
    assert played.picture(quiet_service(tmp_path))["loose"] == 1
    assert offered(played)["lies"]["picks"][-1] == {
        "label": "In no hand: card 1",
        "fields": {"of": None, "at": 0},
        "hint": "",
    }
    told(played, "lies", of=None, at=0, place=1)
    assert hand(played, 1) == ["QH", "9D", "KS"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"of": 1, "at": 0}, "Choose one of those above"),
        ({"of": 1, "at": 3, "place": 2}, "Something else has happened since"),
        ({"of": 1, "at": -1, "place": 2}, "Something else has happened since"),
        ({"of": 9, "at": 0, "place": 2}, "Something else has happened since"),
        ({"of": [1], "at": 0, "place": 2}, "Something else has happened since"),
        ({"of": None, "at": 0, "place": 2}, "Something else has happened since"),
        ({"card": "KS", "place": 2}, "Something else has happened since"),
        ({"of": 1, "at": 0, "place": 99}, "expected one of the choices"),
        ({"of": 1, "at": 0, "place": True}, "expected one of the choices"),
        ({"of": 1, "at": 0, "place": None}, "expected one of the choices"),
    ],
)
def test_a_place_that_is_not_there_is_refused_before_anything_is_sent(fields, words):
    with pytest.raises(ValueError, match=words):
        order_of(Played(MBS).until("dealt").round, "lies", fields, "pit_supervisor")


def test_a_sheet_about_a_card_is_over_when_any_card_came_to_another_place():
    """Two moves that leave every hand with as many cards change which card is the third."""
    played = Played(MBS).until("dealt")
    before = played.moment("lies"), played.moment("report_misdeal")
    told(played, "lies", of=1, at=2, place=2)
    told(played, "lies", of=2, at=0, place=1)
    assert [len(hand(played, place)) for place in (1, 2)] == [3, 3]
    assert played.moment("lies") != before[0]
    assert played.moment("report_misdeal") == before[1]


def test_a_dealer_is_told_who_may_say_where_cards_lie_unless_the_table_says_he_may():
    for action in ("lies", "lies_named", "entered"):
        offer = offered(Played(MBS).until("dealing"), "dealer")[action]
        assert (offer["possible"], offer["why"]) == (False, "This needs a Pit Supervisor or above.")
        own = Played(MBS, posts={"cards": "dealer"}).until("dealing")
        assert offered(own, "dealer")[action]["possible"]


@pytest.mark.parametrize("game", GAMES)
def test_after_the_settlement_it_is_said_what_follows_before_it_is_confirmed(game):
    explains = offered(Played(game).until("settled"))["lies"]["explains"]
    assert len(explains) == 1
    assert explains[0]["words"].startswith(
        "Play stops until you say that all is told. Then: The round is settled."
    )
    assert offered(Played(game).until("dealt"))["lies"]["explains"] == []


def test_a_manager_may_have_the_hands_paid_as_they_lie():
    """In T a card found elsewhere after the settlement is asked about, once all is told."""
    played = Played(POKER).until("settled")
    told(played, "lies", of=1, at=0, place=2)
    told(played, "lies", of=2, at=0, place=1)
    assert not offered(played, "dealer")["all_told"]["possible"]
    told(played, "all_told")
    assert played.round.state == "frozen"
    assert "correct" in rulings(played, "shift_manager")
    told(played, "ruling", "shift_manager", decision="correct")
    assert played.round.state == "settled"
    assert "correct" not in rulings(Played(POKER).until("dealt").play(["irregularity", "other"]), "shift_manager")


def rulings(played, post):
    return [pick["fields"]["decision"] for pick in offered(played, post)["ruling"]["picks"]]


def test_what_was_told_by_mistake_is_told_back_without_naming_the_card():
    played = Played(MBS).until("dealt")
    told(played, "lies", of=1, at=2, place=2)
    undo = describe_undo(played.keeper, "pit_supervisor")
    assert undo["label"] == "Undo: a card lies in box 2 (by pit supervisor)"
    assert [line["words"] for line in undo["lines"]] == ["A card lies in box 1, not in box 2"]
    assert not describe_undo(played.keeper, "dealer")["possible"]


# -- cards that were not read, and cards entered by hand


@pytest.mark.parametrize("game", GAMES)
def test_an_unread_card_is_a_back_until_its_hand_is_shown_and_gets_its_name_there(game, tmp_path):
    service = quiet_service(tmp_path)
    played = Played(game).dealt("KS QH ?? 2S 3S 4S 7C 8C 9C")
    picture = played.picture(service)
    assert picture["boxes"][0]["hand"] == {"lying": 3, "cards": [], "name": ""}
    assert "A card passed unread; it is named when its hand is shown" in [
        one["words"] for one in picture["recent"]
    ]
    entered = offered(played)["entered"]
    assert not entered["possible"], "nobody looks at it to name it"
    first = [["decide", 1, "play"]] if game == POKER else []
    played.play(*first, ["show", 1])
    hand_shown = played.picture(service)["boxes"][0]["hand"]
    assert (hand_shown["name"], sorted(hand_shown["cards"])) == ("", sorted(["KS", "QH", "??"]))
    entered = offered(played)["entered"]
    assert [pick["label"] for pick in entered["picks"]] == ["Box 1: the unread card"]
    assert entered["explains"][0]["ruling"] == "X-25"
    told(played, "entered", place=1, card="9D")
    assert played.picture(service)["boxes"][0]["hand"]["name"]
    assert "A card is entered BY HAND for box 1 (by pit supervisor)" in [
        one["words"] for one in played.picture(service)["recent"]
    ]


def test_where_a_card_is_entered_is_said_and_the_next_one_is_marked():
    played = Played(LUCKY).until("closed").play(["card", "KS"])
    labels = [pick["label"] for pick in offered(played)["entered"]["picks"]]
    assert labels == ["Box 1 (the next card)", "Box 2", "Dealer"]
    event = order_of(played.round, "entered", {"place": 0, "card": "AS"}, "pit_supervisor").arguments
    assert event == ["entered", "AS", "pit_supervisor", 0]


@pytest.mark.parametrize("stage", ["idle", "betting", "dealt", "revealed", "settled"])
def test_no_card_is_entered_while_none_is_missing(stage):
    assert not offered(Played(MBS).until(stage))["entered"]["possible"]


# -- cards that lie open, hands that were touched, chips that are gone


@pytest.mark.parametrize("game", GAMES)
def test_a_card_that_lies_open_is_told_with_who_turned_it(game):
    played = Played(game).until("dealt")
    offer = offered(played, "dealer")["turned"]
    assert [one["about"] for one in offer["explains"]] == ["turned by a slip", "turned by its own player"]
    players = next(one for one in offer["inputs"] if one["field"] == "player")
    assert [one["value"] for one in players["options"]] == ["", "P1", "P2"]
    event = order_of(played.round, "turned", {"place": 1, "card": "ks", "player": "P1"}, "dealer").arguments
    assert event == ["turned", "KS", "P1", 1, "dealer"]
    played.play(event)
    assert played.round.state in ("playing", "deciding"), "its own player may do that after the deal"
    slip = order_of(played.round, "turned", {"place": 0, "card": "7C", "player": ""}, "dealer").arguments
    assert slip == ["turned", "7C", None, 0, "dealer"]


@pytest.mark.parametrize("game", GAMES)
def test_what_is_said_of_an_open_card_is_what_follows(game):
    """While cards are dealt and after it, for a slip: what is explained is what the round then does."""
    for stage in ("dealing", "dealt"):
        played = Played(game).until(stage)
        words = offered(played, "dealer")["turned"]["explains"][0]["words"]
        records = played.round.apply(["turned", hand(played, 1)[0], None, 1, "dealer"])
        kinds = [record[0] for record in records]
        asked = [record[1] for record in records if record[0] == "ask"]
        if asked == ["choose"]:
            assert "chooses" in words, words
        elif asked == ["ruling"]:
            assert "has ruled" in words, words
        else:
            assert "noted" in kinds, records
            assert "play goes on" in words, words


def test_who_touched_a_hand_is_told_also_while_the_round_waits():
    played = Played(LUCKY).until("dealt").play(["card", "AC"])
    assert played.round.state == "frozen"
    picks = offered(played, "dealer")["handled"]["picks"]
    assert [pick["label"] for pick in picks][:2] == ["P1 on box 1", "Somebody, box 1"]
    told(played, "handled", "dealer", **picks[0]["fields"])
    assert played.round.handled


@pytest.mark.parametrize("game", GAMES)
def test_chips_that_are_gone_are_told_in_every_book_with_the_amount_that_lay_there(game, tmp_path):
    played = Played(game).until("dealt")
    offer = offered(played, "dealer")["chips_gone"]
    assert [pick["label"].rpartition(" ")[2] for pick in offer["picks"]] == ["$10", "$10"]
    service = quiet_service(tmp_path)
    service.bridge.keeper = played.keeper
    fields = offer["picks"][0]["fields"]
    foreseen = Orders(service).foresee(Wanted("chips_gone", fields | {"cents": "5"}, None, "dealer"))
    assert "$5 of P1's" in foreseen[0]["words"]
    told(played, "chips_gone", "dealer", **fields | {"cents": "5"})
    assert offered(played, "dealer")["chips_gone"]["picks"][0]["fields"]["cents"] == 500


# -- which cards lie open, after a power cut


@pytest.mark.parametrize("game", [LUCKY, NON_COMMISSION, ROYAL])
def test_open_cards_are_asked_for_and_all_told_is_the_answer_that_stands_out(game, tmp_path):
    played = Played(game).until("dealt").play(["power_failure"])
    offer = offered(played, "dealer")
    service = quiet_service(tmp_path)
    assert played.picture(service)["question"]["kind"] == "tell"
    asked = {name: one["primary"] for name, one in offer.items() if one["group"] == "Questions"}
    assert asked == {"turned": False, "lies": False, "lies_named": False, "all_told": True}
    assert Orders(service).foresee(Wanted("all_told", {}, None, "dealer"))
    told(played, "all_told", "dealer")
    assert "all_told" not in offered(played, "dealer")


# -- a round without bets


def test_a_round_that_closed_without_a_bet_can_open_again_or_have_chips_counted(tmp_path):
    played = Played(MBS).play(["open"], ["close"])
    picture = played.picture(quiet_service(tmp_path))
    assert picture["round"]["words"] == "No bets"
    assert offered(played, "dealer")["open"]["possible"]
    assert offered(played)["undeclared"]["possible"]
    told(played, "undeclared", box=1, wager="main", player="P1", lay="25")
    assert not offered(played, "dealer")["open"]["possible"]


# -- who clears faults


@pytest.mark.parametrize(
    ("code", "post", "possible"),
    [
        ("shuffler_jam", "dealer", True),
        ("shuffler_door", "dealer", True),
        ("reader_silent", "dealer", False),
        ("shuffler_count", "dealer", False),
        ("reader_silent", "pit_supervisor", True),
    ],
)
def test_a_dealer_clears_a_jam_or_an_open_door_and_a_supervisor_the_rest(code, post, possible):
    offer = offered(Played(MBS).until("betting"), post, [code])[f"clear_{code}"]
    assert offer["possible"] == possible
    assert offer["why"] == ("" if possible else "This needs a Pit Supervisor or above.")


@pytest.mark.parametrize("post", ["dealer", "pit_supervisor"])
def test_the_console_offers_to_clear_what_the_table_lets_that_post_clear(post):
    devices = [code for code in ADVICE if code.startswith(("shuffler", "reader", "card", "sensor", "key_stuck"))]
    cleared = []
    for code in devices:
        table = RecordingTable({"game": MBS, "boxes": 1})
        table.recorder.fault(code, "")
        table.command("clear", [code, post], "somebody")
        cleared += [code] if code not in table.recorder.faults else []
    found = offered(Played(MBS), post, devices)
    assert cleared == [code for code in devices if found[f"clear_{code}"]["possible"]]
    assert len(cleared) == (2 if post == "dealer" else len(devices))


def test_the_post_that_clears_faults_is_the_table_s():
    played = Played(MBS, posts={"faults": "dealer"}).until("betting")
    assert offered(played, "dealer", ["reader_silent"])["clear_reader_silent"]["possible"]
