"""A slip is put right by an event of its own, where the rules have one, by the post that may."""

from typing import Any

import pytest

from host.page.state import describe_undo, undo_now
from tests.support.page.played import DEAL, Played
from tests.support.tables import GAMES, LUCKY, MBS, ROYAL

WHO = "Dealer One, dealer"


def undo(played, post="dealer"):
    return describe_undo(played.keeper, post)


def question_of(played) -> Any:
    return played.round.question


def do_undo(played, post="dealer"):
    """Apply it as the table would, after a look at what was said of it."""
    said = undo(played, post)
    assert said["possible"], said
    event = undo_now(played.keeper).event
    if undo_now(played.keeper).needs_post:
        event = event | {"by": post}
    records = played.round.apply(event)
    assert records[0][0] == "event"
    played.keep(records)
    return records


@pytest.mark.parametrize("game", GAMES)
def test_a_bet_too_much_is_taken_back_while_betting_is_open(game):
    played = Played(game).until("betting")
    before = played.round.in_play()[0].cents
    played.play(["bet", 1, "P1", played.wagers[0], 2500], staff=WHO)
    assert undo(played)["number"] == played.number - 1, "the event's own record"
    assert do_undo(played)[0][2] == ["take_back", 1, "P1", played.wagers[0], 2500]
    assert played.round.in_play()[0].cents == before


def test_a_bet_is_not_undone_after_closing_where_chips_taken_away_would_still_play():
    played = Played(MBS).until("betting").play(["bet", 1, "P1", "main", 500], ["close"], staff=WHO)
    assert undo(played) is None


def test_what_went_back_by_itself_is_not_taken_back_again():
    played = Played(LUCKY, limits={"initial": [500, 2000]}).play(["open"])
    played.play(["bet", 1, "P1", "initial", 3000], staff=WHO)
    assert do_undo(played)[0][2] == ["take_back", 1, "P1", "initial", 2000]
    assert played.round.in_play() == []


def test_chips_taken_back_by_mistake_are_laid_again():
    played = Played(MBS).until("betting").play(["take_back", 2, "P2", "main"], staff=WHO)
    assert do_undo(played)[0][2] == ["bet", 2, "P2", "main", 1000]


def test_a_wrong_count_is_counted_back():
    played = (
        Played(LUCKY).until("closed").play(["counted", 1, "P1", "initial", 5000, "pit_supervisor"], staff=WHO)
    )
    assert do_undo(played, "pit_supervisor")[0][2] == ["counted", 1, "P1", "initial", 1000, "pit_supervisor"]


def test_a_report_by_mistake_is_ruled_away_by_the_post_that_may():
    played = Played(MBS).until("dealt").play(["irregularity", "left", None, "P1"], staff=WHO)
    low = undo(played, "pit_manager")
    assert (low["possible"], low["rule"]) == (False, "M-24")
    assert "Shift Manager" in low["why"]
    records = do_undo(played, "shift_manager")
    assert records[0][2] == ["ruling", "continue", "shift_manager", None, "reported by mistake"]
    assert played.round.state == "playing"


def test_an_undo_that_is_a_ruling_says_so_before_it_is_confirmed():
    played = Played(MBS).until("dealt").play(["irregularity", "left", None, "P1"], staff=WHO)
    first = undo(played, "shift_manager")["lines"][0]
    assert first == {
        "words": "This is a ruling on the report. The round goes on from where it stopped.",
        "rule": "M-19",
    }


def test_a_question_that_came_after_a_slip_is_not_ruled_away_with_it():
    """The count was only noted; the face-up card that the device dealt next asks for a ruling of its own."""
    played = Played(MBS).until("closed").play(["card", "KS"])
    played.play(["cards_counted", 52, "pit_supervisor"], staff="Pit Two, pit_supervisor")
    assert undo(played, "shift_manager") is None
    played.play(["card", "QH", True])
    assert question_of(played).situation == "face_up_card"
    assert undo(played, "shift_manager") is None


