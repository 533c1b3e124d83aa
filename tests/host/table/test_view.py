"""The view: what may be seen when, and what stays on view until betting opens again."""

from dataclasses import replace

import pytest

from host.display.picture import SIZES, draw
from host.display.table_view import EVEN, LOST, NO_RESULT, UNKNOWN, WON, Hand, Limit, Outcome, Past
from host.table.view import ViewKeeper
from tests.support.display.tables import Watched, deal, face_up
from tests.support.floors import make_floor, play
from tests.support.tables import GAMES, LUCKY, MBS, NON_COMMISSION, POKER, ROYAL

PROGRESSIVE = {"stake": 500, "contribution": 100, "meter": 1_000_000, "reset": 250_000}


def three_boxes(game=LUCKY, **more):
    return Watched({"game": game, "boxes": 3, "limits": {"initial": [1000, 200_000]}} | more)


def initial_on(*boxes):
    return [["bet", box, f"P{box}", "initial", 1000] for box in boxes]


def test_before_anything_is_known_there_is_nothing_to_show():
    view = ViewKeeper().view()
    assert view.state == UNKNOWN
    assert (view.title, view.limits, view.boxes) == ("", (), ())


def test_idle_has_the_game_and_its_limits():
    view = three_boxes(limits={"initial": [1000, 200_000], "lucky_tie": [500, 5000]}).view
    assert view.state == "idle"
    assert view.title == "Non-Commission Lucky Three Pictures"
    assert view.limits == (Limit("Initial Bet", True, 1000, 200_000), Limit("Lucky Tie", False, 500, 5000))
    assert view.meter is None


def test_a_progressive_wager_has_one_stake_and_the_meter_goes_up_at_closing():
    table = Watched({"game": POKER, "boxes": 2, "progressive": PROGRESSIVE})
    assert table.view.limits == (Limit("Progressive Jackpot", False, 500, 500),)
    assert table.view.meter == 1_000_000
    view = table.play(["open"], ["bet", 1, "P1", "ante", 1000], ["bet", 1, "P1", "progressive", 500], ["close"])
    assert view.meter == 1_000_100


def test_cards_face_down_are_only_counted():
    table = three_boxes()
    view = table.play(["open"], *initial_on(1, 3), ["close"])
    assert [(box.number, box.hand) for box in view.boxes] == [(1, Hand()), (3, Hand())]
    view = table.play(*deal("KS 4H 2D 9C"))
    assert [box.hand for box in view.boxes] == [Hand(3), Hand(1)]
    view = table.play(*deal("8C 3H AS 5S 6S"))
    assert view.state == "playing"
    assert [box.hand for box in view.boxes] == [Hand(3), Hand(3)]
    assert view.dealer == Hand(3)
    assert face_up(view) == []


def test_a_hand_is_seen_when_it_is_shown_and_the_dealers_at_the_reveal():
    table = three_boxes()
    table.play(["open"], *initial_on(1, 2), ["close"], *deal("KS 4H 2D 9C 8C 3H AS 5S 6S"))
    view = table.play(["show", 2])
    assert face_up(view) == ["9C", "8C", "3H"]
    assert view.boxes[1].hand == Hand(3, ("9C", "8C", "3H"), "Plain Zero", "0", "0", 0)
    assert view.boxes[1].stands is None, "nobody knows the dealer's hand"
    view = table.play(["reveal"])
    assert view.dealer.name == "Plain Two"
    assert view.boxes[0].hand == Hand(3, ("KS", "4H", "2D"), "Single Picture Six", "6", "6", 1)
    assert [box.stands for box in view.boxes] == ["win", "lose"]
    assert view.qualifies is None
    assert all(box.outcomes == () for box in view.boxes), "nothing is settled yet"


