"""The words a rulebook states its procedures in: limits, late bets, irregularities and who decides.

Each book has its own table of irregularities; none is shared between books (X-01). A situation that a
book says nothing about has the action ASK, with the reading that names who rules (X-03).
"""

from collections import namedtuple

from shared.values import const

# What a book does about a situation, in the words of the log.
VOID = "void"
VOID_UNLESS_MOVED = "void-unless-moved"  # void, unless moving complete hands puts it right
VOID_UNLESS_REBUILT = "void-unless-rebuilt"  # void, unless the cards can be put back in order
VOID_OR_CHOOSE = "void-or-choose"  # likewise, and then every player chooses
PLAY_ON = "play-on"
TURN_DOWN = "turn-down"  # turn the card face down and go on
CHOOSE = "choose"  # every player chooses to go on or to have his bets back
HAND_OUT = "hand-out"  # that hand goes out, its bets go back
HAND_OUT_AND_CHOOSE = "hand-out-and-choose"
ORDER_AND_CHOOSE = "order-and-choose"  # staff say which card comes first, then players choose
OUTCOME_OR_VOID = "outcome-or-void"  # play on if a bet is decided for certain, else void
OUTCOME_OR_WITHDRAW = "outcome-or-withdraw"  # likewise, else players may withdraw all their wagers
SECOND_VOIDS = "second-voids"  # the first such card plays on, the second voids
ASK = "ask"  # the book is silent: freeze and ask

# What happens when it is found after settlement and before the next round opens.
REVERSE = "reverse"
STANDS = "stands"

# `ruling` is the reading the entry rests on; `later` is REVERSE, STANDS or ASK.
Policy = namedtuple("Policy", ("action", "paragraph", "ruling", "later"))

# How a book treats amounts outside the limits.
BOX_TOTAL = "box-total"  # limits hold for the box; seated first, excess refused, else pro rata
EACH_WAGER = "each-wager"  # limits hold for each player's wager; over is cut, under settles once
OPERATOR = "operator"  # the book has no limits: refuse before closing, settle as placed after it

# `over` and `under` are the paragraphs or readings, `late_over` and `late_under` those for amounts that
# are found only after closing; `refusing` and `cutting` are the readings for what goes back.
# `second_under` is the reading for a second wager under the minimum, with EACH_WAGER alone.
Limits = namedtuple(
    "Limits", ("kind", "over", "late_over", "under", "late_under", "refusing", "cutting", "second_under")
)

# Who may look at a hand.
ANYONE_LOOKS = "anyone"
SEATED_LOOKS = "seated"  # the seated player of the box, and at one hand only
FIRST_SEATED_LOOKS = "first-seated"  # the seated player who bet there first, and at one hand only

# Everything else that differs from book to book, each entry a paragraph unless it says otherwise.
_PROCEDURE_FIELDS = const(
    (
        "opening",  # the announcement that opens betting
        "closing",  # the announcement that closes it
        "reveal",  # the dealer shows his hand
        "ending",  # when a round is over
        "late_bet",  # (paragraph, reading) for a bet after closing
        "late_take_back",  # (paragraph, reading, whether it is noted and stands rather than refused)
        "chips_gone",  # (paragraph or None, reading) for chips that were taken away all the same
        "staff_bets",  # staff may place bets for a player
        "looks",  # ANYONE_LOOKS, SEATED_LOOKS or FIRST_SEATED_LOOKS
        "looking",  # the paragraph for that
        "seated_look",  # only a seated player may look
        "one_look",  # a player looks at one hand only
        "shown_first",  # all hands lie face up before the dealer shows his
        "wagers_an_area",  # (how many, paragraph)
        "fewer_wagers",  # a Pit Manager may allow fewer
        "one_position",  # a Pit Manager may hold a player to one position
        "hand_pay",  # how a jackpot is paid
        "progressive",  # readings: its stake is fixed, what feeds the meter, what a reversal takes out again
        "top_pay",  # (paragraph, paragraph) for the jackpot line and for envy
        "deciding",  # (to decide, to fold, to play, the reading for their order)
        "paying_fold",  # the reading for folding a hand that is sure to be paid
        "one_player_a_box",  # (paragraph, reading)
        "void_refund",  # (paragraph or None, reading) for giving all bets back
        "reversal",  # the reading for taking a settlement back
        "layout",  # bets count as they lie at closing
        "past_stands",  # (paragraph, reading) for an error found after the next round opened
        "roles",  # posts from the lowest up, dealer, pit_supervisor and pit_manager among them
        "gap_role",  # who rules on what the book leaves open
        "gap",  # (paragraph or None, reading) for that
        "first_card_exposed",  # (paragraph, reading): TURN_DOWN does not hold for the first card of a manual deal
        "ordering_role",  # who says which of two cards comes first
        "permit_role",  # who may permit a withdrawal, and
        "permit",  # (paragraph, reading) for that
    )
)
Procedure = namedtuple("Procedure", _PROCEDURE_FIELDS)


def procedure(**stated):
    """The Procedure of a book. What the book has not, or is silent about, is left out and becomes None."""
    made = Procedure(*[stated.pop(field, None) for field in _PROCEDURE_FIELDS])
    if stated:
        raise TypeError("no such field: " + ", ".join(stated))
    return made


# Kinds of irregularity that staff report, and the situations they become.
KINDS = (
    "foreign_card",
    "deck_count",
    "not_shuffled",
    "misdeal",
    "wrong_count",
    "drawn_together",
    "too_few_cards",
    "technical",
    "left",
    "other",
)
# How a wrong deal was put right.
MOVED = "moved"  # complete hands were moved from one place to another
RESTORED = "restored"  # single cards were put back in order
