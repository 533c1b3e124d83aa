"""What a round does about each irregularity, by its own book's table.

Where the book is silent the round freezes and asks for a ruling by the post that the reading names; it
never guesses. What is answered is in `answers.py`.
"""

from collections import namedtuple

from shared.round import bets, deal, decided_bets, ending, refunds, states
from shared.round.betting import waiting
from shared.round.events import Refused
from shared.rules import cards, policy
from shared.rules.rulebook import ONE_BY_ONE

# What a frozen round waits for, from whom, and where that stands.
Question = namedtuple("Question", ("kind", "situation", "role", "paragraph", "ruling"))

NEEDS_CARDS = ("misdeal", "wrong_count", "exposed_card")
MENDABLE = (policy.VOID_UNLESS_MOVED, policy.VOID_UNLESS_REBUILT, policy.HAND_OUT_AND_CHOOSE)
# What a card in doubt may turn out to be.
ABOUT_CARDS = ("foreign_card", "deck_count", "not_shuffled", "misdeal", "wrong_count", "other")


# -- freezing and going on


def freeze(r, kind, situation, role, paragraph, ruling, out):
    """Stop until somebody answers."""
    r.resume = r.state
    r.question = Question(kind, situation, role, paragraph, ruling)
    r.state = states.FROZEN
    out.append(["ask", kind, situation, role, paragraph, ruling])


def thaw(r, paragraph, out):
    """Back to where the round stopped. This is the only way out of frozen, but for a void round."""
    r.question = None
    r.pending = []
    r.enter(r.resume, paragraph, out)


def resume_play(r, paragraph, out):
    """Go on, and do what waited for it: the end of the deal or of the round, and a power failure."""
    thaw(r, paragraph, out)
    go_on(r, out)
    meet_power_failure(r, out)


def meet_power_failure(r, out):
    """What the book says of a power failure that came while the round waited comes when it goes on."""
    if r.power_failed and r.state in states.IN_ROUND and r.state != states.SETTLED:
        r.power_failed = False
        meet(r, "power_failure", None, False, out)


def go_on(r, out):
    """After bets or hands went out: the round ends if nobody is left, and the deal may be complete."""
    if r.state in states.NO_ROUND or r.state == states.FROZEN:
        return
    if r.state != states.BETTING and not [box for box in r.order if box not in r.removed]:
        ending.conclude(r, out)
    elif r.state == states.DEALING:
        deal.finish_deal(r, out)


def alarm(r, situation, out):
    """A card that cannot be: the reader may be wrong, so staff look before anything follows."""
    situation = situation_of(r, situation, None)
    entry = r.book.IRREGULARITIES[situation]
    freeze(r, states.CHECK, situation, "dealer", entry.paragraph, entry.ruling, out)


# -- reports


def verify_irregularity(r, e):
    kind = e["kind"]
    if kind not in policy.KINDS:
        raise Refused(None, "no_such_kind", kind)
    if e["by"] is not None:
        r.need_role(e["by"], "dealer", None)
    if e["round"] is not None:
        if not 1 <= e["round"] <= r.number:
            raise Refused(None, "number_expected", "round", 1, r.number)
        if e["round"] < r.number:
            return  # an earlier round stands; that is noted and nothing else
    situation = situation_of(r, kind, e["place"])
    entry = r.book.IRREGULARITIES[situation]
    if r.state == states.FROZEN and not may_interrupt(r, kind, entry):
        raise waiting(r)
    state = r.resume if r.state == states.FROZEN else r.state
    if state not in states_of(kind):
        raise Refused(None, "not_possible_now", state)
    if kind == "wrong_count":
        if e["place"] is None:
            raise Refused(None, "missing", "place")
        if e["place"]:
            r.need_box(e["place"])
            if e["place"] not in r.order or e["place"] in r.removed:
                raise Refused(None, "no_hand_in_play", e["place"])
    if kind == "exposed_card" and state != states.SETTLED:
        if e["card"] is None:
            raise Refused(None, "missing", "card")
        place, card = find_card(r, e["card"])
        if card is None:
            raise Refused(None, "card_not_dealt", "card")
        if place in r.shown:
            raise Refused(None, "face_up")
    if kind == "left":
        if e["player"] is None:
            raise Refused(None, "missing", "player")
        if not any(bet.player == e["player"] and (bet.cents or state == states.SETTLED) for bet in r.bets):
            raise Refused(None, "no_such_bet")
    if state == states.SETTLED and entry.later != policy.STANDS:
        # Payments are taken back only under supervision.
        r.need_role(e["by"], "pit_supervisor", r.book.PROCEDURE.reversal)


