"""Bet sensors at the close, whoever closes, and after it: what they say changes no bet any more."""

from types import SimpleNamespace

import pytest

from boards import small
from shared.journal.replay import Replay
from shared.journal.snapshot import plain_config
from tests.support.firmware.table_bench import MAIN, Bench
from tests.support.linked import not_done
from tests.support.tables import GAMES, LUCKY, MBS, NON_COMMISSION, ROYAL

THREE_PICTURES = [LUCKY, MBS, NON_COMMISSION, ROYAL]


def close(bench, by):
    """The records of a closing by the dealer's key or by the host, without times."""
    before = bench.last_number()
    if by == "key":
        bench.press("close")
    else:
        bench.tell("close")
    return [record for record in bench.records(before + 1) if record[0] != "clock"]


def closed_without_amounts(game):
    """A chip on each box's main wager is all that is known, and no more bets."""
    bench = Bench(game, amounts=False)
    bench.press("open")
    bench.chip(1, 0)
    bench.chip(2, 0)
    bench.press("close")
    return bench


def finish(bench):
    bench.run_until(lambda: bench.round.state == "playing")
    bench.press("reveal")
    bench.press("settle")
    assert bench.round.state == "settled"


# -- at the close


@pytest.mark.parametrize("by", ["key", "host"])
def test_chips_that_disagree_are_said_before_the_closing_whoever_closes(by):
    bench = Bench()
    bench.press("open")
    bench.tell("bet", 1, "P1", "main", 500)
    bench.chip(2, 2)
    records = [record for record in close(bench, by) if record[0] in ("sensed", "event")]
    assert records == [
        ["sensed", 1, "main", False, 500],
        ["sensed", 2, "three_pictures", True, 0],
        ["event", 1, ["close"]],
    ]
    assert [alarm for alarm in map(Replay().take, bench.records()) if alarm] == []


@pytest.mark.parametrize("by", ["key", "host"])
def test_chips_that_agree_are_not_said(by):
    bench = Bench()
    bench.open_with_bets()
    close(bench, by)
    assert bench.of_kind("sensed") == []


@pytest.mark.parametrize("event", [["close"], ["close", 5], {"event": "close", "box": 1}])
def test_a_closing_that_is_refused_says_nothing_of_chips(event):
    bench = Bench()
    bench.chip(1, 0)
    assert bench.recorder.command(2, "staff", "event", event)[0] is False
    assert bench.of_kind("sensed") == []


def test_a_closing_by_the_host_stands_after_a_power_cut_with_what_was_sensed():
    bench = Bench()
    bench.open_with_bets()
    bench.chip(1, 0, False)
    bench.tell("close")
    bench.restart()
    assert bench.of_kind("sensed") == [["sensed", 1, "main", False, 500]]
    assert bench.round.number == 1
    assert ["close"] in bench.events()


# -- after it


@pytest.mark.parametrize("game", THREE_PICTURES)
def test_a_sensor_that_drops_out_after_the_close_makes_no_debt(game):
    bench = closed_without_amounts(game)
    bench.chip(1, 0, False)
    bench.chip(1, 0)
    finish(bench)
    assert bench.of_kind("stands", "debt", "refused", "kept") == []
    assert [bet.gone for bet in bench.round.bets] == [0, 0]
    assert [record for record in bench.of_kind("device") if record[1] == "layout"] == [
        ["device", "layout", f"box 1 {MAIN[game]} gone"],
        ["device", "layout", f"box 1 {MAIN[game]} back"],
    ]


@pytest.mark.parametrize("game", [MBS, ROYAL])
def test_a_late_take_back_is_what_staff_report(game):
    bench = closed_without_amounts(game)
    bench.chip(1, 0, False)
    bench.tell("take_back", 1, "box 1", MAIN[game])
    assert [record[1:4] for record in bench.of_kind("stands")] == [[1, "box 1", MAIN[game]]]


@pytest.mark.parametrize("game", GAMES)
def test_a_chip_laid_late_where_nothing_was_bet_is_refused_and_its_going_is_told(game):
    bench = Bench(game, amounts=False)
    bench.press("open")
    bench.chip(1, 0)
    bench.press("close")
    bench.chip(2, 0)
    assert [record[1] for record in bench.of_kind("refused")] == [["bet", 2, "box 2", MAIN[game]]]
    assert ["device", "layout", f"box 2 {MAIN[game]} gone"] in bench.chip(2, 0, False)
    assert len(bench.of_kind("refused")) == 1
    assert [bet.box for bet in bench.round.bets] == [1]


def test_while_the_round_waits_in_the_middle_of_betting_no_bet_comes_or_goes():
    bench = Bench(amounts=False)
    bench.press("open")
    bench.chip(1, 0)
    bench.tell("irregularity", "technical")
    assert bench.round.state == "frozen"
    assert bench.chip(1, 0, False) == [["device", "layout", "box 1 main gone"]]
    assert bench.chip(2, 0)[0][:2] == ["refused", ["bet", 2, "box 2", "main"]]
    bench.tell("ruling", "continue", "shift_manager")
    bench.press("close")
    assert bench.of_kind("sensed") == [["sensed", 1, "main", False, None], ["sensed", 2, "main", True, None]]


def test_a_sensor_that_comes_and_goes_for_long_does_not_fill_the_journal():
    bench = closed_without_amounts(MBS)
    bench.run_until(lambda: bench.round.state == "playing")
    for _ in range(100):
        bench.chip(1, 0, False)
        bench.chip(1, 0)
    told = [record for record in bench.of_kind("device") if record[1] == "layout"]
    lost = sum(record[1] for record in bench.of_kind("quiet")) + bench.recorder.notes_lost
    assert 10 <= len(told) <= 25
    assert len(told) + lost <= 20
    assert bench.recorder.faults == ["sensor_unsteady"], "and then it says no more"


@pytest.mark.parametrize(("room", "said"), [(4096, True), (4095, False)])
def test_chips_that_disagree_are_said_or_counted_though_the_journal_has_little_room(monkeypatch, room, said):
    bench = Bench()
    bench.open_with_bets()
    bench.chip(1, 0, False)
    before = bench.recorder.notes_lost
    monkeypatch.setattr(bench.recorder, "room", lambda: room)
    assert (bench.press("close")[0][0] == "sensed") is said
    assert bench.recorder.notes_lost - before == (0 if said else 1)
    assert bench.round.state == "closed"


@pytest.mark.parametrize(
    ("config", "detail"),
    [
        ({"game": MBS, "boxes": 3}, ["boxes", 2]),
        ({"game": LUCKY, "boxes": 2}, ["game", 4]),
    ],
)
def test_a_configuration_that_the_board_s_sensors_do_not_serve_is_refused(config, detail):
    four_a_box = {"SPOTS": 4, "SENSORS": tuple(pins[:4] for pins in small.SENSORS)}
    bench = Bench(board=SimpleNamespace(**vars(small) | four_a_box))
    assert bench.command("config", *plain_config(config)) == not_done("too_few_sensors", *detail)
    assert (bench.round.book.ID, bench.round.table.boxes) == (MBS, 2)
