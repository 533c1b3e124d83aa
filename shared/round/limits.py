"""The limits, as a book has them: by box with seated players first, by wager, or the operator's own."""

from shared.round.bets import bets_on, bettors_on, find_bet, highest_bettor, is_seated, refund
from shared.round.events import Refused
from shared.rules.policy import BOX_TOTAL, EACH_WAGER, OPERATOR
from shared.rules.settlement import MAIN

# -- at entry


def check_limits(r, e, place, old):
    if place == r.table.progressive and old:
        raise Refused(r.book.PROCEDURE.progressive[0], "progressive_placed")
    limits = r.table.limits[place]
    if not limits or not r.table.amounts:
        return
    before = old.cents if old else 0
    total = before + e["cents"]
    rule = r.book.LIMITS
    if rule.kind == OPERATOR:
        if total > limits[1]:
            raise Refused(rule.over, "over_maximum", limits[1])
        if total < limits[0]:
            raise Refused(rule.under, "under_minimum", limits[0])
    elif rule.kind == BOX_TOTAL:
        accepted = accept_on_box(r, e["box"], place, e["player"], e["cents"], e["seated"])
        if accepted and dict(accepted)[e["player"]] <= before:
            raise Refused(rule.over, "box_is_full", limits[1])


def first_on_box(r, box, mains, player, seated):
    """Who comes first on a box with one more bet: those who sit, else the highest bettor.

    `mains` are the main wagers as they would be, where the new bet is one.
    """
    sitting = [name for name in bettors_on(r, box) if name != player and is_seated(r, box, name)]
    if player is not None and (is_seated(r, box, player) if seated is None else seated):
        sitting.append(player)
    if sitting:
        return sitting
    if mains is None:
        mains = [(bet.player, bet.cents) for bet in bets_on(r, box, MAIN)]
    highest = highest_bettor(mains)
    return [] if highest is None else [highest]


def accept_on_box(r, box, place, player=None, cents=0, seated=None):
    """(player, cents accepted) on a box, with one more bet if given; None if all have room.

    Seated players come first, then standing ones in the order of their bets; whoever crosses the line
    is accepted in part, but not in a part below the minimum.
    """
    least, most = r.table.limits[place]
    wanted = [[bet.player, bet.cents] for bet in bets_on(r, box, place)]
    if player is not None:
        for row in wanted:
            if row[0] == player:
                row[1] += cents
                break
        else:
            wanted.append([player, cents])
    if sum([amount for _, amount in wanted]) <= most:
        return None
    first = first_on_box(r, box, wanted if place == MAIN else None, player, seated)
    ordered = [row for row in wanted if row[0] in first] + [row for row in wanted if row[0] not in first]
    accepted = []
    room = most
    for name, amount in ordered:
        if amount > room:
            # A bet that was below the minimum to begin with is not refused for that here.
            amount = room if room >= least else 0
        accepted.append((name, amount))
        room -= amount
    return accepted


def reject_excess(r, box, place, out):
    """What the box cannot hold goes back at once, from those who come last."""
    for player, amount in accept_on_box(r, box, place) or ():
        bet = find_bet(r, box, player, place)
        if amount < bet.cents:
            refund(r, bet, bet.cents - amount, r.book.LIMITS.over, r.book.LIMITS.refusing, out)


def warn_about_limits(r, box, place, out):
    """The dealer hears before closing what is out of the limits, unless it was refused."""
    rule = r.book.LIMITS
    if rule.kind != OPERATOR:
        tell_limits(r, "warning", box, place, rule.under, rule.over, out)


def report_limits(r, out):
    """Amounts that are out of the limits at closing play as the book says; the log says which."""
    for box in range(1, r.table.boxes + 1):
        for place in range(len(r.book.WAGERS)):
            report_limits_of(r, box, place, out)


def report_limits_of(r, box, place, out):
    tell_limits(r, "plays", box, place, r.book.LIMITS.late_under, r.book.LIMITS.late_over, out)
    limits = r.table.limits[place]
    if r.book.LIMITS.kind != BOX_TOTAL or not limits or not r.table.amounts:
        return
    if sum([min(bet.cents, limits[0]) for bet in bets_on(r, box, place)]) > limits[1]:
        # Nobody may go below the minimum, so the box stays over its maximum: a manager decides.
        name = r.book.WAGERS[place].name
        out.append(["warning", "over_maximum", box, None, name, r.book.PROCEDURE.gap[0]])


def tell_limits(r, record, box, place, under, over, out):
    """Record what is out of the limits, of the box or of each wager as the book has it."""
    limits = r.table.limits[place]
    bets = bets_on(r, box, place)
    if not limits or not bets or not r.table.amounts:
        return
    amounts = [(bet.player, bet.cents) for bet in bets]
    if r.book.LIMITS.kind == BOX_TOTAL:
        amounts = [(None, sum([bet.cents for bet in bets]))]
    name = r.book.WAGERS[place].name
    for player, cents in amounts:
        if cents < limits[0]:
            out.append([record, "under_minimum", box, player, name, under])
        elif cents > limits[1]:
            out.append([record, "over_maximum", box, player, name, over])


# -- at settlement


def apply_limits(r, out):
    """Before settlement: what each wager plays for, and what of it goes back whatever the result."""
    if not r.table.amounts:
        return
    rule = r.book.LIMITS
    for box in range(1, r.table.boxes + 1):
        for place, limits in enumerate(r.table.limits):
            bets = bets_on(r, box, place)
            if not limits or not bets:
                continue
            if rule.kind == BOX_TOTAL:
                share_maximum(r, bets, limits, out)
            elif rule.kind == EACH_WAGER:
                for bet in bets:
                    if bet.cents > limits[1]:
                        refund(r, bet, bet.cents - limits[1], rule.late_over, rule.cutting, out)


def share_maximum(r, bets, limits, out):
    if sum([bet.cents for bet in bets]) <= limits[1]:
        return
    from shared.rules.apportion import apportion  # here, as a box is seldom over-full

    plays = apportion([bet.cents for bet in bets], limits[0], limits[1])
    for bet, cents in zip(bets, plays):
        if cents < bet.cents:
            refund(r, bet, bet.cents - cents, r.book.LIMITS.late_over, r.book.LIMITS.cutting, out)
