"""Draws the view of a table as the picture that every panel shows.

There are two panes: one says which game, limits and state, the other shows hands and results. At 128x32 they
stand side by side; at 64x32 they take turns. Where a pane has more than fits, its pages turn with time.
"""

from functools import partial

from PIL import Image

from host.display.pages import Page, detail_pages, draw_status
from host.display.palette import BLACK
from host.display.pane import HEIGHT, WIDTH, Pane
from host.display.view import TableView
from shared.states import REVEALED, SETTLED

SIZES = ((64, HEIGHT), (128, HEIGHT))
PAGE_MS = 2500


def draw(view: TableView, size: tuple[int, int], moment: int) -> Image.Image:
    """The picture at a moment, in milliseconds since the view last changed.

    ValueError for a size that is not drawn.
    """
    if size not in SIZES:
        drawn = " and ".join(f"{width}x{height}" for width, height in SIZES)
        raise ValueError(f"size: {size[0]}x{size[1]} is not drawn; there are {drawn}")
    image = Image.new("RGB", size, BLACK)
    turn = moment // PAGE_MS
    status, details = partial(draw_status, view), detail_pages(view)
    if size[0] == 64:
        pages = turning_pages(view, status, details)
        pages[turn % len(pages)](Pane(image, 0))
    else:
        status(Pane(image, 0))
        details[turn % len(details)](Pane(image, size[0] - WIDTH))
    return image


def turning_pages(view: TableView, status: Page, details: list[Page]) -> list[Page]:
    """What the small display shows one after the other: results come first when there are some."""
    needs_telling = view.stale or view.faults or view.hand_pays
    if view.state in (REVEALED, SETTLED) and not needs_telling:
        return [*details, status]
    return [status, *details]


def page_count(view: TableView, size: tuple[int, int]) -> int:
    """How many pages turn at this size."""
    details = len(detail_pages(view))
    return details + 1 if size[0] == 64 else details
