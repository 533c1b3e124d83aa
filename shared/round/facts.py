"""What really lies on the table, told by staff: where a card lies, that one lies open, that chips are gone.

Facts are never refused (X-20): they can be told from closing to the next opening, frozen or not. They change what
is known. Where a settlement rests on what was known before, the book says what becomes of it.
"""

from shared.round import bets, deal, dealing, ending, irregularities, refunds
from shared.round.corrections import check_part
from shared.round.events import Refused
from shared.round.playing import show_again
from shared.round.states import AFTER_CLOSING, DEALING, FROZEN, SETTLED, TELL, VOID
from shared.rules import cards


def need_after_closing(r):
    if r.stage() not in AFTER_CLOSING:
        raise Refused("X-20", "not_possible_now", r.stage())


def need_place(r, field, place):
    if place is not None and place > r.table.boxes:
        raise Refused(None, "number_expected", field, 0, r.table.boxes)


def need_teller(r, by):
    if by is not None:
        r.need_role(by, "dealer", None)


def read_card(word):
    if word == cards.UNREAD:
        return cards.UNKNOWN
    try:
        return cards.parse(word)
    except ValueError:
        raise Refused(None, "no_such_card", word)


# -- where a card lies


def verify_lies(r, e):
    need_after_closing(r)
    r.need_role(e["by"], r.table.posts["cards"], "X-20")
    need_place(r, "place", e["place"])
    card = read_card(e["card"])
    before = place_before(r, card, e["before"])
    if before is None and card not in r.loose:
        raise Refused(None, "card_not_dealt", "card")
    if before == e["place"]:
        raise Refused(None, "lies_there_already", e["card"])
    if r.stage() == SETTLED:
        r.need_role(e["by"], "pit_supervisor", r.book.PROCEDURE.reversal)


def place_before(r, card, told):
    """Where the table takes the card to lie. Of unknown cards it must be told which one is meant."""
    if card != cards.UNKNOWN:
        return deal.find_card(r, card)
    return told if card in r.hands.get(told, ()) else None


def act_lies(r, e, out):
    """The hands are as they lie. Without a place the card lies in no hand."""
    card = read_card(e["card"])
    before, place = place_before(r, card, e["before"]), e["place"]
    (r.loose if before is None else r.hands[before]).remove(card)
    if place is None:
        r.loose.append(card)
    else:
        r.hands.setdefault(place, []).append(card)
    out.append(["lies", e["card"], before, place])
    changed = [one for one in (before, place) if one is not None]
    for one in changed:
        if one in r.shown:
            show_again(r, one, out)
    if r.state == DEALING:
        deal.finish_deal(r, out)
    elif r.stage() == SETTLED and r.paid and any(one in deal.places(r) for one in changed):
        # Paid on hands that lay otherwise. Once all of it is told, the book says what becomes of that.
        situation = irregularities.situation_of(r, "misdeal", None)
        entry = r.book.IRREGULARITIES[situation]
        if r.state == SETTLED:
            irregularities.freeze(r, TELL, situation, "pit_supervisor", entry.paragraph, entry.ruling, out)
        elif r.question.kind != TELL and r.question.situation != situation:
            irregularities.postpone(r, situation, None, None)


# -- a card that the reader missed or could not read


def verify_entered(r, e):
    need_after_closing(r)
    r.need_role(e["by"], r.table.posts["cards"], "X-25")
    need_place(r, "place", e["place"])
    card = read_card(e["card"])
    if card == cards.UNKNOWN:
        raise Refused(None, "no_such_card", e["card"])
    place = e["place"]
    if holds_unknown(r, place):
        # Nobody looks at a card that lies face down to name it.
        if place not in r.shown:
            raise Refused("X-22", "named_when_shown", place)
    elif entered_place(r, place) is None:
        raise Refused("X-25", "no_card_missing")
    need_no_double(r, card, e["card"])


def holds_unknown(r, place):
    return cards.UNKNOWN in r.hands.get(place, ())


def is_double(r, card):
    return card in r.loose or deal.find_card(r, card) is not None


def need_no_double(r, card, word):
    if r.state == FROZEN and is_double(r, card):
        raise Refused("X-22", "card_lies_elsewhere", word)  # the round can ask about it once it goes on


def ask_about_double(r, out):
    """One card in two places: the reader, or the telling, may be wrong."""
    if r.state == VOID:
        entry = r.book.IRREGULARITIES["deck_count"]
        out.append(["noted", "deck_count", entry.paragraph, entry.ruling])
    else:
        irregularities.alarm(r, "deck_count", out)


def entered_place(r, place):
    """Where a card is missing: in this hand in play, or where the next one belongs."""
    if place is None:
        return deal.next_place(r)
    is_missing = r.stage() != VOID and place in deal.places(r) and deal.held(r, place) < 3
    return place if is_missing and r.order else None


