"""The host's end of the link: bytes in, bytes out, time passed in.

Records are handed over in order, each once; the bridge commits them before anything else is received
and says so with `committed`, and only then are they acknowledged. What else happens is in `events`.
"""

import re
from binascii import hexlify
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from host.log.entries import LogEnd, Record
from host.log.fast_chain import FastChain
from shared.journal.chain import BrokenChain
from shared.journal.seal import Sealer
from shared.journal.wire import BadLine, LineSplitter, decode, encode
from shared.link.declarations import digest
from shared.link.messages import _MAX_NUMBER, HOST, NONCE_LENGTH, TABLE, VERSION, UnknownMessage, WrongShape, read
from shared.link.session import BEAT_MS, HI, REPLY, SILENCE_MS, Session

HAIL_MS = 500
HI_MS = 500
SORRY_MS = 5000  # before the next try at a table to which we do not fit
GREETING_MS = 10_000  # a hello whose answer leads nowhere is forgotten; a table may recover a round first
COMMAND_MS = 700
GAP_ACK_MS = 300
TIME_MS = 600_000
NOT_DONE = "table_away"  # the code of an answer that the table never gave
OLDER_FAULTY = "ailing"  # what tables before version 2 said in place of `faulty`
HAIL = encode(["hail"])
CONSOLE = (b">>> ", b"raw REPL", b"MicroPython v", HAIL.strip())  # of MicroPython, which repeats what is typed
A_RECORD = re.compile(rb'\["rec",\d{1,10},\d{1,10},\[')


def read_from_table(line: bytes) -> list[Any]:
    """The message in a table's line; an older table that does not start says so by another name."""
    try:
        return read(line, TABLE)
    except UnknownMessage as unknown:
        if unknown.name == OLDER_FAULTY:
            return read(encode(["faulty", *decode(line)[1:3]])[:-1], TABLE)
        raise


class Unsendable(ValueError):
    """A command that is too long for a line, or holds what no line can."""


class LinkEvent(NamedTuple):
    """`what` is up, down, answer, mismatch, unproved, faulty, prompt, broken, unknown or refused."""

    what: str
    details: tuple[Any, ...]


@dataclass(eq=False)  # two that say the same are two
class Command:
    who: str
    name: str
    arguments: list[Any]
    id: int = 0  # given when it is first sent
    sent_at: int = 0


@dataclass
class Greeting:
    """A hello that was answered and waits for its proof."""

    hello: bytes
    hi: bytes
    begun_at: int
    said_at: int


