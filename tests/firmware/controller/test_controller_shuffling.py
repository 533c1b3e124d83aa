"""The deck is shuffled for every round; a board without a device that is configured says so."""

from types import SimpleNamespace

import pytest

from boards import small
from host.pico.flash_image import ERASE
from host.simulator.devices import Shuffler
from shared.journal.journal import _READY, SEGMENTS
from shared.journal.ring import _DIRTY, _EMPTY
from shared.journal.snapshot import plain_config
from tests.shared.journal.test_ring import bare_ring
from tests.support.firmware.table_bench import CARDS, Bench, finish_deal, repair
from tests.support.linked import DONE
from tests.support.tables import GAMES, LUCKY, MBS


def test_the_deck_is_shuffled_for_every_round_and_no_card_is_dealt_before(monkeypatch):
    bench = Bench()
    asked = []
    obey = bench.shuffler.obey

    def slow(words, now):
        asked.append(words)
        if words != ["SHUFFLE"]:
            obey(words, now)

    monkeypatch.setattr(bench.shuffler, "obey", slow)
    bench.open_with_bets()
    bench.press("close")
    bench.run(60_000)
    assert asked == [["SHUFFLE"]], "asked once, and nothing is dealt"
    assert bench.round.state == "closed"
    bench.shuffler.say("READY 52")
    bench.run_until(lambda: bench.round.state == "playing")
    assert asked[1:] == [["DEAL", "3"]] * 3
    bench.press("reveal")
    bench.press("settle")
    assert asked[4:] == []
    bench.press("open")
    assert asked[4:] == [["SHUFFLE"]]


def test_a_shuffler_that_does_not_shuffle_is_late_after_two_minutes(monkeypatch):
    bench = Bench()
    monkeypatch.setattr(bench.shuffler, "obey", lambda words, now: None)
    bench.press("open")
    bench.run(119_000)
    assert bench.recorder.faults == []
    bench.run(2_000)
    assert bench.of_kind("fault") == [["fault", "shuffler_late", "asked to shuffle"]]


def test_a_jam_in_shuffling_has_it_shuffle_again():
    bench = Bench()
    bench.shuffler.jammed = True
    bench.press("open")
    bench.run_until(lambda: "shuffler_jam" in bench.recorder.faults)
    bench.shuffler.free()
    bench.shuffler.first = CARDS.split()
    bench.clear("shuffler_jam")
    bench.run(1000)
    for box in (1, 2):
        bench.tell("bet", box, f"P{box}", "main", 500)
    bench.press("close")
    finish_deal(bench)
    assert bench.hands() == CARDS


def test_after_a_power_cut_before_the_first_card_the_deck_is_shuffled_again():
    bench = Bench()
    bench.press("open")
    bench.run(1000)
    bench.shuffler.deck = ["KS"]
    bench.restart()
    bench.run(1000)
    bench.tell("ruling", "continue", "shift_manager")  # M-19
    bench.run(1000)
    assert len(bench.shuffler.deck) == 52


# -- the deck is not whole


def bet_and_close(bench):
    for box in (1, 2):
        bench.tell("bet", box, f"P{box}", bench.round.book.WAGERS[0].name, 500)
    bench.press("close")


def counted(bench):
    return [event for event in bench.events() if event[0] in ("cards_counted", "cards_left")]


@pytest.mark.parametrize("said", ["COUNT 51", "READY 51", "COUNT 53"])
@pytest.mark.parametrize("game", GAMES)
def test_a_deck_that_is_not_whole_is_put_right_and_shuffled_again_before_a_card_is_dealt(game, said):
    bench = Bench(game)
    bench.stack(CARDS)
    asked = []
    obey = bench.shuffler.obey

    def short(words, now):
        asked.append(words)
        if asked == [["SHUFFLE"]]:
            bench.shuffler.say(said)
        else:
            obey(words, now)

    bench.shuffler.obey = short
    bench.press("open")
    bench.run(500)
    assert bench.of_kind("fault") == [["fault", "shuffler_count", said.split()[1]]]
    bet_and_close(bench)
    bench.run(20_000)
    assert asked == [["SHUFFLE"]], "nothing is dealt from that deck"
    assert bench.round.state == "closed"
    bench.clear("shuffler_count")
    bench.run(100)
    assert asked[:2] == [["SHUFFLE"]] * 2
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert counted(bench) == [["cards_left", 52]], "of the deck that was put right"
    assert not [record for record in bench.of_kind("refused") if record[1][0].startswith("cards")]


def test_a_deck_that_is_still_short_after_clearing_is_found_short_again():
    bench = Bench()
    bench.stack(CARDS)
    bench.shuffler.faults.short_deck = True
    bench.press("open")
    bet_and_close(bench)
    for _ in range(3):
        bench.run_until(lambda: bench.recorder.faults == ["shuffler_count"])
        bench.clear("shuffler_count")
    bench.run_until(lambda: bench.recorder.faults == ["shuffler_count"])
    assert bench.hands() == ""
    repair(bench)
    bench.clear("shuffler_count")
    finish_deal(bench)
    assert bench.hands() == CARDS


def test_a_right_count_that_came_before_clearing_is_not_that_of_the_deck_put_right():
    bench = Bench()
    bench.shuffler.say("COUNT 51")
    bench.press("open")
    bench.run(500)
    bench.clear("shuffler_count")
    obey = bench.shuffler.obey
    bench.shuffler.obey = lambda words, now: bench.shuffler.say("COUNT 51")
    bench.press("open")
    bench.run(500)
    bench.shuffler.say("READY 52")
    bench.run(500)
    bench.shuffler.deck = []
    bench.shuffler.obey = obey
    bench.clear("shuffler_count")
    bench.run(500)
    assert len(bench.shuffler.deck) == 52, "it was told to shuffle again"


