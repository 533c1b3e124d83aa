"""Keeps a display up to date: pages turn, and a display that fails is tried again without stopping anybody."""

from PIL import Image

from host.display.picture import draw
from host.display.sinks import DisplayFailed, Sink
from host.display.table_view import TableView

RETRY_MS = 5000


class Display:
    """A sink and what it shows; time is passed in. `failure` says why nothing is shown at present."""

    def __init__(self, sink: Sink, size: tuple[int, int]) -> None:
        self.sink = sink
        self.size = size
        self.failure: DisplayFailed | None = None
        self.shown: Image.Image | None = None
        self.situation: tuple[object, ...] = ()
        self.since = 0
        self.retry_at = 0

    def step(self, view: TableView, now: int) -> None:
        """Show the view as it is at this moment, in milliseconds, if that is anything new."""
        situation = (view.number, view.state, view.question, view.stale, view.faults, view.hand_pays)
        if situation != self.situation:
            # Pages start again when something happens, but not with every card: the later ones would never come.
            self.situation = situation
            self.since = now
        image = draw(view, self.size, now - self.since)
        if image == self.shown or (self.failure and now < self.retry_at):
            return
        try:
            self.sink.show(image)
        except DisplayFailed as failure:
            self.failure = failure
            self.retry_at = now + RETRY_MS
            return
        self.failure = None
        self.shown = image

    def close(self) -> None:
        self.sink.close()
