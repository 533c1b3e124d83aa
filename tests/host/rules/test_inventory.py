"""Every paragraph is listed, every one that the controller acts on is named by a test, every citation exists."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from host.cli import felt
from host.rules.catalogue import all_books
from host.rules.coverage import SHOWN_ONLY, gaps, named_by_tests
from host.rules.inventory import paragraphs, readings
from tests.support.tables import GAMES, LUCKY

ROOT = Path(__file__).parents[3]
ROWS = {(row.rulebook, row.paragraph): row for row in paragraphs()}
COUNTS = {
    "rws-lucky-three-pictures-2": 105,
    "mbs-three-pictures-2": 44,
    "rws-three-pictures-4": 88,
    "rws-three-card-poker-2": 72,
    "mbs-royal-three-pictures-2": 84,
}


def test_the_inventory_has_every_paragraph_of_every_book():
    assert len(ROWS) == 393
    assert {game: sum(book == game for book, _ in ROWS) for game in GAMES} == COUNTS


def test_no_paragraph_that_the_controller_acts_on_is_without_a_test():
    assert [f"{row.rulebook} {row.paragraph}" for row in gaps()] == []


def test_every_paragraph_that_a_test_names_exists():
    assert [key for key in named_by_tests() if key not in ROWS] == []


def test_a_paragraph_without_a_test_would_be_seen(tmp_path):
    (tmp_path / "support").mkdir()
    (tmp_path / "support" / "tables.py").write_text('LUCKY = "rws-lucky-three-pictures-2"\n')
    test = '@rule("5.13", "5.14")\ndef test_one():\n    assert True\n'
    (tmp_path / "test_x.py").write_text("BOOK = LUCKY\n" + test)
    assert set(named_by_tests(tmp_path)) == {(LUCKY, "5.13"), (LUCKY, "5.14")}


def test_every_reading_named_by_the_inventory_or_the_code_exists():
    known = readings()
    for row in ROWS.values():
        assert set(row.readings.split()) <= set(known), row
    for path in [*(ROOT / "shared").rglob("*.py"), *(ROOT / "host").glob("**/*.py")]:
        if "node_modules" not in path.parts:
            cited = set(re.findall(r"\b[LMNTRX]-\d\d\b", path.read_text()))
            assert cited <= set(known), (path, cited - set(known))


@pytest.mark.parametrize("book", all_books(), ids=lambda book: book.ID)
def test_every_paragraph_that_a_book_cites_is_its_own(book):
    """Pay lines, wagers, deals, irregularities and procedures cite the book's paragraphs or a reading."""
    cited = [line.paragraph for wager in book.WAGERS for line in (*wager.lines, wager.unmet) if line]
    cited += [wager.paragraph for wager in book.WAGERS] + [deal.paragraph for deal in book.DEALS]
    cited += [entry.paragraph for entry in book.IRREGULARITIES.values()] + [book.RANKING]
    procedure = book.PROCEDURE
    cited += [procedure.opening, procedure.closing, procedure.reveal, procedure.ending, procedure.staff_bets]
    cited += [
        procedure.seated_look,
        procedure.looking,
        procedure.one_look,
        procedure.shown_first,
        procedure.layout,
    ]
    cited += [procedure.late_bet[0], procedure.late_take_back[0], procedure.void_refund[0], procedure.gap[0]]
    cited += list(book.LIMITS[1:5]) + list((book.OUTCOME or ())[:2]) + list((book.CHOICES or ())[:3])
    known = readings()
    for paragraph in filter(None, cited):
        assert (book.ID, paragraph) in ROWS or paragraph in known, paragraph


def test_coverage_prints_every_paragraph_and_no_gap():
    done = CliRunner().invoke(felt, ["rules", "coverage"])
    assert done.exit_code == 0
    assert "393 paragraphs" in done.output
    assert "; 0 without a test" in done.output
    acted = sum(row.controller != SHOWN_ONLY for row in ROWS.values())
    assert f"{acted} that the controller acts on" in done.output


def test_show_explains_a_paragraph_with_its_readings_and_tests():
    shown = CliRunner().invoke(felt, ["rules", "show", "lucky", "5.1.1"]).output
    assert "L-23" in shown
    assert "697.50" in shown
    assert "shown by   tests/shared/" in shown
    assert "L-23" in CliRunner().invoke(felt, ["rules", "show", "lucky", "L-23"]).output


def test_an_unknown_paragraph_is_answered_with_those_near_it():
    done = CliRunner().invoke(felt, ["rules", "show", "lucky", "5.99"])
    assert done.exit_code == 1
    assert "near it are: 5.1, 5.1.1" in done.output
