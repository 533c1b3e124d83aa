"""How long a campaign runs: `make test` plays a tenth of it, `make test-long` all of it."""

import os
from itertools import pairwise

LONG = os.environ.get("FELT_CAMPAIGN") == "long"


def share(full: int) -> int:
    return full if LONG else full // 10


def parts(full: int, count: int) -> list[range]:
    """The seeds of a campaign, cut into parts that can run beside each other."""
    total = share(full)
    edges = [total * part // count for part in range(count + 1)]
    return [range(low, high) for low, high in pairwise(edges)]
