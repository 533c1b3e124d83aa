"""Three Pictures, Marina Bay Sands, version 2."""

from shared.rules import pictures, policy, rulebook
from shared.rules.policy import Limits, Policy, procedure
from shared.rules.rulebook import NEEDS_OWN_MAIN, Deal, lose, main_wager, push, returned, side_wager, win

ID = "mbs-three-pictures-2"
TITLE = "Three Pictures"
SHORTER = "THREE=3, PICTURES=PICT"
OPERATOR = "MBS"
VERSION = "2"
EFFECTIVE = "2010-12-31"

ROUNDING = "M-08"
MAX_BOXES = 16  # as many hands as one deck holds; the layout may have fewer (M-21)
RANKING = "3.10"
HANDS = pictures.families("Plain %s", "Single Knight %s", "Double Knights %s")
FIGURES = pictures.FIGURES
# Three cards at a time from every device (M-06).
DEALS = (Deal("shoe", rulebook.SETS_OF_THREE, "3.4"), Deal("shuffler", rulebook.SETS_OF_THREE, "3.4"))

value = pictures.value
rank = pictures.rank
qualifies = None
mark = pictures.no_mark

WITHOUT_MAIN = returned("3.3", "M-23")

MAIN = (
    win("main-six", 1, 2, "4.1/main-six"),
    win("main-other", 1, 1, "4.1/main-other"),
    push("3.13", "M-02"),
    lose("3.7"),
)
TIE = (win("tie", 8, 1, "4.1/tie", "M-01"), win("tie", 8, 1, "4.1/tie", "M-03"), lose("1.1.3"))
THREE_PICTURES = (win("three-pictures", 16, 1, "4.1/three-pictures", "M-10"), lose("1.1.2", "M-10"))

WAGERS = (
    main_wager("main", "Main wager", "2.2.1", MAIN, pictures.main_judge(*MAIN)),
    side_wager("tie", "Tie", "3.3", NEEDS_OWN_MAIN, TIE, pictures.flat_tie_judge(*TIE), WITHOUT_MAIN),
    side_wager(
        "three_pictures",
        "Three Pictures",
        "3.3",
        NEEDS_OWN_MAIN,
        THREE_PICTURES,
        pictures.three_pictures_judge(*THREE_PICTURES),
        WITHOUT_MAIN,
    ),
)
BONUS = None
envy = None

# What is done about each irregularity, and what if it is found after settlement, before the next
# round opens. "_handled" is the same situation after a player has touched cards.
IRREGULARITIES = {
    "foreign_card": Policy(policy.VOID, "5.1.1", "M-12", policy.STANDS),
    "deck_count": Policy(policy.VOID, "5.2", "M-12", policy.STANDS),
    "not_shuffled": Policy(policy.ASK, None, "M-19", policy.ASK),
    "misdeal": Policy(policy.VOID_UNLESS_MOVED, "5.3", "X-04", policy.ASK),
    "misdeal_handled": Policy(policy.ASK, "5.3", "M-13", policy.ASK),
    "wrong_count": Policy(policy.VOID_UNLESS_MOVED, "5.3", "M-15", policy.ASK),
    "wrong_count_handled": Policy(policy.ASK, "5.3", "M-15", policy.ASK),
    "dealer_count": Policy(policy.VOID, "5.4", "M-14", policy.REVERSE),
    "dealer_count_handled": Policy(policy.VOID, "5.4", "M-14", policy.REVERSE),
    "exposed_card": Policy(policy.ASK, None, "M-19", policy.ASK),
    "exposed_later": Policy(policy.ASK, None, "X-15", policy.ASK),
    "own_card": Policy(policy.ASK, None, "M-19", policy.ASK),
    "face_up_card": Policy(policy.ASK, None, "M-19", policy.ASK),
    "drawn_together": Policy(policy.ASK, None, "M-19", policy.ASK),
    "too_few_cards": Policy(policy.ASK, None, "M-19", policy.ASK),
    "technical": Policy(policy.ASK, None, "M-19", policy.ASK),
    "power_failure": Policy(policy.ASK, None, "M-19", policy.ASK),
    "left": Policy(policy.ASK, None, "M-19", policy.ASK),
    "other": Policy(policy.ASK, None, "M-24", policy.ASK),
}
CHOICES = None
OUTCOME = None

LIMITS = Limits(policy.OPERATOR, "M-11", "M-11", "M-11", "M-11", "M-11", "M-11", None)

PROCEDURE = procedure(
    opening="3.1",
    closing="3.2",
    reveal="3.6",
    ending="1.1.4",
    late_bet=("5.5", "M-16"),
    late_take_back=("5.6", "M-17", True),
    chips_gone=("5.6", "M-17"),
    looks=policy.ANYONE_LOOKS,
    looking="3.5",
    shown_first="3.6",
    void_refund=(None, "M-12"),
    reversal="M-14",
    past_stands=("5.1.2", "M-18"),
    roles=("dealer", "pit_supervisor", "pit_manager", "shift_manager"),
    gap_role="shift_manager",
    gap=(None, "M-24"),
)
