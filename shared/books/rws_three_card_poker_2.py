"""Three Card Poker, Resorts World at Sentosa, version 2."""

from shared.rules import poker
from shared.rules.poker import QUEEN_HIGH, ROYAL, STRAIGHT, STRAIGHT_FLUSH, TRIPS
from shared.rules.policy import (
    ANYONE_LOOKS,
    ASK,
    REVERSE,
    SECOND_VOIDS,
    VOID,
    VOID_UNLESS_MOVED,
    VOID_UNLESS_REBUILT,
    Limits,
    Policy,
    procedure,
)
from shared.rules.policy import (
    OPERATOR as OPERATOR_LIMITS,
)
from shared.rules.rulebook import (
    FIXED_SUM,
    METER_SHARE,
    NEEDS_NOTHING,
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

ID = "rws-three-card-poker-2"
TITLE = "Three Card Poker"
SHORTER = "PROGRESSIVE JACKPOT=JACKPOT, THREE=3, ANTE BONUS=BONUS, ENVY BONUS=ENVY"
OPERATOR = "RWS"
VERSION = "2"
EFFECTIVE = "2013-10-22"

ROUNDING = None  # every price is a whole multiple of the stake or a fixed sum
MAX_BOXES = 16  # as many hands as one deck holds; the layout may have fewer (2.1.1.a)
RANKING = "3.5.2"
HANDS = (
    Family("Three Odd Cards", "%s HI", "%s", 0),
    Family("One Pair", "PAIR", "PR", 0),
    Family("Flush", "FLUSH", "FL", 0),
    Family("Straight", "STR", "ST", 0),
    Family("Three of a Kind", "TRIPS", "3K", 0),
    Family("Straight Flush", "ST FL", "SF", 0),
)
FIGURES = ()
DEALS = (Deal("shoe", ONE_BY_ONE, "3.6"), Deal("shuffler", SETS_OF_THREE, "3.7"))

value = poker.value
mark = poker.all_spades
rank = poker.rank

ANTE_NO_DEALER = win("dealer-not-qualified", 1, 1, "3.9.2")
ANTE_HIGHER = win("ante", 1, 1, "4.1/ante")
ANTE_SAME = push("3.10.3", None, "stand-off")
ANTE_LOWER = lose("3.10.2")
ANTE_FOLDED = lose("3.8.1", None, "folded")

PLAY_NO_DEALER = push("3.9.1", "T-09", "dealer-not-qualified")
PLAY_HIGHER = win("play", 1, 1, "4.1/play")
PLAY_SAME = push("3.10.3", None, "stand-off")
PLAY_LOWER = lose("3.10.2")

PLUS_STRAIGHT_FLUSH = win("straight-flush", 40, 1, "4.2/straight-flush")
PLUS_TRIPS = win("trips", 30, 1, "4.2/trips")
PLUS_STRAIGHT = win("straight", 5, 1, "4.2/straight")
PLUS_FLUSH = win("flush", 4, 1, "4.2/flush")
PLUS_PAIR = win("pair", 1, 1, "4.2/pair")
PLUS_NOTHING = lose("1/pair-plus")
PLUS_FOLDED = lose("3.8.1", "T-05", "folded")

BONUS_STRAIGHT_FLUSH = win("straight-flush", 5, 1, "4.3/straight-flush")
BONUS_TRIPS = win("trips", 4, 1, "4.3/trips")
BONUS_STRAIGHT = win("straight", 1, 1, "4.3/straight")
NO_BONUS = push("1/ante-bonus", None, "none")  # no stake of its own, so nothing to lose

JACKPOT = win("akq-spades", 100, METER_SHARE, "4.4/akq-spades", "T-18")
PROGRESSIVE_AKQ = win("akq-other", 125000, FIXED_SUM, "4.4/akq-other", "T-03")
PROGRESSIVE_STRAIGHT_FLUSH = win("straight-flush", 17500, FIXED_SUM, "4.4/straight-flush", "T-03")
PROGRESSIVE_TRIPS = win("trips", 15000, FIXED_SUM, "4.4/trips", "T-03")
PROGRESSIVE_STRAIGHT = win("straight", 1500, FIXED_SUM, "4.4/straight", "T-03")
PROGRESSIVE_NOTHING = lose("3.11")
PROGRESSIVE_FOLDED = lose("1/fold", "T-06", "folded")
PROGRESSIVE_WITHOUT_ANTE = returned("3.4", "T-30")

ENVY_SPADES = 25000
ENVY_OTHER = 5000

ANTE = 0
PROGRESSIVE = 3

PLUS_LINES = (PLUS_NOTHING, PLUS_PAIR, PLUS_FLUSH, PLUS_STRAIGHT, PLUS_TRIPS, PLUS_STRAIGHT_FLUSH)
BONUS_LINES = (NO_BONUS, NO_BONUS, NO_BONUS, BONUS_STRAIGHT, BONUS_TRIPS, BONUS_STRAIGHT_FLUSH)


def qualifies(dealer):
    """Queen-high or better (3.9)."""
    return dealer >= QUEEN_HIGH


def judge_ante(player, mark, dealer):
    """A dealer without queen-high pays every ante still in, even to a lower hand (T-10)."""
    if dealer < QUEEN_HIGH:
        return ANTE_NO_DEALER
    if player == dealer:
        return ANTE_SAME
    return ANTE_HIGHER if player > dealer else ANTE_LOWER


def judge_play(player, mark, dealer):
    if dealer < QUEEN_HIGH:
        return PLAY_NO_DEALER
    if player == dealer:
        return PLAY_SAME
    return PLAY_HIGHER if player > dealer else PLAY_LOWER


def judge_pair_plus(player, mark, dealer):
    return PLUS_LINES[player >> 12]


def judge_ante_bonus(player, mark, dealer):
    return BONUS_LINES[player >> 12]


def judge_progressive(player, mark, dealer):
    if player == ROYAL:
        return JACKPOT if mark else PROGRESSIVE_AKQ
    kind = player >> 12
    if kind == STRAIGHT_FLUSH:
        return PROGRESSIVE_STRAIGHT_FLUSH
    if kind == TRIPS:
        return PROGRESSIVE_TRIPS
    return PROGRESSIVE_STRAIGHT if kind == STRAIGHT else PROGRESSIVE_NOTHING


def envy(seats, hands):
    """Envy Bonus as (player, cents), in the order of the seats (3.12, 3.13, 4.4).

    Each unfolded hand with an ante (T-15, T-17) that makes a top hand pays every other seated
    player with a progressive wager in play: once a player, however many wagers he has (T-13),
    folded or not (T-32), never for a hand of his own (T-14). Several top hands add up (T-12).
    """
    achieved = []
    for seat in seats:
        hand = hands.get(seat.box)
        if seat.stakes[ANTE] and not seat.folded and hand and value(hand[0], hand[1], hand[2]) == ROYAL:
            achieved.append((seat.player, ENVY_SPADES if mark(hand[0], hand[1], hand[2]) else ENVY_OTHER))
    if not achieved:
        return ()

    seated = [seat.player for seat in seats if seat.seated]
    owed = []
    served = []
    for seat in seats:
        player = seat.player
        # A progressive wager without the ante is not in play and earns nothing (T-30).
        if player in served or not (seat.stakes[PROGRESSIVE] and seat.stakes[ANTE]):
            continue
        served.append(player)
        if player in seated:
            cents = sum([amount for achiever, amount in achieved if achiever != player])
            if cents:
                owed.append((player, cents))
    return owed


WAGERS = (
    main_wager(
        "ante",
        "Ante",
        "1/ante",
        (ANTE_NO_DEALER, ANTE_HIGHER, ANTE_SAME, ANTE_LOWER, ANTE_FOLDED),
        judge_ante,
        ANTE_FOLDED,
    ),
    Wager(
        "play",
        "Play",
        "3.8.2",
        NEEDS_OWN_MAIN,
        (PLAY_NO_DEALER, PLAY_HIGHER, PLAY_SAME, PLAY_LOWER),
        judge_play,
        None,
        None,
        True,
    ),
    side_wager(
        "pair_plus",
        "Pair Plus",
        "3.3",
        NEEDS_NOTHING,
        (PLUS_STRAIGHT_FLUSH, PLUS_TRIPS, PLUS_STRAIGHT, PLUS_FLUSH, PLUS_PAIR, PLUS_NOTHING, PLUS_FOLDED),
        judge_pair_plus,
        None,
        PLUS_FOLDED,
    ),
    side_wager(
        "progressive",
        "Progressive Jackpot",
        "3.4",
        NEEDS_OWN_MAIN,
        (
            JACKPOT,
            PROGRESSIVE_AKQ,
            PROGRESSIVE_STRAIGHT_FLUSH,
            PROGRESSIVE_TRIPS,
            PROGRESSIVE_STRAIGHT,
            PROGRESSIVE_NOTHING,
            PROGRESSIVE_FOLDED,
        ),
        judge_progressive,
        PROGRESSIVE_WITHOUT_ANTE,
        PROGRESSIVE_FOLDED,
    ),
)

# Extra pay on the ante, whatever the dealer holds, and none after a fold (T-07, T-11).
BONUS = main_wager(
    "ante_bonus",
    "Ante Bonus",
    "1/ante-bonus",
    (BONUS_STRAIGHT_FLUSH, BONUS_TRIPS, BONUS_STRAIGHT, NO_BONUS),
    judge_ante_bonus,
    NO_BONUS,
)

# What is done about each irregularity, and what if it is found after settlement, before the next
# round opens. "_handled" is the same situation after a player has touched cards.
IRREGULARITIES = {
    "foreign_card": Policy(VOID, "5.1.1", "T-22", ASK),
    "deck_count": Policy(VOID, "5.1.3", "T-22", ASK),
    "not_shuffled": Policy(ASK, None, "T-25", ASK),
    "misdeal": Policy(VOID_UNLESS_MOVED, "5.1.4", "X-04", ASK),
    "misdeal_handled": Policy(ASK, "5.1.4", "T-24", ASK),
    "wrong_count": Policy(VOID_UNLESS_MOVED, "5.1.4", "T-23", ASK),
    "wrong_count_handled": Policy(ASK, "5.1.4", "T-23", ASK),
    "dealer_count": Policy(VOID_UNLESS_REBUILT, "5.1.5", "T-35", REVERSE),
    "exposed_card": Policy(SECOND_VOIDS, "5.1.2", "T-21", ASK),
    "face_up_card": Policy(SECOND_VOIDS, "5.1.2", "T-21", ASK),
    "drawn_together": Policy(ASK, None, "T-25", ASK),
    "too_few_cards": Policy(ASK, None, "T-25", ASK),
    "technical": Policy(ASK, None, "T-25", ASK),
    "power_failure": Policy(ASK, None, "T-25", ASK),
    "left": Policy(ASK, None, "T-27", ASK),
    "other": Policy(ASK, None, "T-25", ASK),
}
CHOICES = None
OUTCOME = None

LIMITS = Limits(OPERATOR_LIMITS, "T-25", "T-25", "T-25", "T-25", "T-25", "T-25", None)

PROCEDURE = procedure(
    opening="3.1",
    closing="3.2",
    late_bet=("5.2", "T-33"),
    late_take_back=("5.2", "T-26", False),
    looks=ANYONE_LOOKS,
    looking="3.8",
    hand_pay="4.4/cheque",
    progressive=("T-03", "T-18", "T-22"),
    top_pay=("4.4/akq-spades", "3.12"),
    deciding=("3.8", "1/fold", "3.8.2", "T-27"),
    paying_fold="T-06",
    one_player_a_box=("2.1.1.a", "T-18"),
    void_refund=("5.1", "T-22"),
    reversal="T-34",
    past_stands=("5.1.1", "T-34"),
    roles=("dealer", "pit_supervisor", "pit_manager", "shift_manager"),
    gap_role="shift_manager",
    gap=(None, "T-25"),
)
