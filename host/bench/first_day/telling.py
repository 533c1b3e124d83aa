"""Tells the first day: what has never run on silicon, and the session, with what must be printed."""

import textwrap
from collections.abc import Iterator

from host.bench.first_day.session import NOTHING, Step, later, session
from host.bench.first_day.untried import untried

WIDTH = 110
NAMES = 24  # columns


def tell() -> Iterator[str]:
    steps = session()
    yield from untried_lines(steps)
    yield ""
    yield from session_lines(steps)


def untried_lines(steps: list[Step]) -> Iterator[str]:
    """Each thing with the step that tries it first; then what the session leaves out, and why."""
    yield "What has never run on silicon, as far as these sources know, and the step that tries it first"
    turns = {name: str(number) for number, step in reversed(list(enumerate(steps, 1))) for name in step.tries}
    group = ""
    for item in untried():
        if item.group != group:
            group = item.group
            yield from ("", group)
        yield from in_columns(f"  {item.name:{NAMES}} {turns.get(item.name, 'later'):>5}  ", item.about)
    reasons: dict[str, list[str]] = {}
    for name, why in later().items():
        reasons.setdefault(why, []).append(name)
    yield from ("", "Later")
    for why, names in reasons.items():
        yield from in_columns("  ", f"{', '.join(names)}: {why}")


def in_columns(first: str, words: str) -> list[str]:
    return textwrap.wrap(
        words, WIDTH, initial_indent=first, subsequent_indent=" " * (len(first) + 2 * (len(first) == 2))
    )


def session_lines(steps: list[Step]) -> Iterator[str]:
    wiring = next(number for number, step in enumerate(steps, 1) if step.command.startswith("felt bench wiring"))
    yield from in_columns(
        "",
        "The session: two Raspberry Pi Picos, two USB cables, and the wires, resistors and breadboards that step "
        f"{wiring} asks for. Below a command stands what it must print; three dots stand for anything, also for "
        "several lines. Stop at the first line that is not as it must be.",
    )
    part = ""
    for number, step in enumerate(steps, 1):
        if step.part != part:
            part = step.part
            yield from ("", part)
        plugged = f" (plugged in: {step.needs})" if step.needs != NOTHING else ""
        yield ""
        yield from in_columns(f"{number:4d}. ", step.do + plugged)
        yield f"      $ {step.command}"
        yield from (f"        {line}" for line in step.prints)
        if step.status:
            yield f"      Its exit status is {step.status}, as some is skipped."
