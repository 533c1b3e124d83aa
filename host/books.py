"""Finds the rulebooks that the rules core holds: by listing its folder, so none is registered twice."""

import pkgutil
from types import ModuleType

import shared.books
from shared.rulebook import load


def book_ids() -> list[str]:
    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(shared.books.__path__))


def all_books() -> list[ModuleType]:
    return [load(book_id) for book_id in book_ids()]


def find_book(word: str) -> ModuleType:
    """The book with this id, or the only one whose id or title contains the word.

    A ValueError names the books there are.
    """
    ids = book_ids()
    if word in ids:
        return load(word)
    wanted = word.lower()
    matches = [book for book in all_books() if wanted in book.ID or wanted in book.TITLE.lower()]
    if len(matches) == 1:
        return matches[0]
    found = f"{word!r} fits {len(matches)} rulebooks" if matches else f"there is no rulebook {word!r}"
    raise ValueError(f"{found}; choose one of: {', '.join(ids)}")


def play_wager_place(book: ModuleType) -> int | None:
    """Where among the book's wagers stands the one made by deciding to play, if it has one."""
    for place, wager in enumerate(book.WAGERS):
        if wager.on_decision:
            return place
    return None
