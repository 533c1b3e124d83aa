"""Table and host on a good wire: greeting, records, commands, heartbeat, time, and starting again."""

import pytest

from host.table.link import NOT_DONE
from shared.journal.snapshot import plain_config
from tests.support.linked import DONE, NOON, RULES, Pair, not_done
from tests.support.tables import MBS

CONFIG = plain_config({"game": MBS, "boxes": 2})


def connected(**changes):
    pair = Pair(**changes)
    pair.run(1000)
    return pair


def test_both_prove_the_key_and_the_host_gets_every_record():
    pair = connected()
    assert pair.table.link.is_up()
    assert pair.host.link.is_up
    assert pair.host.log.records() == pair.table.records() != []
    assert pair.table.journal.acknowledged == pair.table.journal.chain.number


def test_a_configuration_and_a_round_by_commands():
    pair = connected()
    assert pair.command("event", ["open"]) == not_done("unconfigured")
    assert pair.command("config", CONFIG) == DONE
    for event in (["open"], ["bet", 1, "P1", "main", 500], ["close"]):
        assert pair.command("event", event) == DONE
    assert pair.command("event", ["bet", 1, "P1", "main", 500])[:2] == (False, "bets_closed")
    assert pair.command("config", CONFIG) == not_done("round_running")
    assert pair.command("dance", []) == not_done("no_such_command", "dance")
    assert pair.host.log.records() == pair.table.records()
    ids = [record[1] for record in pair.host.log.records() if record[0] == "command"]
    assert ids == list(range(1, 9))


def test_the_table_is_told_the_time():
    pair = connected()
    assert pair.table.recorder.told_time[0] == NOON


def test_silence_ends_a_session_on_both_sides_and_they_find_each_other_again():
    pair = connected()
    pair.now += 10_000
    assert pair.host.say(pair.now) != b""
    pair.table.say(pair.now)
    assert not pair.table.link.is_up()
    assert not pair.host.link.is_up
    pair.run(3000)
    assert pair.table.link.is_up()
    assert pair.host.link.is_up
    assert pair.host.log.records() == pair.table.records()


def test_a_table_that_starts_again_goes_on_where_the_log_ends():
    pair = connected()
    pair.command("config", CONFIG)
    pair.command("event", ["open"])
    pair.table.start("watchdog")
    pair.run(6000)
    records = pair.host.log.records()
    assert records == pair.table.records()
    assert ["boot", "watchdog", 0, RULES] in records
    assert ["event", 1, ["power_failure"]] in records


def test_a_host_that_starts_again_gets_the_rest_and_goes_on_with_command_numbers():
    pair = connected()
    pair.command("config", CONFIG)
    pair.host.start()
    pair.run(4500)
    assert pair.command("event", ["open"]) == DONE
    assert pair.host.log.records() == pair.table.records()


def test_a_clean_stop_is_recorded():
    pair = connected()
    pair.table.link.receive(pair.host.link.say_bye(), pair.now)
    assert not pair.table.link.is_up()
    assert pair.table.records()[-1] == ["link", "bye", 0]


def test_a_command_whose_answer_is_lost_is_answered_again_and_not_done_again():
    pair = connected()
    pair.command("config", CONFIG)
    pair.command("event", ["open"])
    pair.host.link.command("dealer 1", "event", ["bet", 1, "P1", "main", 500])
    pair.table.link.receive(pair.host.say(pair.now), pair.now)
    pair.table.say(pair.now)  # and this is lost
    pair.run(1000)
    assert pair.host.answers()[-1] == ("event", *DONE)
    bets = [record for record in pair.table.records() if record[0] == "event" and record[2][0] == "bet"]
    assert len(bets) == 1


def test_a_command_cut_off_by_the_power_is_answered_after_the_restart():
    pair = connected()
    pair.command("config", CONFIG)
    pair.command("event", ["open"])
    pair.host.link.command("dealer 1", "event", ["bet", 1, "P1", "main", 500])
    pair.table.link.receive(pair.host.say(pair.now), pair.now)
    pair.table.start("power")  # done and on flash, but never answered
    pair.run(6000)
    assert pair.host.answers()[-1] == ("event", *DONE)
    bets = [record for record in pair.table.records() if record[0] == "event" and record[2][0] == "bet"]
    assert len(bets) == 1


def betting():
    pair = connected()
    pair.command("config", CONFIG)
    pair.command("event", ["open"])
    return pair


