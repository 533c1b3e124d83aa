"""Tells a scenario in words, for people who know the game and not its files."""

import textwrap
from typing import Any

from host.bench.course import outcome_words
from host.bench.scenario import Scenario
from host.rules.inventory import paragraphs, readings
from host.words.money import dollars
from host.words.names import plain

WIDTH = 100


def explain(scenario: Scenario) -> list[str]:
    book = scenario.book_module()
    kind = f"{scenario.kind}, {scenario.case}" if scenario.case else scenario.kind
    lines = [scenario.title, f"{book.TITLE} ({scenario.book}); {kind}", "", "It shows"]
    meanings = {row.paragraph: row.meaning for row in paragraphs() if row.rulebook == scenario.book}
    known = readings()
    lines += [line for one in scenario.paragraphs for line in wrapped(one, meanings.get(one, ""))]
    lines += [
        line for one in scenario.readings for line in wrapped(one, known[one].reading if one in known else "")
    ]
    lines += ["", "The table"]
    lines += [f"  {plain(name)}: {setting(value)}" for name, value in scenario.config.items() if name != "game"]
    lines += ["", "What happens"]
    number = 0
    for step in scenario.steps:
        number += step.check is None
        lines.append(f"         must follow: {step.words}" if step.check else f"  {number:4d}. {step.words}")
    lines += ["", "How it must end"]
    expected = scenario.expect
    lines.append(f"  the round is {expected.state}" + rules(expected.void))
    if expected.meter is not None:
        lines.append(f"  the jackpot's meter stands at {dollars(expected.meter)}")
    for player, wager, box, outcome in expected.bets:
        on = f" on box {box}" if box else ""
        lines.append(f"  {player}'s {plain(wager)}{on}: {outcome_words(outcome)}")
    return [*lines, *wrapped("because", expected.because)]


def rules(void: set[str]) -> str:
    return f", by {' '.join(sorted(void))}" if void else ""


def wrapped(name: str, text: str) -> list[str]:
    told = f"{name}: {text}" if text else name
    return textwrap.wrap(told, WIDTH, initial_indent="  ", subsequent_indent="      ")


def setting(value: Any, name: str = "") -> str:
    """A setting as people write it; amounts stand in groups only, so a bare number is none."""
    if isinstance(value, dict):
        return "; ".join(f"{plain(part)} {setting(inner, part)}" for part, inner in value.items())
    if isinstance(value, list):
        return " to ".join(setting(part, "amount") for part in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return dollars(value) if name and isinstance(value, int) else str(value)
