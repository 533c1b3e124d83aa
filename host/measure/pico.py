"""The Pico's part of `make measure`: real MicroPython on an emulated RP2040, in device time.

The table is booted from the files that `felt flash` would put on it, with the service jumper on, and measures
itself at the console; then once more without the jumper, from power to hello.
"""

import json
import os
import sys
from itertools import takewhile
from pathlib import Path
from typing import Any

from boards import full
from firmware.drivers.device_line import with_check
from firmware.recorder import Recorder
from host.emulator.pico import Emulator
from host.keys import TableKey
from host.measure.figure import Figure, Figures, at_most
from host.measure.rounds import full_round
from host.measure.wear import GAME, full_table_events
from host.pico.boards import find_board
from host.pico.deploy import Key, table_files, with_key
from host.pico.digests import rules_digest
from host.pico.images import cache_folder, cached_images
from host.pico.mpy import compile_source
from host.simulator.emulator_target import EmulatorTarget
from host.simulator.virtual_pico import Memory
from shared.journal.journal import Journal
from shared.journal.seal import Sealer
from shared.rules import cards

PROMISED_SETTLE_MS = 10
PROMISED_CARD_MS = 15
PROMISED_HELLO_MS = 2000
PROMISED_HEAP_SHARES = (0.6, 0.66)  # one player a box, and three
PROMISED_RING_MS = 200
PROMISED_KB = 150
JUMPER = 22
KEY = TableKey("T1", bytes(range(32)))
WATCHDOG_MS = 8000  # as main.py sets it
WORST = {"erase_us": 400_000, "program_us": 3_000}  # flash at its slowest, by the W25Q16JV's data sheet
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
from measure_on_pico import deal
deal([["game", "%s"], ["boxes", 8], ["device", "shoe"]], 28)
"""
NEXT_CARD = 28  # a free pin by which it asks for a card

RING = """
import gc, time
from firmware import boot
from measure_on_pico import Watchdog
from shared.journal import ring_making
check = ring_making.check_files
def timed(*given):
    begun = time.ticks_us()
    check(*given)
    gc.collect()  # as boot does then
    print(time.ticks_diff(time.ticks_us(), begun))
ring_making.check_files = timed
gc.collect()
gc.threshold(-1)  # as boot does
boot.open_journal(*boot.read_key(), Watchdog().feed)
"""

HEAP = """
from measure_on_pico import run
run("lib/%s")
"""
ROUNDS = {"round.jsonl": full_table_events(), "crowd.jsonl": full_round(GAME)}  # one, and three players a box


def deployed() -> dict[str, bytes]:
    """All files of a full table, with a key made for this measurement alone."""
    return with_key(table_files(find_board("full")), "full", Key(KEY))


def measure_pico() -> Figures:
    images = cached_images(cache_folder(), None)
    if not images:
        yield Figure("emulated Pico", "SKIPPED", f"no MicroPython image in {cache_folder()}")
    for image in images:
        print(f"measuring: {image.name}, which takes some minutes ...", file=sys.stderr, flush=True)
        yield from measure_image(image)


def measure_image(image: Path) -> Figures:
    files = deployed()
    extra = {
        "lib/measure_on_pico.mpy": compile_source(Path("host/measure/on_pico.py")),
    } | {f"lib/{name}": round_file(events) for name, events in ROUNDS.items()}
    console = at_prompt(Emulator.boot(image, files | extra, {}))
    free = int(at_prompt(Emulator.boot(image, NOTHING)).execute(FREE)) / 1024
    settle = int(console.execute(SETTLE % GAME)) / 1000
    card = measure_card(console.power_cycle())
    slow = console.power_cycle(**WORST)
    slow_card = measure_card(slow)
    # The records are sent on the same port, before the figures. Slow flash takes no more memory.
    played = {name: at_prompt(slow.power_cycle()).execute(HEAP % name, 900_000).split()[-3:] for name in ROUNDS}
    append, unfed = (max(int(figures[place]) for figures in played.values()) for place in (1, 2))
    ring = int(at_prompt(console.power_cycle()).execute(RING)) / 1000
    name = "Pico " + image.name.split("-v")[-1].removesuffix(".uf2")
    yield at_most(f"{name}, settle 8 boxes with every wager", settle, "ms", PROMISED_SETTLE_MS)
    yield at_most(f"{name}, card byte in to record line out, on flash", card, "ms", PROMISED_CARD_MS)
    yield Figure(f"{name}, the same at the flash's slowest", f"{slow_card:.1f} ms")
    beside = f"longest write of flash in a full round {append} ms"
    yield at_most(f"{name}, watchdog unfed at the flash's slowest", unfed, "ms", WATCHDOG_MS // 2, beside)
    full, empty = (measure_hello(image, files, journal) for journal in (played_journal(), {}))
    beside = f"{empty:.0f} ms with an empty one"
    yield at_most(f"{name}, power to hello, journal full of rounds", full, "ms", PROMISED_HELLO_MS, beside)
    yield at_most(f"{name}, the ring's files checked at a start", ring, "ms", PROMISED_RING_MS)
    for players, figures, promise in zip(("one player a box", "three"), played.values(), PROMISED_HEAP_SHARES):
        heap = int(figures[0]) / 1024
        what = f"{name}, heap at most in a full round, {players}"
        share, measured = heap / free, f"{heap:.0f} of {free:.0f} KB"
        yield Figure(what, measured, f"{share:.0%}", f"<= {promise:.0%}", share <= promise)
    size = sum(map(len, files.values())) / 1024
    yield at_most("Pico, deployed size", size, "KB", PROMISED_KB, f"{len(files)} files")


def measure_card(table: Emulator) -> float:
    """Milliseconds of the slowest card of a full table, its bytes on the UART of the reader."""
    deck = [with_check(f"{100 + card} CARD {cards.text(card)}") for card in range(27)]
    EmulatorTarget(full, table, "felt")  # wires the sensors
    number, _, _, baud = full.READER
    table.on_pin(NEXT_CARD, lambda level: table.uart_send(number, deck.pop(0), baud) if level else None)
    return int(at_prompt(table).execute(CARD % GAME, 120_000).split()[-1]) / 1000


def at_prompt(table: Emulator) -> Emulator:
    """The same, started with its service jumper on, so that its console is open."""
    table.set_pin(JUMPER, False)
    table.usb_expect(b">>> ", 5000)
    return table


def round_file(events: list[list[Any]]) -> bytes:
    """The configuration and then the events of a round, one JSON line each."""
    lines = [[["game", GAME], ["boxes", 8]], *events]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def played_journal() -> dict[str, bytes]:
    """The journal of a table at which many a full round was played and the last one is about to be revealed."""
    memory = Memory()
    journal = Journal(memory, Sealer(KEY.key), KEY.table)
    recorder = Recorder(journal, "power", os.urandom, rules_digest())
    recorder.command(1, "measure", "config", [["game", GAME], ["boxes", 8]])
    for _ in range(ROUNDS_PLAYED):
        for event in full_table_events():
            recorder.apply(event)
        journal.acknowledge(journal.chain.number)
    for event in takewhile(lambda event: event != ["reveal"], full_table_events()):
        recorder.apply(event)
    return memory.contents()


def measure_hello(image: Path, files: dict[str, bytes], journal: dict[str, bytes]) -> float:
    """Milliseconds from power to the first hello."""
    table = Emulator.boot(image, files, journal)
    table.usb_expect(b'["hello"', 10_000)
    return table.now_us / 1000
