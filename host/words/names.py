"""Names of the log as people write them."""

from typing import Any


def plain(word: Any) -> str:
    """`lucky_tie` is lucky tie."""
    return str(word).replace("_", " ")


def place(number: int | None) -> str:
    return "the dealer" if number == 0 else f"box {number}" if number is not None else "the table"


def post_words(post: str) -> str:
    """`pit_supervisor` is Pit Supervisor."""
    return plain(post).title()


def staff_words(who: str | None) -> str:
    """Who gave a command, as a command has it: a name and a post, or a name alone."""
    name, comma, post = (who or "").rpartition(", ")
    return f"{name}, {post_words(post)}" if comma else post


def capital(words: str) -> str:
    """The same with a capital letter."""
    return words[:1].upper() + words[1:]
