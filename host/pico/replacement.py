"""What another Pico needs to go on as a table: the end of the host's log, verified, and who put it there."""

import tempfile
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from host.keys import TableKey
from host.log.checkpoints import Checkpoint
from host.log.entries import LogEnd
from host.log.fast_chain import FastChain
from host.log.reading import LogReader, replay_start
from host.log.store import seal_in
from host.log.strict_replay import NAMES_RULES, UNPLAYABLE, rules_in
from host.log.verify import ReadOnly
from host.pico.deploy import DeployError, parse_key
from host.pico.digests import rules_digest
from host.pico.migration import carry_end
from host.pico.rescue import save
from host.words.failures import Failure
from shared.journal.carry import first_line
from shared.journal.chain import CHANGED, BrokenChain
from shared.journal.journal import BEGIN, Journal
from shared.journal.replay import Replay
from shared.journal.wire import BadLine

REPLACED = "replaced"
SealOf = Callable[[int], bytes | None]


class CannotReplace(Failure, DeployError):
    """The log does not do for another Pico, or this Pico must not become the table."""


@dataclass(frozen=True)
class Replacement:
    """`who` of the post `by` puts the table with this key onto another Pico; `seconds` is when."""

    key: TableKey
    who: str
    by: str
    seconds: int
    first: int  # record that is brought along
    before: bytes  # the seal before it
    origin: str  # the hex seal of the chain's first record, or of the one before the log's first
    boot: int  # the number of the last start
    end: LogEnd
    round: tuple[int, str] | None  # number and state of one that is in the middle
    lines: list[bytes] = field(repr=False)
    seal_of: SealOf = field(repr=False)

    def note(self, pico: str) -> list[str | int]:
        """The record that the table writes at its first start there."""
        return [REPLACED, self.who, self.by, pico, self.seconds]

    def carry(self, pico: str) -> bytes:
        """The file from which the table fills its journal."""
        about = (self.first, self.boot, self.before, self.origin, self.end.number, self.note(pico))
        return first_line(self.key.sealer, *about) + b"".join(line + b"\n" for line in self.lines)

    def check_key(self, present: bytes | None) -> None:
        """Refuse a Pico with another key than this table's; `present` is the content of its key file."""
        there = parse_key(present)
        if there and there != self.key:
            raise CannotReplace("pico.other_key", table=self.key.table, owner=there.table)

    def check_records(
        self,
        old: Collection[str],
        carried: bytes | None,
        segments: Mapping[str, bytes] | None,
        is_rescued: bool = False,
    ) -> None:
        """Refuse a Pico with records that the log lacks: an old journal, what it is to carry, or in its ring,
        also if the ring was rescued and nothing else knows of it any more."""
        about = {"table": self.key.table, "last": self.end.number}
        if old:
            raise CannotReplace("pico.old_journal", table=self.key.table)
        if carried and self.lacks(there := carry_end(carried, self.key)):
            raise CannotReplace("pico.has_more", there=there.number, **about)
        if not segments:
            return
        there = ring_end(segments, self.key)
        if is_rescued:
            if there and self.lacks(there):
                raise CannotReplace("pico.not_imported", there=there.number, **about)
            return
        if there is None:
            raise CannotReplace("pico.journal_unread", table=self.key.table)
        if there == self.end:
            raise CannotReplace("pico.is_the_table", **about)
        if self.lacks(there):
            raise CannotReplace("pico.has_more", there=there.number, **about)

    def lacks(self, there: LogEnd) -> bool:
        """Whether a Pico's last record is not in the log."""
        return there.number > 0 and self.seal_of(there.number) != there.seal


def ring_end(segments: Mapping[str, bytes], key: TableKey) -> LogEnd | None:
    """Where a journal ends; None if it is not whole, or another table's."""
    with tempfile.TemporaryDirectory() as folder:
        save(segments, Path(folder) / "journal")
        try:
            chain = Journal(ReadOnly(Path(folder) / "journal"), key.sealer, key.table).chain
        except BrokenChain:
            return None
        return LogEnd(chain.number, chain.last)


def read_replacement(
    log: LogReader, key: TableKey, signed: list[Checkpoint], who: str, by: str, seconds: int
) -> Replacement:
    """What the log knows, with every line checked from where a replay begins; else CannotReplace."""
    _, last = log.ends()
    if not last:
        raise CannotReplace("pico.log_empty", path=log.path, table=key.table)
    origin = log.origin()

    def seal_of(number: int) -> bytes | None:
        if origin and origin.seal is not None and number == origin.number:
            return origin.seal
        try:
            return next((seal_in(line) for _, line in log.lines(number, number)), None)
        except BadLine as damage:
            raise broken(log, BrokenChain(number, CHANGED, str(damage))) from None

    check_signed(log, signed, last, seal_of)
    first = replay_start(log.connection)
    chain = FastChain(key.sealer, key.table, first - 1, seal_of(first - 1) if first > 1 else None)
    before = chain.last
    lines = [line for _, line in log.lines(first, last)]
    boot, round_ = play(log, chain, lines)
    chain_origin = seal_of(origin.number if origin and origin.number else 1)
    return Replacement(
        key,
        who,
        by,
        seconds,
        first,
        before,
        chain_origin.hex() if chain_origin else "",
        boot,
        LogEnd(last, chain.last),
        round_,
        lines,
        seal_of,
    )


def broken(log: LogReader, problem: BrokenChain) -> CannotReplace:
    about = {"number": problem.number, "how": problem.how, "detail": problem.detail}
    return CannotReplace("pico.log_broken", path=log.path, **about)


def check_signed(log: LogReader, signed: list[Checkpoint], last: int, seal_of: SealOf) -> None:
    """The log must reach what was signed last, and have that record."""
    if not signed:
        return
    checkpoint = signed[-1]
    its = {"path": log.path, "serial": checkpoint.serial, "number": checkpoint.number}
    if checkpoint.number > last:
        raise CannotReplace("pico.log_cut", last=last, **its)
    if seal_of(checkpoint.number) not in (checkpoint.seal, None):
        raise CannotReplace("pico.log_not_signed", **its)


def play(log: LogReader, chain: FastChain, lines: list[bytes]) -> tuple[int, tuple[int, str] | None]:
    """The last start's number, and the round in the middle, if there is one. The Pico plays the lines as well."""
    replay = Replay()
    boot, rules = 0, None
    for line in lines:
        try:
            boot, number, record = chain.follow(line)
        except BrokenChain as problem:
            raise broken(log, problem) from None
        if line is lines[0] and number > 1 and record[0] != BEGIN:
            raise CannotReplace("pico.log_begins_late", path=log.path)
        if record[0] in NAMES_RULES:
            rules = rules_in(record)
        try:
            difference = replay.take(record)
        except UNPLAYABLE:
            difference = None, record
        if difference:
            raise CannotReplace("pico.log_other_rules", path=log.path, number=number)
    round_ = replay.round
    if round_ is None or round_.is_over():
        return boot, None
    if rules != rules_digest():
        raise CannotReplace("pico.log_other_rules", path=log.path, number=chain.number)
    return boot, (round_.number, round_.state)
