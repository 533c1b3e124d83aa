"""The people of a simulated table in two halves, at the table and at the desk: neither is ahead of the other."""

from tests.support.floors import make_floor, play
from tests.support.tables import LUCKY


def records(table, name):
    return [record for record in table.heard.records if record[0] == name]


def test_a_fault_is_mended_at_the_table_before_it_is_cleared_at_the_desk(table):
    table.floor.shuffler.faults.short_deck = True
    table.run_until(lambda: table.rounds_ended() == 1)
    assert [record[1] for record in records(table, "fault")] == ["shuffler_count"]
    assert [record[1] for record in records(table, "cleared")] == ["shuffler_count"]


def test_chips_lie_where_they_can_be_sensed_before_a_dealer_who_was_slow_closes(table):
    table.run_until(lambda: table.round is not None and table.round.state == "betting")
    table.run(20 * table.desk.people.pace_ms, act=False)  # all bets are declared meanwhile
    laid = {(bet.box, bet.place) for bet in table.round.bets}
    assert laid == {(box, place) for box, place, _, _ in table.floor.plan_bets(table.round)}
    table.run_until(lambda: table.rounds_ended() == 1)
    assert records(table, "sensed") == []


def test_an_unread_card_stops_nothing_and_is_named_when_its_hand_is_shown(table):
    table.floor.reader.faults.unread = True
    table.run_until(lambda: table.rounds_ended() == 1)
    assert records(table, "fault") == []
    events = [record[2] for record in records(table, "event")]
    assert [event for event in events if event[0] == "card"].count(["card", "??"]) == 1
    assert [event[0] for event in events if event[0] in ("reveal", "entered", "settle")] == [
        "reveal",
        "entered",
        "settle",
    ]
    assert all("??" not in record[2] for record in records(table, "shown")[-1:])


def test_after_a_power_cut_the_dealer_says_what_lies_open_and_then_that_all_is_told(tmp_path):
    floor, log = make_floor(tmp_path, LUCKY)
    while floor.bridge.replay.round is None or floor.bridge.replay.round.state != "playing":
        floor.step(50)
    floor.target.restart(floor.now)
    play(floor, 2)
    after = log.records()[log.records().index(["event", 1, ["power_failure"]]) :]
    assert next(record[1:3] for record in after if record[0] == "ask") == ["tell", "power_failure"]
    told = [record[2][0] for record in after if record[0] == "event"][1:]
    assert told[: told.index("all_told")] in ([], ["turned"], ["turned", "turned"])
