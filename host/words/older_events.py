"""Events as older tables declared them, so that their logs can still be searched and told in words."""

from typing import Any

from shared.round.events import EVENTS

OLDER_REPORT = "irregularity, as it was"
DECLARED_EVENTS = EVENTS | {
    OLDER_REPORT: ("kind", "place?", "card?", "player?", "mended?", "by?", "text?", "round?"),
    "exchanged": ("card", "with", "by"),
}
NOW = ("moved", "restored", None)  # what may stand where older reports named the player


def declared_name(event: list[Any]) -> Any:
    """The name under which the fields of an event are declared.

    A report has changed: without the card, and with how an error was put right. A report with a text names a
    post, too, so one with a text alone is older.
    """
    if event[0] != "irregularity" or len(event) < 4:
        return event[0]
    _, kind, _, _, put_right, by, text, round_, *more = [*event, *[None] * 5]
    is_older = kind == "exposed_card" or put_right not in NOW or by is True or isinstance(round_, str)
    return OLDER_REPORT if is_older or more[0] is not None or (text and by is None) else event[0]
