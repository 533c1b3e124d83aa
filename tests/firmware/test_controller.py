"""The whole table on CPython: keys, chips, devices and faults, and what the table makes of them."""

import random
from itertools import pairwise
from typing import Any

import pytest

from boards import full, small
from firmware.led import PATTERNS, StatusLed
from host.simulator.devices import AngelEyeShoe, Reader, Shuffler
from host.simulator.virtual_pico import Memory, Pin, VirtualTable
from shared import cards
from shared.chain import BrokenChain
from shared.faults import ADVICE
from shared.standing import plain_config
from shared.wire import decode
from tests.linked import FIRMWARE, KEY, RULES, Host
from tests.tables import GAMES, LUCKY, MBS, NON_COMMISSION, POKER, ROYAL

STEP_MS = 10
PROGRESSIVE = {"stake": 500, "contribution": 100, "meter": 1_000_000, "reset": 50_000}
MAIN = {LUCKY: "initial", NON_COMMISSION: "initial", MBS: "main", ROYAL: "main", POKER: "ante"}
CARDS = "KS QS 9D 2C 3C 5C 8D 6D 4H"  # for box 1, box 2 and the dealer
PAIRS = "KS KD 9D 8C 8D 4C 5D 6H TC"  # both boxes hold a pair


class Bench:
    """A table with its devices and a host, and somebody who does what a test says."""

    def __init__(self, game=MBS, board=small, storage=None, configured=True, linked=True, **config):
        dice = random.Random("bench")
        self.board = board
        self.now = 0
        self.table = VirtualTable(board, KEY, "T1", RULES, FIRMWARE, storage=storage)
        self.host = Host(dice)
        self.linked = linked
        self.keys = [1] * len(board.KEYS)
        self.sensors = [1] * (8 * board.REGISTERS[3] if board.REGISTERS else board.BOXES * board.SPOTS)
        self.plugged = True
        angel_eye = config.get("reader") == "angel_eye"
        self.reader: Any = AngelEyeShoe(dice) if angel_eye else Reader(dice)
        self.shuffler: Any = None if angel_eye else Shuffler(dice, self.reader)
        self.heard = (b"", b"")  # by shuffler and reader
        if configured:
            config = {"game": game, "boxes": 2} | config
            if game == POKER:
                config["progressive"] = PROGRESSIVE
            self.recorder.command(1, "staff", "config", plain_config(config))
            self.run(2000)

    @property
    def controller(self):
        return self.table.controller

    @property
    def recorder(self):
        return self.controller.recorder

    @property
    def round(self):
        return self.recorder.round

    # -- time

    def step(self):
        self.now += STEP_MS
        hardware = self.table.hardware
        hardware.set_keys(self.keys)
        hardware.set_sensors(self.sensors)
        if hardware.chain:
            hardware.chain.plugged = self.plugged
        if self.shuffler:
            hardware.shuffler_port.incoming += self.shuffler.step(self.heard[0], self.now)
        hardware.reader_port.incoming += self.reader.step(self.heard[1], self.now)
        if self.linked:
            hardware.usb.incoming += self.host.say(self.now)
        self.controller.step(self.now)
        self.heard = (hardware.shuffler_port.take(), hardware.reader_port.take())
        said = hardware.usb.take()
        if self.linked:
            self.host.hear(said, self.now)

    def run(self, milliseconds):
        for _ in range(0, milliseconds, STEP_MS):
            self.step()

    def run_until(self, is_so, at_most=20_000):
        for _ in range(0, at_most, STEP_MS):
            if is_so():
                return
            self.step()
        raise AssertionError(f"not within {at_most} ms; the round is {self.round.state}, {self.recorder.faults}")

    def restart(self):
        """Cut the power and switch on again; what was on the wires is lost, the devices have their own power."""
        self.table.start("power", self.now)
        self.heard = (b"", b"")

    # -- people

    def touch(self, key):
        place = [name for name, _ in self.board.KEYS].index(key)
        self.keys[place] = 0
        self.run(50)
        self.keys[place] = 1
        self.run(50)

    def press(self, key):
        """Press a key; returns the records that follow, without times."""
        before = self.last_number()
        self.touch(key)
        return [record for record in self.records(before + 1) if record[0] != "clock"]

    def chip(self, box, spot, there=True):
        """Lay a chip, or take it away, and wait until it is believed; returns the records that follow."""
        before = self.last_number()
        self.sensors[(box - 1) * self.board.SPOTS + spot] = 0 if there else 1
        self.run(150)
        return [record for record in self.records(before + 1) if record[0] != "clock"]

    def command(self, name, *arguments):
        """What the host says; returns the answer."""
        before = len(self.host.answers())
        self.host.link.command("staff", name, list(arguments))
        self.run_until(lambda: len(self.host.answers()) > before)
        return self.host.answers()[-1][1:]

    def tell(self, *event):
        """An event that must be accepted, from the host if there is one."""
        if self.linked:
            assert self.command("event", *event) == (True, "")
        else:
            assert self.recorder.apply(list(event))[0][0] == "event"

    def clear(self, code):
        assert self.command("clear", code, "pit_supervisor") == (True, "")

    def open_with_bets(self, order=CARDS, cents=500):
        """Open, with the main wager on both boxes and its chips, and the cards in this order."""
        self.stack(order)
        self.press("open")
        for box in (1, 2):
            self.chip(box, 0)
            self.tell("bet", box, f"P{box}", self.round.book.WAGERS[0].name, cents)

    def stack(self, order):
        """Have the shuffler deal these cards first."""
        wanted = order.split()
        rest = [cards.text(card) for card in range(52) if cards.text(card) not in wanted]
        if self.shuffler:
            self.shuffler.deck = rest + wanted[::-1]

    # -- what is known afterwards

    def last_number(self):
        return self.recorder.journal.chain.number

    def records(self, first=1):
        return [decode(line)[3] for line in self.recorder.journal.lines_from(first)]

    def of_kind(self, *kinds):
        return [record for record in self.records() if record[0] in kinds]

    def events(self):
        return [record[2] for record in self.of_kind("event")]

    def hands(self):
        """The hands as one text, in the order of the deal."""
        return " ".join(cards.text(card) for place in (1, 2, 0) for card in self.round.hands.get(place, []))

    def held(self, place):
        return len(self.round.hands.get(place, []))


