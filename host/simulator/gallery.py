"""Pictures of every scene of the display: as references, pixel by pixel, and as it looks on a panel."""

from types import ModuleType

from PIL import Image

from host.display.leds import as_leds
from host.display.pane import BOLD, write
from host.display.picture import PAGE_MS, SIZES, draw, page_count
from host.display.table_view import TableView
from host.rules.catalogue import all_books
from host.simulator.scenes import scenes

FRAME = (32, 34, 44)
INK = (200, 204, 214)
MARGIN = 6
LABEL = 20
SAMPLES = (
    "betting",
    "partly shown",
    "revealed",
    "settled",
    "idle",
    "partly decided",
    "hand pay",
    "waiting for a ruling",
)


def scene_pages(view: TableView, size: tuple[int, int]) -> list[Image.Image]:
    return [draw(view, size, turn * PAGE_MS) for turn in range(page_count(view, size))]


def strip(book: ModuleType, size: tuple[int, int]) -> Image.Image:
    """All scenes of a game at one size, as they are: a scene a row, its pages side by side."""
    rows = [scene_pages(scene.view, size) for scene in scenes(book)]
    width, height = size
    made = Image.new("RGB", (width * max(map(len, rows)), height * len(rows)))
    for down, pages in enumerate(rows):
        for across, page in enumerate(pages):
            made.paste(page, (across * width, down * height))
    return made


def poster(view: TableView, size: tuple[int, int], scale: int) -> Image.Image:
    """One scene as it looks on a panel, its pages one below the other."""
    pages = scene_pages(view, size)
    made = Image.new("RGB", (size[0] * scale, (size[1] + 1) * scale * len(pages) - scale), FRAME)
    for place, page in enumerate(pages):
        made.paste(as_leds(page, scale), (0, place * (size[1] + 1) * scale))
    return made


def contact_sheet(books: list[ModuleType], scale: int = 3) -> Image.Image:
    """The first page of every scene, a scene a row; each game has a column for each size."""
    shown = [list(scenes(book)) for book in books]
    names = list(dict.fromkeys(scene.name for some in shown for scene in some))
    step = max(height for _, height in SIZES) * scale + LABEL
    wide = sum(width for width, _ in SIZES) * scale + 2 * MARGIN
    made = Image.new("RGB", (wide * len(books) + MARGIN, step * len(names) + LABEL + MARGIN), FRAME)
    for column, (book, some) in enumerate(zip(books, shown)):
        left = MARGIN + column * wide
        label(made, left, MARGIN, f"{book.TITLE} ({book.OPERATOR})")
        for scene in some:
            top = LABEL + names.index(scene.name) * step
            label(made, left, top + MARGIN, scene.name)
            x = left
            for size in SIZES:
                made.paste(as_leds(draw(scene.view, size, 0), scale), (x, top + LABEL))
                x += size[0] * scale + MARGIN
    return made


def sampler(scale: int = 4) -> Image.Image:
    """A few telling scenes, each of another game where it can be, as the picture for the documentation."""
    shown = [{scene.name: scene.view for scene in scenes(book)} for book in all_books()]
    size = SIZES[-1]
    wide, high = size[0] * scale + MARGIN, size[1] * scale + MARGIN
    made = Image.new("RGB", (2 * wide + MARGIN, len(SAMPLES) // 2 * high + MARGIN), FRAME)
    for place, name in enumerate(SAMPLES):
        views = [views[name] for views in shown if name in views]
        picture = as_leds(draw(views[place % len(views)], size, 0), scale)
        made.paste(picture, (MARGIN + place % 2 * wide, MARGIN + place // 2 * high))
    return made


def label(image: Image.Image, left: int, top: int, text: str) -> None:
    """Words in the display's own letters, twice their size."""
    write(image, left, top, text.upper(), INK, BOLD)
