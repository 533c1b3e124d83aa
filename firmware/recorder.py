"""Keeps the round and the journal in step: everything is on flash before anyone is told.

After a power cut the journal is replayed: the round stands where it stood, what an event caused but could not
write any more is written now, and the rulebook's own paragraph on power failures decides what follows. If the
journal does not take a record, memory and flash no longer agree: nothing more is done until the next start.
"""

from binascii import crc32, hexlify

from firmware.journal_reserve import SENSED_BYTES, SPARE_BYTES, free_bytes, must_wait
from firmware.module_unload import forget
from shared.journal.journal import OPENING, JournalFull
from shared.journal.outcomes import outcome_of, still_late, without
from shared.journal.snapshot import CONFIGURED, IDLE, read_config, reconfigured, standing_records
from shared.journal.wire import spell
from shared.round.events import MAX_NAME, as_given
from shared.round.table import BadConfig
from shared.values import clean, const, is_text, since

NONCE_LENGTH = 16

# How many notes about strangers on the line are kept at once, and how soon there is room for another, so
# that nobody can fill the journal by talking nonsense.
_NOTES_AT_ONCE = const(16)
_NOTE_EVERY_MS = const(10000)

# After so many bytes without a round the table says anew how it stands, so that older ones may go. A round that
# was settled before can then no longer be taken back.
_IDLE_BYTES = const(64 * 1024)

_MAX_CARD = const(20)  # characters of what a reader calls a card
_MAX_DETAIL = const(120)  # characters of a fault's detail
_MOST_LATE = const(52)  # cards that wait for their turn; there are no more


class Stopped(Exception):
    """The journal did not take a record, so nothing more is done until the table has started again."""


