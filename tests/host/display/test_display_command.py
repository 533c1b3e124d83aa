"""`felt display gallery`: every scene as a file, the sheet of all of them, and the strips of references."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image

from host.cli import felt
from host.display.leds import as_leds
from host.display.picture import PAGE_MS, draw, page_count
from host.rules.catalogue import find_book
from host.simulator.scenes import scenes
from tests.host.display.test_picture import REFERENCES
from tests.support.tables import MBS

ROOT = Path(__file__).parents[3]


def run(*arguments):
    return CliRunner().invoke(felt, ["display", *map(str, arguments)])


@pytest.mark.slow
def test_the_gallery_of_one_game(tmp_path):
    folder = tmp_path / "new" / "gallery"
    done = run("gallery", MBS, "-o", folder)
    assert done.exit_code == 0
    pictures = sorted(path.name for path in (folder / MBS).iterdir())
    assert done.output == f"{folder}: {len(pictures) + 2} pictures\n"
    assert "03-betting-64x32.png" in pictures
    assert "03-betting-128x32.png" in pictures
    with Image.open(folder / MBS / "03-betting-64x32.png") as image:
        assert image.size == (64 * 6, (32 + 1 + 32) * 6), "two pages"
    with Image.open(folder / "gallery.png") as image:
        assert image.getbbox()
    with Image.open(folder / "display.png") as new, Image.open(ROOT / "host/pictures/display.png") as kept:
        assert new.tobytes() == kept.tobytes(), "the README's picture is another; copy display.png there"


def test_a_scene_in_the_terminal():
    done = run("show", "royal", "--scene", "settled", "--seconds", 0, "--size", "128x32")
    assert done.exit_code == 0
    pages = page_count(next(one.view for one in scenes(find_book("royal")) if one.name == "settled"), (128, 32))
    lines = done.output.splitlines()
    assert len(lines) == 16 * pages
    assert {len(line) for line in lines} == {128}


def test_all_scenes_go_to_a_file_one_after_the_other(tmp_path):
    file = tmp_path / "table.png"
    done = run("show", MBS, "--kind", "png", "--set", f"file={file}", "--set", "scale=2", "--seconds", 0)
    assert (done.exit_code, done.output) == (0, "")
    last = list(scenes(find_book(MBS)))[-1].view
    with Image.open(file) as image:
        shown = as_leds(draw(last, (64, 32), (page_count(last, (64, 32)) - 1) * PAGE_MS), 2)
        assert image.tobytes() == shown.tobytes()


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--scene", "settle"], 1, "there is no scene 'settle'; there are: unknown, idle, betting"),
        (["--size", "1x1"], 1, 'size: "1x1" is not one of "64x32" or "128x32"'),
        (["--set", "rotate=45"], 1, "rotate: 45 is not one of 0, 90, 180 or 270"),
        (["--set", "rows=round"], 1, 'rows: "round" is not one of "same", "zigzag" or "folded"'),
        (["--set", "tint=1"], 1, "tint: no such field in [display]; there are kind, size"),
        (["--set", "reverse"], 1, "reverse: expected true or false without quotes; this is text"),
        (["--kind", "png"], 1, "file: a display of the kind png needs a file to write"),
        (["--kind", "lcd"], 2, "Invalid value for '--kind'"),
        (["--seconds", "-1"], 2, "Invalid value for '--seconds'"),
        (["--seconds", "nan"], 2, "Invalid value for '--seconds'"),
    ],
)
def test_what_cannot_be_shown_is_said_in_words(arguments, status, words):
    done = run("show", MBS, *arguments)
    assert done.exit_code == status
    assert words in done.output


def test_a_display_that_is_not_there_is_said_in_words(monkeypatch):
    monkeypatch.setitem(sys.modules, "rgbmatrix", None)
    done = run("show", MBS, "--kind", "hub75")
    assert done.exit_code == 1
    assert "HUB75 needs rgbmatrix" in done.output


def test_raw_strips_are_the_references(tmp_path):
    assert run("gallery", MBS, "--raw", "-o", tmp_path).exit_code == 0
    made = sorted(path.name for path in tmp_path.iterdir())
    assert made == [f"{MBS}-128x32.png", f"{MBS}-64x32.png"]
    for name in made:
        with Image.open(tmp_path / name) as new, Image.open(REFERENCES / name) as kept:
            assert new.tobytes() == kept.tobytes()


def test_a_folder_that_cannot_be_is_said_in_words(tmp_path):
    (tmp_path / "file").write_text("")
    done = run("gallery", MBS, "-o", tmp_path / "file" / "below")
    assert done.exit_code == 1
    assert "cannot write into" in done.output
    assert "Traceback" not in done.output
    assert run("gallery").exit_code == 2
    assert run("gallery", "nonsense", "-o", tmp_path).exit_code == 2
