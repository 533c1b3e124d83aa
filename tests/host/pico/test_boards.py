"""The boards: that those there are can work, that each kind of mistake is found, and how they are drawn."""

import re
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

import host.pico.boards
from host.cli import felt
from host.commands.boards import drawing
from host.pico.boards import (
    CONSTANTS,
    INTERNAL,
    PICO_PINS,
    UART_PINS,
    USABLE,
    BoardError,
    board_names,
    find_board,
    pin_rows,
    pin_uses,
    register_rows,
)
from host.pico.mpy import ROOT
from host.rules.catalogue import all_books, find_book

ROYAL = find_book("royal")
LUCKY = find_book("lucky")
POKER = find_book("poker")
THREE_PICTURES = find_book("mbs-three-pictures-2")

KEYS = find_board("small").KEYS


def run_felt(*arguments, columns="80"):
    return CliRunner().invoke(felt, list(arguments), env={"COLUMNS": columns})


def changed(name, **constants):
    """A copy of a board with other constants."""
    board = find_board(name)
    return SimpleNamespace(**{constant: getattr(board, constant) for constant in CONSTANTS} | constants)


def problems(board, book=None):
    """What is wrong, in the words that hold every field."""
    return [str(problem) for problem in host.pico.boards.problems(board, book)]


def without(*keys):
    return tuple((key, pin) for key, pin in KEYS if key not in keys)


