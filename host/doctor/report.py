"""Looks at all that a table needs on this computer, says what is wrong and how to mend it; changes nothing."""

import time
from functools import partial
from pathlib import Path
from typing import Any

from host.doctor.files import CONFIGURATION, KEYS, LOG, check_configuration, check_keys, check_log, log_facts
from host.doctor.findings import LOOK, WRONG, Finding, Subject, guarded, read_subject
from host.doctor.machine import (
    CLOCK,
    DISK,
    DISPLAY,
    PAGE,
    VERSIONS,
    check_clock,
    check_disk,
    check_display,
    check_page,
    check_versions,
)
from host.doctor.port import CHECK as PORT
from host.doctor.port import PATIENCE, Patience, check_port

CHECKS = (CONFIGURATION, VERSIONS, PORT, KEYS, CLOCK, DISK, LOG, DISPLAY, PAGE)
WIDEST = max(map(len, CHECKS))


def examine_table(path: Path, now: float | None = None, patience: Patience = PATIENCE) -> list[Finding]:
    """Every finding about the table that a file configures, whatever is missing or broken."""
    return examine_subject(read_subject(path), time.time() if now is None else now, patience)


def examine_subject(subject: Subject, now: float, patience: Patience = PATIENCE) -> list[Finding]:
    facts = log_facts(subject.log)
    looks = {
        CONFIGURATION: partial(check_configuration, subject),
        VERSIONS: check_versions,
        PORT: partial(check_port, subject, facts.writer, patience),
        KEYS: partial(check_keys, subject),
        CLOCK: partial(check_clock, facts, now),
        DISK: partial(check_disk, subject, facts),
        LOG: partial(check_log, subject, facts, now),
        DISPLAY: partial(check_display, subject),
        PAGE: partial(check_page, subject, facts.writer),
    }
    if not subject.examined.is_toml:
        # Nothing of the file is known, so there is nothing more to say about what it names.
        looks = {name: looks[name] for name in (CONFIGURATION, VERSIONS, CLOCK)}
    return [finding for name, look in looks.items() for finding in guarded(name, look)]


def finding_lines(finding: Finding) -> list[str]:
    """The finding, and below it what to do."""
    lines = [f"{finding.check:<{WIDEST}}  {finding.mark:<5}  {finding.found}"]
    return lines + ([f"{'':<{WIDEST + 9}}do: {finding.todo}"] if finding.todo else [])


def summary(findings: list[Finding]) -> str:
    wrong, look = (sum(finding.mark == mark for finding in findings) for mark in (WRONG, LOOK))
    if wrong:
        return f"{wrong} wrong" + (f", {look} to look at" if look else "")
    return f"nothing is wrong; {look} to look at" if look else "all is well"


def as_json(findings: list[Finding]) -> dict[str, Any]:
    return {
        "well": all(finding.mark != WRONG for finding in findings),
        "findings": [
            {"check": one.check, "mark": one.mark, "found": one.found, "do": one.todo or None} for one in findings
        ],
    }
