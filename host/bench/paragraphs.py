"""Which paragraphs of the rulebooks the scenarios show, and on which targets these pass."""

from collections.abc import Iterator, Sequence

from host.bench.runs import PASSED, Result
from host.rules.coverage import SHOWN_ONLY
from host.rules.inventory import Paragraph, paragraphs

NONE = "-"


def acted_on() -> list[Paragraph]:
    """The paragraphs that the controller enforces, detects or is told."""
    return [row for row in paragraphs() if row.controller != SHOWN_ONLY]


def coverage_lines(results: Sequence[Result], targets: Sequence[str]) -> Iterator[str]:
    """A table for each book that was played: how many scenarios name a paragraph, how many pass where."""
    named: dict[tuple[str, str], set[object]] = {}
    passed: dict[tuple[str, str, str], int] = {}
    for result in results:
        if result.scenario is None:
            continue
        for paragraph in dict.fromkeys(result.scenario.paragraphs):
            key = result.scenario.book, paragraph
            named.setdefault(key, set()).add(result.path)
            if result.verdict == PASSED:
                passed[(*key, result.target)] = passed.get((*key, result.target), 0) + 1
    books = {result.scenario.book for result in results if result.scenario}
    rows = [row for row in acted_on() if row.rulebook in books]
    width = max((len(row.paragraph) for row in rows), default=0)
    shown = 0
    for book in dict.fromkeys(row.rulebook for row in rows):
        yield book
        yield f"  {'paragraph':{width}}  controller  scenarios  " + "  ".join(f"{one:>11}" for one in targets)
        for row in rows:
            if row.rulebook != book:
                continue
            key = book, row.paragraph
            shown += key in named
            counts = [len(named.get(key, ())), *[passed.get((*key, target), 0) for target in targets]]
            cells = [str(count or NONE) for count in counts]
            beside = "  ".join(f"{cell:>11}" for cell in cells[1:])
            yield f"  {row.paragraph:{width}}  {row.controller:10}  {cells[0]:>9}  {beside}"
    yield f"{len(rows)} paragraphs that the controller acts on, {len(rows) - shown} of them without a scenario"
