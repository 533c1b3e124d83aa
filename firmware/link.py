"""The table's end of the link: bytes in, bytes out, time passed in.

It says hello until a host proves the table's key, then sends records from where that host's log ends and
sends them again until they are acknowledged. Only what is sealed for this session is obeyed; anything else is
refused and recorded. A running session ends by silence or when another host proves the key, never by a
stranger's word.
"""

from binascii import hexlify
from collections import namedtuple

from shared.journal.journal import Reader
from shared.journal.wire import BadLine, LineSplitter, encode
from shared.link.messages import HOST, NONCE_LENGTH, TABLE, VERSION, UnknownMessage, WrongShape, read
from shared.link.session import BEAT_MS, HI, REPLAYED, REPLY, SILENCE_MS, Session
from shared.values import const, since

_HELLO_MS = const(1000)
_LIVELY_MS = const(1500)  # a host that was heard so lately is there, and need not be hailed
_WINDOW = const(32)  # records on their way at a time
_RESEND_MS = const(1500)  # without news of records on their way they are sent again
_REWIND_MS = const(300)  # how soon again when the host asks

_MISMATCH = const("mismatch")
_LOG_MISMATCH = const("log_mismatch")


# Who this table is and what it runs.
Identity = namedtuple("Identity", ("table", "board", "rules", "messages", "firmware"))


def hello_of(identity, boot, random):
    """The line, without its newline, by which a table says who it is; a hi must answer this one."""
    nonce = hexlify(random(NONCE_LENGTH)).decode()
    rules, firmware = identity.rules, identity.firmware
    message = ["hello", VERSION, identity.messages, rules, firmware, identity.board, identity.table, boot, nonce]
    return encode(message)[:-1]


