"""Keeps what is needed to look into a failure later, and to play it again without the hardware."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Any

from host.bench.firmware_target import Said
from host.bench.outcomes import Broken
from host.bench.reports import Conditions, attempt_words, pictures, result_words, wire_lines
from host.bench.runs import Attempt, Result, attempt
from host.bench.scenario import BadScenario, read_scenario
from host.files import free_folder
from host.pico.digests import rules_digest
from host.table.view import ViewKeeper
from shared.journal.wire import spell

SCENARIO = "scenario.toml"
ABOUT = "about.json"
VIRTUAL_TARGET = "cpython"  # what plays firmware anywhere


class NotKept(ValueError):
    """A folder that holds no failure; the text says what it lacks."""


def keep(folder: Path, result: Result, tested: Conditions) -> Path | None:
    """A folder for a failure; None if there is nothing to be played again."""
    failed = [(number, one) for number, one in enumerate(result.attempts, 1) if one.evidence]
    if not failed:
        return None
    home = free_folder(folder, f"{result.path.stem}-{result.target}")
    shutil.copyfile(result.path, home / SCENARIO)
    for number, one in failed:
        assert one.evidence
        (home / f"records-{number}.txt").write_text(
            "".join(spell(record) + "\n" for record in one.evidence.records)
        )
        given = [f"[{','.join(map(spell, records))}]\n" for records in one.evidence.given]
        (home / f"given-{number}.txt").write_text("".join(given))
        (home / f"wire-{number}.txt").write_text("".join(line + "\n" for line in wire_lines(one.evidence.wire)))
        for page, image in enumerate(pictures(one.evidence.view)):
            (home / f"display-{number}{chr(ord('a') + page) if page else ''}.png").write_bytes(image)
    again = play_again(home, result, tested)
    about = {
        "scenario": str(result.path),
        "verdict": result.verdict,
        "attempts": [attempt_words(one) for one in result.attempts],
        "target": result.target,
        "runtime": tested.targets[result.target],
        "board": result.board,
        "firmware": tested.firmware,
        "rules": tested.rules,
        "seed": tested.seed,
        "replay": f"felt bench replay {quote(str(home))}",
        "play again": again,
    }
    (home / ABOUT).write_text(json.dumps(about, indent=2) + "\n")
    told = [*result_words(result), "", "Compare the records that were kept, without any hardware:", ""]
    told += [f"    {about['replay']}", "", "Play it again:", "", *[f"    {command}" for command in again], ""]
    (home / "README.txt").write_text("\n".join(told))
    return home


def play_again(home: Path, result: Result, tested: Conditions) -> list[str]:
    """Commands that play it again on this computer: where it failed, and where no hardware is needed."""
    firmware = f" --firmware {tested.firmware}" if tested.firmware else ""
    without = [VIRTUAL_TARGET] if firmware else []
    return [
        f"felt bench run --target {target}{firmware} --seed {tested.seed} {quote(str(home / SCENARIO))}"
        for target in dict.fromkeys([result.target, *without])
    ]


# -- comparing what was kept


class KeptTarget:
    """What was kept, as a target: whatever happens, it gives what came at the time."""

    name = "kept"
    runtime = "records that were kept"
    is_slow = False

    def __init__(self, given: list[list[list[Any]]], board: str) -> None:
        self.given = given
        self.board = board
        self.wire: list[Said] = []
        self.records: list[list[Any]] = []
        self.keeper = ViewKeeper()

    def prepare(self, config: dict[str, Any]) -> None:
        """Nothing is shared."""

    def start(self, config: dict[str, Any]) -> None:
        """From the first event on."""
        self.waiting = list(self.given)

    def apply(self, event: dict[str, Any]) -> list[list[Any]]:
        """What followed of the event that was told at this place."""
        if not self.waiting:
            raise Broken("what was kept ends here: the target itself had said so")
        return self.waiting.pop(0)

    def close(self) -> None:
        """Nothing is open."""


def replay(home: Path) -> Iterator[tuple[str, Attempt]]:
    """What was said of each attempt at the time, and the attempt as its records show it here."""
    try:
        about = json.loads((home / ABOUT).read_text())
        said, board = about["attempts"], about["board"]
        scenario = read_scenario(home / SCENARIO)
        for number, words in enumerate(said, 1):
            file = home / f"given-{number}.txt"
            if file.exists():
                given = [json.loads(line) for line in file.read_text().splitlines()]
                yield words, attempt(scenario, KeptTarget(given, board))
    except OSError as problem:
        raise NotKept(f"{home}: {problem.strerror}: {problem.filename}") from None
    except (ValueError, KeyError, TypeError) as problem:
        words = str(problem) if isinstance(problem, BadScenario) else "not as `felt bench run` keeps it"
        raise NotKept(f"{home}: {words}") from None


def other_rules(home: Path) -> str | None:
    """The digest of the rules that were tested, if others are here."""
    tested = json.loads((home / ABOUT).read_text())["rules"]
    return tested if tested != rules_digest() else None
