"""Non-Commission Three Pictures, Resorts World at Sentosa, version 4."""

from shared import pictures
from shared.rulebook import (
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

ID = "rws-three-pictures-4"
TITLE = "Non-Commission Three Pictures"
OPERATOR = "RWS"
VERSION = "4"
EFFECTIVE = "2021-11-19 08:00"

ROUNDING = "N-05"
MAX_BOXES = 16  # as many hands as one deck holds; the layout may have fewer (N-16)
RANKING = "App-C"
RANK_WORDS = ("Plain %s", "Single Picture %s", "Double Pictures %s", "Three Pictures")
DEALS = (Deal("shoe", ONE_BY_ONE, "3.12"), Deal("shuffler", SETS_OF_THREE, "3.12.1"))

value = pictures.value
mark = pictures.no_mark

WITHOUT_INITIAL = returned("5.13")

INITIAL_SIX = win("initial-six", 1, 2, "4.1/initial-six")
INITIAL_OTHER = win("initial-other", 1, 1, "4.1/initial-other")
INITIAL_SAME = push("3.13.3")
INITIAL_LOWER = lose("3.13.2")

TIE = win("tie", 8, 1, "4.1/tie", "N-01")
TIE_PICTURES_AND_ZERO = win("tie", 8, 1, "4.1/tie", "N-04")
NO_TIE = lose("1.18")

THREE_PICTURES = win("three-pictures", 16, 1, "4.1/three-pictures", "N-03")
NO_THREE_PICTURES = lose("1.17", "N-03")

WAGERS = (
    main_wager(
        "initial",
        "Initial Bet",
        "1.7",
        (INITIAL_SIX, INITIAL_OTHER, INITIAL_SAME, INITIAL_LOWER),
        pictures.main_judge(INITIAL_SIX, INITIAL_OTHER, INITIAL_SAME, INITIAL_LOWER),
    ),
    side_wager(
        "tie",
        "Tie",
        "3.9",
        NEEDS_MAIN_ON_BOX,
        (TIE, TIE_PICTURES_AND_ZERO, NO_TIE),
        pictures.flat_tie_judge(TIE, TIE_PICTURES_AND_ZERO, NO_TIE),
        WITHOUT_INITIAL,
    ),
    side_wager(
        "three_pictures",
        "Three Pictures",
        "3.9",
        NEEDS_MAIN_ON_BOX,
        (THREE_PICTURES, NO_THREE_PICTURES),
        pictures.three_pictures_judge(THREE_PICTURES, NO_THREE_PICTURES),
        WITHOUT_INITIAL,
    ),
)
BONUS = None
envy = None
