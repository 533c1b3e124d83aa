"""Scenario files: one situation at a table, what happens step by step, and what must come out.

tests/scenarios/README.md describes the format. A BadScenario says what is wrong with a file, and what to do.
"""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from host.bench.phrases import CHECK_MARK, Outcome, UnknownPhrase, read_check, read_outcome, read_step
from host.bench.troubles.phrases import ACTS
from host.rules.catalogue import book_ids
from host.words.money import BadAmount, read_money
from host.words.refusals import config_words
from shared.round.states import AFTER_CLOSING, BETTING, FROZEN, IDLE
from shared.round.table import BadConfig, Table
from shared.rules.rulebook import load

STATES = (IDLE, BETTING, *AFTER_CLOSING, FROZEN)
# What goes wrong at a table, by kind, each with its cases: every book has several of each.
MISHAPS: dict[str, tuple[str, ...]] = {
    "card elsewhere": ("before the report", "while frozen", "after a hand is out", "after settlement"),
    "wrong count": ("too few", "too many"),
    "touched while a check waits": (),
    "open card at a power cut": (),
    "exposed card": ("during the deal", "own, after the deal", "slip, after the deal"),
    "chips gone": (),
    "unread card": ("named at the show", "in a hand that is out", "a double"),
    "entered by hand": ("allowed", "refused"),
    "put right": ("hands moved", "cards restored"),
    "closing without a bet": (),
    "minimum over maximum": (),
    "dealer's wrong count": ("untouched", "touched"),
}
# What a paragraph is about that no mishap shows; not every book has each.
SUBJECTS = ("betting", "deal", "play", "settlement", "jackpot", "irregularity", "power cut")
# What happens beside the game, which only a table can play.
TROUBLES = ("keys and chips", "device fault", "link fault", "bad power", "flash and journal")
KINDS = MISHAPS | dict.fromkeys((*SUBJECTS, *TROUBLES), ())

FIELDS = ("title", "book", "kind", "paragraphs", "readings", "table", "round", "expect")
WAGER = re.compile(r"(P[1-9][0-9]?|box [1-9][0-9]?) ([a-z][a-z0-9 ]*?)(?: on box ([1-9][0-9]?))?")


class BadScenario(ValueError):
    """A scenario file that cannot be played; the text names file and place, and says what to do."""


class Step(NamedTuple):
    words: str
    events: list[dict[str, Any]]  # what happens, or
    check: tuple[str, dict[str, Any]] | None  # what must have come out: its name and fields

    def shown(self) -> str:
        return CHECK_MARK + self.words if self.check else self.words


class Expected(NamedTuple):
    state: str
    void: set[str]
    meter: int | None
    bets: list[tuple[str, str, int | None, Outcome]]  # player, wager, box if said, outcome
    because: str


class Scenario(NamedTuple):
    path: Path
    title: str
    book: str
    kind: str
    case: str
    paragraphs: list[str]
    readings: list[str]
    config: dict[str, Any]
    steps: list[Step]
    expect: Expected

    @property
    def needs_table(self) -> bool:
        """Whether something happens that the rules core alone cannot play."""
        return any(event["event"] in ACTS for step in self.steps for event in step.events)

    def book_module(self) -> ModuleType:
        return load(self.book)


# -- reading


