"""The wires between a rig and its table, pin by pin."""

from types import ModuleType
from typing import NamedTuple

from host.pico.boards import PICO_PINS, Board, board_names, devices, find_board, pin_uses

# What a wire does. The rig pulls a line to ground or lets it go; a UART's bytes go one way.
LINE = "line"
TO_TABLE = "bytes to the table"
TO_RIG = "bytes to the rig"
RESET = "reset"
LATCH = "latch"
CLOCK = "clock"
DATA = "data"

SERIES = "1 kΩ"  # in every wire
PULL_UP = "10 kΩ"  # from the table's end of a wire to the table's 3V3(OUT)
RUN = "RUN"
CONDUCTING = (26, 27, 28)  # whose pads let current into a Pico that is switched off; all others do not


class Wire(NamedTuple):
    what: str
    kind: str
    rig: int  # GPIO
    table: int | None  # GPIO; None for RUN
    has_pull_up: bool  # without one it may be low at the table while the rig is in reset


def wires(rig: Board) -> list[Wire]:
    """The rig's wires; all but those of UARTs have the same pin at both ends."""
    lines = [
        use for use in pin_uses(rig) if use.what.endswith((" key", " jumper")) or use.what.startswith("box ")
    ]
    found = [Wire(use.what, LINE, use.gpio, use.gpio, True) for use in lines]
    if rig.REGISTERS:
        latch, clock, data, _ = rig.REGISTERS
        found += [
            Wire("registers SH/LD", LATCH, latch, latch, False),
            Wire("registers CLK", CLOCK, clock, clock, False),
            Wire("registers QH", DATA, data, data, True),
        ]
    for device, (_, tx, rx, _) in devices(rig):
        found.append(Wire(f"{device}, to the table", TO_TABLE, tx, rx, True))
        found.append(Wire(f"{device}, to the rig", TO_RIG, rx, tx, False))
    return [*found, Wire("reset", RESET, rig.RUN, None, True)]


def rig_for(board: Board) -> ModuleType:
    """The rig that plays a table of this board."""
    return find_board("rig_full" if board.REGISTERS else "rig")


def table_boards() -> list[str]:
    return [name for name in board_names() if find_board(name).ROLE == "table"]


def pin_name(gpio: int | None) -> str:
    """As it is printed on a Pico, and its number."""
    name = RUN if gpio is None else f"GP{gpio}"
    return f"{name} (pin {PICO_PINS.index(name) + 1})"
