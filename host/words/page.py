"""What the live page says of states and questions, and of what staff report and rule."""

from host.words.sentences import read_templates

PAGE = read_templates("page")


def state_words(code: str) -> tuple[str, str]:
    """A state or a question in a few words, and in a sentence."""
    short, _, whole = PAGE[code].partition(" | ")
    return short, whole
