"""Finds the rulebooks that the rules core holds: by listing its folder, so none is registered twice."""

import pkgutil
from types import ModuleType

import shared.books
from host.words.failures import Failure
from shared.rules.rulebook import METER_SHARE, Wager, load


def book_ids() -> list[str]:
    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(shared.books.__path__))


def all_books() -> list[ModuleType]:
    return [load(book_id) for book_id in book_ids()]


class NoSuchBook(Failure, ValueError):
    """No rulebook, or more than one, fits a word."""


def find_book(word: str) -> ModuleType:
    """The book with this id or title, or the only one whose id or title contains the word.

    NoSuchBook if there is none.
    """
    wanted = word.lower()
    books = all_books()
    matches = [book for book in books if wanted in (book.ID, book.TITLE.lower())]
    matches = matches or [book for book in books if wanted in book.ID or wanted in book.TITLE.lower()]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise NoSuchBook("rules.several", word=word, count=len(matches), known=[book.ID for book in matches])
    raise NoSuchBook("rules.unknown", word=word, known=book_ids())


def all_wagers(book: ModuleType) -> list[Wager]:
    """The book's wagers, and its bonus where it has one."""
    return [*book.WAGERS, *([book.BONUS] if book.BONUS else [])]


def fullest_book() -> ModuleType:
    """The book with the most wagers: for a table to look at or to measure when nobody names a game."""
    return max(all_books(), key=lambda book: len(book.WAGERS))


def play_wager_place(book: ModuleType) -> int | None:
    """Where among the book's wagers stands the one made by deciding to play, if it has one."""
    return next((place for place, wager in enumerate(book.WAGERS) if wager.on_decision), None)


def is_progressive(wager: Wager) -> bool:
    return any(line.den == METER_SHARE for line in wager.lines)


def progressive_place(book: ModuleType) -> int | None:
    """Where among the book's wagers stands the progressive one, if it has one."""
    return next((place for place, wager in enumerate(book.WAGERS) if is_progressive(wager)), None)
