"""Keys that are pressed, stick and bounce; chips that are laid, and sensors that fail."""

from typing import Any

from host.bench.troubles.bench import Bench, cannot

PASS_MS = 10  # between two looks of the table at keys and sensors
PRESS_MS = 150  # as people press; the table may be erasing flash for 45 of these
CHIP_MS = 200
FLICKER_MS = 50  # shorter than the table believes
STUCK_MS = 11_000
CHANGES = 25  # of a sensor that chatters
ON_MS = 160  # each of which the table believes


def pass_time(bench: Bench, milliseconds: int) -> None:
    for _ in range(0, milliseconds, PASS_MS):
        bench.step(PASS_MS)


def key_place(bench: Bench, key: str) -> int:
    return [name for name, _ in bench.board_module().KEYS].index(key)


def press(bench: Bench, f: dict[str, Any]) -> None:
    push(bench, f["key"], PRESS_MS)


def bounce(bench: Bench, f: dict[str, Any]) -> None:
    push(bench, f["key"], PASS_MS)


def push(bench: Bench, key: str, milliseconds: int) -> None:
    place = key_place(bench, key)
    bench.keys[place] = 0
    pass_time(bench, milliseconds)
    bench.keys[place] = 1
    pass_time(bench, PRESS_MS)


def hold(bench: Bench, f: dict[str, Any]) -> None:
    bench.keys[key_place(bench, f["key"])] = 0
    pass_time(bench, PRESS_MS)
    for _ in range(0, STUCK_MS, 100):
        bench.step()


def let_go(bench: Bench, f: dict[str, Any]) -> None:
    bench.keys[key_place(bench, f["key"])] = 1
    pass_time(bench, PRESS_MS)


# -- chips


def spot(bench: Bench, f: dict[str, Any]) -> int:
    board = bench.board_module()
    names = [wager.name for wager in bench.table.book.WAGERS]
    if f["wager"] not in names or not 1 <= f["box"] <= board.BOXES:
        cannot(f"there is no sensor of {f['wager']} on box {f['box']}")
    return (f["box"] - 1) * board.SPOTS + names.index(f["wager"])


def chips(bench: Bench, f: dict[str, Any]) -> None:
    bench.sensors[spot(bench, f)] = 0 if f["there"] else 1
    pass_time(bench, CHIP_MS)


def flicker(bench: Bench, f: dict[str, Any]) -> None:
    place = spot(bench, f)
    bench.sensors[place] ^= 1
    pass_time(bench, FLICKER_MS)
    bench.sensors[place] ^= 1
    pass_time(bench, CHIP_MS)


def chatter(bench: Bench, f: dict[str, Any]) -> None:
    place = spot(bench, f)
    for _ in range(CHANGES):
        bench.sensors[place] ^= 1
        pass_time(bench, ON_MS)


def sensors(bench: Bench, f: dict[str, Any]) -> None:
    if not bench.board_module().REGISTERS:
        cannot("the sensors of a small table have no cable")
    bench.sensors_plugged = f["plugged"]
    pass_time(bench, CHIP_MS)


def broken_wire(bench: Bench, f: dict[str, Any]) -> None:
    """To the registers: then every input reads active."""
    if not bench.board_module().REGISTERS:
        cannot("the sensors of a small table have a wire each")
    if f["broken"]:
        bench.levels_before = list(bench.sensors)
        bench.sensors[:] = [0] * len(bench.sensors)
    else:
        bench.sensors[:] = bench.levels_before
    pass_time(bench, CHIP_MS)
