"""Plays scenarios on targets and says of each whether it passed, and if not, what is to blame.

Beside a firmware target the rules core plays the same events: the records of each must be equal byte for byte.
"""

import multiprocessing
import time
from collections import deque
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, Protocol

from host.bench.course import play
from host.bench.firmware_target import FirmwareTarget, Said
from host.bench.outcomes import Broken, CannotPlay, Differs
from host.bench.scenario import BadScenario, Scenario, read_scenario
from host.bench.targets import CoreTarget, Target
from host.bench.troubles.phrases import ACTS
from host.display.table_view import TableView
from host.words.records import event_words, record_words
from shared.journal.journal import OPENING
from shared.journal.snapshot import read_config, reconfigured
from shared.journal.wire import spell
from shared.round.events import EVENTS, plain_event, read_event
from shared.round.records import RECORDS
from shared.round.round import Round

PASSED = "passed"
FAILED = "failed"
SKIPPED = "skipped"
FLAKY = "flaky"  # failed, and passed when it was tried again: never passed
UNREAD = "unread"  # the scenario's file cannot be read

# What a failure speaks against.
PRODUCT = "product"
SET_UP = "set-up"
INSTRUMENT = "instrument"

FORKED = multiprocessing.get_context("fork")  # a slow target is copied as it stands

Record = list[Any]


class Evidence(NamedTuple):
    """What there was when an attempt ended."""

    records: list[Record]
    wire: list[Said]
    view: TableView
    given: list[list[Record]]  # what was compared, event by event


class Attempt(NamedTuple):
    outcome: str  # passed, failed or skipped
    cause: str  # of a failure
    words: str  # the first difference, or why it is skipped
    seconds: float
    evidence: Evidence | None = None  # of a failure


class Result(NamedTuple):
    """A scenario on a target; every attempt is kept."""

    path: Path
    scenario: Scenario | None  # None if its file cannot be read
    target: str
    board: str
    attempts: list[Attempt]

    @property
    def verdict(self) -> str:
        last = self.attempts[-1].outcome
        if self.scenario is None:
            return UNREAD
        return FLAKY if last == PASSED and len(self.attempts) > 1 else last

    @property
    def seconds(self) -> float:
        return sum(attempt.seconds for attempt in self.attempts)

    @property
    def telling(self) -> Attempt:
        """The attempt that says most: what speaks against the product, or else the first that went wrong."""
        by_cause = [one for one in self.attempts if one.cause == PRODUCT] or [
            one for one in self.attempts if one.cause
        ]
        return by_cause[0] if by_cause else self.attempts[-1]

    @property
    def words(self) -> str:
        return self.telling.words

    @property
    def cause(self) -> str:
        return self.telling.cause


# -- one attempt


class Applies(Protocol):
    def apply(self, event: dict[str, Any]) -> list[Record]: ...


class Noted:
    """A target with a note of what it gave for each event."""

    def __init__(self, target: Applies) -> None:
        self.target = target
        self.given: list[list[Record]] = []

    def apply(self, event: dict[str, Any]) -> list[Record]:
        self.given.append(self.target.apply(event))
        return self.given[-1]


def beside_core(
    target: Applies, config: dict[str, Any], book: ModuleType
) -> Callable[[dict[str, Any]], list[Record]]:
    """Applies events to the target and to a rules core of its own; Differs at the first difference."""
    core = Round(config)

    def apply(event: dict[str, Any]) -> list[Record]:
        nonlocal core
        if event["event"] in ACTS:
            came = target.apply(event)
            core = follow(core, config, came, book)
            return came
        wanted = core.apply(event)
        came = target.apply(event)
        difference = first_difference(wanted, came, book)
        if difference:
            raise Differs(f'at "{event_words(plain_event(*read_event(event)))}" {difference}')
        return came

    return apply


def follow(core: Round, config: dict[str, Any], came: list[Record], book: ModuleType) -> Round:
    """The rules core takes the events that the table made of a trouble; the round that it has then."""
    wanted: list[Record] = []
    for place, record in enumerate(came):
        name = record[0]
        if name == "begin" and record[2] != OPENING:
            parts = came[place + 1 : place + 1 + record[1]]
            core = reconfigured(core, read_config([part[1:] for part in parts if part[0] == "config"]) or config)
        if name not in RECORDS or (name == "refused" and record[1][0] not in EVENTS):
            continue  # the table's own
        if name in ("event", "refused") and not wanted:
            wanted = core.apply(record[2] if name == "event" else record[1])
        difference = first_difference(wanted[:1], [record], book)
        if difference:
            raise Differs(difference)
        wanted = wanted[1:]
    if wanted:
        raise Differs(first_difference(wanted, [], book) or "")
    return core


