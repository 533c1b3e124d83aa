"""What is put right about bets: taken back, seated otherwise, counted anew; and what a Pit Manager may set.

A round seldom needs it, so it is loaded when one does.
"""

from shared.round import bets, ending, limits
from shared.round.betting import check_amount, need_answered_betting, need_place_on_box, waiting
from shared.round.events import Refused
from shared.round.states import (
    AFTER_CLOSING,
    BETTING,
    CLOSED,
    DEALING,
    DECIDING,
    NO_ROUND,
    PLAYING,
    SETTLED,
    VOID,
)
from shared.rules.policy import OPERATOR
from shared.rules.settlement import MAIN

MOST_HELD = 50  # players held to one position, as many as a Pico has room for

# -- taking back


def verify_take_back(r, e):
    r.need_box(e["box"])
    place = bets.wager_place(r, e["wager"])
    procedure = r.book.PROCEDURE
    if r.state in NO_ROUND:
        raise Refused(procedure.opening, "not_possible_now", r.state)
    need_answered_betting(r)
    bet = bets.find_bet(r, e["box"], e["player"], place)
    if bet is None:
        raise Refused(None, "no_such_bet")
    check_part(r, e["cents"], bet.cents - bet.gone)
    if r.state == BETTING:
        left = bet.cents - e["cents"] if e["cents"] is not None else 0
        bounds = r.table.limits[place]
        if r.book.LIMITS.kind == OPERATOR and bounds and 0 < left < bounds[0]:
            raise Refused(r.book.LIMITS.under, "under_minimum", bounds[0])
        if place == r.table.progressive and left:
            raise Refused(r.book.PROCEDURE.progressive[0], "progressive_whole")
        return
    paragraph, ruling, stands = procedure.late_take_back
    if bet.gone >= bet.cents:
        raise Refused(paragraph, "chips_are_gone")
    if not stands:
        raise Refused(paragraph, "stays_at_stake", ruling)


def check_part(r, cents, left):
    """Whether so much of a bet can go; None is all of it."""
    if cents is None:
        return
    if not r.table.amounts:
        raise Refused(None, "amounts_unknown", "cents")
    if cents > left:
        raise Refused(None, "more_than_bet", left)
    if cents % r.table.chip:
        raise Refused(None, "not_multiple", "cents", cents, r.table.chip)


def act_take_back(r, e, out):
    place = bets.wager_place(r, e["wager"])
    bet = bets.find_bet(r, e["box"], e["player"], place)
    cents = e["cents"] if e["cents"] is not None else bet.cents - bet.gone
    if r.state == BETTING:
        bets.refund(r, bet, cents, r.book.PROCEDURE.opening, None, out)
        limits.warn_about_limits(r, e["box"], place, out)
        for other in bets.bets_on(r, e["box"]):
            if not bets.is_covered(r, other.box, other.player, other.place):
                wager = r.book.WAGERS[other.place]
                out.append(["warning", "needs_main", other.box, other.player, wager.name, wager.paragraph])
        return
    from shared.round.refunds import take_away  # here, as chips seldom go after closing

    take_away(r, bet, cents, out)


def verify_seat(r, e):
    r.need_box(e["box"])
    r.need_state((BETTING, CLOSED, DEALING, PLAYING, DECIDING), "X-09")
    if (e["box"], e["player"]) not in r.seating:
        bets.need_room((), r.seating)


def act_seat(r, e, out):
    r.seating[(e["box"], e["player"])] = e["seated"]


# -- amounts found after closing


def verify_counted(r, e):
    """Chips that lay there at closing and were told wrong: the layout counts, not the telling."""
    procedure = r.book.PROCEDURE
    r.need_box(e["box"])
    if r.stage() not in AFTER_CLOSING or r.stage() == VOID:
        raise Refused(procedure.layout, "not_possible_now", r.stage())
    place = bets.wager_place(r, e["wager"])
    if r.book.WAGERS[place].on_decision:
        raise Refused(None, "amount_fixed")
    if not r.table.amounts:
        if e["lay"] > 1:  # without amounts a bet is there or not
            raise Refused(None, "amounts_unknown", "lay")
    elif e["lay"]:
        check_amount(r, "lay", e["lay"], place)
    if e["box"] in r.removed:
        raise Refused(None, "no_hand_in_play", e["box"])
    if e["box"] in r.decisions and place == MAIN:
        raise Refused(r.book.WAGERS[MAIN].paragraph, "decided")
    if r.stage() == SETTLED:
        verify_counted_late(r, e, place)
        return
    bet = bets.find_bet(r, e["box"], e["player"], place)
    untold = bet is None or not e["lay"]
    if untold:
        check_untold(r, e, place, bet)
    elif bet.gone:
        raise Refused(procedure.late_take_back[0], "chips_are_gone")
    r.need_role(e["by"], r.table.posts["chips"], procedure.layout)


