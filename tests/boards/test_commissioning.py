"""The commissioning sheet: its commands and words exist, and a virtual table shows what it says must be seen."""

import re
from itertools import product

import click
import pytest

from boards import full, small
from host.cli import felt
from host.rules.catalogue import all_books
from host.words.faults import ADVICE
from host.words.records import record_words
from tests.support.documents import ROOT, rows_of
from tests.support.firmware.table_bench import Bench

SHEET = (ROOT / "boards/COMMISSIONING.md").read_text()
LINES = re.findall(r"^\| [*A-H].*$", SHEET, re.MULTILINE)
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in LINES]
STEPS = {row[0]: row for row in ROWS}
STARTED = record_words(["boot", "power", 0])
NONE_DECLARED = "chips lie there, none were declared"


def test_steps_are_numbered_in_order_and_have_room_for_tick_and_initials():
    assert len(rows_of(SHEET, "# Commissioning sheet")) == len(ROWS) == len(STEPS)
    part, count = "", 0
    for number, do, seen, tick, initials in ROWS:
        if number.startswith("*"):
            part, count = number.strip("*"), 0
        else:
            count += 1
            assert number == f"{part}{count}"
            assert do
            assert seen or number == "H5"
        assert tick == initials == ""


@pytest.mark.parametrize("words", re.findall(r"`felt ([^`]+)`", SHEET))
def test_a_command_of_the_sheet_exists_with_its_options(words):
    command, rest = felt, words.split()
    while isinstance(command, click.Group):
        command = command.get_command(None, rest.pop(0))  # type: ignore[arg-type]
    assert command
    options = {option for param in command.params for option in param.opts}
    assert {word for word in rest if word.startswith("-")} <= options


def test_what_it_quotes_is_what_felt_says():
    sources = [*(ROOT / "host/words/english").glob("*.txt"), *(ROOT / "host").glob("*/*.py")]
    said = " ".join(" ".join(path.read_text() for path in sources).split()) + STARTED
    for phrase in re.findall(r'"([^"]+)"', SHEET):
        assert phrase in said, phrase


def test_faults_that_it_names_exist():
    named = set(re.findall(r"Fault `(\w+)`", SHEET))
    assert named <= set(ADVICE)
    assert len(named) == 5


@pytest.mark.parametrize("board", [small, full], ids=lambda board: board.NAME)
@pytest.mark.parametrize("book", all_books(), ids=lambda book: book.ID)
def test_part_d_keys_and_spots_are_in_the_log_once_and_in_order(book, board):
    bench = Bench(book.ID, board=board, boxes=board.BOXES)
    bench.press("open")
    pressed = re.findall(r"`(\w+)`", STEPS["D2"][1])
    assert sorted(["open", "close", *pressed]) == sorted(key for key, _ in board.KEYS)
    for key in pressed:
        records = bench.press(key)
        assert [record[0] for record in records] == ["call" if key == "supervisor" else "refused"], key
    assert bench.round.state == "betting"
    for box in range(1, board.BOXES + 1):
        for spot in range(len(book.WAGERS)):
            bench.chip(box, spot)
    sensed = [record for record in bench.press("close") if record[0] == "sensed"]
    wagers = [wager.name for wager in book.WAGERS if not wager.on_decision]
    assert [(box, wager) for _, box, wager, _, _ in sensed] == list(product(range(1, board.BOXES + 1), wagers))
    assert all(record_words(record).endswith(NONE_DECLARED) for record in sensed)
    assert NONE_DECLARED in STEPS["D4"][2]


def faults_of(bench, milliseconds):
    """The faults that come within a time."""
    before = bench.last_number()
    bench.run(milliseconds)
    return [record[1] for record in bench.records(before + 1) if record[0] == "fault"]


@pytest.mark.slow
def test_parts_d_and_e_faults_come_in_the_time_that_the_sheet_says():
    bench = Bench(board=full, boxes=8)
    for place in range(len(full.KEYS)):
        bench.keys[place] = 0
        assert faults_of(bench, 11_000) == ["key_stuck"], full.KEYS[place]
        bench.keys[place] = 1
        bench.run(100)
        bench.command("clear", "key_stuck", "pit_supervisor")
    bench.plugged = False
    assert faults_of(bench, 1000) == ["sensors_unplugged"]
    bench.plugged = True
    bench.shuffler = None
    assert faults_of(bench, 3500) == ["shuffler_silent"]
    bench.reader.step = lambda heard, now: b""
    assert faults_of(bench, 3500) == ["reader_silent"]
