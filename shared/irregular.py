"""What a round does about each irregularity, by its own book's table, and how staff and players answer.

Where the book is silent the round freezes and asks for a ruling by the post that the reading names; it
never guesses.
"""

from shared import cards, deal, ending, outcome, policy
from shared.events import Refused
from shared.rulebook import ONE_BY_ONE

CARDS_OUT = ("dealing", "playing", "deciding", "revealed", "settled")
IN_ROUND = ("betting", "closed") + CARDS_OUT
NEEDS_CARDS = ("misdeal", "wrong_count", "exposed_card")
MENDABLE = (policy.VOID_UNLESS_MOVED, policy.VOID_UNLESS_REBUILT, policy.HAND_OUT_AND_CHOOSE)
# What a card in doubt may turn out to be.
ABOUT_CARDS = ("foreign_card", "deck_count", "not_shuffled", "misdeal", "wrong_count", "other")


# -- freezing and going on


def freeze(r, kind, situation, role, paragraph, ruling, out):
    """Stop until somebody answers. `kind` is check (is it so?), order, ruling or choose."""
    r.resume = r.state
    r.question = (kind, situation, role, paragraph, ruling)
    r.state = "frozen"
    out.append(["ask", kind, situation, role, paragraph, ruling])


def thaw(r, paragraph, out):
    r.question = None
    r.enter(r.resume, paragraph, out)
    go_on(r, out)
    if r.power_failed and r.state in IN_ROUND and r.state != "settled":
        # The power failed while the round waited; what the book says of that comes now.
        r.power_failed = False
        meet(r, "power_failure", None, False, out)


def go_on(r, out):
    """After bets or hands went out: the round ends if nobody is left, and the deal may be complete."""
    if r.state in ("settled", "void", "frozen"):
        return
    if r.state != "betting" and not [box for box in r.order if box not in r.removed]:
        ending.conclude(r, out)
    elif r.state == "dealing":
        deal.finish_deal(r, out)


def alarm(r, situation, out):
    """A card that cannot be: the reader may be wrong, so staff look before anything follows."""
    entry = r.book.IRREGULARITIES[situation]
    freeze(r, "check", situation, "dealer", entry.paragraph, entry.ruling, out)


# -- reports


def verify_irregularity(r, e):
    kind = e["kind"]
    if kind not in policy.KINDS:
        raise Refused(None, "kind: expected one of " + ", ".join(policy.KINDS))
    if e["by"] is not None:
        r.need_role(e["by"], "dealer", None)
    if e["round"] is not None:
        if not 1 <= e["round"] <= r.number:
            raise Refused(None, "round: there was no such round")
        if e["round"] < r.number:
            return  # an earlier round stands; that is noted and nothing else
    if r.state == "frozen":
        # What voids a round does so at any time; else a card in doubt may only be explained.
        voids = kind in r.book.IRREGULARITIES and r.book.IRREGULARITIES[kind].action == policy.VOID
        if not voids and not (r.question[0] == "check" and kind in ABOUT_CARDS):
            raise Refused(r.question[3] or r.question[4], "the round waits for an answer first")
    state = r.resume if r.state == "frozen" else r.state
    if state not in IN_ROUND:
        raise Refused(None, "there is no round for this to be wrong in")
    if kind in NEEDS_CARDS and state not in CARDS_OUT:
        raise Refused(None, "no cards have been dealt")
    if kind == "drawn_together" and state == "betting":
        raise Refused(None, "no cards have been drawn")
    if kind == "too_few_cards" and state not in ("closed", "dealing"):
        raise Refused(None, "no more cards are due")
    if kind == "wrong_count":
        if e["place"] is None:
            raise Refused(None, "place: which hand, a box or 0 for the dealer")
        if e["place"]:
            r.need_box(e["place"])
            if e["place"] not in r.order or e["place"] in r.removed:
                raise Refused(None, "place: that box has no hand in play")
    if kind == "exposed_card" and state != "settled":
        if e["card"] is None:
            raise Refused(None, "card: which card was exposed")
        place, card = find_card(r, e["card"])
        if card is None:
            raise Refused(None, "card: no such card was dealt")
        if place in r.shown:
            raise Refused(None, "card: that hand lies face up as it should")
    if kind == "left":
        if e["player"] is None:
            raise Refused(None, "player: who left")
        if not any(bet.player == e["player"] for bet in r.bets):
            raise Refused(None, "player: has no bet in this round")
    situation = situation_of(r, kind, e["place"])
    if state == "settled" and r.book.IRREGULARITIES[situation].later != policy.STANDS:
        # Payments are taken back only under supervision.
        r.need_role(e["by"], "pit_supervisor", r.book.PROCEDURE.reversal)


