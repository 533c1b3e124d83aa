"""One stream a tab, so many and no more, and none is left behind."""

import asyncio
import json
from typing import Any

import pytest

from host.page.guard import Refusal
from host.page.hub import STUCK_S, Hub
from host.page.streams import MOST, MOST_OF_ADDRESS, STALLED_S, Streams
from host.table.announcements import Announcement
from host.table.service import Change
from host.words.link import announcement_words
from host.words.page import PAGE
from tests.support.page.played import quiet_service

NOTHING = Change([], [])


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


def made():
    clock = Clock()
    hub = Hub(clock)
    return Streams(hub, clock), hub, clock


def test_a_tab_has_one_stream_and_a_new_one_replaces_it():
    streams, _, _ = made()
    first = streams.begin("a" * 16, "10.0.0.1")
    second = streams.begin("a" * 16, "10.0.0.1")
    assert first.is_over
    assert not second.is_over
    streams.drop(first)
    assert list(streams.by_tab.values()) == [second], "the end of the old one leaves the new one be"


def test_there_are_so_many_streams_of_an_address_and_so_many_in_all():
    streams, _, _ = made()
    for number in range(MOST_OF_ADDRESS):
        streams.begin(f"{number:016x}", "10.0.0.1")
    with pytest.raises(Refusal, match="Close one"):
        streams.begin("f" * 16, "10.0.0.1")
    streams.begin(f"{0:016x}", "10.0.0.1")  # a tab that comes again is no more than before
    for number in range(MOST - MOST_OF_ADDRESS):
        streams.begin(f"{100 + number:016x}", f"10.0.1.{number}")
    with pytest.raises(Refusal):
        streams.begin("f" * 16, "10.0.0.2")
    assert len(streams.by_tab) == MOST


def test_a_browser_that_takes_nothing_any_more_makes_room():
    streams, _, clock = made()
    stalled = [streams.begin(f"{number:016x}", "10.0.0.1") for number in range(MOST_OF_ADDRESS)]
    clock.now += STALLED_S + 1
    streams.begin("f" * 16, "10.0.0.1")
    assert all(stream.is_over for stream in stalled)
    assert len(streams.by_tab) == 1


def test_a_stream_says_the_newest_picture_then_beats_and_is_cleaned_up(tmp_path, monkeypatch):
    monkeypatch.setattr("host.page.streams.BEAT_S", 0.01)
    streams, hub, _ = made()
    service = quiet_service(tmp_path)

    async def listen():
        stream = streams.begin("a" * 16, "10.0.0.1")
        hub.passed(service, NOTHING, 0)
        follow = streams.follow(stream, lambda: None)
        heard = [await anext(follow) for _ in range(4)]
        assert list(streams.by_tab) == ["a" * 16]
        await follow.aclose()
        return heard

    heard = asyncio.run(listen())
    assert heard[0] == "retry: 1000\n\n"
    kind, data = heard[1].split("\n")[:2]
    assert kind == "event: state"
    said = json.loads(data.removeprefix("data: "))
    assert (said["me"], said["console"], said["table"]["table"]) == (None, None, "T1")
    assert said["table"]["link"] == {
        "up": False,
        "why": announcement_words("not_joined", ()),
    }
    assert heard[2].startswith("event: display")
    assert heard[3] == "event: beat\ndata: 1\n\n"
    assert streams.by_tab == {}


def test_streams_end_when_the_page_does():
    streams, _, _ = made()

    async def listen():
        stream = streams.begin("a" * 16, "10.0.0.1")
        follow = streams.follow(stream, lambda: None)
        await anext(follow)
        await anext(follow)
        streams.close()
        return [part async for part in follow if "event: state" in part]

    assert asyncio.run(listen()) == []
    assert streams.by_tab == {}


def test_a_host_that_does_not_follow_the_table_any_more_is_stale(tmp_path):
    _, hub, clock = made()
    hub.passed(quiet_service(tmp_path), NOTHING, 0)
    assert hub.stuck() == ""
    clock.now += STUCK_S + 1
    assert hub.stuck() == PAGE["stuck"]


def test_a_page_that_cannot_be_made_says_so_and_does_not_stop_the_table(tmp_path):
    _, hub, _ = made()
    service = quiet_service(tmp_path)
    hub.passed(service, NOTHING, 0)
    service.announcements.alarms.append(Announcement("alarm", (7, (None, ["line"]))))
    box: Any = object()  # nothing that JSON can hold
    service.keeper.activity.lines = [(box, ["envy", "P1", 500, "4.4"])]
    hub.passed(service, NOTHING, 20)
    assert "TypeError" in hub.stuck()
    service.keeper.activity.lines = []
    hub.passed(service, NOTHING, 40)
    assert hub.stuck() == ""
    assert json.loads(hub.picture.public)["alarms"] == [announcement_words("alarm", (7, (None, ["line"])))]


def test_nothing_is_drawn_for_nobody_and_no_console_made_for_nobody(tmp_path):
    streams, hub, _ = made()
    service = quiet_service(tmp_path)
    hub.passed(service, NOTHING, 0)
    assert (hub.drawn, hub.picture.consoles) == (0, {})
    me = {"name": "Dealer One", "post": "dealer"}

    async def listen():
        follow = streams.follow(streams.begin("a" * 16, "10.0.0.1"), lambda: me)
        heard = [await anext(follow) for _ in range(2)]
        hub.passed(service, NOTHING, 20)
        streams.wake()
        heard += [await anext(follow) for _ in range(2)]
        await follow.aclose()
        return heard

    heard = [part for part in asyncio.run(listen()) if "event: display" not in part]
    assert json.loads(heard[1].split("data: ")[1])["console"] is None, "not made yet"
    assert json.loads(heard[2].split("data: ")[1])["console"] == {"offers": [], "undo": None}
    assert hub.drawn == 1
    hub.passed(service, NOTHING, 9000)
    assert (hub.drawn, hub.picture.consoles) == (1, {}), "and no more once nobody looks"
