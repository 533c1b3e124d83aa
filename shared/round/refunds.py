"""How bets go back and settlements are taken back: one player's, a box's, or the whole round's.

A round seldom needs it, so it is loaded when one does.
"""

from shared.round import bets
from shared.round.ending import update_contribution
from shared.round.states import VOID


def return_box(r, box, paragraph, ruling, out, player=None):
    """Give back every bet of a box, or one player's bets on it; without bets its hand is out.

    A side bet stays in play though the main wager beside it goes: it was placed as it had to be, and the
    hand stays for those who continue.
    """
    for bet in bets.bets_on(r, box):
        if player in (None, bet.player):
            bets.refund(r, bet, bet.cents, paragraph, ruling, out)
    update_contribution(r, "reversal", out)
    if box in r.order and box not in r.removed and not bets.bets_on(r, box):
        r.removed.append(box)


def void_round(r, paragraph, ruling, out):
    """No result: every bet of the round goes back, payments already made are reversed."""
    out.append(["void", paragraph, ruling])
    reverse_payments(r, None, out)
    refund_paragraph, refund_ruling = r.book.PROCEDURE.void_refund
    for bet in r.in_play():
        bets.refund(r, bet, bet.cents, refund_paragraph, refund_ruling, out)
    update_contribution(r, "reversal", out, 0)
    r.question = None
    r.pending = []
    r.may_withdraw = False
    r.enter(VOID, paragraph, out)


def reverse_payments(r, box, out):
    """Take a settlement back, of one box or of all: what was paid returns, the stakes lie there again."""
    kept = []
    reading = r.book.PROCEDURE.reversal
    for one in r.paid:
        paid_box, player, number, stake, back = one
        if box not in (None, paid_box):
            kept.append(one)
            continue
        name = None
        if number is not None:
            bet = r.bets[number]
            bet.cents = stake
            name = r.book.WAGERS[bet.place].name
        out.append(["reversed", paid_box, player, name, r.money(stake), r.money(back), reading])
    r.paid = kept
    restore_allowance(r, box)
    if r.meter_before_award is not None and box is None:
        r.meter = r.meter_before_award
        r.meter_before_award = None
        r.hand_pays = []
        out.append(["meter", r.meter, "reversal", r.book.PROCEDURE.progressive[2]])


def restore_allowance(r, box):
    """A settlement that is taken back had no win or loss, so it used nothing up."""
    reversed_now = [use for use in r.used_now if box in (None, use[1])]
    r.used_now = [use for use in r.used_now if use not in reversed_now]
    for player, _ in reversed_now:
        if player in r.allowed_once and not any(use[0] == player for use in r.used_now):
            r.allowed_once.remove(player)


# -- chips that are gone


def on_layout(r, bet):
    """Cents of it that the player can have taken away without anybody having told it."""
    return (bet.cents or bets.settled_cents(r, bet)) - bet.gone + bet.back


def take_away(r, bet, cents, out):
    """The chips are gone and the wager is still won or lost; a loss is a debt for staff to collect."""
    name = r.book.WAGERS[bet.place].name
    out.append(["stands", bet.box, bet.player, name, r.money(cents)] + list(r.book.PROCEDURE.chips_gone))
    held = min(bet.back, cents)
    bet.back -= held
    bet.gone += cents - held
    if held:
        bets.tell_kept(r, bet, held, out)