@pytest.mark.parametrize("game", GAMES)
def test_a_report_in_place_of_an_open_question_is_not_undone_for_that_would_leave_the_question_unanswered(game):
    played = Played(game).until("closed").play(["card", "KS"], ["card", "KS"])
    assert question_of(played).kind == "check"
    played.play(["irregularity", "other"], staff=WHO)
    assert question_of(played).kind == "ruling"
    assert undo(played, "shift_manager") is None


def test_a_settlement_by_mistake_is_reported_by_a_supervisor_and_then_ruled_on():
    played = Played(LUCKY).until("revealed").play(["settle"], staff=WHO)
    assert not undo(played, "dealer")["possible"]
    do_undo(played, "pit_supervisor")
    assert played.round.state == "frozen"
    played.play(["ruling", "void", "shift_manager"])
    assert played.round.state == "void"


def test_a_hold_on_a_player_is_let_go():
    played = Played(ROYAL).until("betting").play(["restrict", 1, "P1", "pit_manager"], staff="P, pit_manager")
    assert do_undo(played, "pit_manager")[0][2] == ["restrict", 0, "P1", "pit_manager"]


def test_seating_is_turned_round():
    played = Played(LUCKY).until("betting").play(["seat", 1, "P1", False], staff=WHO)
    assert do_undo(played)[0][2] == ["seat", 1, "P1", True]


def test_seating_that_was_so_already_is_not_undone():
    """P1 has the first bet on box 1 and sits there unsaid (X-09); an undo would make him stand."""
    played = Played(LUCKY).until("betting").play(["seat", 1, "P1", True], staff=WHO)
    assert undo(played) is None
    played.play(["seat", 1, "P1", False], staff=WHO)
    assert undo(played)
    played.play(["seat", 1, "P1", False], staff=WHO)
    assert undo(played) is None, "he stood already"
    played.play(["bet", 1, "P3", "initial", 1000], ["seat", 1, "P3", True], staff=WHO)
    assert do_undo(played)[0][2] == ["seat", 1, "P3", False], "the second on a box stood"


def test_a_hold_that_was_so_already_is_not_undone():
    manager = "P, pit_manager"
    played = Played(ROYAL).until("betting").play(["restrict", 0, "P1", "pit_manager"], staff=manager)
    assert undo(played, "pit_manager") is None, "nothing held him"
    played.play(["restrict", 1, "P1", "pit_manager"], staff=manager)
    assert undo(played, "pit_manager")["possible"]
    played.play(["restrict", 1, "P1", "pit_manager"], staff=manager)
    assert undo(played, "pit_manager") is None, "he is to be held from the next round on already"
    played.play(["restrict", 1, "P2", "pit_manager"], staff=manager)
    assert undo(played, "pit_manager")["possible"], "which says nothing of others"


def test_a_hold_from_an_earlier_round_counts():
    played = Played(ROYAL).until("betting").play(["restrict", 1, "P1", "pit_manager"], ["close"])
    played.play(*[["card", card] for card in DEAL.split()])
    played.play(["show", 1], ["show", 2], ["reveal"], ["settle"], ["open"])
    played.play(["restrict", 1, "P1", "pit_manager"], staff="P, pit_manager")
    assert undo(played, "pit_manager") is None
    played.play(["restrict", 0, "P1", "pit_manager"], staff="P, pit_manager")
    assert do_undo(played, "pit_manager")[0][2] == ["restrict", 1, "P1", "pit_manager"]


@pytest.mark.parametrize("event", [["close"], ["open"]])
def test_what_nothing_undoes_is_not_offered(event):
    played = Played(MBS) if event == ["open"] else Played(MBS).until("betting")
    assert undo(played.play(event, staff=WHO)) is None


def test_the_slip_is_forgotten_when_the_tables_own_keys_go_on():
    played = Played(MBS).until("betting").play(["bet", 1, "P1", "main", 500], staff=WHO)
    assert undo(played)
    played.play(["close"])
    assert undo(played) is None


@pytest.mark.parametrize("event", [["seat", 1, "P1", False], ["take_back", 2, "P2", "main"], ["settle"]])
def test_every_undo_says_what_it_does(event):
    played = Played(MBS).until("revealed" if event == ["settle"] else "betting").play(event, staff=WHO)
    lines = undo(played, "pit_supervisor")["lines"]
    assert lines
    assert all(line["words"] for line in lines)
