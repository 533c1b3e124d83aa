"""Hosts that stop, die and come back, lines that lose something, and strangers at the cable."""

from typing import Any

from host.bench.troubles.bench import Bench, cannot
from host.bench.troubles.devices import pass_seconds
from host.log.entries import LogEnd
from shared.journal.seal import Sealer
from shared.journal.wire import encode
from shared.link.messages import VERSION
from shared.link.session import HI

ANSWER_MS = 12_000
CAUGHT_UP_MS = 3000  # without a record: then it has
CATCH_UP_MS = 400_000  # within which a full journal reaches the host
STRANGE_KEY = bytes(32)
NO_SEAL = "0" * 24
NOISE = b"\x00\xff["  # and lines that are too long, cut off, or changed
LONGEST = 1100


def stop(bench: Bench, f: dict[str, Any]) -> None:
    bench.stray += bench.link.say_bye()
    bench.step()
    bench.has_host = False


def kill(bench: Bench, f: dict[str, Any]) -> None:
    bench.has_host = False
    pass_seconds(bench, 5)


def start(bench: Bench, f: dict[str, Any]) -> None:
    if "count" in f:
        bench.forget(f["count"])
    bench.has_host = True
    bench.link = bench.new_link()
    bench.wait_for(lambda: bench.link.is_up, ANSWER_MS, "the table does not connect again")
    bench.wait_for(lambda: not bench.again, ANSWER_MS, "what the host had lost does not come again")


def disk(bench: Bench, f: dict[str, Any]) -> None:
    bench.disk_full = f["full"]
    if not bench.disk_full:
        quiet = 0
        for _ in range(0, CATCH_UP_MS, 100):
            before = len(bench.log.lines)
            bench.step()
            quiet = quiet + 100 if len(bench.log.lines) == before else 0
            if quiet >= CAUGHT_UP_MS:
                break
        bench.unseen = ()


def cable(bench: Bench, f: dict[str, Any]) -> None:
    bench.has_cable = f["plugged"]
    if not bench.has_cable:
        bench.link.unplugged()
        pass_seconds(bench, 5)
    else:
        bench.wait_for(lambda: bench.link.is_up, ANSWER_MS, "the table does not connect again")


def noise(bench: Bench, f: dict[str, Any]) -> None:
    beat = bench.last_said.get("alive", b'["alive",1,"0"]*00000000\n')
    bench.stray += NOISE + b"\n" + beat[:-5] + b"\n" + beat.replace(b"alive", b"alike") + b"x" * LONGEST
    bench.step()
    bench.stray += b"x" * LONGEST
    bench.step()
    bench.stray += b"x\n"
    pass_seconds(bench, 1)


def lose_records(bench: Bench, f: dict[str, Any]) -> None:
    bench.lost["table"] = bench.now + 1000 * f["count"]


def lose_commands(bench: Bench, f: dict[str, Any]) -> None:
    bench.lost["host"] = bench.now + 1000 * f["count"]


def stranger(bench: Bench, f: dict[str, Any]) -> None:
    bench.stray += LINES[f["strange"]](bench)
    pass_seconds(bench, 1)


def hi_of(bench: Bench) -> bytes:
    link = bench.link
    message = ["hi", VERSION, link.messages, link.rules, 0, NO_SEAL, "0" * 32]
    return Sealer(STRANGE_KEY).line(message, HI, b"")


def said_before(bench: Bench, name: str) -> bytes:
    if name not in bench.last_said:
        cannot(f"the host has not said {name} yet")
    return bench.last_said[name]


LINES = {
    "hail": lambda bench: encode(["hail"]),
    "hi": hi_of,
    "command": lambda bench: encode(["command", 99999, "stranger", "event", ["open"], 99999, NO_SEAL]),
    "bye": lambda bench: encode(["bye", 99999, NO_SEAL]),
    "replay": lambda bench: said_before(bench, "command"),
    "old_hi": lambda bench: said_before(bench, "hi"),
    "unknown": lambda bench: encode(["juggle", 1]),
    "shape": lambda bench: (
        encode(["ack"]) + encode(["ack", "one", 1, NO_SEAL]) + encode(["command", 1, "", "x", 7, 1, NO_SEAL])
    ),
    "table": lambda bench: encode(["beat", 1, 1, NO_SEAL]),
}


def other(bench: Bench, f: dict[str, Any]) -> None:
    """It tries for some seconds, in place of the one that was there."""
    bench.has_host = False
    pass_seconds(bench, 5)
    ours = bench.link
    link = bench.link = bench.new_link()
    end = bench.log.end()
    kind = f["other"]
    if kind == "rules":
        link.rules = "00" * 16
    elif kind == "messages":
        link.messages = "00" * 16
    elif kind == "version":
        link.hi = (
            lambda hello: link.sealer.line(  # a later one, which says more
                ["hi", VERSION + 1, link.messages, link.rules, end.number, end.seal.hex(), "0" * 32], HI, hello
            )[:-1]
        )
    elif kind == "ahead":
        link.log_end = lambda: LogEnd(end.number + 1000, bytes(12))
    elif kind == "differs":
        link.log_end = lambda: LogEnd(end.number - 1, bytes(12))
    else:
        link.log_end = lambda: None
    bench.has_host = True
    was_full, bench.disk_full = bench.disk_full, True  # what comes is its own
    pass_seconds(bench, 4)
    bench.disk_full = was_full
    link.records.clear()
    bench.has_host = False
    bench.link = ours
    ours.unplugged()
    pass_seconds(bench, 5)