def read_scenario(path: Path) -> Scenario:
    """The scenario in a file, or a BadScenario."""
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadScenario(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadScenario(f"{path}: this file is not text in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise BadScenario(f"{path}: not TOML: {error}") from None
    try:
        return read_fields(path, given)
    except (UnknownPhrase, BadAmount) as problem:
        raise BadScenario(f"{path}: {problem}") from None


def read_fields(path: Path, given: dict[str, Any]) -> Scenario:
    refuse_others(
        given, ("title", "book", "kind", "paragraphs", "readings", "table", "round", "expect"), "the file"
    )
    book = text_of(given, "book")
    if book not in book_ids():
        raise UnknownPhrase(f'book: there is no rulebook "{book}"; choose one of {", ".join(book_ids())}')
    kind, _, case = text_of(given, "kind").partition(", ")
    if kind not in KINDS or (case or None) not in (KINDS[kind] or (None,)):
        raise UnknownPhrase(f'kind: "{given["kind"]}" is not a kind; choose one of {"; ".join(kind_names())}')
    course = section_of(given, "round")
    refuse_others(course, ("steps",), "[round]")
    return Scenario(
        path,
        text_of(given, "title"),
        book,
        kind,
        case,
        texts_of(given, "paragraphs"),
        texts_of(given, "readings"),
        read_table(book, section_of(given, "table")),
        read_steps(texts_of(course, "steps")),
        read_expected(section_of(given, "expect")),
    )


def kind_names() -> list[str]:
    return [f"{kind}, {case}" if case else kind for kind, cases in KINDS.items() for case in cases or ("",)]


def refuse_others(given: dict[str, Any], known: tuple[str, ...], where: str) -> None:
    for name in given:
        if name not in known:
            raise UnknownPhrase(f"{where} has no field {name}; it has {', '.join(known)}")


def text_of(given: dict[str, Any], name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str) or not value:
        raise UnknownPhrase(f'{name}: write a text, such as {name} = "..."')
    return value


def texts_of(given: dict[str, Any], name: str) -> list[str]:
    value = given.get(name)
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise UnknownPhrase(f'{name}: write a list of texts, such as {name} = ["...", "..."]')
    return value


def section_of(given: dict[str, Any], name: str) -> dict[str, Any]:
    value = given.get(name)
    if not isinstance(value, dict):
        raise UnknownPhrase(f"[{name}] is missing")
    return value


def read_table(book: str, given: dict[str, Any]) -> dict[str, Any]:
    """The table's configuration, its money read as cents."""
    config = {"game": book} | {name: in_cents(value) for name, value in given.items()}
    try:
        Table(config)
    except BadConfig as problem:
        raise UnknownPhrase(f"[table] {problem.field}: {config_words(problem)}") from None
    return config


def in_cents(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: in_cents(part) for name, part in value.items()}
    if isinstance(value, list):
        return [in_cents(part) for part in value]
    return read_money(value) if isinstance(value, str) and value.startswith("$") else value


def read_steps(given: list[str]) -> list[Step]:
    steps = []
    for number, line in enumerate(given, 1):
        words = line.strip().removeprefix(CHECK_MARK)
        try:
            if words == line.strip():
                steps.append(Step(words, read_step(words), None))
            else:
                steps.append(Step(words, [], read_check(words)))
        except UnknownPhrase as problem:
            raise UnknownPhrase(f"step {number}: {problem}") from None
    return steps


def read_expected(given: dict[str, Any]) -> Expected:
    void = set(str(given.get("void", "")).split())
    state = given.get("state", "void" if void else None)
    if state not in STATES:
        raise UnknownPhrase(f"[expect] state: write one of {', '.join(STATES)}")
    bets = []
    for name, value in given.items():
        if name in ("state", "void", "meter", "because"):
            continue
        found = WAGER.fullmatch(name)
        if not found or not isinstance(value, str):
            raise UnknownPhrase(f'[expect] {name}: write "P1 tie" = "wins $25", or "P1 tie on box 2" = ...')
        player, wager, box = found.groups()
        bets.append((player, wager.replace(" ", "_"), int(box) if box else None, read_outcome(value)))
    meter = read_money(given["meter"]) if "meter" in given else None
    return Expected(state, void, meter, bets, text_of(given, "because"))


# -- many of them


def find_files(paths: Iterable[Path]) -> list[Path]:
    """The scenario files given, and those of the folders given."""
    files = []
    for path in paths:
        inside = sorted(path.rglob("*.toml")) if path.is_dir() else [path]
        if not inside:
            raise BadScenario(f"{path}: there is no scenario file (*.toml) in this folder")
        files += inside
    return files


def coverage_table(scenarios: Iterable[Scenario]) -> list[str]:
    """How many scenarios of each kind and case every book has, as a table for people; a blank is 0."""
    count: dict[tuple[str, str], int] = {}
    for scenario in scenarios:
        for name in {scenario.kind, ", ".join(filter(None, (scenario.kind, scenario.case)))}:
            count[name, scenario.book] = count.get((name, scenario.book), 0) + 1
    rows = [["kind", *book_ids()]]
    for kind, cases in KINDS.items():
        for name in [kind, *[f"{kind}, {case}" for case in cases]]:
            rows.append([name, *[str(count.get((name, book), "")) for book in book_ids()]])
    rows.insert(1, ["---"] * len(rows[0]))
    return ["| " + " | ".join(row) + " |" for row in rows]
