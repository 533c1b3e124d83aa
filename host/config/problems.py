"""What is wrong with a table's file, each with its line; and reading the declared fields out of it."""

from difflib import get_close_matches
from typing import Any, NamedTuple

from host.config.fields import NEEDED, SECTIONS, Field, Mistake, Required, kind_of
from host.config.toml_positions import Layout, Path

LONGEST_FIELD = 60


class Problem(NamedTuple):
    """A line of 0 means the file as a whole; a column of 0 means the whole line."""

    line: int
    column: int
    field: str  # such as game.boxes, or staff[1].pin
    sentence: str
    is_warning: bool = False
    is_secret: bool = False  # the line holds what should not be shown again

    @property
    def key(self) -> str:
        """The field as it stands in its line."""
        return self.field.rpartition(".")[2]


class Findings:
    """Collects problems, and knows where in the file each field stands."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.problems: list[Problem] = []

    def error(self, path: Path, sentence: str, at_key: bool = False) -> None:
        self.add(path, sentence, at_key)

    def warn(self, path: Path, sentence: str) -> None:
        self.add(path, sentence, is_warning=True)

    def add(self, path: Path, sentence: str, at_key: bool = False, is_warning: bool = False) -> None:
        place = self.layout.nearest(path)
        line = column = 0
        if place:
            span = place.key if at_key or place.value is None else place.value
            line, column = self.layout.line_and_column(span.start)
            if path not in self.layout.places:
                column = 0  # it is missing there
        # A field of staff that nobody knows may be a PIN by a misspelt name.
        is_secret = "pin" in path or (at_key and path[0] == "staff")
        self.problems.append(Problem(line, column, field_text(path), sentence, is_warning, is_secret))

    @property
    def errors(self) -> list[Problem]:
        return [problem for problem in self.problems if not problem.is_warning]

    def has_error_in(self, *sections: str) -> bool:
        return any(problem.field.partition(".")[0].partition("[")[0] in sections for problem in self.errors)


def field_text(path: Path) -> str:
    """`staff[1].pin`; whatever stands in a key of the file is printable here."""
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
            findings.error((key,), unknown_section(key, value), at_key=True)
    sections: dict[str, Any] = {}
    for section, fields in SECTIONS.items():
        given = read.get(section)
        if section == "staff":
            sections[section] = read_staff(given, fields, findings)
        elif given is None:
            if section in NEEDED and not is_misspelt(section, read, list(SECTIONS)):
                needs = ", ".join(field.name for field in fields if isinstance(field.default, Required))
                findings.error((section,), f"the section [{section}] is missing; it needs {needs}")
            sections[section] = {} if section in NEEDED else defaults_of(fields)
        elif not isinstance(given, dict):
            findings.error((section,), f"expected a section [{section}]; this is {kind_of(given)}")
            sections[section] = {}
        else:
            sections[section] = (
                dict(given) if section == "limits" else read_fields((section,), given, fields, findings)
            )
    return sections


def defaults_of(fields: tuple[Field, ...]) -> dict[str, Any]:
    return {field.name: field.default for field in fields if not isinstance(field.default, Required)}


def read_staff(given: Any, fields: tuple[Field, ...], findings: Findings) -> list[dict[str, Any]]:
    if given is None:
        return []
    if isinstance(given, dict):
        findings.error(("staff",), "each of the staff is written [[staff]], with double brackets", at_key=True)
        return []
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        findings.error(
            ("staff",), f"expected a section [[staff]] for each; this is {kind_of(given)}", at_key=True
        )
        return []
    return [read_fields(("staff", place), one, fields, findings) for place, one in enumerate(given)]


def read_fields(
    path: Path, given: dict[str, Any], fields: tuple[Field, ...], findings: Findings
) -> dict[str, Any]:
    known = [field.name for field in fields]
    for key in given:
        if key not in known:
            findings.error(path + (key,), unknown_field(key, path, known), at_key=True)
    values = defaults_of(fields)
    for field in fields:
        if field.name not in given:
            if isinstance(field.default, Required) and not is_misspelt(field.name, given, known):
                findings.error(path + (field.name,), f"missing in {header(path)}; it is {field.what}")
            continue
        try:
            values[field.name] = field.read(given[field.name])
        except Mistake as mistake:
            values.pop(field.name, None)
            findings.error(path + (field.name, *mistake.within), str(mistake))
    return values


def is_misspelt(name: str, given: dict[str, Any], known: list[str]) -> bool:
    """Whether a missing field is there by a name like its own, which was complained of already."""
    return any(key not in known and nearest(key, known) == name for key in given)


def nearest(key: str, known: list[str]) -> str | None:
    return next(iter(get_close_matches(key.lower(), known, 1, 0.6)), None)


def header(path: Path) -> str:
    return "[[staff]]" if path[0] == "staff" else f"[{path[0]}]"


def unknown_field(key: str, path: Path, known: list[str]) -> str:
    meant = nearest(key, known)
    if meant:
        return f"no such field in {header(path)}; did you mean {meant}?"
    homes = [section for section, fields in SECTIONS.items() if key in [field.name for field in fields]]
    if homes:
        return f"no such field in {header(path)}; it belongs into {header((homes[0],))}"
    return f"no such field in {header(path)}; there are {', '.join(known)}"


def unknown_section(key: str, value: Any) -> str:
    if isinstance(value, dict | list):
        meant = nearest(key, list(SECTIONS))
        if meant:
            return f"no such section; did you mean {header((meant,))}?"
        return f"no such section; there are {', '.join(SECTIONS)}"
    homes = [section for section, fields in SECTIONS.items() if key in [field.name for field in fields]]
    return f"stands in no section; it belongs {f'below {header((homes[0],))}' if homes else 'nowhere'}"
