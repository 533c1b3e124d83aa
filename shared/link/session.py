"""What both ends of the link do alike: the seals of the greeting, and sealed messages that cannot come twice.

    table  hello   who I am, what I run, a nonce
    host   hi      what I run, what I have of your log, a nonce; sealed over hello and itself
    table  proof   sealed over hello and hi

Each side has then proved the table's key over the other's fresh nonce. From both lines follow two keys for
this session, one for each direction, so nothing of another session, another table or the other direction fits.
"""

from shared.journal.seal import Sealer
from shared.values import const

BEAT_MS = 1000
SILENCE_MS = 3500  # after so long without a word the other end is gone

# Why a message may not count.
_ALTERED = const("altered")
REPLAYED = "replayed"


# What a seal of the greeting begins with, before the lines so far: the host's hi, and the table's answer.
HI = b"felt hi "
REPLY = b"felt reply "


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
        return self.sending.line(message + [self.sent])

    def refusal(self, message, line):
        """Why a sealed message may not count, or None; if it may, it will not count again."""
        if not self.receiving.has_sealed(line):
            return _ALTERED
        counter = message[-2]
        if counter <= self.received:
            return REPLAYED
        self.received = counter
        return None
