"""A shuffler, reader or shoe that jams, falls silent, says things twice, or talks nonsense."""

from typing import Any

from firmware.drivers.device_line import with_check
from host.bench.troubles.bench import Bench, cannot, device
from host.simulator.devices import AngelEyeShoe, FixedFramesReader, LineDevice
from shared.rules.cards import UNREAD

OVERLONG = 300  # bytes, more than any line of a device has
SECOND_MS = 1000


def pass_card(bench: Bench, f: dict[str, Any]) -> None:
    """A card passes, whether the table asked for one or not."""
    if bench.shuffler:
        bench.shuffler.let_go()
    bench.reader.faults.unread = f["card"] == UNREAD
    bench.reader.passes("XX" if f["card"] == UNREAD else f["card"], f.get("up", False))


def with_all(bench: Bench, f: dict[str, Any]) -> None:
    """An event with all that the table does then, such as dealing cards that waited."""
    for event in f["step"]:
        bench.happen(event)


def line_device(bench: Bench, name: str) -> LineDevice:
    found = device(bench, name)
    if not isinstance(found, LineDevice):
        cannot(f"the {name} of this table does not speak in lines")
    return found


def say(bench: Bench, f: dict[str, Any]) -> None:
    line_device(bench, f["device"]).say(f["words"])


def say_again(bench: Bench, f: dict[str, Any]) -> None:
    """Under the number of its last line, as if the answer had been lost."""
    found = line_device(bench, f["device"])
    found.outgoing += with_check(f"{(found.number - 2) % 999 + 1} {f['words']}")


def bad_lines(bench: Bench, f: dict[str, Any]) -> None:
    found = device(bench, f["device"])
    if isinstance(found, LineDevice):
        found.outgoing += b"7 CARD KS*00000000\n" * f["count"]
    elif isinstance(found, AngelEyeShoe):
        found.outgoing += b"\x051D1\x3d\x0300" * f["count"]
    else:
        found.outgoing += b"\xa5C\x01KS\x00\x00\x00" * f["count"]


def long_line(bench: Bench, f: dict[str, Any]) -> None:
    found = line_device(bench, f["device"])
    # Its end would be a good line, if it stood alone.
    found.outgoing += b"x" * OVERLONG + with_check("7 CARD KS")


def silence(bench: Bench, f: dict[str, Any]) -> None:
    device(bench, f["device"]).faults.silent = True


def nonsense(bench: Bench, f: dict[str, Any]) -> None:
    device(bench, f["device"]).faults.noisy = True


def deaf(bench: Bench, f: dict[str, Any]) -> None:
    bench.deaf.add(f["device"])


def works(bench: Bench, f: dict[str, Any]) -> None:
    found = device(bench, f["device"])
    found.faults.silent = found.faults.noisy = False
    bench.deaf.discard(f["device"])
    for _ in range(2):
        pass_seconds(bench, 1)


def report(bench: Bench, f: dict[str, Any]) -> None:
    if not isinstance(bench.reader, AngelEyeShoe):
        cannot("this table has no Angel Eye shoe")
    bench.reader.report(f["report"])


def frame(bench: Bench, f: dict[str, Any]) -> None:
    if not isinstance(bench.reader, FixedFramesReader):
        cannot("the reader of this table has no fixed frames")
    bench.reader.report(f["frame"][0], f["frame"][1:])


def spoil(bench: Bench, f: dict[str, Any]) -> None:
    setattr(device(bench, f["device"]).faults, f["how"], True)


def wait(bench: Bench, f: dict[str, Any]) -> None:
    pass_seconds(bench, f["count"])


def pass_seconds(bench: Bench, count: int) -> None:
    for _ in range(0, count * SECOND_MS, 100):
        bench.step()
