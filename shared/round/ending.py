"""How a round ends: settled, or with no bet left; and the jackpot's meter. What gives bets back: refunds.py."""

from shared.round import bets, limits
from shared.round.deal import is_known, need_three_cards, places
from shared.round.events import Refused
from shared.round.states import FOLD, REVEALED, SETTLED
from shared.rules import rulebook, settlement
from shared.rules.rulebook import LOSE, METER_SHARE, WIN
from shared.rules.settlement import Seat


def verify_settle(r, e):
    r.need_state((REVEALED,), r.book.PROCEDURE.reveal)
    need_known_hands(r)


def need_known_hands(r):
    """What is compared has three cards, each with its name; a hand that is out or folded needs none (X-22)."""
    need_three_cards(r)
    for place in places(r):
        if r.decisions.get(place) != FOLD and not is_known(r, place):
            raise Refused("X-22", "card_not_named", place)


def act_settle(r, e, out):
    limits.apply_limits(r, out)
    hands = {box: r.hands[box] for box in r.order if box not in r.removed and is_known(r, box)}
    envy = r.book.envy(list(table_seats(r)), hands) if r.book.envy else ()
    staked = returned = 0
    for one in settlement.settle_each(r.book, r.hands[0], hands, table_seats(r), r.meter, r.order):
        return_second_allowance(r, one)
        use_allowance(r, one)
        write_lines(r, one, out)
        staked += sum(one.seat.stakes)
        returned += settlement.returned(one)
        if any(line and line.den == METER_SHARE for line in one.lines):
            award_jackpot(r, one.seat.player, out)
    for player, cents in envy:
        r.paid.append((None, player, None, 0, cents))
        out.append(["envy", player, r.money(cents), r.book.PROCEDURE.top_pay[1]])
        returned += cents
    for player, _ in r.used_now:
        if player not in r.allowed_once:
            r.allowed_once.append(player)
    for bet in r.bets:
        bet.cents = 0
    if r.table.amounts:
        out.append(["total", staked, returned, staked - returned])
    r.enter(SETTLED, r.book.PROCEDURE.ending, out)


def table_seats(r):
    """The bets in play as the settlement wants them, in the order of boxes and of placing."""
    for box in r.order:
        for player in bets.bettors_on(r, box):
            stakes = [0] * len(r.book.WAGERS)
            for bet in bets.bets_on(r, box):
                if bet.player == player:
                    stakes[bet.place] = bet.cents
            folded = r.decisions.get(box) == FOLD
            yield Seat(box, player, bets.is_seated(r, box, player), tuple(stakes), folded)


def write_lines(r, settled, out):
    """One record for each wager: what decided it, and its money where the table knows amounts."""
    seat = settled.seat
    for place, line in enumerate(settled.lines):
        if line is None:
            continue
        paid = settled.paid[place]
        won = line.result == WIN
        num = line.num if won else None
        den = line.den if won else None
        if place >= len(r.book.WAGERS):
            if won:
                r.paid.append((seat.box, seat.player, None, 0, paid))
                out.append(["bonus", seat.box, seat.player, num, den, r.money(paid), line.paragraph])
            continue
        name = r.book.WAGERS[place].name
        stake = seat.stakes[place]
        back = settlement.given_back(line, stake, paid)
        bet = bets.find_bet(r, seat.box, seat.player, place)
        r.paid.append((seat.box, seat.player, r.bets.index(bet), stake, back))
        money = [r.money(stake), r.money(paid), r.money(back)]
        ruling = r.book.ROUNDING if r.table.amounts and settlement.is_rounded(line, stake) else line.ruling
        decided = ["line", seat.box, seat.player, name, line.result, num, den]
        out.append(decided + money + [line.paragraph, ruling])
        if bet.gone and line.result == LOSE:
            tell_debt(r, bet, bet.gone, out)
        elif bet.gone:
            bets.tell_kept(r, bet, bet.gone, out)


def tell_debt(r, bet, cents, out):
    """The bet lost, and these chips of it are gone: staff collect them."""
    name = r.book.WAGERS[bet.place].name
    out.append(["debt", bet.box, bet.player, name, r.money(cents), r.book.PROCEDURE.chips_gone[1]])


# -- the jackpot


def award_jackpot(r, player, out):
    """The whole meter, paid by hand; the meter starts again."""
    r.meter_before_award = r.meter
    r.hand_pays.append(player)
    out.append(["hand_pay", player, r.meter, r.book.PROCEDURE.hand_pay])
    r.meter = r.table.reset
    out.append(["meter", r.meter, "award", r.book.PROCEDURE.top_pay[0]])


def verify_hand_paid(r, e):
    if r.table.progressive is None:
        raise Refused(None, "not_in_book")
    if e["player"] not in r.hand_pays:
        raise Refused(r.book.PROCEDURE.hand_pay, "no_jackpot_due")
    r.need_role(e["by"], "dealer", r.book.PROCEDURE.hand_pay)


def act_hand_paid(r, e, out):
    r.hand_pays.remove(e["player"])


# -- the one allowance under the minimum


def return_second_allowance(r, settled):
    """A wager under the minimum of a player whose allowance is used goes back, whatever the result."""
    for place, stake in enumerate(settled.seat.stakes):
        if bets.goes_back_anyway(r, settled.seat.player, place, stake):
            settled.lines[place] = rulebook.returned(r.book.LIMITS.late_under, r.book.LIMITS.second_under)
            settled.paid[place] = 0


def use_allowance(r, settled):
    """A win or loss uses it up, a standoff does not; two wagers in one round are one time (X-08)."""
    for place, stake in enumerate(settled.seat.stakes):
        if bets.is_allowance(r, place, stake) and settled.lines[place].result in (WIN, LOSE):
            r.used_now.append((settled.seat.player, settled.seat.box))


# -- without a result


def update_contribution(r, cause, out, wagers=None):
    """Bring the meter to what the progressive wagers in play contribute, or `wagers` of them.

    A wager that goes back takes its contribution out again.
    """
    if r.table.progressive is None:
        return
    if wagers is None:
        wagers = len([bet for bet in r.in_play() if bet.place == r.table.progressive])
    due = wagers * r.table.contribution
    if due != r.contributed:
        r.meter += due - r.contributed
        r.contributed = due
        _, feeding, reversing = r.book.PROCEDURE.progressive
        out.append(["meter", r.meter, cause, feeding if cause == "contribution" else reversing])


def conclude(r, out):
    """Nobody has a bet in play any more: the round is over without a result."""
    r.pending = []
    r.question = None
    r.enter(SETTLED, r.book.PROCEDURE.ending, out)


HANDLERS = {
    "settle": (verify_settle, act_settle),
    "hand_paid": (verify_hand_paid, act_hand_paid),
}
