"""What both runtimes run: asks the rules core for everything and answers in text to be compared.

This file runs unchanged under CPython and MicroPython, so it uses only what both have.
"""

import json
from binascii import unhexlify

from shared.journal.chain import Chain
from shared.journal.seal import Sealer
from shared.journal.wire import BadLine, decode, encode
from shared.link.declarations import digest
from shared.link.messages import UnknownMessage, WrongShape, read
from shared.rules import settlement
from shared.rules.apportion import apportion
from shared.rules.rulebook import load


def settle(request):
    """[game, dealer, [[box, cards]...], [[box, player, seated, stakes, folded]...], meter] settled."""
    game, dealer, hands, seats, meter = json.loads(request)
    book = load(game)
    table = [
        settlement.Seat(box, player, seated, tuple(stakes), folded)
        for box, player, seated, stakes, folded in seats
    ]
    settled, envy = settlement.settle_table(book, dealer, dict(hands), table, meter)
    rows = []
    for one in settled:
        lines = [list(line) if line else None for line in one.lines]
        rows.append(
            [one.seat.box, one.seat.player, lines, one.paid, sum(one.seat.stakes), settlement.returned(one)]
        )
    return json.dumps([rows, [list(pair) for pair in envy]])


def shares(request):
    """[[bets, minimum, maximum]...] -> what each box's bets play for."""
    return json.dumps([apportion(bets, least, most) for bets, least, most in json.loads(request)])


def sealed_lines(request):
    """[records...] -> their lines in a chain, followed again from the start, as text."""
    sealer = Sealer(bytes(range(32)))
    writing = Chain(sealer, "T1")
    lines = [writing.write(3, record) for record in json.loads(request)]
    reading = Chain(sealer, "T1")
    for line in lines:
        reading.follow(line[:-1])
    return b"".join(lines).decode() + str(reading.number)


def decoded_line(request):
    """What a line decodes to, or why it does not."""
    try:
        return repr(encode(decode(request.encode())))
    except BadLine:
        return "refused"


def read_lines(request):
    """[[hex of a line, who says it]...] -> what each is taken for, one word a line."""
    answers = []
    for text, sender in json.loads(request):
        line = unhexlify(text)
        try:
            message = read(line, sender)
            answers.append("read" if encode(message)[:-1] == line else "wrongly accepted")
        except BadLine:
            answers.append("bad")
        except UnknownMessage:
            answers.append("unknown")
        except WrongShape as wrong:
            answers.append(wrong.name)
    return " ".join(answers)


def declarations(request):
    return digest()


def hand_values(request):
    """[game, first card] -> value and mark of every hand whose lowest card that is."""
    game, first = json.loads(request)
    book = load(game)
    answers = []
    for second in range(first + 1, 51):
        for third in range(second + 1, 52):
            answers.append(book.value(first, second, third))
            answers.append(book.mark(first, second, third))
    return json.dumps(answers)


def judged_lines(request):
    """[game, player's value, marks, dealer's values] -> the line each wager meets, of every pair."""
    game, player, marks, dealers = json.loads(request)
    book = load(game)
    answers = []
    for mark in marks:
        for dealer in dealers:
            for wager in book.WAGERS:
                line = wager.judge(player, mark, dealer)
                answers.append(line.key + " " + line.paragraph)
    return json.dumps(answers)
