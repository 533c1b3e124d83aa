"""What a run on the bench found, as text and as JUnit XML."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from xml.etree import ElementTree

from host.bench.firmware_target import Said
from host.bench.runs import FAILED, FLAKY, PASSED, PRODUCT, SKIPPED, UNREAD, Attempt, Result
from host.display.leds import png_bytes
from host.display.picture import PAGE_MS, draw, page_count
from host.display.table_view import TableView

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


def target_words(results: Sequence[Result], target: str) -> str:
    """`cpython: 395 passed, 2 skipped, 18.2 s`"""
    mine = [result for result in results if result.target == target]
    return f"{target}: {total_words(mine)}, {sum(result.seconds for result in mine):.1f} s"


def boards_of(results: Sequence[Result]) -> list[str]:
    return sorted({result.board for result in results if result.board})


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
    root = ElementTree.Element("testsuites", name="felt bench", **totals(results))
    began = datetime.fromtimestamp(tested.begun, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    for target in dict.fromkeys(result.target for result in results):
        mine = [result for result in results if result.target == target]
        suite = ElementTree.SubElement(root, "testsuite", name=target or "files", timestamp=began, **totals(mine))
        properties = ElementTree.SubElement(suite, "properties")
        about = {
            "firmware": tested.firmware,
            "rules": tested.rules,
            "scenarios": tested.scenarios,
            "runtime": tested.targets.get(target, ""),
            "boards": ", ".join(boards_of(mine)),
            "seed": str(tested.seed),
            "retries": str(tested.retries),
        }
        for name, value in about.items():
            ElementTree.SubElement(properties, "property", name=name, value=value)
        for result in mine:
            add_case(suite, result)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)


def totals(results: Sequence[Result]) -> dict[str, str]:
    return {
        "tests": str(len(results)),
        "failures": str(sum(map(is_failure, results))),
        "errors": str(sum(map(is_error, results))),
        "skipped": str(sum(result.verdict == SKIPPED for result in results)),
        "time": f"{sum(result.seconds for result in results):.3f}",
    }


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
        for number, one in enumerate(result.attempts[1:], 2):
            if one.cause:  # by the name under which build servers know it
                again = ElementTree.SubElement(
                    case, "rerunFailure", type=one.cause, message=f"try {number}: {one.words}"
                )
                again.text = attempt_words(one)


# -- LED pictures


def pictures(view: TableView) -> Iterator[bytes]:
    """The LED picture as PNGs, one for each of its pages that turn."""
    for number in range(page_count(view, SIZE)):
        yield png_bytes(draw(view, SIZE, number * PAGE_MS), SCALE)
