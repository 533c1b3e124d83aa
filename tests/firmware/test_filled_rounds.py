"""A journal filled in the middle of a round by everything that can talk: staff can end the round all the same."""

import random
from copy import deepcopy

import pytest

from firmware.recorder import _MOST_LATE, Recorder
from shared.journal.journal import Journal
from shared.journal.replay import Replay
from shared.round.bets import _MOST_BETS
from tests.support.firmware.table_bench import MAIN, Bench
from tests.support.linked import not_done
from tests.support.tables import GAMES, LUCKY, MBS, ROYAL

pytestmark = pytest.mark.slow

QUIET = 400  # things that happen one after the other and leave no record: there is no room for any of them


# -- everything that can talk, but for what ends a round


def reader_talks(bench, dice):
    card = dice.choice(("KS", "KS", "9D", "2C", "XX", "2H"))
    return bench.controller.happened(
        "reader",
        dice.choice(
            (
                ("card", card, dice.random() < 0.2),
                ("card", card, False),
                ("card", "??", False),
                ("fault", "reader_error", "7 LAMP"),
                ("note", "HUMS"),
            )
        ),
        bench.now,
    )


def shuffler_talks(bench, dice):
    said = (
        ("ready", 52),
        ("count", 52),
        ("dealt", 3),
        ("faceup",),
        ("fault", "shuffler_jam", "AT THE EXIT"),
        ("fault", "shuffler_door", ""),
        ("note", "DOOR SHUT"),
    )
    bench.controller.happened("shuffler", dice.choice(said), bench.now)


def chips_move(bench, dice):
    bench.controller.chips(dice.randint(1, 2), dice.randrange(3), dice.random() < 0.5, bench.now)


def keys_are_pressed(bench, dice):
    keys = ("open", "supervisor", "exposed", "play", "reveal") if dice.random() < 0.9 else ("close",)
    bench.controller.press(dice.choice(keys), bench.now)


def host_talks(bench, dice):
    main = MAIN[bench.round.book.ID]
    player = f"A player with quite a long name {dice.randrange(4)}"
    box = dice.randint(1, 2)
    money = [500] if bench.round.table.amounts else []
    events = (
        ["bet", box, player, main, *money],
        ["bet", box, "P1", main, *money],
        ["take_back", box, "P1", main, 100],
        ["seat", box, player, True],
        ["counted", box, "P1", main, dice.choice((500, 700)), "pit_supervisor"],
        ["look", box, "P1"],
        ["handled", box],
        ["card", "KS"],
        ["entered", dice.choice(("KS", "QQ", "3H")), "pit_supervisor", dice.choice((None, 0, box))],
        ["lies", dice.choice(("KS", "??", "9D")), "pit_supervisor", dice.choice((None, 0, box)), box],
        ["chips_gone", box, "P1", main, *dice.choice(([], [100] if money else []))],
        ["all_told"],
        ["misread"],
        ["cards_left", 52],
        ["cards_counted", 52, "dealer"],
        ["turned", dice.choice(("KS", "9D")), None, dice.choice((None, box))],
        ["irregularity", "other", None, None, None, "dealer"],
        ["irregularity", "technical", None, None, None, "dealer"],
        ["irregularity", "other", None, None, None, "dealer", "Of an earlier round", 1],
        ["irregularity", "left", None, "P1"],
        ["restrict", 1, player, "pit_manager"],
        ["power_failure"],
        ["choices_done"],
        ["ruling", "continue", "shift_manager"],
        ["ruling", "continue", "pit_manager"],
        ["open"],
        ["nonsense", "x" * 100],
    )
    name, arguments = dice.choice(
        (
            ("call", ["pit_supervisor"]),
            ("config", [["game", MBS], ["boxes", 2]]),
            ("dance", []),
            ("clear", [dice.choice([*bench.recorder.faults, "key_stuck"]), "pit_supervisor"]),
            *(("event", event) for event in events),
        )
    )
    recorder = bench.recorder
    recorder.command(recorder.last_command + 1, "staff", name, arguments)


