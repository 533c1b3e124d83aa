"""Money and odds as people read them."""

from shared.rules.rulebook import FIXED_SUM, METER_SHARE


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