def find_card(r, word):
    """(place, card) of a dealt card, (None, None) if it was not dealt."""
    try:
        card = cards.parse(word)
    except ValueError:
        return None, None
    for place, hand in r.hands.items():
        if card in hand:
            return place, card
    return None, None


def situation_of(r, kind, place):
    if kind == "wrong_count" and place == 0:
        return "dealer_count"
    if kind in ("misdeal", "wrong_count") and r.handled:
        return kind + "_handled"
    return kind


def act_irregularity(r, e, out):
    if e["round"] is not None and e["round"] < r.number:
        paragraph, ruling = r.book.PROCEDURE.past_stands
        out.append(["noted", e["kind"], paragraph, ruling])
        return
    if r.state == "frozen":
        r.question = None
        r.pending = []
        r.enter(r.resume, None, out)
    situation = situation_of(r, e["kind"], e["place"])
    if e["kind"] in ("misdeal", "drawn_together"):
        r.misdealt = True
    if r.state == "settled":
        found_after(r, situation, e["place"], e["mended"], out)
        return
    place = e["place"]
    if e["kind"] == "exposed_card":
        place, card = find_card(r, e["card"])
        if card in r.up:
            # The same card seen again is not a second one.
            out.append(["noted", situation, r.book.IRREGULARITIES[situation].paragraph, None])
            return
        deal.expose(r, card, out)
        r.exposed_first = card == r.first_card
    meet(r, situation, place, e["mended"], out)


def found_after(r, situation, place, mended, out):
    """Found between settlement and the next opening."""
    entry = r.book.IRREGULARITIES[situation]
    if entry.later == policy.ASK:
        ask_for_ruling(r, situation, entry, out)
    elif entry.later == policy.STANDS or (mended and entry.action in MENDABLE):
        out.append(["noted", situation, entry.paragraph, entry.ruling])
    elif entry.action in (policy.HAND_OUT, policy.HAND_OUT_AND_CHOOSE):
        # The others know their result by now and are not asked.
        out.append(["removed", place, entry.paragraph, entry.ruling])
        ending.reverse_payments(r, place, out)
        ending.return_box(r, place, entry.paragraph, entry.ruling, out)
    else:
        ending.void_round(r, entry.paragraph, entry.ruling, out)


def ask_for_ruling(r, situation, entry, out):
    freeze(r, "ruling", situation, r.book.PROCEDURE.gap_role, entry.paragraph, entry.ruling, out)


def meet(r, situation, place, mended, out):
    """Do what the book says about a situation in the running round."""
    entry = r.book.IRREGULARITIES[situation]
    action, paragraph, ruling = entry.action, entry.paragraph, entry.ruling
    if action == policy.TURN_DOWN and r.table.deal.cards == ONE_BY_ONE and is_first_card(r, situation):
        action = policy.VOID
        paragraph, ruling = r.book.FIRST_CARD_EXPOSED
    if action == policy.SECOND_VOIDS:
        r.exposed += 1
        action = policy.VOID if r.exposed > 1 else policy.PLAY_ON
    if action in (policy.CHOOSE, policy.ORDER_AND_CHOOSE) and r.state == "revealed":
        action = policy.ASK  # players who know the result are not asked

    if action == policy.VOID:
        ending.void_round(r, paragraph, ruling, out)
    elif action in (policy.VOID_UNLESS_MOVED, policy.VOID_UNLESS_REBUILT):
        if mended:
            # Put right, play goes on and nobody is asked.
            out.append(["reconstructed", situation, paragraph, ruling])
        else:
            ending.void_round(r, paragraph, ruling, out)
    elif action in (policy.PLAY_ON, policy.TURN_DOWN):
        out.append(["noted", situation, paragraph, ruling])
        if situation == "misdeal_handled":
            r.may_withdraw = r.book.PROCEDURE.permit is not None
    elif action == policy.CHOOSE:
        offer_choices(r, situation, mended, out)
    elif action in (policy.HAND_OUT, policy.HAND_OUT_AND_CHOOSE):
        take_hand_out(r, situation, place, mended, entry, out)
    elif action == policy.ORDER_AND_CHOOSE:
        freeze(r, "order", situation, r.book.PROCEDURE.ordering_role, paragraph, ruling, out)
    elif action in (policy.OUTCOME_OR_VOID, policy.OUTCOME_OR_WITHDRAW):
        decide_by_outcome(r, situation, action, ruling, out)
    else:
        ask_for_ruling(r, situation, entry, out)


def is_first_card(r, situation):
    if situation == "face_up_card":
        return sum(len(hand) for hand in r.hands.values()) == 1
    return r.exposed_first


