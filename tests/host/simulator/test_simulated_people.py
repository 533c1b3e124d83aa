"""The people of a simulated table in two halves, at the table and at the desk: neither is ahead of the other."""


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
