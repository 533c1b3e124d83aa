"""Non-Commission Lucky Three Pictures, Resorts World at Sentosa, version 2."""

from shared.rules import pictures
from shared.rules.pictures import THREE_PICTURES, points
from shared.rules.policy import (
    ASK,
    BOX_TOTAL,
    CHOOSE,
    HAND_OUT_AND_CHOOSE,
    ORDER_AND_CHOOSE,
    OUTCOME_OR_VOID,
    PLAY_ON,
    REVERSE,
    SEATED_LOOKS,
    STANDS,
    VOID,
    VOID_UNLESS_MOVED,
    VOID_UNLESS_REBUILT,
    Limits,
    Policy,
    procedure,
)
from shared.rules.rulebook import (
    NEEDS_MAIN_ON_BOX,
    ONE_BY_ONE,
    SETS_OF_THREE,
    Deal,
    lose,
    main_wager,
    push,
    returned,
    side_wager,
    win,
)

ID = "rws-lucky-three-pictures-2"
TITLE = "Non-Commission Lucky Three Pictures"
SHORTER = "NON-COMMISSION=NC, THREE=3, PLAYER LUCKY=P LUCKY, DEALER LUCKY=D LUCKY, PICTURES=PICT, LUCKY=L"
OPERATOR = "RWS"
VERSION = "2"
EFFECTIVE = "2020-06-28 08:00"

ROUNDING = "L-05"
MAX_BOXES = 16  # as many hands as one deck holds; the layout may have fewer (L-11)
RANKING = "App-G"
HANDS = pictures.families("Plain %s", "Single Picture %s", "Double Pictures %s")
FIGURES = pictures.FIGURES
DEALS = (Deal("shoe", ONE_BY_ONE, "3.12"), Deal("shuffler", SETS_OF_THREE, "3.12.1"))

value = pictures.value
rank = pictures.rank
qualifies = None
mark = pictures.no_mark

WITHOUT_INITIAL = returned("5.13")

INITIAL_SIX = win("initial-six", 1, 2, "4.1/initial-six")
INITIAL_OTHER = win("initial-other", 1, 1, "4.1/initial-other")
INITIAL_SAME = push("3.13.3")
INITIAL_LOWER = lose("3.13.2")

TIE_THREE_PICTURES = win("tie-three-pictures", 600, 1, "4.1/tie-three-pictures")
TIE_8_9 = win("tie-8-9", 10, 1, "4.1/tie-8-9")
TIE_OTHER = win("tie-other", 8, 1, "4.1/tie-other")
TIE_PICTURES_AND_ZERO = win("tie-other", 8, 1, "4.1/tie-other", "L-04")
NO_TIE = lose("1.10")

PICTURES_SIX = win("pictures-six", 1000, 1, "4.1/pictures-six", "L-03")
PICTURES_FIVE = win("pictures-five", 100, 1, "4.1/pictures-five", "L-03")
PICTURES_FOUR = win("pictures-four", 10, 1, "4.1/pictures-four", "L-03")
PICTURES_THREE = win("pictures-three", 4, 1, "4.1/pictures-three", "L-03")
TOO_FEW_PICTURES = lose("1.9")

PLAYER_SIX_TWO = win("player6-two", 25, 1, "4.1/player6-two", "L-01")
PLAYER_SIX_ONE = win("player6-one", 15, 1, "4.1/player6-one", "L-01")
PLAYER_SIX_NONE = win("player6-none", 10, 1, "4.1/player6-none", "L-01")
NO_PLAYER_SIX = lose("1.15")

DEALER_SIX_TWO = win("dealer6-two", 25, 1, "4.1/dealer6-two", "L-01")
DEALER_SIX_ONE = win("dealer6-one", 15, 1, "4.1/dealer6-one", "L-01")
DEALER_SIX_NONE = win("dealer6-none", 10, 1, "4.1/dealer6-none", "L-01")
NO_DEALER_SIX = lose("1.4")

PICTURE_LINES = (PICTURES_THREE, PICTURES_FOUR, PICTURES_FIVE, PICTURES_SIX)
PLAYER_SIX_LINES = (PLAYER_SIX_NONE, PLAYER_SIX_ONE, PLAYER_SIX_TWO)
DEALER_SIX_LINES = (DEALER_SIX_NONE, DEALER_SIX_ONE, DEALER_SIX_TWO)


def judge_lucky_tie(player, mark, dealer):
    total = points(player)
    if total != points(dealer):
        return NO_TIE
    if player == THREE_PICTURES or dealer == THREE_PICTURES:
        return TIE_THREE_PICTURES if player == dealer else TIE_PICTURES_AND_ZERO
    return TIE_8_9 if total >= 8 else TIE_OTHER


def judge_lucky_pictures(player, mark, dealer):
    together = pictures.pictures(player) + pictures.pictures(dealer)
    return PICTURE_LINES[together - 3] if together >= 3 else TOO_FEW_PICTURES


