"""Brings a device to hold what goes on a table.

The journal is never touched. The manifest is written last: a table that was cut off in the middle finds its
files changed and does not run.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple, Protocol

from host.boards import Board
from host.deploy import (
    MAIN,
    ROOMS,
    Changes,
    DeployError,
    Found,
    Key,
    KeyChoice,
    changes,
    foreign_programs,
    settle_key,
    with_key,
)
from host.keys import KeyFileError
from shared.manifest import FOLDER, KEY_FILE

OLDEST = (1, 23)


class Runtime(NamedTuple):
    name: str
    version: tuple[int, ...]
    mpy: int  # the version of .mpy that it reads
    platform: str

    @property
    def text(self) -> str:
        return ".".join(map(str, self.version))


class Device(Protocol):
    def about(self) -> Runtime: ...
    def survey(self, ours: Iterable[str]) -> Found: ...
    def read(self, path: str) -> bytes: ...
    def remove(self, files: Iterable[str], folders: Iterable[str]) -> None: ...
    def make_folders(self, folders: Iterable[str]) -> None: ...
    def write(self, files: Mapping[str, bytes], advance: Callable[[int], None]) -> None: ...
    def jumper_is_on(self, pin: int) -> bool: ...
    def restart(self) -> None: ...


class Flashed(NamedTuple):
    key: Key | None  # None on a rig
    runtime: Runtime
    changes: Changes
    files: int  # that are now there
    jumper: bool  # whether the service jumper is on
    foreign: list[str]  # programs that are none of ours


def check_runtime(runtime: Runtime, files: Mapping[str, bytes]) -> None:
    if runtime.name != "micropython":
        raise DeployError(f"the device runs {runtime.name} {runtime.text}; a table runs MicroPython")
    if runtime.platform != "rp2":
        raise DeployError(f"the device is no Pico: its MicroPython is the one for {runtime.platform}")
    if runtime.version < OLDEST:
        raise DeployError(
            f"the device has MicroPython {runtime.text}; a table needs 1.23 or newer. `felt pico-image` gets it"
        )
    made = {content[1] for path, content in files.items() if path.endswith(".mpy")}
    if made - {runtime.mpy}:
        raise DeployError(
            f"MicroPython {runtime.text} on the device reads .mpy files of version {runtime.mpy}, and mpy-cross "
            f"here makes version {max(made)}; `felt pico-image` gets one that fits"
        )


@contextmanager
def no_progress(_total: int) -> Iterator[Callable[[int], None]]:
    yield lambda _bytes: None


def flash(
    device: Device,
    board: Board,
    files: Mapping[str, bytes],
    choice: KeyChoice,
    progress: Callable[[int], AbstractContextManager[Callable[[int], None]]] = no_progress,
) -> Flashed:
    """Bring a device to hold `files` with a key and a manifest, and restart it. If it is refused, nothing has
    changed and it is restarted too; if it breaks off in the middle, it is left at the prompt for another try."""
    ours = (*ROOMS, FOLDER, MAIN)
    try:
        runtime = device.about()
        check_runtime(runtime, files)
        found = device.survey(ours)
        key = settle_key(device.read(KEY_FILE) if KEY_FILE in found.files else None, choice, board.ROLE)
    except (DeployError, KeyFileError):
        device.restart()
        raise
    planned = with_key(files, board.NAME, key)
    todo = changes(planned, found)
    if not todo.is_none:
        device.remove(todo.remove, todo.remove_folders)
        device.make_folders(todo.make_folders)
        with progress(sum(map(len, todo.copy.values()))) as advance:
            device.write(todo.copy, advance)
        left = changes(planned, device.survey(ours))
        if not left.is_none:
            wrong = [*left.copy, *left.remove, *left.make_folders, *left.remove_folders]
            raise DeployError(
                f"after copying, {wrong[0]} on the device is not as it should be ({len(wrong)} in all); "
                "flash again, and if it stays so, the Pico's flash is worn out"
            )
    jumper = board.ROLE == "table" and device.jumper_is_on(board.JUMPER)
    device.restart()
    return Flashed(key, runtime, todo, len(planned), jumper, foreign_programs(planned, found))
