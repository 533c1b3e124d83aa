"""Records in words, as one would say them at the table: what happened, and the paragraph behind it."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from host.words.faults import ADVICE, detail_words
from host.words.hand_names import hand_name
from host.words.money import dollars, odds_text
from host.words.names import plain
from host.words.refusals import denied_words, refusal_words
from shared.journal.wire import spell
from shared.round.events import EVENTS
from shared.round.records import RECORDS, TABLE_RECORDS
from shared.rules import cards

Fields = dict[str, Any]
DECLARED = RECORDS | TABLE_RECORDS


def money(cents: int | None) -> str:
    """On a table without amounts nobody knows how much it was."""
    return "chips" if cents is None else dollars(cents)


def place(number: int | None) -> str:
    return "the dealer" if number == 0 else f"box {number}" if number is not None else "the table"


def whose(f: Fields) -> str:
    """`P1's main on box 1`, as far as the record says it."""
    player = f"{f['player']}'s " if f.get("player") else "the "
    on = f" on {place(f['box'])}" if f.get("box") is not None else ""
    return f"{player}{plain(f['wager']) if f.get('wager') else 'bet'}{on}"


def optional(words: str, value: Any) -> str:
    return words.format(plain(value)) if value is not None else ""


def hand(f: Fields, book: ModuleType | None) -> str:
    shown = f"{place(f['place'])} shows {' '.join(f['cards'])}"
    if book and len(f["cards"]) == 3:
        shown += ": " + hand_name(book, book.value(*[cards.parse(card) for card in f["cards"]])).full
    return shown


def odds(f: Fields) -> str:
    pays = odds_text(f["num"], f["den"])
    return f" {pays}" if pays else ""


def settled(f: Fields) -> str:
    verb = {"win": "wins", "lose": "loses", "push": "is a push", "returned": "goes back"}.get(f["result"], "")
    stake = f", {dollars(f['stake'])} staked, {dollars(f['returned'])} back" if f["stake"] is not None else ""
    return f"{whose(f)} {verb}{odds(f)}{stake}"


def irregularity(f: Fields) -> str:
    told = f"irregularity: {plain(f['kind'])}"
    told += optional(" at {}", place(f["place"]) if f["place"] is not None else None)
    told += optional(", card {}", f["card"]) + optional(", player {}", f["player"])
    told += ", put right" if f["mended"] else ""
    told += optional(" in round {}", f["round"])
    return told + (f', "{f["text"]}"' if f["text"] else "")


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


EVENT_WORDS: dict[str, Callable[[Fields], str]] = {
    "restrict": lambda f: f"limit of {f['limit']}" + optional(" for {}", f["player"]),
    "hand_paid": lambda f: f"jackpot paid by hand to {f['player']}",
    "new_day": lambda f: "a new gaming day",
    "open": lambda f: "place your bets",
    "bet": lambda f: f"{f['player']} bets {money(f['cents'])} {plain(f['wager'])} on {place(f['box'])}",
    "take_back": lambda f: f"{f['player']} takes back {money(f['cents'])} of {whose(f | {'player': None})}",
    "seat": lambda f: f"{f['player']} {'sits' if f['seated'] else 'stands'} at {place(f['box'])}",
    "close": lambda f: "no more bets",
    "counted": lambda f: f"counted: {money(f['lay'])} lay for {whose(f)}",
    "cards_left": lambda f: f"{f['count']} cards left",
    "card": lambda f: f"card {f['card']}" + (" face up" if f["up"] else ""),
    "misread": lambda f: "the card was misread",
    "look": lambda f: f"{f['player']} looks at the hand of {place(f['box'])}",
    "handled": lambda f: f"a player touched the hand of {place(f['box'])}",
    "show": lambda f: f"the hand of {place(f['box'])} is shown",
    "decide": lambda f: f"{place(f['box'])} decides: {f['choice']}",
    "reveal": lambda f: "the dealer shows his hand",
    "settle": lambda f: "bets are paid and collected",
    "irregularity": irregularity,
    "exchanged": lambda f: f"{f['card']} and {f['with']} lie in each other's place",
    "cards_counted": lambda f: f"{f['count']} cards counted",
    "power_failure": lambda f: "the power was gone and is back",
    "choose": lambda f: (
        f"{f['player']} chooses to {f['choice']}"
        + optional(" on {}", place(f["box"]) if f["box"] is not None else None)
    ),
    "choices_done": lambda f: "whoever did not choose goes on",
    "withdraw": lambda f: f"{f['player']} withdraws from {place(f['box'])}",
    "ruling": ruled,
}

RECORD_WORDS: dict[str, Callable[[Fields], str]] = {
    "refused": lambda f: f"refused: {event_words(f['event'])}; {why(f)}",
    "state": lambda f: f"the round is {f['state']}",
    "warning": lambda f: f"warning, {plain(f['code'])}: {whose(f)}",
    "plays": lambda f: f"{plain(f['code'])}, not put right, plays: {whose(f)}",
    "placed": lambda f: f"{money(f['cents'])} placed for {whose(f)}",
    "placed_by_staff": lambda f: f"{whose(f)} was placed by {plain(f['by'])}",
    "recounted": lambda f: f"{whose(f)} was {money(f['cents'])}, not {money(f['before'])}",
    "refund": lambda f: f"{money(f['cents'])} of {whose(f)} goes back",
    "stands": lambda f: f"{money(f['cents'])} of {whose(f)} was taken late and still plays",
    "dealt": lambda f: f"{f['card']} is for {place(f['place'])}",
    "seen": lambda f: f"{f['card']} was seen",
    "ask": lambda f: f"the round waits for {plain(f['role'])}: {f['kind']}, {plain(f['situation'])}",
    "offer": lambda f: f"{f['player']} on {place(f['box'])} may go on or withdraw",
    "noted": lambda f: f"noted, play goes on: {plain(f['situation'])}",
    "reconstructed": lambda f: f"put right, play goes on: {plain(f['situation'])}",
    "removed": lambda f: f"the hand of {place(f['box'])} is out",
    "outcome": lambda f: f"{whose(f)} is decided for certain: {f['result']}",
    "meter": lambda f: f"the jackpot stands at {dollars(f['cents'])} ({f['cause']})",
    "line": settled,
    "bonus": lambda f: f"bonus for {f['player']} on {place(f['box'])}{odds(f)}, {money(f['paid'])}",
    "envy": lambda f: f"envy bonus for {f['player']}, {money(f['cents'])}",
    "hand_pay": lambda f: f"{dollars(f['cents'])} to be paid by hand to {f['player']}",
    "kept": lambda f: f"{f['player']} holds {money(f['cents'])} of {whose(f | {'player': None})} already",
    "debt": lambda f: f"{f['player']} owes {money(f['cents'])} of {whose(f | {'player': None})}",
    "total": lambda f: totals(f["staked"], f["returned"], f["house_net"]),
    "void": lambda f: "the round is void: every bet goes back",
    "reversed": lambda f: (
        f"taken back: {whose(f)}, {money(f['stake'])} staked, {money(f['returned'])} had gone back"
    ),
    "begin": lambda f: f"how the table stands ({f['why']}), {f['count']} parts",
    "config": lambda f: f"configuration: {plain(f['field'])} {f['value']}",
    "carried": lambda f: f"carried over: {plain(f['name'])} {spell(f['value'])}",
    "chain": lambda f: "a new chain of records begins",
    "boot": lambda f: f"the table started ({f['cause']})" + (", a line was torn" if f["torn"] else ""),
    "clock": lambda f: "the time",
    "held": lambda f: f"held back, {plain(f['code'])}: {f.get('advice') or refusal_words(f['code'], ())}",
    "fault": fault,
    "cleared": lambda f: f"fault cleared by {plain(f['by'])}: {plain(f['code'])}",
    "call": lambda f: f"the {plain(f['post'])} is called",
    "late": lambda f: f"{f['card']} came while the deal waits; its turn comes after that",
    "device": lambda f: f"the {f['device']} says {plain(f['what'])}",
    "sensed": lambda f: (
        f"{place(f['box'])}, {plain(f['wager'])}: "
        + ("chips lie there, none were declared" if f["sensed"] else "chips were declared, none lie there")
    ),
    "command": lambda f: f"command {f['id']} by {f['who']}: {plain(f['name'])}",
    "answer": lambda f: f"command {f['id']} " + ("done" if f["done"] else f"not done: {why(f)}"),
    "link": lambda f: f"the link to the host: {f['state']}",
    "mismatch": lambda f: f"table and host do not fit, {plain(f['what'])}: table {f['table']}, host {f['host']}",
    "denied": lambda f: f"a message was refused, {f['message']}: {why(f, denied_words)}",
    "unknown": lambda f: f"a message was not understood: {f['message']}",
    "quiet": lambda f: f"{f['count']} more such messages",
}


def totals(staked: int, returned: int, net: int) -> str:
    house = f"the House keeps {dollars(net)}" if net >= 0 else f"the House pays {dollars(-net)}"
    return f"staked {dollars(staked)}, returned {dollars(returned)}, {house}"


def event_words(event: list[Any]) -> str:
    """An event in words; what was no event is given as it came."""
    fields = EVENTS.get(event[0])
    if fields is None:
        given = ["-" if part is None else str(part) for part in event[1:]]
        return " ".join(given) or "nothing that the table understands"
    values = list(event[1:]) + [None] * (len(fields) - len(event) + 1)
    named = dict(zip([field.rstrip("?") for field in fields], values))
    by = f" (by {plain(named['by'])})" if named.get("by") else ""
    return EVENT_WORDS[event[0]](named) + by


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
        return hand(fields, book) if kind == "shown" else RECORD_WORDS[kind](fields)
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
