"""Draws the view of a table as the picture that every panel shows.

There are two panes: one says which game, limits and state, the other shows hands and results. At 128x32 they
stand side by side; at 64x32 they take turns. Where a pane has more than fits, its pages turn with time.
"""

from functools import partial

from PIL import Image

from host.display.pages import DisplayPage, detail_pages, draw_status, draw_suits
from host.display.palette import BLACK
from host.display.pane import HEIGHT, WIDTH, Pane
from host.display.table_view import TableView
from shared.round.states import REVEALED, SETTLED

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
    for left, pages in columns(view, size):
        pane = Pane()
        pages[moment // PAGE_MS % len(pages)](pane)
        image.paste(pane.image, (left, 0))
    return image


def columns(view: TableView, size: tuple[int, int]) -> list[tuple[int, list[DisplayPage]]]:
    """Where each pane begins, and the pages that turn in it."""
    status: DisplayPage = partial(draw_status, view)
    side_by_side = size[0] > WIDTH * 2
    details = detail_pages(view, not side_by_side)
    if side_by_side:
        return [(0, [status]), (size[0] - WIDTH, details or [draw_suits])]
    # Results come first when there are some, unless something must be told before them.
    urgent = view.stale or view.faults or view.hand_pays
    if view.state in (REVEALED, SETTLED) and not urgent:
        return [(0, [*details, status])]
    return [(0, [status, *details])]


def page_count(view: TableView, size: tuple[int, int]) -> int:
    """How many pictures turn at this size."""
    return max(len(pages) for _, pages in columns(view, size))