def test_winners_with_their_odds_by_hand():
    """A six with one picture wins half, and Player Lucky 6 fifteen; zero against two loses both."""
    table = three_boxes()
    table.play(["open"], *initial_on(1, 2), ["bet", 1, "P1", "player_lucky_6", 500])
    view = table.play(
        ["bet", 2, "P2", "lucky_tie", 500],
        ["close"],
        *deal("KS 4H 2D 9C 8C 3H AS 5S 6S"),
        ["reveal"],
        ["settle"],
    )
    assert view.boxes[0].outcomes == (
        Outcome("Initial Bet", True, "win", "1:2"),
        Outcome("Player Lucky 6", False, "win", "15:1"),
    )
    assert view.boxes[1].outcomes == (
        Outcome("Initial Bet", True, "lose", None),
        Outcome("Lucky Tie", False, "lose", None),
    )
    assert view.history == (Past("2", EVEN),), "one won, one lost"


def test_players_on_one_box_who_end_alike_are_told_once():
    table = three_boxes()
    view = table.play(
        ["open"],
        *initial_on(1),
        ["bet", 1, "P9", "initial", 5000],
        ["close"],
        *deal("KS QH 9D 2C 3C 4C"),
        ["reveal"],
        ["settle"],
    )
    assert view.boxes[0].outcomes == (Outcome("Initial Bet", True, "win", "1:1"),)
    assert "P9" not in repr(view)


def settled(table, cards="KS QH 9D 2C 3C 4C"):
    return table.play(["open"], *initial_on(1), ["close"], *deal(cards), ["reveal"], ["settle"])


def test_the_last_result_stays_until_betting_opens_and_then_goes():
    table = three_boxes()
    result = settled(table)
    for why in ("idle", "config"):
        table.stand(why)
        assert table.round.state == "settled"
        assert table.view == result, why
    view = table.play(["open"])
    assert view.state == "betting"
    assert (view.boxes, view.dealer) == ((), Hand())
    assert view.history == (Past("9", WON),)


def test_a_keeper_that_starts_in_mid_round_sees_what_the_old_one_saw():
    table = three_boxes()
    settled(table)
    settled(table, "2C 3C 4C KS QH 9D")
    table.play(["open"], *initial_on(1, 2), ["close"], *deal("KS 4H 2D 9C 8C 3H AS 5S 6S"), ["show", 1])
    whole, late = ViewKeeper(), ViewKeeper()
    for record in table.records:
        whole.take(record)
    begins = [place for place, record in enumerate(table.records) if record[0] == "begin"]
    for record in table.records[begins[-1] :]:
        late.take(record)
    assert whole.view() == table.view
    assert whole.view().history == (Past("9", WON), Past("9", LOST))
    assert late.view() == replace(table.view, history=())


@pytest.mark.parametrize("last", ["reveal", "settle"])
def test_an_event_is_seen_whole_or_not_at_all(last):
    """As when the link breaks off in the middle of its records."""
    table = three_boxes()
    table.play(["open"], *initial_on(1, 2), ["close"], *deal("KS 4H 2D 9C 8C 3H AS 5S 6S"))
    if last == "settle":
        table.play(["reveal"])
    before = table.view
    records = table.round.apply([last])
    assert len(records) > 3
    for record in records[:-1]:
        table.keeper.take(record)
        assert table.view == before
    table.keeper.stale = True
    assert table.view == replace(before, stale=True)
    table.keeper.stale = False
    table.keeper.take(records[-1])
    assert table.view.state == {"reveal": "revealed", "settle": "settled"}[last]


def test_a_table_that_settles_otherwise_than_the_core_is_shown_as_it_says():
    table = three_boxes()
    table.play(["open"], *initial_on(1), ["close"], *deal("KS QH 9D 2C 3C 4C"), ["reveal"])
    for record in table.round.apply(["settle"]):
        wrong = [*record[:5], 2, *record[6:]] if record[0] == "line" else record
        table.keeper.take(wrong)
    assert table.view.boxes[0].outcomes == (Outcome("Initial Bet", True, "win", "2:1"),)
    assert table.view.state == "settled"


