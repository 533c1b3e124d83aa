"""What both ends of the link do alike: the seals of the greeting, and sealed messages that cannot come twice.

    table  hello   who I am, what I run, a nonce
    host   hi      what I run, what I have of your log, a nonce; sealed over hello and itself
    table  proof   sealed over hello and hi

Each side has then proved the table's key over the other's fresh nonce. From both lines follow two keys for
this session, one for each direction, so nothing of another session, another table or the other direction fits.
"""

from binascii import hexlify

from shared.journal.seal import Sealer, same, sealed_line, unsealed
from shared.journal.wire import spell

BEAT_MS = 1000
SILENCE_MS = 3500  # after so long without a word the other end is gone

# Why a message may not count.
ALTERED = "altered"
REPLAYED = "replayed"


def greeting(sealer, name, *parts):
    """The line of a message of the greeting that is sealed by the table's key, given what came before it."""
    return sealer.seal(b"felt ", name, b" ", *parts)


def hi_line(sealer, hello, fields):
    head = spell(["hi"] + fields)[:-1].encode()
    return sealed_line(head, greeting(sealer, b"hi", hello, head))


def is_hi(sealer, hello, line):
    head, mark = unsealed(line)
    return head is not None and same(hexlify(greeting(sealer, b"hi", hello, head)), mark)


def reply_line(sealer, hello, hi, message):
    """The table's `proof` or `sorry` to a hi."""
    head = spell(message)[:-1].encode()
    return sealed_line(head, greeting(sealer, b"reply", hello, hi, head))


def is_reply(sealer, hello, hi, line):
    head, mark = unsealed(line)
    return head is not None and same(hexlify(greeting(sealer, b"reply", hello, hi, head)), mark)


class Session:
    """Seals what one end says and checks what the other says; both with counters that only grow."""

    def __init__(self, sealer, hello, hi, here, there):
        self.hello = hello
        self.hi = hi
        self.sending = Sealer(sealer.digest(b"felt session ", here.encode(), b" ", hello, hi))
        self.receiving = Sealer(sealer.digest(b"felt session ", there.encode(), b" ", hello, hi))
        self.sent = 0
        self.received = 0

    def line(self, message):
        self.sent += 1
        head = spell(message + [self.sent])[:-1].encode()
        return sealed_line(head, self.sending.seal(head))

    def refusal(self, message, line):
        """Why a sealed message may not count, or None; if it may, it will not count again."""
        head, mark = unsealed(line)
        if head is None or not same(hexlify(self.receiving.seal(head)), mark):
            return ALTERED
        counter = message[-2]
        if counter <= self.received:
            return REPLAYED
        self.received = counter
        return None
