"""Betting: opening, placing and taking back within the limits of each book, and closing."""

from shared import ending, limits
from shared.bets import (
    Bet,
    add_bet,
    bets_on,
    find_bet,
    gets_cards,
    has_main,
    is_covered,
    refund,
    return_uncovered,
    wager_place,
)
from shared.events import Refused
from shared.policy import BOX_TOTAL, OPERATOR
from shared.settlement import MAIN
from shared.states import BETTING, CLOSED, DEALING, DECIDING, FROZEN, NO_ROUND, PLAYING, REVEALED

# -- opening


def verify_open(r, e):
    r.need_state(NO_ROUND, r.book.PROCEDURE.opening, "opening")
    if r.hand_pays:
        raise Refused(r.book.PROCEDURE.hand_pay, "a jackpot waits to be paid by hand (T-29)")


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
    old = find_bet(r, box, player, place)
    if r.area_limit and not old and len(bets_on(r, box, place)) >= r.area_limit[0]:
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
        raise Refused("T-03", "cents: the progressive wager is %d cents" % r.table.stake)


def act_bet(r, e, out):
    box, player = e["box"], e["player"]
    place = wager_place(r, e["wager"])
    if e["seated"] is not None:
        r.seating[(box, player)] = e["seated"]
    cents = e["cents"] if r.table.amounts else 1  # without amounts a bet is there or not
    bet = find_bet(r, box, player, place)
    if bet is None:
        bet = Bet(box, player, place, 0)
        add_bet(r, bet)
    elif not r.table.amounts:
        cents = 0
    bet.cents += cents
    if e["by"] is not None:
        out.append(["placed_by_staff", box, player, e["wager"], e["by"], r.book.PROCEDURE.staff_bets])
    if r.book.LIMITS.kind == BOX_TOTAL and r.table.limits[place] and r.table.amounts:
        limits.reject_excess(r, box, place, out)
    limits.warn_about_limits(r, box, place, out)


# -- taking back


def verify_take_back(r, e):
    r.need_box(e["box"])
    place = wager_place(r, e["wager"])
    procedure = r.book.PROCEDURE
    if r.state in NO_ROUND:
        raise Refused(procedure.opening, "there is no bet to take back")
    need_answered_betting(r)
    bet = find_bet(r, e["box"], e["player"], place)
    if bet is None:
        raise Refused(None, "this player has no such bet on this box")
    if r.table.amounts:
        if e["cents"] is not None and e["cents"] > bet.cents - bet.gone:
            raise Refused(None, "cents: there are only %d cents" % (bet.cents - bet.gone))
        if e["cents"] is not None and e["cents"] % r.table.chip:
            raise Refused(None, "cents: the smallest chip is %d cents" % r.table.chip)
    elif e["cents"] is not None:
        raise Refused(None, "cents: this table does not know amounts")
    if r.state == BETTING:
        left = bet.cents - e["cents"] if e["cents"] is not None else 0
        bounds = r.table.limits[place]
        if r.book.LIMITS.kind == OPERATOR and bounds and 0 < left < bounds[0]:
            raise Refused(r.book.LIMITS.under, "what is left would be under the minimum")
        if place == r.table.progressive and left:
            raise Refused("T-03", "the progressive wager is whole or none")
        return
    paragraph, ruling, stands = procedure.late_take_back
    if bet.gone >= bet.cents:
        raise Refused(paragraph, "the chips are gone already")
    if not stands:
        raise Refused(paragraph, "no bet may be taken back after closing; it stays at stake (%s)" % ruling)


def act_take_back(r, e, out):
    place = wager_place(r, e["wager"])
    bet = find_bet(r, e["box"], e["player"], place)
    cents = e["cents"] if e["cents"] is not None else bet.cents - bet.gone
    if r.state == BETTING:
        refund(r, bet, cents, r.book.PROCEDURE.opening, None, out)
        limits.warn_about_limits(r, e["box"], place, out)
        for other in bets_on(r, e["box"]):
            if not is_covered(r, other.box, other.player, other.place):
                wager = r.book.WAGERS[other.place]
                out.append(["warning", "needs_main", other.box, other.player, wager.name, wager.paragraph])
        return
    # The chips are gone and the wager is still won or lost; a loss is a debt for staff to collect.
    paragraph, ruling, _ = r.book.PROCEDURE.late_take_back
    bet.gone += cents
    money = cents if r.table.amounts else None
    out.append(["stands", bet.box, bet.player, e["wager"], money, paragraph, ruling])


def verify_seat(r, e):
    r.need_box(e["box"])
    r.need_state((BETTING, CLOSED, DEALING, PLAYING, DECIDING), "X-09", "seating")


def act_seat(r, e, out):
    r.seating[(e["box"], e["player"])] = e["seated"]


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


