"""The phrases of what happens to a table beside the game, each with what is done then.

Only a table can play them: keys, chips, devices, staff's commands, the link, the power.
"""

import re
import tomllib
from collections.abc import Callable
from typing import Any, NamedTuple

Fields = dict[str, tuple[str, Callable[[str], Any]]]


class Trouble(NamedTuple):
    template: str
    act: str
    given: dict[str, Any] | None = None
    key: str = ""  # of `felt bench console`; there the others are said in full


KEYS = ("open", "close", "reveal", "settle", "supervisor", "exposed", "play", "fold")
DEVICES = {"shuffler": "shuffler", "reader": "reader", "shoe": "reader"}
# What a shoe can report, in the bytes of its protocol.
REPORTS = {
    "its start": b"S",
    "standby": b"P",
    "an error": b"E\x45",
    "that the error is cleared": b"e",
    "that it is locked": b"L\x01",
    "that it is open": b"L\x00",
    "a cutting card": b"C",
    "a re-deal": b"R",
    "something unknown": b"Z",
}
# What a reader with fixed frames can send: kind and data.
FRAMES = {"its start": b"S", "an error": b"E\x07", "something unknown": b"Z", "an odd card": b"C\x01K\x01"}
STRANGERS = {
    "hails": "hail",
    "greets without the key": "hi",
    "tells the table to open": "command",
    "says goodbye for the host": "bye",
    "repeats the host's last command": "replay",
    "repeats the host's last greeting": "old_hi",
    "says a word that nobody knows": "unknown",
    "says a word in the wrong shape": "shape",
    "speaks as a table": "table",
}
OTHER_HOSTS = {
    "other rules": "rules",
    "another language": "messages",
    "another version": "version",
    "a log that goes on": "ahead",
    "another log": "differs",
    "an empty log": "empty",
}
MOODS = {
    "a fault": "fault",
    "no host": "no_link",
    "a round": "round",
    "that all is well": "idle",
}

TROUBLES = (
    # keys and chips
    Trouble("the {key} key is pressed", "press", key="k"),
    Trouble("the {key} key bounces", "bounce"),
    Trouble("the {key} key is held down", "hold", key="["),
    Trouble("the {key} key is let go", "let_go", key="]"),
    Trouble("chips are laid: {wager} on {box}", "chips", {"there": True}, key="+"),
    Trouble("chips are taken: {wager} on {box}", "chips", {"there": False}, key="-"),
    Trouble("a hand passes over {wager} on {box}", "flicker"),
    Trouble("the sensor of {wager} on {box} chatters", "chatter"),
    Trouble("the sensors are unplugged", "sensors", {"plugged": False}, key="5"),
    Trouble("the sensors are plugged in", "sensors", {"plugged": True}, key="6"),
    Trouble("a wire of the sensors breaks", "broken_wire", {"broken": True}),
    Trouble("the wire of the sensors is repaired", "broken_wire", {"broken": False}),
    # devices
    Trouble("{card} passes the reader", "pass"),
    Trouble("{card} passes the reader face up", "pass", {"up": True}),
    Trouble("{cards} pass the reader", "pass"),
    Trouble("what waited follows: {step}", "with_all"),
    Trouble("the {device} says {words}", "say", key="j"),
    Trouble("the {device} says {words} again", "say_again"),
    Trouble("the {device} sends {count} bad lines", "bad_lines"),
    Trouble("the {device} sends a line without end", "long_line"),
    Trouble("the {device} falls silent", "silence", key="3"),
    Trouble("the {device} talks nonsense", "nonsense"),
    Trouble("the {device} does not hear the table", "deaf"),
    Trouble("the {device} works again", "works", key="4"),
    Trouble("the shoe reports {report}", "report"),
    Trouble("the reader sends {frame}", "frame"),
    Trouble("the next report of the {device} is lost", "spoil", {"how": "lost"}),
    Trouble("the next report of the {device} is disturbed", "spoil", {"how": "disturbed"}),
    Trouble("the next card is read twice", "spoil", {"device": "reader", "how": "read_twice"}),
    Trouble("{count} seconds pass", "wait", key="w"),
    # staff
    Trouble("fault cleared: {fault}", "clear", key="X"),
    Trouble("fault cleared: {fault}, says the {by}", "clear"),
    Trouble("the {by} is called", "call", key="E"),
    Trouble("the {by} is called {count} times", "call"),
    Trouble("the table is set up anew", "set_up"),
    Trouble("the table is set up with {count} boxes", "set_up"),
    Trouble("the table is set up for {book}", "set_up"),
    Trouble("the table is set up with: {setting}", "set_up"),
    Trouble("the host tells: {values}", "raw_event"),
    Trouble("the last command comes again", "again"),
    Trouble("another command comes under its number", "number_used"),
    Trouble("a command that nobody knows", "odd_command"),
    Trouble("a command without arguments", "bare_command"),
    Trouble("the host tells a card", "card_command"),
    Trouble("the host tells something that is no event", "odd_event"),
    # the link
    Trouble("the host stops", "stop_host"),
    Trouble("the host dies", "kill_host", key="9"),
    Trouble("the host is back", "start_host", key="0"),
    Trouble("the host is back without its last {count} records", "start_host"),
    Trouble("the host's disk is full", "disk", {"full": True}),
    Trouble("the host's disk has room", "disk", {"full": False}),
    Trouble("the USB cable is pulled", "cable", {"plugged": False}, key="7"),
    Trouble("the USB cable is put in", "cable", {"plugged": True}, key="8"),
    Trouble("noise on the line", "noise"),
    Trouble("nothing of the table reaches the host for {count} seconds", "lose_records"),
    Trouble("nothing of the host reaches the table for {count} seconds", "lose_commands"),
    Trouble("a stranger {strange}", "stranger"),
    Trouble("a host with {other} comes", "other_host"),
    # the power, and the flash
    Trouble("the power fails and comes back", "restart", key="Q"),
    Trouble("the power fails at write {count} of: {step}", "tear"),
    Trouble("the power fails at write {count} of the start", "tear_start"),
    Trouble("the next write to flash fails", "weak_flash", {"count": 1}),
    Trouble("the next {count} writes to flash fail", "weak_flash"),
    Trouble("the flash breaks", "break_flash"),
    Trouble("a bit of the journal changes", "flip_bit"),
    Trouble("the journal is filled", "fill"),
    Trouble("the firmware is about to be flashed", "hand_over"),
    Trouble("another Pico takes its place", "replace"),
    # what can be seen at the table
    Trouble("look: the LED shows {mood}", "led"),
    Trouble("look: the shoe is locked", "lock", {"locked": True}),
    Trouble("look: the shoe is open", "lock", {"locked": False}),
    Trouble("look: the shuffler was told {orders}", "told"),
)

