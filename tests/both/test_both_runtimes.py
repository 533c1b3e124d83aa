"""The same data through the rules core on CPython and on real MicroPython: equal byte for byte."""

import json
import random
from binascii import crc32
from pathlib import Path

import pytest

from host.pico.mpy import compile_room
from host.rules.settle_request import read_request
from host.wasm import MicroPython
from shared.rules.rulebook import load
from tests.support.both import driver
from tests.support.campaign import parts
from tests.support.deals import deal_table
from tests.support.mutated import mutated_lines
from tests.support.tables import GAMES, POKER

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def micropython():
    with MicroPython() as interpreter:
        interpreter.install(compile_room("shared"))
        interpreter.install({"driver.py": Path(driver.__file__).read_bytes()})
        interpreter.run("import driver, gc")
        yield interpreter


def ask_both(micropython, question, request):
    """The answer of CPython and of MicroPython, which must be one."""
    ours = getattr(driver, question)(request)
    theirs = micropython.run(f"gc.collect()\nprint(driver.{question}(request), end='')", request)
    assert theirs == ours
    return ours


def core_request(request):
    book, dealer, hands, seats, meter = read_request(request)
    return json.dumps([book.ID, dealer, list(hands.items()), seats, meter or 0])


@pytest.mark.parametrize("game", GAMES)
def test_settlements_are_the_same_bytes(micropython, game):
    dice = random.Random(f"both {game}")
    answers = {ask_both(micropython, "settle", core_request(deal_table(game, dice))) for _ in range(400)}
    assert len(answers) > 350, "the tables should differ"


@pytest.mark.parametrize("game", GAMES)
def test_all_hands_have_the_same_values(micropython, game):
    values = []
    for first in range(50):
        values += json.loads(ask_both(micropython, "hand_values", json.dumps([game, first])))
    assert len(values) == 2 * 22100


def test_over_full_boxes_are_shared_alike(micropython):
    """Equal remainders above all: MicroPython's sort keeps no order among equals."""
    dice = random.Random("shares")
    for _ in range(20):
        boxes = []
        for _ in range(100):
            bets = [dice.choice((500, 700, 700, 1000, 20)) for _ in range(dice.randint(2, 8))]
            boxes.append([bets, 50, dice.randint(20, sum(bets))])
        ask_both(micropython, "shares", json.dumps(boxes))


def test_lines_and_seals_are_the_same_bytes(micropython):
    odd = [
        "Jos\u00e9",
        "tab\tand\nline",
        "\x00\x1f\x7f",
        'quote" slash\\',
        "\U0001f0a1",
        "",
        "a/b",
        -5,
        2**40,
        None,
    ]
    records = [["line", number, odd[number % len(odd)], [True, False, [odd[number % 3]]]] for number in range(40)]
    assert ask_both(micropython, "sealed_lines", json.dumps(records)).endswith("40")


def test_both_refuse_the_same_lines(micropython):
    """What MicroPython's own reader lets pass, `[1 2]` for one, is no line either."""
    bodies = [
        '["ack",17]',
        "[1 2]",
        "[1,]",
        "[,]",
        "[01]",
        " [1]",
        "[1] ",
        '["\\u0061"]',
        "[1.0]",
        "{}",
        "[-0]",
        '["\\/"]',
    ]
    answers = [ask_both(micropython, "decoded_line", f"{body}*{crc32(body.encode()):08x}") for body in bodies]
    assert [answer != "refused" for answer in answers] == [True] + [False] * 11


@pytest.mark.parametrize("game", GAMES)
def test_all_judges_choose_the_same_lines(micropython, game):
    book = load(game)
    values = range(31)
    if game == POKER:
        hands = [(a, b, c) for a in range(52) for b in range(a + 1, 52, 5) for c in range(b + 1, 52, 7)]
        values = sorted({book.value(*hand) for hand in hands})[::3] + [book.value(51, 47, 43)]
    marks = sorted({book.mark(a, b, c) for a in range(30, 52) for b in range(a) for c in range(b)})
    for player in values:
        ask_both(micropython, "judged_lines", json.dumps([game, player, marks, list(values)]))


def test_a_difference_would_be_seen(micropython):
    """The comparison itself can fail: here the two runtimes are made to disagree."""
    request = core_request(deal_table(GAMES[0], random.Random(1)))
    micropython.run(
        "from shared.rules import settlement\nkept = settlement.winnings\nsettlement.winnings = lambda *a: 7"
    )
    with pytest.raises(AssertionError):
        ask_both(micropython, "settle", request)
    micropython.run("settlement.winnings = kept")
    ask_both(micropython, "settle", request)


MUTATED_LINES = 1_000_000


@pytest.mark.parametrize("seeds", parts(MUTATED_LINES // 1000, 4), ids=str)
def test_random_and_mutated_lines_raise_nothing_and_are_never_wrongly_accepted(micropython, seeds):
    """Both codecs take each line for the same; what they read is, byte for byte, how they write it."""
    words = set()
    for seed in seeds:
        lines = list(mutated_lines(f"lines {seed}", 1000))
        request = [[line.hex(), ("host", "table")[place % 2]] for place, line in enumerate(lines)]
        answers = ask_both(micropython, "read_lines", json.dumps(request)).split(" ")
        assert len(answers) == 1000
        words.update(answers)
    assert "wrongly" not in words
    assert {"read", "bad", "unknown", "rec", "ack", "command", "hello", "hi", "beat"} <= words


def test_both_runtimes_speak_the_same_language(micropython):
    assert len(ask_both(micropython, "declarations", "")) == 32