def states_of(kind):
    """The states in which an irregularity of this kind can be."""
    if kind == "too_few_cards":
        return states.CLOSED, states.DEALING
    if kind == "drawn_together":
        return (states.CLOSED,) + states.CARDS_OUT
    return states.CARDS_OUT if kind in NEEDS_CARDS else states.IN_ROUND


def may_interrupt(r, kind, entry):
    """What voids a round does so though it waits; a card in doubt may be explained. Nothing else."""
    if r.question.kind == states.CHECK and kind in ABOUT_CARDS:
        return True
    if r.resume == states.SETTLED:
        return entry.later == policy.REVERSE
    return entry.action == policy.VOID


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
    waited = r.state == states.FROZEN
    if waited:
        thaw(r, None, out)
    situation = situation_of(r, e["kind"], e["place"])
    if e["kind"] in ("misdeal", "drawn_together"):
        r.misdealt = True
    if r.state == states.SETTLED:
        found_after(r, situation, e["place"], e["mended"], out)
        return
    place = e["place"]
    if e["kind"] == "exposed_card":
        place, card = find_card(r, e["card"])
        if card in deal.exposed(r):
            # The same card seen again is not a second one.
            out.append(["noted", situation, r.book.IRREGULARITIES[situation].paragraph, None])
            return
        deal.expose(r, card, out)
    meet(r, situation, place, e["mended"], out, e["card"])
    if waited:
        meet_power_failure(r, out)


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
        refunds.reverse_payments(r, place, out)
        refunds.return_box(r, place, entry.paragraph, entry.ruling, out)
    else:
        refunds.void_round(r, entry.paragraph, entry.ruling, out)


def ask_for_ruling(r, situation, entry, out):
    freeze(r, states.RULING, situation, r.book.PROCEDURE.gap_role, entry.paragraph, entry.ruling, out)


def meet(r, situation, place, mended, out, card=None):
    """Do what the book says about a situation in the running round."""
    entry = r.book.IRREGULARITIES[situation]
    action, paragraph, ruling = entry.action, entry.paragraph, entry.ruling
    first = r.book.PROCEDURE.first_card_exposed
    if action == policy.TURN_DOWN and first and is_first_of_manual_deal(r, card):
        action = policy.VOID
        paragraph, ruling = first
    if action == policy.SECOND_VOIDS:
        # During the deal; of cards seen later the book says nothing.
        r.exposures += 1
        action = policy.VOID if r.exposures > 1 else policy.PLAY_ON
        if r.state != states.DEALING:
            action = policy.ASK
    if action in (policy.CHOOSE, policy.ORDER_AND_CHOOSE) and r.state == states.REVEALED:
        action = policy.ASK  # players who know the result are not asked

    if action == policy.VOID:
        refunds.void_round(r, paragraph, ruling, out)
    elif action in (policy.VOID_UNLESS_MOVED, policy.VOID_UNLESS_REBUILT):
        if mended:
            # Put right, play goes on and nobody is asked.
            out.append(["reconstructed", situation, paragraph, ruling])
        else:
            refunds.void_round(r, paragraph, ruling, out)
    elif action in (policy.PLAY_ON, policy.TURN_DOWN):
        out.append(["noted", situation, paragraph, ruling])
        if situation == "misdeal_handled":
            r.may_withdraw = r.book.PROCEDURE.permit is not None
    elif action == policy.CHOOSE:
        offer_choices(r, situation, mended, out)
    elif action in (policy.HAND_OUT, policy.HAND_OUT_AND_CHOOSE):
        take_hand_out(r, situation, place, mended, entry, out)
    elif action == policy.ORDER_AND_CHOOSE:
        freeze(r, states.ORDER, situation, r.book.PROCEDURE.ordering_role, paragraph, ruling, out)
    elif action in (policy.OUTCOME_OR_VOID, policy.OUTCOME_OR_WITHDRAW):
        decide_by_outcome(r, situation, action, ruling, out)
    else:
        ask_for_ruling(r, situation, entry, out)


def is_first_of_manual_deal(r, card):
    """Whether this card was the first to come from a manual device, and the deal still goes on."""
    return r.table.deal.cards == ONE_BY_ONE and r.state == states.DEALING and cards.parse(card) == r.first_card


