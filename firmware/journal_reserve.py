"""What may still happen when the journal has room for nothing but the end of the running round.

The round is finished as it stands, or voided: staff report `other`, which every book asks a ruling for, and what
is asked about is ruled void. Nothing here can come again and again, so what is kept free for the end is enough.
"""

from shared.round.events import read_event
from shared.round.states import NO_ROUND, SETTLED

ENDING = (
    "close",
    "card",
    "show",
    "decide",
    "reveal",
    "settle",
    "choose",
    "choices_done",
    "withdraw",
    "hand_paid",
)


def is_ending(round_, event):
    """Whether an event that may happen now brings a round nearer to its end."""
    name, fields = read_event(event)
    if name == "ruling":
        # A settled round is not voided for want of room.
        return fields["decision"] in ("void", "order") or round_.resume == SETTLED
    if name == "irregularity":
        return fields["kind"] == "other" and fields["round"] is None and round_.state not in NO_ROUND
    if name == "take_back":
        return fields["cents"] is None  # a bet goes once, its cents one by one
    return name in ENDING
