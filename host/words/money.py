"""Money and odds as people read them."""

from shared.rules.rulebook import FIXED_SUM, WIN, Line


def dollars(cents: int) -> str:
    """`$1,250` or `$697.50`."""
    sign = "-" if cents < 0 else ""
    whole, part = divmod(abs(cents), 100)
    return f"{sign}${whole:,}" + (f".{part:02d}" if part else "")


def odds_text(line: Line) -> str | None:
    """What a line pays: `8:1`, a sum, or a share of the meter. None where it pays nothing."""
    if line.result != WIN:
        return None
    if line.den > 0:
        return f"{line.num}:{line.den}"
    return dollars(line.num) if line.den == FIXED_SUM else f"{line.num}% of the jackpot"
