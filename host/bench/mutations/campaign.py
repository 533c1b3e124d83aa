"""Plays scenarios on each mutant until one notices, and keeps the verdicts, so that the next run goes on."""

import json
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from host.bench.mutations.reach import Reach, code_digest, lines_with_code, scenarios_digest
from host.bench.mutations.sites import Site, find_sites, mutated, sample
from host.bench.mutations.tree import Play, Tree

CAUGHT = "caught"
SURVIVED = "survived"
NOT_REACHED = "not reached"  # survived, as no scenario runs its line
FEW = 3  # plays
START_LIMIT = 20.0  # seconds until the first scenario begins


class Verdict(NamedTuple):
    site: Site
    verdict: str
    reached: int  # how many plays run its line
    by: str  # the play that caught it
    how: str  # what was wrong there
    seconds: float


def sites_of(tree: Tree) -> list[Site]:
    return [site for module in tree.modules() for site in find_sites(module, tree.source(module))]


def run(tree: Tree, reach: Reach, count: int, seed: int, file: Path) -> Iterator[Verdict]:
    """The verdicts of a sample, as they come."""
    progress = Progress(file, tree)
    for site in sample(sites_of(tree), count, seed):
        verdict = progress.known(site)
        if not verdict:
            verdict = judge(tree, reach, site)
            progress.keep(verdict)
        yield verdict


def judge(tree: Tree, reach: Reach, site: Site) -> Verdict:
    """The scenarios that run its line. What only a few run may make something that is kept for all, such as the ring of
    the first table, so then the others come too."""
    source = tree.source(site.module)
    line = site.line if site.line in lines_with_code(source) else site.statement
    reached = reach.of(site.module, line)
    if not reached:
        return Verdict(site, NOT_REACHED, 0, "", "", 0.0)
    begun = time.perf_counter()
    first = set(reached)
    others = [number for number in range(len(reach.plays)) if number not in first] if len(reached) <= FEW else []
    with tree.changed(site.module, mutated(source, site)):
        caught, by, how = notice(tree, [reach.plays[number] for number in [*reached, *others]])
    seconds = round(time.perf_counter() - begun, 1)
    return Verdict(site, CAUGHT if caught else SURVIVED, len(reached), by, how, seconds)


def notice(tree: Tree, plays: list[Play]) -> tuple[bool, str, str]:
    """(whether it was caught, by which play, what was wrong)"""
    told, end = tree.play(plays, START_LIMIT)
    if end:
        begun = [one["begun"] for one in told if "begun" in one]
        return True, name_of(*begun[-1]) if begun else "any scenario", end
    last = told[-1]
    if last["outcome"] == plays[sum("played" in one for one in told) - 1].wanted:
        return False, "", ""
    return True, name_of(*last["played"]), last["outcome"][1] or f"{last['outcome'][0]} after all"


def name_of(target: str, path: str) -> str:
    return f"{path} on {target}"


class Progress:
    """A line of JSON a verdict. It counts again if the code is the same, and the scenario that caught it; a
    survivor only if no scenario is new."""

    def __init__(self, file: Path, tree: Tree) -> None:
        self.file = file
        self.tree = tree
        self.code = code_digest(tree)
        self.scenarios = scenarios_digest(tree)
        self.done: dict[tuple[str, str], dict[str, Any]] = {}
        for line in file.read_text().splitlines() if file.exists() else ():
            try:
                kept = json.loads(line)
                self.done[kept["code"], kept["site"]] = kept
            except (ValueError, KeyError, TypeError):
                continue  # torn when the last run was stopped, so played again

    def depends_on(self, verdict: str, by: str) -> str:
        path = self.tree.folder / by.partition(" on ")[0]
        if verdict == CAUGHT and path.is_file():
            return sha256(path.read_bytes()).hexdigest()[:16]
        return self.scenarios

    def known(self, site: Site) -> Verdict | None:
        kept = self.done.get((self.code, site.name))
        if not kept or kept["depends_on"] != self.depends_on(kept["verdict"], kept["by"]):
            return None
        return Verdict(site, *(kept[field] for field in Verdict._fields[1:]))

    def keep(self, verdict: Verdict) -> None:
        depends_on = self.depends_on(verdict.verdict, verdict.by)
        kept = {**verdict._asdict(), "site": verdict.site.name, "code": self.code, "depends_on": depends_on}
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a") as file:
            file.write(json.dumps(kept) + "\n")
