"""The loop that a table runs for good."""

import gc
import time

from firmware.module_unload import forget
from shared.values import const

_PASS_MS = const(4)  # between passes, so that the chip rests
FOR_STARTING = (
    "firmware.boot",
    "firmware.recovery",
    "shared.journal.ring_making",
    "shared.journal.carry",
    "shared.journal.journal_opening",
    "shared.link.manifest",
    "shared.journal.replay",
    "shared.round.table_reading",
)


def make_room():
    """Forget what was only needed for starting."""
    forget(*FOR_STARTING)
    gc.collect()


def run(controller, watchdog):
    """Time is counted up from zero, as the chip's own counter turns over."""
    now = 0
    last = time.ticks_ms()
    while True:
        ticks = time.ticks_ms()
        now += time.ticks_diff(ticks, last)
        last = ticks
        controller.step(now)
        watchdog.feed()
        time.sleep_ms(_PASS_MS)
