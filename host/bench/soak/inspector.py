"""Looks at everything that comes from a table in a soak, and says at once what must not be."""

from collections import Counter
from itertools import takewhile
from typing import Any

from host.bench.soak.chaos import Chaos
from host.simulator.target import Flashed
from host.simulator.virtual_pico import Memory
from host.table.link import NOT_DONE
from host.words.faults import ADVICE
from shared.journal.journal import Journal
from shared.journal.seal import Sealer
from shared.journal.wire import spell

STEP_MS = 50  # between two passes
MOST_QUIET_MS = 3_600_000  # without a round that ends
SETTLING_MS = 180_000  # within which the host has everything once all is well
QUIET_MS = 5_000  # without a record, after which there are no more
STOPS = ("crashed", "journal_broken", "journal_failed", "journal_full")  # faults by which a table stops for good
TOLD = ("held", "denied", "quiet", "late", "sensed", "debt", "reversed", "hand_pay")  # records that are counted


class Failed(Exception):
    """What must not happen; the text says what did."""


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
                raise Failed(f"the link: {what} {' '.join(map(str, details))}")
        if floor.bridge.alarms:
            self.counts["differing"] += 1
            number, (wanted, came) = floor.bridge.alarms[0]
            raise Failed(f"record {number} is {spell(came)}; by the rules it is {wanted!r}")
        if floor.bridge.unsigned:
            raise Failed(f"no checkpoint: {floor.bridge.unsigned}")
        if floor.now - self.ended_at > MOST_QUIET_MS:
            round_ = floor.bridge.replay.round
            state = round_.state if round_ else "not configured"
            raise Failed(f"no round ends any more: {state}, faults {floor.bridge.replay.faults}")

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
                raise Failed(f"the table latched the fault {record[1]} ({record[2]})")
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
            raise Failed(f"the host does not get everything within {SETTLING_MS // 1000} s")
        self.compare_with_flash()
        self.check_commands()

    def compare_with_flash(self) -> None:
        floor = self.floor
        memory = Memory()
        memory.files = {name: [data] for name, data in floor.exposed.target.flash().items()}
        journal = Journal(memory, Sealer(self.flashed.key), self.flashed.table)
        first = journal.first()
        kept = list(journal.lines_from(first))
        logged = floor.log.lines[first - 1 :]
        self.counts["lost"] = max(0, len(kept) - len(logged))
        self.counts["differing"] += sum(ours != theirs for ours, theirs in zip(kept, logged, strict=False))
        if kept != logged:
            here = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(kept, logged, strict=False)))
            sizes = f"the table has {len(kept)} records from number {first} on, the log {len(logged)}"
            raise Failed(f"{sizes}; the first that is not the same is number {first + here}")

    def check_commands(self) -> None:
        """Each was done once under its own number if it was answered so, and never if it was given up."""
        numbers: dict[str, int] = {}
        answers: dict[int, tuple[Any, ...]] = {}
        for record in self.floor.log.records():
            if record[0] == "command":
                if record[2] in numbers:
                    raise Failed(f"the command of {record[2]} was done twice")
                numbers[record[2]] = record[1]
            elif record[0] == "answer":
                answers[record[1]] = tuple(record[2:])
        for who, outcome in self.answers.items():
            done, code = outcome[:2]
            is_logged = who in numbers
            if code == NOT_DONE and is_logged:
                raise Failed(f"the command of {who} was given up, and done")
            if done and not is_logged:
                raise Failed(f"the command of {who} was done, and is not in the log")
            if code != NOT_DONE and is_logged and answers.get(numbers[who]) != outcome:
                raise Failed(f"the command of {who} was answered {outcome}, not {answers.get(numbers[who])}")
