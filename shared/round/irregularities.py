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

NEEDS_CARDS = ("misdeal", "wrong_count")
# What single cards put back in order put right as well as complete hands that were moved.
RESTORABLE = (policy.VOID_UNLESS_REBUILT, policy.VOID_OR_CHOOSE, policy.HAND_OUT_AND_CHOOSE)
# What does not count as the first card of a deal, exposed by the dealer.
LATER = ("exposed_later", "own_card")
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
    r.doubtful = None
    r.enter(r.resume, paragraph, out)


def resume_play(r, paragraph, out):
    thaw(r, paragraph, out)
    meet_postponed(r, out)


def postpone(r, situation, place, card):
    """What happens while the round waits is met when it goes on (X-16)."""
    if (situation, place, card) not in r.postponed:
        r.postponed.append((situation, place, card))


def meet_postponed(r, out):
    """Do what waited for the answer: the end of the deal or of the round, and what happened meanwhile."""
    go_on(r, out)
    if r.state == states.SETTLED and not r.paid:
        r.postponed = []  # nobody has a bet
    while r.postponed and r.state in states.IN_ROUND:
        situation, place, card = r.postponed.pop(0)
        meet_now(r, situation, place, None, out, card)


def meet_now(r, situation, place, put_right, out, card=None):
    if r.state == states.SETTLED:
        found_after(r, situation, place, put_right, out)
    else:
        meet(r, situation, place, put_right, out, card)


def go_on(r, out):
    """After bets or hands went out: the round ends if nobody is left, and the deal may be complete."""
    if r.state in states.NO_ROUND or r.state == states.FROZEN:
        return
    if r.order and not [box for box in r.order if box not in r.removed]:
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
    if e["put_right"] not in (None, policy.MOVED, policy.RESTORED):
        raise Refused("X-23", "no_such_choice", e["put_right"])
    if e["round"] is not None:
        if not 1 <= e["round"] <= r.number:
            raise Refused(None, "number_expected", "round", 1, r.number)
        if e["round"] < r.number:
            return  # an earlier round stands; that is noted and nothing else
    situation = situation_of(r, kind, e["place"])
    entry = r.book.IRREGULARITIES[situation]
    if r.state == states.FROZEN and not may_interrupt(r, kind, entry):
        raise waiting(r)
    state = r.stage()
    if state not in states_of(kind) and not explains_card(r, kind):
        raise Refused(None, "not_possible_now", state)
    if kind == "wrong_count":
        if e["place"] is None:
            raise Refused(None, "missing", "place")
        if e["place"]:
            r.need_box(e["place"])
            if e["place"] not in r.order or e["place"] in r.removed:
                raise Refused(None, "no_hand_in_play", e["place"])
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


def explains_card(r, kind):
    """Whether this answers what a card in doubt is; one may be drawn before there is a bet."""
    return r.state == states.FROZEN and r.question.kind == states.CHECK and kind in ABOUT_CARDS


def may_interrupt(r, kind, entry):
    """What voids a round does so though it waits; a card in doubt may be explained. Nothing else."""
    if explains_card(r, kind):
        return True
    if r.resume == states.SETTLED:
        return entry.later == policy.REVERSE
    return entry.action == policy.VOID


def situation_of(r, kind, place):
    """Touching counts until the irregularity is reported (X-19)."""
    if kind not in ("misdeal", "wrong_count"):
        return kind
    if kind == "wrong_count" and place == deal.DEALER:
        kind = "dealer_count"
    return kind + "_handled" if r.handled else kind


def act_irregularity(r, e, out):
    if e["round"] is not None and e["round"] < r.number:
        paragraph, ruling = r.book.PROCEDURE.past_stands
        out.append(["noted", e["kind"], paragraph, ruling])
        return
    report(r, situation_of(r, e["kind"], e["place"]), e["place"], e["put_right"], out)


