"""The deck is shuffled for every round; a board without a device that is configured says so."""

from types import SimpleNamespace

from boards import small
from tests.firmware.table_bench import CARDS, Bench, finish_deal


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
    bench.shuffler.deck = []
    bench.restart()
    bench.run(1000)
    bench.tell("ruling", "continue", "shift_manager")  # M-19
    bench.run(1000)
    assert len(bench.shuffler.deck) == 52


def test_a_board_without_the_devices_that_are_configured_says_so():
    board = SimpleNamespace(**{name: getattr(small, name) for name in dir(small) if name.isupper()})
    board.SHUFFLER = board.READER = None
    bench = Bench(board=board)
    assert bench.of_kind("fault") == [
        ["fault", "shuffler_silent", "this board has no shuffler"],
        ["fault", "reader_silent", "this board has no reader"],
    ]
