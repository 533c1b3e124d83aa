"""The deal: whose the next card is, when it is complete, and which cards the table has seen."""

from shared.round.events import Refused
from shared.round.states import CLOSED, DEALING, DECIDING, FOLD, PLAYING
from shared.rules import cards
from shared.rules.rulebook import SETS_OF_THREE

DEALER = 0


def places(r):
    """Who still gets cards, in the order of the deal: the boxes in play, then the dealer."""
    return [box for box in r.order if box not in r.removed] + [DEALER]


def held(r, place):
    return len(r.hands.get(place, ()))


def next_place(r):
    """After the deal too, if a card turned out to lie in another hand and one is missing from this."""
    if r.state not in (CLOSED, DEALING, PLAYING, DECIDING) or not r.order:
        return None
    # In sets of three a hand is complete before the next one begins; else the first with fewest cards is next.
    in_sets = r.table.deal.cards == SETS_OF_THREE
    fewest = 3
    found = None
    hands = r.hands
    for place in places(r):
        count = len(hands[place]) if place in hands else 0
        if count < fewest and r.decisions.get(place) != FOLD:
            if in_sets or not count:
                return place
            found, fewest = place, count
    return found


def cards_needed(r):
    return sum([max(0, 3 - held(r, place)) for place in places(r)])


def need_three_cards(r):
    """Of every hand that will be compared."""
    for place in places(r):
        if held(r, place) != 3 and r.decisions.get(place) != FOLD:
            raise Refused(r.table.deal.paragraph, "not_three_cards", place, held(r, place))


def is_known(r, place):
    """Whether the hand has three cards, each with its name."""
    return held(r, place) == 3 and cards.UNKNOWN not in r.hands[place]


def find_card(r, card):
    """The place where a card lies, None if it lies in no hand."""
    for place, hand in r.hands.items():
        if card in hand:
            return place
    return None


def expose(r, card, out):
    """The table has seen this card, even if it is turned down again (X-10)."""
    r.seen.append(card)
    out.append(["seen", cards.text(card)])


def is_dealer_open(r):
    """Whether the table has seen the dealer's whole hand, shown or turned up card by card."""
    seen = exposed(r)
    return held(r, DEALER) >= 3 and all(card in seen for card in r.hands[DEALER])


def exposed(r):
    """Every card that the table has seen: singly, or in a hand that lies face up."""
    found = list(r.seen)
    for place in r.shown:
        for card in r.hands.get(place, ()):
            if card not in found and card != cards.UNKNOWN:
                found.append(card)
    return found


def finish_deal(r, out):
    if next_place(r) is None:
        decides = any(wager.on_decision for wager in r.book.WAGERS)
        r.enter(DECIDING if decides else PLAYING, r.table.deal.paragraph, out)


def undecided(r):
    """Boxes whose players still have to play or fold, clockwise."""
    return [box for box in r.order if box not in r.removed and box not in r.decisions]


def unshown(r):
    """Boxes whose hand is in play and not face up yet."""
    return [
        box for box in r.order if box not in r.removed and box not in r.shown and r.decisions.get(box) != FOLD
    ]
