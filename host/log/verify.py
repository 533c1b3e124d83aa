"""Verifies a chain of records: recomputes every line's seal, and says which lines break it and how."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from host.log.checkpoints import Checkpoint
from host.log.fast_chain import FastChain
from host.log.folder_storage import FolderStorage
from host.log.opening import is_sqlite
from host.log.reading import LogReader
from host.log.schema import NotALog
from host.words.faults import broken_words, damage_words
from shared.journal.chain import _RECORD, _REORDERED, CHANGED, MISSING, BrokenChain, Chain
from shared.journal.journal import Journal
from shared.journal.journal_opening import read_head
from shared.journal.seal import Sealer
from shared.journal.wire import MAX_LINE, BadLine, decode

TRUNCATED = "truncated"  # what a Break can be beside the words of chain.py
MOST_BREAKS = 20
NUMBER = re.compile(rb'\["%s",\d+,(\d{1,12}),' % _RECORD.encode())
MARK = re.compile(rb',"([0-9a-f]{24})"\]')


class Line(NamedTuple):
    position: tuple[Any, ...]  # a code and its fields: the file, and the line or row in it
    content: bytes


class Break(NamedTuple):
    number: int  # the record that should stand there
    how: str
    detail: tuple[Any, ...]  # a code and its fields, for host.words.faults, as the position is
    position: tuple[Any, ...]

    def __str__(self) -> str:
        return f"{broken_words(self)}, {damage_words(*self.position)}"


class Verdict(NamedTuple):
    first: int  # the first record that was checked, and the last
    last: int
    seal: bytes  # of the last
    breaks: list[Break]
    checkpoints: int  # how many of them the chain passed through

    @property
    def is_whole(self) -> bool:
        return not self.breaks


class OpenedLog(NamedTuple):
    """A log's record lines; where they begin if not at record 1; what is wrong around them; and how many
    bytes of a line are there that is still being written."""

    lines: Iterable[Line]  # can be gone through more than once
    start: tuple[int, bytes] | None
    problem: BrokenChain | None
    growing: int


def open_log(path: Path, sealer: Sealer, table: str, last: int | None = None) -> OpenedLog:
    """The host's log (up to record `last`), a file of record lines, or the folder of a table's own journal."""
    if path.is_dir():
        return open_journal(path, sealer, table)
    if is_sqlite(path):
        return open_host_log(path, table, last)
    lines, growing = lines_of(path)
    return OpenedLog(lines, None, None, growing)


def lines_of(path: Path, uncounted: int = 0) -> tuple[list[Line], int]:
    content = path.read_bytes()
    *whole, rest = content[: len(content) - uncounted].split(b"\n")
    return [Line(("in_line", path, number), line) for number, line in enumerate(whole, 1)], len(rest)


def open_host_log(path: Path, table: str, last: int | None) -> OpenedLog:
    """NotALog if it cannot be read, or is another table's."""
    with LogReader(path) as log:
        origin = log.origin()
        last = log.ends()[1] if last is None else last
    if origin and origin.table != table:
        raise NotALog("log.not_of_key", path=path, owner=origin.table, table=table)
    start = (origin.number, origin.seal) if origin and origin.seal is not None else None
    return OpenedLog(LogLines(path, last), start, None, 0)


@dataclass
class LogLines:
    """The lines of the host's log up to a record, read anew each time, so that a long log fits in memory."""

    path: Path
    last: int

    def __iter__(self) -> Iterator[Line]:
        with LogReader(self.path) as log:
            for number, line in log.lines(0, self.last):
                yield Line(("in_row", self.path, number), line)


def open_journal(folder: Path, sealer: Sealer, table: str) -> OpenedLog:
    """The oldest segment's head vouches for the seal before its first record. Torn lines are no lines."""
    storage = ReadOnly(folder)
    names = sorted(storage.names())
    if not names:
        raise NotALog("log.no_journal", folder=folder)
    lines: list[Line] = []
    growing = 0
    for name, following in zip(names, [*names[1:], None], strict=True):
        uncounted = torn_before(storage, following) if following else 0
        whole, growing = lines_of(folder / name, uncounted)
        lines += whole[1:]  # without the head
    problem = None
    try:
        Journal(storage, sealer, table)
    except BrokenChain as found:
        problem = found
    return OpenedLog(lines, start_of(storage, names[0], sealer), problem, growing)


def torn_before(storage: FolderStorage, name: str) -> int:
    """How many bytes at the end of the segment before do not count, as a segment's head says."""
    try:
        torn = decode(storage.read(name, 0, MAX_LINE).partition(b"\n")[0])[4]
    except (BadLine, IndexError):
        return 0
    return torn if isinstance(torn, int) and 0 < torn <= MAX_LINE else 0


def start_of(storage: FolderStorage, name: str, sealer: Sealer) -> tuple[int, bytes] | None:
    """What the oldest segment says of its own beginning, if its head can be believed."""
    try:
        _, first, _, before, *_ = read_head(storage, sealer, int(name))
    except BrokenChain:
        return None
    return first - 1, bytes.fromhex(before)


