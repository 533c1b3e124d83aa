"""A sixth rulebook, made up for a test: its hands rank by the colour of their cards.

A test copies this file into shared/books of a copy of the tree, and changes nothing else but the inventory.
"""

from shared.rules.cards import ACE, KING, QUEEN, RANKS, SPADES
from shared.rules.policy import (
    ANYONE_LOOKS,
    ASK,
    CHOOSE,
    EACH_WAGER,
    HAND_OUT,
    ORDER_AND_CHOOSE,
    PLAY_ON,
    REVERSE,
    STANDS,
    TURN_DOWN,
    VOID,
    Limits,
    Policy,
    procedure,
)
from shared.rules.rulebook import (
    FIXED_SUM,
    METER_SHARE,
    NEEDS_OWN_MAIN,
    ONE_BY_ONE,
    SETS_OF_THREE,
    Deal,
    Family,
    Wager,
    lose,
    main_wager,
    push,
    returned,
    side_wager,
    win,
)

ID = "felt-colour-trio-1"
TITLE = "Colour Trio"
SHORTER = "COLOUR=COL, RAINBOW=RB"
OPERATOR = "Felt"
VERSION = "1"
EFFECTIVE = "2030-01-01"

ROUNDING = "C-01"
MAX_BOXES = 8
RANKING = "2.1"
HANDS = (
    Family("Mixed %s", "%s", "%s", 0),
    Family("Red Trio", "TRIO", "TR", 1),
    Family("Black Trio", "TRIO", "TR", 2),
    Family("One Suit", "SUIT", "SU", 0),
)
MIXED, RED, BLACK, ONE_SUIT = range(4)
DEALS = (Deal("shoe", ONE_BY_ONE, "3.1"), Deal("shuffler", SETS_OF_THREE, "3.2"))


def value(a, b, c):
    """The family above, the highest rank below. Red suits are diamonds and hearts, 1 and 2."""
    suits = (a & 3, b & 3, c & 3)
    reds = [suit for suit in suits if suit in (1, 2)]
    family = MIXED if len(reds) in (1, 2) else RED if reds else BLACK
    if suits[0] == suits[1] == suits[2]:
        family = ONE_SUIT
    return family << 4 | max(a, b, c) >> 2


def mark(a, b, c):
    """Ace, king and queen of spades."""
    return 1 if sorted([a, b, c]) == [rank << 2 | SPADES for rank in (QUEEN, KING, ACE)] else 0


def rank(hand):
    high = RANKS[hand & 15]
    return hand >> 4, high, "10" if high == "T" else high


FIGURES = (("height", lambda hand: (hand & 15) + 2),)
qualifies = None

PLEDGE_HIGHER = win("pledge", 1, 1, "4.1/pledge")
PLEDGE_SAME = push("4.1/same", None, "same")
PLEDGE_LOWER = lose("4.1/lower")
PLEDGE_FOLDED = lose("3.4", None, "folded")

RAISE_HIGHER = win("raise", 3, 1, "4.2/raise")
RAISE_SAME = push("4.2/same", None, "same")
RAISE_LOWER = lose("4.2/lower")

RAINBOW_SUIT = win("one-suit", 5, 2, "4.3/one-suit", "C-01")
RAINBOW_NOTHING = lose("4.3/nothing")
RAINBOW_FOLDED = lose("3.4", None, "folded")
RAINBOW_WITHOUT = returned("4.3/without")

METER_ALL = win("spades", 100, METER_SHARE, "4.4/spades", "C-02")
METER_SUIT = win("one-suit", 2500, FIXED_SUM, "4.4/one-suit", "C-02")
METER_NOTHING = lose("4.4/nothing")
METER_FOLDED = lose("3.4", "C-02", "folded")
METER_WITHOUT = returned("4.4/without", "C-02")


def judge_pledge(player, mark, dealer):
    return PLEDGE_SAME if player == dealer else PLEDGE_HIGHER if player > dealer else PLEDGE_LOWER


def judge_raise(player, mark, dealer):
    return RAISE_SAME if player == dealer else RAISE_HIGHER if player > dealer else RAISE_LOWER


def judge_rainbow(player, mark, dealer):
    return RAINBOW_SUIT if player >> 4 == ONE_SUIT else RAINBOW_NOTHING