TALKERS = (reader_talks, shuffler_talks, chips_move, keys_are_pressed, host_talks, host_talks)


def keep_it_going(recorder):
    """Hold what would end the round by the rules, so that it can be filled."""
    caused_by = recorder.caused_by

    def caused_unless_it_ends(event):
        round_ = recorder.round
        trial = deepcopy(round_, {id(round_.book): round_.book, id(round_.table): round_.table})
        trial.apply(event)
        return ([], [["held", "test"]]) if trial.is_over() else caused_by(event)

    recorder.caused_by = caused_unless_it_ends


def fill(bench, dice, acknowledged):
    """Until nothing of all this leaves a record any more."""
    keep_it_going(bench.recorder)
    quiet = 0
    while quiet < QUIET:
        before = bench.last_number()
        bench.now += 300
        bench.recorder.now = bench.now
        dice.choice(TALKERS)(bench, dice)
        bench.controller.deal_late_cards()
        if acknowledged:
            bench.recorder.journal.acknowledge(bench.last_number())
        quiet = quiet + 1 if bench.last_number() == before else 0
        assert not bench.round.is_over()


def replayed(bench):
    """What the host makes of the lines that are there: every one must be what must come there."""
    replay = Replay()
    for record in bench.records(bench.recorder.journal.whole):
        assert replay.take(record) is None
    return replay


def staff_end_the_round(bench):
    """As staff would, from wherever the round stands; some books void it for a power failure."""
    manager = "shift_manager"
    for _ in range(5):
        if bench.round.is_over():
            return
        if bench.round.state != "frozen":
            bench.tell("irregularity", "other")
        elif bench.round.question.kind == "tell":
            bench.tell("all_told")
        elif bench.round.question.kind == "choose":
            bench.tell("choices_done")
        elif bench.round.question.kind == "order":
            bench.tell("ruling", "order", manager, None, "as they lie")
        else:
            bench.tell("ruling", "void", manager)


@pytest.mark.parametrize(("amounts", "acknowledged"), [(True, True), (False, False)])
@pytest.mark.parametrize("game", GAMES)
def test_a_round_that_filled_the_journal_is_voided_and_the_next_one_opens(game, amounts, acknowledged):
    dice = random.Random(f"{game} {amounts}")
    bench = Bench(game, amounts=amounts)
    money = [500] if amounts else []
    bench.linked = acknowledged
    bench.press("open")
    for box in (1, 2):
        assert bench.recorder.apply(["bet", box, f"P{box}", MAIN[game], *money])[0][0] == "event"
    fill(bench, dice, acknowledged)
    assert bench.controller.stopped is None
    assert bench.recorder.room() < 0
    bench.restart()
    last = bench.last_number()
    for _ in range(3):
        bench.restart()
    assert bench.last_number() == last, "starts without anything between them fill nothing"
    bench.linked = True
    bench.run(3000)
    staff_end_the_round(bench)
    assert bench.round.is_over()
    bench.run(30_000)
    for code in list(bench.recorder.faults):
        bench.clear(code)
    assert bench.press("open")[-1][:2] == ["state", "betting"]
    replayed(bench)
    assert bench.host.log.end().number == bench.last_number()


@pytest.mark.parametrize("game", [LUCKY, MBS])
def test_so_many_bets_that_the_journal_is_filled_can_all_go_back(game):
    bench = Bench(game)
    bench.press("open")
    recorder = bench.recorder
    while recorder.room() > 100 * 1024:
        recorder.keep([["device", "reader", "x" * 100]])
    done, code, number = True, "", 0
    while done:
        number += 1
        bet = ["bet", 1 + number % 2, f"{'N' * 36}{number:04}", MAIN[game], 500]
        done, code, *_ = recorder.command(recorder.last_command + 1, "staff", "event", bet)
        recorder.journal.acknowledge(bench.last_number())
    assert code == "journal_tight"
    assert 70 < number <= _MOST_BETS
    bench.restart()
    bench.run(1000)
    staff_end_the_round(bench)
    bench.run(20_000)
    returned = [record for record in bench.host.log.records() if record[0] == "refund"]
    assert len(returned) == number - 1
    assert bench.press("open")[-1][:2] == ["state", "betting"]