class Link:
    """`recorder` does what commands say, `random(n)` gives n fresh bytes; `hello` is one said already."""

    def __init__(self, recorder, sealer, identity, random, hello=None):
        self.recorder = recorder
        self.journal = recorder.journal
        self.sealer = sealer
        self.identity = identity
        self.random = random
        self.splitter = LineSplitter()
        self.session = None
        self.hello = hello  # the line that a hi must answer
        self.hello_said = 0 if hello else None
        self.hello_after = _HELLO_MS  # how long after that to say it again; None while nobody needs it
        self.heard_at = 0
        self.beat_at = 0
        self.reader = Reader(self.journal, 1)
        self.sent_to = 0  # the last record ever sent in this session
        self.progress_at = 0  # when records on their way were last heard of or sent anew
        self.host_has = 0  # the last record that this session's host is known to have
        self.reply = None  # a line to send before anything else
        self.proof_due = False
        self.noise = 0

    def is_up(self):
        return self.session is not None

    # -- hearing

    def receive(self, data, now):
        for line in self.splitter.feed(data):
            self.take(line, now)

    def take(self, line, now):
        try:
            message = read(line, HOST)
        except BadLine:
            self.noise += 1
            return
        except UnknownMessage as unknown:
            self.recorder.note(["unknown", unknown.name], now)
            return
        except WrongShape as wrong:
            self.recorder.note(["denied", wrong.name, "field_undeclared", [wrong.field]], now)
            return
        name = message[0]
        if name == "hail":
            lively = self.session and since(self.heard_at, now) < _LIVELY_MS
            if not lively and (self.hello_said is None or since(self.hello_said, now) >= _REWIND_MS):
                self.hello_after = 0
        elif name == "hi":
            self.take_hi(message, line, now)
        elif self.session is None:
            self.recorder.note(["denied", name, "without_session", []], now)
        else:
            refusal = self.session.refusal(message, line)
            if refusal == REPLAYED and name != "command":
                self.noise += 1  # harmless, and a bad line doubles them
            elif refusal:
                self.recorder.note(["denied", name, refusal, []], now)
            else:
                self.heard_at = now
                self.obey(message, now)

    def take_hi(self, message, line, now):
        if self.session and line == self.session.hi:
            # Its answer may have been lost. The counters stay, so nothing said since can be said again.
            self.proof_due = True
            return
        if self.hello is None or not self.sealer.has_sealed(line, HI, self.hello):
            self.recorder.note(["denied", "hi", "hi_not_sealed", []], now)
            return
        hello = self.hello
        self.hello = None  # a hello is answered once
        mismatch = self.mismatch(message)
        if mismatch:
            self.recorder.note(["mismatch"] + mismatch, now)
            self.recorder.hold(_LOG_MISMATCH if mismatch[0].startswith("log") else _MISMATCH)
            self.reply = self.sealer.line(["sorry"] + mismatch, REPLY, hello, line)
            return
        self.recorder.release(_MISMATCH)
        self.recorder.release(_LOG_MISMATCH)
        self.session = Session(self.sealer, hello, line, TABLE, HOST)
        self.hello_after = None
        self.reply = None
        self.proof_due = True
        self.heard_at = self.beat_at = self.progress_at = now
        self.journal.acknowledge(message[4])
        self.reader.seek(message[4] + 1)
        self.sent_to = self.host_has = message[4]
        self.recorder.note(["link", "up", self.noise], now)
        self.noise = 0

    def mismatch(self, hi):
        """[what, ours, the host's] of the first thing that does not fit, or None.

        Versions are texts, as hosts of every version read them.
        """
        version, messages, rules, number, mark = hi[1:6]
        ours = self.identity
        if version != VERSION:
            return ["version", str(VERSION), str(version)]
        if messages != ours.messages:
            return ["messages", ours.messages, messages]
        if rules != ours.rules:
            return ["rules", ours.rules, rules]
        if number > self.journal.chain.number:
            return ["log_ends", self.journal.chain.number, number]
        here = self.journal.seal_of(number)
        if here is None:
            # With the seal of the record before it a new log can begin there, if staff want that.
            first = self.journal.first()
            return ["log_begins", [first, self.journal.seal_of(first - 1).decode()], number]
        if here.decode() != mark:
            return ["log_differs", here.decode(), mark]
        return None

    def obey(self, message, now):
        name = message[0]
        if name == "ack":
            self.acknowledged(message[1], now)
        elif name == "command":
            number, who, command, arguments = message[1:5]
            outcome = self.recorder.command(number, who, command, arguments)
            # One command is on its way at a time, so one answer is.
            self.reply = self.session.line(["answer", number] + list(outcome))
        elif name == "time":
            self.recorder.told_time = (message[1], self.recorder.uptime())
        elif name == "bye":
            self.end_session("bye", now)

    def proof(self):
        message = ["proof", self.journal.chain.number, self.recorder.last_command, self.journal.origin]
        return self.sealer.line(message, REPLY, self.session.hello, self.session.hi)

    def acknowledged(self, number, now):
        if number > self.sent_to:
            return  # the host cannot have it
        if number > self.host_has:
            self.host_has = number
            self.journal.acknowledge(number)
            self.progress_at = now
            if self.reader.number <= number:
                self.reader.seek(number + 1)
        elif self.sent_to > number and since(self.progress_at, now) >= _REWIND_MS:
            # The same number again while more are on their way: the host has met a gap.
            self.rewind(now)

    def rewind(self, now):
        self.reader.seek(self.host_has + 1)
        self.progress_at = now

    def end_session(self, why, now):
        self.hello = None
        self.hello_after = 0
        self.reply = None
        self.proof_due = False
        if self.session:
            self.session = None
            self.recorder.note(["link", why, self.noise], now)
            self.noise = 0

    # -- saying

    def output(self, now):
        """The next line to send, or nothing. Ask again when all of it is gone."""
        if self.session and since(self.heard_at, now) > SILENCE_MS:
            self.end_session("silent", now)
        if self.proof_due:
            self.proof_due = False
            return self.proof()
        if self.reply:
            reply, self.reply = self.reply, None
            return reply
        if self.hello_after is not None and (
            self.hello_said is None or since(self.hello_said, now) >= self.hello_after
        ):
            return self.say_hello(now)
        if self.session is None:
            return b""
        if since(self.beat_at, now) >= BEAT_MS:
            self.beat_at = now
            return self.session.line(["beat", self.journal.chain.number])
        return self.next_record(now)

    def say_hello(self, now):
        self.hello_said = now
        self.hello_after = _HELLO_MS if self.session is None else None
        if self.hello is None:
            self.hello = hello_of(self.identity, self.journal.boot, self.random)
        return self.hello + b"\n"

    def next_record(self, now):
        on_their_way = self.reader.number - 1 - self.host_has
        if self.sent_to > self.host_has and since(self.progress_at, now) > _RESEND_MS:
            self.rewind(now)
        elif on_their_way >= _WINDOW:
            return b""
        elif on_their_way == 0:
            self.progress_at = now
        line = self.reader.next()
        if line is None:
            return b""
        self.sent_to = max(self.sent_to, self.reader.number - 1)
        return line + b"\n"
