"""How much of the journal is free beyond what the end of the running round needs, and what must wait for room.

A round can always be brought to its end: it is finished as it stands, or voided. For that staff
report `other`, which every book asks a ruling for, and rule it void. Nothing that still happens then can come
again and again, so what is kept free is enough.
"""

from shared.round.events import read_event
from shared.round.states import FROZEN, SETTLED, TELL
from shared.rules.cards import text
from shared.values import const

# Kept free for every bet until it is settled or given back, and for the rest: its cards, which of them lie open,
# decisions, faults, a start of the table, how the table stands afterwards, up to a segment that cannot be begun.
_BET_BYTES = const(640)
_ENDING_BYTES = const(52 * 1024)
SPARE_BYTES = 16 * 1024  # before that, for what is not its end but should not wait
SENSED_BYTES = 4 * 1024  # of them for chips on every spot that disagree with the bets

# Events that can be told again later; they wait when there is little to spare.
_CAN_WAIT = const(("bet", "seat", "look", "handled", "restrict", "new_day"))
_ENDING = const(
    (
        "close",
        "card",
        "entered",
        "show",
        "decide",
        "reveal",
        "settle",
        "choose",
        "choices_done",
        "all_told",
        "withdraw",
        "hand_paid",
    )
)


def free_bytes(journal, round_):
    """Bytes to write beyond what the end of the round needs; below zero there is only that."""
    bets = len(round_.bets) if round_ else 0
    return journal.free() - _ENDING_BYTES - _BET_BYTES * bets


def must_wait(journal, round_, name, event):
    """Whether an event of this name that may happen by the rules is one too many for the journal."""
    free = free_bytes(journal, round_)
    if name in _CAN_WAIT:
        return free < SPARE_BYTES
    return free < 0 and round_.verify(event) is None and not is_ending(round_, event)


def is_ending(round_, event):
    """Whether an event that may happen now brings a round nearer to its end."""
    name, fields = read_event(event)
    if name == "ruling":
        # A settled round is not voided for want of room.
        return fields["decision"] in ("void", "order") or round_.resume == SETTLED
    if name == "irregularity":
        return fields["kind"] == "other" and fields["round"] is None and not round_.is_over()
    if name == "take_back":
        return fields["cents"] is None  # a bet goes once, its cents one by one
    if name == "turned":
        # Every card once, for an answer that depends on it.
        asked = round_.state == FROZEN and round_.question.kind == TELL
        return asked and fields["card"] not in [text(card) for card in round_.seen]
    return name in _ENDING
