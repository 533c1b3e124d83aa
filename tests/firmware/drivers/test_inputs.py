"""Keys and bet sensors: levels packed into bytes, bounces that count for nothing, cables that come out."""

import random
from typing import Any

import pytest

from boards import full, small
from firmware.drivers.inputs import BetSensors, Debouncer, DirectPins, Keys
from firmware.drivers.shift_registers import ShiftRegisters
from host.simulator.virtual_pico import Pin, RegisterChain


def pins(count, *low):
    made = [Pin() for _ in range(count)]
    for place in low:
        made[place].value(0)
    return made


def levels_of(source):
    """What a source reads into a buffer that was full of something else, and whether it says that it could."""
    levels = bytearray([0xA5] * source.size)
    return source.read(levels), list(levels)


# -- pins of their own


@pytest.mark.parametrize(
    ("count", "low", "bytes_"),
    [
        (1, (), [0]),
        (1, (0,), [0b1]),
        (8, (0, 7), [0b1000_0001]),
        (8, (3,), [0b0000_1000]),
        (9, (8,), [0, 0b1]),
        (10, (0, 5, 9), [0b0010_0001, 0b10]),
        (16, tuple(range(16)), [255, 255]),
    ],
)
def test_pins_are_packed_first_pin_first_eight_to_a_byte_low_is_active(count, low, bytes_):
    assert levels_of(DirectPins(pins(count, *low))) == (True, bytes_)


def test_a_pin_that_goes_high_again_is_inactive_again():
    lines = pins(2, 1)
    source = DirectPins(lines)
    assert levels_of(source) == (True, [0b10])
    lines[1].value(1)
    assert levels_of(source) == (True, [0])


# -- a chain of registers


def registers(count):
    chain = RegisterChain(count)
    return chain, ShiftRegisters(chain.latch, chain.clock, chain, count)


