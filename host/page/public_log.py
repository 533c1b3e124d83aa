"""Records in words for the page: what everybody at the table could see or hear, and never a card face down."""

from types import ModuleType
from typing import Any

from host.words.names import capital, staff_words
from host.words.older_events import OLDER_REPORT, declared_name
from host.words.records import event_words, fields_of, record_words, rule_words, why
from shared.round.records import TABLE_RECORDS
from shared.rules.cards import UNREAD

# Of the table's own records, those that people at the table care about.
TOLD = {"boot", "replaced", "held", "fault", "cleared", "call", "late", "sensed", "mismatch"}
# What a state or a card dealt means is told by other records.
UNTOLD = (TABLE_RECORDS.keys() - TOLD) | {"state", "dealt"}
FOLD_THAT_PAYS = "fold_would_pay"  # a refusal that tells of the hand
NAMES_A_CARD = ("card", "entered", "lies", "turned")  # events with a card before anything else


def public_words(record: list[Any], book: ModuleType | None) -> str | None:
    """One record in words, None if it is not told. A card is named only where the table has seen it."""
    kind = record[0]
    if kind in UNTOLD:
        return None
    if kind == "late":
        return "a card came while the deal waits; its turn comes after that"
    if kind == "fault":
        return record_words(["fault", record[1], ""], book)  # the detail may name a card
    if kind == "lies":
        # A card that got its name is seen, or shown with its hand, in what follows.
        return None if record[2] == record[3] else record_words(["lies", None, *record[2:]], book)
    if kind == "event":
        event = record[2]
        is_told_elsewhere = event[0] == "lies" or (event[0] == "card" and event[1] != UNREAD)
        return None if is_told_elsewhere else told_event(event, True)
    # Records of older tables have a sentence there, which tells of the hand too.
    is_older_fold = kind == "refused" and len(record) == 4 and record[1][:1] == ["decide"]
    if is_older_fold or (kind == "refused" and record[3] == FOLD_THAT_PAYS):
        return f"refused: {told_event(record[1], False)}; the player must be sure"
    if kind == "refused":
        return f"refused: {told_event(record[1], False)}; {why(fields_of(record))}"
    return record_words(record, book)


def told_event(event: list[Any], accepted: bool) -> str:
    """An event in words without any card that the table has not seen."""
    name = event[0]
    if name == "exchanged":
        return "two cards lie in each other's place"
    if name == "malformed":
        return "something that the table does not understand"
    if declared_name(event) == OLDER_REPORT and not accepted:
        # Which card somebody asked about in vain is nobody's business.
        return event_words([*event[:3], None, *event[4:]])
    if name in NAMES_A_CARD and event[1:2] != [UNREAD] and not (name == "turned" and accepted):
        return event_words([name, None, *event[2:]])
    return event_words(event)


def told(
    number: int | None, record: list[Any], staff: str | None, book: ModuleType | None
) -> dict[str, Any] | None:
    words = public_words(record, book)
    if words is None:
        return None
    return {
        "number": number,
        "words": capital(words),
        "rule": rule_words(record),
        "staff": staff_words(staff),
        "refused": record[0] in ("refused", "held"),
    }
