"""The states of a round, and the groups of them that events ask about."""

IDLE = "idle"
BETTING = "betting"
CLOSED = "closed"
DEALING = "dealing"
PLAYING = "playing"
DECIDING = "deciding"
REVEALED = "revealed"
SETTLED = "settled"
VOID = "void"
FROZEN = "frozen"

NO_ROUND = (IDLE, SETTLED, VOID)
CARDS_DOWN = (DEALING, PLAYING, DECIDING)  # cards are out, the dealer's hand is not shown
CARDS_OUT = CARDS_DOWN + (REVEALED, SETTLED)
IN_ROUND = (BETTING, CLOSED) + CARDS_OUT
AFTER_CLOSING = (CLOSED,) + CARDS_OUT + (VOID,)  # until the next opening: facts can be told

# What a frozen round waits for.
CHECK = "check"  # is it so? a card in doubt
TELL = "tell"  # which cards lie open?
CHOOSE = "choose"  # players go on or withdraw
ORDER = "order"  # which card comes first
RULING = "ruling"  # staff decide what the book leaves open

# What players decide in a book with decisions.
PLAY = "play"
FOLD = "fold"
