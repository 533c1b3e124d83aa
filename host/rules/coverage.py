"""Finds the tests of each paragraph: scans the project's own tests.

A test names its paragraphs with `@rule("5.13")`, and its rulebook with BOOK, or BOOKS, at the top of its module.
"""

import ast
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path

from host.rules.inventory import Paragraph, paragraphs

TESTS = Path(__file__).parents[2] / "tests"
IDS = "support/tables.py"  # the names that tests use for the rulebooks
SHOWN_ONLY = "display"  # nothing the controller enforces, so no test is asked for


def rules_of(node: ast.FunctionDef, books: list[str]) -> Iterator[tuple[str, str]]:
    """(rulebook, paragraph) of every @rule above a test."""
    for decorator in node.decorator_list:
        match decorator:
            case ast.Call(func=ast.Name(id="rule"), args=arguments):
                named = [str(argument.value) for argument in arguments if isinstance(argument, ast.Constant)]
                yield from product(books, named)


def constants_of(module: ast.Module) -> dict[str, ast.expr]:
    """What a module assigns to names at its top level."""
    assigned = {}
    for node in module.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            assigned[node.targets[0].id] = node.value
    return assigned


def books_of(module: ast.Module, ids: dict[str, ast.expr]) -> list[str]:
    """The rulebooks a test module is about: its BOOK, or its BOOKS, by their names in tests/support/tables.py."""
    constants = constants_of(module)
    names: list[ast.expr] = [constants["BOOK"]] if "BOOK" in constants else []
    several = constants.get("BOOKS")
    if isinstance(several, ast.Tuple):
        names += several.elts
    found = [ids[name.id] for name in names if isinstance(name, ast.Name)]
    return [str(book.value) for book in found if isinstance(book, ast.Constant)]


def has_tests(folder: Path = TESTS) -> bool:
    """An installed copy has none."""
    return (folder / IDS).exists()


@cache
def named_by_tests(folder: Path = TESTS) -> dict[tuple[str, str], list[str]]:
    """Which tests name each paragraph."""
    if not has_tests(folder):
        return {}
    ids = constants_of(ast.parse((folder / IDS).read_text()))
    named: dict[tuple[str, str], list[str]] = {}
    for path in sorted(folder.rglob("test_*.py")):
        module = ast.parse(path.read_text())
        books = books_of(module, ids)
        for node in module.body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for key in rules_of(node, books):
                    named.setdefault(key, []).append(f"{path.relative_to(folder.parent)}::{node.name}")
    return named


def gaps() -> list[Paragraph]:
    """Paragraphs that the controller acts on and that no test names."""
    named = named_by_tests()
    return [
        row for row in paragraphs() if row.controller != SHOWN_ONLY and (row.rulebook, row.paragraph) not in named
    ]