def verify_counted_late(r, e, place):
    """After settlement, a bet that never lay there is taken out again; amounts stand."""
    if r.state != SETTLED:
        raise waiting(r)
    if e["lay"] or settled_bet(r, e["box"], e["player"], place) is None:
        raise Refused(r.book.PROCEDURE.late_bet[0], "cards_are_out")
    ending.need_known_hands(r)
    r.need_role(e["by"], r.table.posts["chips"], r.book.PROCEDURE.layout)
    r.need_role(e["by"], "pit_supervisor", r.book.PROCEDURE.reversal)


def settled_bet(r, box, player, place):
    for bet in r.by_box.get(box, ()):
        if bet.player == player and bet.place == place and bets.settled_cents(r, bet):
            return bet
    return None


def check_untold(r, e, place, bet):
    """A bet that nobody told, or that was not there, is put right only before the first card."""
    procedure = r.book.PROCEDURE
    if r.stage() != CLOSED or r.hands or r.loose:
        raise Refused(procedure.late_bet[0], "cards_are_out")
    if bet is None and not e["lay"]:
        raise Refused(None, "no_such_bet")
    if bet is None:
        need_place_on_box(r, e["box"], e["player"], place)
        bets.need_room(r.bets, ())


def act_counted(r, e, out):
    place = bets.wager_place(r, e["wager"])
    if r.stage() == SETTLED:
        bet = settled_bet(r, e["box"], e["player"], place)
        from shared.round.refunds import reverse_payments  # here, as it is seldom needed

        reverse_payments(r, None, out)
        recount(r, bet, 0, out)
        if place == MAIN:
            bets.return_uncovered(r, out, e["box"])
        ending.update_contribution(r, "reversal", out)
        ending.act_settle(r, e, out)
        return
    bet = bets.find_bet(r, e["box"], e["player"], place)
    if bet is None:
        bet = bets.lay_bet(r, e["box"], e["player"], place)
    recount(r, bet, e["lay"], out)
    if r.stage() == CLOSED:
        take_stock_of_box(r, e["box"], out)
    limits.report_limits_of(r, bet.box, place, out)


def recount(r, bet, cents, out):
    name = r.book.WAGERS[bet.place].name
    out.append(["recounted", bet.box, bet.player, name, r.money(bet.cents), r.money(cents)])
    bet.cents = cents


def take_stock_of_box(r, box, out):
    """A box found otherwise than told, before the first card: its bets and its place in the deal."""
    if not bets.has_main(r, box):
        bets.return_uncovered(r, out, box)
    ending.update_contribution(r, "contribution", out)
    others = [other for other in r.order if other != box]
    r.order = sorted(others + [box]) if bets.gets_cards(r, box) else others


# -- what a Pit Manager may set


def verify_restrict(r, e):
    if not r.book.PROCEDURE.wagers_an_area:
        raise Refused("X-03", "not_in_book")
    if e["player"] is None:
        r.need_role(e["by"], "pit_manager", r.book.PROCEDURE.fewer_wagers)
        if not 1 <= e["limit"] <= r.book.PROCEDURE.wagers_an_area[0]:
            most, paragraph = r.book.PROCEDURE.wagers_an_area
            raise Refused(paragraph, "number_expected", "limit", 1, most)
    else:
        r.need_role(e["by"], "pit_manager", r.book.PROCEDURE.one_position)
        if e["limit"] > 1:
            raise Refused(r.book.PROCEDURE.one_position, "number_expected", "limit", 0, 1)
        told = [player for player, _ in r.next_one_box]
        if e["player"] not in told + r.one_box_players and len(told + r.one_box_players) >= MOST_HELD:
            raise Refused(r.book.PROCEDURE.one_position, "too_many_players", MOST_HELD)


def act_restrict(r, e, out):
    if e["player"] is None:
        most, paragraph = r.book.PROCEDURE.wagers_an_area
        r.next_area_limit = (e["limit"], r.book.PROCEDURE.fewer_wagers if e["limit"] < most else paragraph)
    else:
        r.next_one_box = [one for one in r.next_one_box if one[0] != e["player"]] + [[e["player"], e["limit"]]]


def verify_new_day(r, e):
    if not r.is_over():
        raise Refused(None, "not_possible_now", r.state)
    r.need_role(e["by"], "dealer", None)


def act_new_day(r, e, out):
    """A gaming day ends: the one allowance under the minimum is everybody's again."""
    r.allowed_once = []


HANDLERS = {
    "take_back": (verify_take_back, act_take_back),
    "seat": (verify_seat, act_seat),
    "counted": (verify_counted, act_counted),
    "restrict": (verify_restrict, act_restrict),
    "new_day": (verify_new_day, act_new_day),
}
