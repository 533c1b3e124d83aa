"""Plays a stretch of a log again by the rules that it was written under, taken from a wheel of that Felt version.

They run in a process of their own, which sees nothing of this version but what host/log/replay_driver.py loads.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import BadZipFile, ZipFile

from host.log.reading import readable
from host.source_digest import source_digest

ROOM = "shared"
DRIVER = Path(__file__).with_name("replay_driver.py")


class BadRules(ValueError):
    """Rules that cannot play; the text says why and what to do."""


class OtherRules:
    """The rules in a Felt wheel, or in a folder with the same content; BadRules if there are none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            sources = dict(folder_sources(path) if path.is_dir() else wheel_sources(path))
        except (OSError, BadZipFile) as problem:
            raise BadRules(
                f"{path} is not a Felt wheel ({problem}); name the .whl file of a Felt version"
            ) from None
        if PurePosixPath(ROOM, "__init__.py") not in sources:
            raise BadRules(f"{path} holds no rules of Felt; name the .whl file of a Felt version")
        self.digest = source_digest(sources)

    def play(self, rules: str | None, lines: Iterable[tuple[int, bytes]]) -> tuple[int, list[tuple[int, Any]]]:
        """How many records were played again, and number and difference of those that differ.

        Only what was written under `rules` is played; None stands for records that name none.
        """
        command = [sys.executable, "-I", "-S", str(DRIVER), str(self.path.absolute()), json.dumps(rules)]
        with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as problems:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=said, stderr=problems)
            assert process.stdin
            try:
                with process.stdin as pipe:
                    for number, line in lines:
                        record = readable(line)
                        if record is not None:
                            pipe.write(json.dumps([number, record]).encode() + b"\n")
            except BrokenPipeError:
                pass  # it has ended, and says why
            status = process.wait()
            said.seek(0)
            problems.seek(0)
            if status:
                last = problems.read().decode(errors="replace").strip().rpartition("\n")[2]
                raise BadRules(f"the rules in {self.path} do not play: {last}")
            *differences, played = map(json.loads, said)
        return played, [(number, difference) for number, difference in differences]


def folder_sources(folder: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    for path in (folder / ROOM).rglob("*.py"):
        yield PurePosixPath(path.relative_to(folder).as_posix()), path.read_bytes()


def wheel_sources(path: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    with ZipFile(path) as wheel:
        for name in wheel.namelist():
            if name.startswith(ROOM + "/") and name.endswith(".py"):
                yield PurePosixPath(name), wheel.read(name)