ONLY_A_TABLE = "the rules core has no keys, devices, link, power or flash"
DIGEST = re.compile(r"[0-9a-f]{24,}")  # told as `#`, as every change of the code makes another
WORDS = r"[A-Z0-9?.]+(?: [A-Z0-9?.]+)*"


def one_of(words: dict[str, Any]) -> tuple[str, Callable[[str], Any]]:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True)), words.__getitem__


def read_setting(words: str) -> dict[str, Any]:
    """A line of TOML."""
    try:
        return tomllib.loads(words)
    except tomllib.TOMLDecodeError:
        return {"setting": words}  # which no table takes


def read_value(word: str) -> Any:
    if word.isdigit():
        return int(word)
    return {"none": None, "yes": True, "no": False}.get(word, word)


# How the fields are written that no event has.
TROUBLE_FIELDS: Fields = {
    "key": one_of({key: key for key in KEYS}),
    "device": one_of(DEVICES),
    "words": (WORDS, str),
    "orders": (rf"nothing|{WORDS}(?:, {WORDS})*", lambda words: [] if words == "nothing" else words.split(", ")),
    "report": one_of(REPORTS),
    "frame": one_of(FRAMES),
    "setting": (r"\S+ = .+", read_setting),
    "values": (r"\S+(?: \S+)*", lambda words: [read_value(word) for word in words.split()]),
    "fault": (r"[a-z][a-z ]*[a-z]", lambda words: words.replace(" ", "_")),
    "book": (r"[a-z0-9-]+", str),
    "strange": one_of(STRANGERS),
    "other": one_of(OTHER_HOSTS),
    "mood": one_of(MOODS),
}
ACTS = frozenset(trouble.act for trouble in TROUBLES)

# What the table has recorded of a trouble: its records as shared/ROUNDS.md names them. Each of these kinds must
# be named behind the step that caused it; of others only those that a scenario names are compared.
NAMED = (
    "fault",
    "cleared",
    "device",
    "late",
    "sensed",
    "held",
    "denied",
    "mismatch",
    "unknown",
    "quiet",
    "call",
    "link",
    "console",
    "files",
    "replaced",
)
MAY_BE_NAMED = ("boot", "answer", "wear", "begin", "config", "carried")
# Records of the bench itself: what it saw that the table does not write.
SEEN = ("faulty", "handed_over", "answered")
# After these the table may send a record more than once.
SPOIL_LINE = (
    "kill_host",
    "stop_host",
    "start_host",
    "other_host",
    "disk",
    "fill",
    "cable",
    "noise",
    "lose_records",
    "lose_commands",
    "tear",
    "replace",
)
LOOKS = ("led", "lock", "told")


def must_be_named(record: list[Any]) -> bool:
    """Also a refusal of what is no event."""
    return record[0] in NAMED or is_own_refusal(record)


def may_be_named(record: list[Any]) -> bool:
    return must_be_named(record) or record[0] in MAY_BE_NAMED or record[0] in SEEN


def is_own_refusal(record: list[Any]) -> bool:
    return record[0] == "refused" and record[1][0] in ("command", "malformed")


def told(record: list[Any]) -> str:
    """A record as scenarios write it: names in words, values with spaces between."""
    if is_own_refusal(record):
        record = ["refused", record[1][-1] if record[1][0] == "command" else record[1], record[3], record[4]]
    if record[0] == "mismatch" and record[1].startswith("log"):
        record = record[:2]  # where both logs end hangs on everything before
    return " ".join([record[0].replace("_", " "), *map(told_value, record[1:])]).strip()


def told_value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " ".join(map(told_value, value))
    if isinstance(value, str) and DIGEST.fullmatch(value):
        return "#"
    return "none" if value is None or value == "" else str(value).replace("_", " ")
