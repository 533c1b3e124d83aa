"""Fair deals by the hundred thousand, and what the wagers of a book gain in them, from a seed."""

from functools import cache
from itertools import permutations
from types import ModuleType

import numpy as np

from host.rules.odds import HANDS, net
from shared.rules.cards import DECK_SIZE
from shared.rules.rulebook import Wager


def fair_deals(dice: np.random.Generator, rounds: int, cards: int) -> np.ndarray:
    """The first cards of well shuffled decks, a row each: Fisher and Yates, all decks at once."""
    decks = np.tile(np.arange(DECK_SIZE), (rounds, 1))
    rows = np.arange(rounds)
    for place in range(cards):
        other = dice.integers(place, DECK_SIZE, rounds)
        taken = decks[rows, other]
        decks[rows, other] = decks[:, place]
        decks[:, place] = taken
    return decks[:, :cards].copy()


@cache
def hand_places() -> np.ndarray:
    """The place among all hands of any three cards in any order."""
    table = np.zeros((DECK_SIZE,) * 3, dtype=np.int32)
    for place, hand in enumerate(HANDS):
        for cards in permutations(hand):
            table[cards] = place
    return table


def hands_of(deals: np.ndarray, box: int) -> np.ndarray:
    """The hands of the `box`-th place of deals in sets of three."""
    return hand_places()[deals[:, box * 3], deals[:, box * 3 + 1], deals[:, box * 3 + 2]]


@cache
def classes(book: ModuleType) -> tuple[np.ndarray, list[tuple[int, int]], np.ndarray, list[int]]:
    """Of each hand its class as a player's hand and as the dealer's, and what these classes are."""
    mine = [(book.value(*hand), book.mark(*hand)) for hand in HANDS]
    players, dealers = sorted(set(mine)), sorted({value for value, _ in mine})
    player_place = {key: place for place, key in enumerate(players)}
    dealer_place = {value: place for place, value in enumerate(dealers)}
    return (
        np.array([player_place[key] for key in mine]),
        players,
        np.array([dealer_place[value] for value, _ in mine]),
        dealers,
    )


@cache
def gains(book: ModuleType, wager: Wager) -> np.ndarray:
    """What a unit staked gains for each pair of classes."""
    _, players, _, dealers = classes(book)
    units = {line.key: float(net(line)) for line in wager.lines}
    return np.array([[units[wager.judge(*hand, other).key] for other in dealers] for hand in players])


def gained(book: ModuleType, wager: Wager, player: np.ndarray, dealer: np.ndarray) -> np.ndarray:
    """What a unit staked gains, for places of hands."""
    player_class, _, dealer_class, _ = classes(book)
    return gains(book, wager)[player_class[player], dealer_class[dealer]]
