"""Keeps the round and the journal in step: whatever happens is on flash before anyone is told.

After a power cut the journal is replayed: the round stands where it stood, what an event caused but could not
write any more is written now, and the rulebook's own paragraph on power failures decides what follows.
"""

from shared.chain import record_of
from shared.events import as_given
from shared.replay import Replay, outcome_of
from shared.standing import CONFIGURED, OPENING, read_config, reconfigured, standing_records
from shared.states import NO_ROUND

JOURNAL_FULL = "journal_full"
UNCONFIGURED = "unconfigured"
ADVICE = {
    JOURNAL_FULL: "the journal is full of records that the host has not taken; connect the host and wait",
    UNCONFIGURED: "the table has no configuration; send one from the host",
}
CUT_OFF = "the power failed before this was done; do it again"

# How many notes about strangers on the line are kept at once, and how soon there is room for another, so
# that nobody can fill the journal by talking nonsense.
NOTES_AT_ONCE = 16
NOTE_EVERY_MS = 10000


class Recorder:
    """Rounds open only while nobody holds them back: `hold(code, advice)` and `release(code)`."""

    def __init__(self, journal, cause):
        self.journal = journal
        self.config = None
        self.round = None
        self.holds = []  # (code, advice) of what keeps rounds from opening
        self.last_command = 0
        self.last_answer = None
        self.notes_left = NOTES_AT_ONCE
        self.notes_since = 0
        self.notes_lost = 0
        self.clock_second = None
        self.recover()
        torn = sum([note[2] for note in journal.notes])
        journal.append(["boot", cause, torn])
        if self.round and self.round.state not in NO_ROUND:
            journal.append_all(self.round.apply(["power_failure"]))

    def recover(self):
        """Replay from where that is possible, and finish what the power cut short."""
        replay = Replay()
        journal = self.journal
        for line in journal.lines_from(journal.whole):
            difference = replay.take(record_of(line))
            if difference:
                raise ValueError(difference)
        self.config = replay.config
        self.round = replay.round
        self.last_command = replay.last_command
        self.last_answer = replay.last_answer
        missing = replay.expected
        if replay.command is not None:
            self.last_command = replay.command
            self.last_answer = replay.outcome or (False, CUT_OFF)
            missing = missing + [["answer", self.last_command] + list(self.last_answer)]
        journal.append_all(missing)

    # -- what happens

    def apply(self, event):
        """The records that an event caused, once they are on flash."""
        standing, records = self.caused_by(event)
        self.journal.append_all(standing + records)
        return records

    def caused_by(self, event):
        """How the table stands, if a round begins with this event, and the records that it causes."""
        if self.round is None:
            return [], [["refused", ["malformed"] + as_given(event), None, ADVICE[UNCONFIGURED]]]
        standing = []
        if is_opening(event) and self.round.verify(event) is None:
            code, advice = self.holding_back()
            if code:
                return [], [["held", code, advice]]
            standing = self.standing(OPENING, self.last_command, self.last_answer)
        return standing, self.round.apply(event)

    def standing(self, why, command, answer):
        return standing_records(why, self.config, self.round, command, answer)

    def holding_back(self):
        """Why no round may open though the rules allow one: a code and what to do."""
        if self.holds:
            return self.holds[0]
        if not self.journal.has_room_for_round():
            return JOURNAL_FULL, ADVICE[JOURNAL_FULL]
        return None, None

    def hold(self, code, advice):
        self.release(code)
        self.holds.append((code, advice))

    def release(self, code):
        self.holds = [hold for hold in self.holds if hold[0] != code]

    def command(self, number, who, name, arguments):
        """Do what the host says, once: (done, detail). The same number again gets the same answer."""
        if number == self.last_command and self.last_answer:
            return self.last_answer
        if number <= self.last_command:
            return False, "command %d is older than %d" % (number, self.last_command)
        before = []
        if name == "event":
            before, records = self.caused_by(arguments)
        elif name == "config":
            records = self.configure(number, arguments)
        else:
            records = [["held", "command", "no such command " + name]]
        answer = outcome_of(records[0])
        records = before + [["command", number, who, name]] + records + [["answer", number] + list(answer)]
        self.journal.append_all(records)
        self.last_command = number
        self.last_answer = answer
        return answer

    def configure(self, number, pairs):
        """The records of a new configuration, which counts from now on; between rounds only."""
        if self.round and self.round.state not in NO_ROUND:
            return [["held", "config", "a round is running; a new configuration waits for its end"]]
        try:
            config = read_config(pairs)
            round_ = reconfigured(self.round, config)
        except ValueError as problem:
            return [["held", "config", str(problem)]]
        self.config, self.round = config, round_
        return self.standing(CONFIGURED, number, (True, ""))

    # -- what else the log must tell

    def note(self, record, now):
        """Record something about the link, unless there have been too many such notes lately."""
        earned = (now - self.notes_since) // NOTE_EVERY_MS
        if earned > 0:
            self.notes_left = min(NOTES_AT_ONCE, self.notes_left + earned)
            self.notes_since += earned * NOTE_EVERY_MS
        if self.notes_left and self.journal.has_room_for_round():
            if self.notes_lost:
                self.journal.append(["quiet", self.notes_lost])
                self.notes_lost = 0
            self.notes_left -= 1
            self.journal.append(record)
        else:
            self.notes_lost += 1

    def clock(self, second, uptime):
        """Say the time, at most once for each second; None until the host has told it."""
        if second != self.clock_second:
            self.clock_second = second
            self.journal.append(["clock", second, uptime])


def is_opening(event):
    if isinstance(event, dict):
        return event.get("event") == "open"
    return isinstance(event, (list, tuple)) and len(event) > 0 and event[0] == "open"
