"""The loop that a table runs for good."""

import gc
import time

from firmware.module_unload import forget
from shared.values import const, since

_PASS_MS = const(4)  # between passes, so that the chip rests
_FOR_STARTING = const(
    (
        "firmware.boot",
        "firmware.recovery",
        "firmware.service_marks",
        "shared.journal.ring_making",
        "shared.journal.carry",
        "shared.journal.journal_opening",
        "shared.link.manifest",
        "shared.journal.replay",
        "shared.round.table_reading",
    )
)


def make_room():
    """Forget what was only needed for starting."""
    forget(*_FOR_STARTING)
    gc.collect()


def run(controller, watchdog):
    """Time is counted from zero; it turns over as MicroPython's own does (drivers/clock.py)."""
    begun = time.ticks_ms()
    while True:
        controller.step(since(begun, time.ticks_ms()))
        watchdog.feed()
        time.sleep_ms(_PASS_MS)
