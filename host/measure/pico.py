"""The Pico's part of `make bench`: real MicroPython on an emulated RP2040, in device time.

The table is booted from the files that `felt flash` would put on it, with the service jumper on, and measures
itself at the console; then once more without the jumper, from power to hello.
"""

import json
import os
import sys
from pathlib import Path

from firmware.recorder import Recorder
from host.emulator.pico import Emulator
from host.keys import FIRST_WORD, TableKey
from host.measure.figure import Figure
from host.measure.rounds import full_round
from host.pico.boards import find_board
from host.pico.deploy import JOURNAL, Key, table_files, with_key
from host.pico.flash_image import build_flash
from host.pico.images import cache_folder, cached_images
from host.pico.mpy import compile_source
from host.rules.catalogue import fullest_book
from host.simulator.virtual_pico import Memory
from shared.journal.journal import Journal
from shared.journal.seal import Sealer

GAME = fullest_book().ID
PROMISED_SETTLE_MS = 10
PROMISED_CARD_MS = 15
PROMISED_HELLO_MS = 2000
PROMISED_HEAP_SHARE = 0.6
PROMISED_BYTES = 150 * 1024
JUMPER = 22
KEY = TableKey("T1", bytes(range(32)))
ROUNDS_PLAYED = 40  # more than a journal holds

FREE = "import gc\ngc.collect()\nprint(gc.mem_free())"
NOTHING = {"main.py": b"import time\ntime.sleep_ms(1500)\n"}  # until the port is open and the prompt can be seen

SETTLE = """
import gc, time
from shared.rules import settlement
from shared.rules.rulebook import load
book = load("%s")
stakes = tuple([10000] * len(book.WAGERS))
size = settlement.places(book)
lines, paid = [None] * size, [0] * size
def settle():
    dealer = book.value(0, 5, 10)
    for box in range(1, 9):
        first, second, third = box * 5, box * 5 + 1, box * 5 + 3
        settlement.settle_seat(
            book, stakes, False, book.value(first, second, third), book.mark(first, second, third),
            dealer, True, 1000000, lines, paid,
        )
settle()
gc.collect()
begun = time.ticks_us()
settle()
print(time.ticks_diff(time.ticks_us(), begun))
"""

CARD = """
import gc, time
from virtual_pico import VirtualTable
from boards import small
from firmware.drivers.device_line import with_check
from shared.link.session import Session
from firmware.pico import PicoHardware
table = VirtualTable(small, bytes(range(32)), "T1", "0" * 32, "0" * 32)
recorder, link, hardware = table.controller.recorder, table.controller.link, table.hardware
hardware.hurry = lambda: PicoHardware.hurry(None)
said_at = 0
def rest(collect):
    global said_at
    said_at = time.ticks_us()  # the record's line is out
    PicoHardware.rest(None, collect)
hardware.rest = rest
rest(True)
recorder.command(1, "bench", "config", [["game", "%s"], ["boxes", 2], ["device", "shoe"]])
recorder.apply(["open"])
recorder.apply(["bet", 1, "P1", "initial", 500])
recorder.apply(["close"])
link.session = Session(link.sealer, b"hello", b"hi", "table", "host")
link.hello_due = None
now = 100
def passing():
    global now
    now += 20
    link.heard_at = link.beat_at = now
    link.host_has = recorder.journal.chain.number
    table.controller.step(now)
    hardware.usb.take()
times = []
for number, card in enumerate(("KS", "4H", "2D", "9C")):
    for _ in range(20 + 25 * number):
        passing()  # so that each card finds more garbage than the one before
    hardware.reader_port.incoming = with_check("%%d CARD %%s" %% (number + 5, card))
    link.host_has = link.sent_to = recorder.journal.chain.number
    now += 20
    link.heard_at = link.beat_at = now
    begun = time.ticks_us()
    table.controller.step(now)
    times.append(time.ticks_diff(said_at, begun))
    assert b'"dealt"' in hardware.usb.take()
print(max(times))
"""

FLASH = """
import gc, time
from firmware.flash_storage import FlashStorage
from shared.journal.journal import Journal
from shared.journal.seal import Sealer
journal = Journal(FlashStorage("bench"), Sealer(bytes(range(32))), "T1")
records = [["event", 1, ["card", "KS"]], ["dealt", 1, "KS"]]
times = []
for _ in range(20):
    begun = time.ticks_us()
    journal.append_all(records)
    times.append(time.ticks_diff(time.ticks_us(), begun))
times.sort()
print(times[10], times[-1])
"""

ROUND_FILE = "round.jsonl"
HEAP = f"""
from bench_on_pico import run
run("{ROUND_FILE}")
"""


def bench_images() -> list[Path]:
    return cached_images(cache_folder(), None)


def deployed() -> dict[str, bytes]:
    """All files of a full table, with a key made for the bench alone."""
    content = f"{FIRST_WORD} {KEY.table} {KEY.key.hex()}\n".encode()
    return with_key(table_files(find_board("full")), "full", Key(KEY, content))


