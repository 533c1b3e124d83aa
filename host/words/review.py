"""What a review of a table says, in words: where to look, with the figure, and how often chance does that."""

from math import floor, inf, log10
from typing import Any

from host.words.money import dollars
from host.words.names import capital
from host.words.sentences import SHOWN, fill, read_templates
from shared.rules import cards

SENTENCES = read_templates("review")
MOST_TABLES = 10**9
USUAL = 0.5
DIGITS = 2  # of a chance that is told


def rounded_down(number: float) -> int:
    """With two digits that count: 12,345 is 12,000. No more is promised than is true."""
    step = 10 ** max(floor(log10(number)) + 1 - DIGITS, 0)
    return floor(number / step) * step


def tables_words(chance: float) -> str:
    """A chance as a share of tables that are in order."""
    if chance > USUAL:
        return "any table"
    if chance * MOST_TABLES < 1:
        return f"1 table in {MOST_TABLES:,}"
    return f"1 table in {rounded_down(1 / chance * (1 + 1e-9)):,}"


def shows_words(chance: float) -> str:
    """What evidence says at any time: how seldom chance shows as much."""
    if chance > USUAL:
        return "nothing out of the ordinary"
    return f"chance alone shows as much on at most {tables_words(chance)}, however often one looks"


def one_in_words(rate: float) -> str:
    if rate == inf:
        return "1"
    return f"{rounded_down(1 / rate):,}" if rate else "any number"


SHOWN["tables"] = tables_words
SHOWN["shows"] = shows_words
SHOWN["one_in"] = one_in_words
SHOWN["card"] = cards.text
SHOWN["cents"] = lambda amount: dollars(round(amount))


def told_words(told: Any) -> str:
    """A Told of host.review.statistics, as a sentence."""
    return capital(fill(SENTENCES[told.code], told.fields))
