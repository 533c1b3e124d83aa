"""Cuts a log into parts that can be audited side by side, each in a process of its own.

A part begins where the table said how it stands before a round, so it can be played by itself. The part before it
plays on to the end of what the table said there, and finds it out if that does not follow.
"""

import multiprocessing
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

from host.log.reading import LogReader, as_record, is_whole, readable
from shared.journal.journal import OPENING

LEAST_RECORDS = 20_000  # of a part; fewer are read before another process is there
SPAWNED = multiprocessing.get_context("spawn")


class Part(NamedTuple):
    first: int  # its first record, and its last
    last: int
    played_to: int  # the end of what the table says at the beginning of the next part


def find_parts(log: LogReader, first: int, last: int, most: int) -> list[Part]:
    """At most so many, about equally long."""
    count = min(most, (last - first + 1) // LEAST_RECORDS)
    begins = [(first, first)]
    for place in range(1, count):
        begin = standing_from(log, first + (last - first + 1) * place // count)
        if begin and begin[0] > begins[-1][0]:
            begins.append(begin)
    ends = [*begins[1:], (last + 1, last)]
    return [Part(begin, after - 1, end) for (begin, _), (after, end) in zip(begins, ends, strict=True)]


def standing_from(log: LogReader, number: int) -> tuple[int, int] | None:
    """The first and last record of what the table says before a round, from a record on."""
    sql = "SELECT number, line FROM records WHERE kind = 'begin' AND number >= ? ORDER BY number"
    for begin, line in log.query(sql, number):
        record = as_record(readable(line)) if isinstance(line, bytes) else None
        is_opening = record and len(record) >= 3 and record[2] == OPENING and isinstance(record[1], int)
        if is_opening and is_whole(log.connection, begin, record[1], OPENING):
            return begin, begin + record[1]
    return None


def side_by_side(
    look: Callable[..., Any], arguments: tuple[Any, ...], parts: list[Part], progress: Callable[[int], None]
) -> Iterator[Any]:
    """What `look(*arguments, part, progress)` gives for each part, in their order.

    The parts' own progress is added up. What a part raises is raised here.
    """
    if len(parts) == 1:
        yield look(*arguments, parts[0], progress)
        return
    pipes: dict[Connection, int] = {}
    workers = []
    done, found = [0] * len(parts), {}
    try:
        for place, part in enumerate(parts):
            ours, theirs = SPAWNED.Pipe(duplex=False)
            worker = SPAWNED.Process(target=work, args=(look, arguments, part, theirs), daemon=True)
            worker.start()
            theirs.close()
            workers.append(worker)
            pipes[ours] = place
        while pipes:
            for pipe in wait(list(pipes)):
                assert isinstance(pipe, Connection)
                what, value = receive(pipe)
                if what == "done":
                    done[pipes[pipe]] = value
                    progress(sum(done))
                elif what == "raised":
                    raise value
                else:
                    found[pipes.pop(pipe)] = value
        yield from (found[place] for place in range(len(parts)))
    finally:
        for worker in workers:
            worker.terminate()
            worker.join()


def receive(pipe: Connection) -> tuple[str, Any]:
    try:
        return pipe.recv()
    except EOFError:
        raise RuntimeError("a process that read a part of the log ended without a word") from None


def work(look: Callable[..., Any], arguments: tuple[Any, ...], part: Part, pipe: Connection) -> None:
    """What runs in a part's own process."""
    try:
        pipe.send(("found", look(*arguments, part, lambda count: pipe.send(("done", count)))))
    except Exception as problem:
        pipe.send(("raised", problem))
