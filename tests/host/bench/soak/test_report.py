"""What a soak tells: its figures, its exit status, and a heap that grows."""

import pytest
from click.testing import CliRunner

from host.bench.soak import report
from host.bench.soak.chaos import DEVICE_KINDS, OTHER_KINDS
from host.bench.soak.report import has_failed, has_grown, is_flat, report_lines
from host.bench.soak.shifts import MICROPYTHON, MicroPythons, Shift, shifts_of, soak
from host.cli import felt
from tests.support.tables import GAMES, ROYAL

LEVEL = [220_000 + 3000 * (round_ % 2) for round_ in range(250)]
# Keeps what each pass got, as a firmware that forgets to let go would.
LEAK = """
import firmware.controller
leaked = []
def leaking(step):
    def stepped(self, now):
        leaked.append(bytes(20))
        return step(self, now)
    return stepped
firmware.controller.Controller.step = leaking(firmware.controller.Controller.step)
"""


def felt_soak(*arguments):
    done = CliRunner().invoke(felt, ["bench", "soak", *map(str, arguments)])
    assert not done.exception or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output.splitlines()


def test_the_figures_name_every_kind_of_trouble():
    status, told = felt_soak("--rounds", 6, "--shift-rounds", 3, "--game", "poker", "--game", "royal")
    assert status == 0
    rows = {line[:11].strip(): line[12:] for line in told}
    assert list(rows)[:5] == ["rounds", "records", "lost", "differing", "failed"]
    assert rows["rounds"].startswith("6 on cpython, in 2 shifts: ")
    assert (rows["lost"], rows["differing"], rows["failed"]) == ("0", "0", "0 shifts")
    for row, kinds in (("troubles", OTHER_KINDS), ("devices", DEVICE_KINDS)):
        assert [part.rpartition(" ")[0].replace(" ", "_") for part in rows[row].split(", ")] == list(kinds)
    assert felt_soak("--rounds", 6, "--shift-rounds", 3, "--game", "poker", "--game", "royal") == (0, told)


def test_a_shift_alone_needs_its_game():
    status, told = felt_soak("--shift", 3)
    assert status == 2
    assert told[-1] == "Error: --shift plays one shift of one rulebook: name it with --game"


def test_a_campaign_takes_the_games_in_turn_and_plays_enough_rounds():
    shifts = shifts_of(7, GAMES, 130, 25)
    assert [shift.game for shift in shifts] == [*GAMES, GAMES[0]]
    assert sum(shift.rounds for shift in shifts) >= 130
    assert shifts_of(7, GAMES, 3, 25) == [Shift(7, GAMES[0], 0, 3)]


# -- the heap


@pytest.mark.parametrize(
    "heap",
    [
        LEVEL,
        [*LEVEL[:100], LEVEL[100] + 17_000, *LEVEL[101:]],
        [100_000, *LEVEL],  # it had not started yet
    ],
)
def test_a_level_heap_is_flat(heap):
    assert is_flat(heap)
    assert not has_grown([LEVEL, heap])


@pytest.mark.parametrize(
    "heap",
    [
        [bytes_ + 30 * number for number, bytes_ in enumerate(LEVEL)],
        [*LEVEL[:100], *(bytes_ + 16_384 for bytes_ in LEVEL[100:110]), *LEVEL[110:]],  # what stays a while
        [*LEVEL[:100], LEVEL[100] + 33_000, *LEVEL[101:]],
    ],
)
def test_growth_is_not_called_flat(heap):
    assert not is_flat(heap)
    assert has_grown([LEVEL, heap])
    assert not has_grown([LEVEL, heap[60:]]), "too few rounds to judge"


@pytest.mark.slow
@pytest.mark.parametrize("leaks", [False, True])
def test_a_leak_on_micropython_is_found(monkeypatch, leaks):
    """In a shift of a few rounds, as some bytes a pass are much by its end."""
    monkeypatch.setattr(report, "JUDGED_ROUNDS", 8)
    make = MicroPythons.make

    def made(*table):
        target = make(*table)
        if leaks:
            target.micropython.run(LEAK)
        return target

    monkeypatch.setattr(MicroPythons, "make", made)
    reports = list(soak([Shift(18, ROYAL, 0, 8)], [MICROPYTHON], 1))
    assert not reports[0].failure
    assert has_failed(reports) == leaks
    assert report_lines(reports)[-1].endswith("it grows" if leaks else "flat in 1 shift")