class Recorder:
    """Rounds open only while no fault is latched and nothing holds them back.

    `cause` says why the table started; `random(n)` gives n fresh bytes, by which a new chain is known.
    `rules` is the digest of the rules core. Every start and every standing names it: only it plays them again.
    `more` are records to be written at this start, and `told` is called once they are on flash. `files` is the
    digest of all files, if known.
    """

    def __init__(self, journal, cause, random, rules, more=(), files="", told=None):
        self.journal = journal
        self.rules = rules
        self.config = None
        self.round = None
        self.holds = []  # codes of what keeps rounds from opening until it goes away
        self.faults = []  # codes of what keeps them from opening until staff clear it
        self.late = []  # [card, face up] of those that came while the deal waited
        self.last_card = (0, None)  # (round's number, card) of the one that came last
        self.last_command = 0
        self.last_answer = None  # (done, code, paragraph, detail, check)
        self.notes_left = _NOTES_AT_ONCE
        self.notes_since = 0
        self.notes_lost = 0
        self.now = 0
        self.turns = 0  # how often it has turned over
        self.told_time = None  # (seconds since 1970, uptime) as the host told it
        self.time_kept = None
        self.since = None  # bytes that a replay needs, when the last round ended
        self.is_stopped = False
        self.stopped_by = None  # the code of the fault by which it is
        self.sensed = list  # gives the records of chips and bets that disagree, if there is anything that senses
        self.sensors = None  # on the layout, if there are any
        self.times_cleared = 0  # faults, so that devices are asked again
        boot = ["boot", clean(cause, _MAX_DETAIL), sum([note[2] for note in journal.notes]), rules]
        self.starting = [boot + [files] if files else boot] + list(more)
        self.told = told
        if journal.chain.number == 0:
            self.starting.insert(0, ["chain", hexlify(random(NONCE_LENGTH)).decode()])
        self.power_failed = False
        from firmware.recovery import recover  # here, as it makes room once the table runs (loop.py)

        recover(self)
        self.start_if_room()

    # -- time

    def tick(self, now):
        if now < self.now:
            self.turns += 1
        self.now = now

    def uptime(self):
        """Milliseconds since the start, however many; a long number, so only for what is written."""
        return (self.turns << 30) + self.now

    # -- starting

    def start_if_room(self):
        """Write what a start must write. Without room for it nothing is done until the host has taken some."""
        try:
            while self.starting:
                self.journal.feed()
                self.journal.append(self.starting[0])
                self.starting.pop(0)
                if not self.starting and self.power_failed:
                    self.power_failed = False
                    self.starting = self.round.apply(["power_failure"])
        except JournalFull:
            return False
        if self.told:
            told, self.told = self.told, None
            told()
        return True

    # -- writing

    def write(self, records):
        """Have records on flash. What they say has happened in memory already, so a failure is the end."""
        try:
            self.journal.append_all(records)
        except Exception:
            self.is_stopped = True
            raise

    def keep(self, records):
        """Write records, with the time before them if a new second has begun."""
        if self.is_stopped:
            raise Stopped()
        if not self.start_if_room():
            self.notes_lost += 1
            return
        if self.told_time:
            uptime = self.uptime()
            seconds = self.told_time[0] + (uptime - self.told_time[1]) // 1000
            if seconds != self.time_kept:
                self.time_kept = seconds
                records = [["clock", seconds, uptime]] + records
        self.write(records)
        for record in records:
            self.last_card = card_in(record, self.round) or self.last_card
        self.grow_old()

    def grow_old(self):
        """Without a round for long, or room for the next, say how the table stands; what is older may then go."""
        if self.round is None or not self.round.is_over():
            self.since = None
            return
        now = self.journal.since_whole()
        if self.since is None:
            self.since = now  # a long round is not forgotten at its end
        if now > _IDLE_BYTES and (now - self.since > _IDLE_BYTES or not self.journal.has_room_for_round()):
            self.since = None
            self.round = reconfigured(self.round, self.config)
            forget("shared.round.table_reading")
            self.write(self.standing(IDLE, self.last_command, self.last_answer))

    def keep_if_room(self, records):
        """Write records that nothing depends on, unless there is little to spare."""
        if self.is_tight():
            self.notes_lost += 1
        else:
            self.keep(records)

    # -- how much room there is

    def room(self):
        """Bytes to write beyond what the end of the round needs; below zero there is only that."""
        return free_bytes(self.journal, self.round)

    def is_tight(self):
        """Whether only what must be written should be."""
        return self.room() < SPARE_BYTES

    def no_room(self):
        """What a held event is told: between rounds the host makes room, in a round only its end does."""
        return [["held", "journal_tight" if is_running(self.round) else "journal_full"]]

    # -- what happens

    def apply(self, event):
        """The records that an event caused, once they are on flash."""
        if self.is_stopped:
            raise Stopped()
        if not self.start_if_room():
            return [["held", "journal_full"]]
        before, records = self.caused_by(event)
        if is_mere_refusal(records) and self.is_tight():
            self.notes_lost += 1
        else:
            self.keep(before + records)
        return records

    def caused_by(self, event):
        """What is to be written before this event, and the records that it causes.

        Before an opening that is how the table stands. Where chips lie otherwise is written before a closing.
        """
        if self.round is None:
            return [], [["refused", ["malformed"] + as_given(event), None, "unconfigured", []]]
        before = []
        name = name_of(event)
        if name == "open" and self.round.verify(event) is None:
            self.grow_old()
            code = self.holding_back()
            if code:
                return [], [["held", code]]
            before = self.standing(OPENING, self.last_command, self.last_answer)
        elif must_wait(self.journal, self.round, name, event):
            return [], self.no_room()
        elif name == "close" and self.round.verify(event) is None:
            sensed = self.sensed()
            if self.room() < SENSED_BYTES:
                self.notes_lost += len(sensed)
            elif sensed:
                self.keep(sensed)  # at once, as both together take much room
        records = self.round.apply(event)
        self.late = still_late(self.late, records[0])
        return before, records

    def keep_late(self, card, face_up):
        """A card came in the middle of the deal while that waits: its turn comes after it."""
        if len(self.late) >= _MOST_LATE:
            self.fault("reader_error", "late %d" % _MOST_LATE)
            return
        if self.room() < 0:
            self.notes_lost += 1  # the round can only be voided now, and then it has no use for them
            return
        card = clean(card, _MAX_CARD)
        self.late = self.late + [[card, face_up]]
        self.keep([["late", card, face_up]])

    def standing(self, why, command, answer):
        records = standing_records(why, self.config, self.round, command, answer, self.faults)
        records[0].append(self.rules)
        return records

    def holding_back(self):
        """The code of what keeps a round from opening though the rules allow one, or None."""
        for code in self.faults + self.holds:
            return code
        return None if self.journal.has_room_for_round() else "journal_full"

    def hold(self, code):
        """Keep rounds from opening for a reason that goes away by itself."""
        if code not in self.holds:
            self.holds.append(code)

    def release(self, code):
        self.holds = without(self.holds, code)

    def fault(self, code, detail):
        """Latch a fault; True if it was not latched before."""
        if code in self.faults:
            return False
        self.faults.append(code)
        record = ["fault", code, clean(detail, _MAX_DETAIL)]
        if self.is_stopped or self.start_if_room():
            self.keep([record])
        else:
            self.starting.append(record)  # it is told with the start, once there is room for that
        return True

    def stop(self, code, detail):
        """Latch the fault by which the table stops; the host is told of it if the journal still takes a record.

        Memory may be half changed, so nothing but that is written, and nothing more is done.
        """
        if code not in self.faults:
            self.faults.append(code)
            if not self.is_stopped and not self.starting:
                try:
                    self.journal.append(["fault", code, clean(detail, _MAX_DETAIL)])
                except Exception:
                    pass  # then the host learns it from the answer to its next command
        self.is_stopped = True
        self.stopped_by = code

    # -- what the host says

    def command(self, number, who, name, arguments):
        """Do what the host says, once: (done, code, paragraph, detail). The same command again gets the same."""
        if self.is_stopped:
            if self.stopped_by is None or number <= self.last_command:
                raise Stopped()  # it may be on flash: only the next start can tell
            return outcome_of(["held", self.stopped_by])
        check = "%08x" % crc32(spell([who, name, arguments]).encode())
        if number == self.last_command and self.last_answer and self.last_answer[-1] == check:
            return self.last_answer[:-1]
        if number <= self.last_command:
            return outcome_of(refusal(name, "number_used", number)[0])
        if not self.start_if_room():
            return outcome_of(["held", "journal_full"])
        before = []
        if name == "event" and name_of(arguments) == "card":
            records = refusal("card", "no_such_command", "card")  # only a reader says this; staff enter cards
        elif name == "event":
            before, records = self.caused_by(arguments)
        elif name == "config":
            records = self.configure(number, check, arguments)
        elif name == "clear":
            records = self.clear(arguments)
        elif name == "call":
            records = self.call(arguments)
        else:
            records = refusal(name, "no_such_command", clean(name, 20))
        outcome = outcome_of(records[0])
        if is_mere_refusal(records) and self.is_tight():
            # Not the last command either: how the table stands must follow from what is written.
            self.notes_lost += 1
            return outcome
        self.last_command = number
        self.last_answer = outcome + (check,)
        records = before + [["command", number, clean(who, MAX_NAME), clean(name, 20), check]] + records
        self.keep(records + [["answer", number] + list(outcome)])
        return outcome

    def configure(self, number, check, pairs):
        """The records of a new configuration, which counts from now on; between rounds only."""
        round_ = self.round
        if is_running(round_):
            return refusal("config", "round_running")
        if round_ and round_.hand_pays:
            return refusal("config", "jackpot_unpaid")
        from firmware.board_fit import check_fit  # here, as a configuration comes seldom

        try:
            config = read_config(pairs)
            fresh = reconfigured(round_, config)
            check_fit(self.sensors, fresh.table)
        except BadConfig as problem:
            return refusal("config", problem.code, *problem.detail)
        finally:
            forget("shared.round.table_reading", "firmware.board_fit")
        self.config, self.round = config, fresh
        return self.standing(CONFIGURED, number, (True, "", None, [], check))

    def clear(self, arguments):
        """The records of clearing a fault: [code, the post that does it]."""
        if len(arguments) != 2 or not is_text(arguments[0], MAX_NAME) or not is_text(arguments[1], MAX_NAME):
            return refusal("clear", "bad_arguments")
        code, by = arguments
        if code not in self.faults:
            return refusal("clear", "no_such_fault", code)
        if code == "journal_broken":
            return [["held", code]]  # no clearing makes it whole
        if self.round:
            table = self.round.table
            if by not in table.roles:
                return refusal("clear", "no_such_post", by)
            # A dealer may free a jam and shut a door.
            needed = "dealer" if code in ("shuffler_jam", "shuffler_door") else table.posts["faults"]
            if not table.role_reaches(by, needed):
                return refusal("clear", "post_too_low", needed)
        if is_running(self.round) and self.room() < 0:
            return self.no_room()
        self.faults = without(self.faults, code)
        self.times_cleared += 1
        return [["cleared", code, by]]

    def call(self, arguments):
        """The record of a call for somebody, as the dealer's key makes it: [the post that should come]."""
        if len(arguments) != 1 or not is_text(arguments[0], MAX_NAME):
            return refusal("call", "bad_arguments")
        if not self.round or arguments[0] not in self.round.table.roles:
            return refusal("call", "no_such_post", arguments[0])
        return self.no_room() if self.is_tight() else [["call", arguments[0]]]

    # -- what else the log must tell

    def note(self, record, now):
        """Record something about the link, unless there have been too many such notes lately."""
        passed = since(self.notes_since, now)
        earned = passed // _NOTE_EVERY_MS
        if earned > 0:
            self.notes_left = min(_NOTES_AT_ONCE, self.notes_left + earned)
            self.notes_since = now - passed % _NOTE_EVERY_MS
        if self.is_stopped or self.starting or not self.notes_left or not self.journal.has_room_for_round():
            self.notes_lost += 1
            return
        self.notes_left -= 1
        records = [record]
        if self.notes_lost:
            records = [["quiet", self.notes_lost], record]
            self.notes_lost = 0
        self.keep(records)


def is_running(round_):
    return round_ is not None and not round_.is_over()


def refusal(command, code, *detail):
    """The records of a command that is refused."""
    return [["refused", ["command", clean(command, 20)], None, code, list(detail)]]


def is_mere_refusal(records):
    return records[0][0] in ("refused", "held")


def card_in(record, round_):
    """(the round's number, the card) that a record tells of, or None."""
    if record[0] == "late":
        return round_.number, record[1]
    is_card = record[0] == "event" and record[2][0] in ("card", "entered")
    return (round_.number, record[2][1]) if is_card else None


def name_of(event):
    """The name that an event claims, or None."""
    if isinstance(event, dict):
        return event.get("event")
    return event[0] if isinstance(event, (list, tuple)) and len(event) > 0 else None