def test_a_count_between_rounds_holds_the_next_one():
    bench = Bench()
    bench.shuffler.say("COUNT 51")
    bench.run(500)
    assert bench.press("open") == [["held", "shuffler_count"]]


def test_a_count_while_the_round_waits_before_its_first_card_is_a_fault():
    bench = Bench()
    bench.open_with_bets()
    bench.tell("irregularity", "technical")
    bench.shuffler.say("COUNT 51")
    bench.run(500)
    assert bench.recorder.faults == ["shuffler_count"]
    bench.clear("shuffler_count")
    bench.tell("ruling", "continue", "shift_manager")
    bench.press("close")
    finish_deal(bench)
    assert bench.hands() == CARDS


def test_staff_may_have_the_round_void_by_its_book_instead():
    bench = Bench(LUCKY)
    bench.shuffler.faults.short_deck = True
    bench.press("open")
    bench.run(500)
    assert bench.recorder.faults == ["shuffler_count"]
    bench.tell("irregularity", "deck_count")
    assert bench.of_kind("void") == [["void", "5.5.2", "X-07"]]


@pytest.mark.parametrize("asked", [False, True])
def test_once_the_deal_has_begun_a_count_is_a_matter_of_the_book(asked):
    """Also when cards were asked for and none is out yet: the first may be on its way."""
    bench = Bench(LUCKY)
    bench.open_with_bets()
    bench.press("close")
    if asked:
        assert bench.controller.dealing.asked
        assert bench.hands() == ""
    else:
        bench.run_until(lambda: bench.held(1) == 1)
    bench.shuffler.say("COUNT 51")
    bench.run_until(lambda: bench.round.state == "void")
    assert counted(bench) == [["cards_counted", 51]]
    assert bench.of_kind("void") == [["void", "5.5.2", "X-07"]]


# -- what stays wrong


@pytest.mark.parametrize(
    ("wrong", "right", "code"),
    [
        ("DOOR OPEN", "DOOR SHUT", "shuffler_door"),
        ("DOOR OPEN", "HELLO", "shuffler_door"),
        ("EMPTY", "READY 52", "shuffler_empty"),
        ("EMPTY", "DEALT 3", "shuffler_empty"),
    ],
)
def test_what_the_shuffler_said_holds_until_it_says_otherwise(wrong, right, code):
    bench = Bench()
    bench.shuffler.say(wrong)
    bench.run(500)
    for times in (1, 2, 3):
        assert bench.recorder.faults == [code]
        assert len(bench.of_kind("fault")) == times
        bench.clear(code)
        bench.run(100)
    bench.shuffler.say(right)
    bench.run(500)
    bench.clear(code)
    bench.run(5000)
    assert bench.recorder.faults == []


def test_a_board_without_the_devices_that_are_configured_says_so():
    board = SimpleNamespace(**{name: getattr(small, name) for name in dir(small) if name.isupper()})
    board.SHUFFLER = board.READER = None
    bench = Bench(board=board)
    assert bench.of_kind("fault") == [
        ["fault", "shuffler_silent", "absent"],
        ["fault", "reader_silent", "absent"],
    ]
    for _ in range(2):
        for code in ("shuffler_silent", "reader_silent"):
            bench.clear(code)
            bench.run(100)
        assert sorted(bench.recorder.faults) == ["reader_silent", "shuffler_silent"], "it has none still"


def test_a_round_that_opens_in_the_very_pass_in_which_the_last_one_ended_is_shuffled_for():
    bench = Bench()
    bench.open_with_bets()
    bench.press("close")
    finish_deal(bench)
    bench.press("reveal")
    shuffled = bench.controller.dealing.shuffled_for
    assert shuffled == bench.round.number
    bench.recorder.apply(["settle"])
    bench.recorder.apply(["open"])  # before the loop has looked
    bench.shuffler.deck = ["KS"]
    bench.run(1000)
    assert len(bench.shuffler.deck) == 52


@pytest.mark.parametrize("how", ["restart", "configuration"])
@pytest.mark.parametrize(
    ("wrong", "code"), [(Shuffler.open_door, "shuffler_door"), (Shuffler.run_out, "shuffler_empty")]
)
def test_what_is_still_wrong_with_the_shuffler_comes_back_also_after(wrong, code, how):
    bench = Bench()
    wrong(bench.shuffler)
    bench.run_until(lambda: code in bench.recorder.faults)
    if how == "restart":
        bench.restart()
    else:
        assert bench.command("config", *plain_config({"game": MBS, "boxes": 1})) == DONE
    bench.run(2000)
    bench.clear(code)
    bench.run(500)
    assert bench.recorder.faults == [code]
    bench.shuffler.free()
    bench.run(1000)
    bench.clear(code)
    bench.run(5000)
    assert bench.recorder.faults == []


def test_nothing_is_erased_just_after_the_shuffler_was_told_something():
    """It answers at once, and may be saying something else: a UART holds one of them while flash is erased."""
    flash, ring = bare_ring(SEGMENTS)
    bench = Bench(storage=ring)
    erase, shuffler, erased = flash.ioctl, bench.controller.shuffler, []

    def noted(request, block):
        if request == ERASE:
            erased.append(bench.recorder.now - shuffler.sent_at if shuffler.waiting else None)
        return erase(request, block)

    flash.ioctl = noted
    for place in range(SEGMENTS):
        if ring.states[place] == _EMPTY:
            ring.states[place] = _DIRTY
    bench.shuffler.faults.silent = True
    bench.press("open")
    bench.run(1500)
    waited = [gap for gap in erased if gap is not None]
    assert len(erased) == _READY
    assert len(waited) > 10, "a shuffler that does not answer holds nothing up"
    assert min(waited) >= 50