def act_entered(r, e, out):
    card, place = read_card(e["card"]), e["place"]
    if is_double(r, card):
        ask_about_double(r, out)
    elif holds_unknown(r, place):
        name_unknown(r, place, card, out)
    else:
        dealing.deal_card(r, card, entered_place(r, place), out)
        if r.state == DEALING:
            deal.finish_deal(r, out)


def name_unknown(r, place, card, out):
    hand = r.hands[place]
    at = hand.index(cards.UNKNOWN)
    hand[at] = card
    if at == 0 and place == r.first_place and r.first_card == cards.UNKNOWN:
        r.first_card = card
    out.append(["lies", cards.text(card), place, place])
    if place in r.shown:
        show_again(r, place, out)


# -- a card that lies open


def verify_turned(r, e):
    need_after_closing(r)
    need_teller(r, e["by"])
    need_place(r, "place", e["place"])
    card = read_card(e["card"])
    if card == cards.UNKNOWN:
        raise Refused(None, "no_such_card", e["card"])
    if is_named_by_turning(r, card, e["place"]):
        need_no_double(r, card, e["card"])
    elif not is_double(r, card):
        raise Refused(None, "card_not_dealt", "card")


def is_named_by_turning(r, card, place):
    """Whether it is the unknown card of this place that lies open, and has a name now."""
    return holds_unknown(r, place) and card not in r.hands[place]


def act_turned(r, e, out):
    card = read_card(e["card"])
    if is_named_by_turning(r, card, e["place"]):
        if is_double(r, card):
            ask_about_double(r, out)
            return
        name_unknown(r, e["place"], card, out)
        if e["place"] in r.unread_open:
            # It came face up, and that has had its consequence.
            r.unread_open.remove(e["place"])
            deal.expose(r, card, out)
            return
    place = deal.find_card(r, card)  # None if it lies in no hand
    stage = r.stage()
    own = any(bet.player == e["player"] for bet in r.by_box.get(place, ()))
    if own:
        r.handled = True
    situation = "own_card" if own else "exposed_card" if stage == DEALING else "exposed_later"
    is_seen = card in deal.exposed(r)
    if card not in r.seen:
        deal.expose(r, card, out)
    is_out = stage != DEALING and place not in deal.places(r)
    if is_seen or is_out or stage in (SETTLED, VOID):
        # Seen before, of a hand that is out, or told when the round is over: nothing follows from it.
        entry = r.book.IRREGULARITIES[situation]
        out.append(["noted", situation, entry.paragraph, entry.ruling])
    elif own and stage != DEALING:
        # Its own player may do that once the deal is over.
        out.append(["noted", situation, None, "X-15"])
    elif r.state == FROZEN:
        # When the power failed after the deal, a dealer may have been opening hands: that is no slip.
        if r.question.kind != TELL or stage == DEALING:
            irregularities.postpone(r, situation, place, card)
    else:
        irregularities.meet(r, situation, place, None, out, card)


# -- chips that are gone


def verify_chips_gone(r, e):
    need_after_closing(r)
    need_teller(r, e["by"])
    r.need_box(e["box"])
    place = bets.wager_place(r, e["wager"])
    bet = laid_bet(r, e["box"], e["player"], place)
    if bet is None:
        raise Refused(None, "no_such_bet")
    left = refunds.on_layout(r, bet)
    if not left:
        raise Refused(r.book.PROCEDURE.chips_gone[0], "chips_are_gone")
    check_part(r, e["cents"], left)


def laid_bet(r, box, player, place):
    """A player's bet of this round, in play or not any more."""
    for bet in r.by_box.get(box, ()):
        is_it = bet.player == player and bet.place == place
        if is_it and (bet.cents or bet.back or bets.settled_cents(r, bet)):
            return bet
    return None


def act_chips_gone(r, e, out):
    bet = laid_bet(r, e["box"], e["player"], bets.wager_place(r, e["wager"]))
    gone = bet.gone
    refunds.take_away(r, bet, e["cents"] if e["cents"] is not None else refunds.on_layout(r, bet), out)
    gone = bet.gone - gone
    if bet.cents or not gone:
        return
    # Settled before it was noticed.
    number = r.bets.index(bet)
    if any(paid[2] == number and not paid[4] for paid in r.paid):
        ending.tell_debt(r, bet, gone, out)
    else:
        bets.tell_kept(r, bet, gone, out)


HANDLERS = {
    "lies": (verify_lies, act_lies),
    "entered": (verify_entered, act_entered),
    "turned": (verify_turned, act_turned),
    "chips_gone": (verify_chips_gone, act_chips_gone),
}
