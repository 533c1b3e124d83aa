"""The display kept up to date: pages turn with time, and a sink that fails holds nobody up."""

from dataclasses import replace

import pytest

from host.display.display import RETRY_MS, Display
from host.display.picture import PAGE_MS, SIZES, draw, page_count
from host.display.sinks import DisplayFailed
from tests.support.display.tables import Watched, deal
from tests.support.tables import LUCKY

SIZE = SIZES[0]


class Album:
    """A sink that keeps what it is shown."""

    def __init__(self):
        self.pictures = []
        self.fails = False
        self.is_closed = False

    def show(self, image):
        if self.fails:
            raise DisplayFailed("display.no_answer", reason="the cable is out")
        self.pictures.append(image.tobytes())

    def close(self):
        self.is_closed = True


@pytest.fixture
def album():
    return Album()


def opened(*events):
    table = Watched({"game": LUCKY, "boxes": 8, "limits": {"initial": [1000, 200_000]}})
    table.play(["open"], *([["bet", box, f"P{box}", "initial", 1000] for box in range(1, 9)]), *events)
    return table


def test_nothing_is_shown_twice_and_every_page_comes(album):
    display = Display(album, SIZE)
    table = opened(["close"], *deal("KS 4H 2D 9C 8C 3H AS 5S 6S"))
    count = page_count(table.view, SIZE)
    for now in range(70_000, 70_000 + count * PAGE_MS, 100):
        display.step(table.view, now)
    assert album.pictures == [draw(table.view, SIZE, turn * PAGE_MS).tobytes() for turn in range(count)]
    assert len(set(album.pictures)) == count > 2


def test_pages_turn_on_while_cards_come_and_begin_anew_in_another_state(album):
    display = Display(album, SIZE)
    table = opened(["close"])
    table.play(*deal("KS"))
    display.step(table.view, 0)
    table.play(*deal("4H"))
    display.step(table.view, PAGE_MS)
    assert album.pictures[-1] == draw(table.view, SIZE, PAGE_MS).tobytes(), "the hands, not the first page again"
    display.step(replace(table.view, stale=True), PAGE_MS + 10)
    assert album.pictures[-1] == draw(replace(table.view, stale=True), SIZE, 0).tobytes()


def test_a_sink_that_fails_is_tried_again_after_a_while(album):
    display = Display(album, SIZE)
    table = opened()
    album.fails = True
    display.step(table.view, 1000)
    assert display.failure.args == ("display.no_answer", {"reason": "the cable is out"})
    album.fails = False
    display.step(table.view, 1000 + RETRY_MS - 1)
    assert album.pictures == []
    display.step(table.view, 1000 + RETRY_MS)
    assert display.failure is None
    assert len(album.pictures) == 1
    display.close()
    assert album.is_closed
