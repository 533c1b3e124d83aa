"""What happens at a table that no phrase of a scenario says: keys, chips, devices, cables, and time that passes.

Each takes the firmware's target and what was typed, and gives what was done in words; NotMeant says what to type.
"""

from collections.abc import Callable
from typing import NamedTuple

from host.bench.console.choice import NotMeant
from host.bench.firmware_target import ANSWER_MS, STEP_MS, FirmwareTarget, board_for
from host.bench.hand_fed import HandFedShuffler
from host.words.names import plain

PRESS_MS = 200
AFTER_MS = 1500  # in which the table notices, and says so
WAIT_S = 3
LONGEST_S = 600


class Trouble(NamedTuple):
    name: str
    takes: str  # what can be typed after its key; empty for nothing
    act: Callable[[FirmwareTarget, str], str]


def pass_time(target: FirmwareTarget, milliseconds: int) -> None:
    for _ in range(0, milliseconds, STEP_MS):
        target.step()
    target.wait_for_rest()


# -- people


def press_key(target: FirmwareTarget, typed: str) -> str:
    names = [name for name, _ in board_for(target.table).KEYS]
    if (typed or "open") not in names:
        raise NotMeant(f"there is no key {typed!r}; type one of {', '.join(names)}")
    place = names.index(typed or "open")
    target.keys[place] = 0
    pass_time(target, PRESS_MS)
    target.keys[place] = 1
    pass_time(target, AFTER_MS)
    return f"the key {names[place]} is pressed"


def move_chips(target: FirmwareTarget, typed: str) -> str:
    """`1 tie`: the box, and the wager, by default the main wager."""
    number, _, wager = (typed or "1").removeprefix("box ").partition(" ")
    board = board_for(target.table)
    wagers = [plain(one.name) for one in target.table.book.WAGERS][: board.SPOTS]
    wager = wager or wagers[0]
    if number not in map(str, range(1, board.BOXES + 1)) or wager not in wagers:
        raise NotMeant(
            f"type a box from 1 to {board.BOXES} and one of {', '.join(wagers)}, such as 1 {wagers[0]}"
        )
    spot = (int(number) - 1) * board.SPOTS + wagers.index(wager)
    target.sensors[spot] ^= 1
    pass_time(target, AFTER_MS)
    return f"chips {'are gone from' if target.sensors[spot] else 'lie on'} {wager} of box {number}"


def clear_faults(target: FirmwareTarget, typed: str) -> str:
    faults = list(target.keeper.replay.faults)
    for code in faults:
        target.command("clear", [code, target.table.posts["faults"]])
    return f"staff clear: {', '.join(map(plain, faults))}" if faults else "there is no fault to be cleared"


def wait(target: FirmwareTarget, typed: str) -> str:
    if typed and not (typed.isdigit() and 0 < int(typed) <= LONGEST_S):
        raise NotMeant(f"type how many seconds, from 1 to {LONGEST_S}")
    seconds = int(typed or WAIT_S)
    pass_time(target, seconds * 1000)
    return f"{seconds} s pass"


# -- devices and cables


def shuffler_of(target: FirmwareTarget) -> HandFedShuffler:
    if not target.shuffler:
        raise NotMeant("this table has a shoe and no shuffler")
    return target.shuffler


def shuffler_says(wrong: str, right: str) -> Callable[[FirmwareTarget, str], str]:
    """One after the other, each time that the key is pressed."""

    def say(target: FirmwareTarget, typed: str) -> str:
        shuffler = shuffler_of(target)
        if wrong in shuffler.wrong:
            shuffler.wrong.remove(wrong)
            said = right
        else:
            shuffler.wrong.append(wrong)
            said = wrong
        shuffler.say(said)
        pass_time(target, AFTER_MS)
        return f"the shuffler says {said}"

    return say


def silence_shuffler(target: FirmwareTarget, typed: str) -> str:
    faults = shuffler_of(target).faults
    faults.silent = not faults.silent
    return let_notice(target, "shuffler", faults.silent)


def silence_reader(target: FirmwareTarget, typed: str) -> str:
    faults = target.reader.faults
    faults.silent = not faults.silent
    return let_notice(target, "reader", faults.silent)


def let_notice(target: FirmwareTarget, name: str, is_silent: bool) -> str:
    pass_time(target, AFTER_MS * 3)
    return f"the {name} is {'silent' if is_silent else 'there again'}"


def pull_cable(target: FirmwareTarget, typed: str) -> str:
    if not board_for(target.table).REGISTERS:
        raise NotMeant("on this board each sensor has a line of its own, and no cable")
    target.sensors_plugged = not target.sensors_plugged
    pass_time(target, AFTER_MS)
    return "the sensors' cable is " + ("in again" if target.sensors_plugged else "pulled out")


def leave_host(target: FirmwareTarget, typed: str) -> str:
    """The host computer goes, and comes back."""
    target.has_host = not target.has_host
    if target.has_host:
        target.wait_for(lambda: target.link.is_up, ANSWER_MS, "the table does not connect")
    else:
        target.link.unplugged()
    pass_time(target, AFTER_MS)
    return "the host is " + ("there again" if target.has_host else "gone")


def cut_power(target: FirmwareTarget) -> None:
    """Also between rounds, where no event follows."""
    target.step()  # what came last is answered
    target.switch_on()
    if target.has_host:
        target.wait_for(lambda: target.link.is_up, ANSWER_MS, "the table does not come back")
    pass_time(target, AFTER_MS)


TROUBLES = {
    "k": Trouble("press key", "the key, such as open", press_key),
    "j": Trouble("jam, freed", "", shuffler_says("JAM", "FREE")),
    "y": Trouble("door open, shut", "", shuffler_says("DOOR OPEN", "DOOR SHUT")),
    "3": Trouble("shuffler silent, back", "", silence_shuffler),
    "4": Trouble("reader silent, back", "", silence_reader),
    "5": Trouble("sensors' cable out, in", "", pull_cable),
    "6": Trouble("chips on a sensor, off", "box and wager", move_chips),
    "U": Trouble("host away, back", "", leave_host),
    "X": Trouble("clear faults", "", clear_faults),
    "w": Trouble("wait", "seconds", wait),
}
