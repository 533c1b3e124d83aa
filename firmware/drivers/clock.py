"""Milliseconds as a table counts them: from 0 to 2^30, which is 12.4 days, and then from 0 again.

Larger numbers would take memory on every pass (MicroPython has them on the heap). So times are only ever compared
by `since`.
"""

BITS = 30


def since(then, now):
    """How many milliseconds after `then` it is."""
    return now - then & 0x3FFFFFFF
