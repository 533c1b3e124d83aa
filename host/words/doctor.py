"""What `felt doctor` found, by its code: what is so, and what to do about it, if anything."""

from typing import Any

from host.words.config import problem_text
from host.words.sentences import fill, read_templates

CHECKS = ("configuration", "versions", "port", "keys", "clock", "disk", "log", "flash", "display", "page")

# Each code with what is so and, after a bar, what to do.
FINDINGS = read_templates("keys") | read_templates("doctor")
for what in ("unnamed", "failed"):  # which any check can find
    words = FINDINGS.pop(f"any.{what}")
    FINDINGS |= {f"{check}.{what}": words for check in CHECKS}


def found_words(finding: Any) -> str:
    """What a Finding of host.doctor is about."""
    fields = finding.fields
    if "problem" in fields and "path" in fields:
        return problem_text(fields["path"], fields["problem"])
    return fill(FINDINGS[finding.code].partition(" | ")[0], fields).rstrip()


def todo_words(finding: Any) -> str:
    """What to do about it; nothing if it is all right."""
    return "" if finding.mark == "ok" else fill(FINDINGS[finding.code].partition(" | ")[2], finding.fields)