def judge_player_lucky_6(player, mark, dealer):
    """A six that wins by ranking, over another six too; priced by the winner's pictures (L-01)."""
    if player > dealer and player // 3 == 6:
        return PLAYER_SIX_LINES[player % 3]
    return NO_PLAYER_SIX


def judge_dealer_lucky_6(player, mark, dealer):
    """The mirror of Player Lucky 6, judged for each box by itself (L-01)."""
    if dealer > player and dealer // 3 == 6:
        return DEALER_SIX_LINES[dealer % 3]
    return NO_DEALER_SIX


WAGERS = (
    main_wager(
        "initial",
        "Initial Bet",
        "1.8",
        (INITIAL_SIX, INITIAL_OTHER, INITIAL_SAME, INITIAL_LOWER),
        pictures.main_judge(INITIAL_SIX, INITIAL_OTHER, INITIAL_SAME, INITIAL_LOWER),
    ),
    side_wager(
        "lucky_tie",
        "Lucky Tie",
        "3.9",
        NEEDS_MAIN_ON_BOX,
        (TIE_THREE_PICTURES, TIE_8_9, TIE_OTHER, TIE_PICTURES_AND_ZERO, NO_TIE),
        judge_lucky_tie,
        WITHOUT_INITIAL,
    ),
    side_wager(
        "lucky_pictures",
        "Lucky Pictures",
        "3.9",
        NEEDS_MAIN_ON_BOX,
        (PICTURES_SIX, PICTURES_FIVE, PICTURES_FOUR, PICTURES_THREE, TOO_FEW_PICTURES),
        judge_lucky_pictures,
        WITHOUT_INITIAL,
    ),
    side_wager(
        "player_lucky_6",
        "Player Lucky 6",
        "3.9",
        NEEDS_MAIN_ON_BOX,
        (PLAYER_SIX_TWO, PLAYER_SIX_ONE, PLAYER_SIX_NONE, NO_PLAYER_SIX),
        judge_player_lucky_6,
        WITHOUT_INITIAL,
    ),
    side_wager(
        "dealer_lucky_6",
        "Dealer Lucky 6",
        "3.9",
        NEEDS_MAIN_ON_BOX,
        (DEALER_SIX_TWO, DEALER_SIX_ONE, DEALER_SIX_NONE, NO_DEALER_SIX),
        judge_dealer_lucky_6,
        WITHOUT_INITIAL,
    ),
)
BONUS = None
envy = None

# What is done about each irregularity, and what if it is found after settlement, before the next
# round opens. "_handled" is the same situation after a player has touched cards.
IRREGULARITIES = {
    "foreign_card": Policy(VOID, "5.5.1", "X-07", REVERSE),
    "deck_count": Policy(VOID, "5.5.2", "X-07", REVERSE),
    "not_shuffled": Policy(VOID, "5.5.3", "X-07", REVERSE),
    "misdeal": Policy(VOID_UNLESS_MOVED, "5.5.4", "X-04", REVERSE),
    "misdeal_handled": Policy(CHOOSE, "5.6", None, ASK),
    "wrong_count": Policy(VOID_UNLESS_MOVED, "5.5.4", "L-29", REVERSE),
    "wrong_count_handled": Policy(HAND_OUT_AND_CHOOSE, "5.8", "L-29", REVERSE),
    "dealer_count": Policy(VOID_UNLESS_REBUILT, "5.5.6", "L-30", REVERSE),
    "exposed_card": Policy(CHOOSE, "5.6", "L-33", ASK),
    "face_up_card": Policy(PLAY_ON, "5.9", "L-33", STANDS),
    "drawn_together": Policy(ORDER_AND_CHOOSE, "5.10", "L-34", ASK),
    "too_few_cards": Policy(VOID, "5.5.5", "X-07", REVERSE),
    "technical": Policy(OUTCOME_OR_VOID, "5.4", "L-28", STANDS),
    "power_failure": Policy(OUTCOME_OR_VOID, "5.4", "L-28", STANDS),
    "left": Policy(PLAY_ON, "5.3", "L-38", STANDS),
    "other": Policy(ASK, "5.16", "L-39", ASK),
}
CHOICES = ("5.6.1", "5.6.2", "5.6.3", "L-31")
OUTCOME = ("5.4.1", "5.4.2", "L-27")

LIMITS = Limits(BOX_TOTAL, "5.1", "5.1.1", "5.2", "5.2.1", "L-22", "L-23", None)

PROCEDURE = procedure(
    opening="3.4",
    closing="3.11",
    reveal="3.13",
    ending="1.18",
    late_bet=("5.7", "L-17"),
    late_take_back=("5.7", "L-17", False),
    staff_bets="5.15",
    looks=SEATED_LOOKS,
    looking="3.10",
    one_look="3.10",
    void_refund=("5.14", None),
    reversal="L-30",
    layout="5.12",
    past_stands=("5.11", "L-35"),
    roles=("dealer", "pit_supervisor", "pit_manager", "shift_manager"),
    gap_role="shift_manager",
    gap=("5.16", "L-39"),
    ordering_role="pit_supervisor",
)
