"""Whether a bet is won or lost for certain, whatever the cards are that the table has not seen.

A bet is decided when its being won, or its being lost, is the same for every possible value of the
cards not exposed to the table; a private look does not count and a sure push is neither.
Suits never matter in books with an OUTCOME, so unseen cards are counted by rank.
"""

from shared.round.bets import goes_back_anyway
from shared.round.deal import exposed, held
from shared.rules.rulebook import LOSE, WIN

RANKS = 13


def decided_bet(r):
    """The first bet in play that is decided, as (bet, result), or None."""
    seen = exposed(r)
    if not seen:
        return None
    unseen = [4] * RANKS
    for card in seen:
        unseen[card >> 2] -= 1
    dealer = completions(r, 0, seen, unseen, False)
    players = {}
    for bet in r.in_play():
        if bet.box in r.removed or bet.box not in r.order or held(r, bet.box) > 3:
            continue
        if goes_back_anyway(r, bet.player, bet.place, bet.cents):
            continue  # it is neither won nor lost
        # Boxes that show the same ranks can turn out alike, and most show none: one entry serves all.
        open_ranks = tuple(sorted([card >> 2 for card in r.hands.get(bet.box, ()) if card in seen]))
        if open_ranks not in players:
            players[open_ranks] = completions(r, bet.box, seen, unseen, True)
        result = certain_result(r.book.WAGERS[bet.place].judge, players[open_ranks], dealer, unseen)
        if result:
            return bet, result
    return None


def completions(r, place, seen, unseen, marked):
    """Every hand a place can turn out to hold: {(value, mark): [packed ranks from the unseen, ...]}."""
    known = [card for card in r.hands.get(place, ()) if card in seen]
    if held(r, place) > 3:
        known = []  # nobody can say which three will count
    found = {}
    add_completions(r.book, known, 3 - len(known), 0, unseen, [], marked, found)
    return found


def add_completions(book, known, missing, lowest, unseen, drawn, marked, found):
    if not missing:
        # Any suit will do: rank and suit 0 stand for the card.
        hand = known + [rank << 2 for rank in drawn]
        mark = book.mark(hand[0], hand[1], hand[2]) if marked else 0
        found.setdefault((book.value(hand[0], hand[1], hand[2]), mark), []).append(packed(drawn))
        return
    for rank in range(lowest, RANKS):
        if unseen[rank] > drawn.count(rank):
            drawn.append(rank)
            add_completions(book, known, missing - 1, rank, unseen, drawn, marked, found)
            drawn.pop()


def packed(drawn):
    """Up to three ranks in one small int, four bits each, which costs a Pico no heap."""
    code = 0
    for rank in drawn:
        code = code << 4 | rank + 1
    return code


def certain_result(judge, players, dealers, unseen):
    """WIN or LOSE if every possible pair of hands gives it, else None."""
    can_fail = {WIN: False, LOSE: False}
    for player in players:
        for dealer in dealers:
            result = judge(player[0], player[1], dealer[0]).result
            for wanted in (WIN, LOSE):
                if result != wanted and not can_fail[wanted]:
                    can_fail[wanted] = can_both_be(players[player], dealers[dealer], unseen)
            if can_fail[WIN] and can_fail[LOSE]:
                return None
    return LOSE if can_fail[WIN] else WIN


def can_both_be(players, dealers, unseen):
    """Whether the unseen cards can fill both hands at once in some way."""
    left = unseen[:]
    for one in players:
        for other in dealers:
            both = one << 12 | other
            enough = draw(left, both, 1)
            draw(left, both, -1)
            if enough:
                return True
    return False


def draw(left, code, count):
    """Take packed ranks out of what is left, or put them back with -1; False if one was not there."""
    enough = True
    while code:
        if code & 15:
            left[(code & 15) - 1] -= count
            enough = enough and left[(code & 15) - 1] >= 0
        code >>= 4
    return enough