@pytest.mark.parametrize("place", range(24))
def test_each_input_of_a_chain_is_one_bit_and_first_comes_first(place):
    chain, source = registers(3)
    chain.inputs[place] = 0
    expected = [0, 0, 0]
    expected[place // 8] = 1 << (place % 8)
    assert levels_of(source) == (True, expected)


def test_a_chain_is_read_as_it_was_at_the_latch():
    chain, source = registers(2)
    chain.inputs = [0, 1, 1, 1, 1, 1, 1, 0] + [1, 0, 0, 1, 1, 1, 1, 1]
    assert levels_of(source) == (True, [0b1000_0001, 0b0000_0110])
    chain.inputs = [1] * 16
    assert levels_of(source) == (True, [0, 0])


def test_the_waveform_of_one_read():
    """Latch down and up, then look before each clock; a last look without a clock is at the far end."""
    happened = []

    class Line(Pin):
        def __init__(self, name):
            super().__init__()
            self.name = name

        def value(self, level=None):
            happened.append(self.name if level is None else f"{self.name}{level}")
            return 0 if level is None else None

    source = ShiftRegisters(Line("latch"), Line("clock"), Line("data"), 1)
    assert happened == ["latch1", "clock0"]
    happened.clear()
    assert source.read(bytearray(b"\xff")) is True
    assert happened == ["latch0", "latch1"] + ["data", "clock1", "clock0"] * 8 + ["data"]


def test_an_unplugged_chain_is_told_by_its_last_bit_and_the_levels_stay():
    chain, source = registers(2)
    levels = bytearray(2)
    chain.inputs[3] = chain.inputs[12] = 0
    assert source.read(levels) is True
    chain.plugged = False
    chain.inputs = [1] * 16
    assert source.read(levels) is False
    assert list(levels) == [0b1000, 0b1_0000]
    chain.plugged = True
    assert source.read(levels) is True
    assert list(levels) == [0, 0]


def test_a_chain_that_is_there_but_has_no_chips_is_not_taken_for_unplugged():
    _, source = registers(5)
    assert levels_of(source) == (True, [0] * 5)


# -- bounces


def updates(debouncer, *steps):
    """The changes at each (time, levels)."""
    return [list(debouncer.update(bytes(levels), now)) for now, *levels in steps]


def test_a_change_counts_once_when_it_has_been_quiet_for_long_enough():
    found = updates(Debouncer(1, 20), (0, 1), (10, 1), (19, 1), (20, 1), (21, 1), (900, 1))
    assert found == [[], [], [], [(0, True)], [], []]


def test_a_change_back_counts_once_too():
    debouncer = Debouncer(1, 20)
    updates(debouncer, (0, 4), (20, 4))
    assert updates(debouncer, (30, 0), (49, 0), (50, 0), (70, 0)) == [[], [], [(2, False)], []]


def test_bounces_shorter_than_the_quiet_time_change_nothing():
    debouncer = Debouncer(1, 20)
    bouncing = [(now, now // 10 % 2) for now in range(0, 1000, 10)]
    assert updates(debouncer, *bouncing) == [[]] * 100
    assert updates(debouncer, (1000, 1), (1009, 1), (1010, 1)) == [[], [], [(0, True)]]  # active since 990


def test_a_bounce_to_where_it_was_starts_the_quiet_time_anew():
    found = updates(Debouncer(1, 20), (0, 1), (15, 0), (16, 1), (35, 1), (36, 1))
    assert found == [[], [], [], [], [(0, True)]]


def test_a_spike_that_is_over_changes_nothing():
    assert updates(Debouncer(1, 20), (0, 8), (5, 0), (30, 0), (100, 0)) == [[]] * 4


def test_several_inputs_of_a_byte_that_change_together_are_all_told_lowest_first():
    debouncer = Debouncer(2, 20)
    assert updates(debouncer, (0, 0b1001, 0x80), (20, 0b1001, 0x80))[1] == [(0, True), (3, True), (15, True)]
    assert updates(debouncer, (30, 0b0010, 0x80), (50, 0b0010, 0x80))[1] == [(0, False), (1, True), (3, False)]


def test_a_neighbour_in_another_byte_may_bounce_for_ever():
    debouncer = Debouncer(2, 20)
    found = updates(debouncer, *[(now, 1, now // 10 % 2) for now in range(0, 60, 10)])
    assert found == [[], [], [(0, True)], [], [], []]


def test_a_neighbour_in_the_same_byte_may_bounce_for_ever():
    debouncer = Debouncer(1, 20)
    found = updates(debouncer, *[(now, 1 | now // 10 % 2 << 5) for now in range(0, 60, 10)])
    assert found == [[], [], [(0, True)], [], [], []]


def test_whatever_the_levels_do_changes_alternate_and_end_where_the_levels_rest():
    for seed in range(200):
        dice = random.Random(seed)
        debouncer: Any = Debouncer(2, 20)
        told = [False] * 16
        now = 0
        levels = bytearray(2)
        for _ in range(120):
            now += dice.choice((1, 5, 10, 30))
            if dice.random() < 0.4:
                levels[dice.randrange(2)] ^= 1 << dice.randrange(8)
            for place, active in debouncer.update(levels, now):
                assert told[place] != active, seed
                told[place] = active
        for place, active in debouncer.update(levels, now + 20):
            told[place] = active
        assert told == [bool(levels[place >> 3] >> (place & 7) & 1) for place in range(16)], seed


# -- the dealer's keys


class Fingers:
    """Keys by name, looked at every 10 ms."""

    def __init__(self, names=("open", "close", "fold")):
        self.names = names
        self.pins = pins(len(names))
        self.keys = Keys(names, self.pins)
        self.now = -50
        self.wait(50)  # nobody touches them when the table starts

    def hold(self, name, milliseconds):
        """Hold a key down for so long, then let it go; returns what was pressed and what was stuck."""
        self.pins[self.names.index(name)].value(0)
        found = self.wait(milliseconds)
        self.pins[self.names.index(name)].value(1)
        return found

    def wait(self, milliseconds):
        pressed, stuck = [], []
        for _ in range(0, milliseconds, 10):
            self.now += 10
            names, held = self.keys.poll(self.now)
            pressed += names
            stuck += [held] if held else []
        return pressed, stuck


def test_a_press_counts_once_however_long_the_key_is_held():
    fingers = Fingers()
    assert fingers.hold("close", 500) == (["close"], [])
    assert fingers.wait(20_000) == ([], []), "and is not stuck once it was let go"
    assert fingers.hold("close", 30) == (["close"], [])


def test_a_key_that_is_down_when_the_table_starts_is_no_press():
    names = ("open", "close")
    held = pins(2)
    held[0].value(0)
    keys = Keys(names, held)
    assert not any(keys.poll(now)[0] for now in range(0, 500, 10))
    held[0].value(1)
    assert not any(keys.poll(now)[0] for now in range(500, 1000, 10)), "nor is letting it go"
    held[0].value(0)
    assert [name for now in range(1000, 1500, 10) for name in keys.poll(now)[0]] == ["open"]


def test_a_key_that_stays_down_from_the_start_is_stuck():
    held = pins(1)
    held[0].value(0)
    keys = Keys(("open",), held)
    assert [keys.poll(now)[1] for now in range(0, 10_010, 10)] == [None] * 1000 + ["open"]


@pytest.mark.parametrize("charged_ms", range(0, 60, 10))
def test_a_line_that_charges_when_the_table_starts_is_no_press(charged_ms):
    lines = pins(1, 0)
    keys = Keys(("open",), lines)
    for now in range(0, 20_000, 10):
        if now == charged_ms:
            lines[0].value(1)
        pressed, stuck = keys.poll(now)
        assert (list(pressed), stuck) == ([], None)


@pytest.mark.parametrize("levels", ["10000", "01000", "00100", "00010", "00001", "10101", "01010", "11100"])
def test_a_key_held_with_a_bad_contact_when_the_table_starts_is_no_press(levels):
    lines = pins(1)
    keys = Keys(("open",), lines)
    for now in range(0, 1000, 10):
        lines[0].value(int(levels[now // 10]) if now < 50 else 0)
        pressed, stuck = keys.poll(now)
        assert (list(pressed), stuck) == ([], None)


def test_a_key_pressed_soon_after_the_start_counts():
    lines = pins(1)
    keys = Keys(("open",), lines)
    keys.poll(0)
    keys.poll(30)
    lines[0].value(0)
    assert [keys.poll(now)[0] for now in (40, 50, 60)] == [(), (), ["open"]]


def test_a_touch_shorter_than_the_quiet_time_is_no_press():
    fingers = Fingers()
    assert fingers.hold("open", 20) == ([], [])
    assert fingers.wait(500) == ([], [])


def test_a_key_that_bounces_going_down_and_coming_up_is_pressed_once():
    fingers = Fingers()
    pressed = []
    for level in (0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1):
        fingers.pins[0].value(level)
        pressed += fingers.wait(10)[0]
    assert pressed == ["open"]


def test_two_keys_at_once_are_two_presses():
    fingers = Fingers()
    fingers.pins[2].value(0)
    assert fingers.hold("open", 100) == (["open", "fold"], [])


def test_a_key_held_for_ten_seconds_is_stuck_and_said_once():
    fingers = Fingers()
    fingers.pins[1].value(0)
    assert fingers.wait(30) == (["close"], [])
    assert fingers.wait(9_990) == ([], [])
    assert fingers.wait(10) == ([], ["close"])
    assert fingers.wait(60_000) == ([], [])


def test_a_released_key_can_be_stuck_again():
    fingers = Fingers()
    assert fingers.hold("close", 10_100) == (["close"], ["close"])
    assert fingers.wait(100) == ([], [])
    assert fingers.hold("close", 9_000) == (["close"], [])
    assert fingers.wait(100) == ([], [])
    assert fingers.hold("close", 10_100) == (["close"], ["close"])


def test_two_stuck_keys_are_both_said_and_others_still_work():
    fingers = Fingers()
    fingers.pins[0].value(0)
    fingers.pins[1].value(0)
    assert fingers.wait(10_100) == (["open", "close"], ["open", "close"])
    assert fingers.hold("fold", 100) == (["fold"], [])


# -- chips


class Layout:
    """Sensors of a board, looked at every 10 ms."""

    def __init__(self, board):
        self.chain = None
        self.pins = [Pin() for box in board.SENSORS for _ in box]
        source = DirectPins(self.pins)
        if board.REGISTERS:
            self.chain, source = registers(board.REGISTERS[3])
        self.spots = board.SPOTS
        self.sensors = BetSensors(source, board.BOXES, board.SPOTS)
        self.now = 0

    def lay(self, box, spot, there=True):
        place = (box - 1) * self.spots + spot
        if self.chain:
            self.chain.inputs[place] = 0 if there else 1
        else:
            self.pins[place].value(0 if there else 1)

    def wait(self, milliseconds):
        found, unplugged = [], 0
        for _ in range(0, milliseconds, 10):
            self.now += 10
            changes, stopped = self.sensors.poll(self.now)
            found += changes
            unplugged += stopped
        return found, unplugged


@pytest.mark.parametrize("board", [small, full], ids=["pins", "registers"])
def test_every_sensor_tells_its_box_and_spot_and_no_other(board):
    layout = Layout(board)
    for box in range(1, board.BOXES + 1):
        for spot in range(board.SPOTS):
            layout.lay(box, spot)
            assert layout.wait(150) == ([(box, spot, True)], 0)
            assert layout.sensors.is_there(box, spot)
            layout.lay(box, spot, False)
            assert layout.wait(150) == ([(box, spot, False)], 0)
            assert not layout.sensors.is_there(box, spot)


def test_a_chip_counts_after_a_tenth_of_a_second_at_rest():
    layout = Layout(small)
    layout.lay(2, 4)
    assert layout.wait(100) == ([], 0)
    assert not layout.sensors.is_there(2, 4)
    assert layout.wait(10) == ([(2, 4, True)], 0)
    assert layout.sensors.is_there(2, 4)


def test_lines_that_charge_when_the_table_starts_are_no_chips():
    layout = Layout(small)
    for box in range(1, small.BOXES + 1):
        layout.lay(box, 0)
    assert layout.wait(50) == ([], 0)
    for box in range(1, small.BOXES + 1):
        layout.lay(box, 0, False)
    assert layout.wait(1000) == ([], 0)


def test_a_chain_whose_data_line_charges_when_the_table_starts_has_no_chips_and_is_not_unplugged():
    layout = Layout(full)
    layout.chain.inputs = [0] * len(layout.chain.inputs)
    assert layout.wait(40) == ([], 0)
    layout.chain.inputs = [1] * len(layout.chain.inputs)
    assert layout.wait(1000) == ([], 0)


def test_inputs_of_the_last_register_that_are_no_spot_are_ignored():
    layout = Layout(full)
    layout.sensors.boxes = 7  # 35 spots on 40 inputs
    layout.lay(8, 0)
    assert layout.wait(200) == ([], 0)


def test_five_failed_reads_in_a_row_are_unplugged_and_said_once():
    layout = Layout(full)
    layout.lay(3, 1)
    assert layout.wait(150) == ([(3, 1, True)], 0)
    layout.chain.plugged = False
    assert layout.wait(40) == ([], 0)
    assert layout.wait(10) == ([], 1)
    assert layout.wait(10_000) == ([], 0)
    assert layout.sensors.is_there(3, 1), "the levels stay as they were"


def test_four_failed_reads_are_no_fault_and_a_good_one_starts_the_count_anew():
    layout = Layout(full)
    for _ in range(20):
        layout.chain.plugged = False
        assert layout.wait(40) == ([], 0)
        layout.chain.plugged = True
        assert layout.wait(10) == ([], 0)


def test_a_cable_that_is_back_tells_what_changed_meanwhile_and_can_come_out_again():
    layout = Layout(full)
    layout.chain.plugged = False
    layout.wait(1000)
    layout.lay(8, 4)
    layout.chain.plugged = True
    assert layout.wait(150) == ([(8, 4, True)], 0)
    layout.chain.plugged = False
    assert layout.wait(100) == ([], 1)


def test_a_cut_line_to_a_single_sensor_reads_as_no_chip():
    layout = Layout(small)
    layout.lay(1, 0)
    layout.wait(200)
    layout.pins[0].value(1)  # the pull-up
    assert layout.wait(200) == ([(1, 0, False)], 0)


# -- single wires of a chain


class Cut:
    """The Pico's end of a wire that is broken."""

    def value(self, level=None):
        return None


@pytest.mark.parametrize("wire", ["latch", "clock"])
def test_a_broken_wire_to_the_chain_is_no_layout_full_of_chips(wire):
    layout = Layout(full)
    layout.lay(1, 0)
    assert layout.wait(150) == ([(1, 0, True)], 0)
    setattr(layout.sensors.source, wire, Cut())
    assert layout.wait(1000) == ([], 1)
    assert not layout.sensors.is_there(2, 0)


def test_a_layout_that_fills_up_chip_by_chip_is_full_in_the_end():
    layout = Layout(full)
    for box in range(1, full.BOXES + 1):
        for spot in range(full.SPOTS):
            layout.lay(box, spot)
            assert layout.wait(150) == ([(box, spot, True)], 0)
    assert layout.wait(1000) == ([], 0)
