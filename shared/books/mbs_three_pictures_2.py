"""Three Pictures, Marina Bay Sands, version 2."""

from shared.rules import pictures
from shared.rules.policy import (
    ANYONE_LOOKS,
    ASK,
    REVERSE,
    STANDS,
    VOID,
    VOID_UNLESS_MOVED,
    Limits,
    Policy,
    procedure,
)
from shared.rules.policy import (
    OPERATOR as OPERATOR_LIMITS,
)
from shared.rules.rulebook import (
    NEEDS_OWN_MAIN,
    SETS_OF_THREE,
    Deal,
    lose,
    main_wager,
    push,
    returned,
    side_wager,
    win,
)

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
# Three cards at a time whatever the device (M-06).
DEALS = (Deal("shoe", SETS_OF_THREE, "3.4"), Deal("shuffler", SETS_OF_THREE, "3.4"))

value = pictures.value
rank = pictures.rank
qualifies = None
mark = pictures.no_mark

WITHOUT_MAIN = returned("3.3", "M-23")

MAIN_SIX = win("main-six", 1, 2, "4.1/main-six")
MAIN_OTHER = win("main-other", 1, 1, "4.1/main-other")
MAIN_SAME = push("3.13", "M-02")
MAIN_LOWER = lose("3.7")

TIE = win("tie", 8, 1, "4.1/tie", "M-01")
TIE_PICTURES_AND_ZERO = win("tie", 8, 1, "4.1/tie", "M-03")
NO_TIE = lose("1.1.3")

THREE_PICTURES = win("three-pictures", 16, 1, "4.1/three-pictures", "M-10")
NO_THREE_PICTURES = lose("1.1.2", "M-10")

WAGERS = (
    main_wager(
        "main",
        "Main wager",
        "2.2.1",
        (MAIN_SIX, MAIN_OTHER, MAIN_SAME, MAIN_LOWER),
        pictures.main_judge(MAIN_SIX, MAIN_OTHER, MAIN_SAME, MAIN_LOWER),
    ),
    side_wager(
        "tie",
        "Tie",
        "3.3",
        NEEDS_OWN_MAIN,
        (TIE, TIE_PICTURES_AND_ZERO, NO_TIE),
        pictures.flat_tie_judge(TIE, TIE_PICTURES_AND_ZERO, NO_TIE),
        WITHOUT_MAIN,
    ),
    side_wager(
        "three_pictures",
        "Three Pictures",
        "3.3",
        NEEDS_OWN_MAIN,
        (THREE_PICTURES, NO_THREE_PICTURES),
        pictures.three_pictures_judge(THREE_PICTURES, NO_THREE_PICTURES),
        WITHOUT_MAIN,
    ),
)
BONUS = None
envy = None

# What is done about each irregularity, and what if it is found after settlement, before the next
# round opens. "_handled" is the same situation after a player has touched cards.
IRREGULARITIES = {
    "foreign_card": Policy(VOID, "5.1.1", "M-12", STANDS),
    "deck_count": Policy(VOID, "5.2", "M-12", STANDS),
    "not_shuffled": Policy(ASK, None, "M-19", ASK),
    "misdeal": Policy(VOID_UNLESS_MOVED, "5.3", "X-04", ASK),
    "misdeal_handled": Policy(ASK, "5.3", "M-13", ASK),
    "wrong_count": Policy(VOID_UNLESS_MOVED, "5.3", "M-15", ASK),
    "wrong_count_handled": Policy(ASK, "5.3", "M-15", ASK),
    "dealer_count": Policy(VOID, "5.4", "M-14", REVERSE),
    "exposed_card": Policy(ASK, None, "M-19", ASK),
    "face_up_card": Policy(ASK, None, "M-19", ASK),
    "drawn_together": Policy(ASK, None, "M-19", ASK),
    "too_few_cards": Policy(ASK, None, "M-19", ASK),
    "technical": Policy(ASK, None, "M-19", ASK),
    "power_failure": Policy(ASK, None, "M-19", ASK),
    "left": Policy(ASK, None, "M-19", ASK),
    "other": Policy(ASK, None, "M-24", ASK),
}
CHOICES = None
OUTCOME = None

LIMITS = Limits(OPERATOR_LIMITS, "M-11", "M-11", "M-11", "M-11", "M-11", "M-11", None)

PROCEDURE = procedure(
    opening="3.1",
    closing="3.2",
    reveal="3.6",
    ending="1.1.4",
    late_bet=("5.5", "M-16"),
    late_take_back=("5.6", "M-17", True),
    looks=ANYONE_LOOKS,
    looking="3.5",
    shown_first="3.6",
    void_refund=(None, "M-12"),
    reversal="M-14",
    past_stands=("5.1.2", "M-18"),
    roles=("dealer", "pit_supervisor", "pit_manager", "shift_manager"),
    gap_role="shift_manager",
    gap=(None, "M-24"),
)
