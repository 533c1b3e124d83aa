"""What a run found, as one page of HTML: failures first, with LED pictures and what the wires carried."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from html import escape

from host.bench.reports import (
    VERDICTS,
    Attempt,
    Conditions,
    Said,
    attempt_words,
    boards_of,
    byte_lines,
    counted,
    pictures,
    total_words,
)
from host.bench.runs import FLAKY, PASSED, PRODUCT, SKIPPED, Evidence, Result
from host.bench.targets import CoreTarget
from host.words.records import record_words, rule_words
from shared.journal.wire import spell

LAST_LINES = 20
STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #222; margin: 2rem auto; max-width: 76rem; padding: 0 2rem }
h1 { font-size: 1.6rem; margin-bottom: .3rem }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem }
table { border-collapse: collapse }
td, th { border: 1px solid #ccc; padding: .15rem .6rem; text-align: left; vertical-align: top }
th { background: #f4f4f4 }
td.n { text-align: right }
td[class] { white-space: nowrap }
td a { color: inherit }
.passed { background: #e2f2dc }
.skipped { background: #eee }
.flaky { background: #fdebc8 }
.failed, .unread { background: #f8d7d7 }
section { border: 1px solid #ccc; border-left: 6px solid #c44; padding: .2rem 1.2rem 1rem; margin: 1rem 0 }
section.late { border-left-color: #d9a441 }
pre, .said { background: #f7f7f7; border: 1px solid #ddd; padding: .5rem .8rem; margin: .3rem 0 }
pre { overflow: auto; max-height: 28rem; font-size: 13px; line-height: 1.35 }
code { font-size: 13px }
summary { cursor: pointer; margin-top: .4rem }
img { background: #000; margin: .3rem .6rem .3rem 0; max-width: 100% }
.cause { font-weight: 600 }
.what { color: #666 }
.usb { color: #345 }
.shuffler { color: #850 }
.reader { color: #064 }
"""


def page(results: Sequence[Result], tested: Conditions) -> str:
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        "<meta name=viewport content='width=device-width,initial-scale=1'>",
        f"<title>Felt: test bench: {escape(total_words(results))}</title><style>{STYLE}</style>",
        f"<h1>Test bench: {escape(total_words(results))}</h1>",
        *conditions(results, tested),
    ]
    wrong = [result for result in results if result.verdict not in (PASSED, SKIPPED)]
    if wrong:
        parts.append("<h2>What went wrong</h2>")
    parts += [failure(result, name_of(number)) for number, result in enumerate(wrong)]
    names = {id(result): name_of(number) for number, result in enumerate(wrong)}
    parts += table(results, list(tested.targets), names)
    parts += skipped(results)
    return "\n".join(parts) + "</html>\n"


def name_of(number: int) -> str:
    return f"failure-{number + 1}"


# -- what was tested


def conditions(results: Sequence[Result], tested: Conditions) -> Iterator[str]:
    began = datetime.fromtimestamp(tested.begun, UTC).strftime("%Y-%m-%d %H:%M UTC")
    yield f"<p class=what>{began}; rules <code>{escape(tested.rules)}</code>; firmware "
    yield f"<code>{escape(tested.firmware or 'none')}</code>; scenarios <code>{escape(tested.scenarios)}</code>; "
    yield f"seed {tested.seed}; retries {tested.retries}</p>"
    yield "<table><tr><th>target<th>runs on<th>board" + "".join(f"<th>{one}" for one in VERDICTS) + "<th>seconds"
    for target, runtime in tested.targets.items():
        mine = [result for result in results if result.target == target]
        count = counted(mine)
        boards = escape(", ".join(boards_of(mine)))
        yield f"<tr><td>{escape(target)}<td>{escape(runtime)}<td>{boards}"
        yield "".join(f"<td class='n {one if count[one] else ''}'>{count[one] or ''}" for one in VERDICTS)
        yield f"<td class=n>{sum(result.seconds for result in mine):.1f}"
    yield "</table>"


# -- failures


def failure(result: Result, name: str) -> str:
    where = f" on {result.target}" if result.target else ""
    where += f", board {result.board}" if result.board not in ("", CoreTarget.board) else ""
    title = f"{result.path.stem}{where}: {result.verdict}"
    kind = " class=late" if result.verdict == FLAKY else ""
    parts = [f"<section id={name}{kind}><h3>{escape(title)}</h3>"]
    scenario = result.scenario
    told = f"{scenario.title} ({scenario.kind}), " if scenario else ""
    parts.append(f"<div class=what>{escape(told)}{escape(str(result.path))}</div>")
    if scenario and result.cause == PRODUCT:
        parts.append(f"<p>What must come out, and why: {escape(scenario.expect.because)}")
    for number, attempt in enumerate(result.attempts, 1):
        again = f"try {number} of {len(result.attempts)}, " if len(result.attempts) > 1 else ""
        parts.append(f"<div class=said>{again}{attempt.seconds:.2f} s: {said(attempt)}</div>")
        if attempt.evidence:
            parts += evidence(attempt.evidence, result, is_open=number == 1)
    if scenario and result.cause == PRODUCT:
        steps = "\n".join(f"{number:4d}. {step.shown()}" for number, step in enumerate(scenario.steps, 1))
        parts.append(f"<details><summary>the scenario's steps</summary><pre>{escape(steps)}</pre></details>")
    return "\n".join([*parts, "</section>"])


