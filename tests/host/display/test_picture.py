"""The picture: as it was drawn before in every state, readable, and never told by colour alone."""

from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from host.commands.display import strip_name
from host.display import palette
from host.display.font import NORMAL, SMALL
from host.display.leds import monochrome
from host.display.pane import FINE, WIDTH, width
from host.display.picture import PAGE_MS, SIZES, draw, page_count
from host.display.table_view import Box, Hand, Limit, Outcome, TableView
from host.display.words import HEADLINES, QUESTIONS, headline, shorten
from host.rules.catalogue import all_books, find_book
from host.simulator.gallery import scene_pages
from host.simulator.scenes import scenes
from host.words.faults import ADVICE
from host.words.money import dollars
from shared.round.states import IDLE
from tests.support.display.reading import shows
from tests.support.tables import GAMES, LUCKY, POKER

pytestmark = pytest.mark.slow

REFERENCES = Path(__file__).parent / "references"
SMALL_SIZE, LARGE_SIZE = SIZES
REMAKE = "if it is meant: felt display gallery --raw -o tests/host/display/references"


# -- as it was drawn before


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("game", GAMES)
def test_every_state_is_drawn_as_in_its_reference(game, size):
    path = REFERENCES / strip_name(game, size)
    with Image.open(path) as file:
        reference = file.convert("RGB")
    wide, high = size
    known = list(scenes(find_book(game)))
    assert reference.height == high * len(known), f"{path.name}: other scenes; {REMAKE}"
    for down, scene in enumerate(known):
        for across, page in enumerate(scene_pages(scene.view, size)):
            box = (across * wide, down * high, (across + 1) * wide, (down + 1) * high)
            if ImageChops.difference(page, reference.crop(box)).getbbox():
                new = path.with_suffix(".new.png")
                page.save(new)
                pytest.fail(f"{game} {wide}x{high}: {scene.name!r}, page {across + 1}, is now {new}; {REMAKE}")


def test_the_scenes_show_every_state_of_a_round_and_everything_that_can_be_said():
    views = [scene.view for book in all_books() for scene in scenes(book)]
    assert {view.state for view in views} == set(HEADLINES) | {"frozen"}
    assert {view.question.kind for view in views if view.question} >= {"check", "tell", "choose", "ruling"}
    assert any(view.stale for view in views)
    assert any(view.faults for view in views)
    assert any(view.hand_pays for view in views)
    assert any(view.was_reversed for view in views)
    assert any(view.qualifies is False for view in views)
    assert any("??" in box.hand.cards for view in views for box in view.boxes)
    assert max(len(view.history) for view in views) >= 12
    results = {outcome.result for view in views for box in view.boxes for outcome in box.outcomes}
    assert results >= {"win", "lose", "push"}


# -- what can be read on it


def all_pages(view, size):
    return [draw(view, size, turn * PAGE_MS) for turn in range(page_count(view, size))]


def somewhere(view, size, text):
    return any(shows(page, text) for page in all_pages(view, size))


def scene_of(game, name):
    return next(scene.view for scene in scenes(find_book(game)) if scene.name == name)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("state", ["idle", "betting", "history"])
def test_the_main_limits_stand_on_every_page_while_people_may_think_of_betting(game, state, size):
    for page in all_pages(scene_of(game, state), size):
        assert shows(page, "$25-$5,000")


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("betting", "OPEN"),
        ("closed", "CLOSED"),
        ("settled", "RESULT"),
        ("void", "ALL BETS BACK"),
        ("reversed", "RESULT REVERSED"),
        ("waiting for a ruling", "AWAITING RULING"),
        ("checking a card", "CHECKING A CARD"),
        ("fault", "SHUFFLER JAM"),
        ("betting without link", "NO LINK"),
        ("tie", "TIE"),
        ("all lose", "LOSE"),
        ("one winner", "WIN"),
    ],
)
def test_each_state_says_in_words_what_it_is(game, name, words):
    for size in SIZES:
        assert somewhere(scene_of(game, name), size, words)


@pytest.mark.parametrize("game", GAMES)
def test_betting_is_not_said_to_be_open_when_the_link_is_lost(game):
    for size in SIZES:
        assert not somewhere(scene_of(game, "betting without link"), size, "OPEN")


def test_winners_stand_with_their_odds():
    view = scene_of(LUCKY, "settled")
    for size in SIZES:
        assert somewhere(view, size, "+LUCKY TIE")
        assert somewhere(view, size, "15:1"), "Dealer Lucky 6 with one picture"
        assert somewhere(view, size, "10:1"), "four pictures in both hands"


