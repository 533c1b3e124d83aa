"""How a frozen round goes on: players choose, staff rule, and who may leave after a misdeal."""

from shared.round import ending, irregularities, refunds
from shared.round.deal import is_dealer_open
from shared.round.events import Refused
from shared.round.states import CHECK, CHOOSE, DEALING, DECIDING, FOLD, FROZEN, ORDER, PLAYING, SETTLED, TELL


def need_choosing(r, e):
    if r.state != FROZEN or r.question.kind != CHOOSE:
        raise Refused(None, "nobody_is_asked")


def verify_choose(r, e):
    need_choosing(r, e)
    if e["choice"] not in ("continue", "withdraw"):
        raise Refused(r.question.paragraph, "no_such_choice", e["choice"])
    if (e["box"], e["player"]) not in r.pending:
        raise Refused(r.question.paragraph, "nobody_is_asked")
    if e["choice"] == "withdraw" and is_dealer_open(r):
        raise Refused("X-13", "dealer_is_open")


def act_choose(r, e, out):
    pair = (e["box"], e["player"])
    r.pending.remove(pair)
    if e["choice"] == "continue":
        commit(r, [pair])
    else:
        if e["box"] is None:
            # All his wagers on all positions or none.
            for box in range(1, r.table.boxes + 1):
                refunds.return_box(r, box, r.question.paragraph, r.question.ruling, out, e["player"])
        else:
            _, _, paragraph, reading = r.book.CHOICES
            refunds.return_box(r, e["box"], paragraph, reading, out, e["player"])
        r.pending = [pair for pair in r.pending if has_bets(r, pair)]
    if not r.pending:
        irregularities.resume_play(r, r.question.paragraph, out)


def commit(r, pairs):
    r.committed.extend([pair for pair in pairs if pair not in r.committed])


def has_bets(r, pair):
    return any(bet.player == pair[1] and pair[0] in (None, bet.box) for bet in r.in_play())


def act_choices_done(r, e, out):
    """A player who gave no answer goes on."""
    commit(r, r.pending)
    irregularities.resume_play(r, r.question.paragraph, out)


def verify_withdraw(r, e):
    permit = r.book.PROCEDURE.permit
    if not permit:
        raise Refused("X-03", "not_in_book")
    r.need_box(e["box"])
    r.need_state((DEALING, PLAYING), permit[0])
    if not r.may_withdraw:
        raise Refused(permit[0], "no_misdeal_told")
    if is_dealer_open(r):
        raise Refused(permit[0], "dealer_is_open")
    r.need_role(e["by"], r.book.PROCEDURE.permit_role, permit[0])
    if not has_bets(r, (e["box"], e["player"])):
        raise Refused(None, "no_such_bet")


def act_withdraw(r, e, out):
    paragraph, ruling = r.book.PROCEDURE.permit
    refunds.return_box(r, e["box"], paragraph, ruling, out, e["player"])
    irregularities.go_on(r, out)


# -- staff rule


def verify_ruling(r, e):
    if r.state != FROZEN or r.question.kind in (CHOOSE, TELL):
        raise Refused(None, "nobody_is_asked")
    kind, _, role, paragraph, ruling = r.question
    decision = e["decision"]
    if kind == ORDER:
        r.need_role(e["by"], role, paragraph)
        if decision != "order":
            raise Refused(paragraph, "no_such_decision", decision)
        return
    gap = r.book.PROCEDURE.gap
    r.need_role(e["by"], r.book.PROCEDURE.gap_role, gap[0] or gap[1])
    if decision not in ("continue", "void", "hand_out", "correct", FOLD):
        raise Refused(paragraph or ruling, "no_such_decision", decision)
    if decision in ("hand_out", FOLD):
        if e["box"] is None:
            raise Refused(None, "missing", "box")
        r.need_box(e["box"])
        if e["box"] not in r.order or e["box"] in r.removed:
            raise Refused(None, "no_hand_in_play", e["box"])
    no_fold = r.resume != DECIDING or e["box"] in r.decisions
    if (decision == "hand_out" and r.resume == SETTLED) or (decision == FOLD and no_fold):
        raise Refused(None, "no_such_decision", decision)
    if decision == "correct":
        if r.resume != SETTLED or not r.paid:
            raise Refused(None, "no_such_decision", decision)
        ending.need_known_hands(r)


def act_ruling(r, e, out):
    question = r.question
    decision = e["decision"]
    if question.kind == ORDER:
        irregularities.thaw(r, question.paragraph, out)
        irregularities.offer_choices(r, question.situation, False, out)
        irregularities.meet_postponed(r, out)
        return
    paragraph, ruling = r.book.PROCEDURE.gap
    if decision == "void":
        refunds.void_round(r, paragraph, ruling, out)
        return
    if decision == "hand_out":
        out.append(["removed", e["box"], paragraph, ruling])
        refunds.return_box(r, e["box"], paragraph, ruling, out)
    elif decision == FOLD:
        r.decisions[e["box"]] = FOLD
    elif decision == "correct":
        # Payments are taken back, and made again for the hands as they lie; what was told meanwhile is in them.
        irregularities.thaw(r, paragraph, out)
        r.postponed = []
        refunds.reverse_payments(r, None, out)
        ending.act_settle(r, e, out)
        return
    irregularities.resume_play(r, paragraph, out)


def verify_misread(r, e):
    if r.state != FROZEN or r.question.kind != CHECK:
        raise Refused(None, "nobody_is_asked")


def act_misread(r, e, out):
    if r.doubtful in r.loose:
        r.loose.remove(r.doubtful)
    irregularities.resume_play(r, None, out)


HANDLERS = {
    "misread": (verify_misread, act_misread),
    "choose": (verify_choose, act_choose),
    "choices_done": (need_choosing, act_choices_done),
    "withdraw": (verify_withdraw, act_withdraw),
    "ruling": (verify_ruling, act_ruling),
}
