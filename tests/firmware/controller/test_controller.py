"""Keys, chips, faults between rounds and the LED: what the table makes of them."""

from itertools import pairwise
from typing import Any

import pytest

from boards import full, small
from firmware.drivers.led import PATTERNS, StatusLed
from host.simulator.virtual_pico import Pin
from tests.support.firmware.table_bench import (
    CARDS,
    FAULTS,
    PAIRS,
    STEP_MS,
    Bench,
    Failing,
    hold_a_key,
    order,
    pull_the_cable,
    repair,
)
from tests.support.linked import DONE, not_done
from tests.support.tables import GAMES, LUCKY, POKER

# -- the dealer's keys


def test_a_round_by_keys_chips_and_the_shuffler():
    bench = Bench()
    bench.open_with_bets()
    assert bench.press("close")[:2] == [["event", 1, ["close"]], ["state", "closed", "3.2"]]
    bench.run_until(lambda: bench.round.state == "playing")
    assert bench.hands() == CARDS
    assert len(bench.shuffler.deck) == 52 - 9
    bench.press("reveal")
    bench.press("settle")
    assert bench.events() == [
        ["open"],
        ["bet", 1, "P1", "main", 500],
        ["bet", 2, "P2", "main", 500],
        ["close"],
        *(["card", card] for card in CARDS.split()),
        ["show", 1, "dealer"],
        ["show", 2, "dealer"],
        ["reveal"],
        ["settle"],
    ]
    # 19 % 10 = 9 with two pictures and 10 % 10 = 0, against the dealer's 18 % 10 = 8.
    assert [record[1:5] for record in bench.of_kind("line")] == [
        [1, "P1", "main", "win"],
        [2, "P2", "main", "lose"],
    ]
    assert bench.round.state == "settled"
    assert not bench.of_kind("fault", "sensed", "refused", "held")


@pytest.mark.parametrize("key", [name for name, _ in small.KEYS])
def test_a_key_at_the_wrong_time_is_refused_and_changes_nothing(key):
    bench = Bench()
    records = bench.press(key)
    if key == "open":
        assert records[-2:] == [["event", 1, ["open"]], ["state", "betting", "3.1"]]
    elif key == "supervisor":
        assert records == [["call", "pit_supervisor"]]
    else:
        assert [record[0] for record in records] == ["refused"]
        assert bench.round.state == "idle"


@pytest.mark.parametrize("key", [name for name, _ in small.KEYS if name != "supervisor"])
def test_a_table_without_a_configuration_says_so_at_every_key(key):
    bench = Bench(configured=False)
    bench.run(500)
    assert bench.press(key) == [["refused", ["malformed", key], None, "unconfigured", []]]


def test_the_host_can_call_for_somebody_as_the_key_does():
    bench = Bench()
    assert bench.command("call", "shift_manager") == DONE
    assert bench.of_kind("call") == [["call", "shift_manager"]]
    assert bench.command("call", "porter")[0] is False
    assert len(bench.of_kind("call")) == 1


def test_a_call_for_the_supervisor_is_recorded_at_any_time():
    bench = Bench(configured=False)
    bench.run(2000)
    assert bench.press("supervisor") == [["call", "pit_supervisor"]]
    bench = Bench()
    bench.open_with_bets()
    assert bench.press("supervisor") == [["call", "pit_supervisor"]]
    assert bench.round.state == "betting"
    bench.recorder.fault("reader_error", "")
    assert bench.press("supervisor") == [["call", "pit_supervisor"]]


def test_the_reveal_key_opens_hands_first_only_where_the_book_wants_that():
    bench = Bench(LUCKY)
    bench.open_with_bets()
    bench.press("close")
    bench.run_until(lambda: bench.round.state == "playing")
    assert bench.press("reveal")[0] == ["event", 1, ["reveal"]]


def test_the_exposed_key_names_the_card_that_came_last():
    bench = Bench()
    bench.open_with_bets()
    assert bench.press("exposed")[0] == ["refused", ["malformed", "turned"], None, "missing", ["card"]]
    bench.press("close")
    bench.run_until(lambda: bench.round.state == "playing")
    assert bench.press("exposed")[0] == ["event", 1, ["turned", "4H"]]


