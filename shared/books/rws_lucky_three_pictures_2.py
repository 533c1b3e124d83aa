"""Non-Commission Lucky Three Pictures, Resorts World at Sentosa, version 2."""

from shared.rules import pictures, policy, rulebook
from shared.rules.pictures import THREE_PICTURES, points
from shared.rules.policy import Limits, Policy, procedure
from shared.rules.rulebook import NEEDS_MAIN_ON_BOX, Deal, lose, main_wager, push, returned, side_wager, win

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
DEALS = (Deal("shoe", rulebook.ONE_BY_ONE, "3.12"), Deal("shuffler", rulebook.SETS_OF_THREE, "3.12.1"))

value = pictures.value
rank = pictures.rank
qualifies = None
mark = pictures.no_mark

INITIAL = (
    win("initial-six", 1, 2, "4.1/initial-six"),
    win("initial-other", 1, 1, "4.1/initial-other"),
    push("3.13.3"),
    lose("3.13.2"),
)
LUCKY_TIE = (
    win("tie-three-pictures", 600, 1, "4.1/tie-three-pictures"),
    win("tie-8-9", 10, 1, "4.1/tie-8-9"),
    win("tie-other", 8, 1, "4.1/tie-other"),
    win("tie-other", 8, 1, "4.1/tie-other", "L-04"),  # Three Pictures against a zero
    lose("1.10"),
)
LUCKY_PICTURES = (
    win("pictures-six", 1000, 1, "4.1/pictures-six", "L-03"),
    win("pictures-five", 100, 1, "4.1/pictures-five", "L-03"),
    win("pictures-four", 10, 1, "4.1/pictures-four", "L-03"),
    win("pictures-three", 4, 1, "4.1/pictures-three", "L-03"),
    lose("1.9"),
)
# By the pictures of the winner's hand: two, one, none; and the line of a loss.
PLAYER_SIX = (
    win("player6-two", 25, 1, "4.1/player6-two", "L-01"),
    win("player6-one", 15, 1, "4.1/player6-one", "L-01"),
    win("player6-none", 10, 1, "4.1/player6-none", "L-01"),
    lose("1.15"),
)
DEALER_SIX = (
    win("dealer6-two", 25, 1, "4.1/dealer6-two", "L-01"),
    win("dealer6-one", 15, 1, "4.1/dealer6-one", "L-01"),
    win("dealer6-none", 10, 1, "4.1/dealer6-none", "L-01"),
    lose("1.4"),
)


def judge_lucky_tie(player, mark, dealer):
    three_pictures, high, other, pictures_and_zero, no_tie = LUCKY_TIE
    total = points(player)
    if total != points(dealer):
        return no_tie
    if player == THREE_PICTURES or dealer == THREE_PICTURES:
        return three_pictures if player == dealer else pictures_and_zero
    return high if total >= 8 else other


def judge_lucky_pictures(player, mark, dealer):
    together = pictures.pictures(player) + pictures.pictures(dealer)
    return LUCKY_PICTURES[6 - together] if together >= 3 else LUCKY_PICTURES[-1]


def judge_player_lucky_6(player, mark, dealer):
    """A six that wins by ranking, over another six too; priced by the winner's pictures (L-01)."""
    return PLAYER_SIX[2 - player % 3] if player > dealer and player // 3 == 6 else PLAYER_SIX[-1]


def judge_dealer_lucky_6(player, mark, dealer):
    """The mirror of Player Lucky 6, judged for each box by itself (L-01)."""
    return DEALER_SIX[2 - dealer % 3] if dealer > player and dealer // 3 == 6 else DEALER_SIX[-1]


def lucky_wager(name, title, lines, judge):
    return side_wager(name, title, "3.9", NEEDS_MAIN_ON_BOX, lines, judge, returned("5.13"))


WAGERS = (
    main_wager("initial", "Initial Bet", "1.8", INITIAL, pictures.main_judge(*INITIAL)),
    lucky_wager("lucky_tie", "Lucky Tie", LUCKY_TIE, judge_lucky_tie),
    lucky_wager("lucky_pictures", "Lucky Pictures", LUCKY_PICTURES, judge_lucky_pictures),
    lucky_wager("player_lucky_6", "Player Lucky 6", PLAYER_SIX, judge_player_lucky_6),
    lucky_wager("dealer_lucky_6", "Dealer Lucky 6", DEALER_SIX, judge_dealer_lucky_6),
)
BONUS = None
envy = None

# What is done about each irregularity, and what if it is found after settlement, before the next
# round opens. "_handled" is the same situation after a player has touched cards.
IRREGULARITIES = {
    "foreign_card": Policy(policy.VOID, "5.5.1", "X-07", policy.REVERSE),
    "deck_count": Policy(policy.VOID, "5.5.2", "X-07", policy.REVERSE),
    "not_shuffled": Policy(policy.VOID, "5.5.3", "X-07", policy.REVERSE),
    "misdeal": Policy(policy.VOID_UNLESS_MOVED, "5.5.4", "X-04", policy.REVERSE),
    "misdeal_handled": Policy(policy.CHOOSE, "5.6", None, policy.ASK),
    "wrong_count": Policy(policy.VOID_UNLESS_MOVED, "5.5.4", "L-29", policy.REVERSE),
    "wrong_count_handled": Policy(policy.HAND_OUT_AND_CHOOSE, "5.8", "L-29", policy.REVERSE),
    "dealer_count": Policy(policy.VOID_UNLESS_MOVED, "5.5.4", "L-40", policy.REVERSE),
    "dealer_count_handled": Policy(policy.VOID_OR_CHOOSE, "5.5.6", "L-40", policy.REVERSE),
    "exposed_card": Policy(policy.CHOOSE, "5.6", "L-33", policy.ASK),
    "exposed_later": Policy(policy.CHOOSE, "5.6", "X-15", policy.ASK),
    "own_card": Policy(policy.PLAY_ON, None, "L-33", policy.STANDS),
    "face_up_card": Policy(policy.PLAY_ON, "5.9", "L-33", policy.STANDS),
    "drawn_together": Policy(policy.ORDER_AND_CHOOSE, "5.10", "L-34", policy.ASK),
    "too_few_cards": Policy(policy.VOID, "5.5.5", "X-07", policy.REVERSE),
    "technical": Policy(policy.OUTCOME_OR_VOID, "5.4", "L-28", policy.STANDS),
    "power_failure": Policy(policy.OUTCOME_OR_VOID, "5.4", "L-28", policy.STANDS),
    "left": Policy(policy.PLAY_ON, "5.3", "L-38", policy.STANDS),
    "other": Policy(policy.ASK, "5.16", "L-39", policy.ASK),
}
CHOICES = ("5.6.1", "5.6.2", "5.6.3", "L-31")
OUTCOME = ("5.4.1", "5.4.2", "L-27")

LIMITS = Limits(policy.BOX_TOTAL, "5.1", "5.1.1", "5.2", "5.2.1", "L-22", "L-23", None)

PROCEDURE = procedure(
    opening="3.4",
    closing="3.11",
    reveal="3.13",
    ending="1.18",
    late_bet=("5.7", "L-17"),
    late_take_back=("5.7", "L-17", False),
    chips_gone=("5.12", "L-17"),
    staff_bets="5.15",
    looks=policy.SEATED_LOOKS,
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
