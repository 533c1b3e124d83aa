"""The link's part of `make measure`: lines a second on CPython; time and heap a record on MicroPython."""

from typing import Any

from host.measure import micropython
from host.measure.figure import Figure, Figures, rate
from shared.journal.chain import Chain
from shared.journal.seal import Sealer
from shared.journal.wire import decode, encode
from shared.link.messages import HOST, TABLE, read
from shared.link.session import Session

RECORD: list[Any] = ["line", 3, "P31", "side_wager_2", "win", 8, 1, 2500, 20000, 22500, "4.1/side-two", "X-11"]
LINES = 5_000


def measure_lines() -> Figures:
    sealer = Sealer(bytes(range(32)))
    line = encode(RECORD)[:-1]
    bare = rate(lambda: encode(RECORD), LINES)
    read_bare = rate(lambda: decode(line), LINES)
    chain = Chain(sealer, "T1")
    wrote = rate(lambda: chain.write(1, RECORD), LINES)
    written = Chain(sealer, "T1").write(1, RECORD)[:-1]
    start = Chain(sealer, "T1").last
    followed = rate(lambda: Chain(sealer, "T1", 0, start).follow(written), LINES)
    host, table = (Session(sealer, b"hello", b"hi", *ends) for ends in ((HOST, TABLE), (TABLE, HOST)))
    commanded = rate(lambda: obey(host, table), LINES)
    yield Figure("link, encode a line", f"{bare:,.0f} lines/s")
    yield Figure("link, decode a line", f"{read_bare:,.0f} lines/s")
    yield Figure("link, seal a record", f"{wrote:,.0f} lines/s", f"{bare / wrote:.1f} x encoding it")
    yield Figure("link, verify a record", f"{followed:,.0f} lines/s", f"{read_bare / followed:.1f} x decoding it")
    yield Figure("link, seal a command and check it", f"{commanded:,.0f} lines/s")


def obey(host: Session, table: Session) -> None:
    line = host.line(["command", 1, "dealer 1", "event", ["bet", 1, "P1", "initial", 500]])[:-1]
    assert table.refusal(read(line, HOST), line) is None


PREPARE = """
import json
from shared.journal.chain import Chain
from shared.journal.journal import Journal
from shared.journal.seal import Sealer
from shared.journal.wire import encode

class Memory:
    capacity = 1 << 20
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
journal = Journal(Memory(), sealer, "T1")
chain = Chain(sealer, "T1")
head = bytes(130)
def append():
    journal.append(record)
def MAC():
    sealer.seal(chain.last, head)
def encode_it():
    encode(record)
append()
"""


def measure_micropython_records() -> Figures:
    """What one record costs on MicroPython, flash aside: this machine runs some four times faster than a Pico."""
    with micropython.with_rules() as interpreter:
        interpreter.run(PREPARE, encode(RECORD)[:-10].decode())
        append, mac, encoding = (micropython.cost(interpreter, what) for what in ("append", "MAC", "encode_it"))
    for what, (microseconds, heap), beside in (
        ("append", append, ""),
        ("MAC", mac, f"{mac[0] / append[0]:.0%} of the append"),
        ("encode", encoding, ""),
    ):
        yield Figure(f"MicroPython, {what}, a record", f"{microseconds:.0f} us, {heap} bytes", beside)
