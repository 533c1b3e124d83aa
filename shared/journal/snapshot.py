"""How a table stands between rounds, as records: its configuration and what reaches into the next round.

    ["begin",4,"open","00112233445566778899aabbccddeeff"]
    ["config","device","shoe"]
    ["config","boxes",2]
    ["carried","number",6]
    ["carried","command",[12,true,"",null,[],"8c736521"]]

`begin` says how many follow, why, and the digest of the rules; `command` is the host's last command and its
answer, `faults` what is latched. They are written before every round, at every new configuration, when there has
been much to record without a round, and before another firmware comes, so a replay can begin at any of them
though what came before is gone. Objects are written as sorted lists of pairs, because only lists have one order
everywhere; a value as a new round has it is left out.
"""

from shared.journal.journal import BEGIN
from shared.round.events import MAX_NAME
from shared.round.round import CARRIED, Round
from shared.round.table import FIELDS, BadConfig
from shared.values import clean, const

CONFIGURED = "config"
IDLE = "idle"
_COMMAND = const("command")
FAULTS = "faults"
_NAMES_A_RECORD = const(8)  # of at most 40 characters each, so that a list of players fits lines


def plain_config(config):
    """A configuration as [field, value] pairs in the order of FIELDS, objects as sorted pairs."""
    return [[field, plain_value(config[field])] for field in FIELDS if field in config]


def plain_value(value):
    if isinstance(value, dict):
        return [[name, plain_value(value[name])] for name in sorted(value)]
    return list(value) if isinstance(value, tuple) else value


def read_config(pairs):
    """The configuration as the object that a Table takes."""
    config = {}
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], str):
            raise BadConfig("object_expected", "configuration")
        field, value = pair
        if field in config:
            raise BadConfig("given_twice", clean(field, MAX_NAME))
        is_object = field in ("limits", "progressive", "posts")
        config[field] = read_object(field, value) if is_object else value
    return config


def read_object(field, value):
    if value is None:
        return None
    if not isinstance(value, list):
        raise BadConfig("object_expected", field)
    read = {}
    for pair in value:
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], str) or pair[0] in read:
            raise BadConfig("object_expected", field)
        read[pair[0]] = pair[1]
    return read


def standing_records(why, config, round_, command, answer, faults):
    """The records that say how a table stands; the recorder adds its rules to `begin`.

    `answer` is (done, code, paragraph, detail, check) of the last command.
    """
    parts = [["config", field, value] for field, value in plain_config(config)]
    for name, value, usual in zip(CARRIED, round_.carry(), Round(round_.table).carry()):
        if name != "number" and value == usual:
            continue
        if isinstance(value, list) and value:
            for start in range(0, len(value), _NAMES_A_RECORD):
                parts.append(["carried", name, value[start : start + _NAMES_A_RECORD]])
        else:
            parts.append(["carried", name, value])
    if command:
        parts.append(["carried", _COMMAND, [command] + list(answer)])
    if faults:
        parts.append(["carried", FAULTS, list(faults)])
    return [[BEGIN, len(parts), why]] + parts


def read_standing(parts):
    """What the records after a `begin` say: (configuration, Round, command, faults).

    The command is None or [id, done, code, paragraph, detail, check].
    """
    config = read_config([part[1:] for part in parts if part[0] == "config"])
    carried = {}
    for part in parts:
        if part[0] == "carried":
            name, value = part[1:]
            if isinstance(value, list) and name in carried:
                value = carried[name] + value
            carried[name] = value
    fresh = Round(config)
    values = [carried.get(name, usual) for name, usual in zip(CARRIED, fresh.carry())]
    command = carried.get(_COMMAND)
    if command and len(command) == 4:  # by an older firmware, whose answers were sentences
        number, done, _, check = command
        command = [number, done, "" if done else "before_update", None, [], check]
    return config, Round(fresh.table, values), command, carried.get(FAULTS, [])


def reconfigured(round_, config):
    """The Round of a new configuration: the numbers go on, and with the same game all that reaches across.

    A jackpot's meter goes on too; it starts anew only where its game does.
    """
    fresh = Round(config)
    if round_ is None:
        return fresh
    if round_.book.ID == fresh.book.ID:
        return Round(fresh.table, round_.carry())
    fresh.number = round_.number
    return fresh
