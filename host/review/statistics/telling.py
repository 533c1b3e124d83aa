"""What a review says, as codes and fields: a line each for a pit manager, and everything for an engineer.

The words stand in host/words/english/review.txt. A striking line says where to look; none says that anyone did
anything.
"""

from typing import Any, NamedTuple

from host.review.statistics.anytime import chance
from host.review.statistics.hold import Hold, verdicts
from host.review.statistics.reader import ASKED, Reading
from host.review.statistics.review import Result
from host.review.statistics.shuffler import CARDS, PAIRS, PLACES, REPEATS, Finding, Look

MOST_RATE = 2.0  # a limit for the rate beyond this says nothing


class Told(NamedTuple):
    """A sentence: its code in review.txt, its fields, and whether it says where to look."""

    code: str
    fields: dict[str, Any]
    striking: bool = False


# -- for a pit manager


def summary(result: Result) -> list[Told]:
    """Wagers, shuffler and reader in a line each; and how many rounds are not in them."""
    lines = [*hold_lines(result), *shuffler_lines(result), reader_line(result.reading)]
    if result.left_out:
        lines.append(Told("left_out", {"rounds": result.rounds, "left_out": result.left_out}))
    return lines


def hold_lines(result: Result) -> list[Told]:
    if not result.holds:
        return [Told("hold.none", {})]
    *wagers, together = result.holds
    striking = [hold for hold in wagers if is_striking(hold, result)]
    alike = "" if result.amounts else "_alike"  # where the table does not know amounts
    if not striking:
        return [Told(f"hold.quiet{alike}", hold_fields(together))]
    return [Told(f"hold.striking{alike}", hold_fields(hold), True) for hold in striking]


def is_striking(hold: Hold, result: Result) -> bool:
    """If all together say so, the wager that says most; any other if it makes them say so by itself."""
    *wagers, together = result.holds
    if hold is together:
        return chance(together.evidence) <= result.promise
    most = max(one.evidence for one in wagers)
    by_itself = chance(hold.evidence) <= result.promise / len(wagers)
    return by_itself or (chance(together.evidence) <= result.promise and hold.evidence == most)


def shuffler_lines(result: Result) -> list[Told]:
    together, *looks = result.looks
    if not together.striking:
        return [Told("shuffler.quiet", {"deals": result.deals})]
    # What a finding alone says is never more than what all together say.
    return [
        finding_told(look.findings[0], max(chance(look.evidence), chance(together.evidence)))
        for look in looks
        if look.striking and look.findings
    ]


def finding_told(finding: Finding, by_chance: float | None = None) -> Told:
    fields: dict[str, Any] = {"seen": finding.seen, "expected": finding.expected, "deals": finding.deals}
    where = finding.where
    if finding.kind == PLACES:
        fields |= {"place": where[0] + 1, "card": where[1]}
    elif finding.kind == CARDS:
        fields |= {"card": where[0]}
    elif finding.kind == PAIRS:
        fields |= {"card": where[0], "next": where[1]}
    elif finding.kind == REPEATS:
        fields |= {"round": where[0], "earlier": where[0] - where[1]}
    if by_chance is None:
        return Told(f"finding.{finding.kind}", fields)
    return Told(f"shuffler.{finding.kind}", fields | {"chance": by_chance}, True)


def reader_line(reading: Reading) -> Told:
    fields: dict[str, Any] = {
        "cards": reading.cards,
        "doubles": reading.doubles,
        "expected": reading.expected,
        "chance": chance(reading.evidence),
    }
    if not reading.striking:
        return Told("reader.quiet", fields)
    # Without chances there is no rate, and nothing is striking.
    return Told("reader.striking", fields | {"one_in": 1 / reading.rate}, True)


def hold_fields(hold: Hold) -> dict[str, Any]:
    fields = {
        "wager": hold.wager,
        "bets": hold.bets,
        "staked": hold.staked,
        "kept": hold.kept,
        "rate": hold.rate,
        "expected_rate": hold.expected_rate,
        "difference": hold.difference,
        "chance": chance(hold.evidence),
    }
    maryland = next((one for one in verdicts(hold) if one.name == "maryland"), None)
    low, high = maryland.limit if maryland else (hold.expected_rate, hold.expected_rate)
    return fields | {"low": low, "high": high}


# -- for an engineer


def details(result: Result) -> list[Told]:
    return [
        *(line for hold in result.holds for line in hold_details(hold, result)),
        *(line for look in result.looks for line in look_details(look)),
        *reading_details(result.reading),
        Told("detail.left_out", {"rounds": result.rounds, "left_out": result.left_out}),
        Told("detail.deals_left_out", {"deals": result.deals, "left_out": result.deals_left_out}),
    ]


def hold_details(hold: Hold, result: Result) -> list[Told]:
    fields = hold_fields(hold)
    lines = [
        Told(
            "detail.hold" if result.amounts else "detail.hold_alike",
            fields | {"expected": float(hold.expected), "deviation": hold.deviation},
        ),
        Told("detail.evidence", fields, is_striking(hold, result)),
    ]
    low, high = hold.band
    known = ("above" if low > -MOST_RATE else "") + ("below" if high < MOST_RATE else "")
    code = {"": "open_band", "abovebelow": "band", "above": "band_above", "below": "band_below"}[known]
    lines.append(
        Told(f"detail.{code}", {"wager": hold.wager, "low": low, "high": high, "promise": result.promise})
    )
    for verdict in verdicts(hold):
        fields = {"low": verdict.limit[0], "high": verdict.limit[1], "rate": hold.rate, "chance": verdict.chance}
        side = "outside" if verdict.outside else "inside"
        lines.append(Told(f"limit.{verdict.name}.{side}", fields | {"wager": hold.wager}, verdict.outside))
    return lines


def look_details(look: Look) -> list[Told]:
    first = Told(f"detail.{look.kind}", {"chance": chance(look.evidence)}, look.striking)
    own = look.findings if look.kind in (PLACES, CARDS, PAIRS, REPEATS) else []
    return [first, *(finding_told(finding) for finding in own)]


def reading_details(reading: Reading) -> list[Told]:
    fields: dict[str, Any] = {
        "cards": reading.cards,
        "doubles": reading.doubles,
        "misread": reading.misread,
        "unread": reading.unread,
        "expected": reading.expected,
        "asked": 1 / ASKED,
        "chance": chance(reading.evidence),
    }
    lines = [Told("detail.reader", fields, reading.striking)]
    if reading.doubles:
        low, high = reading.band
        lines.append(Told("detail.rate", {"rate": reading.rate, "low": low, "high": high}))
    if reading.most_often and reading.most_often[1] > 1:
        card, times = reading.most_often
        lines.append(Told("detail.most_often", {"card": card, "times": times}))
    return lines
