"""Real MicroPython with the rules core on it, its heap, and what something costs there.

This port collects garbage only between calls; a Pico collects when it runs short.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from host.pico.mpy import compile_room
from host.wasm import MicroPython

ALLOCATED = "import gc\ngc.collect()\nprint(gc.mem_alloc())"
TIMES = 300
# The collector is off while counting; the loop itself costs three blocks of heap, once.
COST = f"""
import gc, time
gc.collect()
gc.disable()
before = gc.mem_alloc()
begun = time.ticks_us()
for _ in range({TIMES}):
    %s()
took = time.ticks_diff(time.ticks_us(), begun)
print(took, gc.mem_alloc() - before)
gc.enable()
"""


@cache
def rules_core() -> dict[str, bytes]:
    return compile_room("shared")


@contextmanager
def with_rules() -> Iterator[MicroPython]:
    with MicroPython() as interpreter:
        interpreter.install(rules_core())
        yield interpreter


def allocated(interpreter: MicroPython) -> int:
    """Bytes of heap that are taken, without garbage."""
    return int(interpreter.run(ALLOCATED))


def cost(interpreter: MicroPython, function: str) -> tuple[float, int]:
    """Microseconds and bytes of heap for a call of this function, at best of five runs."""
    runs = [interpreter.run(COST % function).split() for _ in range(5)]
    return min((int(took) / TIMES, int(heap) // TIMES) for took, heap in runs)
