"""Looks at everything that comes from a table in a soak, and says at once what must not be."""

from collections import Counter
from itertools import takewhile
from typing import Any

from host.bench.soak.chaos import Chaos
from host.log.fast_chain import FastChain
from host.simulator.target import Flashed
from host.simulator.virtual_pico import Memory
from host.table.link import NOT_DONE
from host.words.failures import Failure
from host.words.faults import ADVICE, broken_words
from host.words.records import difference_words
from shared.journal.chain import BrokenChain
from shared.journal.journal import Journal
from shared.journal.seal import Sealer
from shared.journal.wire import spell

STEP_MS = 50  # between two passes
MOST_QUIET_MS = 3_600_000  # without a round that ends
SETTLING_MS = 180_000  # within which the host has everything once all is well
QUIET_MS = 5_000  # without a record, after which there are no more
STOPS = ("crashed", "journal_broken", "journal_failed", "journal_full")  # faults by which a table stops for good
TOLD = ("held", "denied", "quiet", "late", "sensed", "debt", "reversed", "hand_pay")  # records that are counted


class SoakFailed(Failure):
    """Something that must not happen."""


class Inspector:
    """Looks at everything that comes from the table, and says at once what must not be."""

    def __init__(self, floor: Chaos, flashed: Flashed) -> None:
        self.floor = floor
        self.flashed = flashed
        self.counts: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.is_counted = True  # the end of the round that runs
        self.has_bets = False
        self.ended_at = 0
        self.answers: dict[str, tuple[Any, ...]] = {}  # by the command's own name

    def look(self) -> None:
        floor = self.floor
        while floor.records:
            record = floor.records.popleft()
            self.counts["records"] += 1
            self.take(record.record)
        while floor.events:
            what, details = floor.events.popleft()
            if what == "answer":
                self.answers[details[0].who] = details[1:]
            elif what == "refused" and not floor.is_undisturbed:
                self.counts["line_refused"] += 1
            elif what not in ("up", "down", "unproved"):
                raise SoakFailed("soak.link", announcement=(what, details))
        if floor.bridge.alarms:
            self.counts["differing"] += 1
            number, difference = floor.bridge.alarms[0]
            raise SoakFailed("soak.differs", number=number, difference=difference_words(*difference))
        if floor.bridge.unsigned:
            raise SoakFailed("soak.unsigned", failure=floor.bridge.unsigned)
        if floor.now - self.ended_at > MOST_QUIET_MS:
            replay = floor.bridge.replay
            state = replay.round.state if replay.round else "not configured"
            faults = " and ".join(replay.faults) or "no fault"
            minutes = MOST_QUIET_MS // 60_000
            raise SoakFailed("soak.stands_still", minutes=minutes, state=state, faults=faults)

    def take(self, record: list[Any]) -> None:
        kind = record[0]
        counts = self.counts
        if kind == "event":
            self.take_event(record[2][0])
        elif kind == "state" and record[1] in ("settled", "void") and not self.is_counted:
            self.is_counted = True
            counts["rounds"] += 1
            counts[record[1]] += 1
            counts["with_bets"] += self.has_bets
            self.ended_at = self.floor.now
        elif kind == "refused":
            self.refused[record[3]] += 1
        elif kind in TOLD:
            counts[kind] += 1
        elif kind == "boot":
            counts["boot"] += 1
            counts["torn"] += record[2] > 0
        elif kind == "fault":
            if record[1] in STOPS or record[1] not in ADVICE:
                raise SoakFailed("soak.fault", fault=record[1:])
            self.faults[record[1]] += 1

    def take_event(self, name: str) -> None:
        if name == "open":
            self.is_counted = self.has_bets = False
        self.has_bets = self.has_bets or name == "bet"
        self.counts["power_failure"] += name == "power_failure"

    # -- at the end

    def finish(self) -> None:
        """Once everything works again the host has exactly what is on flash, and commands ended as was told."""
        floor = self.floor
        floor.calm_down()
        quiet = 0
        for _ in range(0, SETTLING_MS, STEP_MS):
            before = len(floor.log.lines)
            floor.step(STEP_MS)
            self.look()
            link = floor.bridge.link
            is_rest = link.is_up and not link.commands and len(floor.log.lines) == before
            quiet = quiet + STEP_MS if is_rest else 0
            if quiet > QUIET_MS:
                break
        else:
            raise SoakFailed("soak.not_delivered", seconds=SETTLING_MS // 1000)
        self.compare_with_flash()
        self.follow_chain()
        self.check_commands()

    def compare_with_flash(self) -> None:
        floor = self.floor
        memory = Memory()
        for name, data in floor.exposed.target.flash().items():
            memory.append(name, data)
        journal = Journal(memory, Sealer(self.flashed.key), self.flashed.table)
        first = journal.first()
        kept = list(journal.lines_from(first))
        logged = floor.log.lines[first - 1 :]
        self.counts["lost"] = max(0, len(kept) - len(logged))
        self.counts["differing"] += sum(ours != theirs for ours, theirs in zip(kept, logged, strict=False))
        if kept != logged:
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(kept, logged, strict=False)))
            counts = {"kept": len(kept), "logged": len(logged)}
            raise SoakFailed("soak.lost", first=first, differs=first + same, **counts)

    def follow_chain(self) -> None:
        """What flash no longer has is in the log as well, without a gap."""
        chain = FastChain(Sealer(self.flashed.key), self.flashed.table)
        try:
            for line in self.floor.log.lines:
                chain.follow(line)
        except BrokenChain as broken:
            raise SoakFailed("soak.chain", damage=broken_words(broken)) from None

    def check_commands(self) -> None:
        """Each was done once under its own number if it was answered so, and never if it was given up."""
        numbers: dict[str, int] = {}
        answers: dict[int, tuple[Any, ...]] = {}
        for record in self.floor.log.records():
            if record[0] == "command":
                if record[2] in numbers:
                    raise SoakFailed("soak.done_twice", who=record[2])
                numbers[record[2]] = record[1]
            elif record[0] == "answer":
                answers[record[1]] = tuple(record[2:])
        for who, outcome in self.answers.items():
            done, code = outcome[:2]
            is_logged = who in numbers
            if code == NOT_DONE and is_logged:
                raise SoakFailed("soak.given_up_but_done", who=who)
            if done and not is_logged:
                raise SoakFailed("soak.done_not_logged", who=who)
            logged = answers.get(numbers[who]) if is_logged else None
            if code != NOT_DONE and is_logged and logged != outcome:
                words = {"told": spell(list(outcome)), "logged": spell(list(logged or ()))}
                raise SoakFailed("soak.answered_otherwise", who=who, **words)