def said(attempt: Attempt) -> str:
    if not attempt.cause:
        return escape(attempt_words(attempt))
    return f"<span class=cause>{escape(attempt.cause)}</span>: {escape(attempt.words)}"


def evidence(found: Evidence, result: Result, is_open: bool) -> Iterator[str]:
    """LED pictures, records, and what the wires carried, as they were when the attempt ended."""
    yield "<div>"
    for image in pictures(found.view):
        shown = b64encode(image).decode()
        yield f'<img alt="the LED display as the round stood" src="data:image/png;base64,{shown}">'
    yield "</div>"
    book = result.scenario.book_module() if result.scenario else None
    lines = []
    for number, record in enumerate(found.records, 1):
        rule = rule_words(record)
        lines.append(f"{number:4d}  {record_words(record, book)}" + (f"  [{rule}]" if rule else ""))
    yield from in_full("what the table recorded", [escape(line) for line in lines], is_open)
    spelled = escape("\n".join(map(spell, found.records)))
    yield f"<details><summary>the records as they are written</summary><pre>{spelled}</pre></details>"
    if found.wire:
        about = "what the wires carried (milliseconds, wire, &gt; to the table or &lt; from it, bytes)"
        yield from in_full(about, wire_trace(found.wire), is_open)


def in_full(about: str, lines: list[str], is_open: bool) -> Iterator[str]:
    """The end, where it went wrong, and everything behind a fold."""
    if is_open and len(lines) > LAST_LINES:
        end = "\n".join(lines[-LAST_LINES:])
        yield f"<div class=what>the last {LAST_LINES} lines of {about}</div><pre>{end}</pre>"
    whole = "\n".join(lines)
    yield f"<details><summary>{about}: {len(lines)} lines</summary><pre>{whole}</pre></details>"


def wire_trace(wire: Sequence[Said]) -> list[str]:
    return [
        f"<span class={said.wire}>{said.at:7d} {said.wire:8s} {'&lt;' if said.by == 'table' else '&gt;'} "
        f"{escape(line)}</span>"
        for said in wire
        for line in byte_lines(said.data)
    ]


# -- everything


def table(results: Sequence[Result], targets: list[str], names: dict[int, str]) -> Iterator[str]:
    """A row for each scenario, a table for each book."""
    by_place = {(result.path, result.target): result for result in results}
    books: dict[str, list[Result]] = {}
    for result in results:
        books.setdefault(result.scenario.book if result.scenario else "files", []).append(result)
    for book, mine in sorted(books.items()):
        yield f"<h2>{escape(book)}</h2><table><tr><th>scenario<th>what it shows"
        yield "".join(f"<th>{escape(target)}" for target in targets)
        for path in dict.fromkeys(result.path for result in mine):
            row = [by_place.get((path, target)) or by_place.get((path, "")) for target in targets]
            scenario = next((result.scenario for result in row if result), None)
            yield f"<tr><td title='{escape(str(path), quote=True)}'>{escape(path.stem)}"
            yield f"<td>{escape(scenario.title if scenario else '')}"
            yield "".join(cell(result, names) if result else "<td>" for result in row)
        yield "</table>"


def cell(result: Result, names: dict[int, str]) -> str:
    title = f' title="{escape(result.words, quote=True)}"' if result.words else ""
    shown = result.verdict
    if id(result) in names:
        shown = f"<a href=#{names[id(result)]}>{shown}</a>"
    return f"<td class={result.verdict}{title}>{shown} <span class=what>{result.seconds:.2f} s</span>"


def skipped(results: Sequence[Result]) -> Iterator[str]:
    """Reasons, each with what it kept from being played."""
    reasons: dict[str, list[Result]] = {}
    for result in results:
        if result.verdict == SKIPPED:
            reasons.setdefault(result.words, []).append(result)
    if reasons:
        yield "<h2>What was skipped, and why</h2><ul>"
    for words, those in reasons.items():
        where = ", ".join(f"{result.path.stem} on {result.target}" for result in those)
        yield f"<li>{escape(words)}: <span class=what>{escape(where)}</span>"
    if reasons:
        yield "</ul>"
