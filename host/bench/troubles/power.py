"""Power that goes at a bad moment, flash that wears out or is full, and another Pico in the place of this one."""

from binascii import unhexlify
from typing import Any

from host.bench.troubles.bench import Bench, can, cannot
from host.bench.troubles.devices import pass_seconds
from shared.journal.carry import first_line
from shared.journal.wire import decode

CUT_MS = 4000  # within which the power must have gone
ANSWER_MS = 10_000
STAYS = -1
MOST_CALLS = 1000
NONSENSE = 10  # before each


def restart(bench: Bench, f: dict[str, Any]) -> None:
    bench.step()  # what came last is answered
    come_back(bench)


def come_back(bench: Bench) -> None:
    broken = bench.try_to_start()
    if broken:
        bench.is_dead = bench.is_ruined = True
        bench.came.append(["faulty", broken])
        return
    if bench.has_host and bench.has_cable:
        bench.wait_for(lambda: bench.link.is_up, ANSWER_MS, "the table does not come back")


def tear(bench: Bench, f: dict[str, Any]) -> None:
    """In the middle of an operation; how much of that gets done depends on which it is."""
    cut = can(bench, "cut_power")
    cut(f["count"] - 1, f["count"] * 3 % 8)
    bench.is_cut = True
    bench.begin(f["step"])
    wait_for_cut(bench)
    come_back(bench)


def wait_for_cut(bench: Bench) -> None:
    is_off = can(bench, "is_off")
    if not bench.wait_for(is_off, CUT_MS):
        cannot("the flash of this target takes fewer writes for that")
    can(bench, "cut_power")(STAYS, 0)
    bench.is_cut = False


def tear_start(bench: Bench, f: dict[str, Any]) -> None:
    """The power goes once more while the table starts."""
    bench.step()
    can(bench, "cut_power")(f["count"] - 1, f["count"] * 3 % 8)
    bench.switch_on()
    wait_for_cut(bench)
    come_back(bench)


# -- the flash


def weaken(bench: Bench, f: dict[str, Any]) -> None:
    can(bench, "weaken")(f["count"])


def break_flash(bench: Bench, f: dict[str, Any]) -> None:
    can(bench, "break_flash")()
    bench.is_ruined = True


def flip_bit(bench: Bench, f: dict[str, Any]) -> None:
    can(bench, "flip_bit")()


def fill(bench: Bench, f: dict[str, Any]) -> None:
    """By nonsense that is refused, and calls until one is refused as well; the host keeps nothing of it."""
    bench.disk_full = True
    nonsense = ["dance", *["x" * 40] * 12]
    bench.unseen = ("call", "refused")
    for _ in range(MOST_CALLS):
        for _ in range(NONSENSE):
            bench.command("event", nonsense)
        done, code = bench.command("call", ["dealer"])[:2]
        if not done:
            bench.came.append(["answered", done, code])
            return
    cannot("the journal does not get full")


# -- another program, another Pico


def hand_over(bench: Bench, f: dict[str, Any]) -> None:
    bench.step()
    bench.came.append(["handed_over", *can(bench, "hand_over")()])
    come_back(bench)


def replace(bench: Bench, f: dict[str, Any]) -> None:
    """Filled from the host's log, as `felt flash --replace` does it."""
    bench.step()
    put = can(bench, "replace")
    lines = bench.log.lines
    first = standing(bench.records)
    before = unhexlify(decode(lines[first - 2])[4])
    boot = max(decode(line)[1] for line in lines)
    note = ["replaced", "bench", "shift_manager", "E660", 1_790_000_000]
    origin = decode(lines[0])[4]
    about = (first, boot, before, origin, len(lines), note)
    carry = first_line(bench.link.sealer, *about) + b"".join(line + b"\n" for line in lines[first - 1 :])
    put(carry, bench.now)
    bench.link.unplugged()
    bench.wait_for(lambda: bench.link.is_up, ANSWER_MS, "the new Pico does not connect")
    pass_seconds(bench, 1)


def standing(records: list[list[Any]]) -> int:
    """The number of the last record from which a replay can begin."""
    for number in range(len(records), 0, -1):
        name, *values = records[number - 1]
        if name == "begin":
            follows = records[number + values[0] :]
            if values[1] != "open" or any(one[0] == "event" and one[2][0] == "open" for one in follows):
                return number
    return cannot("the log has nothing from which another Pico could go on")
