"""Betting: opening, placing within the limits of each book, and closing."""

from shared.round import ending, limits
from shared.round.bets import (
    bets_on,
    find_bet,
    gets_cards,
    is_covered,
    lay_bet,
    return_uncovered,
    wager_place,
)
from shared.round.events import Refused
from shared.round.states import BETTING, CLOSED, FROZEN, NO_ROUND
from shared.rules.policy import BOX_TOTAL

# -- opening


def verify_open(r, e):
    r.need_state(NO_ROUND, r.book.PROCEDURE.opening, "opening")
    if r.hand_pays:
        raise Refused(r.book.PROCEDURE.hand_pay, "a jackpot waits to be paid by hand")


def act_open(r, e, out):
    r.clear()
    r.number += 1
    # What a Pit Manager set holds from the next betting period on.
    if r.next_area_limit:
        r.area_limit = r.next_area_limit
        r.next_area_limit = None
    for player, held in r.next_one_box:
        if held and player not in r.one_box_players:
            r.one_box_players.append(player)
        elif not held and player in r.one_box_players:
            r.one_box_players.remove(player)
    r.next_one_box = []
    r.enter(BETTING, r.book.PROCEDURE.opening, out)


# -- placing


def verify_bet(r, e):
    procedure = r.book.PROCEDURE
    box, player = e["box"], e["player"]
    r.need_box(box)
    place = wager_place(r, e["wager"])
    wager = r.book.WAGERS[place]
    check_amount(r, e["cents"], place)
    if e["by"] is not None:
        if not procedure.staff_bets:
            raise Refused("X-03", "by: this book has no bets placed by staff")
        r.need_role(e["by"], "dealer", procedure.staff_bets)
    if r.state in NO_ROUND:
        raise Refused(procedure.opening, "betting is not open")
    need_answered_betting(r)
    if r.state != BETTING:
        paragraph, ruling = procedure.late_bet
        raise Refused(paragraph, "bets are closed; chips laid now go back, win or lose (%s)" % ruling)
    if wager.on_decision:
        raise Refused(wager.paragraph, "the %s wager is made by deciding to play" % wager.name)
    need_place_on_box(r, box, player, place)
    if not is_covered(r, box, player, place):
        raise Refused(wager.paragraph, "this wager needs the main wager first")
    limits.check_limits(r, e, place, find_bet(r, box, player, place))


def need_place_on_box(r, box, player, place):
    """Whether the box, and what a Pit Manager set, have room for this player's wager."""
    procedure = r.book.PROCEDURE
    if procedure.one_player_a_box and any(bet.player != player for bet in bets_on(r, box)):
        paragraph, ruling = procedure.one_player_a_box
        raise Refused(paragraph, "the box has its player (%s)" % ruling)
    if player in r.one_box_players and any(bet.player == player and bet.box != box for bet in r.in_play()):
        raise Refused(procedure.one_position, "a Pit Manager holds this player to one position")
    full = r.area_limit and len(bets_on(r, box, place)) >= r.area_limit[0]
    if full and not find_bet(r, box, player, place):
        raise Refused(r.area_limit[1], "this area holds %d wagers already" % r.area_limit[0])


def need_answered_betting(r):
    """While the round waits in the middle of betting, bets neither come nor go."""
    if r.state == FROZEN and r.resume == BETTING:
        raise Refused(r.question.paragraph or r.question.ruling, "the round waits for an answer first")


def check_amount(r, cents, place):
    if not r.table.amounts:
        if cents is not None:
            raise Refused(None, "cents: this table does not know amounts")
        return
    if cents is None:
        raise Refused(None, "cents: missing")
    if cents % r.table.chip:
        raise Refused(None, "cents: the smallest chip is %d cents" % r.table.chip)
    if place == r.table.progressive and cents != r.table.stake:
        raise Refused(r.book.PROCEDURE.progressive[0], "cents: the progressive wager is %d cents" % r.table.stake)


def act_bet(r, e, out):
    box, player = e["box"], e["player"]
    place = wager_place(r, e["wager"])
    if e["seated"] is not None:
        r.seating[(box, player)] = e["seated"]
    cents = e["cents"] if r.table.amounts else 1  # without amounts a bet is there or not
    bet = find_bet(r, box, player, place)
    if bet is None:
        bet = lay_bet(r, box, player, place)
    elif not r.table.amounts:
        cents = 0
    bet.cents += cents
    if e["by"] is not None:
        out.append(["placed_by_staff", box, player, e["wager"], e["by"], r.book.PROCEDURE.staff_bets])
    if r.book.LIMITS.kind == BOX_TOTAL and r.table.limits[place] and r.table.amounts:
        limits.reject_excess(r, box, place, out)
    limits.warn_about_limits(r, box, place, out)


# -- closing


def verify_close(r, e):
    r.need_state((BETTING,), r.book.PROCEDURE.closing, "closing")


def act_close(r, e, out):
    r.enter(CLOSED, r.book.PROCEDURE.closing, out)
    take_stock(r, out)
    limits.report_limits(r, out)


def take_stock(r, out):
    """What lies on the layout at closing decides who is in play, and feeds the meter."""
    return_uncovered(r, out)
    ending.update_contribution(r, "contribution", out)
    r.order = [box for box in range(1, r.table.boxes + 1) if gets_cards(r, box)]
    if not r.order:
        ending.conclude(r, out)


HANDLERS = {
    "open": (verify_open, act_open),
    "bet": (verify_bet, act_bet),
    "close": (verify_close, act_close),
}
