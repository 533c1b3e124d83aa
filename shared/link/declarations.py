"""All declarations of messages, records and events in one text, and its digest: the language of a link.

The host puts the digest into a table's manifest, so that the table need not hold every declaration in memory.
"""

from binascii import hexlify
from hashlib import sha256

from shared.journal.wire import MAX_LINE, spell
from shared.link.messages import DIGEST_LENGTH, MESSAGES, VERSION
from shared.round.events import EVENTS
from shared.round.records import RECORDS, TABLE_RECORDS


def declared():
    """Every declaration in one canonical text."""
    return spell(
        [
            VERSION,
            MAX_LINE,
            [[name] + as_lists(MESSAGES[name]) for name in sorted(MESSAGES)],
            [[name] + as_lists(RECORDS[name]) for name in sorted(RECORDS)],
            [[name] + as_lists(TABLE_RECORDS[name]) for name in sorted(TABLE_RECORDS)],
            [[name] + as_lists(EVENTS[name]) for name in sorted(EVENTS)],
        ]
    )


def as_lists(value):
    return [as_lists(one) if isinstance(one, tuple) else one for one in value]


def digest():
    """By which both ends know that they speak the same language."""
    return hexlify(sha256(declared().encode()).digest()[:DIGEST_LENGTH]).decode()
