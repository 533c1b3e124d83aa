"""What a key stands for: the phrases of scenarios that have it, and which one the typed words mean.

After the key of a bet people type what is not as proposed, in any order: `P2 box 2 $50`. What they leave out is
proposed, so that a key alone is enough.
"""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from host.bench.phrases import FIELDS, PHRASES, STEP_PATTERNS, TELLER, TROUBLE_PHRASES, Phrase
from host.words.names import plain
from shared.round.events import EVENTS

SLOT = re.compile(r"\{(\w+)\}")
WORD_END = r"(?=[\s,]|$)"
GAP = re.compile(r"[\s,:]*")
# A box may be typed as its number alone, where no other number is meant.
BARE_BOX = r"[1-9][0-9]?"
NUMBERS = ("count", "limit", "round")
PLACES = ("box", "place", "before")
# What to type for each field.
EXAMPLES = {
    "player": "P1",
    "box": "box 1",
    "place": "box 1 or the dealer's hand",
    "before": "box 1 or the dealer's hand",
    "cents": "$25",
    "lay": "$25",
    "card": "KS",
    "cards": "KS 5D, ?? (unread), XX (foreign)",
    "count": "51",
    "limit": "2",
    "round": "3",
    "words": "JAM",
    "fault": "shuffler jam",
}
CHOSEN = ("kind", "put_right", "choice", "seated", "by", "key", "device")

# Keys for what is often meant, each with the key and the words that it stands for.
SHORT = {"u": ("d", "??"), "x": ("d", "XX"), "M": ("i", "misdeal"), "J": ("j", "FREE")}
# Names of keys where that of the event does not tell them from others.
NAMES = {
    "u": "unread card",
    "x": "foreign card",
    "M": "misdeal",
    "J": "shuffler freed",
    "R": "limit wagers",
    "1": "hold to one position",
    "2": "allow several positions",
    "F": "card face up",
    "H": "dealer opens",
    "p": "play",
    "f": "fold",
    "!": "fold all the same",
    "i": "report",
    "A": "all told that lie elsewhere",
    "G": "ruling: play on",
    "V": "ruling: void",
    "B": "ruling: hand out",
    "K": "ruling: folded",
    "S": "ruling: settle again",
    "I": "ruling: order",
    "k": "press a key",
    "[": "hold a key down",
    "]": "let a key go",
    "+": "chips on a sensor",
    "-": "chips off a sensor",
    "5": "unplug the sensors",
    "6": "plug the sensors in",
    "j": "shuffler jams",
    "3": "a device falls silent",
    "4": "a device works again",
    "w": "time passes",
    "X": "clear a fault",
    "E": "call somebody",
    "9": "the host dies",
    "0": "the host is back",
    "7": "pull the USB cable",
    "8": "put the USB cable in",
    "Q": "switch off and on",
}

# The words for a field that nobody typed, beside the fields that somebody did.
Propose = Callable[[Phrase, str, dict[str, str]], str]


class NotMeant(ValueError):
    """What was typed after a key fits none of its phrases; the text says what does."""


class Found(NamedTuple):
    phrase: Phrase
    fields: dict[str, str]  # in words
    teller: str


def phrases_of(key: str) -> list[Phrase]:
    return [phrase for phrase in (*PHRASES, *TROUBLE_PHRASES) if phrase.key == key]


def keys() -> list[str]:
    """Of what the rules decide."""
    return list(dict.fromkeys(phrase.key for phrase in PHRASES))


def trouble_keys() -> list[str]:
    """Of what only a table with the firmware can have happen to it."""
    return list(dict.fromkeys(phrase.key for phrase in TROUBLE_PHRASES if phrase.key))


def key_name(key: str) -> str:
    """In a word or two; mostly the name of the event."""
    return NAMES.get(key) or plain(phrases_of(key)[0].event)


def words_for(key: str, typed: str, propose: Propose, wagers: Iterable[str], amounts: bool = True) -> str:
    """The phrase in full. `wagers` are those of the table's book; without `amounts` no money is named."""
    if key in SHORT:
        key, first = SHORT[key]
        typed = f"{first} {typed}".strip()
    phrases = phrases_of(key)
    if not amounts:
        phrases = [phrase for phrase in phrases if "{cents}" not in phrase.template] or phrases
    if any(phrase in phrases and whole.fullmatch(typed) for phrase, whole in STEP_PATTERNS):
        return typed
    for phrase in phrases:
        found = read(phrase, typed, wagers)
        if found:
            return full(found, propose)
    raise NotMeant(f'"{typed}" does not fit; {usage(phrases, wagers)}')


def full(found: Found, propose: Propose) -> str:
    template = found.phrase.template
    typed = found.fields
    fields = {name: typed.get(name) or propose(found.phrase, name, typed) for name in SLOT.findall(template)}
    return template.format(**fields) + found.teller


def read(phrase: Phrase, typed: str, wagers: Iterable[str]) -> Found | None:
    """The fields that were typed, if all of it is of this phrase: its fields, and words that it says anyway."""
    names = SLOT.findall(phrase.template)
    own = {word.strip(",:") for word in SLOT.sub(" ", phrase.template).split()}
    fields: dict[str, str] = {}
    teller = ""
    at = GAP.match(typed).end()  # type: ignore[union-attr]
    while at < len(typed):
        for name in names:
            said = None if name in fields else re.compile(pattern(name, names, wagers)).match(typed, at)
            if said:
                fields[name] = in_full(name, said[0])
                break
        else:
            said = tells(phrase).match(typed, at)
            if said:
                teller = TELLER.format(by=said["by"])
            else:
                said = re.compile(r"[^\s,:]+").match(typed, at)
                if not said or said[0] not in own:
                    return None
        at = GAP.match(typed, said.end()).end()  # type: ignore[union-attr]
    return Found(phrase, fields, teller)


def pattern(name: str, names: list[str], wagers: Iterable[str]) -> str:
    fits = FIELDS[name][0]
    if name == "wager":
        fits = "|".join(sorted((re.escape(plain(one)) for one in wagers), key=len, reverse=True))
    elif name in PLACES and not set(names) & set(NUMBERS):
        fits += f"|{BARE_BOX}|dealer"
    return f"(?:{fits}){WORD_END}"


def in_full(name: str, said: str) -> str:
    if name in PLACES and said.isdigit():
        return f"box {said}"
    return "the dealer's hand" if name in PLACES and said == "dealer" else said


def tells(phrase: Phrase) -> re.Pattern[str]:
    """`says the dealer`, where somebody tells it."""
    told = "by" in [field.rstrip("?") for field in EVENTS.get(phrase.event, ())]
    return re.compile(rf"says the (?P<by>{FIELDS['by'][0]}){WORD_END}" if told else "(?!)")


def usage(phrases: Iterable[Phrase], wagers: Iterable[str]) -> str:
    """What can be typed after the key."""
    names = dict.fromkeys(name for phrase in phrases for name in SLOT.findall(phrase.template))
    if not names:
        return "this key takes no words"
    said = [f"{plain(name)} ({example(name, wagers)})" for name in names]
    return f"after this key type any of: {'; '.join(said)}"


def example(name: str, wagers: Iterable[str]) -> str:
    if name == "wager":
        return ", ".join(map(plain, wagers))
    if name in CHOSEN:
        return FIELDS[name][0].replace("\\", "").replace("|", ", ")
    return EXAMPLES[name]
