"""Replay is the truth: the events in a log, played again, must give the log again.

The table replays its own journal after a power cut, to stand where it stood and to write what the cut kept
it from writing. The host replays every record as it comes and raises an alarm on any difference.
"""

from shared.journal.chain import DIFFERENT, BrokenChain, record_of
from shared.journal.journal import BEGIN, OPENING
from shared.journal.outcomes import outcome_of, still_late, without
from shared.journal.snapshot import CONFIGURED, read_standing, standing_records
from shared.journal.wire import spell
from shared.round.events import EVENTS


class Replay:
    """Takes records one after the other. `expected` holds what must still follow the last event."""

    def __init__(self):
        self.config = None
        self.round = None
        self.expected = []
        self.command = None  # the id of a command that has no answer yet
        self.outcome = None  # as `outcome_of` has it, by the records after it
        self.last_command = 0
        self.last_answer = None  # (done, code, paragraph, detail, check) of it
        self.check = ""  # of the command that has no answer yet
        self.faults = []  # codes that are latched
        self.late = []  # [card, face up] of those that came while the deal waited
        self.wanted = 0
        self.parts = []
        self.why = None

    def take(self, record):
        """None if the record is what must come here, else (what was expected, what was found)."""
        name = record[0]
        if self.expected:
            return self.compare(record)
        if name == "command":
            self.command = record[1]
            self.check = record[4]
            self.outcome = None
        elif name == "answer":
            self.command = None
            self.last_command = record[1]
            self.last_answer = tuple(record[2:]) + (self.check,)
        elif name == "fault":
            self.faults = without(self.faults, record[1]) + [record[1]]
        elif name == "cleared":
            self.faults = without(self.faults, record[1])
            self.outcome = outcome_of(record)
        elif name == "late":
            self.late = self.late + [record[1:]]
        elif name == BEGIN:
            self.wanted = record[1]
            self.why = record[2]
            self.parts = []
        elif name in ("config", "carried"):
            self.parts.append(record)
            if len(self.parts) == self.wanted:
                return self.stand()
        elif self.round and (name == "event" or (name == "refused" and record[1][0] in EVENTS)):
            self.outcome = outcome_of(record)
            self.late = still_late(self.late, record)
            self.expected = self.round.apply(record[2] if name == "event" else record[1])
            return self.compare(record)
        elif name in ("refused", "held", "call"):
            self.outcome = outcome_of(record)
        return None

    def take_journal(self, journal):
        """Take what a journal has kept, one record at a time; BrokenChain if one is not what must come there."""
        for number, line in enumerate(journal.lines_from(journal.whole), journal.whole):
            journal.feed()
            record = record_of(line)
            if self.take(record):
                raise BrokenChain(number, DIFFERENT, record[0])
            yield record

    def compare(self, record):
        wanted = self.expected.pop(0)
        # Looking at them as the runtime prints them is quick and as strict, but for tuples.
        if repr(record) != repr(wanted) and spell(record) != spell(wanted):
            self.expected = []
            return wanted, record
        return None

    def stand(self):
        """The table says how it stands; once known, that must be how it stood."""
        parts = self.parts
        self.wanted = 0
        self.parts = []
        difference = None
        if self.round and self.why == OPENING:
            ours = standing_records(
                OPENING, self.config, self.round, self.last_command, self.last_answer, self.faults
            )
            if spell(ours[1:]) == spell(parts):
                return None
            difference = ours[1:], parts
        self.config, self.round, command, self.faults = read_standing(parts)
        if command:
            self.last_command = command[0]
            self.last_answer = tuple(command[1:])
            if self.why == CONFIGURED:
                # Done by this command, whose answer must follow.
                self.command = command[0]
                self.check = command[-1]
                self.outcome = self.last_answer[:-1]
        return difference
