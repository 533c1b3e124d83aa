"""What staff looked at when they decided: what was asked and explained in one moment is not done in another.

A sheet on the page may be open for minutes while the table plays on. Its offer carries the moment for which it
was made; an order that comes with another one is not sent to the table.
"""

import json
from hashlib import sha256

from host.page.actions import EARLIER, Action
from shared.round.round import Round

# What means the same in every round and every state.
ANY_TIME = ("restrict", "hand_paid", "new_day")
LETTERS = 16


def moment_of(round_: Round, action: Action, explains: list[dict[str, str]], asked: int) -> str:
    """Empty for what is sent as it is touched, and for what means the same at any time.

    `asked` counts the questions so far, as two of a kind look alike.
    """
    asks = action.confirm or action.picks or action.inputs
    if not asks or action.event in ANY_TIME or action is EARLIER:
        return ""
    # A card that is entered goes to the place that is next, which also changes when a hand goes out.
    cards = None
    if action.event == "card":
        cards = [sum(map(len, round_.hands.values())), round_.next_place()]
    seen = [round_.number, round_.state, round_.question, asked, cards, explains]
    return sha256(json.dumps(seen).encode()).hexdigest()[:LETTERS]
