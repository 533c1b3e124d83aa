"""Makes a log of any length: `python -m host.simulator.long_log FOLDER --rounds 100000`.

Tables of all books are played through the rules core in stretches of 200 rounds, with everything that goes wrong
at tables (quick_table.py). The stretches follow each other in one log: round numbers, commands and starts go on,
the clock too, and every line is sealed anew in one chain. Each stretch begins with a start of the table and with
another configuration, so the log is as one table could have written it, and an audit plays all of it again.

With `--distinct` fewer rounds are played, and stretches come again. Each time the suits change places, which
changes no settlement but those that ask for spades, so spades stay. Deals repeat then: such a log is for
measuring lists and audits, not for statistics of the cards.
"""

import random
import sqlite3
import time
from binascii import crc32
from collections.abc import Callable, Iterable, Iterator
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import click

from host.keys import make_signer, make_table_key, read_signer, read_table_key
from host.log.checkpoints import CheckpointBook
from host.log.entries import Record
from host.log.fast_chain import FastChain
from host.log.store import LogStore
from host.pico.digests import rules_digest
from host.rules.catalogue import book_ids
from host.simulator.quick_table import MANAGER, QuickTable, quick_config
from host.table.announcements import Announcement
from shared.journal.seal import sealed_line
from shared.journal.wire import spell
from shared.rules import cards

TABLE = "LONG"
STRETCH = 200
BEGUN = 1_700_000_000
BREAK_SECONDS = 900  # between two stretches
BATCH = 500
CARD_KINDS = ("dealt", "shown", "lies", "seen", "late", "event", "refused")
EVENT_AT = {"event": 2, "refused": 1}
EARLIER_ROUND = 8  # where an irregularity names it
# Suits that may change places: all but the spades, which a jackpot asks for.
SUITS = ["".join((*changed, "S")) for changed in permutations("CDH")]


class Stretch(NamedTuple):
    """What a table recorded from its first start on: (boot, record), and what its commands were."""

    game: str
    records: list[tuple[int, list[Any]]]
    said: dict[int, tuple[str, str, list[Any]]]
    seconds: int  # that it took


class Place(NamedTuple):
    """How far a log is; numbers of a stretch are counted on from here."""

    boot: int
    round: int
    command: int
    seconds: int


