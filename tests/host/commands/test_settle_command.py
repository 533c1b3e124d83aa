"""`felt settle` as a person or a program uses it: through its pipes."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from host.commands.settle import answer_line
from host.rules.settle_request import read_request
from tests.support.tables import LUCKY, MBS, POKER, ROYAL

FELT = [str(Path(sys.executable).parent / "felt")]


def good_request(**changes):
    request = {
        "id": "r1",
        "game": LUCKY,
        "boxes": [
            {"box": 1, "player": "P1", "seated": True, "cards": ["KS", "QH", "9D"], "wagers": {"initial": 10000}}
        ],
        "dealer": ["2S", "3S", "4S"],
    }
    return request | changes


def box(**changes):
    return good_request()["boxes"][0] | changes


def poker_box(**changes):
    return {
        "box": 1,
        "player": "P1",
        "cards": ["KS", "QH", "9D"],
        "wagers": {"ante": 100},
        "decision": "play",
    } | changes


def run_settle(text):
    return subprocess.run([*FELT, "settle"], input=text, capture_output=True, timeout=60)


def error_of(request):
    answer = answer_line(json.dumps(request).encode())
    assert set(answer) == {"id", "error"}
    assert answer["id"] == request["id"]
    return answer["error"]


def test_a_line_is_answered_before_the_next_is_sent():
    with subprocess.Popen([*FELT, "settle"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        for number in range(3):
            process.stdin.write(json.dumps(good_request(id=number)) + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == number
        process.stdin.close()
        assert process.wait(timeout=30) == 0


def test_a_bad_line_stops_nothing_and_shows_in_the_exit_status():
    good = json.dumps(good_request()).encode()
    done = run_settle(good + b"\n{broken\n\n" + good + b"\n\xff\xfe\n" + good)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert ["error" in answer for answer in answers] == [False, True, False, True, False]
    assert (done.returncode, done.stderr) == (1, b"")


def test_all_good_lines_exit_0_and_an_empty_input_too():
    assert run_settle(json.dumps(good_request()).encode()).returncode == 0
    assert run_settle(b"").returncode == 0


def test_the_answer_has_the_documented_shape():
    answer = answer_line(json.dumps(good_request()).encode())
    assert answer == {
        "id": "r1",
        "dealer": {"cards": ["2S", "3S", "4S"], "name": "Plain Nine", "value": 27, "points": 9, "pictures": 0},
        "boxes": [
            {
                "box": 1,
                "player": "P1",
                "hand": {
                    "cards": ["KS", "QH", "9D"],
                    "name": "Double Pictures Nine",
                    "value": 29,
                    "points": 9,
                    "pictures": 2,
                },
                "wagers": {
                    "initial": {
                        "result": "win",
                        "pays": "1:1",
                        "stake": 10000,
                        "paid": 10000,
                        "returned": 20000,
                        "paragraph": "4.1/initial-other",
                    }
                },
                "staked": 10000,
                "returned": 20000,
            }
        ],
        "envy": {},
        "staked": 10000,
        "returned": 20000,
        "house_net": -10000,
    }


BAD_REQUESTS = {
    'game: no such rulebook "baccarat"': good_request(game="baccarat"),
    "game: no such rulebook nothing": good_request(game=None),
    'game: no such rulebook ["x"]': good_request(game=["x"]),
    "boxes: expected a list, got nothing": good_request(boxes=None),
    "boxes[0]: expected an object, got 7": good_request(boxes=[7]),
    "boxes[0].box: expected a box number from 1 to 16, got 0": good_request(boxes=[box(box=0)]),
    "boxes[0].box: expected a box number from 1 to 16, got 17": good_request(boxes=[box(box=17)]),
    "boxes[0].box: expected a box number from 1 to 16, got true": good_request(boxes=[box(box=True)]),
    "boxes[0].player: expected the player's name as text, got nothing": good_request(boxes=[box(player=None)]),
    'boxes[0].player: expected the player\'s name as text, got ""': good_request(boxes=[box(player="")]),
    "boxes[1].player: 'P1' is on box 1 twice": good_request(boxes=[box(), box()]),
    "boxes[0].seated: expected true or false, got 1": good_request(boxes=[box(seated=1)]),
    'boxes[0].cards[1]: "1H" is no such card': good_request(boxes=[box(cards=["KS", "1H", "9D"])]),
    "boxes[0].cards[0]: 7 is no such card": good_request(boxes=[box(cards=[7, "1H", "9D"])]),
    "boxes[0].cards[2]: KS was dealt twice; it is also boxes[0].cards[0]": good_request(
        boxes=[box(cards=["KS", "QH", "KS"])]
    ),
    "boxes[0].cards[0]: 2S was dealt twice; it is also dealer[0]": good_request(
        boxes=[box(cards=["2S", "QH", "9D"])]
    ),
    "boxes[1].cards[1]: QH was dealt twice; it is also boxes[0].cards[1]": good_request(
        boxes=[box(), box(box=2, cards=["KD", "QH", "9C"])]
    ),
    "boxes[1].cards: box 1 was given other cards before": good_request(
        boxes=[box(), box(player="P2", cards=["KS", "QH", "8D"])]
    ),
    "boxes[0].cards: a hand has three cards, got 2": good_request(boxes=[box(cards=["KS", "QH"])]),
    "boxes[0].cards: a hand has three cards, got 4": good_request(boxes=[box(cards=["KS", "QH", "9D", "8D"])]),
    "boxes[0].cards: a hand has three cards, got none": good_request(boxes=[box(cards=[])]),
    'boxes[0].cards: expected a list of cards, got "KSQH9D"': good_request(boxes=[box(cards="KSQH9D")]),
    "dealer: a hand has three cards, got 1": good_request(dealer=["2S"]),
    "dealer: a hand has three cards, got none": good_request(dealer=None),
    "boxes[0].wagers: expected an object of wagers, got nothing": good_request(boxes=[box(wagers=None)]),
    "boxes[0].wagers.tie: no such wager in rws-lucky-three-pictures-2": good_request(
        boxes=[box(wagers={"tie": 1})]
    ),
    "boxes[0].wagers.initial: may not be below zero, got -1": good_request(boxes=[box(wagers={"initial": -1})]),
    "boxes[0].wagers.initial: expected a whole number of cents, got 1.5": good_request(
        boxes=[box(wagers={"initial": 1.5})]
    ),
    'boxes[0].wagers.initial: expected a whole number of cents, got "100"': good_request(
        boxes=[box(wagers={"initial": "100"})]
    ),
    "boxes[0].wagers.initial: expected a whole number of cents, got true": good_request(
        boxes=[box(wagers={"initial": True})]
    ),
    "boxes[0].decision: rws-lucky-three-pictures-2 has no fold": good_request(boxes=[box(decision="fold")]),
    "boxes[0].decision: missing": good_request(game=POKER, boxes=[poker_box(decision=None)]),
    'boxes[0].decision: expected "play" or "fold", got "raise"': good_request(
        game=POKER, boxes=[poker_box(decision="raise")]
    ),
    "boxes[0].wagers.play: equals the ante": good_request(
        game=POKER, boxes=[poker_box(wagers={"ante": 100, "play": 99})]
    ),
    "boxes[1].player: box 1 has one player in rws-three-card-poker-2 (2.1.1.a, T-18)": good_request(
        game=POKER, boxes=[poker_box(), poker_box(player="P2")]
    ),
    "boxes[0].box: expected a box number from 1 to 8, got 9": good_request(game=ROYAL, boxes=[box(box=9)]),
    "boxes[1].cards: expected a list of cards, got false": good_request(
        boxes=[box(), box(player="P2", cards=False)]
    ),
    "boxes[0].wagers.initial: may not be above 1000000000000 cents": good_request(
        boxes=[box(wagers={"initial": 10**12 + 1})]
    ),
    "jackpot_meter: may not be below zero": good_request(jackpot_meter=-5),
    "jackpot_meter: expected a whole number of cents": good_request(jackpot_meter="lots"),
    "jackpot_meter: missing, and a progressive wager wins the whole of it": good_request(
        game=POKER, boxes=[poker_box(cards=["AS", "KS", "QS"], wagers={"ante": 100, "progressive": 100})]
    ),
    "metre: no such field": good_request(metre=5),
    "boxes[0].seat: no such field": good_request(boxes=[box(seat=5)]),
}


@pytest.mark.parametrize("message", BAD_REQUESTS)
def test_bad_input_names_the_field(message):
    assert error_of(BAD_REQUESTS[message]).startswith(message)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "line: not JSON"),
        (b"nonsense", "line: not JSON"),
        (b"[1, 2]", "line: expected a JSON object, got [1, 2]"),
        (b"null", "line: expected a JSON object, got nothing"),
        (b"\xff", "line: not UTF-8 text"),
        (b'{"id": ' + b"9" * 5000 + b"}", "line: not JSON (a number with too many digits)"),
        (b"[" * 100_000, "line: nested too deeply"),
        (b'{"id": 1, "id": 2}', "id: stands twice in one object"),
        (b'{"id": NaN}', "line: not JSON (NaN is not a number)"),
        (b'{"id": [-Infinity]}', "line: not JSON (-Infinity is not a number)"),
        (b'{"id": 1e999}', "line: not JSON (1e999 is not a number)"),
        (b'{"boxes": [{"wagers": {"initial": 1, "initial": 2}}]}', "initial: stands twice in one object"),
    ],
)
def test_what_is_no_request_is_refused_in_words(line, message):
    answer = answer_line(line)
    assert answer["error"].startswith(message)
    assert answer["id"] is None


def test_players_on_one_box_may_give_the_cards_in_any_order_or_leave_them_out():
    guests = [box(player="P2", cards=["9D", "KS", "QH"]), box(player="P3", cards=None)]
    answer = answer_line(json.dumps(good_request(boxes=[box(), *guests])).encode())
    assert [one["returned"] for one in answer["boxes"]] == [20000, 20000, 20000]


def test_unsaid_the_first_bettor_on_a_box_sits_and_later_ones_stand():
    """X-09; who lays no bet takes no place."""
    onlooker, first, later = (
        {key: value for key, value in box(player=name).items() if key != "seated"} for name in ("P1", "P2", "P3")
    )
    request = good_request(boxes=[onlooker | {"wagers": {}}, first, later])
    assert [seat.seated for seat in read_request(request).seats] == [True, True, False]


def test_a_folded_hand_needs_no_cards():
    folded = poker_box(cards=None, decision="fold")
    answer = answer_line(json.dumps(good_request(game=POKER, boxes=[folded], dealer=None)).encode())
    assert (answer["staked"], answer["returned"]) == (100, 0)


def test_a_line_of_many_names_is_read_quickly():
    line = json.dumps({str(number): 0 for number in range(100_000)}).encode()
    begun = time.monotonic()
    assert answer_line(line)["error"].startswith("0: no such field")
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize("redirect", ["<&-", "<<<'{}' >&-", "<<<'{}' >/dev/full"])
def test_a_broken_stream_is_said_in_a_line(redirect):
    done = subprocess.run(
        ["bash", "-c", f"{FELT[0]} settle {redirect}"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_a_wager_of_nothing_is_no_wager():
    answer = answer_line(json.dumps(good_request(boxes=[box(wagers={"initial": 100, "lucky_tie": 0})])).encode())
    assert list(answer["boxes"][0]["wagers"]) == ["initial"]


def test_nothing_in_play_needs_no_cards_at_all():
    request = good_request(game=MBS, boxes=[box(cards=None, wagers={"tie": 500})], dealer=None)
    answer = answer_line(json.dumps(request).encode())
    assert (answer["dealer"], answer["boxes"][0]["hand"], answer["returned"]) == (None, None, 500)


def test_who_stops_reading_gets_no_traceback():
    many = (json.dumps(good_request()) + "\n") * 5000
    done = subprocess.run(
        ["bash", "-c", f"{FELT[0]} settle | head -n 1"], input=many.encode(), capture_output=True, timeout=60
    )
    assert json.loads(done.stdout)["id"] == "r1"
    assert done.stderr == b""
