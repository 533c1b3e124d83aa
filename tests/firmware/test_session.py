"""Table and host on a good wire: greeting, records, commands, heartbeat, time, and starting again."""

from shared.standing import plain_config
from tests.linked import NOON, RULES, Pair
from tests.tables import MBS

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
    assert pair.command("event", ["open"]) == (False, "The table has no configuration. Send one from the host.")
    assert pair.command("config", CONFIG) == (True, "")
    for event in (["open"], ["bet", 1, "P1", "main", 500], ["close"]):
        assert pair.command("event", event) == (True, "")
    done, why = pair.command("event", ["bet", 1, "P1", "main", 500])
    assert (done, why[:15]) == (False, "bets are closed")
    assert pair.command("config", CONFIG) == (
        False,
        "a round is running; a new configuration waits for its end",
    )
    assert pair.command("dance", []) == (False, "no such command dance")
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
    assert ["boot", "watchdog", 0] in records
    assert ["event", 1, ["power_failure"]] in records


def test_a_host_that_starts_again_gets_the_rest_and_goes_on_with_command_numbers():
    pair = connected()
    pair.command("config", CONFIG)
    pair.host.start()
    pair.run(1000)
    assert pair.command("event", ["open"]) == (True, "")
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
    assert pair.host.answers()[-1] == ("event", True, "")
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
    assert pair.host.answers()[-1] == ("event", True, "")
    bets = [record for record in pair.table.records() if record[0] == "event" and record[2][0] == "bet"]
    assert len(bets) == 1


def test_versions_that_do_not_fit_open_no_round_and_say_which():
    other = "f" + RULES[1:]
    pair = connected()
    pair.command("config", CONFIG)
    pair.host.identity = pair.host.identity._replace(rules=other)
    pair.host.start()
    pair.run(4500)
    assert ("mismatch", ("rules", RULES, other)) in [tuple(told) for told in pair.host.told]
    assert ["mismatch", "rules", RULES, other] in pair.table.records()
    assert not pair.host.link.is_up
    assert pair.table.recorder.apply(["open"]) == [
        ["held", "mismatch", "Table and host run different versions. Update the older one."]
    ]
    pair.host.identity = pair.host.identity._replace(rules=RULES)
    pair.host.start()
    pair.run(4500)
    assert pair.command("event", ["open"]) == (True, "")


def test_a_log_that_is_not_this_table_s_history_is_refused():
    pair = connected()
    other = Pair("another")
    for word in range(40):
        other.table.recorder.apply(["nonsense", word])
    other.run(2000)
    pair.host.log.lines = other.host.log.lines  # same key, another history, and longer
    pair.host.start()
    pair.run(4000)
    assert [told.details[0] for told in pair.host.told if told.what == "mismatch"][-1] == "log"
    pair.host.log.lines = other.host.log.lines[:2]  # as long as what is here, and different
    pair.host.start()
    pair.run(4000)
    assert not pair.host.link.is_up


def test_messages_of_a_newer_host_are_survived_and_recorded():
    from shared.wire import encode

    pair = connected()
    pair.table.link.receive(encode(["dance", 1, 2]), pair.now)
    pair.table.link.receive(encode(["ack", "seven", 1, "0" * 24]), pair.now)
    pair.host.hear(encode(["sing", [1]]) + encode(["rec", 1, 2, 3, "0" * 24]), pair.now)
    records = pair.table.records()
    assert ["unknown", "dance"] in records
    assert ["denied", "ack", "number: expected a whole number from 0 to 1073741823"] in records
    told = [tuple(told) for told in pair.host.told]
    assert ("unknown", ("sing",)) in told
    assert ("refused", ("rec", "record: expected a list")) in told
    assert pair.command("config", CONFIG) == (True, "")
