"""What has never run on silicon is found in the sources, and each thing has its turn."""

import ast

from host.bench.first_day.session import later, session
from host.bench.first_day.telling import tell
from host.bench.first_day.untried import (
    BOARDS,
    CIRCUITS,
    DRIVERS,
    PANELS,
    PARTS,
    STARTS,
    VERSIONS,
    asks_cause,
    causes_in,
    names_used,
    untried,
)
from host.pico.boards import board_names
from tests.support.documents import ROOT

ITEMS = untried()


def names(group):
    return [item.name for item in ITEMS if item.group == group]


def test_each_thing_has_a_step_or_a_reason_why_its_turn_comes_later_and_never_both():
    listed = [item.name for item in ITEMS]
    assert len(listed) == len(set(listed))
    steps = [name for step in session() for name in step.tries]
    assert sorted(steps + list(later())) == sorted(listed)


def test_what_only_a_pico_has_is_found_with_its_places():
    about = {item.name: item.about for item in ITEMS if item.group == PARTS}
    assert about["machine.UART"] == "firmware/pico.py"
    assert "firmware/boot.py" in about["rp2.Flash"]
    assert "firmware/rig/chain.py" in about["rp2.StateMachine"]
    # Every import of these modules anywhere in the firmware is among them.
    for path in sorted((ROOT / "firmware").rglob("*.py")):
        text = path.read_text()
        if "import machine" in text or "from machine" in text or "import rp2" in text:
            assert any(path.relative_to(ROOT).as_posix() in places for places in about.values()), path


def test_a_new_use_of_the_pico_is_found():
    source = "import machine, os\nfrom rp2 import PIO\nfrom shared.rules import cards\nmachine.ADC(0)\nos.sync()"
    assert sorted(names_used(ast.parse(source))) == ["machine.ADC", "rp2.PIO"]
    call = ast.parse('{1: "power", 2: "brown out"}.get(machine.reset_cause(), "reset")').body[0]
    assert isinstance(call, ast.Expr)
    assert isinstance(call.value, ast.Call)
    assert asks_cause(call.value)
    assert sorted(causes_in(call.value)) == ["brown out", "power", "reset"]


def test_starts_boards_drivers_drawings_and_panels():
    assert sorted(names(STARTS)) == ["power", "reset", "watchdog"]
    assert names(BOARDS) == board_names()
    modules = {path.stem for path in (ROOT / "firmware" / "drivers").glob("*.py")} - {"__init__"}
    assert set(names(DRIVERS)) == modules
    assert set(names(CIRCUITS)) == {path.stem for path in (ROOT / "boards" / "pictures").glob("*.svg")}
    assert "1.28.0" in names(VERSIONS)
    assert set(names(PANELS)) == {"max7219", "ws2812", "hub75"}


def test_all_of_it_is_told_with_its_turn():
    lines = list(tell())
    text = "\n".join(lines)
    for item in ITEMS:
        assert f"\n  {item.name} " in text, item
    for number, step in enumerate(session(), 1):
        assert any(line.startswith(f"{number:4d}. ") for line in lines)
        assert f"      $ {step.command}\n" in text
    (flash,) = [line for line in lines if line.startswith("  rp2.Flash ")]
    number = int(flash.split()[1])
    assert session()[number - 1].command.startswith("felt flash --board small")
    assert max(len(line) for line in lines if not line.startswith("      ")) <= 110