def first_difference(wanted: list[Record], came: list[Record], book: ModuleType) -> str | None:
    """In words, and as they are written where words do not tell them apart."""
    for place in range(max(len(wanted), len(came))):
        core, table = wanted[place : place + 1], came[place : place + 1]
        if core and table and spell(core[0]) == spell(table[0]):
            continue
        told = [record_words(side[0], book) if side else "nothing more" for side in (core, table)]
        if told[0] == told[1]:
            told = [spell(side[0]) if side else "nothing more" for side in (core, table)]
        return f"the rules core says: {told[0]}; the table: {told[1]}"
    return None


def attempt(scenario: Scenario, target: Target) -> Attempt:
    """Play it once, on a table of its own."""
    begun = time.perf_counter()
    cause = words = ""
    outcome = PASSED
    noted = Noted(target)
    try:
        target.start(scenario.config)
        is_core = isinstance(target, CoreTarget)
        apply = noted.apply if is_core else beside_core(noted, scenario.config, scenario.book_module())
        words = play(scenario, apply).difference or ""
        if isinstance(target, FirmwareTarget) and not words:
            target.check_end(apply)
        if words:
            outcome, cause = FAILED, PRODUCT
    except CannotPlay as why:
        outcome, words = SKIPPED, str(why)
    except Differs as difference:
        outcome, cause, words = FAILED, PRODUCT, str(difference)
    except Broken as problem:
        outcome, cause, words = FAILED, INSTRUMENT, str(problem)
    seconds = time.perf_counter() - begun
    if outcome != FAILED:
        return Attempt(outcome, cause, words, seconds)
    evidence = Evidence(list(target.records), list(target.wire), target.keeper.view(), noted.given)
    target.close()  # what failed may not be as it was; the next start makes another
    return Attempt(outcome, cause, words, seconds, evidence)


# -- many


def run(
    files: list[Path],
    targets: list[Target],
    retries: int = 0,
    matches: Callable[[Scenario], bool] = lambda scenario: True,
    jobs: int = 1,
    known: Callable[[Scenario, Target], Result | None] = lambda scenario, target: None,
) -> Iterator[Result]:
    """Every scenario on every target that is not `known`; slow targets last, in `jobs` processes at once."""
    slow = []
    for path in files:
        try:
            scenario = read_scenario(path)
        except BadScenario as problem:
            yield Result(path, None, "", "", [Attempt(FAILED, SET_UP, str(problem), 0.0)])
            continue
        for target in targets if matches(scenario) else ():
            result = known(scenario, target)
            if result:
                yield result
            elif target.is_slow:
                slow.append((scenario, target))
            else:
                attempts = [attempt(scenario, target)]
                while attempts[-1].outcome == FAILED and len(attempts) <= retries:
                    attempts.append(attempt(scenario, target))
                yield Result(path, scenario, target.name, target.board, attempts)
    yield from run_apart(slow, retries, jobs)


def run_apart(work: list[tuple[Scenario, Target]], retries: int, jobs: int) -> Iterator[Result]:
    """Each attempt in a process of its own that begins as a copy of this one; results as they come."""
    waiting = deque((scenario, target, list[Attempt]()) for scenario, target in work)
    running: dict[Connection, Any] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            scenario, target, attempts = waiting.popleft()
            try:
                target.prepare(scenario.config)
            except Broken as problem:
                attempts.append(Attempt(FAILED, INSTRUMENT, str(problem), 0.0))
                yield Result(scenario.path, scenario, target.name, target.board, attempts)
                continue
            ours, theirs = FORKED.Pipe(duplex=False)
            process = FORKED.Process(target=attempt_and_send, args=(scenario, target, theirs), daemon=True)
            process.start()
            theirs.close()
            running[ours] = process, scenario, target, attempts
        for ours in wait(list(running)) if running else ():
            assert isinstance(ours, Connection)
            process, scenario, target, attempts = running.pop(ours)
            try:
                board, last = ours.recv()
            except EOFError:
                process.join()
                why = f"its process ended with status {process.exitcode}"
                board, last = target.board, Attempt(FAILED, INSTRUMENT, why, 0.0)
            process.join()
            ours.close()
            attempts.append(last)
            if last.outcome == FAILED and len(attempts) <= retries:
                waiting.append((scenario, target, attempts))
            else:
                yield Result(scenario.path, scenario, target.name, board, attempts)


def attempt_and_send(scenario: Scenario, target: Target, pipe: Connection) -> None:
    made = attempt(scenario, target)
    pipe.send((target.board, made))


def exit_status(results: list[Result]) -> int:
    """0 if all passed, 1 failed or flaky, 2 a file cannot be read, 3 passed, but some were skipped."""
    verdicts = {result.verdict for result in results}
    if verdicts & {FAILED, FLAKY}:
        return 1
    if UNREAD in verdicts:
        return 2
    return 3 if SKIPPED in verdicts else 0
