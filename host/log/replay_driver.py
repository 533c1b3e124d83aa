"""Plays records again with the rules in a wheel; run in a process of its own by host/log/other_rules.py.

The arguments are the path of the wheel and the digest of its rules as JSON. Each line of the input is [number,
record]; the output is [number, difference] for each record that differs, and at the end how many were played.
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from runpy import run_path

# Where older versions had what a replay needs.
MOVED = {
    "shared.journal.journal": "shared.journal",
    "shared.journal.replay": "shared.replay",
    "shared.journal.wire": "shared.wire",
    "shared.round.records": "shared.records",
}


def main(wheel: str, rules: str) -> None:
    sys.path.insert(0, wheel)
    try:
        import_module("shared.journal.replay")
    except ImportError:
        for name, before in MOVED.items():
            sys.modules[name] = import_module(before)
    replay = run_path(str(Path(__file__).with_name("strict_replay.py")))["StrictReplay"](json.loads(rules))
    played = 0
    for line in sys.stdin:
        number, record = json.loads(line)
        difference = replay.take(record)
        if difference:
            print(json.dumps([number, difference], default=repr))
        played += replay.is_playing
    print(played)


if __name__ == "__main__":
    main(*sys.argv[1:])
