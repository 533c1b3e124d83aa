"""The wires between a rig and its table, pin by pin."""

from types import ModuleType
from typing import NamedTuple

from host.pico.boards import PICO_PINS, Board, devices, find_board, pin_uses

# What a wire does. The rig pulls a line to ground or lets it go; a UART's bytes go one way.
LINE = "line"
TO_TABLE = "bytes to the table"
TO_RIG = "bytes to the rig"
RESET = "reset"
LATCH = "latch"
CLOCK = "clock"
DATA = "data"

SERIES = "1 kΩ"
PULL_UP = "1 kΩ, and 4.7 kΩ from the table's end to its 3V3(OUT)"
RUN = "RUN"


class Wire(NamedTuple):
    what: str
    kind: str
    rig: int  # GPIO
    table: int | None  # GPIO; None for RUN
    part: str  # resistors in it; a line without a pull-up is low while the rig starts


def wires(rig: Board) -> list[Wire]:
    """The rig's wires; all but those of UARTs have the same pin at both ends."""
    lines = [use for use in pin_uses(rig) if use.what.endswith((" key", " jumper")) or use.what.startswith("box ")]
    found = [Wire(use.what, LINE, use.gpio, use.gpio, PULL_UP) for use in lines]
    if rig.REGISTERS:
        latch, clock, data, _ = rig.REGISTERS
        found += [
            Wire("registers SH/LD", LATCH, latch, latch, SERIES),
            Wire("registers CLK", CLOCK, clock, clock, SERIES),
            Wire("registers QH", DATA, data, data, SERIES),
        ]
    for device, (_, tx, rx, _) in devices(rig):
        found.append(Wire(f"{device}, to the table", TO_TABLE, tx, rx, SERIES))
        found.append(Wire(f"{device}, to the rig", TO_RIG, rx, tx, SERIES))
    return [*found, Wire("reset", RESET, rig.RUN, None, PULL_UP)]


def rig_for(board: Board) -> ModuleType:
    """The rig that plays a table of this board."""
    return find_board("rig_full" if board.REGISTERS else "rig")


def pin_name(gpio: int | None) -> str:
    """As it is printed on a Pico, and its number."""
    name = RUN if gpio is None else f"GP{gpio}"
    return f"{name} (pin {PICO_PINS.index(name) + 1})"
