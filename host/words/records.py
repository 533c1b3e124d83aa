"""Records in words, as one would say them at the table: what happened, and the paragraph behind it."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from host.words.faults import ADVICE, detail_words
from host.words.hand_names import hand_name
from host.words.money import dollars, odds_text
from host.words.names import place, plain
from host.words.older_events import DECLARED_EVENTS, OLDER_REPORT, declared_name
from host.words.refusals import denied_words, refusal_words
from host.words.sentences import chips, fill, read_templates
from shared.journal.wire import spell
from shared.round.records import RECORDS, TABLE_RECORDS
from shared.rules import cards

Fields = dict[str, Any]
DECLARED = RECORDS | TABLE_RECORDS


def whose(f: Fields) -> str:
    """`P1's main on box 1`, as far as the record says it."""
    player = f"{f['player']}'s " if f.get("player") else "the "
    on = f" on {place(f['box'])}" if f.get("box") is not None else ""
    return f"{player}{plain(f['wager']) if f.get('wager') else 'bet'}{on}"


def optional(words: str, value: Any) -> str:
    return words.format(plain(value)) if value is not None else ""


def hand(f: Fields, book: ModuleType | None) -> str:
    shown = f"{place(f['place'])} shows {' '.join(f['cards'])}"
    if book and len(f["cards"]) == 3 and cards.UNREAD not in f["cards"]:
        shown += ": " + hand_name(book, book.value(*[cards.parse(card) for card in f["cards"]])).full
    return shown


def odds(f: Fields) -> str:
    pays = odds_text(f["num"], f["den"])
    return f" {pays}" if pays else ""


def settled(f: Fields) -> str:
    verb = {"win": "wins", "lose": "loses", "push": "is a push", "returned": "goes back"}.get(f["result"], "")
    stake = f", {dollars(f['stake'])} staked, {dollars(f['returned'])} back" if f["stake"] is not None else ""
    return f"{whose(f)} {verb}{odds(f)}{stake}"


PUT_RIGHT = {"moved": ", complete hands moved", "restored": ", cards put back in order"}


def irregularity(f: Fields) -> str:
    told = f"irregularity: {plain(f['kind'])}"
    told += optional(" at {}", place(f["place"]) if f["place"] is not None else None)
    told += optional(", card {}", f.get("card")) + optional(", player {}", f["player"])
    told += ", put right" if f.get("mended") else PUT_RIGHT.get(f.get("put_right") or "", "")
    told += optional(" in round {}", f["round"])
    return told + (f', "{f["text"]}"' if f["text"] else "")


# -- where cards lie


def card_read(f: Fields) -> str:
    if f["card"] == cards.UNREAD:
        return "a card passed unread; it is named when its hand is shown"
    return (f"card {f['card']}" if f["card"] else "a card") + (" face up" if f["up"] else "")


def card_entered(f: Fields) -> str:
    whose_card = f" for {place(f['place'])}" if f["place"] is not None else ""
    return f"{card_words(f['card'])} is entered BY HAND{whose_card}"


def in_hand(number: int | None) -> str:
    """Where a card lies: `in box 2`, `with the dealer`."""
    return "in no hand" if number is None else "with the dealer" if number == 0 else f"in {place(number)}"


def card_words(word: str | None) -> str:
    """None for a card whose name is not told."""
    return "the unread card" if word == cards.UNREAD else word or "a card"


def card_lies(f: Fields) -> str:
    return f"{card_words(f['card'])} lies {in_hand(f['place'])}"


def moved_card(f: Fields) -> str:
    if f["before"] == f["place"]:
        return f"the unread card {in_hand(f['place'])} is {f['card']}"
    return f"{card_lies(f)}, not {in_hand(f['before'])}"


def turned_card(f: Fields) -> str:
    return f"{card_words(f['card'])} lies open, " + (f"turned by {f['player']}" if f["player"] else "by a slip")


def fault(f: Fields) -> str:
    """What happened, and what to do."""
    detail = detail_words(f["code"], f["detail"])
    return f"fault, {plain(f['code'])}{optional(' ({})', detail or None)}. {ADVICE.get(f['code'], '')}".rstrip()


def why(f: Fields, words: Callable[[str, list[Any]], str] = refusal_words) -> str:
    """The words for code and detail; older records have a sentence in place of both."""
    return words(f["code"], f["detail"]) if "detail" in f else str(f["code"])


def ruled(f: Fields) -> str:
    on = f" for {place(f['box'])}" if f["box"] is not None else ""
    return f"ruling: {plain(f['decision'])}{on}" + (f', "{f["text"]}"' if f["text"] else "")


# Those that need more than a template.
EVENT_WORDS: dict[str, str | Callable[[Fields], str]] = read_templates("events") | {
    "restrict": lambda f: f"limit of {f['limit']}" + optional(" for {}", f["player"]),
    "seat": lambda f: f"{f['player']} {'sits' if f['seated'] else 'stands'} at {place(f['box'])}",
    "card": card_read,
    "entered": card_entered,
    "lies": card_lies,
    "turned": turned_card,
    "handled": lambda f: f"{f['player'] or 'a player'} touched the hand of {place(f['box'])}",
    "irregularity": irregularity,
    OLDER_REPORT: irregularity,
    "choose": lambda f: f"{f['player']} chooses to {f['choice']}" + optional(" on box {}", f["box"]),
    "ruling": ruled,
}

RECORD_WORDS: dict[str, str | Callable[[Fields], str]] = read_templates("records") | {
    "dealt": lambda f: f"{card_words(f['card'])} is for {place(f['place'])}",
    "lies": moved_card,
    "refused": lambda f: f"refused: {event_words(f['event'])}; {why(f)}",
    "line": settled,
    "bonus": lambda f: f"bonus for {f['player']} on {place(f['box'])}{odds(f)}, {chips(f['paid'])}",
    "total": lambda f: totals(f["staked"], f["returned"], f["house_net"]),
    "carried": lambda f: f"carried over: {plain(f['name'])} {spell(f['value'])}",
    "boot": lambda f: f"the table started ({f['cause']})" + (", a line was torn" if f["torn"] else ""),
    "files": lambda f: f"the table's files changed: {f['now']}, before {f['before'] or 'not known'}",
    "held": lambda f: f"held back, {plain(f['code'])}: {f.get('advice') or refusal_words(f['code'], ())}",
    "fault": fault,
    "sensed": lambda f: (
        f"{place(f['box'])}, {plain(f['wager'])}: "
        + ("chips lie there, none were declared" if f["sensed"] else "chips were declared, none lie there")
    ),
    "answer": lambda f: f"command {f['id']} " + ("done" if f["done"] else f"not done: {why(f)}"),
    "denied": lambda f: f"a message was refused, {f['message']}: {why(f, denied_words)}",
}


def told(words: str | Callable[[Fields], str], f: Fields) -> str:
    if callable(words):
        return words(f)
    return fill(words, f | {"whose": whose(f), "bet": whose(f | {"player": None})})


def totals(staked: int, returned: int, net: int) -> str:
    house = f"the House keeps {dollars(net)}" if net >= 0 else f"the House pays {dollars(-net)}"
    return f"staked {dollars(staked)}, returned {dollars(returned)}, {house}"


def event_words(event: list[Any]) -> str:
    """An event in words; what was no event is given as it came."""
    name = declared_name(event)
    fields = DECLARED_EVENTS.get(name)
    if fields is None:
        given = ["-" if part is None else str(part) for part in event[1:]]
        return " ".join(given) or "nothing that the table understands"
    values = list(event[1:]) + [None] * (len(fields) - len(event) + 1)
    named = dict(zip([field.rstrip("?") for field in fields], values))
    by = f" (by {plain(named['by'])})" if named.get("by") else ""
    return told(EVENT_WORDS[name], named) + by


def fields_of(record: list[Any]) -> Fields:
    fields = dict(zip(DECLARED[record[0]], record[1:]))
    return fields | {"advice": record[2]} if record[0] == "held" and len(record) == 3 else fields  # an older one


def record_words(record: list[Any], book: ModuleType | None = None) -> str:
    """One record in words; the book names hands. One that is not as declared is given as it is written."""
    kind = record[0]
    try:
        if kind == "event":
            return event_words(record[2])
        fields = fields_of(record)
        return hand(fields, book) if kind == "shown" else told(RECORD_WORDS[kind], fields)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return spell(record)


def difference_words(expected: Any, found: list[Any]) -> str:
    """What differs in a replay; `expected` is None, a record, or what went wrong with playing it again."""
    if isinstance(expected, Exception):
        return f"cannot be played again ({type(expected).__name__}: {expected})"
    wanted = "no such record here" if expected is None else spell(expected)
    return f"expected {wanted}, found {spell(found)}"


def rule_words(record: list[Any]) -> str:
    """The paragraph that a record rests on, and the reading in brackets: `5.8 (X-04)`."""
    if record[0] not in DECLARED:
        return ""
    fields = fields_of(record)
    paragraph, ruling = fields.get("paragraph"), fields.get("ruling")
    if paragraph and ruling:
        return f"{paragraph} ({ruling})"
    return str(paragraph or ruling or "")
