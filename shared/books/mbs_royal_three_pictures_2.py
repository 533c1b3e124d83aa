"""Royal Three Pictures, Marina Bay Sands, version 2."""

from shared.rules import pictures, policy, rulebook
from shared.rules.cards import JACK, KING, QUEEN
from shared.rules.policy import Limits, Policy, procedure
from shared.rules.rulebook import NEEDS_MAIN_ON_BOX, Deal, lose, main_wager, push, returned, side_wager, win

ID = "mbs-royal-three-pictures-2"
TITLE = "Royal Three Pictures"
SHORTER = "THREE=3, PICTURES=PICT"
OPERATOR = "MBS"
VERSION = "2"
EFFECTIVE = "2020-03-24"

ROUNDING = "R-12"
MAX_BOXES = 8  # the layout has 1 to 8 positions (App-A, App-B)
RANKING = "3.22"
HANDS = pictures.families("%s", "Single Picture %s", "Double Picture %s")
FIGURES = pictures.FIGURES
DEALS = (Deal("shoe", rulebook.ONE_BY_ONE, "3.12.1"), Deal("shuffler", rulebook.SETS_OF_THREE, "3.12"))

WITHOUT_MAIN = returned("3.5", "R-13")

MAIN = (
    win("main-six", 1, 2, "4.1/main-six"),
    win("main-other", 1, 1, "4.1/main-other"),
    push("1.1.5"),
    lose("3.16"),
)
TIE = (win("tie", 8, 1, "4.1/tie"), win("tie", 8, 1, "4.1/tie", "R-11"), lose("1.1.6"))
ROYAL_PICTURES = (
    win("three-kings", 188, 1, "4.2/three-kings"),
    win("three-queens", 128, 1, "4.2/three-queens"),
    win("three-jacks", 88, 1, "4.2/three-jacks"),
    win("three-pictures", 18, 1, "4.2/three-pictures", "R-03"),
    win("picture-pair", 8, 1, "4.2/picture-pair", "R-02"),
    win("any-king", 1, 1, "4.2/any-king", "R-02"),
    lose("1.1.4"),
)

value = pictures.value
rank = pictures.rank
qualifies = None


def mark(a, b, c):
    """The Royal Pictures line of a hand, counted from the last one: 0 loses, as does a box without a hand.

    A pair of pictures needs a non-picture beside it, so K-K-Q is Three Pictures (R-03); a pair of
    kings is the pair and not Any King; Q-J and lone queens and jacks lose (R-02).
    """
    a >>= 2
    b >>= 2
    c >>= 2
    jacks = (a == JACK) + (b == JACK) + (c == JACK)
    queens = (a == QUEEN) + (b == QUEEN) + (c == QUEEN)
    kings = (a == KING) + (b == KING) + (c == KING)
    if jacks + queens + kings == 3:
        return 6 if kings == 3 else 5 if queens == 3 else 4 if jacks == 3 else 3
    if jacks == 2 or queens == 2 or kings == 2:
        return 2
    return 1 if kings else 0


def judge_royal_pictures(player, mark, dealer):
    return ROYAL_PICTURES[-1 - mark]


WAGERS = (
    main_wager("main", "Main wager", "3.4", MAIN, pictures.main_judge(*MAIN)),
    side_wager("tie", "Tie wager", "3.5", NEEDS_MAIN_ON_BOX, TIE, pictures.flat_tie_judge(*TIE), WITHOUT_MAIN),
    side_wager(
        "royal_pictures",
        "Royal Pictures",
        "3.5",
        NEEDS_MAIN_ON_BOX,
        ROYAL_PICTURES,
        judge_royal_pictures,
        WITHOUT_MAIN,
    ),
)
BONUS = None
envy = None

# What is done about each irregularity, and what if it is found after settlement, before the next
# round opens. "_handled" is the same situation after a player has touched cards.
IRREGULARITIES = {
    "foreign_card": Policy(policy.VOID, "5.1.1", "R-26", policy.STANDS),
    "deck_count": Policy(policy.VOID, "5.9", "R-14", policy.STANDS),
    "not_shuffled": Policy(policy.VOID, "5.1.1", "R-26", policy.STANDS),
    "misdeal": Policy(policy.VOID_UNLESS_MOVED, "5.4", "X-04", policy.ASK),
    "misdeal_handled": Policy(policy.PLAY_ON, "5.6", "R-15", policy.STANDS),
    "wrong_count": Policy(policy.VOID_UNLESS_MOVED, "5.4", "X-04", policy.ASK),
    "wrong_count_handled": Policy(policy.HAND_OUT, "5.5", "R-15", policy.REVERSE),
    "dealer_count": Policy(policy.VOID, "5.9", "R-16", policy.REVERSE),
    "dealer_count_handled": Policy(policy.VOID, "5.9", "R-16", policy.REVERSE),
    "exposed_card": Policy(policy.TURN_DOWN, "5.8", "R-19", policy.STANDS),
    "exposed_later": Policy(policy.TURN_DOWN, "5.8", "X-15", policy.STANDS),
    "own_card": Policy(policy.TURN_DOWN, "5.8", "R-19", policy.STANDS),
    "face_up_card": Policy(policy.TURN_DOWN, "5.8", "R-19", policy.STANDS),
    "drawn_together": Policy(policy.ASK, "6.1", "R-25", policy.ASK),
    "too_few_cards": Policy(policy.ASK, "6.1", "R-25", policy.ASK),
    "technical": Policy(policy.ASK, "6.1", "R-23", policy.ASK),
    "power_failure": Policy(policy.OUTCOME_OR_WITHDRAW, "5.13", "R-23", policy.STANDS),
    "left": Policy(policy.ASK, "6.1", "R-25", policy.ASK),
    "other": Policy(policy.ASK, "6.1", "R-25", policy.ASK),
}
CHOICES = None
OUTCOME = ("5.13.2", "5.13.1", "R-24")

LIMITS = Limits(policy.EACH_WAGER, "5.11", "5.11", "5.10", "5.10", "R-05", "R-21", "R-20")

PROCEDURE = procedure(
    opening="3.1",
    closing="3.2",
    reveal="3.15",
    ending="1.1.3",
    late_bet=("5.2", "R-27"),
    late_take_back=("5.3", "R-27", True),
    chips_gone=("5.3", "R-27"),
    staff_bets="3.6",
    looks=policy.FIRST_SEATED_LOOKS,
    looking="3.10",
    seated_look="3.11",
    one_look="3.7",
    shown_first="3.15",
    wagers_an_area=(3, "3.9"),
    fewer_wagers="3.9.1",
    one_position="3.8",
    void_refund=("5.1.1", "R-26"),
    reversal="R-16",
    past_stands=("5.1.2", "R-22"),
    roles=("dealer", "pit_supervisor", "pit_manager", "shift_manager"),
    gap_role="shift_manager",
    gap=("6.1", "R-25"),
    first_card_exposed=("5.8.1", "R-19"),
    permit_role="pit_supervisor",
    permit=("5.7", "R-18"),
)
