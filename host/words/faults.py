"""Faults in words: what to do about each code that a table latches or is held by, and what exactly is damaged."""

from typing import Any

from host.words.sentences import SHOWN, fill, read_declared, read_templates
from shared.journal.chain import BrokenChain

ADVICE = read_templates("faults")
CALL_FOR_SERVICE = "Call for service."
# Each code with the names of its fields in order, and its words.
DAMAGE = read_declared("damage")


def damage_words(code: str, *fields: Any) -> str:
    """What is wrong with a line, a chain, a journal or a manifest; an unknown code is shown as it came."""
    names, words = DAMAGE.get(code, ((), ""))
    if not words or len(names) != len(fields):
        return " ".join(map(str, (code, *fields)))
    return fill(words, dict(zip(names, fields)))


def broken_words(problem: Any) -> str:
    """A BrokenChain, or a Break of host.log.verify: `record 7: changed (the seal does not fit)`."""
    return f"record {problem.number}: {problem.how} ({damage_words(*problem.detail)})"


def detail_words(code: str, detail: str) -> str:
    """A fault's detail, a text of fields, for people; a sentence of an older log is left as it is."""
    fields = detail.split()
    if code == "journal_broken" and len(fields) > 2 and fields[0].isdigit():
        return broken_words(BrokenChain(int(fields[0]), *fields[1:]))
    if code in DAMAGE:
        return damage_words(code, *fields) if len(fields) == len(DAMAGE[code][0]) else detail
    return damage_words(*fields) if fields and fields[0] in DAMAGE else detail


def fault_words(code: str, detail: str) -> str:
    """Why a table does not start: `files_changed: main.py`."""
    return f"{code}: {detail_words(code, detail)}" if detail else code


def advice(code: str) -> str:
    return ADVICE.get(code, CALL_FOR_SERVICE)


SHOWN["damage"] = lambda code: damage_words(code) if isinstance(code, str) else damage_words(*code)
SHOWN["fault"] = lambda reported: fault_words(*reported)
SHOWN["advice"] = lambda reported: advice(reported[0])
