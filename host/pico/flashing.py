"""Brings a device to hold what goes on a table.

The journal stays, unless it is saved elsewhere; that of an older firmware is brought into the ring. Before the
rules change, the old firmware writes how the table stands, so that the new one does not play rounds again that
other rules decided. The manifest is written last: a table whose flashing was interrupted finds its files changed
and does not run.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, Protocol

from host.keys import KeyFileError
from host.pico import deploy
from host.pico.boards import Board
from host.pico.deploy import JOURNAL, MAP_FILE, NEW_JOURNAL, DeployError, JournalChoice
from host.pico.migration import Brought, bring, put_carry
from host.pico.replacement import Replacement
from host.pico.rescue import (
    FoundRing,
    Progress,
    check_rescued,
    find_ring,
    leave_mark,
    map_generation,
    no_progress,
    read_segments,
    save,
)
from host.words.faults import detail_words
from shared.journal.carry import CARRY_FILE
from shared.link.manifest import FOLDER, KEY_FILE, MANIFEST_FILE

OLDEST = (1, 23)
CHIP = "RP2040"
BLOCKS = 352  # of a Pico's filesystem; program and journal need them
KEEP = JournalChoice()
UNSOUND = ("failed", "its files are not whole")  # so the firmware on the device is not run
RESCUED = (
    "the records that were rescued from this Pico do not come back with this, and the table begins a new chain; "
    "felt flash --replace TABLE.toml puts the table back"
)


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
    def unique_id(self) -> str: ...
    def headers(self) -> dict[int, bytes]: ...
    def sector(self, block: int) -> bytes: ...
    def hand_over(self) -> tuple[str, str]: ...
    def remove(self, files: Iterable[str], folders: Iterable[str]) -> None: ...
    def rename(self, old: str, new: str) -> None: ...
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
    saved: int  # bytes of the journal that was set aside
    brought: Brought | None  # the journal of an older firmware


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


class Records(NamedTuple):
    """Where a device has records: in files of an older firmware, in a ring, in a file that goes into the ring."""

    old: list[str]
    ring: FoundRing | None
    has_carry: bool

    @property
    def are_there(self) -> bool:
        """Whether the table goes on with some; a ring that no map names is none of its own any more."""
        return bool(self.old or self.has_carry or (self.ring and self.ring.has_map))

    @property
    def can_grow(self) -> bool:
        """Whether the firmware that is there can add to them: what is to go into the ring stays as it is."""
        return bool(self.old or (self.are_there and not self.has_carry))


def find_records(device: Device, found: deploy.Found) -> Records:
    old = device.names(JOURNAL) if JOURNAL in found.folders else []
    return Records(old, find_ring(device, found.files), CARRY_FILE in found.files)


def flash(
    device: Device,
    board: Board,
    files: Mapping[str, bytes],
    choice: deploy.KeyChoice,
    progress: Progress = no_progress,
    journal: JournalChoice = KEEP,
    replacement: Replacement | None = None,
) -> Flashed:
    """Bring a device to hold `files` with a key and a manifest, and restart it. If that is refused, nothing has
    changed and it is restarted too; if it breaks off halfway, it stays at the prompt for another try.

    With a `replacement` it takes the place of a table's Pico."""
    ours = (*deploy.ROOMS, FOLDER, deploy.MAIN)
    note, saved, brought = "", 0, None
    try:
        runtime = device.about()
        check_runtime(runtime, files)
        found = device.survey(ours)
        present = device.read(KEY_FILE) if KEY_FILE in found.files else None
        records = find_records(device, found)
        if not journal.folder:
            check_rescued(records.ring)
            if replacement:
                check_replaced(device, present, records, replacement, progress)
            elif records.are_there and board.ROLE == "table":
                deploy.check_journal(present, choice)
        key = deploy.settle_key(present, choice, board.ROLE)
        planned = deploy.with_key(files, board.NAME, key)
        todo = deploy.changes(planned, found)
        carry = replacement.carry(device.unique_id()) if replacement else None
        if not replacement and key and (journal.folder or records.old or todo.touch_rules) and records.can_grow:
            content = device.read(MANIFEST_FILE) if MANIFEST_FILE in found.files else None
            is_runnable = deploy.is_sound(found, present, content)
            note = look_at_journal(*(device.hand_over() if is_runnable else UNSOUND), journal)
            records = find_records(device, found)  # there may be one more segment now
        if journal.folder:
            saved = set_aside(device, records, journal, progress)
        elif records.old and key and not replacement:
            old = {name: device.read(f"{JOURNAL}/{name}") for name in records.old}
            brought = bring(old, device.read(CARRY_FILE) if records.has_carry else None, key.key, journal.old)
            carry = brought.carry if brought else None
            note = note if brought else ""
        elif records.ring and not records.are_there and not replacement:
            note = RESCUED
    except (DeployError, KeyFileError):
        device.restart()
        raise
    if MAP_FILE in found.files and (journal.folder or not map_generation(device, found.files)):
        device.remove([MAP_FILE], [])  # the table begins a new ring at its next start
    if journal.folder:
        forget(device, records)
    if carry:
        if FOLDER not in found.folders:
            device.make_folders([FOLDER])
        put_carry(device, carry)
    if (JOURNAL in found.folders and key) or replacement:
        # Until all is there no firmware runs, neither with half of the old journal nor without it.
        manifest = [MANIFEST_FILE] if MANIFEST_FILE in found.files and (records.old or replacement) else []
        device.remove(
            [*manifest, *(f"{JOURNAL}/{name}" for name in records.old)],
            [JOURNAL] if JOURNAL in found.folders else [],
        )
        found = device.survey(ours)
        todo = deploy.changes(planned, found)
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
    return Flashed(key, runtime, todo, len(planned), jumper, note, saved, brought)


def set_aside(device: Device, records: Records, journal: JournalChoice, progress: Progress) -> int:
    """Save all records of a device on this machine's disk; returns how many bytes that is."""
    folder = journal.folder
    if folder is None or not (records.old or records.ring or records.has_carry):
        return 0
    files = {name: device.read(f"{JOURNAL}/{name}") for name in records.old}
    ring = read_segments(device, records.ring, progress) if records.ring else {}
    carry = {"carry": device.read(CARRY_FILE)} if records.has_carry else {}
    if files and ring:
        return save(files | carry, folder) + save(ring, folder / "ring")
    return save(files | ring | carry, folder)


def forget(device: Device, records: Records) -> None:
    """Leave nothing that the table could go on with, now that all is saved."""
    if records.has_carry:
        device.remove([CARRY_FILE], [])
    if records.ring:
        leave_mark(device, records.ring, is_given_up=True)


def check_replaced(
    device: Device, present: bytes | None, records: Records, replacement: Replacement, progress: Progress
) -> None:
    """Refuse a Pico that is another table, or that has records of this one which the log lacks."""
    replacement.check_key(present)
    ring = records.ring if records.ring and not records.ring.is_given_up else None
    replacement.check_records(
        records.old,
        device.read(CARRY_FILE) if records.has_carry else None,
        read_segments(device, ring, progress) if ring else None,
        ring is not None and not ring.has_map,
    )


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