def test_a_command_that_the_table_never_had_is_not_done_after_an_absence():
    pair = betting()
    bet = ["bet", 1, "P1", "main", 500]
    sent = pair.host.link.command("dealer 1", "event", bet)
    behind = pair.host.link.command("dealer 1", "event", ["close"])
    pair.host.say(pair.now)  # and this is lost, as is all that follows for a while
    pair.now += 60_000
    pair.table.say(pair.now)
    pair.host.say(pair.now)
    pair.host.hear(b"", pair.now)
    answered = [told.details for told in pair.host.told if told.what == "answer"]
    assert answered[-1] == (behind, *not_done(NOT_DONE)), "what was never sent cannot have been done"
    pair.run(3000)
    answered = [told.details for told in pair.host.told if told.what == "answer"]
    assert answered[-1] == (sent, *not_done(NOT_DONE))
    assert not pair.host.link.commands
    assert pair.table.recorder.round.state == "betting"
    assert not pair.table.recorder.round.bets
    assert pair.command("event", bet) == DONE, "decided again, it is done"


@pytest.mark.parametrize("ending", ["bye", "unplugged", "restart"])
def test_whatever_ends_the_session_a_command_that_did_not_arrive_is_not_done(ending):
    pair = betting()
    pair.host.link.command("dealer 1", "event", ["close"])
    pair.host.say(pair.now)
    if ending == "bye":
        pair.host.link.say_bye()
        pair.table.link.end_session("bye", pair.now)
    elif ending == "unplugged":
        pair.host.link.unplugged()
        pair.table.link.end_session("unplugged", pair.now)
    else:
        pair.table.start("power")
    pair.run(6000)
    assert pair.host.answers()[-1] == ("event", *not_done(NOT_DONE))
    assert ["event", 1, ["close"]] not in pair.table.records()


def test_a_table_whose_flash_was_wiped_does_not_do_what_the_one_before_was_told():
    pair = betting()
    pair.host.link.command("dealer 1", "event", ["close"])
    pair.host.say(pair.now)
    pair.table.storage = type(pair.table.storage)()
    pair.table.start("power")
    pair.host.log.lines.clear()  # and a new log for it
    pair.run(6000)
    assert pair.host.link.is_up
    assert pair.host.answers()[-1] == ("event", *not_done(NOT_DONE))


def test_a_command_for_a_table_that_is_away_is_answered_at_once():
    pair = betting()
    pair.host.link.unplugged()
    before = len(pair.host.answers())
    pair.host.link.command("dealer 1", "event", ["close"])
    pair.host.hear(b"", pair.now)
    assert pair.host.answers()[before:] == [("event", *not_done(NOT_DONE))]
    pair.run(6000)
    assert pair.host.link.is_up
    assert pair.table.recorder.round.state == "betting"


def test_versions_that_do_not_fit_open_no_round_and_say_which():
    other = "f" + RULES[1:]
    pair = connected()
    pair.command("config", CONFIG)
    pair.host.rules = other
    pair.host.start()
    pair.run(4500)
    assert ("mismatch", ("rules", RULES, other)) in [tuple(told) for told in pair.host.told]
    assert ["mismatch", "rules", RULES, other] in pair.table.records()
    assert not pair.host.link.is_up
    assert pair.table.recorder.apply(["open"]) == [["held", "mismatch"]]
    pair.host.rules = RULES
    pair.host.start()
    pair.run(4500)
    assert pair.command("event", ["open"]) == DONE


def test_a_log_that_is_not_this_table_s_history_is_refused():
    pair = connected()
    other = Pair("another")
    for word in range(40):
        other.table.recorder.apply(["nonsense", word])
    other.run(2000)
    pair.host.log.lines = other.host.log.lines  # same key, another history, and longer
    pair.host.start()
    pair.run(4000)
    assert [told.details[0] for told in pair.host.told if told.what == "mismatch"][-1] == "log_ends"
    pair.host.log.lines = other.host.log.lines[:2]  # as long as what is here, and different
    pair.host.start()
    pair.run(4000)
    assert not pair.host.link.is_up


def test_messages_of_a_newer_host_are_survived_and_recorded():
    from shared.journal.wire import encode

    pair = connected()
    pair.table.link.receive(encode(["dance", 1, 2]), pair.now)
    pair.table.link.receive(encode(["ack", "seven", 1, "0" * 24]), pair.now)
    pair.host.hear(encode(["sing", [1]]) + encode(["rec", 1, 2, 3, "0" * 24]), pair.now)
    records = pair.table.records()
    assert ["unknown", "dance"] in records
    assert ["denied", "ack", "field_undeclared", ["number"]] in records
    told = [tuple(told) for told in pair.host.told]
    assert ("unknown", ("sing",)) in told
    assert ("refused", ("rec", "field_undeclared", ["record"])) in told
    assert pair.command("config", CONFIG) == DONE
