"""Settles finished hands: which pay line each wager meets, what is paid and what goes back.

Amounts are integer cents. `settle_seat` fills lists that its caller owns, so that it allocates
nothing on the device; `settle_table` settles a whole table with it. Which wagers may lie on which
box is the round's business: here the layout is settled as it stands.
"""

from collections import namedtuple

from shared.rules.rulebook import FIXED_SUM, LOSE, METER_SHARE, NEEDS_MAIN_ON_BOX, NEEDS_OWN_MAIN, WIN

MAIN = 0  # the main wager comes first in every book

# One player's wagers on one box. `stakes` are cents in the order of the book's WAGERS, 0 for none.
Seat = namedtuple("Seat", ("box", "player", "seated", "stakes", "folded"))

# What became of a seat: for each wager its Line (None where none was placed) and the cents paid,
# in the order of WAGERS; the book's BONUS, where it has one, comes last.
Settled = namedtuple("Settled", ("seat", "lines", "paid"))


def winnings(line, stake, meter):
    """Cents won on this line, beyond the stake; part cents are dropped."""
    if line.result != WIN:
        return 0
    if line.den > 0:
        return stake * line.num // line.den
    return line.num if line.den == FIXED_SUM else meter * line.num // 100


def is_rounded(line, stake):
    """Whether a part of a cent was dropped in the winnings."""
    return line.den > 1 and stake * line.num % line.den != 0


def given_back(line, stake, paid):
    """Cents that leave the table for the player: winnings, and the stake unless it is lost.

    The stake of a wager that wins a sum rather than odds stays with the House.
    """
    if line.result == LOSE:
        return 0
    return paid + stake if line.den > 0 else paid


def wager_line(wager, player, mark, dealer, folded, main_on_box, main_own):
    """The pay line that a placed wager meets."""
    needs = wager.needs
    if (needs == NEEDS_MAIN_ON_BOX and not main_on_box) or (needs == NEEDS_OWN_MAIN and not main_own):
        return wager.unmet
    return wager.folded if folded else wager.judge(player, mark, dealer)


def settle_seat(book, stakes, folded, player, mark, dealer, main_on_box, meter, lines, paid):
    """Fill `lines` and `paid`, one place for each wager of the book and one for its bonus."""
    main_own = stakes[MAIN] > 0
    place = 0
    for wager in book.WAGERS:
        stake = stakes[place]
        line = None
        won = 0
        if stake:
            line = wager_line(wager, player, mark, dealer, folded, main_on_box, main_own)
            won = winnings(line, stake, meter)
        lines[place] = line
        paid[place] = won
        place += 1
    if book.BONUS:
        line = None
        won = 0
        if main_own:
            line = wager_line(book.BONUS, player, mark, dealer, folded, True, True)
            won = winnings(line, stakes[MAIN], meter)
        lines[place] = line
        paid[place] = won


def places(book):
    """How many places `settle_seat` fills."""
    return len(book.WAGERS) + (1 if book.BONUS else 0)


def settle_table(book, dealer, hands, seats, meter=0, main_boxes=None):
    """Settle every seat: a list of Settled in the order of `seats`, and envy as (player, cents).

    `hands` maps a box to its three cards; a box whose wagers are all returned may have none, and
    then the dealer may have none either. `main_boxes` are the boxes that had a main wager at closing,
    if the seats no longer show it.
    """
    with_main = [seat.box for seat in seats if seat.stakes[MAIN]] if main_boxes is None else main_boxes
    settled = list(settle_each(book, dealer, hands, seats, meter, with_main))
    return settled, book.envy(seats, hands) if book.envy else ()


def settle_each(book, dealer, hands, seats, meter, with_main):
    """Seat by seat, as a full table's are too much for a Pico at once."""
    dealer_value = book.value(dealer[0], dealer[1], dealer[2]) if dealer else 0
    size = places(book)
    jackpots = 0
    for seat in seats:
        hand = hands.get(seat.box)
        value = mark = 0
        if hand:
            value = book.value(hand[0], hand[1], hand[2])
            mark = book.mark(hand[0], hand[1], hand[2])
        lines = [None] * size
        paid = [0] * size
        settle_seat(
            book, seat.stakes, seat.folded, value, mark, dealer_value, seat.box in with_main, meter, lines, paid
        )
        for line in lines:
            if line and line.den == METER_SHARE:
                jackpots += 1
        if jackpots > 1:
            # One hand alone can win the meter, and no book shares it.
            reading = book.PROCEDURE.progressive[1]
            raise ValueError(
                "two wagers win the whole jackpot meter and the book does not share it (%s)" % reading
            )
        yield Settled(seat, lines, paid)


def returned(settled):
    """Cents that go back to the player of a settled seat, bonus included, envy not."""
    stakes = settled.seat.stakes
    total = 0
    for place, line in enumerate(settled.lines):
        if line:
            paid = settled.paid[place]
            # The bonus has no stake of its own.
            total += given_back(line, stakes[place], paid) if place < len(stakes) else paid
    return total