def test_the_dealers_cards_are_there_after_the_reveal_and_not_before():
    for size in SIZES:
        assert somewhere(scene_of(LUCKY, "revealed"), size, "J♣")
        assert not somewhere(scene_of(LUCKY, "partly shown"), size, "J♣")
        assert somewhere(scene_of(LUCKY, "partly shown"), size, "K♠")


def test_the_jackpot_and_what_waits_to_be_paid_by_hand():
    for size in SIZES:
        assert somewhere(scene_of(POKER, "betting"), size, "$12,345")
        assert somewhere(scene_of(POKER, "hand pay"), size, "HAND PAY")
        assert somewhere(scene_of(POKER, "hand pay"), size, "$12,347")
        assert not somewhere(scene_of(POKER, "jackpot paid"), size, "HAND PAY")
        assert somewhere(scene_of(POKER, "hand pay"), size, "NOT QUALIFIED")


def test_a_fold_is_said_and_its_cards_are_not():
    view = scene_of(POKER, "settled")
    for size in SIZES:
        assert somewhere(view, size, "FOLD")
        assert not somewhere(view, size, "8♠")


def test_a_table_without_limits_points_to_its_sign():
    view = TableView(title="Three Pictures", state=IDLE)
    for size in SIZES:
        assert somewhere(view, size, "LIMITS: SEE SIGN")


def box_of(number, *outcomes, out=False):
    return Box(
        number, Hand(3, ("KS", "QS", "9S"), "Double Pictures Nine", "9", "9", 2), None, None, out, outcomes
    )


def test_sixteen_boxes_each_have_their_row():
    boxes = tuple(box_of(number, Outcome("Main", True, "win", "1:1")) for number in range(1, 17))
    view = TableView(title="Three Pictures", state="settled", boxes=boxes)
    assert page_count(view, SMALL_SIZE) == 7, "six pages of three boxes, and the status"
    assert page_count(view, LARGE_SIZE) == 6
    assert somewhere(view, SMALL_SIZE, "16")


@pytest.mark.parametrize("pays", ["1:1", "1:2", "1000:1", "$1,250", "$10,000.75", "100%", None])
def test_whatever_is_paid_fits_its_row(pays):
    outcomes = (Outcome("Main", True, "win", pays), Outcome("Progressive Jackpot", False, "win", pays))
    view = TableView(title="Three Pictures", state="settled", boxes=(box_of(16, *outcomes),))
    for size in SIZES:
        assert somewhere(view, size, pays or "WIN")


def test_huge_limits_and_meters_are_written_in_full():
    limits = (Limit("Main wager", True, 1_000_000, 100_000_000),)
    view = TableView(title="Three Pictures", state=IDLE, limits=limits, meter=123_456_789)
    for size in SIZES:
        assert somewhere(view, size, "$10,000-1,000,000")
        assert somewhere(view, size, "$1,234,567.89")


def test_a_limit_that_cannot_be_written_in_full_is_short_and_still_exact():
    huge = Limit("Main wager", True, 10_000_000, 1_000_000_000)
    odd = Limit("Main wager", True, 1_000_050, 1_000_000_000)
    for limit, words in ((huge, "$100K-$10M"), (odd, "$10,000.50-$10M")):
        view = TableView(title="Three Pictures", state=IDLE, limits=(limit,))
        assert all(shows(page, words) for size in SIZES for page in all_pages(view, size))


def test_pages_turn_with_time_and_come_round_again():
    view = scene_of(LUCKY, "eight boxes")
    count = page_count(view, SMALL_SIZE)
    pages = [draw(view, SMALL_SIZE, turn * PAGE_MS).tobytes() for turn in range(count)]
    assert len(set(pages)) == count
    assert draw(view, SMALL_SIZE, PAGE_MS - 1).tobytes() == pages[0]
    assert draw(view, SMALL_SIZE, count * PAGE_MS).tobytes() == pages[0]


def test_other_sizes_are_refused_in_words():
    with pytest.raises(ValueError, match="size: 96x32 is not drawn; there are 64x32 and 128x32"):
        draw(TableView(), (96, 32), 0)


# -- letters


