"""What staff do through the page's server: orders, undo, hand-pays, faults. The firmware runs behind it."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from tests.support.page.clients import client_of, first_state, last_notices, log_in
from tests.support.page.live_table import LiveTable
from tests.support.tables import MBS, POKER

pytestmark = pytest.mark.slow


def test_the_table_decides_and_its_answer_is_given_with_the_paragraph(browser, table):
    log_in(browser)
    answer = browser.post("/do", json={"action": "settle", "fields": {}}).json()
    assert answer["done"] is False
    assert answer["words"] == "Not possible now: no round is open."
    assert answer["rule"] == "3.6"
    assert table.records("command")[-1][2] == "Dealer One, dealer"
    assert browser.post("/do", json={"action": "call_pit_supervisor"}).json()["done"] is True
    assert table.records("call") == [["call", "pit_supervisor"]]
    assert first_state(browser)["table"]["called"] == "Pit Supervisor"
    assert browser.post("/do", json={"action": "call_shift_manager"}).json()["done"] is True
    with client_of(table) as other:
        log_in(other, "shift_manager")
        assert other.post("/do", json={"action": "settle"}).json()["done"] is False
    assert first_state(browser)["table"]["called"] == "", "whoever was called is there"


def test_a_bad_field_is_not_sent(browser, table):
    log_in(browser)
    before = len(table.records("command"))
    fields = {"box": 1, "player": "P1", "wager": "main", "cents": "much"}
    answer = browser.post("/do", json={"action": "bet", "fields": fields})
    assert (answer.status_code, answer.json()["problem"]) == (
        422,
        "Amount: much is not an amount: write $25 or $2.50",
    )
    assert len(table.records("command")) == before


def test_an_undo_is_of_what_was_seen_and_leaves_a_record_and_a_notice(browser, table):
    log_in(browser)
    assert browser.post("/do", json={"action": "open"}).json()["done"]
    do(table, browser, "bet", box=1, player="P1", wager="main", cents="50")
    undo = first_state(browser, lambda state: state["console"] and state["console"]["undo"])["console"]["undo"]
    assert undo["staff"] == "Dealer One, Dealer"
    answer = browser.post("/do", json={"action": "undo", "number": undo["number"] - 1})
    assert answer.status_code == 422
    assert "Something else has happened" in answer.json()["problem"]
    assert browser.post("/do", json={"action": "undo", "number": undo["number"]}).json()["done"] is True
    assert table.records("event")[-1][2] == ["take_back", 1, "P1", "main", 5000]
    assert last_notices(table, 1) == [("undo", f"Dealer One, Dealer, undid record {undo['number']}.")]
    table.tell("close")
    table.wait_for("closed")


def test_two_who_undo_the_same_at_once_undo_it_once(tmp_path):
    with LiveTable(tmp_path, MBS) as table, ExitStack() as open_now:
        clients = []
        for post in ("dealer", "pit_supervisor"):
            clients.append(open_now.enter_context(client_of(table)))
            log_in(clients[-1], post)
        table.tell("open")
        table.tell("bet", 2, "P2", "main", 10000)
        do(table, clients[0], "bet", box=2, player="P2", wager="main", cents="20")
        wanted = {"action": "undo", "number": undo_number(table)}
        with ThreadPoolExecutor() as threads:
            both = [threads.submit(client.post, "/do", json=wanted) for client in clients]
        answers = sorted((future.result().status_code, future.result().json().get("done")) for future in both)
        assert answers == [(200, True), (422, None)]
        table.wait_until_still()
        assert [bet.cents for bet in table.round.in_play()] == [10000]
        assert len([kind for kind, _, _ in table.notebook.notices if kind == "undo"]) == 1


def undo_number(table):
    table.wait_until_still()
    return table.service.keeper.activity.slip.number


def test_an_undo_that_is_done_after_nobody_waits_any_more_is_noticed_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr("host.page.app.ANSWER_S", 0.3)
    with LiveTable(tmp_path, MBS) as table, client_of(table) as client:
        log_in(client)
        table.tell("open")
        do(table, client, "bet", box=1, player="P1", wager="main", cents="50")
        number = undo_number(table)
        table.is_switched_off = True
        wanted = {"action": "undo", "number": number}
        assert client.post("/do", json=wanted).json()["done"] is None
        assert client.post("/do", json=wanted).status_code == 422, "it may still be done"
        table.is_switched_off = False
        table.wait_until(lambda: table.notebook.notices[-1][0] == "undo")
        assert table.notebook.notices[-1] == ("undo", f"Dealer One, Dealer, undid record {number}.", number)
        table.wait_until(lambda: not table.round.in_play())


def ask(table, client, action, **fields):
    """As a page asks that shows the table as it stands."""
    wanted = {"action": action, "fields": fields, "moment": table.moment(action)}
    return client.post("/do", json=wanted)


def do(table, client, action, **fields):
    answer = ask(table, client, action, **fields).json()
    assert answer.get("done") is True, answer


def test_a_jackpot_is_won_paid_by_hand_and_confirmed_all_from_the_console(tmp_path):
    jackpot = "AS KS QS 9C 7D 2H"  # the first box has it; the dealer does not qualify
    with LiveTable(tmp_path, POKER, jackpot) as table, client_of(table) as client:
        log_in(client)
        do(table, client, "open")
        do(table, client, "bet", box=1, player="P1", wager="ante", cents="10")
        do(table, client, "bet", box=1, player="P1", wager="progressive", cents="5")
        do(table, client, "close")
        table.wait_for("deciding")
        refused = ask(table, client, "fold", box=1).json()
        assert (refused["done"], refused["rule"]) == (False, "T-06")
        do(table, client, "play", box=1)
        do(table, client, "reveal")
        do(table, client, "settle")
        assert client.post("/do", json={"action": "open"}).json()["rule"] == "4.4/cheque"
        table_ = first_state(client)["table"]
        pays, lines = table_["hand_pays"], table_["lines"]
        assert [(line["wager"], line["result"], line["stake"], line["returned"]) for line in lines] == [
            ("ante", "win", "$10", "$20"),
            ("play", "push", "$10", "$10"),
            ("progressive", "win", "$5", "$10,001"),
            ("ante bonus", "win", "", "$50"),
        ]
        assert pays == [{"player": "P1", "money": "$10,001"}]
        do(table, client, "hand_paid", player="P1")
        assert table.records("event")[-1][2] == ["hand_paid", "P1", "dealer"]
        do(table, client, "open")


def test_a_fault_is_shown_with_advice_and_cleared_with_the_post_of_whoever_did(tmp_path):
    with LiveTable(tmp_path, MBS) as table, client_of(table) as client:
        log_in(client, "pit_supervisor")
        table.shuffler.faults.jam = True
        do(table, client, "open")
        do(table, client, "bet", box=1, player="P1", wager="main", cents="10")
        do(table, client, "close")
        table.wait_until(lambda: '"shuffler_jam"' in table.hub.picture.public)
        fault = first_state(client)["table"]["faults"][0]
        assert fault["advice"] == "The shuffler is jammed. Free the cards, count them, then clear."
        table.shuffler.free()
        do(table, client, "clear_shuffler_jam")
        assert table.records("cleared") == [["cleared", "shuffler_jam", "pit_supervisor"]]
        assert table.records("command")[-1][2] == "Pit Two, pit_supervisor"
        table.wait_for("playing")
        answer = client.post("/do", json={"action": "clear_shuffler_jam"}).json()
        assert (answer["done"], answer["words"]) == (False, "The fault shuffler jam is not latched.")


def test_a_table_without_amounts_asks_for_none(tmp_path):
    with LiveTable(tmp_path, MBS, amounts=False) as table, client_of(table) as client:
        log_in(client)
        do(table, client, "open")
        offers = {one["action"]: one for one in first_state(client)["console"]["offers"]}
        assert [one["field"] for one in offers["bet"]["inputs"]] == ["player"]
        assert "counted" not in offers
        do(table, client, "bet", box=1, player="P1", wager="main")
        box = first_state(client)["table"]["boxes"][0]
        assert box["bets"] == [{"player": "P1", "wager": "Main wager", "money": "chips"}]
