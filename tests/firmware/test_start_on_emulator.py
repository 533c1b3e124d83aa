"""The first milliseconds of a table on an emulated Pico: service jumper, lines that charge slowly, and the mark
of an open console. A few lines stand in for the rest of the firmware."""

import pytest
from littlefs.errors import LittleFSError

from host.emulator.pico import Emulator
from host.pico.boards import JUMPER_PIN
from host.pico.flash_image import BLOCK, FS_BLOCKS, build_filesystem, read_filesystem
from host.pico.mpremote_port import JUMPER
from host.pico.mpy import ROOT, compile_source
from tests.support.firmware.images import each_image, needs_image

pytestmark = [pytest.mark.slow, needs_image]
KEY_PINS = (6, 7)
MAIN = (ROOT / "firmware/device_main.py").read_bytes()
BOOT = b"def boot(watchdog):\n    print('the table starts')\n    return None\n"
LOOP = b"""import time
def make_room():
    pass
def run(controller, watchdog):
    while True:
        watchdog.feed()
        time.sleep_ms(100)
"""
KEYS = f"""
import time
from machine import Pin
from firmware.drivers.inputs import Keys
keys = Keys(("open", "close"), [Pin(pin, Pin.IN, Pin.PULL_UP) for pin in {KEY_PINS}])
said = []
for now in range(0, 300, 10):
    pressed, stuck = keys.poll(now)
    said += pressed
    time.sleep_ms(10)
print(said, list(keys.down))
"""


def compiled(tmp_path, name, source):
    """The stand-in of a module of the firmware."""
    path = tmp_path / f"{name}.py"
    path.write_bytes(source)
    return compile_source(path)


@pytest.fixture
def files(tmp_path):
    modules = {"boot": BOOT, "loop": LOOP}
    made = {f"/firmware/{name}.mpy": compiled(tmp_path, name, source) for name, source in modules.items()}
    return made | {"/main.py": MAIN, "/felt/key": b"felt-table T1 00\n"}


def filled(files):
    """These files and one that takes all that is left."""
    for blocks in range(FS_BLOCKS, 0, -1):
        full = files | {"/felt/large": bytes(blocks * BLOCK)}
        try:
            build_filesystem(full)
        except LittleFSError:
            continue
        return full
    raise AssertionError("the files leave no room at all")


def begun(image, files, prepare):
    emulator = Emulator.boot(image, files)
    prepare(emulator)
    emulator.wait_for_usb()
    said = emulator.usb_expect(b"\n")
    return emulator, said


@each_image
@pytest.mark.parametrize("rise_us", [0, 5, 100, 1000])
def test_a_line_that_charges_slowly_keeps_the_console_closed(image, files, rise_us):
    emulator, said = begun(image, files, lambda emulator: emulator.charge_pin(JUMPER_PIN, rise_us))
    assert said == b"the table starts\r\n"
    emulator.usb_send(b"\x03\x03")
    emulator.run_for(300)
    assert b">>>" not in emulator.usb_receive()
    assert "/felt/console" not in read_filesystem(emulator.dump_flash())


@each_image
def test_the_jumper_opens_the_console_and_leaves_a_mark(image, files):
    emulator, said = begun(image, files, lambda emulator: emulator.set_pin(JUMPER_PIN, False))
    assert said.startswith(b"Felt: the service jumper is on")
    emulator.usb_expect(b">>> ")
    assert read_filesystem(emulator.dump_flash())["/felt/console"] == b""


@each_image
def test_on_a_full_flash_the_console_opens_and_the_mark_still_finds_room(image, files):
    emulator, said = begun(image, filled(files), lambda emulator: emulator.set_pin(JUMPER_PIN, False))
    assert said.startswith(b"Felt: the service jumper is on")
    emulator.usb_expect(b">>> ")
    assert "/felt/console" in read_filesystem(emulator.dump_flash())


@each_image
def test_what_flashing_says_of_the_jumper_and_keys_at_the_start(image):
    modules = ("firmware/drivers/inputs", "shared/values")
    files = {f"/{module}.mpy": compile_source(ROOT / f"{module}.py") for module in modules}
    emulator = Emulator.boot(image, files)
    emulator.charge_pin(JUMPER_PIN, 1000)
    assert emulator.execute(JUMPER % JUMPER_PIN) == "1\n"
    emulator.set_pin(JUMPER_PIN, False)
    assert emulator.execute(JUMPER % JUMPER_PIN) == "0\n"
    emulator.charge_pin(KEY_PINS[0], 1000)
    emulator.set_pin(KEY_PINS[1], False)
    assert emulator.execute(KEYS) == "[] ['close']\n"
