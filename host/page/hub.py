"""Between the table's thread and the page: pictures of the table, each whole, and the display's picture.

The table's thread makes them and puts them here; the page's loop takes the newest, however many it missed.
"""

import json
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from PIL import Image

from host.display.display import Display
from host.display.leds import png_bytes
from host.page.state import describe, describe_console
from host.table.service import Change, TableService
from host.words.page import PAGE

DISPLAY_SIZE = (128, 32)
DRAW_MS = 200  # between looks whether the display's page has turned
STUCK_S = 3  # after so long without a pass the table's thread is not to be relied on


class Picture(NamedTuple):
    """The table at one moment, as JSON: for everybody, and for each post its console."""

    version: int
    public: str
    consoles: dict[str, str]


class Hub:
    """An observer of the service, and a sink for the display; `seconds` is a clock that only grows."""

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self.posts: frozenset[str] = frozenset()  # whose console is open somewhere
        self.is_watched = False
        self.picture = Picture(0, "null", {})
        self.png = b""  # the display's picture
        self.drawn = 0  # how many of them there were
        self.display = Display(self, DISPLAY_SIZE)
        self.passed_at = seconds()
        self.failure = ""  # why no picture could be made
        self.wake: Callable[[], None] = lambda: None  # told of every new picture, in the table's thread
        self._told: tuple[Any, ...] | None = None  # what else a picture depends on, besides the records
        self._posts_told = self.posts
        self._draw_at = 0
        self._whole: dict[str, Any] = {}  # the last description after whose records no more were due
        self._consoles: dict[str, str] = {}

    # -- in the table's thread

    def passed(self, service: TableService, change: Change, now: int) -> None:
        failure = ""
        if change.records:
            self._told = None
        try:
            self.keep_up(service, now)
        except Exception as problem:
            # The table goes on if its page fails, and the page says that it is stale.
            failure = f"{PAGE['broken']} ({type(problem).__name__}: {problem})"
        self.passed_at = self.seconds()
        if failure != self.failure:
            self.failure = failure
            self.wake()

    def keep_up(self, service: TableService, now: int) -> None:
        why = service.stale_why()
        told = (why, service.config_problem, service.alarms)
        drawn = self.drawn
        if self._posts_told != self.posts:
            self._posts_told = self.posts
            self._told = None
        if self.is_watched and (now >= self._draw_at or told != self._told):
            self._draw_at = now + DRAW_MS
            self.display.step(service.view, now)
        if told != self._told and (service.keeper.is_whole or why or not self.picture.version):
            self.publish(service)
            self._told = told
        elif self.drawn != drawn:
            self.wake()

    def publish(self, service: TableService) -> None:
        """A new picture. While records of an event are to come it is the last one but for the link and alarms."""
        fresh, keeper = describe(service), service.keeper
        if keeper.is_whole or not self._whole:
            self._whole = fresh
            self._consoles = {post: json.dumps(describe_console(keeper, post)) for post in self._posts_told}
        shown = self._whole | {name: fresh[name] for name in ("link", "alarms", "holds")}
        self.picture = Picture(self.picture.version + 1, json.dumps(shown), self._consoles)
        self.wake()

    def show(self, image: Image.Image) -> None:
        self.png = png_bytes(image)
        self.drawn += 1

    def close(self) -> None:
        """The last picture stays on the page."""

    # -- in the page's loop

    def watch(self, posts: Iterable[str], is_watched: bool) -> None:
        """Whose consoles are open, and whether anybody looks: nothing else is made."""
        self.posts = frozenset(posts)
        self.is_watched = is_watched

    def stuck(self) -> str:
        """Why nothing comes from the table's thread, in words; empty while it does."""
        if self.failure:
            return self.failure
        return PAGE["stuck"] if self.seconds() - self.passed_at > STUCK_S else ""
