"""The loop that a table runs for good."""

import gc
import time

from firmware.forgetting import forget

PASS_MS = 4  # between passes, so that the chip rests
FOR_STARTING = (
    "firmware.boot",
    "firmware.recovering",
    "shared.journal_opening",
    "shared.manifest",
    "shared.replay",
    "shared.table_reading",
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
        time.sleep_ms(PASS_MS)
