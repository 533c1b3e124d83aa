"""What scenarios do without any mutation: what comes of each, how long it takes, and which lines it runs."""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from host.bench.mutations.player import IMPORTED, TARGETS
from host.bench.mutations.tree import COPIED, Play, Tree

SLOWER = 5  # times as long as without a mutation is too long
LEAST_LIMIT = 3.0  # seconds of the processor
CLEAN_LIMIT = 300.0  # of the processor, for one scenario without a mutation, watched
START = -1  # stands for what runs before the first scenario
IMPORTED_PLAY = (IMPORTED, "")


class Seen(NamedTuple):
    """What a scenario does on a target."""

    seconds: float
    outcome: list[str]
    content: str  # the digest of its file
    lines: list[str]  # that it runs, as "module:line"


class Reach(NamedTuple):
    plays: list[Play]  # every scenario on every target, as it comes out
    lines: dict[str, list[int]]  # "module:line" -> the plays that run it
    seen: dict[tuple[str, str], Seen]  # by target and path

    def of(self, module: str, line: int) -> list[int]:
        """The plays that run this line; all do if it runs when the module is loaded."""
        plays = self.lines.get(f"{module}:{line}", [])
        return list(range(len(self.plays))) if START in plays else plays


def measure_reach(tree: Tree, kept: Mapping[tuple[str, str], Seen] | None = None) -> Reach:
    """Each scenario on each target twice, once for the time and once for the lines, but for those `kept`."""
    seen = dict(kept or {})
    every = [(target, path) for target in TARGETS for path in tree.scenarios()]
    fresh = [Play(*one, CLEAN_LIMIT, None) for one in every if one not in seen]
    if fresh:
        timed = results_of(tree, fresh, watch=False)
        imported, *watched = results_of(tree, fresh, watch=True)
        seen[IMPORTED_PLAY] = Seen(0.0, [], "", imported["lines"])
        for play, time, ran in zip(fresh, timed, watched, strict=True):
            content = content_digest(tree, play.path)
            seen[play.target, play.path] = Seen(time["seconds"], time["outcome"], content, ran["lines"])
    plays = [Play(*one, max(LEAST_LIMIT, SLOWER * seen[one].seconds), seen[one].outcome) for one in every]
    reached: dict[str, list[int]] = {}
    for number, one in enumerate([IMPORTED_PLAY, *every], START):
        for line in seen[one].lines:
            reached.setdefault(line, []).append(number)
    return Reach(plays, reached, seen)


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


def content_digest(tree: Tree, path: str) -> str:
    return sha256((tree.folder / path).read_bytes()).hexdigest()[:16]


def kept_reach(tree: Tree, file: Path) -> Reach:
    """What was measured before counts again as long as the code is the same, and the scenario."""
    code = code_digest(tree)
    kept: dict[tuple[str, str], Seen] = {}
    if file.exists():
        content = json.loads(file.read_text())
        if content.get("code") == code:
            names = content["lines"]
            for target, path, *values, numbers in content["plays"]:
                seconds, outcome, digest = values
                kept[target, path] = Seen(seconds, outcome, digest, [names[number] for number in numbers])
    there = set(tree.scenarios())
    kept = {
        (target, path): one
        for (target, path), one in kept.items()
        if target == IMPORTED or (path in there and one.content == content_digest(tree, path))
    }
    reach = measure_reach(tree, kept)
    names = sorted({line for one in reach.seen.values() for line in one.lines})
    places = {line: place for place, line in enumerate(names)}
    plays = [[*key, *one[:-1], [places[line] for line in one.lines]] for key, one in reach.seen.items()]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"code": code, "lines": names, "plays": plays}))
    return reach
