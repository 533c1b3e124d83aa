"""What scenarios do without any mutation: what comes of each, how long it takes, and which lines it runs."""

import json
from hashlib import sha256
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from host.bench.mutations.player import TARGETS
from host.bench.mutations.tree import COPIED, Play, Tree

SLOWER = 5  # times as long as without a mutation is too long
LEAST_LIMIT = 3.0  # seconds of the processor
CLEAN_LIMIT = 300.0  # of the processor, for one scenario without a mutation, watched
START = -1  # stands for what runs before the first scenario


class Reach(NamedTuple):
    plays: list[Play]  # every scenario on every target, as it comes out
    lines: dict[str, list[int]]  # "module:line" -> the plays that run it

    def of(self, module: str, line: int) -> list[int]:
        """The plays that run this line; all do if it runs when the module is loaded."""
        plays = self.lines.get(f"{module}:{line}", [])
        return list(range(len(self.plays))) if START in plays else plays


def measure_reach(tree: Tree) -> Reach:
    """Twice: once for the time, once for the lines."""
    every = [Play(target, path, CLEAN_LIMIT, None) for target in TARGETS for path in tree.scenarios()]
    timed = results_of(tree, every, watch=False)
    watched = results_of(tree, every, watch=True)
    lines: dict[str, list[int]] = {}
    for number, result in enumerate(watched, START):
        for line in result["lines"]:
            lines.setdefault(line, []).append(number)
    plays = [
        play._replace(limit=max(LEAST_LIMIT, SLOWER * result["seconds"]), wanted=result["outcome"])
        for play, result in zip(every, timed, strict=True)
    ]
    return Reach(plays, lines)


def results_of(tree: Tree, plays: list[Play], watch: bool) -> list[dict[str, Any]]:
    told, end = tree.play(plays, CLEAN_LIMIT, watch)
    if end:
        raise SystemExit(f"The scenarios cannot be played without a mutation: the process {end}")
    return [one for one in told if "played" in one]


def lines_with_code(source: str) -> set[int]:
    """Those that can be seen to run."""
    found: set[int] = set()
    waiting: list[CodeType] = [compile(source, "module", "exec")]
    while waiting:
        code = waiting.pop()
        found |= {line for _, _, line in code.co_lines() if line}
        waiting += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return found


# -- kept, as it takes a minute


def code_digest(tree: Tree) -> str:
    """Of all that decides what a play comes to, but for the scenarios and this room."""
    files = [path for room in COPIED for path in sorted((tree.folder / room).rglob("*.py"))]
    here = Path("host") / "bench" / "mutations"
    return digest(tree, [path for path in files if here not in path.relative_to(tree.folder).parents])


def scenarios_digest(tree: Tree) -> str:
    return digest(tree, [tree.folder / path for path in tree.scenarios()])


def digest(tree: Tree, files: list[Path]) -> str:
    made = sha256()
    for path in files:
        made.update(path.relative_to(tree.folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return made.hexdigest()[:16]


def kept_reach(tree: Tree, file: Path) -> Reach:
    """As it was measured before, if code and scenarios are the same."""
    state = f"{code_digest(tree)} {scenarios_digest(tree)}"
    if file.exists():
        kept = json.loads(file.read_text())
        if kept["state"] == state:
            return Reach([Play(*play) for play in kept["plays"]], kept["lines"])
    reach = measure_reach(tree)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"state": state, **reach._asdict()}))
    return reach
