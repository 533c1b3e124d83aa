"""What a table's Pico runs when it starts; it lies there as main.py.

This one keeps the console closed even if other files are damaged, or opens it if the service jumper is on. So
it asks none of them before it has looked at the jumper, and before it has seen that nothing lies here that
MicroPython would load in their place.
"""

import micropython

micropython.kbd_intr(-1)  # first of all: Ctrl-C is a byte like any other

import sys

last = sys.path[:]
sys.path.clear()  # so that these are MicroPython's own, and no file's
import os
import time
from binascii import crc32

import machine

sys.path.extend(last)

JUMPER = 22  # on every board, so that it works without one
LED = 25
FOLDER = 0x4000  # as ilistdir says it
OURS = ("main.py", "felt", "journal")  # of these nothing is loaded but main.py
ROOMS = (
    "shared",
    "shared/books",
    "shared/journal",
    "shared/link",
    "shared/round",
    "shared/rules",
    "firmware",
    "firmware/drivers",
    "boards",
)


def stranger(folder=""):
    """The first file or folder that is none of ours and that MicroPython could load or run, or None."""
    for entry in os.ilistdir(folder[:-1]):
        path = folder + entry[0]
        if path in ROOMS:
            detail = stranger(path + "/")
            if detail:
                return detail
            continue
        # A compiled file in our rooms stands before none of ours; whether it belongs there the manifest says.
        # An __init__ would be loaded before that, and our rooms have none on a table.
        is_first = not folder or entry[0] == "__init__.mpy"
        found = entry[1] == FOLDER or path.endswith(".py") or (path.endswith(".mpy") and is_first)
        if found and path not in OURS and path[:-1] != "ring":
            return path
    return None


def start(watchdog):
    """The controller of a table that is ready to run. A table that is not says why and never comes back."""
    code, detail, led = "files_changed", "", None
    try:
        detail = stranger()
        if not detail:
            from firmware.boot import boot

            return boot(watchdog)
    except Exception as problem:
        # What is not said by boot itself comes before the files are known to be ours: one of them is damaged.
        code, detail, led = getattr(problem, "why", (code, repr(problem), led))
    body = '["faulty","%s","%s"]' % (code, plain(detail[:100]))
    line = ("%s*%08x\n" % (body, crc32(body.encode()))).encode()
    pin = machine.Pin(LED if led is None else led, machine.Pin.OUT)
    while True:
        watchdog.feed()
        pin.value(not pin.value())
        sys.stdout.buffer.write(line)
        time.sleep_ms(1000)


def plain(text):
    """A text of characters that stand in a line as they are."""
    return "".join([one if " " <= one <= "~" and one not in '"\\' else "'" for one in text])


# A line that was just pulled up reads low until it has charged, so the jumper must be low time and again.
pin = machine.Pin(JUMPER, machine.Pin.IN, machine.Pin.PULL_UP)
high = 0
for _ in range(8):
    time.sleep_ms(2)
    high += pin.value()
if not high:
    try:
        open("felt/console", "a").close()  # the next start of the table records it
    except OSError:
        pass  # the flash is full, or there is no table here yet
    micropython.kbd_intr(3)
    print("Felt: the service jumper is on, so this is the console. Take it off and reset to run the table.")
else:
    try:
        watchdog = machine.WDT(timeout=8000)
        controller = start(watchdog)
        from firmware.loop import make_room, run

        make_room()
        run(controller, watchdog)
    finally:
        # The console stays closed however the loop ends: the table starts again where its journal says.
        machine.reset()
