"""The event streams of the page: one for each tab, counted and cleaned up. All of it runs in the page's loop.

A stream carries the newest picture whenever there is one, and a beat every two seconds, so that a page which
hears nothing for five knows that what it shows is stale.
"""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Any

from host.page.guard import Refusal
from host.page.hub import Hub
from host.words.page import PAGE

BEAT_S = 2.0
MOST = 32
MOST_OF_ADDRESS = 8
STALLED_S = 20  # a browser that took nothing for so long no longer counts
TAB = re.compile(r"[0-9a-f]{16,64}")

Me = dict[str, Any]


@dataclass
class Stream:
    tab: str
    address: str
    moved_at: float
    post: str | None = None  # of the person who is logged in there
    news: asyncio.Event = field(default_factory=asyncio.Event)
    is_over: bool = False

    def end(self) -> None:
        self.is_over = True
        self.news.set()


class Streams:
    """`clock` gives seconds that only grow."""

    def __init__(self, hub: Hub, clock: Callable[[], float]) -> None:
        self.hub = hub
        self.clock = clock
        self.by_tab: dict[str, Stream] = {}

    def begin(self, tab: str, address: str) -> Stream:
        """The stream of a tab; one that it had before ends. Refusal if there is no room."""
        now = self.clock()
        for old in list(self.by_tab.values()):
            if old.tab == tab or now - old.moved_at > STALLED_S:
                self.drop(old)
        of_address = [stream for stream in self.by_tab.values() if stream.address == address]
        if len(self.by_tab) >= MOST or len(of_address) >= MOST_OF_ADDRESS:
            raise Refusal(503, PAGE["too_many"])
        stream = self.by_tab[tab] = Stream(tab, address, now)
        self.tell_hub()
        return stream

    def drop(self, stream: Stream) -> None:
        stream.end()
        if self.by_tab.get(stream.tab) is stream:
            del self.by_tab[stream.tab]
        self.tell_hub()

    def tell_hub(self) -> None:
        self.hub.watch({one.post for one in self.by_tab.values() if one.post}, bool(self.by_tab))

    def wake(self) -> None:
        for stream in self.by_tab.values():
            stream.news.set()

    def close(self) -> None:
        for stream in list(self.by_tab.values()):
            self.drop(stream)

    async def follow(self, stream: Stream, who: Callable[[], Me | None]) -> AsyncGenerator[str, None]:
        """What the stream carries; `who` says who is logged in there at the moment."""
        shown: tuple[Any, ...] = ()
        drawn = -1
        try:
            yield "retry: 1000\n\n"
            while not stream.is_over:
                stream.news.clear()
                stream.moved_at = self.clock()
                me, picture, stuck = who(), self.hub.picture, self.hub.stuck()
                if stream.post != (me["post"] if me else None):
                    stream.post = me["post"] if me else None
                    self.tell_hub()
                said = False
                if (picture.version, me, stuck) != shown:
                    shown = (picture.version, me, stuck)
                    said = True
                    console = picture.consoles.get(me["post"], "null") if me else "null"
                    yield (
                        f'event: state\ndata: {{"version":{picture.version},"me":{json.dumps(me)},'
                        f'"stuck":{json.dumps(stuck)},"table":{picture.public},"console":{console}}}\n\n'
                    )
                if self.hub.drawn != drawn:
                    drawn = self.hub.drawn
                    said = True
                    yield f"event: display\ndata: {drawn}\n\n"
                if not said:
                    yield "event: beat\ndata: 1\n\n"
                try:
                    await asyncio.wait_for(stream.news.wait(), BEAT_S)
                except TimeoutError:
                    continue
        finally:
            self.drop(stream)
