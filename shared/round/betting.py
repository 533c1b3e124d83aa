"""Betting: opening, placing within the limits of each book, and closing."""

from shared.round import bets, ending, limits
from shared.round.events import Refused
from shared.round.states import BETTING, CLOSED, FROZEN, NO_ROUND
from shared.rules.policy import BOX_TOTAL

# -- opening


def verify_open(r, e):
    if not r.is_over():
        raise Refused(r.book.PROCEDURE.opening, "not_possible_now", r.state)
    if r.hand_pays:
        raise Refused(r.book.PROCEDURE.hand_pay, "jackpot_unpaid")


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
    place = bets.wager_place(r, e["wager"])
    wager = r.book.WAGERS[place]
    check_amount(r, "cents", e["cents"], place)
    if e["by"] is not None:
        if not procedure.staff_bets:
            raise Refused("X-03", "no_staff_bets")
        r.need_role(e["by"], "dealer", procedure.staff_bets)
    if r.state in NO_ROUND:
        raise Refused(procedure.opening, "not_possible_now", r.state)
    need_answered_betting(r)
    if r.state != BETTING:
        paragraph, ruling = procedure.late_bet
        raise Refused(paragraph, "bets_closed", ruling)
    if wager.on_decision:
        raise Refused(wager.paragraph, "made_by_deciding", wager.name)
    need_place_on_box(r, box, player, place)
    if not bets.is_covered(r, box, player, place):
        raise Refused(wager.paragraph, "needs_main")
    old = bets.find_bet(r, box, player, place)
    if old is None:
        bets.need_room(r.in_play(), ())
    if e["seated"] is not None and (box, player) not in r.seating:
        bets.need_room((), r.seating)
    limits.check_limits(r, e, place, old)


def need_place_on_box(r, box, player, place):
    """Whether the box, and what a Pit Manager set, have room for this player's wager."""
    procedure = r.book.PROCEDURE
    if procedure.one_player_a_box and any(bet.player != player for bet in bets.bets_on(r, box)):
        paragraph, ruling = procedure.one_player_a_box
        raise Refused(paragraph, "box_is_taken", ruling)
    if player in r.one_box_players and any(bet.player == player and bet.box != box for bet in r.in_play()):
        raise Refused(procedure.one_position, "one_position")
    full = r.area_limit and len(bets.bets_on(r, box, place)) >= r.area_limit[0]
    if full and not bets.find_bet(r, box, player, place):
        raise Refused(r.area_limit[1], "area_is_full", r.area_limit[0])


def need_answered_betting(r):
    """While the round waits in the middle of betting, bets neither come nor go."""
    if r.state == FROZEN and r.resume == BETTING:
        raise waiting(r)


def waiting(r):
    """The refusal of what must wait until a frozen round has its answer."""
    kind, situation, role, paragraph, ruling = r.question
    return Refused(paragraph or ruling, "waiting", kind, situation, role)


def check_amount(r, field, cents, place):
    if not r.table.amounts:
        if cents is not None:
            raise Refused(None, "amounts_unknown", field)
        return
    if cents is None:
        raise Refused(None, "missing", field)
    if cents % r.table.chip:
        raise Refused(None, "not_multiple", field, cents, r.table.chip)
    if place == r.table.progressive and cents != r.table.stake:
        raise Refused(r.book.PROCEDURE.progressive[0], "progressive_stake", r.table.stake)


def act_bet(r, e, out):
    box, player = e["box"], e["player"]
    place = bets.wager_place(r, e["wager"])
    if e["seated"] is not None:
        r.seating[(box, player)] = e["seated"]
    cents = e["cents"] if r.table.amounts else 1  # without amounts a bet is there or not
    bet = bets.find_bet(r, box, player, place)
    if bet is None:
        bet = bets.lay_bet(r, box, player, place)
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
    r.need_state((BETTING,), r.book.PROCEDURE.closing)


def act_close(r, e, out):
    r.enter(CLOSED, r.book.PROCEDURE.closing, out)
    for bet in r.bets:
        if bet.back:
            bet.back = 0  # what went back before is not on the layout now
    take_stock(r, out)
    limits.report_limits(r, out)


def take_stock(r, out):
    """What lies on the layout at closing decides who is in play, and feeds the meter."""
    bets.return_uncovered(r, out)
    ending.update_contribution(r, "contribution", out)
    # Without any of them the round waits all the same: chips that nobody told can still be counted.
    r.order = [box for box in range(1, r.table.boxes + 1) if bets.gets_cards(r, box)]


HANDLERS = {
    "open": (verify_open, act_open),
    "bet": (verify_bet, act_bet),
    "close": (verify_close, act_close),
}
