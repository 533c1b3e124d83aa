"""Random finished tables, from a seed or from hypothesis: requests for `felt settle` with everything stated."""

import random
from typing import Any

from hypothesis import strategies as st

from tests.support.tables import GAMES, LUCKY, MBS, NON_COMMISSION, POKER, ROYAL

DECK = [rank + suit for rank in "23456789TJQKA" for suit in "CDHS"]
WAGERS = {
    LUCKY: ("initial", "lucky_tie", "lucky_pictures", "player_lucky_6", "dealer_lucky_6"),
    MBS: ("main", "tie", "three_pictures"),
    NON_COMMISSION: ("initial", "tie", "three_pictures"),
    POKER: ("ante", "pair_plus", "progressive"),
    ROYAL: ("main", "tie", "royal_pictures"),
}


def deal_table(game: str, dice: random.Random) -> dict[str, Any]:
    """A finished table: several boxes and players, odd amounts, side bets with and without their main."""
    deck = DECK[:]
    dice.shuffle(deck)
    if dice.random() < 0.3:
        # Rare hands are what the pay tables are about, so bring picture cards to the top.
        deck.sort(key=lambda card: card[0] not in "AKQJ")
        top = deck[:16]
        dice.shuffle(top)
        deck[:16] = top
    entries = []
    for box in dice.sample(range(1, 9), dice.randint(1, 5)):
        hand, deck = deck[:3], deck[3:]
        # A box has one player in Three Card Poker (T-18).
        for player in dice.sample(["P1", "P2", "P3", "P4"], 1 if game == POKER else dice.randint(1, 3)):
            wagers = {
                name: dice.choice((0, 1, 25, 333, 10000, 1250075)) for name in WAGERS[game] if dice.random() < 0.8
            }
            entry = {"box": box, "player": player, "seated": dice.random() < 0.7, "cards": hand, "wagers": wagers}
            if game == POKER:
                entry["decision"] = dice.choice(("play", "play", "fold"))
            entries.append(entry)
    return {
        "id": dice.randrange(10**6),
        "game": game,
        "boxes": entries,
        "dealer": deck[:3],
        "jackpot_meter": dice.randrange(10**9),
    }


def tables(*games: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(deal_table, st.sampled_from(games or GAMES), st.randoms(use_true_random=False))
