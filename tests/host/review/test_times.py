"""Times as reviewers write them, in the zone of the machine, also where the clock changes."""

import time
from contextlib import suppress
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.review.times import BadTime, read_time, when, with_zone, zone_words

NOW = datetime(2026, 9, 21, 22, 13, 20)
SINGAPORE = 8 * 3600
MIDNIGHT = 1_790_000_000 - 22 * 3600 - 13 * 60 - 20  # of that day there


@pytest.fixture(autouse=True)
def zone(request, monkeypatch):
    monkeypatch.setenv("TZ", getattr(request, "param", "Asia/Singapore"))
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "begins", "ends"),
    [
        ("2026-09-21", 0, 86_400),
        ("today", 0, 86_400),
        ("Yesterday", -86_400, 0),
        ("2026-09-21 14:30", 52_200, 52_260),
        ("2026-09-21T14:30:05", 52_205, 52_206),
        ("14:30", 52_200, 52_260),
        ("14:30:05", 52_205, 52_206),
        ("now", 80_000, 80_000),
        ("2h", 72_800, 72_800),
        ("90 minutes ago", 74_600, 74_600),
        ("1d", -6_400, -6_400),
    ],
)
def test_what_can_be_written(text, begins, ends):
    assert read_time(text, NOW) == MIDNIGHT + begins
    assert read_time(text, NOW, is_end=True) == MIDNIGHT + ends


@pytest.mark.parametrize(
    "text",
    ["", "soon", "2026-13-01", "2026-02-30", "25:00", "21/9/2026", "9999999d", "9999-12-31", "0001-01-01 x"],
)
def test_what_cannot(text):
    with pytest.raises(BadTime, match="is not a time: write 2026-09-21"):
        read_time(text, NOW, is_end=True)


@given(st.text(max_size=30) | st.from_regex(r"[0-9]{1,6} ?(m|h|d)", fullmatch=True))
def test_any_text_is_a_time_or_refused(text):
    with suppress(BadTime):
        assert read_time(text, NOW) >= 0


def test_a_time_is_shown_with_its_zone():
    assert when(MIDNIGHT) == "2026-09-21 00:00:00"
    assert with_zone(MIDNIGHT) == "2026-09-21T00:00:00+08:00"
    assert zone_words(MIDNIGHT) == "+08, UTC+08:00"


@pytest.mark.parametrize("zone", ["Europe/Berlin"], indirect=True)
def test_a_day_on_which_the_clock_changes_has_its_own_length(zone):
    begun, ended = (read_time("2026-10-25", NOW, is_end) for is_end in (False, True))
    assert ended - begun == 25 * 3600
    assert zone_words(begun) == "CEST, UTC+02:00"
    assert zone_words(ended) == "CET, UTC+01:00"
