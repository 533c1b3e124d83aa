"""Every failure of the host has a code with words, and the fields that they need; and no other code has words."""

import ast
from string import Formatter

import pytest

from host.words.failures import Failure, failure_words
from host.words.sentences import read_templates
from tests.support.documents import ROOT

KINDS = {
    *("KeyFileError", "PortError", "PortBusy", "LogFailed", "NotALog", "OldLog", "BadCheckpoint", "CannotAdopt"),
    *("CannotReplace", "SoakFailed", "BadTime", "NoSuchValue"),
    *("DisplayFailed", "PageFailed", "BoardError", "NoSuchBook"),
    *("PairError", "PairAbsent", "WiringFault"),
}
FILES = ("bench", "board", "display", "keys", "log", "pico", "rules", "server", "soak")
SOURCES = [
    path for path in sorted((ROOT / "host").rglob("*.py")) if not {"words", "node_modules"} & {*path.parts}
]
TREES = [ast.parse(path.read_text()) for path in SOURCES]
SAID = {node.value for tree in TREES for node in ast.walk(tree) if isinstance(node, ast.Constant)}


def raised():
    """(code, the names of its fields, whether there may be more) of every failure in the host."""
    for tree in TREES:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KINDS:
                codes = [one.value for one in ast.walk(node.args[0]) if isinstance(one, ast.Constant)]
                names = {keyword.arg for keyword in node.keywords}
                yield from ((str(code), names - {None}, None in names) for code in codes if "." in str(code))


def fields_of(code):
    words = read_templates(code.partition(".")[0])[code]
    return {field for _, field, _, _ in Formatter().parse(words) if field}


def test_every_failure_has_words_and_the_fields_that_they_name():
    found = [one for one in raised() if one[0] != "keys."]  # of two kinds, told apart by the rest of the code
    assert {code.partition(".")[0] for code, _, _ in found} == set(FILES)
    for code, names, is_open in found:
        assert is_open or fields_of(code) <= names, code


def test_every_kind_of_failure_is_looked_at():
    classes = [node for tree in TREES for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    bases = {node.name: {getattr(base, "id", "") for base in node.bases} for node in classes}
    assert {name for name, of in bases.items() if of & ({"Failure"} | KINDS)} == KINDS


@pytest.mark.parametrize("name", FILES)
def test_every_code_with_words_stands_in_the_host(name):
    made = ("keys.table_missing", "keys.signer_missing", "board.GP", "log.SQLITE_")  # in parts
    constants = {f"board.{value}" for value in SAID if isinstance(value, str) and value.isupper()}
    codes = [code for code in read_templates(name) if not code.startswith(made)]
    assert [code for code in codes if code not in SAID | constants] == []


def test_a_failure_is_a_code_with_fields_and_only_as_text_in_words():
    failure = Failure("pico.lost", port="COM5", reason="errno 5")
    assert failure.args == ("pico.lost", {"port": "COM5", "reason": "errno 5"})
    assert str(failure) == failure_words(*failure.args)
    assert str(failure).startswith("COM5: the device stopped answering (errno 5)")


def test_a_failure_within_a_failure_is_in_words():
    within = ("log.checkpoint_damaged", {"damage": "wrong_checksum"})
    assert failure_words("log.checkpoint_line", {"path": "c", "line": 2, "failure": within}) == (
        "c, line 2: wrong checksum"
    )
    within = ("mismatch", ("rules", "ab", "cd"))
    words = failure_words("log.table_refuses", {"announcement": within})
    assert words.startswith("The table settles by other rules than this host.")