def test_a_card_that_was_refused_is_not_the_one_that_came_last():
    bench = Bench()
    bench.open_with_bets()
    bench.press("close")
    bench.run_until(lambda: bench.round.state == "playing")
    bench.press("reveal")
    bench.reader.passes("AH")
    bench.run(300)
    assert bench.of_kind("refused")[-1][1] == ["card", "AH"]
    assert bench.press("exposed")[0] == ["event", 1, ["turned", "4H"]]


def test_the_close_key_closes_betting_and_answers_only_which_cards_lie_open():
    bench = Bench()
    bench.open_with_bets()
    bench.tell("irregularity", "other")
    assert bench.press("close")[0][:2] == ["refused", ["close"]]


# -- a round without a bet


@pytest.mark.parametrize("game", GAMES)
def test_a_round_that_closes_without_a_bet_is_not_dealt_and_the_next_one_opens(game):
    bench = Bench(game)
    bench.press("open")
    bench.run(20_000)  # until the shuffler is ready
    bench.press("close")
    assert bench.round.state == "closed"
    bench.run(20_000)
    assert len(bench.shuffler.deck) == 52
    assert bench.controller.mood() == "idle"
    before = bench.last_number()
    bench.restart()
    assert [record[0] for record in bench.records(before + 1)] == ["boot"], "no round, no power failure"
    bench.run(3000)
    assert bench.press("open")[-1][:2] == ["state", "betting"]


def test_x_24_chips_that_nobody_told_are_counted_and_the_round_is_dealt():
    bench = Bench()
    bench.stack(CARDS)
    bench.press("open")
    bench.press("close")
    bench.run(1000)
    bench.tell("counted", 1, "P1", "main", 500, "pit_supervisor")
    bench.run_until(lambda: bench.round.state == "playing")
    assert bench.hands() == CARDS[: 6 * 3 - 1]
    assert len(bench.shuffler.deck) == 52 - 6


def test_an_empty_shuffler_asks_nothing_of_a_round_without_a_bet():
    bench = Bench()
    bench.press("open")
    bench.press("close")
    bench.shuffler.run_out()
    bench.run_until(lambda: bench.recorder.faults)
    assert bench.of_kind("ask", "void") == []
    assert ["cards_left", 0] not in bench.events()


# -- who clears a fault


@pytest.mark.parametrize(
    ("code", "post", "done"),
    [
        ("reader_error", "dealer", False),
        ("reader_error", "pit_supervisor", True),
        ("reader_error", "shift_manager", True),
        ("shuffler_jam", "dealer", True),
        ("shuffler_door", "dealer", True),
        ("shuffler_count", "dealer", False),
        ("card_count", "dealer", False),
    ],
)
def test_a_fault_is_cleared_by_the_post_that_the_table_names(code, post, done):
    bench = Bench()
    bench.recorder.fault(code, "")
    answer = DONE if done else not_done("post_too_low", "pit_supervisor")
    assert bench.command("clear", code, post) == answer
    assert bench.recorder.faults == ([] if done else [code])


def test_the_operator_may_let_dealers_clear_faults_and_a_restart_remembers_it():
    bench = Bench(posts={"faults": "dealer", "cards": "shift_manager"})
    bench.restart()
    bench.run(3000)
    assert bench.round.table.posts["cards"] == "shift_manager"
    bench.recorder.fault("reader_error", "")
    assert bench.command("clear", "reader_error", "dealer") == DONE


def deciding(order=PAIRS, *side_bets):
    """A poker table whose players decide next."""
    bench = Bench(POKER)
    bench.open_with_bets(order)
    for box, wager in side_bets:
        bench.tell("bet", box, f"P{box}", wager, 500)
    bench.press("close")
    bench.run_until(lambda: bench.round.state == "deciding")
    return bench


def test_play_and_fold_are_for_the_box_whose_turn_it_is():
    bench = deciding()
    assert bench.press("play")[:1] == [["event", 1, ["decide", 1, "play"]]]
    assert bench.press("fold") == [["event", 1, ["decide", 2, "fold"]]]
    assert bench.press("reveal")[0] == ["event", 1, ["reveal"]]


def test_nothing_is_revealed_before_all_have_decided():
    bench = deciding()
    bench.press("play")
    assert [record[0] for record in bench.press("reveal")] == ["refused"]


