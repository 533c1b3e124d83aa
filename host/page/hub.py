"""Between the table's thread and the page: pictures of the table, each whole, and the display's picture.

The table's thread makes them and puts them here; the page's loop takes the newest, however many it missed.
"""

import json
import time
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from host.display.display import Display
from host.display.leds import png_bytes
from host.log.reading import recent_records
from host.page.state import StateKeeper
from host.table.link import Record
from host.table.service import Change, TableService

DISPLAY_SIZE = (128, 32)
DRAW_MS = 200  # between looks whether the display's page has turned
STUCK_S = 3  # after so long without a pass the table's thread is not to be relied on
STUCK = "Felt on this host does not follow the table any more. Look at the host; start `felt run` again."
BROKEN = "The page cannot show the table as it is. The table itself goes on; tell those who look after Felt."


class Picture(NamedTuple):
    """The table at one moment, as JSON: for everybody, and for each post its console."""

    version: int
    public: str
    consoles: dict[str, str]


class PageSink:
    """The display's picture as PNG; `version` counts them."""

    def __init__(self) -> None:
        self.version = 0
        self.png = b""

    def show(self, image: Image.Image) -> None:
        self.png = png_bytes(image)
        self.version += 1

    def close(self) -> None:
        pass


class Hub:
    """An observer of the service; `seconds` is a clock that only grows, `log` where older rounds can be read."""

    def __init__(self, seconds: Callable[[], float] = time.monotonic, log: Path | None = None) -> None:
        self.seconds = seconds
        self.log = log
        self.posts: frozenset[str] = frozenset()  # whose console is open somewhere
        self.is_watched = False
        self.keeper = StateKeeper()
        self.picture = Picture(0, "null", {})
        self.sink = PageSink()
        self.display = Display(self.sink, DISPLAY_SIZE)
        self.passed_at = seconds()
        self.failure = ""  # why no picture could be made
        self.wake: Callable[[], None] = lambda: None  # told of every new picture, in the table's thread
        self._told: tuple[Any, ...] | None = None  # what else a picture depends on, besides the records
        self._new: deque[Record] = deque()
        self._done = 0  # the last command that the table said was done since it was joined
        self._posts_told = self.posts
        self._draw_at = 0
        self._whole: dict[str, Any] = {}  # the last description after whose records no more were due
        self._consoles: dict[str, str] = {}

    # -- in the table's thread

    def changed(self, service: TableService, change: Change) -> None:
        self._new.extend(change.records)
        for what, details in change.happenings:
            if what == "up":
                self._done = 0
            elif what == "answer" and details[1]:
                self._done = details[0].id

    def is_behind(self, service: TableService) -> bool:
        """Whether records are still to come of what the table has done; it answers before it sends them."""
        has_done = self.keeper.view.replay.last_command >= self._done
        return service.bridge.link.is_behind or bool(self._new) or not has_done or not self.keeper.is_whole

    def passed(self, service: TableService, now: int) -> None:
        failure = ""
        try:
            self.keep_up(service, now)
        except Exception as problem:
            # The table goes on whatever is wrong with its page, and the page says that it is stale.
            failure = f"{BROKEN} ({type(problem).__name__}: {problem})"
        self.passed_at = self.seconds()
        if failure != self.failure:
            self.failure = failure
            self.wake()

    def keep_up(self, service: TableService, now: int) -> None:
        if self.picture.version == 0:
            self._new.clear()  # they are in the log already
            self.read_log(service)
        while self._new:
            record = self._new.popleft()
            self._told = None
            self.keeper.take(record.number, record.record)
        why = service.news.stale_why()
        told = (why, service.config_problem, tuple(service.news.alarms))
        drawn = self.sink.version
        self.keeper.view.stale = bool(why)
        if self._posts_told != self.posts:
            self._posts_told = self.posts
            self._told = None
        if self.is_watched and (now >= self._draw_at or told != self._told):
            self._draw_at = now + DRAW_MS
            self.display.step(self.keeper.view.view(), now)
        if told != self._told and (self.keeper.is_whole or why):
            self.publish(service)
            self._told = told
        elif self.sink.version != drawn:
            self.wake()

    def read_log(self, service: TableService) -> None:
        """Begin with what the log holds; it can be read in the table's thread only."""
        self.keeper = StateKeeper()
        # Unnumbered: what was done before this start is told, but no more undone.
        held = (record for _, record in service.bridge.log.replayable())
        for record in recent_records(self.log) if self.log else held:
            self.keeper.take(None, record)
        self.publish(service)

    def publish(self, service: TableService) -> None:
        """A new picture. While records of an event are to come it is the last one but for the link and alarms."""
        fresh = self.keeper.describe(service)
        if self.keeper.is_whole or not self._whole:
            self._whole = fresh
            self._consoles = {post: json.dumps(self.keeper.describe_console(post)) for post in self._posts_told}
        shown = self._whole | {name: fresh[name] for name in ("link", "alarms", "holds")}
        self.picture = Picture(self.picture.version + 1, json.dumps(shown), self._consoles)
        self.wake()

    # -- in the page's loop

    def watch(self, posts: Iterable[str], is_watched: bool) -> None:
        """Whose consoles are open, and whether anybody looks: nothing else is made."""
        self.posts = frozenset(posts)
        self.is_watched = is_watched

    def stuck(self) -> str:
        """Why nothing comes from the table's thread, in words; empty while it does."""
        if self.failure:
            return self.failure
        return STUCK if self.seconds() - self.passed_at > STUCK_S else ""
