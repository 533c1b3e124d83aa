"""Non-Commission Three Pictures, Resorts World at Sentosa, version 4."""

from shared.rules import pictures, policy, rulebook
from shared.rules.policy import Limits, Policy, procedure
from shared.rules.rulebook import NEEDS_MAIN_ON_BOX, Deal, lose, main_wager, push, returned, side_wager, win

ID = "rws-three-pictures-4"
TITLE = "Non-Commission Three Pictures"
SHORTER = "NON-COMMISSION=NC, THREE=3, PICTURES=PICT"
OPERATOR = "RWS"
VERSION = "4"
EFFECTIVE = "2021-11-19 08:00"

ROUNDING = "N-05"
MAX_BOXES = 16  # as many hands as one deck holds; the layout may have fewer (N-16)
RANKING = "App-C"
HANDS = pictures.families("Plain %s", "Single Picture %s", "Double Pictures %s")
FIGURES = pictures.FIGURES
DEALS = (Deal("shoe", rulebook.ONE_BY_ONE, "3.12"), Deal("shuffler", rulebook.SETS_OF_THREE, "3.12.1"))

value = pictures.value
rank = pictures.rank
qualifies = None
mark = pictures.no_mark

WITHOUT_INITIAL = returned("5.13")

INITIAL = (
    win("initial-six", 1, 2, "4.1/initial-six"),
    win("initial-other", 1, 1, "4.1/initial-other"),
    push("3.13.3"),
    lose("3.13.2"),
)
TIE = (win("tie", 8, 1, "4.1/tie", "N-01"), win("tie", 8, 1, "4.1/tie", "N-04"), lose("1.18"))
THREE_PICTURES = (win("three-pictures", 16, 1, "4.1/three-pictures", "N-03"), lose("1.17", "N-03"))

WAGERS = (
    main_wager("initial", "Initial Bet", "1.7", INITIAL, pictures.main_judge(*INITIAL)),
    side_wager("tie", "Tie", "3.9", NEEDS_MAIN_ON_BOX, TIE, pictures.flat_tie_judge(*TIE), WITHOUT_INITIAL),
    side_wager(
        "three_pictures",
        "Three Pictures",
        "3.9",
        NEEDS_MAIN_ON_BOX,
        THREE_PICTURES,
        pictures.three_pictures_judge(*THREE_PICTURES),
        WITHOUT_INITIAL,
    ),
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
    "wrong_count": Policy(policy.VOID_UNLESS_MOVED, "5.5.4", "N-11", policy.REVERSE),
    "wrong_count_handled": Policy(policy.HAND_OUT_AND_CHOOSE, "5.8", "N-11", policy.REVERSE),
    "dealer_count": Policy(policy.VOID_UNLESS_MOVED, "5.5.4", "L-40", policy.REVERSE),
    "dealer_count_handled": Policy(policy.VOID_OR_CHOOSE, "5.5.6", "L-40", policy.REVERSE),
    "exposed_card": Policy(policy.CHOOSE, "5.6", "N-12", policy.ASK),
    "exposed_later": Policy(policy.CHOOSE, "5.6", "X-15", policy.ASK),
    "own_card": Policy(policy.PLAY_ON, None, "N-12", policy.STANDS),
    "face_up_card": Policy(policy.PLAY_ON, "5.9", "N-12", policy.STANDS),
    "drawn_together": Policy(policy.ORDER_AND_CHOOSE, "5.10", "N-12", policy.ASK),
    "too_few_cards": Policy(policy.VOID, "5.5.5", "X-07", policy.REVERSE),
    "technical": Policy(policy.OUTCOME_OR_VOID, "5.4", "N-10", policy.STANDS),
    "power_failure": Policy(policy.OUTCOME_OR_VOID, "5.4", "N-10", policy.STANDS),
    "left": Policy(policy.PLAY_ON, "5.3", "L-38", policy.STANDS),
    "other": Policy(policy.ASK, "5.16", "N-14", policy.ASK),
}
CHOICES = ("5.6.1", "5.6.2", "5.6.3", "N-11")
OUTCOME = ("5.4.1", "5.4.2", "N-10")

LIMITS = Limits(policy.BOX_TOTAL, "5.1", "5.1.1", "5.2", "5.2.1", "N-08", "N-08", None)

PROCEDURE = procedure(
    opening="3.4",
    closing="3.11",
    reveal="3.13",
    ending="1.14",
    late_bet=("5.7", "L-17"),
    late_take_back=("5.7", "L-17", False),
    chips_gone=("5.12", "L-17"),
    staff_bets="5.15",
    looks=policy.SEATED_LOOKS,
    looking="3.10",
    one_look="3.10",
    void_refund=("5.14", None),
    reversal="N-11",
    layout="5.12",
    past_stands=("5.11", "N-13"),
    roles=("dealer", "pit_supervisor", "pit_manager", "shift_manager"),
    gap_role="shift_manager",
    gap=("5.16", "N-14"),
    ordering_role="pit_supervisor",
)
