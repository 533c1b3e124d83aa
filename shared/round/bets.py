"""The bets on the table: whose they are, what they need beside them, and how they go back."""

from shared.round.events import Refused
from shared.round.states import BETTING
from shared.rules.policy import EACH_WAGER
from shared.rules.rulebook import NEEDS_MAIN_ON_BOX, NEEDS_NOTHING
from shared.rules.settlement import MAIN
from shared.values import const

# As many as a Pico has room for, with all that their settlement or their return writes.
_MOST_BETS = const(120)
_MOST_SEATS = const(100)


class Bet:
    """One player's wager on one box; `cents` is 0 once it is settled or given back.

    The class has what is seldom anything else, as a full table's bets are most of what a round takes on a Pico.
    """

    gone = 0  # cents of it that the player took away after closing
    back = 0  # cents that went back since closing, and that he does not hold already

    def __init__(self, box, player, place, cents):
        self.box = box
        self.player = player
        self.place = place
        self.cents = cents


def add_bet(r, bet):
    for other in r.bets:
        if other.player == bet.player:
            bet.player = other.player  # the same text, as each event brings its own
            break
    r.bets.append(bet)
    r.by_box.setdefault(bet.box, []).append(bet)


def lay_bet(r, box, player, place):
    """A player's bet of nothing yet, placed last. One that went back whole is laid anew: chips that come and go
    all evening are one bet. While betting is open, all that went back whole are forgotten."""
    for bet in r.bets[:]:
        if not bet.cents and (r.state == BETTING or (bet.box, bet.player, bet.place) == (box, player, place)):
            r.bets.remove(bet)
            r.by_box[bet.box].remove(bet)
    bet = Bet(box, player, place, 0)
    add_bet(r, bet)
    return bet


def need_room(bets, seats):
    """For one more bet beside these, or for one more told seat."""
    if len(bets) >= _MOST_BETS:
        raise Refused(None, "too_many_bets", _MOST_BETS)
    if len(seats) >= _MOST_SEATS:
        raise Refused(None, "too_many_seats", _MOST_SEATS)


def find_bet(r, box, player, place):
    for bet in r.by_box.get(box, ()):
        if bet.player == player and bet.place == place and bet.cents:
            return bet
    return None


def settled_cents(r, bet):
    """Cents of it that were settled; 0 if it was not, or not for good."""
    for _, _, number, stake, _ in r.paid:
        if number is not None and r.bets[number] is bet:
            return stake
    return 0


def wager_place(r, name):
    for place, wager in enumerate(r.book.WAGERS):
        if wager.name == name:
            return place
    raise Refused(None, "no_such_wager", name)


def bets_on(r, box, place=None):
    bets = r.by_box.get(box, ())
    if place is None:
        return [bet for bet in bets if bet.cents]
    return [bet for bet in bets if bet.place == place and bet.cents]


def has_main(r, box, player=None):
    return any(player in (None, bet.player) for bet in bets_on(r, box, MAIN))


def is_covered(r, box, player, place):
    """Whether the main wager that this one needs is there."""
    needs = r.book.WAGERS[place].needs
    if needs == NEEDS_NOTHING:
        return True
    return has_main(r, box) if needs == NEEDS_MAIN_ON_BOX else has_main(r, box, player)


def refund(r, bet, cents, paragraph, ruling, out):
    """Give back part or all of a bet."""
    bet.cents -= cents
    out.append(["refund", bet.box, bet.player, r.book.WAGERS[bet.place].name, r.money(cents), paragraph, ruling])
    held = min(bet.gone, cents)  # nothing is handed out to a player who holds it already
    bet.gone -= held
    bet.back += cents - held
    if held:
        tell_kept(r, bet, held, out)


def tell_kept(r, bet, cents, out):
    """Of what goes back, the player holds these chips already: he took them away after closing."""
    reading = r.book.PROCEDURE.chips_gone[1]
    out.append(["kept", bet.box, bet.player, r.book.WAGERS[bet.place].name, r.money(cents), reading])


def is_seated(r, box, player):
    """As staff said; by default the first player on a box sits and later ones stand (X-09)."""
    said = r.seating.get((box, player))
    if said is not None:
        return said
    for bet in r.by_box.get(box, ()):
        if bet.cents:
            return bet.player == player
    return True


def bettors_on(r, box):
    """The players with a bet on a box, in the order of their first."""
    return players_of(bets_on(r, box))


def players_of(bets):
    players = []
    for bet in bets:
        if bet.player not in players:
            players.append(bet.player)
    return players


def highest_bettor(mains):
    """Of (player, cents) in the order of placing, the first with the highest; None of none."""
    highest = None
    most = 0
    for player, cents in mains:
        if cents > most:
            highest, most = player, cents
    return highest


def gets_cards(r, box):
    """Cards go to a box that holds a wager which needs nothing else, and to no other."""
    return any(r.book.WAGERS[bet.place].needs == NEEDS_NOTHING for bet in bets_on(r, box))


def return_uncovered(r, out, box=None):
    """A side bet without the main wager it needs is not in play and goes back; of one box, or of all."""
    for bet in r.in_play():
        if box in (None, bet.box) and not is_covered(r, bet.box, bet.player, bet.place):
            line = r.book.WAGERS[bet.place].unmet
            if line is None:
                continue
            refund(r, bet, bet.cents, line.paragraph, line.ruling, out)


def goes_back_anyway(r, player, place, cents):
    """Whether a wager under the minimum is returned whatever happens, its player's one time being used."""
    return is_allowance(r, place, cents) and player in r.allowed_once


def is_allowance(r, place, cents):
    """Whether this wager is under the minimum in a book that lets that pass one time."""
    limits = r.table.limits[place]
    if not limits or not r.table.amounts or r.book.LIMITS.kind != EACH_WAGER:
        return False
    return 0 < cents < limits[0]
