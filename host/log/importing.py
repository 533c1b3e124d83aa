"""Brings a table's own journal, saved from its flash, into a log; a new log begins where the journal does."""

import time
from pathlib import Path
from typing import NamedTuple

from host.keys import TableKey
from host.log.entries import Record
from host.log.reading import Origin
from host.log.schema import NotALog
from host.log.store import LogStore, seal_in
from host.log.verify import OpenedLog, open_journal, verify
from shared.journal.chain import Chain

BATCH = 500


class Imported(NamedTuple):
    first: int
    last: int
    added: int  # records that the log did not have before


def import_journal(folder: Path, path: Path, key: TableKey, staff: str | None, reason: str | None) -> Imported:
    """Commit what the log lacks; NotALog if journal and log do not fit together, LogFailed if it cannot write.

    `staff` and `reason` are needed where a new log begins with a later record than the table's first.
    """
    journal = open_journal(folder, key.sealer, key.table)
    verdict = verify(journal.lines, key.sealer, key.table, (), journal.start)
    if journal.problem or not verdict.is_whole:
        raise NotALog(
            f"the journal in {folder} is not whole: {verdict.breaks[0] if verdict.breaks else journal.problem}"
        )
    if not journal.lines:
        raise NotALog(f"there is no journal in {folder}, so there is nothing to bring in; name the folder of one")
    before, seal = journal.start or (0, None)
    origin = None
    if not path.exists() and before:
        if not staff or not reason:
            raise NotALog(
                f"the journal begins with record {before + 1}, so those before it will not be in the log; "
                "if that is meant, say who decides it with --staff and why with --reason"
            )
        origin = Origin(key.table, before, seal, int(time.time()), staff, reason)
    with LogStore(path, key.table, origin) as store:
        if origin:
            store.notice("adopted", f"{staff} began this log at record {before + 1}: {reason}", before + 1)
        count = take(store, journal, key, folder)
    return Imported(verdict.first, verdict.last, count)


def take(store: LogStore, journal: OpenedLog, key: TableKey, folder: Path) -> int:
    chain = Chain(key.sealer, key.table, *(journal.start or (0, None)))
    end = store.end()
    has = end.number if end else 0
    if has < chain.number:
        raise NotALog(f"the log ends at record {has}, and the journal in {folder} begins after {chain.number}")
    if end and has == chain.number and end.seal != chain.last:
        raise other_chain(store.path, folder)
    batch: list[Record] = []
    count = 0
    for line in journal.lines:
        boot, number, record = chain.follow(line.content)
        if number == has and end and seal_in(line.content) != end.seal:
            raise other_chain(store.path, folder)
        if number > has:
            batch.append(Record(number, boot, record, line.content))
            count += 1
        if len(batch) == BATCH:
            store.commit(batch, int(time.time()))
            batch = []
    store.commit(batch, int(time.time()))
    return count


def other_chain(path: Path, folder: Path) -> NotALog:
    return NotALog(f"{path} and the journal in {folder} are of different chains; name another log")
