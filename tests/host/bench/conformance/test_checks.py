"""The conformance kit: every driver passes on both runtimes; each broken one fails by the checks that name it."""

from pathlib import Path

import pytest

from host.bench.conformance.checks import NAMES, random_bytes
from host.bench.conformance.runtimes import DRIVERS, OnCPython, OnMicroPython, problems, shipped_drivers
from host.bench.conformance.scripted_devices import SCRIPTS
from host.bench.conformance.session import Failed, Port
from host.pico.mpy import device_sources
from tests.support.firmware import broken_drivers

pytestmark = pytest.mark.slow

BROKEN_FILE = "tests/support/firmware/broken_drivers.py"
# Each with its script and the checks that it fails.
BROKEN = {
    "Blocks": ("fixed_frames", ["never_waits"]),
    "ReadsMore": ("reader", ["never_waits"]),
    "RaisesOnNoise": (
        "reader",
        ["never_raises", "noise_before_and_after", "damaged_frames", "bounded_memory"],
    ),
    "Reverses": (
        "fixed_frames",
        ["order_kept", "every_byte_split", "damaged_frames", "lost_frames", "lost_again", "too_much_at_once"],
    ),
    "LosesHalves": ("fixed_frames", ["every_byte_split", "listen_again"]),
    "TrustsAnyFrame": ("fixed_frames", ["noise_before_and_after", "damaged_frames", "listen_again"]),
    "TakesRepetitions": ("reader", ["damaged_frames", "repeated_frames", "nothing_said_twice"]),
    "IgnoresGaps": ("angel_eye", ["lost_frames", "lost_again"]),
    "AnswersTooSoon": ("reader", ["answered_after_flash"]),
    "CountsOn": ("fixed_frames", ["lost_again", "numbers_wrap"]),
    "NeverMisses": ("fixed_frames", ["silence_is_a_fault", "listen_again"]),
    "TakesAll": ("fixed_frames", ["too_much_at_once"]),
    "Grows": ("reader", ["bounded_memory"]),
    "MakesLists": ("fixed_frames", ["bounded_memory"]),
    "AsksOnce": ("shuffler", ["commands"]),
    "LocksInEveryPass": ("angel_eye", ["lock"]),
    "DropsUnread": ("angel_eye", ["every_report"]),
    "FaceDown": ("fixed_frames", ["every_report"]),
    "JamNote": ("shuffler", ["every_report"]),
    "WrapBlind": ("fixed_frames", ["lost_again"]),
    "GapOnce": ("fixed_frames", ["lost_again"]),
    "DeadAfterSilence": ("reader", ["comes_back"]),
    "LosesAfterRestart": ("fixed_frames", ["comes_back"]),
    "OneCommand": ("shuffler", ["commands"]),
    "NoTurn": ("fixed_frames", ["time_turns"]),
}


@pytest.fixture(scope="module", params=["CPython", pytest.param("MicroPython", marks=pytest.mark.slow)])
def runtime(request):
    files = {BROKEN_FILE: Path(broken_drivers.__file__).read_bytes()}
    with OnCPython() if request.param == "CPython" else OnMicroPython(files) as playing:
        yield playing


@pytest.mark.parametrize(("script", "module", "name"), shipped_drivers())
def test_every_driver_passes_every_check(runtime, script, module, name):
    assert problems(runtime, script, module, name) == {}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_driver_fails_by_the_checks_that_name_it(runtime, name):
    script, checks = BROKEN[name]
    found = problems(runtime, script, "tests.support.firmware.broken_drivers", name)
    assert list(found) == checks, found
    assert all(found.values()), "each says what is wrong"


def test_every_check_can_fail_and_every_broken_driver_is_played():
    assert {check for _, checks in BROKEN.values() for check in checks} == set(NAMES)
    classes = [one for one in vars(broken_drivers).values() if isinstance(one, type)]
    assert {one.__name__ for one in classes if one.__module__ == broken_drivers.__name__} == set(BROKEN)


def test_every_driver_of_a_device_has_a_script():
    """Those that are handed a port, not pins."""
    modules = {module for module, _, _ in shipped_drivers()}
    assert modules == set(SCRIPTS)
    pins = {"__init__", "inputs", "led", "shift_registers"}
    shared = {"device_line"}
    found = {path.stem for path in device_sources("firmware/drivers")}
    assert found - pins - shared == modules
    assert all(module == DRIVERS + script for script, module, _ in shipped_drivers())


def test_nothing_of_the_kit_goes_onto_a_table():
    assert not [path for path in device_sources("firmware") if "conform" in path.name or "script" in path.name]


def test_the_port_refuses_what_would_make_a_table_wait():
    port = Port()
    with pytest.raises(Failed, match="nothing is there"):
        port.readinto(bytearray(8))
    with pytest.raises(Failed, match="waits for bytes"):
        any(iter(port.any, 1))
    port.incoming = bytes(1000)
    port.begin()
    with pytest.raises(Failed, match="one pass"):
        port.read(600)


def test_noise_is_the_same_on_both_runtimes(runtime):
    ours = random_bytes(7, 100)
    assert len(set(ours)) > 60
    if isinstance(runtime, OnMicroPython):
        said = runtime.micropython.run(
            "from host.bench.conformance.checks import random_bytes\nprint(random_bytes(7, 100).hex(), end='')"
        )
        assert bytes.fromhex(said) == ours