def test_a_fold_of_a_hand_that_pays_takes_a_second_press_within_three_seconds():
    bench = deciding(PAIRS, (1, "pair_plus"))
    refused = bench.press("fold")
    assert [record[:3] for record in refused] == [["refused", ["decide", 1, "fold"], "T-06"]]
    bench.run(2500)
    assert bench.press("fold") == [["event", 1, ["decide", 1, "fold", None, True]]]


def test_a_second_press_that_comes_later_is_a_first_one():
    bench = deciding(PAIRS, (1, "pair_plus"))
    bench.press("fold")
    bench.run(3000)
    assert bench.press("fold")[0][:3] == ["refused", ["decide", 1, "fold"], "T-06"]
    assert bench.press("fold") == [["event", 1, ["decide", 1, "fold", None, True]]]


def test_another_key_between_two_presses_takes_the_fold_back():
    bench = deciding(PAIRS, (1, "pair_plus"), (2, "pair_plus"))
    bench.press("fold")
    assert bench.press("play")[0] == ["event", 1, ["decide", 1, "play"]]
    assert bench.press("fold")[0][:3] == ["refused", ["decide", 2, "fold"], "T-06"]


def test_a_second_press_counts_for_the_box_of_the_first_only():
    bench = deciding(PAIRS, (1, "pair_plus"), (2, "pair_plus"))
    bench.press("fold")
    bench.tell("decide", 1, "play")  # meanwhile, from the host's page
    assert bench.press("fold")[0][:3] == ["refused", ["decide", 2, "fold"], "T-06"]


def test_a_fold_of_a_hand_that_pays_nothing_counts_at_once():
    bench = deciding("KS QD 9D 8C 8D 4C 5D 6H TC", (1, "pair_plus"))
    assert bench.press("fold") == [["event", 1, ["decide", 1, "fold"]]]


# -- chips


def test_closing_says_where_chips_lie_undeclared_and_where_declared_ones_are_missing():
    bench = Bench()
    bench.press("open")
    bench.tell("bet", 1, "P1", "main", 500)
    bench.tell("bet", 1, "P2", "main", 700)
    bench.tell("bet", 1, "P1", "tie", 300)
    bench.chip(1, 1)
    bench.chip(2, 2)
    assert bench.press("close")[:3] == [
        ["sensed", 1, "main", False, 1200],
        ["sensed", 2, "three_pictures", True, 0],
        ["event", 1, ["close"]],
    ]


def test_closing_says_nothing_where_sensors_and_bets_agree_and_only_at_closing():
    bench = Bench()
    bench.open_with_bets()
    bench.chip(2, 0, False)
    bench.chip(2, 0)
    bench.press("close")
    bench.chip(1, 0, False)
    bench.press("close")
    assert not bench.of_kind("sensed")


def test_the_spot_of_a_wager_that_is_made_by_deciding_is_not_compared():
    bench = Bench(POKER)
    bench.open_with_bets(PAIRS)
    bench.chip(1, 1)  # the play wager's spot
    assert bench.press("close")[0] == ["event", 1, ["close"]]


def test_a_table_without_sensors_has_nothing_to_compare():
    bench = Bench()
    bench.open_with_bets()
    hardware: Any = bench.table.hardware
    hardware.sensors = None
    assert bench.press("close")[0] == ["event", 1, ["close"]]


def test_where_amounts_are_known_a_chip_is_no_bet():
    bench = Bench()
    bench.press("open")
    assert bench.chip(1, 0) == []
    assert bench.round.bets == []


def test_where_amounts_are_not_known_a_chip_is_a_bet_and_its_going_takes_the_bet_back():
    bench = Bench(amounts=False)
    bench.press("open")
    assert bench.chip(1, 0) == [["event", 1, ["bet", 1, "box 1", "main"]]]
    assert bench.chip(2, 0) == [["event", 1, ["bet", 2, "box 2", "main"]]]
    assert bench.chip(2, 1) == [["event", 1, ["bet", 2, "box 2", "tie"]]]
    assert bench.chip(1, 0, False)[0] == ["event", 1, ["take_back", 1, "box 1", "main"]]
    bench.press("close")
    bench.run_until(lambda: bench.round.state == "playing")
    assert [bench.held(place) for place in (0, 1, 2)] == [3, 0, 3]
    assert not bench.of_kind("sensed")