def judge_meter(player, mark, dealer):
    if mark:
        return METER_ALL
    return METER_SUIT if player >> 4 == ONE_SUIT else METER_NOTHING


WAGERS = (
    main_wager(
        "pledge",
        "Pledge",
        "3.3",
        (PLEDGE_HIGHER, PLEDGE_SAME, PLEDGE_LOWER, PLEDGE_FOLDED),
        judge_pledge,
        PLEDGE_FOLDED,
    ),
    side_wager(
        "rainbow",
        "Rainbow Side Bet",
        "4.3",
        NEEDS_OWN_MAIN,
        (RAINBOW_SUIT, RAINBOW_NOTHING, RAINBOW_FOLDED),
        judge_rainbow,
        RAINBOW_WITHOUT,
        RAINBOW_FOLDED,
    ),
    Wager(
        "raise",
        "Raise",
        "3.5",
        NEEDS_OWN_MAIN,
        (RAISE_HIGHER, RAISE_SAME, RAISE_LOWER),
        judge_raise,
        None,
        None,
        True,
    ),
    side_wager(
        "colour_meter",
        "Colour Meter",
        "4.4",
        NEEDS_OWN_MAIN,
        (METER_ALL, METER_SUIT, METER_NOTHING, METER_FOLDED),
        judge_meter,
        METER_WITHOUT,
        METER_FOLDED,
    ),
)
BONUS = None
envy = None

IRREGULARITIES = {
    "foreign_card": Policy(VOID, "5.1", None, STANDS),
    "deck_count": Policy(VOID, "5.1", "C-03", REVERSE),
    "not_shuffled": Policy(PLAY_ON, "5.2", None, STANDS),
    "misdeal": Policy(CHOOSE, "5.3", "C-03", ASK),
    "misdeal_handled": Policy(PLAY_ON, "5.3", "C-03", STANDS),
    "wrong_count": Policy(HAND_OUT, "5.4", None, REVERSE),
    "wrong_count_handled": Policy(HAND_OUT, "5.4", None, REVERSE),
    "dealer_count": Policy(VOID, "5.4", None, REVERSE),
    "dealer_count_handled": Policy(VOID, "5.4", None, REVERSE),
    "exposed_card": Policy(TURN_DOWN, "5.5", None, STANDS),
    "exposed_later": Policy(TURN_DOWN, "5.5", None, STANDS),
    "own_card": Policy(PLAY_ON, "5.5", None, STANDS),
    "face_up_card": Policy(TURN_DOWN, "5.5", None, STANDS),
    "drawn_together": Policy(ORDER_AND_CHOOSE, "5.6", None, ASK),
    "too_few_cards": Policy(VOID, "5.7", None, REVERSE),
    "technical": Policy(VOID, "5.8", None, STANDS),
    "power_failure": Policy(PLAY_ON, "5.8", None, STANDS),
    "left": Policy(PLAY_ON, "5.9", None, STANDS),
    "other": Policy(ASK, "6.1", "C-04", ASK),
}
CHOICES = ("5.3.1", "5.3.2", "5.3.3", "C-03")
OUTCOME = None

LIMITS = Limits(EACH_WAGER, "5.10", "5.10", "5.11", "5.11", "C-05", "C-05", "C-05")

PROCEDURE = procedure(
    opening="3.0",
    closing="3.0.1",
    reveal="3.6",
    late_bet=("5.12", "C-05"),
    late_take_back=("5.12", "C-05", True),
    chips_gone=("5.12", "C-05"),
    staff_bets="3.7",
    looks=ANYONE_LOOKS,
    looking="3.8",
    hand_pay="4.4/by-hand",
    progressive=("C-02", "C-02", "C-06"),
    top_pay=("4.4/spades", None),
    deciding=("3.4", "3.4.1", "3.5", "C-07"),
    paying_fold="C-08",
    one_player_a_box=("2.2", "C-02"),
    void_refund=("5.13", None),
    reversal="C-06",
    past_stands=("5.14", "C-06"),
    roles=("dealer", "pit_supervisor", "pit_manager", "game_director"),
    gap_role="game_director",
    gap=("6.1", "C-04"),
    ordering_role="pit_manager",
    permit_role="pit_supervisor",
    permit=("5.15", "C-04"),
)
