"""Keeps what is needed to look into a failure later, and to play it again without the hardware."""

import json
import re
import shutil
from pathlib import Path
from shlex import quote

from host.bench.reports import Conditions, attempt_words, picture, result_words, wire_lines
from host.bench.runs import Result
from shared.journal.wire import spell

SCENARIO = "scenario.toml"


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
        (home / f"wire-{number}.txt").write_text("".join(line + "\n" for line in wire_lines(one.evidence.wire)))
        (home / f"display-{number}.png").write_bytes(picture(one.evidence.view))
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
        "replay": replay_words(home, result, tested),
    }
    (home / "about.json").write_text(json.dumps(about, indent=2) + "\n")
    told = [*result_words(result), "", "Play it again:", "", f"    {about['replay']}", ""]
    (home / "README.txt").write_text("\n".join(told))
    return home


def replay_words(home: Path, result: Result, tested: Conditions) -> str:
    """The command that plays it again on this computer."""
    firmware = f" --firmware {tested.firmware}" if tested.firmware else ""
    played = quote(str(home / SCENARIO))
    return f"felt bench run --target {result.target}{firmware} --seed {tested.seed} {played}"


def free_folder(folder: Path, name: str) -> Path:
    """A new folder of this name, or of the next number after it."""
    name = re.sub(r"[^\w.-]", "-", name)
    number = 1
    while True:
        home = folder / (name if number == 1 else f"{name}-{number}")
        try:
            home.mkdir(parents=True)
            return home
        except FileExistsError:
            number += 1
