"""Between deal and settlement: looking, showing, deciding, and the dealer's reveal."""

from shared.round import bets
from shared.round.deal import DEALER, is_known, need_three_cards, undecided, unshown
from shared.round.events import Refused
from shared.round.states import AFTER_CLOSING, CARDS_DOWN, DECIDING, FOLD, PLAY, PLAYING, REVEALED
from shared.rules import cards
from shared.rules.policy import ANYONE_LOOKS, FIRST_SEATED_LOOKS
from shared.rules.rulebook import WIN
from shared.rules.settlement import MAIN


def need_hand(r, box, paragraph):
    r.need_box(box)
    if box not in r.order or box in r.removed or not r.hands.get(box):
        raise Refused(paragraph, "no_hand_in_play", box)


def who_looks(r, box):
    """The player who may look at a box's hand: the first who sits there, else as the book says."""
    for player in bets.bettors_on(r, box):
        if bets.is_seated(r, box, player):
            return player
    if r.book.PROCEDURE.looks == FIRST_SEATED_LOOKS:
        return None
    return bets.highest_bettor([(bet.player, bet.cents) for bet in bets.bets_on(r, box, MAIN)])


def verify_look(r, e):
    procedure = r.book.PROCEDURE
    box, player = e["box"], e["player"]
    if r.stage() not in CARDS_DOWN:
        raise Refused(procedure.looking, "not_possible_now", r.stage())
    need_hand(r, box, procedure.looking)
    if not any(bet.player == player for bet in bets.bets_on(r, box)):
        raise Refused(procedure.looking, "no_such_bet")
    if r.decisions.get(box) == FOLD:
        raise Refused(procedure.deciding[1], "decided")
    if procedure.looks == ANYONE_LOOKS:
        return
    if procedure.looks == FIRST_SEATED_LOOKS and not bets.is_seated(r, box, player):
        raise Refused(procedure.seated_look, "player_not_seated")
    if who_looks(r, box) != player:
        raise Refused(procedure.looking, "other_looks")
    if r.looked.get(player, box) != box:
        raise Refused(procedure.one_look, "looked_once")


def act_look(r, e, out):
    r.looked[e["player"]] = e["box"]
    r.handled = True


def verify_handled(r, e):
    r.need_box(e["box"])
    if r.stage() not in AFTER_CLOSING or not r.hands.get(e["box"]):
        raise Refused(r.book.PROCEDURE.looking, "no_hand_in_play", e["box"])


def act_handled(r, e, out):
    """A player touched cards, looking or not: what the books ask of most irregularities (X-19)."""
    r.handled = True


def verify_show(r, e):
    r.need_state((PLAYING, DECIDING), r.book.PROCEDURE.reveal)
    need_hand(r, e["box"], r.book.PROCEDURE.shown_first)
    if e["by"] is not None:
        r.need_role(e["by"], "dealer", r.book.PROCEDURE.reveal)
    if e["box"] in r.shown:
        raise Refused(None, "face_up")
    if r.state == DECIDING and r.decisions.get(e["box"]) != PLAY:
        raise Refused(r.book.PROCEDURE.deciding[0], "show_after_play")


def act_show(r, e, out):
    if e["by"] is None:
        r.handled = True  # put back by its player; `by` says that the dealer opened it
    show(r, e["box"], out)


def show(r, place, out):
    """The hand lies face up to the table, put back by its player or opened by the dealer."""
    r.shown.append(place)
    show_again(r, place, out)


def show_again(r, place, out):
    out.append(["shown", place, [cards.text(card) for card in r.hands[place]]])


# -- decisions


def verify_decide(r, e):
    if not r.book.PROCEDURE.deciding:
        raise Refused(None, "not_in_book")
    to_decide, _, to_play, reading = r.book.PROCEDURE.deciding
    r.need_state((DECIDING,), to_decide)
    need_hand(r, e["box"], to_decide)
    if e["choice"] not in (PLAY, FOLD):
        raise Refused(to_decide, "no_such_choice", e["choice"])
    if e["box"] in r.decisions:
        raise Refused(to_decide, "decided")
    if undecided(r)[0] != e["box"]:
        raise Refused(reading, "decides_first", undecided(r)[0])
    main = bets.bets_on(r, e["box"], MAIN)
    if e["choice"] == PLAY:
        if e["cents"] is not None and not r.table.amounts:
            raise Refused(None, "amounts_unknown", "cents")
        if e["cents"] is not None and (not main or e["cents"] != main[0].cents):
            raise Refused(to_play, "play_equals_main")
    elif not e["sure"] and would_pay(r, e["box"]):
        raise Refused(r.book.PROCEDURE.paying_fold, "fold_would_pay")


def would_pay(r, box):
    """Whether a fold gives up pay that is certain: the bonus, or a side wager that loses by folding."""
    if not is_known(r, box):
        return False
    hand = r.hands[box]
    value, mark = r.book.value(hand[0], hand[1], hand[2]), r.book.mark(hand[0], hand[1], hand[2])
    judges = [r.book.BONUS.judge] if r.book.BONUS and bets.bets_on(r, box, MAIN) else []
    for bet in bets.bets_on(r, box):
        wager = r.book.WAGERS[bet.place]
        if bet.place != MAIN and wager.folded:
            judges.append(wager.judge)
    return any(judge(value, mark, 0).result == WIN for judge in judges)


def act_decide(r, e, out):
    box = e["box"]
    r.decisions[box] = e["choice"]
    r.handled = True
    if e["choice"] == PLAY:
        for place, wager in enumerate(r.book.WAGERS):
            if wager.on_decision:
                for main in bets.bets_on(r, box, MAIN):
                    bets.add_bet(r, bets.Bet(box, main.player, place, main.cents))
                    out.append(["placed", box, main.player, wager.name, r.money(main.cents), wager.paragraph])


# -- the dealer's hand


def verify_reveal(r, e):
    procedure = r.book.PROCEDURE
    r.need_state((PLAYING, DECIDING), procedure.reveal)
    if r.state == DECIDING and undecided(r):
        to_decide, _, _, reading = procedure.deciding
        raise Refused(to_decide, "undecided", undecided(r)[0], reading)
    if procedure.shown_first and unshown(r):
        waiting = ", ".join([str(box) for box in unshown(r)])
        raise Refused(procedure.shown_first, "not_face_up", waiting)
    need_three_cards(r)


def act_reveal(r, e, out):
    r.may_withdraw = False
    show(r, DEALER, out)
    # Hands that nobody put back are opened by the dealer; a folded one stays face down.
    for box in unshown(r):
        show(r, box, out)
    r.enter(REVEALED, r.book.PROCEDURE.reveal, out)


HANDLERS = {
    "look": (verify_look, act_look),
    "handled": (verify_handled, act_handled),
    "show": (verify_show, act_show),
    "decide": (verify_decide, act_decide),
    "reveal": (verify_reveal, act_reveal),
}