def report(r, situation, place, put_right, out):
    """Staff say what it is, perhaps as the answer to a question."""
    if r.state == states.FROZEN:
        thaw(r, None, out)
    meet_now(r, situation, place, put_right, out)
    meet_postponed(r, out)


def is_put_right(action, put_right):
    if action == policy.VOID_UNLESS_MOVED:
        return put_right == policy.MOVED
    return put_right is not None and action in RESTORABLE


def found_after(r, situation, place, put_right, out):
    """Found between settlement and the next opening."""
    entry = r.book.IRREGULARITIES[situation]
    if entry.later == policy.ASK:
        ask_for_ruling(r, situation, entry, out)
    elif entry.later == policy.STANDS or is_put_right(entry.action, put_right):
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


def meet(r, situation, place, put_right, out, card=None):
    """Do what the book says about a situation in the running round."""
    entry = r.book.IRREGULARITIES[situation]
    action, paragraph, ruling = entry.action, entry.paragraph, entry.ruling
    first = r.book.PROCEDURE.first_card_exposed
    manual = r.table.deal.cards == ONE_BY_ONE
    if action == policy.TURN_DOWN and first and manual and card == r.first_card and situation not in LATER:
        action = policy.VOID
        paragraph, ruling = first
    if action == policy.SECOND_VOIDS:
        r.exposures += 1
        action = policy.VOID if r.exposures > 1 else policy.PLAY_ON
    right = is_put_right(action, put_right)
    if action == policy.VOID_OR_CHOOSE and right:
        action = policy.CHOOSE  # put right, it is a dealing error that does not void
    if action in (policy.CHOOSE, policy.ORDER_AND_CHOOSE) and is_result_known(r):
        action = policy.ASK  # players who know the result are not asked

    if action in (policy.VOID_UNLESS_MOVED, policy.VOID_UNLESS_REBUILT) and right:
        # Put right, play goes on and nobody is asked.
        out.append(["reconstructed", situation, paragraph, ruling])
    elif action in (policy.VOID, policy.VOID_UNLESS_MOVED, policy.VOID_UNLESS_REBUILT, policy.VOID_OR_CHOOSE):
        refunds.void_round(r, paragraph, ruling, out)
    elif action in (policy.PLAY_ON, policy.TURN_DOWN):
        out.append(["noted", situation, paragraph, ruling])
        if situation == "misdeal_handled":
            r.may_withdraw = r.book.PROCEDURE.permit is not None
    elif action == policy.CHOOSE:
        offer_choices(r, situation, put_right is not None, out)
    elif action in (policy.HAND_OUT, policy.HAND_OUT_AND_CHOOSE):
        take_hand_out(r, situation, place, right, entry, out)
    elif action == policy.ORDER_AND_CHOOSE:
        freeze(r, states.ORDER, situation, r.book.PROCEDURE.ordering_role, paragraph, ruling, out)
    elif action in (policy.OUTCOME_OR_VOID, policy.OUTCOME_OR_WITHDRAW):
        decide_by_outcome(r, situation, action, ruling, False, out)
    else:
        ask_for_ruling(r, situation, entry, out)


def is_result_known(r):
    return r.state == states.REVEALED or deal.is_dealer_open(r)


def take_hand_out(r, situation, place, right, entry, out):
    """A hand with the wrong number of cards goes out; the others choose where the book says so."""
    if entry.action == policy.HAND_OUT_AND_CHOOSE and right:
        choose_or_ask(r, situation, True, entry, out)
        return
    out.append(["removed", place, entry.paragraph, entry.ruling])
    refunds.return_box(r, place, entry.paragraph, entry.ruling, out)
    r.may_withdraw = r.book.PROCEDURE.permit is not None
    go_on(r, out)
    if entry.action == policy.HAND_OUT_AND_CHOOSE and r.state != states.SETTLED:
        choose_or_ask(r, situation, False, entry, out)


