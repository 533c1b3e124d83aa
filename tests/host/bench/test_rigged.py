"""Tables with a rig around them as targets: scenarios on an emulated pair, also as on a real one."""

from functools import cache

import pytest

from host.bench.firmware_target import TABLE, FirmwareTarget
from host.bench.rigged import WiredPicos
from host.bench.runs import FAILED, INSTRUMENT, PASSED, SKIPPED, attempt, run
from host.bench.scenario import read_scenario
from host.bench.targets import EMULATOR, PAIR, PICO, Places, open_target
from host.pico.digests import firmware_digest
from tests.host.bench.test_emulated import FILES
from tests.host.bench.test_runs import felt_bench
from tests.support.campaign import LONG
from tests.support.documents import ROOT
from tests.support.firmware.images import IMAGES, needs_image
from tests.support.firmware.pairs import flashed, make_pair

SCENARIOS = ROOT / "tests" / "scenarios"
POWER_CUT = "mbs-three-pictures-2/power-own-card.toml"
UNREAD = "rws-three-card-poker-2/unread-named-at-show.toml"
MANY_BOXES = "rws-three-pictures-4/deal-clockwise.toml"
LONG_ONLY = pytest.mark.skipif(not LONG, reason="one more scenario on the pair; `make test-long` has all")
target = cache(lambda: open_target(PAIR, firmware_digest(), places=Places(IMAGES[-1])))


@pytest.mark.slow
@needs_image
@pytest.mark.parametrize(
    "file",
    [POWER_CUT, *(pytest.param(file, marks=LONG_ONLY) for file in [*FILES, MANY_BOXES] if file != POWER_CUT)],
)
def test_a_scenario_plays_on_an_emulated_pair_as_on_the_rules_core(file):
    (result,) = run([SCENARIOS / file], [target()])
    assert (result.verdict, result.words) == (PASSED, "")


# -- as on a real pair


def wired(pair):
    return FirmwareTarget(PICO, WiredPicos(lambda: (pair.rig_port, pair.table_port, pair)), firmware_digest())


@pytest.mark.slow
@needs_image
def test_one_pair_plays_scenario_after_scenario_and_skips_what_another_board_is_for():
    """Its key is its own. Its journal is cleared before each: the second shows that in `make test-long`."""
    real = wired(make_pair(flashed("small", TABLE, bytes(range(100, 132)))))
    for file in (UNREAD, POWER_CUT) if LONG else (UNREAD,):
        played = attempt(read_scenario(SCENARIOS / file), real)
        assert (played.outcome, played.words) == (PASSED, "")
    played = attempt(read_scenario(SCENARIOS / MANY_BOXES), real)
    assert (played.outcome, played.words) == (
        SKIPPED,
        "it needs a table of the board full, and this rig plays none",
    )


@pytest.mark.slow
@needs_image
def test_a_table_of_another_name_is_not_touched():
    pair = make_pair(flashed("small", "T1"))
    played = attempt(read_scenario(SCENARIOS / UNREAD), wired(pair))
    assert (played.outcome, played.cause) == (FAILED, INSTRUMENT)
    assert "is T1, and the bench clears only the journal of a table named BENCH" in played.words


@pytest.mark.slow
@needs_image
def test_a_rig_that_is_gone_is_the_instruments_failure():
    pair = make_pair(flashed("small", TABLE))
    real = wired(pair)
    pair.unplug_rig()
    played = attempt(read_scenario(SCENARIOS / UNREAD), real)
    assert (played.outcome, played.cause) == (FAILED, INSTRUMENT)
    assert "the rig does not answer" in played.words


# -- what is not there


def test_a_target_that_is_not_there_is_skipped_aloud_with_status_3(monkeypatch, tmp_path):
    monkeypatch.setattr("serial.tools.list_ports.comports", list)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    files = [SCENARIOS / POWER_CUT, SCENARIOS / UNREAD]
    no_image = "there is no image"
    for name, why in ((PICO, "no rig is plugged in"), (PAIR, no_image), (EMULATOR, no_image)):
        status, told = felt_bench("run", *files, "--target", "core", "--target", name, "--firmware", "here")
        assert status == 3
        assert told.count(f"skipped: everything on {name}: {why}") == told.count("skipped:") == 1
        assert told.splitlines()[-1] == "2 passed, 2 skipped"
    assert felt_bench("check")[0] == 3


def test_a_target_that_is_named_and_cannot_be_used_is_not_set_up(tmp_path):
    text = tmp_path / "image.uf2"
    text.write_text("no image")
    same_port = ["--rig-port", "x", "--port", "x"]
    for options in (["--target", PAIR, "--micropython", text], ["--target", PICO, *same_port]):
        status, told = felt_bench("run", SCENARIOS / UNREAD, "--firmware", "here", *options)
        assert (status, "passed" in told) == (2, False)
