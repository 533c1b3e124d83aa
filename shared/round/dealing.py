"""Cards as they come from the device, and those that cannot be.

What such a card leads to seldom happens, so its module is loaded when it does: a Pico has little room.
"""

from shared.round.deal import cards_needed, expose, find_card, finish_deal, next_place
from shared.round.playing import show_again
from shared.round.states import CLOSED, DEALING, DECIDING, PLAYING
from shared.rules import cards


def verify_card(r, e):
    # A card that comes when none is due lies on the table all the same: it is taken, and asked about.
    r.need_state((CLOSED, DEALING, PLAYING, DECIDING), r.table.deal.paragraph)


def act_card(r, e, out):
    card = cards.UNKNOWN
    if e["card"] != cards.UNREAD:
        try:
            card = cards.parse(e["card"])
        except ValueError:
            irregularities().alarm(r, "foreign_card", out)
            return
        if card in r.loose or find_card(r, card) is not None:
            irregularities().alarm(r, "deck_count", out)
            return
    place = next_place(r)
    if place is None:
        # It lies somewhere all the same; staff can say where.
        r.loose.append(card)
        r.doubtful = card
        irregularities().alarm(r, "misdeal", out)
        return
    is_first = r.first_card is None
    deal_card(r, card, place, out)
    if e["up"]:
        if card == cards.UNKNOWN:
            r.unread_open.append(place)
        else:
            expose(r, card, out)
        irregularities().meet(r, "face_up_card", place, None, out, card if is_first or card >= 0 else None)
    if r.state == DEALING:
        finish_deal(r, out)


def deal_card(r, card, place, out):
    if r.state == CLOSED:
        r.enter(DEALING, r.table.deal.paragraph, out)
    elif r.resume == CLOSED:
        r.resume = DEALING  # entered while the round waits
    r.hands.setdefault(place, []).append(card)
    if r.first_card is None:
        r.first_card = card
        r.first_place = place
    out.append(["dealt", place, cards.text(card)])
    if place in r.shown:
        show_again(r, place, out)


def verify_cards_left(r, e):
    r.need_state((CLOSED, DEALING), r.table.deal.paragraph)


def act_cards_left(r, e, out):
    if e["count"] < cards_needed(r):
        irregularities().meet(r, "too_few_cards", None, None, out)


def irregularities():
    from shared.round import irregularities as module

    return module


HANDLERS = {
    "card": (verify_card, act_card),
    "cards_left": (verify_cards_left, act_cards_left),
}
