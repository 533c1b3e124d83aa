"""Every fault that a table can latch, be held by or fail to start with has advice, and no other."""

import ast
from pathlib import Path

from firmware import link
from firmware.drivers import reader, shuffler
from host.words.faults import ADVICE, CALL_FOR_SERVICE, advice

FIRMWARE = Path(__file__).parents[3] / "firmware"


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


def texts(node):
    if isinstance(node, ast.IfExp):
        return texts(node.body) | texts(node.orelse)
    return {node.value} if isinstance(node, ast.Constant) and isinstance(node.value, str) else set()


def test_every_code_that_the_firmware_says_has_advice():
    codes = said()
    assert {"no_key", "crashed", "journal_tight", "card_unread"} <= codes <= set(ADVICE)


def test_every_code_with_advice_stands_in_the_firmware():
    text = "".join(path.read_text() for path in sorted(FIRMWARE.rglob("*.py")))
    assert [code for code in ADVICE if f'"{code}"' not in text] == []


def test_what_devices_report_and_what_the_link_holds_has_advice():
    assert {*reader.FAULTS.values(), *shuffler.FAULTS.values()} <= set(ADVICE)
    assert {link.MISMATCH, link.LOG_MISMATCH} <= set(ADVICE)


def test_a_code_of_a_newer_table_is_for_service():
    assert advice("from_the_future") == CALL_FOR_SERVICE