def test_a_log_that_begins_in_the_middle_of_a_round_shows_nothing_until_the_table_says_how_it_stands():
    table = three_boxes()
    settled(table)
    opened = table.records.index(["event", 1, ["open"]])
    keeper = ViewKeeper()
    for record in table.records[opened:]:
        keeper.take(record)
    assert keeper.view().state == UNKNOWN
    settled(table)
    for record in table.records[-40:]:
        keeper.take(record)
    assert keeper.view().state == "settled"


def test_a_void_round_shows_no_cards_and_no_result():
    table = three_boxes()
    table.play(["open"], *initial_on(1, 2), ["close"], *deal("KS 4H 2D 9C 8C 3H AS 5S 6S"), ["show", 2])
    view = table.play(["irregularity", "foreign_card"])
    assert view.state == "void"
    assert not view.was_reversed
    assert (face_up(view), view.boxes, view.dealer) == ([], (), Hand())
    assert view.history == (Past("", NO_RESULT),)
    assert table.play(["open"]).history == (Past("", NO_RESULT),)


def test_a_settlement_that_is_reversed_is_void_and_says_so():
    table = three_boxes(NON_COMMISSION)
    settled(table)
    view = table.play(["irregularity", "foreign_card", None, None, None, "pit_supervisor"])
    assert view.state == "void"
    assert view.was_reversed
    assert view.boxes == ()
    assert view.history == (Past("", NO_RESULT),)
    assert not table.play(["open"]).was_reversed


def test_one_box_whose_settlement_is_taken_back_is_out_and_the_others_stay():
    table = three_boxes()
    table.play(["open"], *initial_on(1, 2), ["close"], *deal("KS 4H 2D 9C 8C 3H AS 5S 6S"))
    table.play(["handled", 2], ["reveal"], ["settle"])
    view = table.play(["irregularity", "wrong_count", 2, None, None, "pit_supervisor"])
    assert view.state == "settled"
    assert [box.out for box in view.boxes] == [False, True]
    assert view.boxes[1].outcomes == ()
    assert view.boxes[1].hand == Hand()
    assert view.boxes[0].outcomes == (Outcome("Initial Bet", True, "win", "1:2"),)
    assert view.history == (Past("2", WON),)


def test_a_player_who_withdraws_takes_his_hand_off_the_view():
    table = three_boxes(NON_COMMISSION)
    table.play(["open"], *initial_on(1, 2), ["close"], *deal("KS 4H"), ["turned", "KS"])
    assert table.view.state == "frozen"
    assert table.view.question[:3] == ("choose", "exposed_card", "dealer")
    view = table.play(["choose", "P1", 1, "withdraw"], ["choose", "P2", 2, "continue"])
    assert [(box.number, box.out) for box in view.boxes] == [(1, True), (2, False)]
    assert face_up(view) == [], "a card seen by a slip is not put on the display"


def test_the_question_and_whoever_must_answer_it():
    table = three_boxes(NON_COMMISSION)
    table.play(["open"], *initial_on(1), ["close"], ["card", "2C"], ["irregularity", "drawn_together"])
    assert table.view.question[:3] == ("order", "drawn_together", "pit_supervisor")
    view = table.play(["ruling", "order", "pit_supervisor", None, "left first"])
    assert view.question[:3] == ("choose", "drawn_together", "dealer")
    assert table.play(["choices_done"]).question is None


def test_cards_that_lie_elsewhere_are_seen_as_they_lie_in_a_hand_that_is_shown():
    table = Watched({"game": ROYAL, "boxes": 2})
    bets = [["bet", box, f"P{box}", "main", 1000] for box in (1, 2)]
    table.play(["open"], *bets, ["close"], *deal("2C 3C 4C 5D 6D 7D KS QS JS"), ["handled", 1], ["show", 1])
    view = table.play(["lies", "4C", "pit_supervisor", 2])
    assert view.boxes[0].hand == Hand(2, ("2C", "3C")), "two cards have no name"
    assert view.boxes[1].hand == Hand(4)
    view = table.play(["lies", "5D", "pit_supervisor", 1])
    assert view.boxes[0].hand[:3] == (3, ("2C", "3C", "5D"), "Zero")
    assert face_up(view) == ["2C", "3C", "5D"]


