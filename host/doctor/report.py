"""Checks everything that a table needs on this computer, and reports what is wrong. Changes nothing."""

import time
from functools import partial
from pathlib import Path
from typing import Any

from host.config.problems import Problem
from host.doctor.files import check_configuration, check_keys, check_log, log_facts
from host.doctor.findings import LOOK, WRONG, Finding, Subject, guarded, read_subject
from host.doctor.machine import check_clock, check_disk, check_display, check_page, check_versions
from host.doctor.port import PATIENCE, Patience, check_port
from host.doctor.wear import check_flash
from host.words.doctor import CHECKS, found_words, todo_words

WITHOUT_FILE = ("configuration", "versions", "clock")  # the others need what the file says
WIDEST = max(map(len, CHECKS))


def examine_table(path: Path, now: float | None = None, patience: Patience = PATIENCE) -> list[Finding]:
    """Every finding about the table that a file configures, even if much is missing or broken."""
    return examine_subject(read_subject(path), time.time() if now is None else now, patience)


def examine_subject(subject: Subject, now: float, patience: Patience = PATIENCE) -> list[Finding]:
    facts = log_facts(subject.log)
    looks = (
        partial(check_configuration, subject),
        check_versions,
        partial(check_port, subject, facts.writer, patience),
        partial(check_keys, subject),
        partial(check_clock, facts, now),
        partial(check_disk, subject, facts),
        partial(check_log, subject, facts, now),
        partial(check_flash, subject),
        partial(check_display, subject),
        partial(check_page, subject, facts.writer),
    )
    wanted = CHECKS if subject.examined.is_toml else WITHOUT_FILE
    return [finding for check, look in zip(CHECKS, looks) if check in wanted for finding in guarded(check, look)]


def finding_lines(finding: Finding) -> list[str]:
    """The finding, and below it what to do."""
    lines = [f"{finding.check:<{WIDEST}}  {finding.mark:<5}  {found_words(finding)}"]
    todo = todo_words(finding)
    return lines + ([f"{'':<{WIDEST + 9}}do: {todo}"] if todo else [])


def summary(findings: list[Finding]) -> str:
    wrong, look = (sum(finding.mark == mark for finding in findings) for mark in (WRONG, LOOK))
    if wrong:
        return f"{wrong} wrong" + (f", {look} to look at" if look else "")
    return f"nothing is wrong; {look} to look at" if look else "all is well"


def as_json(findings: list[Finding]) -> dict[str, Any]:
    return {
        "well": all(finding.mark != WRONG for finding in findings),
        "findings": [finding_json(finding) for finding in findings],
    }


def finding_json(finding: Finding) -> dict[str, Any]:
    fields = {
        name: value._asdict() if isinstance(value, Problem) else value for name, value in finding.fields.items()
    }
    words = {"found": found_words(finding), "do": todo_words(finding) or None}
    return {"check": finding.check, "mark": finding.mark, "code": finding.code, "fields": fields, **words}
