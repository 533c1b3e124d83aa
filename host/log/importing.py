"""Brings a table's own journal, saved from its flash, into a log; a new log begins where the journal does."""

import time
from pathlib import Path
from typing import Any, NamedTuple

from host.keys import TableKey
from host.log.entries import Record
from host.log.reading import Origin
from host.log.schema import NotALog
from host.log.store import LogStore
from host.log.verify import OpenedLog, open_journal, verify
from shared.journal.wire import decode

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
        wrong: Any = verdict.breaks[0] if verdict.breaks else journal.problem
        about = {"number": wrong.number, "how": wrong.how, "detail": wrong.detail}
        raise NotALog("log.broken_journal", folder=folder, **about)
    if not journal.lines:
        raise NotALog("log.empty_journal", folder=folder)
    before, seal = journal.start or (0, None)
    origin = None
    if not path.exists() and before:
        if not staff or not reason:
            raise NotALog("log.journal_begins_late", first=before + 1)
        origin = Origin(key.table, before, seal, int(time.time()), staff, reason)
    with LogStore(path, key.table, origin) as store:
        if origin:
            store.notice("adopted", f"{staff} began this log at record {before + 1}: {reason}", before + 1)
        count = take(store, journal, folder)
    return Imported(verdict.first, verdict.last, count)


def take(store: LogStore, journal: OpenedLog, folder: Path) -> int:
    """Commit the records of a journal that has been verified, as far as the log lacks them; how many they are."""
    before, seal = journal.start or (0, None)
    end = store.end()
    has = end.number if end else 0
    if has < before:
        raise NotALog("log.gap", last=has, folder=folder, before=before)
    if end and has == before and end.seal != seal:
        raise NotALog("log.other_chain", path=store.path, folder=folder)
    new: list[Record] = []
    for line in journal.lines:
        _, boot, number, record, mark = decode(line.content)
        if end and number == has and mark != end.seal.hex():
            raise NotALog("log.other_chain", path=store.path, folder=folder)
        if number > has:
            new.append(Record(number, boot, record, line.content))
    for start in range(0, len(new), BATCH):
        store.commit(new[start : start + BATCH], int(time.time()))
    return len(new)