def signs_in_use():
    for book in all_books():
        yield shorten(book.TITLE, book.SHORTER, lambda text: width(text, FINE) <= WIDTH)
        for wager in book.WAGERS:
            yield wager.title.upper()
    for said in HEADLINES.values():
        yield said.words + said.detail + said.before
    yield from QUESTIONS.values()
    for code in ADVICE:
        yield headline(TableView(faults=(code,))).detail
    yield dollars(-123_456_789) + "0123456789:%+-/"


@pytest.mark.parametrize("font", [NORMAL, SMALL], ids=["normal", "small"])
def test_every_sign_that_is_written_is_drawn_and_no_two_look_alike(font):
    needed = {sign for text in signs_in_use() for sign in text} - {" "}
    assert needed - {"_"} <= set(font.glyphs)
    assert all(len(rows) == font.height and len({len(row) for row in rows}) == 1 for rows in font.glyphs.values())
    drawn = {}
    for sign, rows in font.glyphs.items():
        assert rows not in drawn, f"{sign} looks like {drawn[rows]}"
        drawn[rows] = sign


@pytest.mark.parametrize("book", all_books(), ids=lambda book: book.ID)
def test_the_title_fits_and_no_two_games_have_the_same(book):
    titles = [shorten(one.TITLE, one.SHORTER, lambda text: width(text, FINE) <= WIDTH) for one in all_books()]
    assert len(set(titles)) == len(titles)
    assert width(shorten(book.TITLE, book.SHORTER, lambda text: width(text, FINE) <= WIDTH), FINE) <= WIDTH


@pytest.mark.parametrize("code", ADVICE)
def test_every_fault_fits(code):
    assert width(headline(TableView(faults=(code,))).detail, FINE) <= WIDTH


# -- colours


def test_only_colours_of_the_palette_are_used_and_one_colour_never_lies_on_another():
    used = set()
    for game in GAMES:
        for scene in scenes(find_book(game)):
            for page in scene_pages(scene.view, LARGE_SIZE):
                used |= {colour for _, colour in page.getcolors(4096)}
    assert used - {palette.BLACK} <= set(palette.ALL)


def test_without_colour_every_lit_pixel_stays_lit():
    """So the words on a panel of one colour are those of the coloured one."""
    view = scene_of(LUCKY, "settled")
    for page in all_pages(view, SMALL_SIZE):
        lit = monochrome(page)
        assert lit.mode == "1"
        for y in range(page.height):
            for x in range(page.width):
                assert bool(lit.getpixel((x, y))) == (page.getpixel((x, y)) != (0, 0, 0))


# How red, green and blue light reach the eye of somebody without one kind of cone: Machado, Oliveira and
# Fernandes (2009), severity 1.0, for linear light.
CONES_MISSING = {
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
FULL_SIGHT = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def times(matrix, vector):
    return [sum(weight * value for weight, value in zip(row, vector)) for row in matrix]


def lab(colour, sight):
    """CIE L*a*b* of an sRGB colour as it is seen."""
    linear = [(c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4) for c in colour]
    seen = [min(1.0, max(0.0, value)) for value in times(sight, linear)]
    to_xyz = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    x, y, z = (
        (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116)
        for t in (value / white for value, white in zip(times(to_xyz, seen), (0.9505, 1.0, 1.089)))
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("sight", [FULL_SIGHT, *CONES_MISSING.values()], ids=["full", *CONES_MISSING])
def test_the_colour_blind_can_tell_the_colours_of_results_apart(sight):
    """A difference of 20 in L*a*b* is seen at a glance; 2.3 can just be told."""
    meanings = (palette.GREEN, palette.ORANGE, palette.YELLOW, palette.PURPLE)
    for place, one in enumerate(meanings):
        for other in meanings[place + 1 :]:
            apart = sum((a - b) ** 2 for a, b in zip(lab(one, sight), lab(other, sight))) ** 0.5
            assert apart > 20, (one, other, apart)


def test_no_result_is_told_by_colour_alone():
    """With one result in place of another the picture differs also where nobody can see colours."""
    seen = set()
    for result in ("win", "lose", "push", "returned"):
        view = TableView(title="X", state="settled", boxes=(box_of(1, Outcome("Main", True, result, None)),))
        seen.add(monochrome(draw(view, SMALL_SIZE, 0)).tobytes())
    history = [
        replace(scene_of(LUCKY, "history"), history=(past,)) for past in scene_of(LUCKY, "history").history
    ]
    assert len(seen) == 4
    assert len({monochrome(draw(view, SMALL_SIZE, 0)).tobytes() for view in history}) == len(
        {view.history for view in history}
    )