def take_hand_out(r, situation, place, mended, entry, out):
    """A hand with the wrong number of cards goes out; the others choose where the book says so."""
    if entry.action == policy.HAND_OUT_AND_CHOOSE and mended:
        if r.state == states.REVEALED:
            ask_for_ruling(r, situation, entry, out)
        else:
            offer_choices(r, situation, True, out)
        return
    out.append(["removed", place, entry.paragraph, entry.ruling])
    refunds.return_box(r, place, entry.paragraph, entry.ruling, out)
    r.may_withdraw = r.book.PROCEDURE.permit is not None
    go_on(r, out)
    if entry.action == policy.HAND_OUT_AND_CHOOSE and r.state not in (states.SETTLED, states.REVEALED):
        offer_choices(r, situation, False, out)


def decide_by_outcome(r, situation, action, ruling, out):
    established, nothing, reading = r.book.OUTCOME
    decided = decided_bets.decided_bet(r) if r.state in states.CARDS_OUT else None
    if decided:
        bet, result = decided
        name = r.book.WAGERS[bet.place].name
        out.append(["outcome", bet.box, bet.player, name, result, established, reading])
    elif action == policy.OUTCOME_OR_VOID:
        refunds.void_round(r, nothing, ruling, out)
    else:
        pairs = [(None, player) for player in bets.players_of(r.in_play())]
        offer(r, pairs, situation, nothing, ruling, out)


# -- players choose


def offer_choices(r, situation, mended, out):
    """All players on the table, each for each of his boxes; one way to go on is offered."""
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
    freeze(r, states.CHOOSE, situation, "dealer", paragraph, ruling, out)
    r.pending = pairs
    for box, player in pairs:
        out.append(["offer", box, player, paragraph])


# -- told or detected by themselves


def verify_cards_counted(r, e):
    state = r.resume if r.state == states.FROZEN else r.state
    if state not in (states.CLOSED,) + states.CARDS_OUT:
        raise Refused(None, "not_possible_now", state)
    if e["by"] is not None:
        r.need_role(e["by"], "dealer", None)
    if e["count"] == cards.DECK_SIZE:
        return
    entry = r.book.IRREGULARITIES["deck_count"]
    if r.state == states.FROZEN and not may_interrupt(r, "deck_count", entry):
        raise waiting(r)
    if state == states.SETTLED and entry.later != policy.STANDS:
        r.need_role(e["by"], "pit_supervisor", r.book.PROCEDURE.reversal)


def act_cards_counted(r, e, out):
    """The dealer counts by hand; a wrong number voids the round."""
    if e["count"] == cards.DECK_SIZE:
        out.append(["noted", "cards_counted", r.book.IRREGULARITIES["deck_count"].paragraph, None])
        return
    if r.state == states.FROZEN:
        thaw(r, None, out)
    if r.state == states.SETTLED:
        found_after(r, "deck_count", None, False, out)
    else:
        meet(r, "deck_count", None, False, out)


def verify_power_failure(r, e):
    pass


def act_power_failure(r, e, out):
    """The power was gone and is back. What waited for an answer still waits."""
    if r.state in states.NO_ROUND or r.state == states.FROZEN:
        r.power_failed = r.state == states.FROZEN
        out.append(["noted", "power_failure", r.book.IRREGULARITIES["power_failure"].paragraph, None])
    else:
        meet(r, "power_failure", None, False, out)


def verify_exchanged(r, e):
    r.need_state(states.CARDS_DOWN, None)
    if not r.misdealt:
        raise Refused(None, "no_misdeal_told")
    r.need_role(e["by"], "pit_supervisor", None)
    for field in ("card", "with"):
        place, card = find_card(r, e[field])
        if card is None:
            raise Refused(None, "card_not_dealt", field)
        if place in r.removed:
            raise Refused(None, "card_not_dealt", field)
    if e["card"] == e["with"]:
        raise Refused(None, "one_card_twice")


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
    for changed in (place, other_place):
        if changed in r.shown and place != other_place:
            # The table saw what really lies there.
            out.append(["shown", changed, [cards.text(one) for one in r.hands[changed]]])


HANDLERS = {
    "irregularity": (verify_irregularity, act_irregularity),
    "cards_counted": (verify_cards_counted, act_cards_counted),
    "power_failure": (verify_power_failure, act_power_failure),
    "exchanged": (verify_exchanged, act_exchanged),
}
