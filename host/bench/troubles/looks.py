"""What people see at the table: its LED, the lock of the shoe, what the shuffler was told."""

from typing import Any

from host.bench.troubles.bench import Bench, NotSo, can, cannot
from host.simulator.devices import AngelEyeShoe

# As firmware/DEVICE.md has it: the period of a pattern, and when it is lit in it, in milliseconds.
PATTERNS = {
    "fault": (333, ((0, 166),)),
    "no_link": (1000, ((0, 80), (200, 280))),
    "round": (1000, ((0, 1000),)),
    "idle": (2000, ((0, 80),)),
}
LOOK_MS = 10
LOOKED_MS = 3400
TOLD_MS = 500  # within which the table tells the shuffler what it needs


def led(bench: Bench, f: dict[str, Any]) -> None:
    level = can(bench, "led")
    period, lit = PATTERNS[f["mood"]]
    for _ in range(0, LOOKED_MS, LOOK_MS):
        bench.step(LOOK_MS)
        phase = bench.now % period
        is_lit = any(begin <= phase < end for begin, end in lit)
        if bool(level()) != is_lit:
            shown = "dark" if is_lit else "lit"
            raise NotSo(f"the LED is {shown} {phase} ms into the pattern of {f['mood'].replace('_', ' ')}")


def lock(bench: Bench, f: dict[str, Any]) -> None:
    if not isinstance(bench.reader, AngelEyeShoe):
        cannot("only a shoe has a lock")
    if bench.reader.locked != f["locked"]:
        raise NotSo(f"the shoe is {'locked' if bench.reader.locked else 'open'}")


def told(bench: Bench, f: dict[str, Any]) -> None:
    """What the shuffler was told since the step before."""
    if bench.shuffler is None:
        cannot("this table has no shuffler")
    for _ in range(0, TOLD_MS, 100):
        bench.step()
    orders = [order for order in bench.shuffler.orders if order != "HELLO"]
    if orders != f["orders"]:
        raise NotSo(f"the shuffler was told {', '.join(orders) or 'nothing'}")