def test_a_chip_laid_after_closing_is_refused_and_recorded():
    bench = Bench(amounts=False)
    bench.press("open")
    bench.chip(1, 0)
    bench.press("close")
    bench.chip(2, 0)
    assert [record[1:3] for record in bench.of_kind("refused")] == [[["bet", 2, "box 2", "main"], "5.5"]]


def test_chips_between_rounds_and_on_spots_without_a_wager_mean_nothing():
    bench = Bench(amounts=False, boxes=1)
    assert bench.chip(1, 0) == []
    assert bench.chip(1, 0, False) == []
    bench.press("open")
    assert bench.chip(1, 4) == []  # the book has three wagers
    assert bench.chip(2, 0) == []  # the table has one box


def test_chips_that_lay_there_before_the_round_opened_are_said_at_closing_and_are_no_bet():
    bench = Bench(amounts=False)
    bench.chip(2, 0)
    bench.press("open")
    bench.chip(1, 0)
    assert bench.press("close")[0] == ["sensed", 2, "main", True, None]
    assert [bet.box for bet in bench.round.bets] == [1]


# -- faults between rounds


@pytest.mark.parametrize(
    ("code", "cause", "detail"), FAULTS, ids=lambda part: part if isinstance(part, str) else ""
)
def test_a_fault_is_latched_holds_the_opening_with_advice_and_is_cleared_by_staff(code, cause, detail):
    bench = Bench(board=full)
    cause(bench)
    bench.run_until(lambda: code in bench.recorder.faults)
    assert bench.of_kind("fault")[-1] == ["fault", code, detail]
    bench.run(5000)
    assert bench.of_kind("fault").count(["fault", code, detail]) == 1, "said once, however long it lasts"
    repair(bench)
    assert code in bench.recorder.faults, "nothing but staff takes it away"
    for other in [other for other in bench.recorder.faults if other != code]:
        bench.clear(other)
    assert bench.press("open") == [["held", code]]
    assert bench.round.state == "idle"
    assert bench.command("event", "open") == not_done(code)
    assert bench.command("clear", code, "porter")[0] is False
    assert bench.command("clear", "no_such_fault", "pit_supervisor") == not_done("no_such_fault", "no_such_fault")
    assert bench.recorder.faults == [code]
    bench.clear(code)
    assert bench.of_kind("cleared")[-1] == ["cleared", code, "pit_supervisor"]
    assert bench.press("open")[-1] == ["state", "betting", "3.1"]


@pytest.mark.parametrize("device", ["shuffler", "reader"])
def test_a_device_that_is_still_silent_is_a_fault_again_three_seconds_after_clearing(device):
    bench = Bench()
    order(device, "silent")(bench)
    code = f"{device}_silent"
    for times in (1, 2, 3):
        bench.run_until(lambda: code in bench.recorder.faults, 4000)
        assert len(bench.of_kind("fault")) == times
        bench.run(500)
        bench.clear(code)
        assert code not in bench.recorder.faults
    bench.run_until(lambda: code in bench.recorder.faults, 4000)
    repair(bench)
    assert bench.records()[-1] == ["device", device, "BACK"]
    bench.clear(code)
    bench.run(10_000)
    assert bench.recorder.faults == []


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        ("sensors_unplugged", pull_the_cable),
        ("key_stuck", hold_a_key),
        ("shuffler_nonsense", order("shuffler", "noisy")),
        ("reader_nonsense", order("reader", "noisy")),
        ("shuffler_door", lambda bench: bench.shuffler.open_door()),
        ("shuffler_empty", lambda bench: bench.shuffler.run_out()),
    ],
)
def test_what_stays_wrong_comes_back_after_clearing(code, cause):
    bench = Bench(board=full)
    cause(bench)
    bench.run_until(lambda: code in bench.recorder.faults)
    bench.clear(code)
    bench.run(15_000)
    assert code in bench.recorder.faults


def test_a_silent_device_comes_back_though_another_fault_came_just_before_clearing():
    bench = Bench()
    bench.shuffler.faults.silent = True
    bench.run_until(lambda: "shuffler_silent" in bench.recorder.faults)
    hold_a_key(bench)
    bench.run_until(lambda: "key_stuck" in bench.recorder.faults)
    bench.clear("shuffler_silent")
    bench.run(4000)
    assert "shuffler_silent" in bench.recorder.faults