class ReadOnly(FolderStorage):
    """Looks and touches nothing, for a journal that may be growing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def remove(self, name: str) -> None:
        pass


def number_of(line: bytes) -> int | None:
    """The record number that a line claims."""
    found = NUMBER.match(line)
    return int(found.group(1)) if found else None


def verify(
    lines: Iterable[Line],
    sealer: Sealer,
    table: str,
    checkpoints: Sequence[Checkpoint] = (),
    start: tuple[int, bytes] | None = None,
) -> Verdict:
    """Follow the chain from its beginning, or from `start`, the number and seal of a known record."""
    verifier = Verifier(lines, sealer, table, checkpoints, start)
    for line in lines:
        verifier.take(line)
        if verifier.is_full:
            break
    return verifier.verdict()


@dataclass
class Verifier:
    """Follows a chain line by line, for those who do more with each line in the same pass.

    `lines` are gone through once more if the chain breaks, to see which records stand elsewhere.
    """

    lines: Iterable[Line]
    sealer: Sealer
    table: str
    checkpoints: Sequence[Checkpoint]
    start: tuple[int, bytes] | None

    def __post_init__(self) -> None:
        self.chain = FastChain(self.sealer, self.table, *(self.start or (0, None)))
        self.first = self.chain.number + 1
        self.signed = {checkpoint.number: checkpoint for checkpoint in self.checkpoints}
        self.breaks: list[Break] = []
        self.passed = 0
        self.position: tuple[Any, ...] = ("in_empty_log",)  # of the last line
        self.ahead: set[int] | None = None  # the numbers that the log holds, once the chain is broken
        self.is_waiting = self.start is not None  # for the first line behind `start`
        self.after_unreadable = False
        beginning = self.signed.get(self.chain.number)
        if beginning and beginning.seal != self.chain.last:
            position = next((line.position for line in self.lines), self.position)
            detail = ("checkpoint_before", beginning.serial)
            self.breaks.append(Break(self.chain.number, CHANGED, detail, position))

    @property
    def is_full(self) -> bool:
        """Whether so much is wrong that no more is looked for."""
        return len(self.breaks) >= MOST_BREAKS

    def take(self, line: Line) -> list[Any] | None:
        """The record in the next line, if the chain holds there."""
        chain = self.chain
        if self.is_waiting:
            claimed = number_of(line.content)
            if claimed is not None and claimed < self.first:
                return None
            self.is_waiting = False
        if self.is_full:
            return None
        self.position = line.position
        wanted = chain.number + 1
        try:
            _, _, record = chain.follow(line.content)
        except BrokenChain as problem:
            self.take_break(problem, line, wanted)
            return None
        self.after_unreadable = False
        checkpoint = self.signed.get(wanted)
        if checkpoint:
            self.passed += 1
            if checkpoint.seal != chain.last:
                detail = ("checkpoint_differs", checkpoint.serial)
                self.breaks.append(Break(wanted, CHANGED, detail, line.position))
        return record

    def take_break(self, problem: BrokenChain, line: Line, wanted: int) -> None:
        number = number_of(line.content)
        # An unreadable line took its seal with it, so the one after it can only be taken at its word.
        if not (self.after_unreadable and number == wanted + 1):
            if self.ahead is None:
                self.ahead = {found for one in self.lines if (found := number_of(one.content)) is not None}
            self.breaks.append(explain(problem, line, number, self.ahead))
        if not self.is_full:
            take_up(self.chain, line.content, number)
            self.after_unreadable = number is None

    def verdict(self) -> Verdict:
        """After the last line."""
        last = self.chain.number
        furthest = max(self.signed, default=0)
        if furthest > last and not self.is_full:
            detail = ("checkpoint_ahead", last, self.signed[furthest].serial, furthest)
            self.breaks.append(Break(last + 1, TRUNCATED, detail, self.position))
        return Verdict(self.first, last, self.chain.last, self.breaks, self.passed)


def explain(problem: BrokenChain, line: Line, number: int | None, ahead: set[int]) -> Break:
    """What broke the chain, seen with the whole log in view."""
    how, detail = problem.how, problem.detail
    if how == MISSING and problem.number in ahead:
        how, detail = _REORDERED, ("stands_too_early", number)
    elif how == MISSING:
        detail = ("next_is", number)
    elif how == _REORDERED:
        detail = ("stands_again", number)
    return Break(problem.number, how, detail, line.position)


def take_up(chain: Chain, line: bytes, number: int | None) -> None:
    """Go on after a line that broke the chain, with the number and the seal that it claims.

    A line that claims an earlier number is a stray one, and the chain stays where it was.
    """
    seal = seal_claimed(line)
    if number is not None and number > chain.number and seal:
        chain.number = number
        chain.last = seal


def seal_claimed(line: bytes) -> bytes:
    """The seal that a line ends with, right or wrong; nothing if it has none."""
    found = MARK.search(line)
    return bytes.fromhex(found.group(1).decode()) if found else b""
