"""From a tap to a command: nothing is sent twice, or for a table that no longer stands as the page shows it."""

from typing import Any

import pytest

from host.page.orders import Orders, Wanted
from host.table.link import Command
from host.table.service import NO_TABLE, NOT_CONFIRMED, Answer
from host.words.page import PAGE
from tests.support.linked import DONE
from tests.support.page.played import Played, quiet_service
from tests.support.tables import MBS

WHO = "Dealer One, dealer"


class Desk:
    """Orders about a round in which a bet was just declared, and a table that answers when it is told to."""

    def __init__(self, folder, is_up=True):
        self.played = Played(MBS).until("betting").play(["bet", 1, "P1", "main", 2000], staff=WHO)
        self.service = quiet_service(folder)
        self.service.bridge.keeper = self.played.keeper
        self.orders = Orders(self.service)
        self.link: Any = self.service.bridge.link
        self.notebook: Any = self.service.announcements.notices
        if is_up:
            self.link.session = object()  # joined, as far as orders are concerned

    def send(self, action, **fields):
        moment = self.played.moment(action)
        return self.orders.send(Wanted(action, fields, None, "dealer", moment), WHO)

    def undo(self):
        number = self.played.keeper.activity.slip.number
        return self.orders.send(Wanted("undo", {}, number, "dealer"), WHO)

    def answer(self, done=True, code=""):
        self.service.answered(self.link.commands.popleft(), done, code, None, [])


def test_one_slip_is_undone_once(tmp_path):
    """What it caused comes back after the answer; until then the slip looks as it did."""
    desk = Desk(tmp_path)
    desk.undo()
    with pytest.raises(ValueError, match=PAGE["moved_on"]):
        desk.undo()
    desk.answer()
    with pytest.raises(ValueError, match=PAGE["moved_on"]):
        desk.undo()
    desk.played.play(["take_back", 1, "P1", "main", 2000], staff=WHO)
    desk.undo()
    assert desk.link.commands[0].arguments == ["bet", 1, "P1", "main", 2000], "the undo can be undone"


def test_an_undo_that_the_table_refused_can_be_tried_again(tmp_path):
    desk = Desk(tmp_path)
    desk.undo()
    desk.answer(False, "not_possible_now")
    desk.undo()
    assert not desk.notebook.notices


def test_an_undo_that_never_left_can_be_tried_again(tmp_path):
    desk = Desk(tmp_path, is_up=False)
    assert desk.undo().result(0) == Answer(False, NO_TABLE)
    assert desk.undo().result(0) == Answer(False, NO_TABLE)


def test_an_undo_that_may_have_been_done_is_not_tried_again(tmp_path):
    desk = Desk(tmp_path)
    desk.undo()
    desk.answer(False, NOT_CONFIRMED)
    with pytest.raises(ValueError, match=PAGE["moved_on"]):
        desk.undo()


def test_an_undo_is_noticed_when_it_is_done_whoever_waits_for_the_answer(tmp_path):
    desk = Desk(tmp_path)
    number = desk.played.keeper.activity.slip.number
    desk.undo()
    assert not desk.notebook.notices
    desk.answer()
    assert desk.notebook.notices == [("undo", f"Dealer One, Dealer, undid record {number}.", number)]


def test_what_was_explained_is_not_sent_while_the_table_has_something_else_to_do(tmp_path):
    desk = Desk(tmp_path)
    desk.service.command("host", "event", ["close"])
    for send in (lambda: desk.send("report_other"), desk.undo):
        with pytest.raises(ValueError, match=PAGE["moved_on"]):
            send()
    desk.send("call_pit_supervisor")
    assert [command.name for command in desk.link.commands] == ["event", "call"], "this needs no moment"


def test_of_two_orders_that_come_together_the_second_is_not_sent(tmp_path):
    desk = Desk(tmp_path)
    wanted = Wanted("report_other", {}, None, "dealer", desk.played.moment("report_other"))
    desk.orders.send(wanted, WHO)
    with pytest.raises(ValueError, match=PAGE["moved_on"]):
        desk.orders.send(wanted, WHO)


def test_what_was_explained_is_not_sent_before_the_records_of_what_the_table_has_done_are_there(tmp_path):
    """The table answers first and sends its records after that."""
    desk = Desk(tmp_path)
    desk.service.answered(Command(WHO, "event", ["close"], 9), True)
    with pytest.raises(ValueError, match=PAGE["moved_on"]):
        desk.send("report_other")
    desk.played.keep([["answer", 9, *DONE]])
    desk.send("report_other")


def test_what_was_explained_is_not_sent_while_the_log_is_behind_the_table_that_came_back(tmp_path):
    desk = Desk(tmp_path)
    desk.link.last_there = 5
    with pytest.raises(ValueError, match=PAGE["moved_on"]):
        desk.send("report_other")
    desk.link.chain.number = 5
    desk.send("report_other")


def test_what_was_explained_is_not_sent_in_the_middle_of_an_events_records(tmp_path):
    desk = Desk(tmp_path)
    records = desk.played.round.apply(["bet", 2, "P2", "main", 2000])
    records += desk.played.round.apply(["irregularity", "other"])
    desk.played.keep(records[:-1])
    assert not desk.played.keeper.is_whole
    with pytest.raises(ValueError, match=PAGE["moved_on"]):
        desk.send("ruling", decision="continue")