def test_several_faults_hold_the_table_until_all_are_cleared():
    bench = Bench()
    bench.shuffler.say("JAM")
    bench.reader.say("ERROR 7")
    bench.run(500)
    assert bench.press("open")[0][:2] == ["held", "shuffler_jam"]
    bench.clear("shuffler_jam")
    assert bench.press("open")[0][:2] == ["held", "reader_error"]
    bench.clear("reader_error")
    assert bench.press("open")[-1] == ["state", "betting", "3.1"]


def test_a_running_round_goes_on_to_its_end_though_a_key_is_stuck():
    bench = Bench()
    bench.open_with_bets()
    bench.press("close")
    bench.run_until(lambda: bench.round.state == "playing")
    hold_a_key(bench)
    bench.run(11_000)
    assert bench.recorder.faults == ["key_stuck"]
    bench.keys[3] = 1
    bench.run(100)
    bench.press("reveal")
    bench.press("settle")
    assert bench.round.state == "settled"
    assert bench.press("open") == [["held", "key_stuck"]]


def test_words_that_are_no_fault_are_recorded_and_hold_nothing():
    bench = Bench()
    bench.shuffler.say("DOOR SHUT")
    bench.reader.say("LAMP 93 PERCENT")
    bench.run(500)
    assert bench.records()[-2:] == [
        ["device", "shuffler", "DOOR SHUT"],
        ["device", "reader", "LAMP 93 PERCENT"],
    ]
    assert bench.press("open")[-1] == ["state", "betting", "3.1"]


def test_a_device_that_chatters_does_not_fill_the_journal():
    bench = Bench(linked=False)
    for _ in range(100):
        for _ in range(60):
            bench.shuffler.say("WARMING UP PLEASE WAIT")
        bench.run(60 * 2 * STEP_MS)
    assert bench.controller.stopped is None


# -- the LED


def flashes(led_at, milliseconds):
    """(how often it goes on, how long it is lit) in so many milliseconds."""
    levels = [led_at(now) for now in range(milliseconds)]
    return sum(one > before for before, one in zip([0] + levels, levels)), sum(levels)


@pytest.mark.parametrize(
    ("mood", "in_two_seconds"),
    [("fault", (7, 2 * 166 * 3 + 2)), ("no_link", (4, 320)), ("round", (1, 2000)), ("idle", (1, 80))],
)
def test_led_patterns(mood, in_two_seconds):
    pin = Pin()
    led = StatusLed(pin)

    def led_at(now):
        led.show(mood, now)
        return pin.value()

    assert flashes(led_at, 2000) == in_two_seconds


def test_every_pattern_differs_and_none_flashes_more_than_three_times_a_second():
    assert len(set(PATTERNS.values())) == len(PATTERNS) == 4
    assert all(1000 // period * len(lit) <= 3 for period, lit in PATTERNS.values())


def lit_in(bench, milliseconds):
    """How often the LED goes on and for how long, looked at every 10 ms."""
    pin = bench.table.hardware.led.pin
    levels = []
    for _ in range(0, milliseconds, STEP_MS):
        bench.step()
        levels.append(pin.value())
    return sum(one > before for before, one in pairwise(levels)), sum(levels) * STEP_MS


def test_the_led_shows_how_the_table_stands():
    bench = Bench(linked=False)
    assert lit_in(bench, 4000)[0] in (7, 8), "no link: two a second"
    bench.linked = True
    bench.run(1500)
    assert lit_in(bench, 4000) == (2, 160), "between rounds: one in two seconds"
    bench.open_with_bets()
    assert lit_in(bench, 4000) == (0, 4000), "in a round: on"
    bench.recorder.fault("reader_error", "")
    often, lit = lit_in(bench, 4000)
    assert often in (11, 12), "fault: three a second"
    assert 1900 <= lit <= 2100


def test_the_led_shows_a_fault_when_the_table_has_stopped():
    storage = Failing()
    bench = Bench(storage=storage, linked=False)
    storage.fails = True
    bench.touch("open")
    assert lit_in(bench, 4000)[0] in (11, 12)
