"""What is done when a scenario says that something goes wrong, by name."""

from collections.abc import Callable
from typing import Any

from host.bench.troubles import devices, host, inputs, looks, power, staff
from host.bench.troubles.bench import Bench, CannotAct, NotSo

__all__ = ["CannotAct", "NotSo", "perform"]

ACTS: dict[str, Callable[[Bench, dict[str, Any]], None]] = {
    "press": inputs.press,
    "bounce": inputs.bounce,
    "hold": inputs.hold,
    "let_go": inputs.let_go,
    "chips": inputs.chips,
    "flicker": inputs.flicker,
    "chatter": inputs.chatter,
    "sensors": inputs.sensors,
    "broken_wire": inputs.broken_wire,
    "pass": devices.pass_card,
    "with_all": devices.with_all,
    "say": devices.say,
    "say_again": devices.say_again,
    "bad_lines": devices.bad_lines,
    "long_line": devices.long_line,
    "silence": devices.silence,
    "nonsense": devices.nonsense,
    "deaf": devices.deaf,
    "works": devices.works,
    "report": devices.report,
    "frame": devices.frame,
    "spoil": devices.spoil,
    "wait": devices.wait,
    "clear": staff.clear,
    "call": staff.call,
    "set_up": staff.set_up,
    "again": staff.again,
    "number_used": staff.number_used,
    "odd_command": staff.odd_command,
    "bare_command": staff.bare_command,
    "card_command": staff.card_command,
    "odd_event": staff.odd_event,
    "raw_event": staff.raw_event,
    "stop_host": host.stop,
    "kill_host": host.kill,
    "start_host": host.start,
    "disk": host.disk,
    "cable": host.cable,
    "noise": host.noise,
    "lose_records": host.lose_records,
    "lose_commands": host.lose_commands,
    "stranger": host.stranger,
    "other_host": host.other,
    "restart": power.restart,
    "tear": power.tear,
    "tear_start": power.tear_start,
    "weak_flash": power.weaken,
    "break_flash": power.break_flash,
    "flip_bit": power.flip_bit,
    "fill": power.fill,
    "hand_over": power.hand_over,
    "replace": power.replace,
    "led": looks.led,
    "lock": looks.lock,
    "told": looks.told,
}


def perform(bench: Bench, event: dict[str, Any]) -> None:
    """Do it, and let the table come to rest. CannotAct if this target cannot, NotSo if it looks otherwise."""
    ACTS[event["event"]](bench, event)
    bench.rest()