def take_hand_out(r, situation, place, mended, entry, out):
    """A hand with the wrong number of cards goes out; the others choose where the book says so."""
    if entry.action == policy.HAND_OUT_AND_CHOOSE and mended:
        if r.state == "revealed":
            ask_for_ruling(r, situation, entry, out)
        else:
            offer_choices(r, situation, True, out)
        return
    out.append(["removed", place, entry.paragraph, entry.ruling])
    ending.return_box(r, place, entry.paragraph, entry.ruling, out)
    r.may_withdraw = r.book.PROCEDURE.permit is not None
    go_on(r, out)
    if entry.action == policy.HAND_OUT_AND_CHOOSE and r.state not in ("settled", "revealed"):
        offer_choices(r, situation, False, out)


def decide_by_outcome(r, situation, action, ruling, out):
    established, nothing, reading = r.book.OUTCOME
    decided = outcome.decided_bet(r) if r.state in CARDS_OUT else None
    if decided:
        bet, result = decided
        name = r.book.WAGERS[bet.place].name
        out.append(["outcome", bet.box, bet.player, name, result, established, reading])
    elif action == policy.OUTCOME_OR_VOID:
        ending.void_round(r, nothing, ruling, out)
    else:
        players = []
        for bet in r.in_play():
            if bet.player not in players:
                players.append(bet.player)
        offer(r, [(None, player) for player in players], situation, nothing, ruling, out)


# -- players choose


def offer_choices(r, situation, mended, out):
    """5.6: all players on the table, each for each of his boxes; one way to go on is offered (L-32)."""
    pairs = []
    for bet in r.in_play():
        pair = (bet.box, bet.player)
        # Whoever chose to go on takes whatever comes after; he has no second choice.
        if pair not in pairs and pair not in r.committed:
            pairs.append(pair)
    as_it_lies, as_put_right, _, reading = r.book.CHOICES
    offer(r, pairs, situation, as_put_right if mended else as_it_lies, reading, out)


def offer(r, pairs, situation, paragraph, ruling, out):
    if not pairs:
        out.append(["noted", situation, paragraph, ruling])
        return
    freeze(r, "choose", situation, "dealer", paragraph, ruling, out)
    r.pending = pairs
    for box, player in pairs:
        out.append(["offer", box, player, paragraph])


def need_choosing(r):
    if r.state != "frozen" or r.question[0] != "choose":
        raise Refused(None, "nobody is asked to choose now")


def verify_choose(r, e):
    need_choosing(r)
    if e["choice"] not in ("continue", "withdraw"):
        raise Refused(r.question[3], "choice: continue or withdraw")
    if (e["box"], e["player"]) not in r.pending:
        raise Refused(r.question[3], "this player is not asked to choose there")


def act_choose(r, e, out):
    pair = (e["box"], e["player"])
    r.pending.remove(pair)
    if e["choice"] == "continue":
        r.committed.append(pair)
    else:
        if e["box"] is None:
            # All his wagers on all positions or none (5.13.1, R-23).
            for box in range(1, r.table.boxes + 1):
                ending.return_box(r, box, r.question[3], r.question[4], out, e["player"])
        else:
            _, _, paragraph, reading = r.book.CHOICES
            ending.return_box(r, e["box"], paragraph, reading, out, e["player"])
        r.pending = [pair for pair in r.pending if has_bets(r, pair)]
    if not r.pending:
        thaw(r, r.question[3], out)


def has_bets(r, pair):
    return any(bet.player == pair[1] and pair[0] in (None, bet.box) for bet in r.in_play())


def verify_choices_done(r, e):
    need_choosing(r)


def act_choices_done(r, e, out):
    """Whoever gave no answer goes on (L-31)."""
    r.committed.extend(r.pending)
    r.pending = []
    thaw(r, r.question[3], out)


def verify_withdraw(r, e):
    permit = r.book.PROCEDURE.permit
    if not permit:
        raise Refused("X-03", "this book has no such right")
    r.need_box(e["box"])
    r.need_state(("dealing", "playing"), permit[0], "withdrawing")
    if not r.may_withdraw:
        raise Refused(permit[0], "there is nothing to be dissatisfied with")
    r.need_role(e["by"], r.book.PROCEDURE.permit_role, permit[0])
    if not has_bets(r, (e["box"], e["player"])):
        raise Refused(None, "this player has no bet on this box")


def act_withdraw(r, e, out):
    paragraph, ruling = r.book.PROCEDURE.permit
    ending.return_box(r, e["box"], paragraph, ruling, out, e["player"])
    go_on(r, out)


# -- staff rule


