"""Makes a scenario from a round of a log, so that what happened at a table becomes a test.

The file plays to the records of the log, with players renamed P1, P2 and so on, the round numbered 1, and without
the texts that people wrote.
"""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from host.bench.course import Course, cited, outcome_words, play
from host.bench.phrases import (
    CHECK_MARK,
    CHOICES,
    FIELDS,
    KINDS,
    PHRASES,
    POSTS,
    PUT_RIGHT,
    SEATED,
    TELLER,
    Phrase,
    UnknownPhrase,
    read_step,
)
from host.bench.scenario import read_fields
from host.log.reading import LogReader
from host.rules.inventory import paragraphs, readings
from host.words.money import dollars
from host.words.records import event_words, record_words
from shared.journal.snapshot import read_standing
from shared.journal.wire import spell
from shared.round.events import EVENTS, read_event
from shared.round.records import RECORDS
from shared.round.round import CARRIED, Round

Record = list[Any]


class NotAScenario(Exception):
    """A round that no scenario file can say; the text says why."""


def scenario_text(reader: LogReader, number: int, kind: str) -> tuple[str, list[str]]:
    """The file's text, and notes about what it leaves out."""
    records, config, notes = round_records(reader, number)
    text, more = text_of(records, config, kind, f"Round {number} of a log", number)
    return text, notes + more


def text_of(
    records: list[Record], config: dict[str, Any], kind: str, title: str, number: int | None = None
) -> tuple[str, list[str]]:
    """A scenario that plays to what rounds wrote at a fresh table, and notes about what it leaves out.

    `number` is that of the only round, which becomes the first; None if the first was the first.
    """
    notes: list[str] = []
    names = player_names(records)
    wanted = []
    core, course, lines, played = Round(config), Course(), [], []
    for record in own_records(records, notes):
        event = told_event(record)
        if event is None:
            wanted.append(renamed(record, names, number))
            continue
        try:
            words = phrase_of(renamed_event(event, names, number))
        except NotAScenario as problem:
            if record[0] != "refused":
                raise
            notes.append(f"what was refused: {problem}")
            continue
        wanted.append(renamed(record, names, number))
        made = core.apply(read_step(words)[0])
        played += made
        course.follow(made)
        if words.startswith("cards ") and lines and lines[-1].startswith("cards ") and made[0][0] == "event":
            lines[-1] += words.removeprefix("cards")
        else:
            lines.append(words)
        if made[0][0] == "refused":
            rules = " ".join(sorted(cited(dict(zip(RECORDS["refused"], made[0][1:])))))
            lines.append(f"{CHECK_MARK}refused" + (f": {rules}" if rules else ""))
    compare(wanted, played)
    text = file_text(kind, title, config, lines, course, played)
    try:
        scenario = read_fields(Path(title), tomllib.loads(text))
    except UnknownPhrase as problem:
        raise NotAScenario(str(problem)) from None
    difference = play(scenario, Round(scenario.config).apply).difference
    if difference:
        raise NotAScenario(f"the scenario made of it comes out otherwise: {difference}")
    return text, notes


# -- what the log has


def round_records(reader: LogReader, number: int) -> tuple[list[Record], dict[str, Any], list[str]]:
    """The round's own records from its opening on, the table's configuration, and what is left out."""
    steps = reader.steps(number)
    opened = next(
        (step.number for step in steps if step.record[0] == "event" and step.record[2][0] == "open"), None
    )
    if opened is None:
        there = reader.round_numbers()
        have = f"it has rounds {there[0]} to {there[1]}" if there else "no round has opened in it yet"
        raise NotAScenario(f"there is no round {number} in {reader.path}; {have}")
    row = reader.one("SELECT max(number) FROM records WHERE kind = 'begin' AND number < ?", opened)
    if row is None or row[0] is None:
        raise NotAScenario(f"the log does not say how the table stood before round {number}")
    before = [reader.read_record(at, line) for at, line in reader.lines(row[0], opened - 1)]
    config, stood, _, _ = read_standing([record for record in before if record[0] in ("config", "carried")])
    if config.get("progressive"):
        config["progressive"] = config["progressive"] | {"meter": stood.meter}
    usual = Round(config).carry()
    notes = [
        f"{name} as it reached into the round ({spell(value)})"
        for name, value, fresh in zip(CARRIED, stood.carry(), usual)
        if name != "number" and value != fresh
    ]
    return [step.record for step in steps if step.number >= opened], config, notes


def own_records(records: list[Record], notes: list[str]) -> list[Record]:
    """Those of rounds; notes what is left out of them."""
    own = []
    for record in records:
        if record[0] not in RECORDS:
            continue
        event = told_event(record)
        if record[0] == "refused" and event and event[0] not in EVENTS:
            notes.append(f"what was refused before it was an event: {record_words(record)}")
            continue
        if event and "text?" in EVENTS[event[0]] and read_event(event)[1]["text"]:
            notes.append(f"the text of: {event_words(event)}")
        own.append(record)
    return own


def told_event(record: Record) -> list[Any] | None:
    """The event that a record is about, if it is one that happened or was refused."""
    place = {"event": 2, "refused": 1}.get(record[0])
    return record[place] if place else None


def player_names(records: list[Record]) -> dict[str, str]:
    """A short name for each player, in the order in which they come; those who have one keep theirs."""
    players = []
    for record in records:
        fields = dict(zip(RECORDS.get(record[0], ()), record[1:]))
        event = fields.get("event")
        if event:
            fields = read_event(event)[1]
        players.append(fields.get("player"))
    different = [player for player in dict.fromkeys(players) if player]
    if all(re.fullmatch(FIELDS["player"][0], player) for player in different):
        return {player: player for player in different}
    return {player: f"P{place}" for place, player in enumerate(different, 1)}


