"""The link's part of `make bench`: lines a second on CPython; time and heap a record on MicroPython."""

import time
from collections.abc import Callable
from typing import Any

from host.measure.figure import Figure
from host.pico.mpy import compile_room
from host.wasm import MicroPython
from shared.journal.chain import Chain
from shared.journal.seal import Sealer
from shared.journal.wire import decode, encode
from shared.link.messages import HOST, TABLE, read
from shared.link.session import Session

RECORD: list[Any] = ["line", 3, "P31", "side_wager_2", "win", 8, 1, 2500, 20000, 22500, "4.1/side-two", "X-11"]
LINES = 20_000


def rate(act: Callable[[], Any]) -> float:
    """Acts a second, the best of three runs."""
    best = 0.0
    for _ in range(3):
        begun = time.perf_counter()
        for _ in range(LINES // 4):
            act()
        best = max(best, LINES / 4 / (time.perf_counter() - begun))
    return best


def bench_lines() -> list[Figure]:
    sealer = Sealer(bytes(range(32)))
    line = encode(RECORD)[:-1]
    bare = rate(lambda: encode(RECORD))
    read_bare = rate(lambda: decode(line))
    chain = Chain(sealer, "T1")
    wrote = rate(lambda: chain.write(1, RECORD))
    written = Chain(sealer, "T1").write(1, RECORD)[:-1]
    start = Chain(sealer, "T1").last
    followed = rate(lambda: Chain(sealer, "T1", 0, start).follow(written))
    host, table = (Session(sealer, b"hello", b"hi", *ends) for ends in ((HOST, TABLE), (TABLE, HOST)))
    commanded = rate(lambda: obey(host, table))
    return [
        Figure("link, encode a line", f"{bare:,.0f} lines/s", "", True),
        Figure("link, decode a line", f"{read_bare:,.0f} lines/s", "", True),
        Figure("link, seal a record", f"{wrote:,.0f} lines/s", "", True, f"{bare / wrote:.1f} x encoding it"),
        Figure(
            "link, verify a record",
            f"{followed:,.0f} lines/s",
            "",
            True,
            f"{read_bare / followed:.1f} x decoding it",
        ),
        Figure("link, seal a command and check it", f"{commanded:,.0f} lines/s", "", True),
    ]


def obey(host: Session, table: Session) -> None:
    line = host.line(["command", 1, "dealer 1", "event", ["bet", 1, "P1", "initial", 500]])[:-1]
    assert table.refusal(read(line, HOST), line) is None


PREPARE = """
import gc, json, time
from shared.journal.chain import Chain
from shared.journal.journal import Journal
from shared.journal.seal import Sealer
from shared.journal.wire import encode

class Memory:
    def __init__(self):
        self.sizes = {}
    def names(self):
        return list(self.sizes)
    def size(self, name):
        return self.sizes.get(name, 0)
    def read(self, name, start, count):
        return bytes(count)
    def append(self, name, data):
        self.sizes[name] = self.sizes.get(name, 0) + len(data)
    def remove(self, name):
        del self.sizes[name]

record = json.loads(request)
sealer = Sealer(bytes(range(32)))
journal = Journal(Memory(), sealer, "T1", 1 << 20, 1 << 24)
chain = Chain(sealer, "T1")
head = bytes(130)
acts = {
    "append": lambda: journal.append(record),
    "MAC": lambda: sealer.seal(chain.last, head),
    "encode": lambda: encode(record),
}
for act in acts.values():
    act()
"""
MEASURE = """
act = acts[request]
gc.collect()
gc.disable()
before = gc.mem_alloc()
begun = time.ticks_us()
for _ in range(300):
    act()
took = time.ticks_diff(time.ticks_us(), begun)
print(took // 300, (gc.mem_alloc() - before) // 300)
gc.enable()
"""


def bench_micropython_records() -> list[Figure]:
    """What one record costs on MicroPython, flash aside: this machine runs some four times faster than a Pico."""
    with MicroPython() as interpreter:
        interpreter.install(compile_room("shared"))
        interpreter.run(PREPARE, encode(RECORD)[:-10].decode())
        costs: dict[str, tuple[int, int]] = {}
        for what in ("append", "MAC", "encode"):
            runs = [interpreter.run(MEASURE, what).split() for _ in range(5)]
            costs[what] = min((int(took), int(heap)) for took, heap in runs)
    share = costs["MAC"][0] / costs["append"][0]
    figures = []
    for what, (microseconds, heap) in costs.items():
        beside = f"{share:.0%} of the append" if what == "MAC" else ""
        figures.append(
            Figure(f"MicroPython, {what}, a record", f"{microseconds} us, {heap} bytes", "", True, beside)
        )
    return figures
