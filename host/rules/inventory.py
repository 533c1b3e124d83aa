"""The inventory of the rulebooks: every paragraph with what the controller does about it (paragraphs.csv), and
how each gap is read (readings.csv)."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent


class Paragraph(NamedTuple):
    rulebook: str
    paragraph: str
    kind: str
    controller: str
    meaning: str
    how: str
    readings: str


class Reading(NamedTuple):
    id: str
    book: str
    paragraphs: str
    question: str
    reading: str
    why: str


def read_rows(name: str) -> Iterator[list[str]]:
    with open(HERE / name, encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        next(rows)
        yield from rows


def paragraphs() -> list[Paragraph]:
    return [Paragraph(*row) for row in read_rows("paragraphs.csv")]


def readings() -> dict[str, Reading]:
    return {row[0]: Reading(*row) for row in read_rows("readings.csv")}
