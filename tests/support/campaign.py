"""How long a campaign runs: all in `make test-long`, a twentieth in `make test`, a 500th in `make test-fast`."""

import os
from itertools import pairwise

LENGTH = os.environ.get("FELT_CAMPAIGN")
LONG = LENGTH == "long"
SHORT = LENGTH == "short"


def share(full: int) -> int:
    return full if LONG else max(full // 500, 1) if SHORT else full // 20


def fewer(full: int) -> int:
    """Of a loop that `make test` has in full, a tenth in `make test-fast`."""
    return max(full // 10, 1) if SHORT else full


def parts(full: int, count: int) -> list[range]:
    """The seeds of a campaign, cut into parts that can run beside each other."""
    total = share(full)
    edges = [total * part // count for part in range(count + 1)]
    return [range(low, high) for low, high in pairwise(edges)]
