"""Shares the maximum of an over-full box among its bets."""


def apportion(bets, minimum, maximum):
    """What each of `bets` (cents, in order of placing) plays for, when together they exceed `maximum`.

    A bet below the minimum stays as it is. The others are scaled to fill what is left, and
    whoever would fall below the minimum is set to it, until nobody does. Whole cents go by largest
    remainder, equal remainders in order of placing. If even the minimum for everybody is too much,
    everybody plays the minimum and the total exceeds the maximum.
    """
    plays = list(bets)
    if sum(bets) <= maximum:
        return plays
    scaled = [place for place, cents in enumerate(bets) if cents >= minimum]
    while scaled:
        room = maximum - sum([cents for place, cents in enumerate(plays) if place not in scaled])
        whole = sum([bets[place] for place in scaled])
        # bets * room / whole < minimum, without the fraction
        short = [place for place in scaled if bets[place] * room < minimum * whole]
        if not short:
            share_out(bets, plays, scaled, room, whole)
            break
        for place in short:
            plays[place] = minimum
        scaled = [place for place in scaled if place not in short]
    return plays


def share_out(bets, plays, scaled, room, whole):
    for place in scaled:
        plays[place] = bets[place] * room // whole
    left = room - sum([plays[place] for place in scaled])
    # The place is part of what is sorted: MicroPython's sort keeps no order among equals.
    for _, place in sorted([(-(bets[place] * room % whole), place) for place in scaled])[:left]:
        plays[place] += 1
