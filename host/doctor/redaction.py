"""What of a table's file may be handed on: fields that are declared and without mistakes, and never a PIN."""

import re
from collections.abc import Iterator
from typing import Any

from host.config.fields import SECTIONS
from host.config.table_file import Examined
from host.config.template import comment, toml
from host.doctor.findings import Finding, Subject
from host.keys import FIRST_WORD, KeyFileError, read_some
from host.words.sentences import header

A_FIELD = re.compile(r"([a-z]+)(?:\.([a-z_]\w*))?(?:\[\d+\])?")  # as a Problem names it, but not of the staff
A_HASH = re.compile(r"scrypt\$[^\s\"']*")
DIGITS = re.compile(r"[0-9]{4}")  # so many may be a PIN
LEAST_LENGTH = 16  # characters of a secret word


def allowed_configuration(examined: Examined) -> list[str]:
    """The table's file, written anew."""
    if not examined.is_toml:
        return [comment("The file cannot be read; doctor.txt tells why.")]
    mistaken = {problem.field for problem in examined.errors}
    lines = [comment("Fields without mistakes; comments, PINs and everything else are left out."), ""]
    for section, place, values, given in blocks(examined):
        lines.append(header(section))
        for name in values:
            if name in given and f"{place}.{name}" not in mistaken and is_allowed(section, name, given[name]):
                lines.append(f"{name} = {toml(given[name])}")
        lines.append("")
    return lines


def blocks(examined: Examined) -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    """Each section with its place, the values without mistakes, and the values as they stand in the file."""
    for section in SECTIONS:
        values, given = examined.values[section], examined.read.get(section)
        if section == "staff":
            for place, (one, its) in enumerate(zip(values, given or ())):
                yield section, f"staff[{place}]", one, its
        elif isinstance(given, dict):
            yield section, section, values, given


def is_allowed(section: str, name: str, value: Any) -> bool:
    return section != "staff" or (name != "pin" and not DIGITS.search(value))


def allowed_finding(finding: Finding) -> Finding:
    """A finding without words from the file that may be a PIN: those of the staff, and those not declared."""
    problem = finding.fields.get("problem")
    if problem is None or (not problem.line and not problem.field) or is_declared(problem.field):
        return finding
    return Finding(finding.mark, "configuration.hidden", {"line": problem.line, "problem": problem.code})


def is_declared(field: str) -> bool:
    found = A_FIELD.fullmatch(field)
    if not found or found[1] not in SECTIONS or found[1] == "staff":
        return False
    return found[2] is None or found[1] == "limits" or found[2] in [one.name for one in SECTIONS[found[1]]]


def secret_words(subject: Subject) -> list[str]:
    """The keys and hashed PINs as they stand in their files, for a last check before anything is handed on."""
    words = [part for kept in A_HASH.findall(subject.examined.text) for part in kept.split("$")]
    for path in (subject.key, subject.signer):
        try:
            text = read_some(path).decode("ascii", "replace") if path and path.is_file() else ""
        except (KeyFileError, OSError):
            continue
        if text.startswith(FIRST_WORD) or "PRIVATE KEY" in text:
            words += [word for word in text.split() if word not in (subject.name, FIRST_WORD)]
    return [word for word in words if len(word) >= LEAST_LENGTH]