def choose_or_ask(r, situation, right, entry, out):
    """Nobody chooses once the dealer's hand is in view; the manager rules (X-13)."""
    if is_result_known(r):
        ask_for_ruling(r, situation, entry, out)
    else:
        offer_choices(r, situation, right, out)


def decide_by_outcome(r, situation, action, ruling, told, out):
    """`told` if staff have said which cards lie open; before that, no bet is given up as undecided."""
    established, nothing, reading = r.book.OUTCOME
    decided = decided_bets.decided_bet(r) if r.state in states.CARDS_OUT else None
    if decided:
        bet, result = decided
        name = r.book.WAGERS[bet.place].name
        out.append(["outcome", bet.box, bet.player, name, result, established, reading])
    elif not told and has_unseen_cards(r):
        freeze(r, states.TELL, situation, "dealer", r.book.IRREGULARITIES[situation].paragraph, ruling, out)
    elif action == policy.OUTCOME_OR_VOID:
        refunds.void_round(r, nothing, ruling, out)
    elif is_result_known(r):
        ask_for_ruling(r, situation, r.book.IRREGULARITIES[situation], out)
    else:
        pairs = [(None, player) for player in bets.players_of(r.in_play())]
        offer(r, pairs, situation, nothing, ruling, out)


def has_unseen_cards(r):
    """Whether a dealt card may lie open though nobody told it, or lies open without a name."""
    if r.state not in states.CARDS_OUT:
        return False
    seen = deal.exposed(r)
    return any(card not in seen for place in deal.places(r) for card in r.hands.get(place, ()))


# -- players choose


def offer_choices(r, situation, right, out):
    """All players on the table, each for each of his boxes; one way to go on is offered."""
    pairs = []
    for bet in r.in_play():
        pair = (bet.box, bet.player)
        # Whoever chose to go on takes whatever comes after; he has no second choice.
        if pair not in pairs and pair not in r.committed:
            pairs.append(pair)
    as_it_lies, as_put_right, _, reading = r.book.CHOICES
    offer(r, pairs, situation, as_put_right if right else as_it_lies, reading, out)


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
    state = r.stage()
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
    report(r, "deck_count", None, None, out)


def verify_power_failure(r, e):
    pass


def act_power_failure(r, e, out):
    """The power was gone and is back. What waited for an answer still waits."""
    if r.state == states.FROZEN and r.resume != states.SETTLED and r.question.kind != states.TELL:
        postpone(r, "power_failure", None, None)
    if r.is_over() or r.state == states.FROZEN:
        out.append(["noted", "power_failure", r.book.IRREGULARITIES["power_failure"].paragraph, None])
    else:
        meet(r, "power_failure", None, None, out)


def need_telling(r, e):
    if r.state != states.FROZEN or r.question.kind != states.TELL:
        raise Refused(None, "nobody_is_asked")
    if r.resume == states.SETTLED:
        r.need_role(e["by"], "pit_supervisor", r.book.PROCEDURE.reversal)
    elif e["by"] is not None:
        r.need_role(e["by"], "dealer", None)


def act_all_told(r, e, out):
    """Everything is told now: is a bet decided, does the settlement stand?"""
    _, situation, _, _, ruling = r.question
    thaw(r, None, out)
    entry = r.book.IRREGULARITIES[situation]
    if r.state == states.SETTLED and entry.later == policy.STANDS:
        # A wrong deal stands, but what was paid was not for these hands.
        ask_for_ruling(r, situation, entry, out)
    elif r.state == states.SETTLED:
        found_after(r, situation, None, None, out)
    else:
        decide_by_outcome(r, situation, entry.action, ruling, True, out)
    meet_postponed(r, out)


HANDLERS = {
    "irregularity": (verify_irregularity, act_irregularity),
    "cards_counted": (verify_cards_counted, act_cards_counted),
    "power_failure": (verify_power_failure, act_power_failure),
    "all_told": (need_telling, act_all_told),
}
