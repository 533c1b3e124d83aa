"""What is wrong with a table's file, each with its line; and reading the declared fields out of it."""

from difflib import get_close_matches
from typing import Any, NamedTuple

from host.config.fields import NEEDED, SECTIONS, Field, Mistake, Required
from host.config.toml_positions import Layout, Path

LONGEST_FIELD = 60


class Problem(NamedTuple):
    """A code and details, for host.words.config. A line of 0 is the whole file, a column of 0 the whole line."""

    line: int
    column: int
    field: str  # such as game.boxes, or staff[1].pin
    code: str
    details: dict[str, Any]
    is_warning: bool = False
    is_secret: bool = False  # the line holds what should not be shown again

    @property
    def key(self) -> str:
        """The field as it stands in its line."""
        return self.field.rpartition(".")[2]

    @property
    def section(self) -> str:
        return self.field.partition(".")[0].partition("[")[0]


class Findings:
    """Collects problems, and knows where in the file each field stands."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.problems: list[Problem] = []

    def error(
        self, path: Path, code: str, at_key: bool = False, is_warning: bool = False, /, **details: Any
    ) -> None:
        place = self.layout.nearest(path)
        line = column = 0
        if place:
            span = place.key if at_key or place.value is None else place.value
            line, column = self.layout.line_and_column(span.start)
            if path not in self.layout.places:
                column = 0  # it is missing there
        # An unknown field of the staff may be a PIN under a misspelt name.
        is_secret = "pin" in path or (at_key and path[0] == "staff")
        self.problems.append(Problem(line, column, field_text(path), code, details, is_warning, is_secret))

    def warn(self, path: Path, code: str, /, **details: Any) -> None:
        self.error(path, code, False, True, **details)

    @property
    def errors(self) -> list[Problem]:
        return [problem for problem in self.problems if not problem.is_warning]

    def has_error_in(self, section: str) -> bool:
        return any(problem.section == section for problem in self.errors)


def field_text(path: Path) -> str:
    """`staff[1].pin`, printable even if a key of the file is not."""
    words = ""
    for part in path:
        words += f"[{part}]" if isinstance(part, int) else f"{'.' if words else ''}{plain(part)}"
    return words


def plain(key: str) -> str:
    return (key if key.isprintable() and key else repr(key))[:LONGEST_FIELD]


# Reading the declared fields


def read_sections(read: dict[str, Any], findings: Findings) -> dict[str, Any]:
    """Every section's fields by name, those with a mistake left out; `limits` and `staff` are as they stand."""
    for key, value in read.items():
        if key not in SECTIONS:
            refuse_section(key, value, findings)
    sections: dict[str, Any] = {}
    for section, fields in SECTIONS.items():
        given = read.get(section)
        if section == "staff":
            sections[section] = read_staff(given, fields, findings)
        elif given is None:
            if section in NEEDED and not is_misspelt(section, read, list(SECTIONS)):
                needs = [field.name for field in fields if isinstance(field.default, Required)]
                findings.error((section,), "missing_section", section=section, needs=needs)
            sections[section] = {} if section in NEEDED else defaults_of(fields)
        elif not isinstance(given, dict):
            findings.error((section,), "not_a_section", section=section, value=given)
            sections[section] = {}
        elif section == "limits":
            sections[section] = dict(given)
        else:
            sections[section] = read_fields((section,), given, fields, findings)
    return sections


def defaults_of(fields: tuple[Field, ...]) -> dict[str, Any]:
    return {field.name: field.default for field in fields if not isinstance(field.default, Required)}


def read_staff(given: Any, fields: tuple[Field, ...], findings: Findings) -> list[dict[str, Any]]:
    if given is None:
        return []
    if isinstance(given, list) and all(isinstance(one, dict) for one in given):
        return [read_fields(("staff", place), one, fields, findings) for place, one in enumerate(given)]
    findings.error(("staff",), "staff_brackets", True)  # without the value, which may hold PINs
    return []


def read_fields(
    path: Path, given: dict[str, Any], fields: tuple[Field, ...], findings: Findings
) -> dict[str, Any]:
    section = path[0]
    known = [field.name for field in fields]
    for key in given:
        if key not in known:
            refuse_field(path, key, known, findings)
    values = defaults_of(fields)
    for field in fields:
        if field.name not in given:
            if isinstance(field.default, Required) and not is_misspelt(field.name, given, known):
                findings.error(path + (field.name,), "missing_field", section=section, what=field.what)
            continue
        try:
            values[field.name] = field.read(given[field.name])
        except Mistake as mistake:
            values.pop(field.name, None)
            findings.error(path + (field.name, *mistake.within), mistake.code, **mistake.details)
    return values


def is_misspelt(name: str, given: dict[str, Any], known: list[str]) -> bool:
    """Whether a missing field is there under a similar name, which was reported already."""
    return any(key not in known and nearest(key, known) == name for key in given)


def nearest(key: str, known: list[str]) -> str | None:
    return next(iter(get_close_matches(key.lower(), known, 1, 0.6)), None)


def home_of(key: str) -> str | None:
    """The section that has a field of this name."""
    return next((section for section, fields in SECTIONS.items() if key in [one.name for one in fields]), None)


def refuse_field(path: Path, key: str, known: list[str], findings: Findings) -> None:
    path, section = path + (key,), path[0]
    if meant := nearest(key, known):
        findings.error(path, "misspelt_field", True, section=section, meant=meant)
    elif home := home_of(key):
        findings.error(path, "misplaced_field", True, section=section, belongs=home)
    else:
        findings.error(path, "unknown_field", True, section=section, known=known)


def refuse_section(key: str, value: Any, findings: Findings) -> None:
    if not isinstance(value, dict | list):
        home = home_of(key)
        findings.error((key,), "field_above_sections" if home else "stray_field", True, belongs=home)
    elif meant := nearest(key, list(SECTIONS)):
        findings.error((key,), "misspelt_section", True, meant=meant)
    else:
        findings.error((key,), "unknown_section", True, known=list(SECTIONS))
