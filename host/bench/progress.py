"""What a long run has done, kept in a file, so that the next one goes on from there.

One line of JSON a result. A result counts again as long as scenario, firmware and what it runs on are the same,
and only if it passed or was skipped: what failed is played again.
"""

import json
from pathlib import Path
from typing import Any

from host.bench.runs import PASSED, SKIPPED, Attempt, Result
from host.bench.scenario import Scenario
from host.bench.targets import Target
from shared.link.manifest import content_digest


class Progress:
    def __init__(self, path: Path, firmware: str) -> None:
        self.path = path
        self.firmware = firmware
        self.done: dict[str, dict[str, Any]] = {}
        content = path.read_text() if path.exists() else ""
        for line in content.splitlines():
            try:
                kept = json.loads(line)
                self.done[kept["of"]] = kept
            except (ValueError, KeyError, TypeError):
                continue  # torn when the last run was stopped, so played again
        if content and not content.endswith("\n"):
            self.write("\n")

    def write(self, text: str) -> None:
        with self.path.open("a") as file:
            file.write(text)

    def key(self, scenario: Scenario, target: Target) -> str:
        what = content_digest(scenario.path.read_bytes())
        return f"{scenario.path} {what} on {target.name}, {target.runtime}, firmware {self.firmware}"

    def known(self, scenario: Scenario, target: Target) -> Result | None:
        kept = self.done.get(self.key(scenario, target))
        if not kept:
            return None
        last = Attempt(kept["outcome"], "", kept["words"], kept["seconds"])
        return Result(scenario.path, scenario, target.name, kept["board"], [last])

    def keep(self, result: Result, target: Target) -> None:
        last = result.attempts[-1]
        if result.scenario is None or result.verdict not in (PASSED, SKIPPED):
            return
        key = self.key(result.scenario, target)
        if key not in self.done:
            self.done[key] = {"of": key, "board": result.board, **last._asdict()}
            self.done[key].pop("evidence")
            self.write(json.dumps(self.done[key]) + "\n")
