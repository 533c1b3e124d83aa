"""Random and mutated lines from a seed, made of everything that a table and its host really say."""

import random
from binascii import crc32
from collections.abc import Iterator

from shared.journal.snapshot import plain_config
from tests.support.linked import Pair
from tests.support.tables import MBS


def checked(body: bytes) -> bytes:
    return body + b"*%08x" % crc32(body)


def said_lines() -> list[bytes]:
    """What passes between a table and its host in a small round, both ways."""
    pair = Pair("said")
    pair.run(1000)
    pair.command("config", plain_config({"game": MBS, "boxes": 2}))
    for event in (["open"], ["bet", 1, "P1", "main", 500], ["close"], ["bet", 1, 'P"\\', "main", 500]):
        pair.command("event", event)
    pair.host.rules = "0" * 32
    pair.host.start()
    pair.run(3000)
    return sorted(set(pair.heard_by_table + pair.heard_by_host))


def mutated_lines(seed: str, count: int) -> Iterator[bytes]:
    dice = random.Random(seed)
    good = said_lines()
    for _ in range(count):
        line = bytearray(dice.choice(good))
        for _ in range(dice.randint(0, 4)):
            line = mutate(line, dice)
        if dice.random() < 0.3 and len(line) > 9:
            line = bytearray(checked(bytes(line[:-9])))  # whoever forges a line gets its checksum right
        yield bytes(line)


def mutate(line: bytearray, dice: random.Random) -> bytearray:
    if not line:
        return bytearray(dice.randbytes(dice.randint(1, 40)))
    place = dice.randrange(len(line))
    how = dice.randrange(5)
    if how == 0:
        line[place] ^= 1 << dice.randrange(8)
    elif how == 1:
        del line[place]
    elif how == 2:
        line.insert(place, dice.randrange(256))
    elif how == 3:
        line.insert(place, dice.choice(b'[],"0123456789*\\ntfu-.e{}: '))
    else:
        return line[:place] if dice.random() < 0.1 else line[place:] + line[:place]
    return line
