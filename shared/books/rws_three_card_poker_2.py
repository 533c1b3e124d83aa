"""Three Card Poker, Resorts World at Sentosa, version 2."""

from shared.rules import poker, policy, rulebook
from shared.rules.poker import QUEEN_HIGH, ROYAL
from shared.rules.policy import Limits, Policy, procedure
from shared.rules.rulebook import FIXED_SUM, Deal, Family, lose, main_wager, push, returned, side_wager, win

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
DEALS = (Deal("shoe", rulebook.ONE_BY_ONE, "3.6"), Deal("shuffler", rulebook.SETS_OF_THREE, "3.7"))

value = poker.value
mark = poker.all_spades
rank = poker.rank

ANTE_LINES = (
    win("dealer-not-qualified", 1, 1, "3.9.2"),
    win("ante", 1, 1, "4.1/ante"),
    push("3.10.3", None, "stand-off"),
    lose("3.10.2"),
    lose("3.8.1", None, "folded"),
)
PLAY_LINES = (
    push("3.9.1", "T-09", "dealer-not-qualified"),
    win("play", 1, 1, "4.1/play"),
    push("3.10.3", None, "stand-off"),
    lose("3.10.2"),
)
# The tables below go by the kind of hand, the highest first; a line for a folded hand comes last.
PLUS_LINES = (
    win("straight-flush", 40, 1, "4.2/straight-flush"),
    win("trips", 30, 1, "4.2/trips"),
    win("straight", 5, 1, "4.2/straight"),
    win("flush", 4, 1, "4.2/flush"),
    win("pair", 1, 1, "4.2/pair"),
    lose("1/pair-plus"),
    lose("3.8.1", "T-05", "folded"),
)
BONUS_LINES = (
    win("straight-flush", 5, 1, "4.3/straight-flush"),
    win("trips", 4, 1, "4.3/trips"),
    win("straight", 1, 1, "4.3/straight"),
    push("1/ante-bonus", None, "none"),  # no stake of its own, so nothing to lose
)
PROGRESSIVE_LINES = (
    win("akq-spades", 100, rulebook.METER_SHARE, "4.4/akq-spades", "T-18"),
    win("akq-other", 125000, FIXED_SUM, "4.4/akq-other", "T-03"),
    win("straight-flush", 17500, FIXED_SUM, "4.4/straight-flush", "T-03"),
    win("trips", 15000, FIXED_SUM, "4.4/trips", "T-03"),
    win("straight", 1500, FIXED_SUM, "4.4/straight", "T-03"),
    lose("3.11"),
    lose("1/fold", "T-06", "folded"),
)

ENVY_SPADES = 25000
ENVY_OTHER = 5000

ANTE = 0
PROGRESSIVE = 3


def qualifies(dealer):
    """Queen-high or better (3.9)."""
    return dealer >= QUEEN_HIGH


def judge_against_dealer(no_dealer, higher, same, lower):
    """A dealer without queen-high pays every ante still in, even to a lower hand (T-10)."""

    def judge(player, mark, dealer):
        if dealer < QUEEN_HIGH:
            return no_dealer
        if player == dealer:
            return same
        return higher if player > dealer else lower

    return judge


judge_ante = judge_against_dealer(*ANTE_LINES[:-1])
judge_play = judge_against_dealer(*PLAY_LINES)


def judge_pair_plus(player, mark, dealer):
    return PLUS_LINES[poker.STRAIGHT_FLUSH - (player >> 12)]


def judge_ante_bonus(player, mark, dealer):
    return BONUS_LINES[min(poker.STRAIGHT_FLUSH - (player >> 12), 3)]


def judge_progressive(player, mark, dealer):
    if player == ROYAL:
        return PROGRESSIVE_LINES[0 if mark else 1]
    return PROGRESSIVE_LINES[min(2 + poker.STRAIGHT_FLUSH - (player >> 12), 5)]


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
    main_wager("ante", "Ante", "1/ante", ANTE_LINES, judge_ante, ANTE_LINES[-1]),
    rulebook.Wager("play", "Play", "3.8.2", rulebook.NEEDS_OWN_MAIN, PLAY_LINES, judge_play, None, None, True),
    side_wager(
        "pair_plus", "Pair Plus", "3.3", rulebook.NEEDS_NOTHING, PLUS_LINES, judge_pair_plus, None, PLUS_LINES[-1]
    ),
    side_wager(
        "progressive",
        "Progressive Jackpot",
        "3.4",
        rulebook.NEEDS_OWN_MAIN,
        PROGRESSIVE_LINES,
        judge_progressive,
        returned("3.4", "T-30"),
        PROGRESSIVE_LINES[-1],
    ),
)

# Extra pay on the ante, independent of the dealer's hand, and none after a fold (T-07, T-11).
BONUS = main_wager("ante_bonus", "Ante Bonus", "1/ante-bonus", BONUS_LINES, judge_ante_bonus, BONUS_LINES[-1])

# What is done about each irregularity, and what if it is found after settlement, before the next
# round opens. "_handled" is the same situation after a player has touched cards.
IRREGULARITIES = {
    "foreign_card": Policy(policy.VOID, "5.1.1", "T-22", policy.ASK),
    "deck_count": Policy(policy.VOID, "5.1.3", "T-22", policy.ASK),
    "not_shuffled": Policy(policy.ASK, None, "T-25", policy.ASK),
    "misdeal": Policy(policy.VOID_UNLESS_MOVED, "5.1.4", "X-04", policy.ASK),
    "misdeal_handled": Policy(policy.ASK, "5.1.4", "T-24", policy.ASK),
    "wrong_count": Policy(policy.VOID_UNLESS_MOVED, "5.1.4", "T-23", policy.ASK),
    "wrong_count_handled": Policy(policy.ASK, "5.1.4", "T-23", policy.ASK),
    "dealer_count": Policy(policy.VOID_UNLESS_MOVED, "5.1.4", "L-40", policy.REVERSE),
    "dealer_count_handled": Policy(policy.VOID_UNLESS_REBUILT, "5.1.5", "T-35", policy.REVERSE),
    "exposed_card": Policy(policy.SECOND_VOIDS, "5.1.2", "T-21", policy.ASK),
    "exposed_later": Policy(policy.ASK, None, "X-15", policy.ASK),
    "own_card": Policy(policy.ASK, None, "T-25", policy.ASK),
    "face_up_card": Policy(policy.SECOND_VOIDS, "5.1.2", "T-21", policy.ASK),
    "drawn_together": Policy(policy.ASK, None, "T-25", policy.ASK),
    "too_few_cards": Policy(policy.ASK, None, "T-25", policy.ASK),
    "technical": Policy(policy.ASK, None, "T-25", policy.ASK),
    "power_failure": Policy(policy.ASK, None, "T-25", policy.ASK),
    "left": Policy(policy.ASK, None, "T-27", policy.ASK),
    "other": Policy(policy.ASK, None, "T-25", policy.ASK),
}
CHOICES = None
OUTCOME = None

LIMITS = Limits(policy.OPERATOR, "T-25", "T-25", "T-25", "T-25", "T-25", "T-25", None)

PROCEDURE = procedure(
    opening="3.1",
    closing="3.2",
    late_bet=("5.2", "T-33"),
    late_take_back=("5.2", "T-26", False),
    chips_gone=(None, "T-26"),
    looks=policy.ANYONE_LOOKS,
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