# -- amounts found after closing


def verify_counted(r, e):
    """Chips that lay there at closing and were told wrong: the layout counts, not the telling (5.12)."""
    procedure = r.book.PROCEDURE
    r.need_box(e["box"])
    r.need_state((CLOSED, DEALING, PLAYING, DECIDING, REVEALED), procedure.layout, "counting")
    if not r.table.amounts:
        raise Refused(None, "lay: this table does not know amounts")
    place = wager_place(r, e["wager"])
    if r.book.WAGERS[place].on_decision or place == r.table.progressive:
        raise Refused(None, "wager: the amount of this wager is fixed")
    if e["lay"]:
        check_amount(r, e["lay"], place)
    need_box_in_round(r, e["box"])
    bet = find_bet(r, e["box"], e["player"], place)
    untold = bet is None or not e["lay"]
    if untold:
        check_untold(r, e, place, bet)
    elif bet.gone:
        raise Refused(procedure.late_take_back[0], "chips of this bet were taken away")
    if e["box"] in r.decisions and place == MAIN:
        raise Refused(r.book.WAGERS[MAIN].paragraph, "its player has decided on the ante as it is")
    # With the result in view, or a bet that was not there or not told, it takes a supervisor.
    high = untold or r.state == REVEALED
    r.need_role(e["by"], "pit_supervisor" if high else "dealer", procedure.layout)


def check_untold(r, e, place, bet):
    """A bet that nobody told, or that was not there, is put right only before the first card."""
    procedure = r.book.PROCEDURE
    if r.state != CLOSED:
        raise Refused(procedure.late_bet[0], "cards are out; only the amount of a known bet can be put right")
    if bet is None and not e["lay"]:
        raise Refused(None, "lay: no such bet is known and nothing lay there")
    if bet is None:
        need_place_on_box(r, e["box"], e["player"], place)


def need_box_in_round(r, box):
    if box in r.removed:
        raise Refused(None, "box: its hand is out of this round")


def act_counted(r, e, out):
    place = wager_place(r, e["wager"])
    bet = find_bet(r, e["box"], e["player"], place)
    if bet is None:
        bet = Bet(e["box"], e["player"], place, 0)
        add_bet(r, bet)
    out.append(["recounted", bet.box, bet.player, e["wager"], bet.cents, e["lay"]])
    bet.cents = e["lay"]
    if r.state == CLOSED:
        take_stock_of_box(r, e["box"], out)
    limits.report_limits_of(r, bet.box, place, out)


def take_stock_of_box(r, box, out):
    """A box found otherwise than told, before the first card: its bets and its place in the deal."""
    if not has_main(r, box):
        return_uncovered(r, out, box)
    ending.update_contribution(r, "contribution", out)
    others = [other for other in r.order if other != box]
    r.order = sorted(others + [box]) if gets_cards(r, box) else others
    if not [other for other in r.order if other not in r.removed]:
        ending.conclude(r, out)


# -- what a Pit Manager may set


def verify_restrict(r, e):
    if not r.book.PROCEDURE.wagers_an_area:
        raise Refused("X-03", "this book gives nobody that power")
    if e["player"] is None:
        r.need_role(e["by"], "pit_manager", r.book.PROCEDURE.fewer_wagers)
        if not 1 <= e["limit"] <= r.book.PROCEDURE.wagers_an_area[0]:
            raise Refused(
                r.book.PROCEDURE.wagers_an_area[1],
                "limit: one to %d wagers an area" % r.book.PROCEDURE.wagers_an_area[0],
            )
    else:
        r.need_role(e["by"], "pit_manager", r.book.PROCEDURE.one_position)
        if e["limit"] > 1:
            raise Refused(r.book.PROCEDURE.one_position, "limit: 1 holds him to one position, 0 lets him go")


def act_restrict(r, e, out):
    if e["player"] is None:
        most, paragraph = r.book.PROCEDURE.wagers_an_area
        r.next_area_limit = (e["limit"], r.book.PROCEDURE.fewer_wagers if e["limit"] < most else paragraph)
    else:
        r.next_one_box.append([e["player"], e["limit"]])


def verify_new_day(r, e):
    r.need_state(NO_ROUND, None, "a new gaming day")
    r.need_role(e["by"], "dealer", None)


def act_new_day(r, e, out):
    """A gaming day ends: the one allowance under the minimum is everybody's again (R-20)."""
    r.allowed_once = []


HANDLERS = {
    "open": (verify_open, act_open),
    "bet": (verify_bet, act_bet),
    "take_back": (verify_take_back, act_take_back),
    "seat": (verify_seat, act_seat),
    "close": (verify_close, act_close),
    "counted": (verify_counted, act_counted),
    "restrict": (verify_restrict, act_restrict),
    "new_day": (verify_new_day, act_new_day),
}
