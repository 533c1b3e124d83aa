"""A table's journal as it lies on the raw flash of its Pico: found, read, saved and checked, also where the
filesystem is gone.

When MicroPython cannot mount its filesystem at a start, it formats it: program, key and files are gone, and a
prompt is open. The sectors of the journal's ring are still there, each with its header. The next files could be
written over them, so nothing is written before they are saved; then a mark on the device says so.
"""

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple, Protocol

from host.keys import TableKey
from host.log.folder_storage import append_durably, sync_folder
from host.log.verify import ReadOnly, open_journal, verify
from host.pico.deploy import MAP_FILE, DeployError
from host.words.faults import broken_words
from shared.journal.chain import BrokenChain
from shared.journal.journal import Journal, name_of
from shared.journal.replay import Replay
from shared.journal.ring import HEADER, SECTOR, number_in, read_header
from shared.journal.ring_making import read_map

# In /, whose entries lie in the filesystem's first two blocks: it takes no sector of the ring. It says which
# generation was saved, and whether nobody cares for its records any more.
MARK_FILE = "rescued"
GIVEN_UP = b"given up"

Progress = Callable[[int], AbstractContextManager[Callable[[int], None]]]


@contextmanager
def no_progress(_total: int) -> Iterator[Callable[[int], None]]:
    yield lambda _bytes: None


class RawDevice(Protocol):
    def headers(self) -> dict[int, bytes]: ...
    def sector(self, block: int) -> bytes: ...
    def read(self, path: str) -> bytes: ...
    def write(self, files: Mapping[str, bytes], advance: Callable[[int], None]) -> None: ...


class FoundRing(NamedTuple):
    """The segments of a journal on raw flash, by name the block in which each lies."""

    generation: int
    blocks: dict[str, int]
    has_map: bool  # whether a table on the device knows this ring
    is_marked: bool  # whether it was rescued
    is_given_up: bool = False  # whether a table may go on without its records


def find_ring(device: RawDevice, files: Mapping[str, object]) -> FoundRing | None:
    """The newest ring that has segments, on a device with these files; None if the table has a newer one."""
    generation, blocks = newest(device.headers())
    known = map_generation(device, files)
    if not blocks or known > generation:
        return None
    mark, _, more = (device.read(MARK_FILE).strip() if MARK_FILE in files else b"").partition(b" ")
    is_marked = mark == b"%d" % generation
    return FoundRing(generation, blocks, known == generation, is_marked, is_marked and more == GIVEN_UP)


def newest(headers: Mapping[int, bytes]) -> tuple[int, dict[str, int]]:
    """Sectors of older rings may still lie about, and of a newer one that was never finished."""
    found: dict[int, dict[str, int]] = {}
    for block, header in headers.items():
        fields, number = read_header(header), number_in(header)
        if fields and number:
            found.setdefault(fields[1], {})[name_of(number)] = block
    generation = max(found, default=0)
    return generation, found.get(generation, {})


def map_generation(device: RawDevice, files: Mapping[str, object]) -> int:
    """Of the ring that the table knows; 0 if it knows none, or its map is damaged."""
    if MAP_FILE not in files:
        return 0
    content = device.read(MAP_FILE)
    try:
        return read_map(lambda _path, _mode: io.BytesIO(content))[0]
    except OSError:
        return 0


def check_rescued(ring: FoundRing | None) -> None:
    """Refuse to write onto a device over records that nobody has saved."""
    if ring and not ring.has_map and not ring.is_marked:
        raise DeployError(
            f"the flash of this Pico holds a table's records ({segments_text(ring)}), but the filesystem "
            "that they were in is gone, and flashing would overwrite them. Save them first with felt rescue "
            "--port PORT FOLDER --key FILE; then felt flash --replace TABLE.toml puts the table back"
        )


def read_segments(device: RawDevice, ring: FoundRing, progress: Progress = no_progress) -> dict[str, bytes]:
    """The content of every segment."""
    segments = {}
    with progress(SECTOR * len(ring.blocks)) as advance:
        for name, block in sorted(ring.blocks.items()):
            segments[name] = device.sector(block)[HEADER:]
            advance(SECTOR)
    return segments


def segments_text(ring: FoundRing) -> str:
    return "1 segment" if len(ring.blocks) == 1 else f"{len(ring.blocks)} segments"


def leave_mark(device: RawDevice, ring: FoundRing, is_given_up: bool = False) -> None:
    """Say on the device that this ring was saved. Nobody writes to a ring without a map any more."""
    more = b" " + GIVEN_UP if is_given_up else b""
    device.write({MARK_FILE: b"%d%s\n" % (ring.generation, more)}, lambda _bytes: None)


# On this machine's disk


def check_folder(folder: Path) -> None:
    """Whether a journal can be saved there."""
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise DeployError(f"{folder} is not empty; name another folder for the journal")
    except OSError as error:
        raise DeployError(f"{folder} cannot be read: {error.strerror}") from None


def save(files: Mapping[str, bytes], folder: Path) -> int:
    """Save files in a new folder; returns how many bytes they have, once they are on the disk."""
    check_folder(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            append_durably(folder / name, content)
        sync_folder(folder)
        sync_folder(folder.absolute().parent)
    except OSError as error:
        raise DeployError(f"the journal cannot be saved in {folder}: {error.strerror}") from None
    return sum(map(len, files.values()))


class Checked(NamedTuple):
    first: int
    last: int
    round: int | None  # the last one, if these rules can play the journal again
    problem: str  # where it is not whole, in words


def check_saved(folder: Path, key: TableKey) -> Checked:
    """What a saved journal has, by the table's key; NotALog if there is nothing."""
    opened = open_journal(folder, key.sealer, key.table)
    verdict = verify(opened.lines, key.sealer, key.table, (), opened.start)
    problem = ""
    if verdict.breaks:
        problem = str(verdict.breaks[0])
    elif opened.problem:
        problem = broken_words(opened.problem)
    elif not verdict.last:
        problem = "there is no record in it"
    return Checked(verdict.first, verdict.last, None if problem else last_round(folder, key), problem)


def last_round(folder: Path, key: TableKey) -> int | None:
    replay = Replay()
    try:
        for _ in replay.take_journal(Journal(ReadOnly(folder), key.sealer, key.table)):
            pass
    except (BrokenChain, ValueError):
        return None  # written by other rules
    return replay.round.number if replay.round else None