class Failing(Memory):
    """A flash that stops taking bytes; of what it fails at, half may be there."""

    fails = False
    half = False

    def append(self, name, data):
        if self.fails:
            if self.half:
                super().append(name, data[: len(data) // 2])
            raise OSError(5, "EIO")
        super().append(name, data)


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
    assert bench.press(key) == [["refused", ["malformed", key], None, ADVICE["unconfigured"]]]


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
    assert bench.press("exposed")[0][:2] == ["refused", ["irregularity", "exposed_card"]]
    bench.press("close")
    bench.run_until(lambda: bench.round.state == "playing")
    assert bench.press("exposed")[0] == ["event", 1, ["irregularity", "exposed_card", None, "4H"]]


def test_a_card_that_was_refused_is_not_the_one_that_came_last():
    bench = Bench()
    bench.open_with_bets()
    bench.press("close")
    bench.run_until(lambda: bench.round.state == "playing")
    bench.press("reveal")
    bench.reader.passes("AH")
    bench.run(300)
    assert bench.of_kind("refused")[-1][1] == ["card", "AH"]
    assert bench.press("exposed")[0][1] == ["irregularity", "exposed_card", None, "4H"]


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


def shuffler_says(text):
    return lambda bench: bench.shuffler.say(text)


def reader_says(text):
    return lambda bench: bench.reader.say(text)


def order(device, fault):
    return lambda bench: setattr(getattr(bench, device).faults, fault, True)


def pull_the_cable(bench):
    bench.plugged = False


def hold_a_key(bench):
    bench.keys[3] = 0  # settle


FAULTS = [
    ("shuffler_silent", order("shuffler", "silent"), ""),
    ("shuffler_nonsense", order("shuffler", "noisy"), ""),
    ("shuffler_jam", shuffler_says("JAM"), ""),
    ("shuffler_jam", shuffler_says("JAM AT THE EXIT"), "AT THE EXIT"),
    ("shuffler_door", shuffler_says("DOOR OPEN"), ""),
    ("shuffler_empty", shuffler_says("EMPTY"), ""),
    ("reader_silent", order("reader", "silent"), ""),
    ("reader_nonsense", order("reader", "noisy"), ""),
    ("reader_error", reader_says("ERROR 7 LAMP"), "7 LAMP"),
    ("card_unread", reader_says("UNREAD"), ""),
    ("sensors_unplugged", pull_the_cable, ""),
    ("key_stuck", hold_a_key, "settle"),
]


def mend(bench):
    for device in (bench.shuffler, bench.reader):
        device.faults.silent = device.faults.noisy = False
    bench.plugged = True
    bench.keys = [1] * len(bench.keys)
    bench.run(2000)


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
    mend(bench)
    assert code in bench.recorder.faults, "nothing but staff takes it away"
    for other in [other for other in bench.recorder.faults if other != code]:
        bench.clear(other)
    assert bench.press("open") == [["held", code, ADVICE[code]]]
    assert bench.round.state == "idle"
    assert bench.command("event", "open") == (False, ADVICE[code])
    assert bench.command("clear", code, "porter")[0] is False
    assert bench.command("clear", "no_such_fault", "pit_supervisor") == (False, "no such fault is latched")
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
    mend(bench)
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
    bench.shuffler.say("DOOR OPEN")
    bench.reader.say("ERROR 7")
    bench.run(500)
    assert bench.press("open")[0][:2] == ["held", "shuffler_door"]
    bench.clear("shuffler_door")
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
    assert bench.press("open") == [["held", "key_stuck", ADVICE["key_stuck"]]]


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


# -- faults in the deal


def dealing_bench(game=MBS, until=(1, 3), **config):
    """A table in the deal of CARDS, stopped when a place holds so many cards."""
    bench = Bench(game, **config)
    bench.open_with_bets()
    bench.press("close")
    place, count = until
    bench.run_until(lambda: bench.held(place) == count)
    return bench


def finish_deal(bench):
    """Let the deal go on to its end; whatever is left to do is done."""
    bench.run_until(lambda: bench.round.state not in ("closed", "dealing"))
    bench.run(3000)
    assert bench.recorder.faults == []


def test_a_jam_in_the_deal_waits_and_the_deal_goes_on_without_losing_a_card():
    bench = dealing_bench(until=(1, 0))
    bench.shuffler.faults.jam = True
    bench.run_until(lambda: "shuffler_jam" in bench.recorder.faults)
    before = bench.hands()
    bench.run(20_000)
    assert bench.hands() == before, "nothing is dealt while it is latched"
    bench.clear("shuffler_jam")
    bench.run_until(lambda: "shuffler_jam" in bench.recorder.faults)  # nobody freed the cards
    bench.shuffler.free()
    bench.run(500)
    bench.clear("shuffler_jam")
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert len(bench.shuffler.deck) == 52 - 9
    assert bench.round.state == "playing"
    assert ["device", "shuffler", "FREE"] in bench.records()


def test_a_jam_with_part_of_a_hand_out_has_the_rest_dealt_afterwards():
    bench = dealing_bench(until=(1, 1))
    bench.shuffler.leaving, bench.shuffler.told = [], None  # two cards are stuck inside
    bench.shuffler.deck += ["9D", "QS"]
    bench.shuffler.say("JAM")
    bench.run_until(lambda: "shuffler_jam" in bench.recorder.faults)
    bench.clear("shuffler_jam")
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert len(bench.shuffler.deck) == 52 - 9


def test_an_open_door_in_the_deal_waits_and_the_deal_goes_on():
    bench = dealing_bench(until=(1, 0))
    bench.shuffler.faults.door = True
    bench.run_until(lambda: "shuffler_door" in bench.recorder.faults)
    bench.run(5000)
    bench.clear("shuffler_door")
    finish_deal(bench)
    assert bench.hands() == CARDS


def test_a_shuffler_that_falls_silent_with_cards_under_way_deals_each_once():
    bench = dealing_bench(until=(1, 2))
    bench.shuffler.faults.silent = True
    bench.run_until(lambda: "shuffler_silent" in bench.recorder.faults)
    bench.shuffler.faults.silent = False
    bench.run(2000)
    bench.clear("shuffler_silent")
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert len(bench.shuffler.deck) == 52 - 9


def silent_before_it_hears():
    """The shuffler's cable comes out just before it is told to deal."""
    bench = Bench()
    bench.open_with_bets()
    bench.shuffler.faults.silent = True
    bench.press("close")
    bench.run_until(lambda: "shuffler_silent" in bench.recorder.faults)
    return bench


def test_nothing_is_dealt_while_the_fault_is_latched_though_the_shuffler_is_back():
    bench = silent_before_it_hears()
    bench.shuffler.faults.silent = False
    bench.run(5000)
    assert bench.recorder.faults == ["shuffler_silent"]
    assert bench.hands() == ""
    assert len(bench.shuffler.deck) == 52


def test_a_shuffler_that_is_back_after_clearing_deals_each_hand_once():
    bench = silent_before_it_hears()
    bench.clear("shuffler_silent")
    bench.run(500)
    bench.shuffler.faults.silent = False
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert len(bench.shuffler.deck) == 52 - 9


def test_a_shuffler_that_does_not_deal_is_late_after_eight_seconds():
    bench = Bench()
    bench.open_with_bets()
    obey = bench.shuffler.obey
    bench.shuffler.obey = lambda words, now: None
    bench.press("close")
    bench.run(7500)
    assert bench.recorder.faults == []
    bench.run(1000)
    assert bench.of_kind("fault") == [["fault", "shuffler_late", "asked for 3"]]
    bench.shuffler.obey = obey
    bench.clear("shuffler_late")
    finish_deal(bench)
    assert bench.hands() == CARDS


def test_a_round_that_waits_asks_the_shuffler_anew_when_it_goes_on():
    bench = Bench()
    bench.open_with_bets()
    obey = bench.shuffler.obey
    bench.shuffler.obey = lambda words, now: None
    bench.press("close")
    bench.run(1000)
    bench.tell("irregularity", "technical")
    assert bench.round.state == "frozen"
    bench.run(20_000)
    assert bench.recorder.faults == [], "nobody waits for it meanwhile"
    bench.shuffler.obey = obey
    bench.tell("ruling", "continue", "shift_manager")
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert not bench.of_kind("fault")


def test_a_card_too_few_is_a_wrong_count_and_the_missing_one_is_dealt_after_clearing():
    bench = Bench()
    bench.open_with_bets()
    bench.shuffler.faults.one_card_less = True
    bench.press("close")
    bench.run_until(lambda: bench.recorder.faults)
    assert bench.of_kind("fault") == [["fault", "card_count", "asked for 3, dealt 2, read 2"]]
    bench.run(5000)
    assert bench.hands() == "KS QS"
    bench.clear("card_count")
    finish_deal(bench)
    assert bench.hands() == CARDS


def test_a_card_too_many_is_a_wrong_count_and_no_more_are_dealt_until_staff_have_looked():
    bench = Bench()
    bench.open_with_bets()
    bench.shuffler.faults.one_card_more = True
    bench.press("close")
    bench.run_until(lambda: bench.recorder.faults)
    assert bench.of_kind("fault") == [["fault", "card_count", "asked for 3, dealt 4, read 4"]]
    bench.run(5000)
    assert len(bench.shuffler.deck) == 52 - 4
    assert [event for event in bench.events() if event[0] == "card"] == [
        ["card", card] for card in CARDS.split()[:4]
    ]


def test_a_card_after_the_last_one_is_asked_about():
    bench = dealing_bench(until=(2, 3))
    bench.run_until(lambda: bench.round.state == "playing")
    bench.reader.passes("AH")
    bench.run(500)
    assert bench.of_kind("ask") == [["ask", "check", "misdeal", "dealer", "5.3", "X-04"]]


def test_cards_may_be_read_a_second_after_the_shuffler_says_that_they_are_out():
    bench = dealing_bench(until=(1, 1))
    bench.reader.faults.silent = True
    bench.run_until(lambda: bench.shuffler.told is None and not bench.shuffler.waiting)
    bench.run(1000)
    assert bench.hands() == "KS"
    bench.reader.faults.silent = False
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert not bench.of_kind("fault")


def test_a_card_that_a_silent_reader_saw_is_told_when_it_is_back_and_counts_once():
    bench = dealing_bench(until=(1, 1))
    bench.reader.faults.silent = True
    bench.run_until(lambda: "reader_silent" in bench.recorder.faults)
    assert ["fault", "card_count", "asked for 3, dealt 3, read 1"] in bench.records()
    bench.reader.faults.silent = False
    bench.run(3000)
    bench.clear("card_count")
    bench.clear("reader_silent")
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert len(bench.shuffler.deck) == 52 - 9


def test_an_unread_card_waits_for_staff_who_enter_it_by_hand():
    bench = Bench()
    bench.open_with_bets()
    bench.reader.faults.unread = True
    bench.press("close")
    bench.run_until(lambda: bench.recorder.faults)
    bench.run(5000)
    assert bench.of_kind("fault") == [["fault", "card_unread", ""]]
    assert bench.hands() == "QS 9D"
    bench.tell("card", "KS")
    bench.clear("card_unread")
    finish_deal(bench)
    assert bench.hands() == "QS 9D KS " + CARDS[9:]
    assert len(bench.shuffler.deck) == 52 - 9


def test_an_empty_shuffler_voids_the_round_where_the_book_says_so():
    bench = Bench(LUCKY)
    bench.open_with_bets()
    bench.shuffler.faults.empty = True
    bench.press("close")
    bench.run_until(lambda: bench.recorder.faults)
    assert bench.of_kind("fault") == [["fault", "shuffler_empty", ""]]
    assert ["cards_left", 0] in bench.events()
    assert ["void", "5.5.5", "X-07"] in bench.records()


def test_an_empty_shuffler_is_asked_about_where_the_book_is_silent():
    bench = Bench(MBS)
    bench.open_with_bets()
    bench.shuffler.faults.empty = True
    bench.press("close")
    bench.run_until(lambda: bench.recorder.faults)
    assert bench.of_kind("ask") == [["ask", "ruling", "too_few_cards", "shift_manager", None, "M-19"]]


def test_a_shuffler_that_counts_51_cards_voids_the_round():
    bench = dealing_bench()
    bench.shuffler.say("COUNT 51")
    bench.run_until(lambda: bench.round.state == "void")
    assert ["cards_counted", 51] in bench.events()


def test_a_shuffler_that_says_how_many_it_has_is_believed_in_the_deal_only():
    bench = Bench(LUCKY)
    bench.shuffler.say("READY 3")
    bench.run(500)
    assert bench.events() == []
    bench.open_with_bets()
    bench.shuffler.faults.jam = True
    bench.press("close")
    bench.shuffler.say("READY 3")
    bench.run_until(lambda: bench.round.state == "void")
    assert ["cards_left", 3] in bench.events()


@pytest.mark.parametrize("how", ["by the reader", "announced by the shuffler"])
def test_a_card_that_lies_face_up_is_simply_the_next_card_in_lucky_three_pictures(how):
    bench = Bench(LUCKY)
    bench.open_with_bets()
    if how == "by the reader":
        bench.shuffler.faults.face_up = True
    else:
        bench.shuffler.say("FACEUP")
    bench.press("close")
    finish_deal(bench)
    assert bench.of_kind("seen") == [["seen", "KS"]]
    assert bench.of_kind("noted") == [["noted", "face_up_card", "5.9", "L-33"]]
    assert bench.hands() == CARDS


def test_a_face_up_card_is_asked_about_where_the_book_is_silent():
    bench = Bench(MBS)
    bench.open_with_bets()
    bench.shuffler.faults.face_up = True
    bench.press("close")
    bench.run_until(lambda: bench.round.state == "frozen")
    assert bench.of_kind("ask") == [["ask", "ruling", "face_up_card", "shift_manager", None, "M-19"]]


def test_a_foreign_card_is_asked_about_and_nothing_more_is_dealt():
    bench = Bench()
    bench.open_with_bets()
    bench.shuffler.faults.foreign_card = True
    bench.press("close")
    bench.run_until(lambda: bench.round.state == "frozen")
    bench.run(15_000)
    assert bench.of_kind("ask") == [["ask", "check", "foreign_card", "dealer", "5.1.1", "M-12"]]
    assert bench.hands() == "KS QS"
    assert len(bench.shuffler.deck) == 52 - 3
    bench.tell("irregularity", "foreign_card")
    assert bench.round.state == "void"


def test_a_card_read_twice_is_asked_about_and_after_a_misread_the_deal_goes_on():
    bench = dealing_bench(until=(1, 2))
    bench.reader.faults.read_twice = True
    bench.run_until(lambda: bench.round.state == "frozen")
    assert bench.of_kind("ask") == [["ask", "check", "deck_count", "dealer", "5.2", "M-12"]]
    bench.run(5000)
    bench.tell("misread")
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert len(bench.shuffler.deck) == 52 - 9


def misread(bench):
    bench.reader.faults.read_twice = True
    return ["misread"]


def face_up(bench):
    bench.shuffler.faults.face_up = True
    return ["ruling", "continue", "shift_manager"]


@pytest.mark.parametrize("trouble", [misread, face_up])
def test_cards_that_come_while_the_round_waits_for_an_answer_are_not_lost(trouble):
    """The first of three cards freezes the round while the other two are on their way."""
    bench = Bench()
    bench.open_with_bets()
    answer = trouble(bench)
    bench.press("close")
    bench.run_until(lambda: bench.round.state == "frozen")
    bench.run(5000)
    bench.tell(*answer)
    bench.run(10_000)
    for code in list(bench.recorder.faults):
        bench.clear(code)
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert len(bench.shuffler.deck) == 52 - 9


def test_a_card_that_was_misread_can_be_entered_by_hand():
    bench = Bench()
    bench.open_with_bets()
    bench.shuffler.faults.foreign_card = True  # 9D, read as XX
    bench.press("close")
    bench.run_until(lambda: bench.round.state == "frozen")
    bench.run(1000)
    bench.tell("misread")
    bench.run(5000)
    bench.tell("card", "9D")
    for code in list(bench.recorder.faults):
        bench.clear(code)
    finish_deal(bench)
    assert bench.hands() == CARDS


# -- the Angel Eye shoe


def shoe_bench(game=MBS):
    bench = Bench(game, device="shoe", reader="angel_eye")
    bench.open_with_bets()
    return bench


def test_the_shoe_is_locked_outside_the_deal():
    bench = shoe_bench()
    assert bench.reader.locked
    bench.press("close")
    assert not bench.reader.locked
    for card in CARDS.split():
        bench.reader.passes(card)
        bench.run(200)
    assert bench.hands() == CARDS
    assert bench.round.state == "playing"
    assert bench.reader.locked


def test_a_shoe_is_dealt_one_card_at_a_time_where_the_book_says_so():
    bench = shoe_bench(LUCKY)
    bench.press("close")
    for card in ("KS", "2C", "8D", "QS", "3C", "6D", "9D", "5C", "4H"):
        bench.reader.passes(card)
        bench.run(100)
    assert bench.hands() == CARDS


def test_an_unreadable_card_in_the_shoe_is_a_fault_and_entered_by_hand():
    bench = shoe_bench()
    bench.press("close")
    bench.reader.passes("XX")
    bench.run(200)
    assert bench.of_kind("fault") == [["fault", "card_unread", "byte 127"]]
    bench.tell("card", "KS")
    bench.clear("card_unread")
    bench.reader.passes("QS")
    bench.run(200)
    assert bench.hands() == "KS QS"


def test_a_shoe_s_error_is_a_fault():
    bench = shoe_bench()
    bench.reader.report(b"E\x47")
    bench.run(200)
    assert bench.of_kind("fault") == [["fault", "reader_error", "code 7"]]


def test_a_silent_shoe_is_no_fault_and_its_card_can_be_told_by_hand():
    bench = shoe_bench()
    bench.press("close")
    bench.reader.faults.silent = True
    bench.run(30_000)
    assert bench.recorder.faults == []
    bench.tell("card", "KS")
    assert bench.hands() == "KS"


def test_a_card_drawn_outside_the_deal_is_refused_and_recorded():
    bench = shoe_bench()
    bench.reader.report(b"d1\x3d")
    bench.run(200)
    assert bench.of_kind("refused")[-1][1] == ["card", "KS"]


def test_a_new_configuration_opens_the_devices_that_it_names():
    bench = Bench(configured=False)
    bench.run(500)
    assert bench.heard == (b"", b"")
    assert bench.controller.shuffler is None
    config = {"game": MBS, "boxes": 2}
    assert bench.command("config", *plain_config(config)) == (True, "")
    bench.run(100)
    assert type(bench.controller.shuffler).__name__ == "Shuffler"
    assert type(bench.controller.reader).__name__ == "CardReader"
    shoe = config | {"device": "shoe", "reader": "angel_eye"}
    assert bench.command("config", *plain_config(shoe)) == (True, "")
    bench.run(100)
    assert bench.controller.shuffler is None
    assert type(bench.controller.reader).__name__ == "AngelEye"


# -- the power goes


@pytest.mark.parametrize(
    ("code", "cause", "detail"), FAULTS, ids=lambda part: part if isinstance(part, str) else ""
)
def test_a_fault_that_was_there_when_the_power_went_is_there_when_it_is_back(code, cause, detail):
    bench = Bench(board=full)
    cause(bench)
    bench.run_until(lambda: code in bench.recorder.faults)
    before = list(bench.recorder.faults)
    mend(bench)
    bench.restart()
    assert bench.recorder.faults == before
    bench.run(3000)
    assert bench.press("open") == [["held", before[0], ADVICE[before[0]]]]
    for one in before:
        bench.clear(one)
    assert bench.press("open")[-1] == ["state", "betting", "3.1"]


def cut_with_one_hand_out(game):
    """The power goes with box 1 dealt and nothing on its way."""
    bench = Bench(game)
    bench.open_with_bets()
    bench.press("close")
    obey = bench.shuffler.obey
    bench.run_until(lambda: bench.held(1) == 2)
    bench.shuffler.obey = lambda words, now: None  # it goes with the power, before it deals the next hand
    bench.run_until(lambda: bench.held(1) == 3)
    bench.run(1000)
    bench.restart()
    bench.shuffler.obey = obey
    return bench


def after_the_last_boot(bench):
    records = [record for record in bench.records() if record[0] != "clock"]
    boots = [place for place, record in enumerate(records) if record[0] == "boot"]
    return records[boots[-1] + 1 :]


@pytest.mark.parametrize(
    ("game", "asked"),
    [
        (MBS, ["ask", "ruling", "power_failure", "shift_manager", None, "M-19"]),
        (POKER, ["ask", "ruling", "power_failure", "shift_manager", None, "T-25"]),
    ],
)
def test_where_the_book_is_silent_on_power_failures_a_manager_is_asked_and_the_deal_goes_on(game, asked):
    bench = cut_with_one_hand_out(game)
    assert after_the_last_boot(bench) == [["event", 1, ["power_failure"]], asked]
    assert bench.hands() == CARDS[:8]
    bench.run(20_000)
    assert bench.hands() == CARDS[:8], "nothing is dealt before the ruling"
    bench.tell("ruling", "continue", "shift_manager")
    finish_deal(bench)
    assert bench.hands() == CARDS
    assert len(bench.shuffler.deck) == 52 - 9


@pytest.mark.parametrize("game", [LUCKY, NON_COMMISSION])
def test_5_4_2_with_nothing_decided_a_power_cut_in_the_deal_voids_the_round(game):
    bench = cut_with_one_hand_out(game)
    following = after_the_last_boot(bench)
    assert following[0] == ["event", 1, ["power_failure"]]
    assert [record[1] for record in following if record[0] == "void"] == ["5.4.2"]
    assert [record[1:3] for record in following if record[0] == "refund"] == [[1, "P1"], [2, "P2"]]
    assert bench.round.state == "void"
    bench.run(3000)
    bench.shuffler.shuffle()
    assert bench.press("open")[-1][:2] == ["state", "betting"]


def test_5_13_1_with_nothing_decided_players_may_withdraw_and_the_deal_goes_on_with_the_rest():
    bench = cut_with_one_hand_out(ROYAL)
    following = after_the_last_boot(bench)
    assert following[1][:3] == ["ask", "choose", "power_failure"]
    assert [record[1:] for record in following if record[0] == "offer"] == [
        [None, "P1", "5.13.1"],
        [None, "P2", "5.13.1"],
    ]
    bench.run(3000)
    bench.tell("choose", "P1", None, "continue")
    bench.tell("choose", "P2", None, "withdraw")
    finish_deal(bench)
    assert bench.hands() == "KS QS 9D 2C 3C 5C", "box 1 and the dealer"


@pytest.mark.parametrize("game", GAMES)
def test_a_power_cut_between_rounds_changes_nothing(game):
    bench = Bench(game)
    bench.restart()
    assert after_the_last_boot(bench) == []
    bench.run(3000)
    bench.open_with_bets()
    bench.press("close")
    finish_deal(bench)
    assert bench.hands() == CARDS


# -- the flash fails


def test_a_flash_that_takes_no_record_stops_the_table_and_nothing_is_half_done():
    storage = Failing()
    bench = Bench(storage=storage, linked=False)
    before = bench.records()
    storage.fails = True
    bench.touch("open")
    assert bench.controller.stopped == "journal_failed"
    assert "journal_failed" in bench.recorder.faults
    assert isinstance(bench.table.hardware.problem, OSError)
    bench.touch("close")
    bench.touch("supervisor")
    storage.fails = False
    bench.touch("open")
    bench.run(5000)
    assert bench.controller.stopped == "journal_failed", "until it is switched off and on"
    bench.restart()
    assert bench.records() == [*before, ["boot", "power", 0]]
    assert bench.round.state == "idle"
    assert bench.press("open")[-1] == ["state", "betting", "3.1"]


@pytest.mark.parametrize("half", [False, True])
def test_a_closing_that_cannot_be_kept_deals_no_card(half):
    storage = Failing()
    bench = Bench(storage=storage, linked=False)
    bench.open_with_bets()
    storage.fails, storage.half = True, half
    bench.touch("close")
    assert bench.controller.stopped == "journal_failed"
    bench.run(5000)
    assert len(bench.shuffler.deck) == 52
    storage.fails = False
    bench.restart()
    assert [bet.cents for bet in bench.round.bets] == [500, 500]
    assert after_the_last_boot(bench)[0] == ["event", 1, ["power_failure"]]
    # Half of what was written is the event; what follows from it is then written at the start.
    assert (["close"] in bench.events()) == half
    assert (["state", "closed", "3.2"] in bench.records()) == half


def failed_at_a_card(number):
    """The flash fails at this card of the deal, and is well again after a restart."""
    storage = Failing()
    bench = Bench(storage=storage, linked=False)
    bench.open_with_bets()
    bench.press("close")
    bench.run_until(lambda: len(bench.hands().split()) == number)
    storage.fails = True
    bench.run_until(lambda: bench.controller.stopped is not None)
    assert bench.controller.stopped == "journal_failed"
    bench.run(100)
    storage.fails = False
    bench.restart()
    return bench


@pytest.mark.parametrize("number", range(9))
def test_a_card_that_cannot_be_kept_was_not_dealt(number):
    bench = failed_at_a_card(number)
    assert bench.hands() == " ".join(CARDS.split()[:number])
    assert bench.round.state == "frozen"
    assert bench.of_kind("ask") == [["ask", "ruling", "power_failure", "shift_manager", None, "M-19"]]


@pytest.mark.parametrize("number", range(9))
def test_a_card_that_cannot_be_kept_is_not_answered_and_so_is_said_again(number):
    bench = failed_at_a_card(number)
    unanswered = [line for _, line in bench.reader.waiting]
    assert any(b" CARD " + CARDS.split()[number].encode() in line for line in unanswered)


def test_a_flash_that_fails_stops_the_table_with_a_host_there_too():
    storage = Failing()
    bench = Bench(storage=storage)
    storage.fails = True
    bench.touch("open")
    bench.run(1000)
    assert bench.controller.stopped == "journal_failed"


def test_a_flash_that_fails_as_the_host_goes_away_stops_the_table():
    storage = Failing()
    bench = Bench(storage=storage)
    bench.linked = False
    storage.fails = True
    bench.run(10_000)
    assert bench.controller.stopped == "journal_failed"


def test_a_journal_found_broken_between_rounds_is_a_fault():
    bench = Bench()
    bench.controller.is_checking = True

    def check_some():
        raise BrokenChain(7, "changed", "segment 00000001 is not as the next one says")

    bench.recorder.journal.check_some = check_some
    bench.run(100)
    assert [record[1] for record in bench.of_kind("fault")] == ["journal_broken"]
    assert bench.press("open") == [["held", "journal_broken", ADVICE["journal_broken"]]]


def test_a_mistake_of_the_program_stops_the_table_and_is_reported():
    bench = Bench(linked=False)

    def mistake(now):
        raise KeyError("spot")

    bench.table.hardware.keys.poll = mistake
    bench.run(100)
    assert bench.controller.stopped == "crashed"
    assert "crashed" in bench.recorder.faults
    assert isinstance(bench.table.hardware.problem, KeyError)
    before = bench.last_number()
    bench.shuffler.say("JAM")
    bench.run(1000)
    assert bench.last_number() == before


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
