"""Every fault that a table can latch, be held by or fail to start with has advice, and no other."""

import ast
from pathlib import Path

from firmware import link
from firmware.drivers import reader, shuffler
from host.words.faults import ADVICE, CALL_FOR_SERVICE, DAMAGE, advice, broken_words, damage_words, detail_words
from shared.journal.chain import BrokenChain

FIRMWARE = Path(__file__).parents[3] / "firmware"
OLDER = {"card_unread"}  # of tables before unknown cards; their logs are still told in words


def said():
    """Every text in the firmware that stands where a fault's code does."""
    found = set()
    for path in sorted(FIRMWARE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            found |= codes_in(node)
    return found


def codes_in(node):
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        place = {"fault": 0, "device_fault": 1, "Refusal": 0, "stop": 0}.get(name)
        return texts(node.args[place]) if place is not None and len(node.args) > place else set()
    if isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) > 1:
        first = node.elts[0]
        is_fault = isinstance(first, ast.Constant) and first.value in ("held", "fault")
        return texts(node.elts[1]) if is_fault else set()
    if isinstance(node, ast.Assign) and "self.stopped" in [ast.unparse(target) for target in node.targets]:
        return texts(node.value)
    return set()


def damage_said():
    """(code, number of fields) of everything that shared code raises about a line, a chain or a manifest."""
    codes_at = {"BadLine": 0, "BadManifest": 0, "BrokenChain": 2}
    for path in sorted((FIRMWARE.parent / "shared").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in codes_at:
                code, *fields = node.args[codes_at[node.func.id] :]
                if isinstance(code, ast.Constant):
                    yield str(code.value), len(fields)


def texts(node):
    if isinstance(node, ast.IfExp):
        return texts(node.body) | texts(node.orelse)
    return {node.value} if isinstance(node, ast.Constant) and isinstance(node.value, str) else set()


def test_every_code_that_the_firmware_says_has_advice():
    codes = said()
    assert {"no_key", "crashed", "journal_tight"} <= codes <= set(ADVICE)


def test_every_code_with_advice_stands_in_the_firmware():
    text = "".join(path.read_text() for path in sorted(FIRMWARE.rglob("*.py")))
    assert [code for code in ADVICE if f'"{code}"' not in text and code not in OLDER] == []


def test_what_devices_report_and_what_the_link_holds_has_advice():
    assert {*reader.FAULTS.values(), *shuffler.FAULTS.values()} <= set(ADVICE)
    assert {link._MISMATCH, link._LOG_MISMATCH} <= set(ADVICE)


def test_a_code_of_a_newer_table_is_for_service():
    assert advice("from_the_future") == CALL_FOR_SERVICE


def test_all_that_shared_code_says_of_damage_has_words():
    """Codes are longer than what MicroPython keeps for good once it has read it."""
    said = set(damage_said())
    assert {"seal_does_not_fit", "segment_altered", "manifest_cut_off", "line_too_long"} <= {
        code for code, _ in said
    }
    assert {code: len(DAMAGE[code][0]) for code, _ in said} == dict(said)
    assert [code for code, _ in said if len(code) <= 10] == []


def test_damage_within_damage_is_in_words():
    assert (
        damage_words("head_damaged", "00000001", "wrong_checksum") == "head of segment 00000001: wrong checksum"
    )
    assert detail_words("files_changed", "manifest_line line_not_json") == "a line of the manifest: not JSON"
    assert detail_words("files_changed", "main.py") == "main.py"


def test_a_broken_journal_is_in_words_from_the_detail_of_its_fault():
    problem = BrokenChain(7, "changed", "segment_altered", "00000001")
    words = "record 7: changed (segment 00000001 is not as the next one says)"
    assert broken_words(problem) == detail_words("journal_broken", str(problem)) == words
    assert detail_words("journal_broken", words) == words  # as an older table wrote it


def test_damage_that_is_not_known_is_shown_as_it_came():
    assert damage_words("from_the_future", 3) == "from_the_future 3"
    assert detail_words("card_count", "as an older table wrote it") == "as an older table wrote it"
    assert detail_words("card_count", "6 5 4") == "asked for 6, dealt 5, read 4"