@pytest.mark.parametrize("game", GAMES)
def test_a_round_that_filled_the_journal_can_be_finished_as_it_stands(game):
    """With forty bets by long names, all of them recorded to the end."""
    bench = Bench(game)
    bench.open_with_bets(cents=1000)
    if not bench.round.book.PROCEDURE.one_player_a_box:
        for number in range(40):
            recorder = bench.recorder
            recorder.apply(["bet", 1 + number % 2, f"{'N' * 37}{number:03}", MAIN[game], 1000])
    bets = len(bench.round.bets)
    while bench.recorder.room() >= 0:
        bench.recorder.keep([["device", "reader", "x" * 100]])
        bench.recorder.journal.acknowledge(bench.last_number())
    bench.press("close")
    bench.run_until(lambda: bench.round.state in ("playing", "deciding"))
    for box in (1, 2):
        if bench.round.state == "deciding":
            bench.tell("decide", box, "fold", None, True)
        else:
            bench.tell("show", box)
    assert bench.command("event", "cards_counted", 52, "dealer") == not_done("journal_tight")
    bench.tell("reveal")
    bench.tell("settle")
    bench.run(10_000)
    lines = [record for record in bench.host.log.records() if record[0] in ("line", "debt")]
    assert len(lines) == bets
    assert bench.press("open")[-1][:2] == ["state", "betting"]


def test_a_reader_that_repeats_a_card_while_the_round_waits_fills_nothing():
    bench = Bench()
    bench.open_with_bets()
    bench.press("close")
    bench.run_until(lambda: bench.held(1) == 3)
    bench.tell("irregularity", "other")
    for _ in range(7000):
        bench.controller.happened("reader", ("card", "KS", False), bench.now)
    assert len(bench.of_kind("late")) == len(bench.recorder.late) == _MOST_LATE
    faults = [record for record in bench.of_kind("fault") if record[1] == "reader_error"]
    assert faults == [["fault", "reader_error", "late 52"]]
    bench.restart()
    assert len(bench.recorder.late) == _MOST_LATE
    bench.run(2000)  # until the host has joined it again
    bench.tell("ruling", "void", "shift_manager")
    assert bench.round.state == "void"


def test_a_round_with_little_to_spare_takes_no_more_bets_and_says_what_to_do():
    bench = Bench()
    bench.open_with_bets()
    while not bench.recorder.is_tight():
        bench.recorder.keep([["device", "reader", "x" * 100]])
    before = bench.last_number()
    assert bench.command("event", "bet", 1, "P9", "main", 500) == not_done("journal_tight")
    assert bench.command("call", "pit_supervisor") == not_done("journal_tight")
    assert bench.press("supervisor") == []
    assert bench.last_number() == before
    bench.tell("take_back", 2, "P2", "main", 100)
    assert bench.press("close")[0] == ["event", 1, ["close"]]


# -- a long round takes long to replay


@pytest.mark.parametrize("game", [LUCKY, ROYAL])
def test_the_watchdog_is_fed_at_every_record_of_a_long_replay(game):
    bench = Bench(game)
    bench.open_with_bets()
    for _ in range(500):
        bench.recorder.apply(["seat", 1, "P1", True])
    journal = bench.recorder.journal
    fed = []
    again = Journal(bench.table.storage, bench.table.sealer, "T1", later=True, feed=lambda: fed.append("opening"))
    opened = len(fed)
    assert opened >= journal.last - journal.first_in_newest + 1
    Recorder(again, "power", bench.table.random, bench.table.identity.rules)
    assert len(fed) - opened >= journal.chain.number - journal.whole