def play(game: str, rounds: int, boxes: int, mischief: float, seed: str) -> Stretch:
    table = QuickTable(quick_config(game, boxes), rules_digest(), seed, mischief, 0)
    for _ in range(rounds):
        table.play_round()
    return Stretch(game, table.records(), table.said, table.seconds + table.now // 1000)


# -- the same stretch at another place


def moved(stretch: Stretch, place: Place, suits: str, is_first: bool) -> Iterator[tuple[int, list[Any]]]:
    """(boot, record) of a stretch that begins at a place of a log."""
    change = {rank + old: rank + new for rank in cards.RANKS for old, new in zip(cards.SUITS, suits)}
    for boot, record in stretch.records:
        kind = record[0]
        if kind == "chain" and not is_first:
            continue
        if kind in CARD_KINDS and suits != cards.SUITS:
            record = with_cards(record, change)
        yield place.boot + boot, moved_record(record, place, stretch)


def with_cards(value: Any, change: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [with_cards(one, change) for one in value]
    return change.get(value, value) if isinstance(value, str) else value


def moved_record(record: list[Any], place: Place, stretch: Stretch) -> list[Any]:
    kind = record[0]
    if kind == "event":
        return [kind, record[1] + place.round, moved_event(record[2], place)]
    if kind == "refused":
        return [kind, moved_event(record[1], place), *record[2:]]
    if kind == "clock":
        return [kind, record[1] + place.seconds, record[2]]
    if kind == "command":
        number = record[1]
        return [kind, number + place.command, *record[2:4], moved_check(number, record[4], place, stretch)]
    if kind == "answer":
        return [kind, record[1] + place.command, *record[2:]]
    if kind == "carried" and record[1] == "number":
        return [*record[:2], record[2] + place.round]
    if kind == "carried" and record[1] == "command":
        number, *answer, check = record[2]
        check = moved_check(number, check, place, stretch)
        return [*record[:2], [number + place.command, *answer, check]]
    return record


def moved_event(event: list[Any], place: Place) -> list[Any]:
    """A report may name an earlier round."""
    names_round = event[0] == "irregularity" and len(event) > EARLIER_ROUND
    if not names_round or not isinstance(event[EARLIER_ROUND], int):
        return event
    return [*event[:EARLIER_ROUND], event[EARLIER_ROUND] + place.round, *event[EARLIER_ROUND + 1 :]]


def moved_check(number: int, check: str, place: Place, stretch: Stretch) -> str:
    """The check of a command is over what it says."""
    who, name, arguments = stretch.said[number]
    if name != "event" or moved_event(arguments, place) is arguments:
        return check
    return f"{crc32(spell([who, name, moved_event(arguments, place)]).encode()):08x}"


# -- writing


class LongLog:
    def __init__(self, store: LogStore, chain: FastChain) -> None:
        self.store = store
        self.chain = chain
        self.place = Place(0, 0, 0, BEGUN)
        if store.connection:
            store.connection.execute("PRAGMA synchronous = OFF")  # it is made anew if this machine fails

    def add(self, stretch: Stretch, suits: str) -> None:
        seconds, batch = self.place.seconds, []
        boot = self.place.boot
        last_round = self.place.round
        for boot, record in moved(stretch, self.place, suits, self.chain.number == 0):
            if record[0] == "clock":
                seconds = record[1]
            elif record[0] == "event":
                last_round = record[1]
            batch.append(self.sealed(boot, record))
            if len(batch) == BATCH:
                self.store.commit(batch, seconds)
                batch = []
        self.store.commit(batch, seconds)
        commands = self.place.command + max(stretch.said, default=0)
        after = self.place.seconds + stretch.seconds + BREAK_SECONDS
        self.place = Place(boot, last_round, commands, after)

    def sealed(self, boot: int, record: list[Any]) -> Record:
        chain = self.chain
        head = spell(["rec", boot, chain.number + 1, record])[:-1].encode()
        seal = chain.seal_of(head)
        chain.move(seal)
        return Record(chain.number, boot, record, sealed_line(head, seal)[:-1])

    def notice_shift(self, dice: random.Random, seconds: int) -> None:
        """Who comes and goes, and what the host notices besides, between two stretches."""
        name, post = MANAGER.split(", ")
        told = [Announcement("staff", ("in", name, post, "10.0.0.7"))]
        if dice.random() < 0.3:
            told.append(Announcement("staff", ("refused", name, "10.0.0.9", "the PIN is wrong")))
        if dice.random() < 0.3:
            told += [Announcement("down", ("unplugged",)), Announcement("up", (self.chain.number,))]
        told.append(Announcement("staff", ("out", name, post)))
        for one in told:
            self.store.notice(one.code, one.words, seconds=seconds)


def stretches(
    rounds: int, distinct: int, boxes: int, mischief: float, seed: str, games: list[str]
) -> Iterator[tuple[Stretch, str]]:
    """As many as make so many rounds, each with its order of suits; no two of one game follow each other."""
    dice = random.Random(f"long log {seed}")
    played: list[Stretch] = []
    last = None
    while rounds > 0:
        game = dice.choice([game for game in games if game != last] or games)
        last = game
        count = min(rounds, STRETCH)
        again = [one for one in played if one.game == game] if count == STRETCH else []
        if again and len(played) * STRETCH >= distinct:
            yield dice.choice(again), dice.choice(SUITS)
        else:
            stretch = play(game, count, boxes, mischief, f"{seed} {len(played)}")
            if distinct < rounds or played:
                played.append(stretch)
            yield stretch, cards.SUITS
        rounds -= count


def make_log(folder: Path, made: Iterable[tuple[Stretch, str]], told: Callable[[int], None]) -> None:
    """A table's key, its log with a signed end, and the signer's keys, in a folder that has none of them."""
    make_table_key(folder / "table.key", TABLE)
    make_signer(folder / "host.key")
    key = read_table_key(folder / "table.key")
    dice = random.Random("notices")
    with LogStore(folder / "table.db", TABLE) as store:
        book = CheckpointBook(folder / "table.checkpoints", TABLE, read_signer(folder / "host.key"))
        log = LongLog(store, FastChain(key.sealer, TABLE))
        for stretch, suits in made:
            log.notice_shift(dice, log.place.seconds - 60)
            log.add(stretch, suits)
            told(log.place.round)
        end = store.end()
        if end:
            book.sign(end.number, end.seal, log.place.seconds)
        if store.connection:
            store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--rounds", type=click.IntRange(1), default=10_000, show_default=True, help="How many rounds.")
@click.option("--distinct", type=click.IntRange(1), help="How many of them are played; all by default.")
@click.option("--boxes", type=click.IntRange(1, 8), default=4, show_default=True, help="Boxes of a table.")
@click.option("--mischief", type=click.FloatRange(0, 1), default=0.3, show_default=True, help="What goes wrong.")
@click.option("--seed", default="1", show_default=True, help="The same seed plays the same rounds.")
@click.option("--game", "games", multiple=True, type=click.Choice(book_ids()), help="Only these games.")
def long_log(
    folder: Path,
    rounds: int,
    distinct: int | None,
    boxes: int,
    mischief: float,
    seed: str,
    games: tuple[str, ...],
) -> None:
    """Make a log of so many rounds in FOLDER, with the keys that belong to it."""
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / "table.db").exists():
        raise click.ClickException(f"{folder} has a log already; name another folder")
    begun = time.monotonic()

    def tell(done: int) -> None:
        rate = done / max(time.monotonic() - begun, 0.001)
        click.echo(f"\r{done:,} of {rounds:,} rounds, {rate:,.0f} a second ", nl=False, err=True)

    made = stretches(rounds, distinct or rounds, boxes, mischief, seed, list(games) or book_ids())
    try:
        make_log(folder, made, tell)
    except (OSError, sqlite3.Error) as problem:
        raise click.ClickException(f"cannot make the log: {problem}") from None
    size = (folder / "table.db").stat().st_size
    click.echo(f"\r{folder / 'table.db'}: {rounds:,} rounds, {size / 1e6:,.0f} MB")


if __name__ == "__main__":
    long_log()
