"""`felt display gallery`: every scene as a file, the sheet of all of them, and the strips of references."""

from click.testing import CliRunner
from PIL import Image

from host.cli import felt
from tests.host.display.test_picture import REFERENCES
from tests.tables import MBS


def run(*arguments):
    return CliRunner().invoke(felt, ["display", *map(str, arguments)])


def test_the_gallery_of_one_game(tmp_path):
    folder = tmp_path / "new" / "gallery"
    done = run("gallery", MBS, "-o", folder)
    assert done.exit_code == 0
    pictures = sorted(path.name for path in (folder / MBS).iterdir())
    assert done.output == f"{folder}: {len(pictures) + 1} pictures\n"
    assert "03-betting-64x32.png" in pictures
    assert "03-betting-128x32.png" in pictures
    with Image.open(folder / MBS / "03-betting-64x32.png") as image:
        assert image.size == (64 * 6, (32 + 1 + 32) * 6), "two pages"
    with Image.open(folder / "gallery.png") as image:
        assert image.getbbox()


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
