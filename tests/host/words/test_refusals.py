"""Every code that the table refuses by is declared once, raised as declared, and has words."""

import ast
from pathlib import Path
from string import Formatter

import pytest

from host.words.faults import ADVICE
from host.words.refusals import (
    AT_FAULT,
    DENIED,
    REFUSALS,
    STATES,
    denied_words,
    field_at_fault,
    refusal_words,
    sentence,
)
from shared.link import session
from shared.round import states
from shared.round.events import EVENTS

ROOT = Path(__file__).parents[3]
SOURCES = sorted([*(ROOT / "shared").rglob("*.py"), *(ROOT / "firmware").rglob("*.py")])
# Where the code stands among the arguments of what refuses, and how many details stand before the others.
PLACE = {"Refused": 1, "BadConfig": 0, "refusal": 1}
PASSED_ON = ("problem.code",)
# Codes that the host itself refuses by, without asking the table.
HOSTS_OWN = {
    "table_away",
    "no_table",
    "catching_up",
    "host_stopped",
    "not_confirmed",
    "unsendable",
    "bad_json",
    "nothing_there",
}
SAID_OTHERWISE = {"cut_off_by_power", "before_update"}  # answers that a start finds, without refusing anything


def raised():
    """(where, code, number of details) of every refusal in the table's own sources."""
    found = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in PLACE:
                continue
            place = PLACE[node.func.id]
            code = node.args[place]
            if ast.unparse(code) in PASSED_ON:
                continue
            assert isinstance(code, ast.Constant), f"{path}:{node.lineno}: the code is not written out"
            found.append((f"{path}:{node.lineno}", code.value, len(node.args) - place - 1))
    return found


def test_every_code_is_raised_as_it_is_declared():
    found = raised()
    assert len(found) > 100
    for where, code, count in found:
        assert code in REFUSALS, where
        assert count == len(REFUSALS[code][0]), where


def test_every_declared_code_is_raised():
    assert set(REFUSALS) == {code for _, code, _ in raised()} | SAID_OTHERWISE | HOSTS_OWN
    text = "".join(path.read_text() for path in SOURCES)
    assert all(f'"{code}"' in text for code in SAID_OTHERWISE)


def test_every_code_has_words_with_its_details_in_them_and_no_other():
    assert not set(REFUSALS) & set(ADVICE)
    for code, (names, words) in REFUSALS.items():
        used = {name for _, name, _, _ in Formatter().parse(words) if name}
        assert used <= set(names), code


@pytest.mark.parametrize("code", sorted(REFUSALS))
def test_words_are_plain(code):
    names, template = REFUSALS[code]
    detail = [500 if name in ("cents", "chip") else "pit_supervisor" for name in names]
    words = refusal_words(code, detail)
    assert "{" not in words
    assert "None" not in words
    assert ("$5" in words) == ("{cents}" in template)
    assert not words.endswith(".")
    assert sentence(words).endswith(".")


def test_words_by_hand():
    assert refusal_words("not_multiple", ["cents", 2600, 500]) == "$26 is not a multiple of the $5 chip"
    assert refusal_words("post_too_low", ["pit_supervisor"]) == "this needs a Pit Supervisor or above"
    assert refusal_words("not_possible_now", ["deciding"]) == "not possible now: players are deciding"
    assert refusal_words("waiting", ["choose", "misdeal", "dealer"]) == "players must choose first"
    assert refusal_words("waiting", ["ruling", "power_failure", "shift_manager"]) == (
        "a Shift Manager must answer first (ruling, power failure)"
    )
    assert refusal_words("shuffler_jam", []) == ADVICE["shuffler_jam"]


@pytest.mark.parametrize(
    ("code", "detail", "words"),
    [
        ("from_the_future", [], "from the future"),
        ("from_the_future", [3, "x"], "from the future: 3, x"),
        ("not_multiple", [], "not multiple"),
        ("not_multiple", ["cents", "much", None], "not multiple: cents, much, None"),
    ],
)
def test_a_code_or_details_that_nobody_declared_are_still_readable(code, detail, words):
    assert refusal_words(code, detail) == words
    assert denied_words(code, detail) == words


def test_every_state_has_words():
    known = {getattr(states, name) for name in ("IDLE", "FROZEN", *(state.upper() for state in states.CARDS_OUT))}
    assert known | {"betting", "closed", "void"} == set(STATES)


def test_every_reason_for_which_a_message_does_not_count_has_words():
    link = (ROOT / "firmware" / "link.py").read_text() + (ROOT / "host" / "table" / "link.py").read_text()
    assert {code for code in DENIED if f'"{code}"' in link} | {session._ALTERED, session.REPLAYED} == set(DENIED)


def test_the_fields_at_fault_are_fields_of_events():
    fields = {field.rstrip("?") for declared in EVENTS.values() for field in declared}
    assert set(AT_FAULT.values()) <= fields
    assert set(AT_FAULT) <= set(REFUSALS)
    assert field_at_fault("missing", ["cents"]) == "cents"
    assert field_at_fault("no_such_post", ["porter"]) == "by"
    assert field_at_fault("not_possible_now", ["idle"]) is None
    assert field_at_fault("from_the_future", []) is None