@pytest.mark.parametrize("size", SIZES)
def test_a_hand_that_is_shown_with_an_unread_card_or_four_cards_has_no_name_and_no_result(size):
    table = Watched({"game": MBS, "boxes": 1})
    table.play(["open"], ["bet", 1, "P1", "main", 1000], ["close"], *deal("KS ?? 3C 4D QS JS"))
    view = table.play(["show", 1])
    assert view.boxes[0].hand == Hand(3, ("KS", "??", "3C"))
    view = table.play(["reveal"])
    assert (view.boxes[0].stands, view.dealer.name) == (None, "Double Knights Four")
    assert draw(view, size, 0).getbbox()
    view = table.play(["lies", "4D", "pit_supervisor", 1])
    assert view.boxes[0].hand == Hand(4, ("KS", "??", "3C", "4D"))
    assert view.dealer == Hand(2, ("QS", "JS"))
    assert (view.boxes[0].stands, view.qualifies) == (None, None)
    assert draw(view, size, 0).getbbox()
    view = table.play(["lies", "4D", "pit_supervisor", 0], ["entered", "9H", "pit_supervisor", 1])
    assert view.boxes[0].hand[:3] == (3, ("KS", "9H", "3C"), "Single Knight Two")
    assert view.boxes[0].stands == "lose"


def test_a_round_without_bets_shows_the_limits_and_no_boxes():
    table = Watched({"game": MBS, "boxes": 1})
    view = table.play(["open"], ["close"])
    assert (view.state, view.boxes) == ("closed", ())
    assert draw(view, SIZES[0], 0).getbbox()


def test_a_folded_hand_is_never_seen_though_the_round_is_settled():
    table = Watched({"game": POKER, "boxes": 2, "progressive": PROGRESSIVE})
    bets = [["bet", box, f"P{box}", "ante", 1000] for box in (1, 2)]
    table.play(["open"], *bets, ["close"], *deal("AS KS QS 9C 7D 2H JC TD 8H"))
    view = table.play(["decide", 1, "play"], ["decide", 2, "fold"])
    assert [box.decision for box in view.boxes] == ["play", "fold"]
    assert face_up(view) == []
    view = table.play(["show", 1])
    assert face_up(view) == ["AS", "KS", "QS"]
    view = table.play(["reveal"])
    assert view.qualifies is False
    assert view.boxes[1].hand == Hand(3)
    assert view.boxes[1].stands is None
    view = table.play(["settle"])
    assert view.boxes[1].hand == Hand(3)
    assert view.boxes[0].outcomes == (
        Outcome("Ante", True, "win", "1:1"),
        Outcome("Play", False, "push", None, True),
        Outcome("Ante Bonus", False, "win", "5:1"),
    )
    assert view.boxes[1].outcomes == (Outcome("Ante", True, "lose", None),)


def jackpot_round(table):
    bets = [
        ["bet", box, f"P{box}", wager, cents]
        for box in (1, 2)
        for wager, cents in (("ante", 1000), ("progressive", 500))
    ]
    return table.play(
        ["open"],
        *bets,
        ["close"],
        *deal("AS KS QS 9C 7D 2H JC TD 8H"),
        ["decide", 1, "play"],
        ["decide", 2, "fold", None, True],
        ["reveal"],
        ["settle"],
    )