def source_of(name, *replacements):
    source = (ROOT / "boards" / f"{name}.py").read_text()
    for old, new in replacements:
        assert old in source
        source = source.replace(old, new)
    return source


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder in place of boards/."""
    monkeypatch.setattr(host.pico.boards, "FOLDER", tmp_path)
    return tmp_path


# The boards there are


def test_the_boards_are_found_by_their_files():
    assert (
        [find_board(name).NAME for name in board_names()] == board_names() == ["full", "rig", "rig_full", "small"]
    )


@pytest.mark.parametrize("book", [None, *all_books()], ids=lambda book: book.ID if book else "no book")
@pytest.mark.parametrize("name", ["small", "full", "rig", "rig_full"])
def test_every_board_is_fine_with_every_book(name, book):
    assert problems(find_board(name), book) == []


RIGS = pytest.mark.parametrize(("rig", "table"), [("rig", "small"), ("rig_full", "full")])


@RIGS
def test_a_rig_has_every_line_of_its_table_on_the_same_pin(rig, table):
    rig, table = find_board(rig), find_board(table)
    for constant in ("BOXES", "SPOTS", "KEYS", "SENSORS", "REGISTERS", "JUMPER"):
        assert getattr(rig, constant) == getattr(table, constant), constant
    assert (rig.ROLE, table.ROLE) == ("rig", "table")


@RIGS
def test_no_line_of_a_rig_but_a_spot_is_on_a_pad_that_conducts_while_the_rig_is_off(rig, table):
    rig = find_board(rig)
    spots = {pin for box in rig.SENSORS for pin in box}
    assert {use.gpio for use in pin_uses(rig)} & {26, 27, 28} <= spots


@RIGS
@pytest.mark.parametrize("device", ["SHUFFLER", "READER"])
def test_a_rig_speaks_as_fast_as_its_table_with_tx_and_rx_side_by_side_for_crossing(rig, table, device):
    uart, tx, rx, baud = getattr(find_board(rig), device)
    _, table_tx, table_rx, table_baud = getattr(find_board(table), device)
    assert baud == table_baud
    assert {tx, rx} == {table_tx, table_rx}
    assert tx in UART_PINS[uart, "TX"]
    assert rx in UART_PINS[uart, "RX"]


# The Pico


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (1, "GP0"),
        (2, "GP1"),
        (4, "GP2"),
        (7, "GP5"),
        (9, "GP6"),
        (12, "GP9"),
        (14, "GP10"),
        (17, "GP13"),
        (19, "GP14"),
        (20, "GP15"),
        (21, "GP16"),
        (22, "GP17"),
        (24, "GP18"),
        (27, "GP21"),
        (29, "GP22"),
        (30, "RUN"),
        (31, "GP26"),
        (32, "GP27"),
        (33, "AGND"),
        (34, "GP28"),
        (35, "ADC_VREF"),
        (36, "3V3(OUT)"),
        (37, "3V3_EN"),
        (39, "VSYS"),
        (40, "VBUS"),
    ],
)
def test_what_is_at_a_pin_of_the_pico(number, name):
    assert PICO_PINS[number - 1] == name


def test_the_pico_has_forty_pins_seven_grounds_and_each_usable_gpio_once():
    assert len(PICO_PINS) == 40
    assert [number for number, name in enumerate(PICO_PINS, 1) if name == "GND"] == [3, 8, 13, 18, 23, 28, 38]
    assert sorted(name for name in PICO_PINS if name.startswith("GP")) == sorted(f"GP{gpio}" for gpio in USABLE)
    assert sorted([*USABLE, *INTERNAL]) == list(range(30))


def test_uart_pins_repeat_every_eight_as_in_the_rp2040():
    for (uart, side), pins in UART_PINS.items():
        rest = {"TX": 0, "RX": 1}[side]
        assert pins == tuple(pin for pin in USABLE if pin % 4 == rest and (pin + 4) // 8 % 2 == uart)


# Mistakes


@pytest.mark.parametrize(
    ("board", "expected"),
    [
        (changed("small", LED=6), "GP6 is used twice: open key and LED"),
        (changed("small", JUMPER=14), "GP14 is used twice: box 1 spot 1 and service jumper"),
        (changed("small", JUMPER=0), "GP0 is used twice: shuffler TX (UART0) and service jumper"),
        (
            changed("small", JUMPER=2, LED=2, KEYS=(("open", 2), *KEYS[1:])),
            "GP2 is used 3 times: open key, LED and",
        ),
        (changed("full", JUMPER=17), "GP17 is used twice: registers SH/LD and service jumper"),
        (
            changed("small", JUMPER=30),
            "service jumper: a Pico has no GP30; choose from GP0 to GP22 and GP26 to GP28",
        ),
        (changed("small", JUMPER=-1), "service jumper: a Pico has no GP-1"),
        (changed("small", JUMPER=23), "service jumper: GP23 is internal to the Pico"),
        (changed("small", KEYS=(*KEYS[:-1], ("fold", 24))), "fold key: GP24 is internal to the Pico"),
        (changed("small", JUMPER=25, LED=2), "service jumper: GP25 is internal to the Pico (it drives the LED)"),
        (changed("full", REGISTERS=(17, 18, 29, 5)), "registers QH: GP29 is internal to the Pico"),
        (changed("small", LED=29), "LED: GP29 is internal to the Pico"),
    ],
)
def test_pins_used_twice_missing_or_internal(board, expected):
    assert any(problem.startswith(expected) for problem in problems(board)), problems(board)


def test_the_jumper_is_at_one_pin_on_every_board():
    (problem,) = host.pico.boards.problems(changed("small", JUMPER=28))
    assert problem.args == ("board.jumper", {"gpio": 28, "wanted": 22})


def test_a_free_pin_may_have_the_led():
    assert problems(changed("small", LED=28)) == []


@pytest.mark.parametrize(
    ("devices", "expected"),
    [
        ({"SHUFFLER": (0, 2, 1, 9600)}, "shuffler: GP2 cannot be TX of UART0; GP0, GP12, GP16 and GP28 can"),
        ({"SHUFFLER": (0, 1, 0, 9600)}, "shuffler: GP1 cannot be TX of UART0; GP0, GP12, GP16 and GP28 can"),
        ({"READER": (1, 4, 3, 9600)}, "reader: GP3 cannot be RX of UART1; GP5, GP9 and GP21 can"),
        (
            {"READER": (1, 0, 5, 9600), "SHUFFLER": None},
            "reader: GP0 cannot be TX of UART1; GP4, GP8 and GP20 can",
        ),
        ({"READER": (2, 4, 5, 9600)}, "reader: a Pico has no UART2; it has UART0 and UART1"),
        ({"READER": (1, 4, 5, 0)}, "reader: 0 is not a baud rate from 300 to 1,000,000; 115200 is usual"),
        (
            {"READER": (1, 4, 5, 10**12)},
            f"reader: {10**12} is not a baud rate from 300 to 1,000,000; 115200 is usual",
        ),
    ],
)
def test_uarts_on_pins_that_cannot_carry_them(devices, expected):
    assert expected in problems(changed("small", **devices))


def test_two_devices_on_one_uart():
    free_pins = changed("full", READER=(0, 28, 13, 115200), KEYS=without("fold"))
    (problem,) = host.pico.boards.problems(free_pins)
    assert problem.args == ("board.uart_shared", {"uart": 0})


def test_a_table_may_lack_a_device():
    assert problems(changed("small", SHUFFLER=None, READER=None)) == []


@pytest.mark.parametrize(
    ("board", "expected"),
    [
        (
            changed("full", REGISTERS=(17, 18, 16, 4)),
            "REGISTERS has a chain of 4 with 32 inputs, but BOXES x SPOTS is 40; it takes 5 registers",
        ),
        (
            changed("full", SENSORS=((2, 3),)),
            "has both SENSORS and REGISTERS; sensors are on pins or on registers, so clear one of them",
        ),
        (changed("small", SENSORS=()), "has neither SENSORS nor REGISTERS; no bet could be seen"),
        (changed("small", BOXES=3), "SENSORS has pins for 2 boxes, but BOXES is 3"),
        (
            changed("small", BOXES=2, SENSORS=((14, 15, 16, 17, 18),)),
            "SENSORS has pins for 1 box, but BOXES is 2",
        ),
        (
            changed("small", SENSORS=((14, 15, 16, 17, 18), (19, 20, 21, 26))),
            "SENSORS has 4 pins for box 2, but SPOTS is 5",
        ),
        (changed("full", REGISTERS=(17, 18, 16, 500)), "REGISTERS has a chain of 500; a table reads 16 at most"),
        (
            changed("full", ROLE="rig", REGISTERS=(17, 18, 16, 8)),
            "REGISTERS has a chain of 8; a rig can play 5, 6 or 7",
        ),
    ],
)
def test_sensors_that_do_not_come_to_boxes_x_spots(board, expected):
    assert problems(board) == [expected]


def test_a_chain_may_be_longer_than_it_must():
    board = changed("full", REGISTERS=(17, 18, 16, 6))
    assert problems(board) == []
    assert register_rows(board)[-1] == (1, [None] * 8)


@pytest.mark.parametrize("key", ["open", "close", "reveal", "settle", "supervisor", "exposed"])
def test_a_key_that_every_table_needs_is_missing(key):
    assert problems(changed("small", KEYS=without(key))) == [f"KEYS lacks {key!r}"]


def test_a_key_that_there_is_not_or_that_is_there_twice():
    assert problems(changed("small", KEYS=(*KEYS, ("shuffle", 2), ("open", 3)))) == [
        "KEYS has 'shuffle', which is not a key; "
        "there are open, close, reveal, settle, supervisor, exposed, play and fold",
        "KEYS has 'open' twice",
    ]


def test_play_and_fold_are_needed_where_players_decide():
    board = changed("small", KEYS=without("play", "fold"))
    assert problems(board) == []
    assert problems(board, LUCKY) == []
    assert problems(board, POKER) == [
        "KEYS lacks 'play', and in rws-three-card-poker-2 players decide",
        "KEYS lacks 'fold', and in rws-three-card-poker-2 players decide",
    ]


def test_more_boxes_than_the_book_allows():
    board = changed("full", BOXES=9, REGISTERS=(17, 18, 16, 6))
    assert problems(board, THREE_PICTURES) == []
    assert problems(board, ROYAL) == ["BOXES is 9, but mbs-royal-three-pictures-2 allows 8 at most"]


def test_fewer_spots_than_the_book_has_wagers():
    board = changed("small", SPOTS=3, SENSORS=((14, 15, 16), (19, 20, 21)))
    assert problems(board, THREE_PICTURES) == []
    assert problems(board, POKER) == [
        "SPOTS is 3, but rws-three-card-poker-2 has 4 wagers a box: ante, play, pair_plus and progressive"
    ]


@pytest.mark.parametrize("constant", CONSTANTS)
def test_a_constant_is_missing(constant):
    board = changed("small")
    delattr(board, constant)
    assert [problem.partition(";")[0] for problem in problems(board, POKER)] == [f"{constant} is missing"]


@pytest.mark.parametrize(
    ("constant", "value"),
    [
        ("NAME", 7),
        ("NAME", "my-rig"),
        ("NAME", "class"),
        ("NAME", "k\xfchl"),
        ("TITLE", ""),
        ("TITLE", "two\nlines"),
        ("ROLE", "bench"),
        ("BOXES", 0),
        ("BOXES", "2"),
        ("SPOTS", None),
        ("KEYS", (("open", 6, 7),)),
        ("KEYS", ("open", 6)),
        ("KEYS", [("open", 6)]),
        ("SENSORS", (14, 15)),
        ("SENSORS", None),
        ("REGISTERS", (17, 18, 16)),
        ("REGISTERS", ()),
        ("SHUFFLER", (0, 0, 1)),
        ("READER", (1, "GP4", 5, 9600)),
        ("LED", "GP25"),
        ("LED", True),
        ("JUMPER", None),
    ],
)
def test_a_constant_is_not_what_it_should_be(constant, value):
    (problem,) = problems(changed("small", **{constant: value}), POKER)
    assert problem.startswith(f"{constant} should be ")
    assert problem.endswith(f"; it is {value!r}")


def test_several_mistakes_are_all_said():
    assert len(problems(changed("small", JUMPER=30, SPOTS=4, READER=(1, 3, 5, 9600), KEYS=without("open")))) == 6


# Files


def test_a_board_that_there_is_not():
    for name in ("medium", "__init__", "../host/cli", ""):
        with pytest.raises(
            ValueError, match=r"^there is no board .*; choose one of: full, rig, rig_full, small$"
        ):
            find_board(name)


def test_a_board_that_cannot_be_read(folder):
    (folder / "torn.py").write_text("NAME = 'torn'\nKEYS = ((\n")
    with pytest.raises(BoardError, match=r"^boards/torn.py cannot be read: SyntaxError: .*line 2"):
        find_board("torn")


def test_a_board_whose_name_is_not_its_files(folder):
    (folder / "copy.py").write_text(source_of("small"))
    assert problems(find_board("copy")) == ["NAME is 'small', but the file is boards/copy.py; make them the same"]


# Drawings


def drawn_pins(board):
    """The pins as they are read off the drawing: number to the name and the use beside it."""
    pins = {}
    for line in drawing(board)[1:-1]:
        left, middle, right = str(line).split("│")
        for number, side in ((middle[:2], left.split()[::-1]), (middle[-2:], right.split())):
            words = side[1:] if number == middle[-2:] else side[:0:-1]
            pins[int(number)] = (side[0], " ".join(words))
    return pins


@pytest.mark.parametrize("board", list(map(find_board, board_names())), ids=lambda board: board.NAME)
def test_the_drawing_has_all_forty_pins_with_their_uses(board):
    rows = pin_rows(board)
    assert [row.number for row in rows] == list(range(1, 41))
    assert drawn_pins(board) == {row.number: (row.name, row.use) for row in rows}


def test_the_drawing_has_chosen_uses_where_they_are():
    small, full = drawn_pins(find_board("small")), drawn_pins(find_board("full"))
    assert small[1] == ("GP0", "shuffler TX (UART0)")
    assert small[7] == ("GP5", "reader RX (UART1)")
    assert small[9] == ("GP6", "open key")
    assert small[19] == ("GP14", "box 1 spot 1")
    assert small[32] == ("GP27", "box 2 spot 5")
    assert small[29] == ("GP22", "service jumper")
    assert small[34] == ("GP28", "")
    assert small[36] == ("3V3(OUT)", "")
    assert full[19] == ("GP14", "")
    assert full[21] == ("GP16", "registers QH")
    assert full[22] == ("GP17", "registers SH/LD")
    assert full[24] == ("GP18", "registers CLK")
    assert full[36] == ("3V3(OUT)", "registers VCC")


def test_the_drawing_goes_down_the_left_side_and_up_the_right():
    lines = [str(line) for line in drawing(find_board("small"))]
    assert "USB" in lines[0]
    assert lines[1].endswith("│ 1           40│ VBUS")
    assert lines[20].endswith("│20           21│ GP16      box 1 spot 3")
    assert len({line.rindex("│") for line in lines[1:-1]} | {lines[0].index("┐"), lines[-1].index("┘")}) == 1


def test_the_pico_s_own_led_is_inside_and_another_is_beside_its_pin():
    assert "LED GP25" in str(drawing(find_board("small"))[2])
    elsewhere = changed("small", LED=28)
    assert "LED GP25" not in "".join(map(str, drawing(elsewhere)))
    assert drawn_pins(elsewhere)[34] == ("GP28", "LED")


def test_a_pin_used_twice_is_drawn_with_both_and_the_outline_holds():
    board = changed("small", JUMPER=0)
    assert drawn_pins(board)[1] == ("GP0", "shuffler TX (UART0) + service jumper")
    lines = [str(line) for line in drawing(board)]
    assert {line.index("│") for line in lines[1:-1]} == {lines[0].index("┌")}


def test_registers_begin_with_box_1_spot_1_on_input_h_of_the_last():
    rows = register_rows(find_board("full"))
    assert [register for register, _ in rows] == [5, 4, 3, 2, 1]
    assert rows[0][1] == [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (2, 1), (2, 2), (2, 3)]
    assert rows[-1][1][-1] == (8, 5)


def test_registers_give_the_bits_in_order_when_they_are_shifted_as_the_chips_do():
    chain = dict(register_rows(find_board("full")))
    # A 74HC165 shifts A to H and out at QH, which feeds SER, before A, of the next.
    shift = [place for register in range(1, 6) for place in reversed(chain[register])]
    bits = [shift.pop() for _ in range(40)]
    assert bits == [(box, spot) for box in range(1, 9) for spot in range(1, 6)]


# Commands


def test_the_list_has_every_board():
    done = run_felt("boards")
    assert done.exit_code == 0
    for board in map(find_board, board_names()):
        assert re.search(
            rf"^{board.NAME} +{board.TITLE} +{board.BOXES} x {board.SPOTS} ", done.output, re.MULTILINE
        )
    assert "5 x 74HC165" in done.output


@pytest.mark.parametrize("columns", ["40", "80", "200"])
@pytest.mark.parametrize("arguments", [[], ["show", "small"], ["show", "full"], ["show", "rig_full"]])
def test_nothing_is_cut_or_wider_than_80(arguments, columns):
    done = run_felt("boards", *arguments, columns=columns)
    assert done.exit_code == 0
    assert "…" not in done.output
    assert max(len(line.rstrip()) for line in done.output.splitlines()) <= 80


def test_show_lists_the_inputs_of_the_registers():
    shown = run_felt("boards", "show", "full").output
    assert re.search(r"^register +H +G +F +E +D +C +B +A +QH goes to", shown, re.MULTILINE)
    assert re.search(r"^5 +1.1 +1.2 +1.3 +1.4 +1.5 +2.1 +2.2 +2.3 +GP16", shown, re.MULTILINE)
    assert re.search(r"^1 +7.3 +7.4 +7.5 +8.1 +8.2 +8.3 +8.4 +8.5 +SER of 2", shown, re.MULTILINE)
    assert "SER of register 1 is on GND" in shown  # what the driver looks for after the last input


def test_unused_inputs_of_registers_are_held_high(folder):
    (folder / "full.py").write_text(source_of("full", ("(17, 18, 16, 5)", "(17, 18, 16, 6)")))
    assert re.search(r"^1 +(3V3 +){8}SER of 2", run_felt("boards", "show", "full").output, re.MULTILINE)


def test_show_of_a_rig_says_that_wires_cross():
    shown = run_felt("boards", "show", "rig").output
    assert "same pin of the table" in shown
    assert "TX goes to the table's RX, and RX to its TX." in shown


def test_show_says_what_is_wrong_beside_the_drawing(folder):
    (folder / "small.py").write_text(source_of("small", ("JUMPER = 22", "JUMPER = 6")))
    shown = run_felt("boards", "show", "small")
    assert shown.exit_code == 0
    assert "open key + service jumper   GP6" in shown.output
    assert "wrong: GP6 is used twice: open key and service jumper" in shown.output


def test_check_of_all_and_of_one():
    done = run_felt("boards", "check")
    assert (done.exit_code, done.output) == (0, "full: fine\nrig: fine\nrig_full: fine\nsmall: fine\n")
    done = run_felt("boards", "check", "small", "--game", "poker")
    assert (done.exit_code, done.output) == (0, "small: fine for rws-three-card-poker-2\n")


def test_check_prints_each_problem_as_one_line_and_exits_1(folder):
    (folder / "small.py").write_text(source_of("small"))
    (folder / "wrong.py").write_text(
        source_of("small", ('"small"', '"wrong"'), ("JUMPER = 22", "JUMPER = 6"), ('    ("fold", 13),\n', ""))
    )
    (folder / "torn.py").write_text("KEYS = ((\n")
    done = run_felt("boards", "check", "--game", "poker")
    assert done.exit_code == 1
    fine, torn, *wrong = done.output.splitlines()
    assert fine == "small: fine for rws-three-card-poker-2"
    assert torn.startswith("torn: boards/torn.py cannot be read: SyntaxError")
    assert wrong == [
        "wrong: GP6 is used twice: open key and service jumper",
        "wrong: JUMPER is 6; every table has it at GP22",
        "wrong: KEYS lacks 'fold', and in rws-three-card-poker-2 players decide",
    ]
    assert run_felt("boards", "check", "small").exit_code == 0
    assert run_felt("boards", "check", "wrong").exit_code == 1


@pytest.mark.parametrize(
    "source",
    [
        "KEYS = ((\n",
        "import nowhere\n",
        "NAME = 'odd'\n",
        source_of("small"),
        "raise ValueError('[/]')\n",
        "exit()\n",
    ],
)
@pytest.mark.parametrize("arguments", [[], ["show", "odd"], ["check", "odd"]])
def test_a_file_that_is_no_board_is_said_without_a_traceback(folder, source, arguments):
    (folder / "odd.py").write_text(source)
    done = run_felt("boards", *arguments)
    assert done.exit_code == 1
    assert isinstance(done.exception, SystemExit)
    assert "boards/odd.py" in done.output or "odd: " in done.output


def test_a_title_is_printed_as_it_stands(folder):
    (folder / "small.py").write_text(source_of("small", ("Two-box table on a bare Pico", "Table [red] [/]")))
    assert "Table [red] [/]" in run_felt("boards").output
    assert "Table [red] [/]" in run_felt("boards", "show", "small").output


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (["show", "medium"], "there is no board 'medium'; choose one of: full, rig, rig_full, small"),
        (["check", "medium"], "there is no board 'medium'; choose one of: full, rig, rig_full, small"),
        (["check", "--game", "baccarat"], "there is no rulebook 'baccarat'; choose one of: "),
        (["show"], "Missing argument 'BOARD'"),
    ],
)
def test_unknown_words_exit_2_with_a_line_of_advice(arguments, advice):
    done = run_felt("boards", *arguments)
    assert done.exit_code == 2
    assert advice in done.output
