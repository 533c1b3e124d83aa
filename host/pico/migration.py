"""Brings a table from the journal of an older firmware, files in a folder, to the ring of raw flash sectors.

Everything is saved on this machine and verified there. The end of the chain, from where a replay can begin, goes
back onto the device as one file, with which the table fills its ring at its next start. Only then do the old
files go. Power cuts in between lose nothing: whichever of file and old journal reaches further is what counts.
"""

import io
import itertools
import tempfile
from binascii import unhexlify
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from host.keys import TableKey
from host.log.entries import LogEnd
from host.log.verify import ReadOnly
from host.pico.deploy import NEW_JOURNAL, DeployError
from host.pico.rescue import check_saved, save
from host.words.faults import broken_words
from shared.journal.carry import CARRY_FILE, check_carry, first_line
from shared.journal.chain import BrokenChain, Chain, record_of
from shared.journal.journal import BEGIN, OPENING, Journal

NEW_CARRY_FILE = f"{CARRY_FILE}.new"


class CarryDevice(Protocol):
    def read(self, path: str) -> bytes: ...
    def rename(self, old: str, new: str) -> None: ...
    def write(self, files: Mapping[str, bytes], advance: Callable[[int], None]) -> None: ...


class Brought(NamedTuple):
    """What an old journal had, where it is saved, and the end of it that goes onto the device."""

    folder: Path
    first: int
    last: int
    size: int
    carry: bytes


def bring(
    files: Mapping[str, bytes], carried: bytes | None, key: TableKey, folder: Path | None
) -> Brought | None:
    """Save the files of an old journal on this machine, in a new folder, and verify them there. None if there is
    nothing to bring: what the device carries already reaches as far. DeployError if the journal is broken."""
    there = carry_end(carried, key).number if carried else 0
    with tempfile.TemporaryDirectory() as name:
        save(files, Path(name) / "journal")
        try:
            journal = Journal(ReadOnly(Path(name) / "journal"), key.sealer, key.table)
        except BrokenChain as problem:
            if there:
                return None  # some of the old files have gone
            raise DeployError(
                f"the old journal on the device is broken ({broken_words(problem)}), so it cannot go on; "
                f"flash with {NEW_JOURNAL}"
            ) from None
        if journal.chain.number <= there:
            return None
        carry = carry_of(journal)
    folder = folder or free_folder(key.table)
    size = save(files, folder)
    checked = check_saved(folder, key)
    if checked.problem:
        raise DeployError(
            f"the journal that was saved in {folder} is not whole ({checked.problem}); flash with {NEW_JOURNAL}"
        )
    return Brought(folder, checked.first, checked.last, size, carry)


def carry_of(journal: Journal) -> bytes:
    """The file with which a table goes on where this journal ends.

    It begins with the last round, though a replay may begin later: what the old firmware has just written of how
    the table stands is new to the host, and its log should end before the new journal begins.
    """
    oldest = journal.first()
    records = enumerate(map(record_of, journal.lines_from(oldest)), oldest)
    openings = [number for number, record in records if record[0] == BEGIN and record[2] == OPENING]
    first = max([number for number in openings if number <= journal.whole], default=oldest)
    before = unhexlify(journal.seal_of(first - 1) or b"")
    head = first_line(
        journal.chain.sealer, first, journal.boot - 1, before, journal.origin, journal.acknowledged, None
    )
    return head + b"".join(line + b"\n" for line in journal.lines_from(first))


def carry_end(content: bytes, key: TableKey) -> LogEnd:
    """The last record in such a file; number 0 if it is not whole, or another table's."""
    chain = Chain(key.sealer, key.table)
    try:
        check_carry(chain, io.BytesIO(content), lambda: None)
    except (BrokenChain, ValueError):
        return LogEnd(0, b"")
    return LogEnd(chain.number, chain.last)


def put_carry(device: CarryDevice, content: bytes) -> None:
    """A file that is there is whole, also after a power cut."""
    device.write({NEW_CARRY_FILE: content}, lambda _bytes: None)
    if device.read(NEW_CARRY_FILE) != content:
        raise DeployError("the end of the journal did not arrive on the device as it should; flash again")
    device.rename(NEW_CARRY_FILE, CARRY_FILE)


def free_folder(table: str) -> Path:
    """A name in the current folder that nothing has yet."""
    name = f"{table.replace('/', '_')}-journal"
    names = itertools.chain([name], (f"{name}-{number}" for number in itertools.count(2)))
    return next(Path(one) for one in names if not Path(one).exists())