def renamed(record: Record, names: dict[str, str], number: int | None) -> Record:
    """A record as the scenario must make it."""
    kind, *values = record
    made = [kind]
    for field, value in zip(RECORDS[kind], values):
        if field == "event":
            value = renamed_event(value, names, number)
        elif field == "player":
            value = names.get(value, value)
        elif field == "round" and number is not None:
            value = 1
        made.append(value)
    return made


def renamed_event(event: list[Any], names: dict[str, str], number: int | None) -> list[Any]:
    made = [event[0]]
    for field, value in zip(EVENTS[event[0]], event[1:]):
        plain = field.rstrip("?")
        if plain == "player":
            value = names.get(value, value)
        elif plain == "text":
            value = None
        elif plain == "round" and value is not None and number is not None:
            if value != number:
                raise NotAScenario(f"it tells of round {value}, which the scenario does not play")
            value = 1
        made.append(value)
    while made[-1] is None:
        made.pop()
    return made


def compare(wanted: list[Record], played: list[Record]) -> None:
    for place in range(max(len(wanted), len(played))):
        log, core = wanted[place : place + 1], played[place : place + 1]
        if not log or not core or spell(log[0]) != spell(core[0]):
            told = [record_words(side[0]) if side else "nothing more" for side in (log, core)]
            raise NotAScenario(
                f"a fresh table plays the round otherwise: the log has: {told[0]}; the rules here: {told[1]}. "
                "Other rules wrote it, or something from before reached into it"
            )


# -- what the file says


def phrase_of(event: list[Any]) -> str:
    """The phrase that stands for an event, or NotAScenario."""
    name, fields = read_event(event)
    given = {field: value for field, value in fields.items() if value is not None}
    for phrase in PHRASES:
        if phrase.event == name:
            words = in_words(phrase, given)
            if words and is_read_as(words, {"event": name} | given):
                return words
    raise NotAScenario(f"no phrase stands for: {event_words(event)}")


def is_read_as(words: str, event: dict[str, Any]) -> bool:
    try:
        return read_step(words) == [event]
    except UnknownPhrase:
        return False


def in_words(phrase: Phrase, given: dict[str, Any]) -> str | None:
    """The phrase with these fields in it; None if it cannot say them all."""
    values = given | ({"cards": given["card"]} if "{cards}" in phrase.template else {})
    teller = ""
    if given.get("by") != (phrase.given or {}).get("by"):
        if given.get("by") not in POSTS.values():
            return None
        teller = TELLER.format(by=inverse(POSTS, given["by"]))
    try:
        return phrase.template.format(**{field: spoken(field, value) for field, value in values.items()}) + teller
    except (KeyError, StopIteration):
        return None


def inverse(words: dict[str, Any], value: Any) -> str:
    return next(word for word, meant in words.items() if meant == value)


def spoken(field: str, value: Any) -> str:
    """A field as phrases write it."""
    if field in ("place", "before") and value == 0:
        return "the dealer's hand"
    if field in ("box", "place", "before"):
        return f"box {value}"
    if field in ("cents", "lay"):
        return dollars(value)
    words = {"kind": KINDS, "put_right": PUT_RIGHT, "choice": CHOICES, "seated": SEATED}.get(field)
    if words and value in words.values():
        return inverse(words, value)
    return value.replace("_", " ") if field == "wager" else str(value)


def file_text(
    kind: str, title: str, config: dict[str, Any], steps: list[str], course: Course, played: list[Record]
) -> str:
    cites = {rule for record in played for rule in cited(dict(zip(RECORDS[record[0]], record[1:])))}
    own = [row.paragraph for row in paragraphs() if row.rulebook == config["game"] and row.paragraph in cites]
    lines = [
        f"title = {quoted(title)}",
        f"book = {quoted(config['game'])}",
        f"kind = {quoted(kind)}",
        f"paragraphs = {quoted(own)}",
        f"readings = {quoted([name for name in readings() if name in cites])}",
        "",
        "[table]",
        *[line for name, value in config.items() if name != "game" for line in setting_lines(name, value)],
        "",
        "[round]",
        "steps = [",
        *[f"  {'  ' if step.startswith(CHECK_MARK) else ''}{quoted(step)}," for step in steps],
        "]",
        "",
        "[expect]",
        'because = "So the table settled it. Work it out by hand from the rulebook, and write that here."',
    ]
    if course.state == "void" and course.void:
        lines.append(f"void = {quoted(' '.join(sorted(course.void)))}")
    else:
        lines.append(f"state = {quoted(course.state)}")
    if course.meter is not None:
        lines.append(f"meter = {quoted(dollars(course.meter))}")
    for (player, wager, box), outcome in course.bets.items():
        several = sum(bet[:2] == (player, wager) for bet in course.bets) > 1
        who = f"{player} {wager.replace('_', ' ')}" + (f" on box {box}" if several else "")
        lines.append(f"{quoted(who)} = {quoted(outcome_words(outcome))}")
    return "\n".join(lines) + "\n"


def setting_lines(name: str, value: Any) -> list[str]:
    """A setting as TOML, its amounts as people write them."""
    if isinstance(value, dict):
        is_money = name != "posts"
        return [
            line
            for part, inner in value.items()
            for line in setting_lines(f"{name}.{part}", money(inner, is_money))
        ]
    return [] if value is None else [f"{name} = {quoted(money(value, name == 'chip'))}"]


def money(value: Any, is_money: bool) -> Any:
    if isinstance(value, (list, tuple)):
        return [money(part, is_money) for part in value]
    return dollars(value) if is_money and isinstance(value, int) else value


def quoted(value: Any) -> str:
    """A value of TOML, which writes texts, lists, numbers and truth as JSON does."""
    return json.dumps(value)
