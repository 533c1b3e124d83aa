"""The page's words: one for each code that a round, a report or a ruling can have, and none besides."""

import pytest

from host.display.table_view import UNKNOWN
from host.rules.catalogue import all_books
from host.words.page import PAGE, state_words
from shared.round import states
from shared.rules import policy

STATES = ["idle", "betting", "closed", "dealing", "playing", "deciding", "revealed", "settled", "void"]


def codes(group):
    return {code.partition(".")[2] for code in PAGE if code.startswith(group + ".")}


def test_every_state_and_question_has_words_and_a_sentence():
    assert codes("state") == {UNKNOWN, "reversed", "no_bets", *STATES}
    assert codes("question") == {states.CHECK, states.TELL, states.CHOOSE, states.ORDER, states.RULING}
    assert all(all(state_words(code)) for code in PAGE if code.startswith(("state.", "question.")))


def test_every_kind_and_every_action_of_a_book_has_words():
    assert codes("kind") == set(policy.KINDS)
    assert codes("later") == {policy.REVERSE, policy.STANDS, policy.ASK}
    taken = {entry.action for book in all_books() for entry in book.IRREGULARITIES.values()}
    assert codes("action") >= taken - {policy.SECOND_VOIDS} | {policy.ASK, "first-exposed", "second-exposed"}
    declared = {value for value in vars(policy).values() if isinstance(value, str)}
    assert codes("action") <= declared | {"first-exposed", "second-exposed", "hand-out-and-ask"}


@pytest.mark.parametrize("decision", ["continue", "void", "hand_out", "fold", "order", "correct"])
def test_every_ruling_has_words(decision):
    assert PAGE[f"ruling.{decision}"].endswith(".")