@dataclass(eq=False)
class HostLink:
    """`log_end` says where the log ends, `rules` is the digest of the host's rules.

    `clock` gives seconds since 1970 for the table; it never decides anything here.
    """

    log_end: Callable[[], LogEnd | None]
    sealer: Sealer
    table: str
    rules: str
    random: Callable[[int], bytes]
    clock: Callable[[], int]

    def __post_init__(self) -> None:
        self.messages = digest()
        self.splitter = LineSplitter()
        self.latest = b""  # the last bytes that came, in case that a sign of the console comes in two parts
        self.session: Session | None = None
        self.greeting: Greeting | None = None
        self.chain = self.chain_of_log()
        self.records: deque[Record] = deque()  # followed, and not yet taken by the bridge
        self.events: deque[LinkEvent] = deque()
        self.commands: deque[Command] = deque()
        self.next_id = 1
        self.last_there = 0  # the table's last record when it was joined
        self.origin = ""  # the seal of the first record in the table's chain
        self.acknowledge = False  # an ack is due
        self.acknowledged = 0
        self.acknowledged_at = 0
        self.heard_at = 0
        self.alive_at = 0
        self.time_at: int | None = None
        self.hail_at: int | None = None
        self.sorry_at: int | None = None  # when the table last said that we do not fit
        self.hello: bytes | None = None  # one that must be answered
        self.noise = 0

    def chain_of_log(self) -> FastChain:
        number, seal = self.log_end() or (0, None)
        return FastChain(self.sealer, self.table, number, seal)

    @property
    def is_up(self) -> bool:
        return self.session is not None

    @property
    def is_behind(self) -> bool:
        """Whether some of what happened before the table was joined is still on its way."""
        return self.chain.number < self.last_there

    def tell(self, what: str, *details: Any) -> None:
        self.events.append(LinkEvent(what, details))

    # -- hearing

    def receive(self, data: bytes, now: int) -> None:
        if self.session is None:
            self.look_for_console(data)
        for line in self.splitter.feed(data):
            self.take(line, now)

    def look_for_console(self, data: bytes) -> None:
        """A console does not end its prompt with a newline, so it never shows among the lines."""
        heard = self.latest + data
        self.latest = heard[1 - max(map(len, CONSOLE)) :]
        if any(sign in heard for sign in CONSOLE):
            self.latest = b""
            self.tell("prompt")

    def unplugged(self) -> None:
        """The port is gone."""
        self.latest = b""
        self.splitter.clear()
        self.greeting = None
        self.hello = None
        self.hail_at = None
        self.sorry_at = None
        self.end_session("unplugged")

    def end_session(self, why: str) -> None:
        if self.session:
            self.session = None
            self.tell("down", why)
            self.give_up([command for command in self.commands if not command.id])

    def give_up(self, commands: list[Command]) -> None:
        """Answer what the table never did: done later, it would be in another moment than it was decided for."""
        for command in commands:
            self.commands.remove(command)
            self.tell("answer", command, False, NOT_DONE, None, [])

    def take(self, line: bytes, now: int) -> None:
        if self.session and A_RECORD.match(line) and self.take_next_record(line, now):
            return
        try:
            message = read_from_table(line)
        except BadLine:
            self.noise += 1
            return
        except UnknownMessage as unknown:
            self.tell("unknown", unknown.name)
            return
        except WrongShape as wrong:
            self.tell("refused", wrong.name, "field_undeclared", [wrong.field])
            return
        name = message[0]
        if name == "hello" and message[6] == self.table:
            self.hello = line
        elif name == "hello":
            self.tell("refused", "hello", "other_table", [message[6], self.table])
        elif name == "faulty":
            self.tell("faulty", *message[1:])
        elif name in ("proof", "sorry"):
            self.take_reply(message, line, now)
        elif self.session is None:
            self.noise += 1  # said before we came
        elif name == "rec":
            self.refuse_record(message[2], line, now)
        else:
            refusal = self.session.refusal(message, line)
            if refusal:
                self.tell("refused", name, refusal, [])
                return
            self.heard_at = now
            if name == "answer" and self.commands and self.commands[0].id == message[1]:
                self.tell("answer", self.commands.popleft(), *message[2:6])

    def take_reply(self, message: list[Any], line: bytes, now: int) -> None:
        greeting = self.greeting
        if self.session and greeting is None and line[:7] == b'["proof':
            return  # the answer to a hi that we said twice
        if greeting is None or not self.sealer.has_sealed(line, REPLY, greeting.hello, greeting.hi):
            self.tell("refused", message[0], "bad_reply", [])
            return
        self.greeting = None
        if message[0] == "sorry":
            self.sorry_at = now
            self.end_session("mismatch")
            self.tell("mismatch", *message[1:4])
            return
        self.end_session("restarted")
        self.session = Session(self.sealer, greeting.hello, greeting.hi, HOST, TABLE)
        self.chain = self.chain_of_log()
        self.records.clear()
        self.acknowledged = self.chain.number
        self.acknowledge = False
        self.heard_at = self.alive_at = now
        self.time_at = None
        self.last_there, last_command, self.origin = message[1:4]
        self.next_id = max(self.next_id, last_command + 1)
        self.tell("up", self.last_there)
        self.give_up([command for command in self.commands if command.id > last_command])
        for command in self.commands:
            command.sent_at = now - COMMAND_MS  # it was done, and sent again it is answered

    def take_next_record(self, line: bytes, now: int) -> bool:
        """Take the line if it is the next record: what fits the chain needs no other proof of its shape."""
        try:
            boot, number, record = self.chain.follow(line)
        except BrokenChain:
            return False
        if number == 1 and self.chain.last.hex() != self.origin:
            # An old chain of the same table, from before its flash was wiped.
            self.chain = self.chain_of_log()
            self.tell("broken", 1, "changed", "chain_begins_otherwise")
            return True
        self.heard_at = now
        self.records.append(Record(number, boot, record, line))
        return True

    def refuse_record(self, number: int, line: bytes, now: int) -> None:
        if number != self.chain.number + 1:
            # Had before, or some before it were lost; in both cases the table should know where we are.
            if now - self.acknowledged_at >= GAP_ACK_MS:
                self.acknowledge = True
            return
        try:
            self.chain.follow(line)
        except BrokenChain as broken:
            self.tell("broken", broken.number, broken.how, *broken.detail)

    # -- what the bridge does

    def committed(self, number: int) -> None:
        """Everything up to this record is in the log for good."""
        if number > self.acknowledged:
            self.acknowledged = number
            self.acknowledge = True

    def command(self, who: str, name: str, arguments: list[Any]) -> Command:
        """Send a command as soon as those before it are answered; its answer is an event of the link.

        If the table is away, or goes before it has the command, the answer is that it was not done.
        Unsendable if it is nothing that can be sent.
        """
        try:
            read(encode(["command", _MAX_NUMBER, who, name, arguments, _MAX_NUMBER, "0" * 24])[:-1], HOST)
        except (BadLine, TypeError, WrongShape):
            raise Unsendable from None
        command = Command(who, name, arguments)
        self.commands.append(command)
        if self.session is None:
            self.give_up([command])
        return command

    def say_bye(self) -> bytes:
        """The line of a clean stop."""
        if self.session is None:
            return b""
        line = self.session.line(["bye"])
        self.end_session("bye")
        return line

    # -- saying

    def output(self, now: int) -> bytes:
        """What to send now; may be nothing."""
        if self.session and now - self.heard_at > SILENCE_MS:
            self.end_session("silent")
        lines = [self.greet(now)]
        if self.session:
            lines += self.say(self.session, now)
        return b"".join(lines)

    def greet(self, now: int) -> bytes:
        if self.sorry_at is not None and now - self.sorry_at < SORRY_MS:
            self.hello = None
            return b""
        if self.hello is not None:
            hello, self.hello = self.hello, None
            if self.session and hello == self.session.hello:
                return b""  # said before it heard us
            if self.greeting is None or self.greeting.hello != hello:
                self.greeting = Greeting(hello, self.hi(hello), now, now)
                return self.greeting.hi + b"\n"
        if self.greeting and now - self.greeting.begun_at >= GREETING_MS:
            self.greeting = None
            if self.session is None:
                self.tell("unproved", self.table)
        if self.greeting and now - self.greeting.said_at >= HI_MS:
            self.greeting.said_at = now
            return self.greeting.hi + b"\n"
        waits = self.session is None and self.greeting is None
        if waits and (self.hail_at is None or now - self.hail_at >= HAIL_MS):
            self.hail_at = now
            return HAIL
        return b""

    def hi(self, hello: bytes) -> bytes:
        end = self.chain_of_log()
        nonce = self.random(NONCE_LENGTH).hex()
        seal = hexlify(end.last).decode()
        message = ["hi", VERSION, self.messages, self.rules, end.number, seal, nonce]
        return self.sealer.line(message, HI, hello)[:-1]

    def say(self, session: Session, now: int) -> list[bytes]:
        lines = []
        if self.time_at is None or now - self.time_at >= TIME_MS:
            self.time_at = now
            lines.append(session.line(["time", self.clock()]))
        if self.acknowledge:
            self.acknowledge = False
            self.acknowledged_at = self.alive_at = now
            lines.append(session.line(["ack", self.acknowledged]))
        if self.commands:
            command = self.commands[0]
            if not command.id:
                command.id = self.next_id
                self.next_id += 1
                command.sent_at = now - COMMAND_MS
            if now - command.sent_at >= COMMAND_MS:
                command.sent_at = self.alive_at = now
                lines.append(session.line(["command", command.id, command.who, command.name, command.arguments]))
        if now - self.alive_at >= BEAT_MS:
            self.alive_at = now
            lines.append(session.line(["alive"]))
        return lines
