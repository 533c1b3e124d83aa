"""Makes room: forgets modules that are not needed now. They are loaded again when they are."""

import sys

from shared.round.round import HANDLERS, MODULES, handlers_of
from shared.round.states import BETTING, CARDS_DOWN, CLOSED, REVEALED


def forget(*names):
    """Each module is known to all modules and to its package; only when both have forgotten it is it gone."""
    for name in names:
        package, _, module = name.rpartition(".")
        if sys.modules.pop(name, None):
            delattr(sys.modules[package], module)


def forget_events(state):
    """Keep of the modules of events those that this state of the round needs, loaded before a card comes.

    They know each other, so what is kept must know nothing but what is kept.
    """
    if state == BETTING:
        event, kept = "bet", ("betting", "ending", "limits")
    elif state == CLOSED or state in CARDS_DOWN:
        event, kept = "card", ("dealing", "playing")
    elif state == REVEALED:
        event, kept = "settle", ("ending", "limits")
    else:
        return  # staff may still have much to say about this round
    HANDLERS.clear()
    for name in list(MODULES) + ["limits", "refunds", "decided_bets"]:
        if name not in kept:
            forget("shared.round." + name)
    handlers_of(event)
