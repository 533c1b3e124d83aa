"""The project's documents, and what tests read out of them."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
ROOMS = ("shared", "firmware", "boards", "host", "tests")
DOCUMENTS = sorted(ROOT.glob("*.md")) + [
    path for room in ROOMS for path in sorted((ROOT / room).rglob("*.md")) if "node_modules" not in path.parts
]


def rows_of(text, heading):
    """The cells of each row of the first table after a heading."""
    after = f"\n{text}".partition(f"\n{heading}\n")[2]
    table = re.search(r"^\|.*\n\|[-|]+\n((?:\|.*\n)+)", after, re.MULTILINE)
    assert table, heading
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in table[1].splitlines()]


def map_rows(document):
    """The files that a document's map lists, relative to its folder: the first cells under `| module |`."""
    tables = re.findall(r"^\| module \|.*\n\|[-|]+\n((?:\|.*\n)+)", document.read_text(), re.MULTILINE)
    rows = [row for table in tables for row in table.splitlines()]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row.strip("|").split(" | ")[0])]
