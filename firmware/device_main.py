"""What a table's Pico runs when it starts; it lies there as main.py."""

import gc
import sys

import machine

from firmware.boot import boot

ready = boot()
if ready:
    # What was only needed for starting makes room.
    del boot
    for name in ("firmware.boot", "shared.manifest"):
        del sys.modules[name]
    gc.collect()
    from firmware.loop import run

    try:
        run(*ready)
    finally:
        # Whatever ends the loop, the console stays closed: the table starts again where its journal says.
        machine.reset()
