"""What a run on the bench found, as text, as JUnit XML, and as one page of HTML."""

from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import NamedTuple
from xml.etree import ElementTree

from host.bench.firmware_target import Said
from host.bench.runs import FAILED, FLAKY, PASSED, PRODUCT, SKIPPED, UNREAD, Attempt, Result
from host.display.leds import png_bytes
from host.display.picture import draw
from host.display.table_view import TableView
from shared.journal.wire import spell

VERDICTS = (PASSED, SKIPPED, FLAKY, FAILED, UNREAD)
SIZE = (128, 32)
SCALE = 5


class Conditions(NamedTuple):
    """What a run tested, and how."""

    firmware: str  # "" if no firmware was tested
    rules: str
    targets: dict[str, str]  # each with what it runs on
    scenarios: str  # the digest of the files
    seed: int
    retries: int
    begun: int  # seconds since 1970


# -- words


def result_words(result: Result) -> list[str]:
    """A line for people, and what went wrong below it."""
    name = f"{result.verdict}: {result.path}" + (f" on {result.target}" if result.target else "")
    if result.verdict == PASSED:
        return [f"{name} ({result.seconds:.2f} s)"]
    if result.verdict == SKIPPED:
        return [f"{name}: {result.words}"]
    lines = [f"{name} ({result.seconds:.2f} s)"]
    for number, one in enumerate(result.attempts, 1):
        said = attempt_words(one)
        lines.append(f"  try {number}: {said}" if len(result.attempts) > 1 else f"  {said}")
    if result.scenario and result.cause == PRODUCT:
        lines.append(f"  because: {result.scenario.expect.because}")
    return lines


def attempt_words(attempt: Attempt) -> str:
    return f"{attempt.cause}: {attempt.words}" if attempt.cause else attempt.outcome


def counted(results: Sequence[Result]) -> Counter[str]:
    return Counter(result.verdict for result in results)


def total_words(results: Sequence[Result]) -> str:
    count = counted(results)
    return (
        ", ".join(f"{count[verdict]} {verdict}" for verdict in VERDICTS if count[verdict]) or "nothing was played"
    )


def wire_lines(wire: Sequence[Said]) -> list[str]:
    """What went over the wires: the time, the wire, > to the table or < from it, and the bytes."""
    return [
        f"{said.at:7d} {said.wire:8s} {'<' if said.by == 'table' else '>'} {line}"
        for said in wire
        for line in byte_lines(said.data)
    ]


def byte_lines(data: bytes) -> list[str]:
    if all(32 <= byte < 127 or byte == 10 for byte in data):
        return data.decode().splitlines()
    return [data.hex(" ")]


# -- JUnit


def junit(results: Sequence[Result], tested: Conditions) -> bytes:
    """A suite for each target. What passed at a second try is a failure, with every try in its text."""
    root = ElementTree.Element("testsuites", name="felt bench")
    for target in dict.fromkeys(result.target for result in results):
        mine = [result for result in results if result.target == target]
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=target or "files",
            tests=str(len(mine)),
            failures=str(sum(is_failure(result) for result in mine)),
            errors=str(sum(is_error(result) for result in mine)),
            skipped=str(sum(result.verdict == SKIPPED for result in mine)),
            time=f"{sum(result.seconds for result in mine):.3f}",
        )
        properties = ElementTree.SubElement(suite, "properties")
        about = {"firmware": tested.firmware, "rules": tested.rules, "runtime": tested.targets.get(target, "")}
        for name, value in (about | {"seed": str(tested.seed)}).items():
            ElementTree.SubElement(properties, "property", name=name, value=value)
        for result in mine:
            add_case(suite, result)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)


def is_error(result: Result) -> bool:
    return result.verdict in (FAILED, FLAKY, UNREAD) and result.cause != PRODUCT


def is_failure(result: Result) -> bool:
    return result.verdict in (FAILED, FLAKY) and result.cause == PRODUCT


def add_case(suite: ElementTree.Element, result: Result) -> None:
    case = ElementTree.SubElement(
        suite,
        "testcase",
        name=result.path.stem,
        classname=result.scenario.book if result.scenario else "files",
        file=str(result.path),
        time=f"{result.seconds:.3f}",
    )
    if result.verdict == SKIPPED:
        ElementTree.SubElement(case, "skipped", message=result.words)
    elif result.verdict != PASSED:
        tag = "error" if is_error(result) else "failure"
        message = f"{result.verdict}: {result.words}"
        found = ElementTree.SubElement(case, tag, type=result.cause, message=message)
        found.text = "\n".join(result_words(result))


# -- HTML

STYLE = """body{font:15px/1.45 system-ui,sans-serif;margin:2rem;max-width:80rem}table{border-collapse:collapse}
td,th{border:1px solid #999;padding:.2rem .6rem;text-align:left}pre{background:#f2f2f2;padding:.6rem;
overflow:auto;max-height:30rem}.passed{background:#dff0d8}.skipped{background:#eee}.flaky,.failed,.unread{background:#f6d5d5}"""


def page(results: Sequence[Result], tested: Conditions) -> str:
    """Scenarios and targets as a table; of each failure the words, the LED picture and what the wires carried."""
    parts = ["<!doctype html><html lang=en><meta charset=utf-8><title>Felt: test bench</title>"]
    parts.append(f"<style>{STYLE}</style><h1>Test bench: {escape(total_words(results))}</h1>")
    about = [("firmware", tested.firmware or "none"), ("rules", tested.rules), *tested.targets.items()]
    parts.append("<ul>" + "".join(f"<li>{escape(name)}: {escape(value)}" for name, value in about) + "</ul>")
    targets = list(tested.targets)
    parts.append("<table><tr><th>scenario" + "".join(f"<th>{escape(target)}" for target in targets))
    by_place = {(result.path, result.target): result for result in results}
    for path in dict.fromkeys(result.path for result in results):
        parts.append(f"<tr><td>{escape(str(path))}")
        for target in targets:
            result = by_place.get((path, target)) or by_place.get((path, ""))
            parts.append(cell(result) if result else "<td>")
    parts.append("</table>")
    parts += [failure(result) for result in results if result.verdict not in (PASSED, SKIPPED)]
    return "\n".join(parts) + "</html>\n"


def cell(result: Result) -> str:
    title = f' title="{escape(result.words, quote=True)}"' if result.words else ""
    return f"<td class={result.verdict}{title}>{result.verdict}"


def failure(result: Result) -> str:
    lines = "\n".join(result_words(result))
    parts = [
        f"<h2>{escape(result.path.stem)} on {escape(result.target or 'no target')}</h2><pre>{escape(lines)}</pre>"
    ]
    evidence = next((one.evidence for one in result.attempts if one.evidence), None)
    if evidence:
        image = b64encode(picture(evidence.view)).decode()
        parts.append(f'<p><img alt="the LED display as the round stands" src="data:image/png;base64,{image}">')
        records = "\n".join(map(spell, evidence.records))
        parts.append(f"<details><summary>records</summary><pre>{escape(records)}</pre></details>")
    if evidence and evidence.wire:
        trace = "\n".join(wire_lines(evidence.wire))
        parts.append(f"<details><summary>the wires</summary><pre>{escape(trace)}</pre></details>")
    return "\n".join(parts)


def picture(view: TableView) -> bytes:
    """The LED picture as a PNG."""
    return png_bytes(draw(view, SIZE, 0), SCALE)
