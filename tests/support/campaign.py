"""How long a campaign runs: a tenth in `make test`, a hundredth in `make test-fast`, all in `make test-long`."""

import os
from itertools import pairwise

LENGTH = os.environ.get("FELT_CAMPAIGN")
LONG = LENGTH == "long"


def share(full: int) -> int:
    return full if LONG else max(full // 100, 1) if LENGTH == "short" else full // 10


def parts(full: int, count: int) -> list[range]:
    """The seeds of a campaign, cut into parts that can run beside each other."""
    total = share(full)
    edges = [total * part // count for part in range(count + 1)]
    return [range(low, high) for low, high in pairwise(edges)]
