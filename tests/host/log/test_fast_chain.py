"""The host's quick way along a chain comes to the same verdicts as the table's own, line by line."""

import random

import pytest

from host.log.fast_chain import FastChain
from shared.journal.chain import Chain
from shared.journal.seal import Sealer, sealed_line
from tests.support.campaign import share

KEY = bytes(range(32))
TABLE = "T1"
RECORDS = (
    ["event", 1, ["open"]],
    ["state", "betting", "3.4"],
    ["event", 1, ["bet", 3, "P1", "main", 5000, None, True]],
    ["refused", ["malformed", 'a "quoted" \\ name'], None, "no_such_event", ["a"]],
    ["carried", "number", 12345678901234567890],
    ["unknown", "\u00e9\x7f"],
)
MUTATED = share(100_000)


def both():
    return Chain(Sealer(KEY), TABLE), FastChain(Sealer(KEY), TABLE)


def verdict(chain, line):
    """What following a line comes to, and where the chain stands after it."""
    try:
        found = chain.follow(line)
    except Exception as problem:
        found = (type(problem), str(problem))
    return found, chain.number, chain.last


def written(count):
    chain = Chain(Sealer(KEY), TABLE)
    return [chain.write(3, RECORDS[number % len(RECORDS)])[:-1] for number in range(count)]


def test_a_whole_chain_is_followed():
    slow, quick = both()
    for number, line in enumerate(written(100), 1):
        assert quick.follow(line) == slow.follow(line) == (3, number, RECORDS[(number - 1) % len(RECORDS)])
    assert quick.last == slow.last


def test_changed_lines_get_the_same_verdict():
    dice = random.Random("quick chain")
    lines = written(len(RECORDS) * 2)
    for _ in range(MUTATED):
        slow, quick = both()
        begun = dice.randrange(len(lines) - 1)
        for line in lines[:begun]:
            slow.follow(line)
            quick.follow(line)
        line = mutated(dice, lines[begun], lines)
        assert verdict(quick, line) == verdict(slow, line)


def mutated(dice, line, lines):
    kind = dice.randrange(5)
    place = dice.randrange(len(line))
    if kind == 0:
        return line[:place] + bytes([line[place] ^ 1 << dice.randrange(8)]) + line[place + 1 :]
    if kind == 1:
        return line[:place] + line[place + 1 :]
    if kind == 2:
        return line[:place] + bytes([dice.randrange(256)]) + line[place:]
    if kind == 3:
        return line[:place]
    return dice.choice(lines)


@pytest.mark.parametrize(
    "head",
    [
        '["rec",3,1,["open"]',
        '["rec",3,2,["open"]',
        '["rec",3,"1",["open"]',
        '["rec",3,1',
        '["rec",3,1,["open"],5',
        ' ["rec",3,1,["open"]',
        '["rec",3,1,["open"]],["more"',
        '{"a":3,"b":1',
        "[nothing",
        "[",
        '["rec",3,1,["\u00e9"]',
    ],
)
def test_whatever_the_key_sealed_gets_the_same_verdict(head):
    slow, quick = both()
    line = sealed_line(head.encode(), slow.sealer.seal(slow.last, head.encode()))[:-1]
    assert verdict(quick, line) == verdict(slow, line)