def test_a_jackpot_waits_for_payment_by_hand_and_the_envy_bonus_is_told_by_box():
    table = Watched({"game": POKER, "boxes": 2, "progressive": PROGRESSIVE})
    view = jackpot_round(table)
    assert view.hand_pays == (1_000_200,)
    assert view.meter == 250_000
    assert Outcome("Progressive Jackpot", False, "win", "100%") in view.boxes[0].outcomes
    assert Outcome("Envy Bonus", False, "win", "$250") in view.boxes[1].outcomes
    table.stand("idle")
    assert table.view.hand_pays == (1_000_200,)
    late = ViewKeeper()
    for record in table.records[
        [record[0] for record in table.records].index("begin", len(table.records) - 12) :
    ]:
        late.take(record)
    assert late.view().hand_pays == (None,), "that one waits is known, how much is not"
    assert table.play(["hand_paid", "P1", "pit_supervisor"]).hand_pays == ()


def test_a_table_without_amounts_shows_the_same_odds():
    table = Watched({"game": POKER, "boxes": 2, "progressive": PROGRESSIVE, "amounts": False})
    bets = [["bet", box, f"P{box}", wager] for box in (1, 2) for wager in ("ante", "progressive")]
    table.play(["open"], *bets, ["close"], *deal("AS KS QS 9C 7D 2H JC TD 8H"), ["decide", 1, "play"])
    view = table.play(["decide", 2, "fold", None, True], ["reveal"], ["settle"])
    assert Outcome("Ante", True, "win", "1:1") in view.boxes[0].outcomes
    assert Outcome("Envy Bonus", False, "win", None) in view.boxes[1].outcomes
    assert view.hand_pays == (1_000_200,)


def test_faults_come_and_go_and_a_standing_carries_them():
    table = three_boxes()
    table.log([["fault", "shuffler_jam", "3 cards"], ["fault", "reader_silent", ""]])
    assert table.view.faults == ("shuffler_jam", "reader_silent")
    table.log([["cleared", "shuffler_jam", "pit_supervisor"]])
    assert table.view.faults == ("reader_silent",)


def test_a_result_that_is_doubted_stays_on_view_while_the_round_waits_for_a_ruling():
    table = Watched({"game": POKER, "boxes": 2, "progressive": PROGRESSIVE})
    result = jackpot_round(table)
    view = table.play(["irregularity", "foreign_card", None, None, None, "pit_supervisor"])
    assert view.state == "frozen"
    assert view.question[:3] == ("ruling", "foreign_card", "shift_manager")
    assert (view.boxes, view.history) == (result.boxes, result.history)
    assert table.play(["ruling", "continue", "shift_manager"]) == result
    table.play(["irregularity", "foreign_card", None, None, None, "pit_supervisor"])
    view = table.play(["ruling", "void", "shift_manager"])
    assert (view.state, view.was_reversed, view.hand_pays) == ("void", True, ())
    assert view.meter == 1_000_000, "the award and what the wagers added are taken back"


def test_a_new_game_at_the_table_keeps_the_result_and_drops_the_history():
    table = three_boxes()
    result = settled(table)
    settled(table)
    other = Watched({"game": MBS, "boxes": 2})
    for record in other.records:
        table.keeper.take(record)
    view = table.view
    assert view.title == "Three Pictures"
    assert view.boxes == result.boxes
    assert view.history == (Past("9", WON),), "only the result that is still on view"


def test_the_history_holds_the_last_twenty_rounds():
    table = three_boxes()
    for _ in range(25):
        settled(table)
    assert len(table.play(["open"]).history) == 20


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_table_with_its_link_is_seen_as_the_bridge_sees_it(tmp_path, game):
    floor, log = make_floor(tmp_path, game, seed="display")
    play(floor, 2)
    keeper = ViewKeeper()
    for record in log.records():
        keeper.take(record)
    view = keeper.view()
    known = floor.bridge.replay.round
    assert view.number == known.number == 2
    assert view.state == known.state == "settled"
    assert [box.number for box in view.boxes] == known.order
    assert all(box.outcomes for box in view.boxes if not box.out)
    assert len(view.history) == 2
