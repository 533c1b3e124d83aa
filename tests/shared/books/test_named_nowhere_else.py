"""A book says everything itself: no module outside shared/books names one, a reading of it, or its hands."""

import ast
import re
from pathlib import Path

import pytest

from host.rules.catalogue import all_books, all_wagers
from host.rules.inventory import readings

ROOT = Path(__file__).parents[3]
BOOKS = ROOT / "shared/books"
# Hand values that several books may share; books alone import them.
HAND_VALUES = ("shared/rules/pictures.py", "shared/rules/poker.py")
# Wagers called as a thing that every module may name: a role, a key, a section of the configuration.
COMMON_WORDS = {"main", "initial", "play", "tie", "progressive"}

MODULES = sorted(
    path.relative_to(ROOT).as_posix()
    for room in ("boards", "firmware", "host", "shared")
    for path in (ROOT / room).rglob("*.py")
    if not path.is_relative_to(BOOKS) and "node_modules" not in path.parts
)


def texts(tree):
    """Every text of a module that is not a docstring."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def imports(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def said_by_one_book():
    """Ids, modules, titles and operators of the books, and the readings that hold for one of them."""
    for book in all_books():
        yield from (book.ID, book.ID.replace("-", "_"), book.TITLE, book.OPERATOR)
    yield from (reading.id for reading in readings().values() if reading.book)


SAID = re.compile(r"(?<![\w-])(" + "|".join(map(re.escape, said_by_one_book())) + r")(?![\w-])")


def named_hands_and_wagers():
    for book in all_books():
        for family in book.HANDS:
            yield from (family.name, family.name.replace("%s", "").strip(), family.short)
        yield from (wager.name for wager in all_wagers(book))
        yield from (wager.title for wager in all_wagers(book))


NAMED = {name for name in named_hands_and_wagers() if len(name) > 2} - COMMON_WORDS


@pytest.mark.parametrize("module", MODULES)
def test_no_module_outside_the_books_knows_one(module):
    source = (ROOT / module).read_text()
    tree = ast.parse(source)
    for name in imports(tree):
        assert not re.match(r"shared\.(books\.\w|rules\.(pictures|poker)\b)", name), f"{module} imports {name}"
    if module in HAND_VALUES:
        return
    assert SAID.findall(source) == []
    assert [text for text in texts(tree) if text in NAMED] == []


def test_the_search_finds_what_it_looks_for():
    book = (BOOKS / "rws_three_card_poker_2.py").read_text()
    assert {"rws-three-card-poker-2", "Three Card Poker", "RWS", "T-25"} <= set(SAID.findall(book))
    assert {"Straight Flush", "TRIPS", "pair_plus", "Ante Bonus"} <= NAMED & set(texts(ast.parse(book)))
    assert "shared.rules.poker" in set(imports(ast.parse(book)))
    assert not SAID.findall("X-03 holds for all")