def verify_ruling(r, e):
    if r.state != "frozen" or r.question[0] == "choose":
        raise Refused(None, "no ruling is asked for")
    kind, _, role, paragraph, ruling = r.question
    decision = e["decision"]
    if kind == "order":
        r.need_role(e["by"], role, paragraph)
        if decision != "order":
            raise Refused(paragraph, "decision: order, with the order of the cards as text")
        return
    gap = r.book.PROCEDURE.gap
    r.need_role(e["by"], r.book.PROCEDURE.gap_role, gap[0] or gap[1])
    if decision not in ("continue", "void", "hand_out", "fold"):
        raise Refused(paragraph or ruling, "decision: continue, void, hand_out or fold")
    if decision in ("hand_out", "fold"):
        if e["box"] is None:
            raise Refused(None, "box: which one")
        r.need_box(e["box"])
        if e["box"] not in r.order or e["box"] in r.removed:
            raise Refused(None, "box: it has no hand in play")
        if r.resume == "settled":
            raise Refused(None, "decision: the round is settled; continue or void")
    if decision == "fold" and not any(wager.on_decision for wager in r.book.WAGERS):
        raise Refused(None, "decision: this book has no fold")
    if decision == "fold" and (r.resume != "deciding" or e["box"] in r.decisions):
        raise Refused("3.8", "decision: this box has nothing to fold")


def act_ruling(r, e, out):
    kind, situation, _, _paragraph, _ruling = r.question
    decision = e["decision"]
    if kind == "order":
        r.state = r.resume
        offer_choices(r, situation, False, out)
        return
    gap_paragraph, gap_ruling = r.book.PROCEDURE.gap
    if decision == "void":
        r.state = r.resume
        ending.void_round(r, gap_paragraph, gap_ruling, out)
        return
    if decision == "hand_out":
        out.append(["removed", e["box"], gap_paragraph, gap_ruling])
        ending.return_box(r, e["box"], gap_paragraph, gap_ruling, out)
    elif decision == "fold":
        r.decisions[e["box"]] = "fold"
    thaw(r, gap_paragraph, out)


# -- told or detected by themselves


def verify_cards_counted(r, e):
    state = r.resume if r.state == "frozen" else r.state
    if state not in ("closed",) + CARDS_OUT:
        raise Refused(None, "there is no round whose cards could be counted")
    if e["by"] is not None:
        r.need_role(e["by"], "dealer", None)
    right = e["count"] == cards.DECK_SIZE
    if state == "settled" and not right and r.book.IRREGULARITIES["deck_count"].later != policy.STANDS:
        r.need_role(e["by"], "pit_supervisor", r.book.PROCEDURE.reversal)


def act_cards_counted(r, e, out):
    """The dealer counts by hand; a wrong number voids the round (R 5.9)."""
    if e["count"] == cards.DECK_SIZE:
        out.append(["noted", "cards_counted", r.book.IRREGULARITIES["deck_count"].paragraph, None])
        return
    if r.state == "frozen":
        r.question = None
        r.pending = []
        r.enter(r.resume, None, out)
    if r.state == "settled":
        found_after(r, "deck_count", None, False, out)
    else:
        meet(r, "deck_count", None, False, out)


def verify_power_failure(r, e):
    pass


def act_power_failure(r, e, out):
    """The power was gone and is back. What waited for an answer still waits."""
    if r.state in ("idle", "settled", "void", "frozen"):
        r.power_failed = r.state == "frozen"
        out.append(["noted", "power_failure", r.book.IRREGULARITIES["power_failure"].paragraph, None])
    else:
        meet(r, "power_failure", None, False, out)


def verify_exchanged(r, e):
    r.need_state(("dealing", "playing", "deciding"), None, "exchanging cards")
    if not r.misdealt:
        raise Refused(None, "no misdeal was reported")
    r.need_role(e["by"], "pit_supervisor", None)
    for field in ("card", "with"):
        if find_card(r, e[field])[1] is None:
            raise Refused(None, field + ": no such card was dealt")
    if e["card"] == e["with"]:
        raise Refused(None, "with: it must be another card")


def act_exchanged(r, e, out):
    """Two cards lie in each other's place, and stay there: the hands are as they lie."""
    place, card = find_card(r, e["card"])
    other_place, other = find_card(r, e["with"])
    at = r.hands[place].index(card)
    other_at = r.hands[other_place].index(other)
    r.hands[place][at] = other
    r.hands[other_place][other_at] = card
    out.append(["dealt", place, e["with"]])
    out.append(["dealt", other_place, e["card"]])


HANDLERS = {
    "irregularity": (verify_irregularity, act_irregularity),
    "cards_counted": (verify_cards_counted, act_cards_counted),
    "power_failure": (verify_power_failure, act_power_failure),
    "choose": (verify_choose, act_choose),
    "choices_done": (verify_choices_done, act_choices_done),
    "withdraw": (verify_withdraw, act_withdraw),
    "ruling": (verify_ruling, act_ruling),
    "exchanged": (verify_exchanged, act_exchanged),
}
