"""Money and odds as people read and write them."""

import re
from decimal import Decimal
from typing import Any

from shared.round.events import MAX_CENTS
from shared.rules.rulebook import FIXED_SUM, METER_SHARE

MONEY = re.compile(r"\$?([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.([0-9]{2}))?")
LONGEST = 40  # characters that are read as money
AMOUNTS = {
    "not_an_amount": "{value:value} is not an amount: write $25 or $2.50",
    "amount_out_of_range": "{cents:money} is not from {least:money} to {most:money}",
}


class BadAmount(ValueError):
    """What somebody wrote as money is not an amount, or not one that is allowed."""

    def __init__(self, code: str, **fields: Any) -> None:
        super().__init__(code)
        self.code = code
        self.fields = fields

    def __str__(self) -> str:
        from host.words.sentences import fill  # which shows money in turn

        return fill(AMOUNTS[self.code], self.fields)


def read_money(value: Any, least: int = 0, most: int = MAX_CENTS) -> int:
    """The cents of $25, 25, 25.00 or $1,250, written as text or as a number."""
    is_number = isinstance(value, Decimal) or (type(value) is int and 0 <= value <= most)
    text = str(value).strip() if is_number or isinstance(value, str) else ""
    found = MONEY.fullmatch(text) if len(text) <= LONGEST else None
    if not found:
        raise BadAmount("not_an_amount", value=value)
    cents = int(found[1].replace(",", "")) * 100 + int(found[2] or 0)
    if not least <= cents <= most:
        raise BadAmount("amount_out_of_range", cents=cents, least=least, most=most)
    return cents


def dollars(cents: int) -> str:
    """`$1,250` or `$697.50`."""
    sign = "-" if cents < 0 else ""
    whole, part = divmod(abs(cents), 100)
    return f"{sign}${whole:,}" + (f".{part:02d}" if part else "")


def odds_text(num: int | None, den: int | None, of: str = " of the jackpot") -> str | None:
    """What is paid: `8:1`, a sum, or a share of the meter; None if nothing is, `num` being 0 or None."""
    if not num or den is None:
        return None
    if den == METER_SHARE:
        return f"{num}%{of}"
    return dollars(num) if den == FIXED_SUM else f"{num}:{den}"
