"""What is wrong with a table's file, by the code of the problem."""

import re
from pathlib import Path
from typing import Any

from host.words.money import AMOUNTS
from host.words.refusals import config_words
from host.words.sentences import SHOWN, fill, read_templates
from shared.round.table import BadConfig

LIKE_A_PIN = re.compile(r"\bpin\b|[0-9]{6}", re.IGNORECASE)  # in a line that is then not shown

SENTENCES = {
    **AMOUNTS,
    **{code: words.replace(" | ", "; ") for code, words in read_templates("keys").items()},
    **read_templates("config"),
}


SHOWN["core"] = lambda refusal: config_words(BadConfig(*refusal))


def sentence(code: str, fields: dict[str, Any]) -> str:
    return fill(SENTENCES[code], fields)


def problem_words(problem: Any) -> str:
    """A Problem of host.config: `boxes: 9 is more than the board small has (2)`."""
    field = f"{problem.key}: " if problem.field else ""
    return f"{field}{sentence(problem.code, problem.details)}"


def problem_text(path: Path, problem: Any) -> str:
    """`t1.toml:12: boxes: 9 is more than the board small has (2)`."""
    place = f"{path}:{problem.line}" if problem.line else str(path)
    return f"{place}: {'warning: ' if problem.is_warning else ''}{problem_words(problem)}"


def shown_line(text: str, problem: Any) -> list[str]:
    """The line with the problem, and a caret below it; nothing if it may hold a PIN or cannot be printed."""
    if not problem.line or problem.is_secret:
        return []
    line = text.split("\n")[problem.line - 1 : problem.line]
    if not line or LIKE_A_PIN.search(line[0]):
        return []
    if not line[0].strip() or not line[0].replace("\t", " ").isprintable() or len(line[0]) > 160:
        return []
    caret = ["    " + re.sub(r"[^\t]", " ", line[0][: problem.column - 1]) + "^"] if problem.column else []
    return ["    " + line[0], *caret]
