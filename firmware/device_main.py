"""What a table's Pico runs when it starts; it lies there as main.py."""

import gc
import sys

from firmware.boot import boot

ready = boot()
if ready:
    # What was only needed for starting makes room.
    del boot
    for name in ("firmware.boot", "shared.manifest"):
        del sys.modules[name]
    gc.collect()
    from firmware.loop import run

    run(*ready)
