"""Times as reviewers write and read them: in this machine's time zone, which is named beside them."""

import re
from datetime import datetime, timedelta

from host.words.failures import Failure

WORDS = {"today": 0, "yesterday": 1}
# How a moment is written, and how long what is named so lasts.
DATES = {
    "%Y-%m-%d %H:%M:%S": timedelta(seconds=1),
    "%Y-%m-%d %H:%M": timedelta(minutes=1),
    "%Y-%m-%d": timedelta(days=1),
}
CLOCKS = {"%H:%M:%S": timedelta(seconds=1), "%H:%M": timedelta(minutes=1)}
DATE_AND_TIME = re.compile(r"^(\d{4}-\d{2}-\d{2})t")
AGO = re.compile(r"(\d{1,6}) ?(m|min|h|d)(?:inutes?|ours?|ays?)?(?: ago)?")
UNITS = {"m": "minutes", "min": "minutes", "h": "hours", "d": "days"}


class BadTime(Failure, ValueError):
    """What somebody wrote as a time is none."""


def read_time(text: str, now: datetime, is_end: bool = False) -> int:
    """Seconds since 1970 of a date, a date and a time, a time of today, `yesterday`, or `2h` for two hours ago.

    A day, an hour or a minute that ends a range belongs to it, so its end is meant.
    """
    try:
        found = parse(" ".join(DATE_AND_TIME.sub(r"\1 ", text.strip().lower()).split()), now)
        if found:
            moment, span = found
            return max(0, int((moment + span if is_end else moment).astimezone().timestamp()))
    except (OverflowError, ValueError, OSError):
        pass  # beyond the times that this machine knows
    raise BadTime("log.not_a_time", value=text)


def parse(words: str, now: datetime) -> tuple[datetime, timedelta] | None:
    """The moment, and how long what was named lasts."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    if words == "now":
        return now.replace(tzinfo=None), timedelta(0)
    if words in WORDS:
        return midnight - timedelta(days=WORDS[words]), timedelta(days=1)
    ago = AGO.fullmatch(words)
    if ago:
        return now.replace(tzinfo=None) - timedelta(**{UNITS[ago[2]]: int(ago[1])}), timedelta(0)
    for form, span in (DATES | CLOCKS).items():
        moment = attempt(words, form)
        if moment:
            return (datetime.combine(midnight, moment.time()) if form in CLOCKS else moment), span
    return None


def attempt(words: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(words, form)
    except ValueError:
        return None


def when(seconds: int) -> str:
    """In this machine's time zone: `2026-09-21 14:13:20`."""
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M:%S")


def with_zone(seconds: int) -> str:
    """As programs read it: `2026-09-21T14:13:20+08:00`."""
    return datetime.fromtimestamp(seconds).astimezone().isoformat()


def zone_words(seconds: int) -> str:
    """This machine's zone at that time: `+08, UTC+08:00`."""
    moment = datetime.fromtimestamp(seconds).astimezone()
    offset = moment.strftime("%z")
    return f"{moment.strftime('%Z')}, UTC{offset[:3]}:{offset[3:]}"
