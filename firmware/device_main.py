"""What a table's Pico runs when it starts; it lies there as main.py."""

import machine

from firmware.boot import boot

ready = boot()
if ready:
    del boot
    from firmware.loop import make_room, run

    try:
        make_room()
        run(*ready)
    finally:
        # Whatever ends the loop, the console stays closed: the table starts again where its journal says.
        machine.reset()