def full_table_events() -> list[list[object]]:
    """Eight boxes with every wager, one player each."""
    return [event for event in full_round(GAME) if event[0] != "bet" or str(event[2]).endswith("0")]


def bench_pico() -> list[Figure]:
    images = bench_images()
    if not images:
        return [Figure("emulated Pico", "SKIPPED", "", True, f"no MicroPython image in {cache_folder()}")]
    figures = []
    for image in images:
        print(f"measuring: {image.name}, which takes some minutes ...", file=sys.stderr, flush=True)
        figures += bench_image(image)
    return figures


def bench_image(image: Path) -> list[Figure]:
    files = deployed()
    size = sum(len(content) for content in files.values())
    extra = {
        "boards/small.mpy": compile_source(Path("boards/small.py")),
        "virtual_pico.mpy": compile_source(Path("host/simulator/virtual_pico.py")),
        "bench_on_pico.mpy": compile_source(Path("host/measure/on_pico.py")),
        ROUND_FILE: round_file(),
    }
    console = Emulator(build_flash(image.read_bytes(), files | extra))
    console.set_pin(JUMPER, False)
    console.usb_expect(b">>> ", 5000)
    free = measure_free(image)
    settle = int(console.execute(SETTLE % GAME)) / 1000
    flash, worst = (int(word) / 1000 for word in console.execute(FLASH).split())
    card = int(power_cycled(console).execute(CARD % GAME)) / 1000
    heap = measure_heap(power_cycled(console))
    name = image.name.split("-v")[-1].removesuffix(".uf2")
    share = heap / free
    return [
        within(f"Pico {name}, settle 8 boxes with every wager", settle, PROMISED_SETTLE_MS),
        within(
            f"Pico {name}, card byte in to record line out",
            card,
            PROMISED_CARD_MS,
            f"flash write beside it {flash:.0f} ms, worst {worst:.0f} ms",
        ),
        within(
            f"Pico {name}, power to hello, journal full of rounds",
            measure_hello(image, files | played_journal()),
            PROMISED_HELLO_MS,
            f"{measure_hello(image, files):.0f} ms with an empty one",
        ),
        Figure(
            f"Pico {name}, heap at most in a full round",
            f"{heap / 1024:.0f} of {free / 1024:.0f} KB",
            f"<= {PROMISED_HEAP_SHARE:.0%}",
            share <= PROMISED_HEAP_SHARE,
            f"{share:.0%}",
        ),
        Figure(
            "Pico, deployed size",
            f"{size / 1024:.0f} KB",
            f"<= {PROMISED_BYTES // 1024} KB",
            size <= PROMISED_BYTES,
            f"{len(files)} files",
        ),
    ]


def within(what: str, milliseconds: float, promise: float, beside: str = "") -> Figure:
    return Figure(what, f"{milliseconds:.1f} ms", f"<= {promise} ms", milliseconds <= promise, beside)


def power_cycled(console: Emulator) -> Emulator:
    """Fresh memory, same flash, console open."""
    again = console.power_cycle()
    again.set_pin(JUMPER, False)
    again.usb_expect(b">>> ", 5000)
    return again


def measure_free(image: Path) -> int:
    """What MicroPython leaves free when it has nothing to do."""
    bare = Emulator(build_flash(image.read_bytes(), NOTHING))
    bare.usb_expect(b">>> ", 5000)
    return int(bare.execute(FREE))


def measure_heap(console: Emulator) -> int:
    """What is allocated at most while a full round is played, garbage included."""
    # The records are sent on the same port, before the figure.
    return int(console.execute(HEAP, 600_000).split()[-1])


def round_file() -> bytes:
    """The configuration and then the events of a full round, one JSON line each."""
    lines = [[["game", GAME], ["boxes", 8]], *full_table_events()]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def played_journal() -> dict[str, bytes]:
    """The journal of a table at which many a full round was played and the last one is about to be revealed."""
    memory = Memory()
    journal = Journal(memory, Sealer(KEY.key), KEY.table)
    recorder = Recorder(journal, "power", os.urandom)
    recorder.command(1, "bench", "config", [["game", GAME], ["boxes", 8]])
    for _ in range(ROUNDS_PLAYED):
        for event in full_table_events():
            recorder.apply(event)
        journal.acknowledge(journal.chain.number)
    for event in full_table_events():
        if event[0] != "reveal":
            recorder.apply(event)
        else:
            break
    return {f"{JOURNAL}/{name}": b"".join(pieces) for name, pieces in memory.files.items()}


def measure_hello(image: Path, files: dict[str, bytes]) -> float:
    """Milliseconds from power to the first hello."""
    table = Emulator(build_flash(image.read_bytes(), files))
    table.usb_expect(b'["hello"', 10_000)
    return table.now_us / 1000
