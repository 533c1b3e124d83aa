"""The house keeps its shape: which room may import which, where each module stands, how full a folder gets."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.support.documents import DOCUMENTS, ROOT, map_rows

SHARED = "shared shared/rules shared/books shared/round shared/journal shared/link"
# Who may import whom. A room is a folder; its own modules are free to import each other.
MAY_IMPORT = {
    # On both ends of the link. A book is loaded by its id, so the rules never name one.
    "shared": "",
    "shared/rules": "shared",
    "shared/books": "shared shared/rules",
    "shared/round": "shared shared/rules shared/books",
    "shared/journal": "shared shared/round",
    "shared/link": "shared shared/round shared/journal",
    # On the Pico.
    "boards": "",
    "firmware/drivers": "shared shared/rules shared/journal",
    "firmware": f"{SHARED} boards firmware/drivers",
    "firmware/rig": "shared/journal firmware",
    # On the host.
    "host/words": SHARED,
    "host": f"{SHARED} host/words",
    "host/rules": f"{SHARED} host/words",
    "host/staff": "host",
    "host/log/rollups": "shared shared/rules shared/round shared/journal host/words",
    "host/log": "shared shared/round shared/journal host host/words host/log/rollups",
    "host/review/statistics": "shared/rules host/rules",
    "host/review": "shared/rules shared/round host/words host/rules host/log host/log/rollups",
    "host/pico": "shared/journal shared/link boards host host/words host/log",
    "host/display": f"{SHARED} host host/words host/rules",
    "host/config": f"{SHARED} host host/words host/rules host/staff host/pico host/display",
    "host/table": f"{SHARED} host host/words host/rules host/log host/pico host/display host/config",
    "host/page": f"{SHARED} host/words host/rules host/staff host/log host/display host/config host/table",
    "host/doctor": f"{SHARED} host host/words host/staff host/log host/pico host/display host/config host/table",
    # Tables to play at, measured and tested, and the commands, which may use everything.
    "host/wasm": "",
    "host/emulator": "host/pico",
    "host/simulator": f"{SHARED} firmware firmware/drivers host host/rules host/log host/pico host/display "
    "host/config host/table host/emulator host/wasm",
    "host/bench/troubles": "shared/rules shared/journal shared/link firmware/drivers host/log host/table "
    "host/simulator",
    "host/bench/conformance": "shared/round host/pico host/wasm",
    "host/bench/mutations": "host/bench",
    "host/bench/console": "shared/round shared/rules host host/words host/display host/bench host/bench/troubles",
    "host/bench/first_day": "host/words host/rules host/pico host/display host/bench/hardware",
    "host/bench/hardware": "shared/journal shared/round firmware/rig host/words host/pico host/emulator "
    "host/simulator",
    "host/bench/soak": f"{SHARED} host host/words host/rules host/log host/pico host/table host/simulator "
    "host/wasm",
    "host/bench": f"{SHARED} host host/words host/rules host/log host/pico host/display host/table "
    "host/emulator host/simulator host/wasm host/bench/hardware host/bench/troubles",
    "host/measure": f"{SHARED} boards firmware firmware/drivers host host/rules host/log host/pico "
    "host/display host/table host/emulator host/simulator host/wasm",
    "host/commands": f"{SHARED} firmware host host/words host/rules host/staff host/log host/log/rollups "
    "host/config host/table host/page host/doctor host/review host/review/statistics host/simulator host/bench "
    "host/pico host/display host/bench/conformance host/bench/console host/bench/first_day "
    "host/bench/hardware host/bench/soak host/bench/troubles",
}
MOST_MODULES = 20
ONE_A_SUBCOMMAND = "host/commands"  # as many modules as there are commands


def modules_under(*folders):
    """Every module of the given folders, by its path from the root."""
    found = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    return [path.relative_to(ROOT) for path in found if "node_modules" not in path.parts]


PRODUCT = modules_under("shared", "boards", "firmware", "host")


def room_of(module):
    """The folder of a dotted name's module or package, or None if it is not one of ours."""
    path = Path(*module.split("."))
    if (ROOT / path).is_dir():
        return path.as_posix()
    return path.parent.as_posix() if (ROOT / path.with_suffix(".py")).exists() else None


def imported_rooms(tree):
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            # `from host.log import store` names a module, `from host.log.store import LogStore` does not.
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if room_of(name) else name.rpartition(".")[0] for name in names]
        yield from {room_of(name) for name in names} - {None}


def imports_of(path):
    return set(imported_rooms(ast.parse((ROOT / path).read_text())))


def test_rooms_import_only_what_the_table_allows():
    wrong = set()
    for path in PRODUCT:
        room = path.parent.as_posix()
        assert room in MAY_IMPORT, f"{room} is not in the table of who may import whom"
        allowed = {room, *MAY_IMPORT[room].split()}
        wrong |= {(path.as_posix(), other) for other in imports_of(path) - allowed}
    assert wrong == set()


def test_imports_between_rooms_form_no_circle():
    TopologicalSorter({room: allowed.split() for room, allowed in MAY_IMPORT.items()}).prepare()


def test_nothing_on_the_device_may_import_the_host():
    for room, allowed in MAY_IMPORT.items():
        if not room.startswith("host"):
            assert "host" not in allowed, room


def test_the_table_names_no_room_that_is_gone():
    for room, allowed in MAY_IMPORT.items():
        for name in [room, *allowed.split()]:
            assert (ROOT / name / "__init__.py").exists(), name


def folders():
    return sorted({path.parent for path in PRODUCT + modules_under("tests")})


@pytest.mark.parametrize("folder", folders(), ids=str)
def test_no_folder_is_overfull(folder):
    modules = [path for path in (ROOT / folder).glob("*.py") if path.name != "__init__.py"]
    assert len(modules) <= MOST_MODULES or folder.as_posix() == ONE_A_SUBCOMMAND


def test_tests_stand_in_the_rooms_that_they_test():
    for folder in folders():
        if folder.parts[0] == "tests" and folder.parts[1:2] not in ((), ("support",), ("both",)):
            room = ROOT.joinpath(*folder.parts[1:])
            assert room.is_dir() or room.with_suffix(".py").exists(), folder


def first_sentence(path):
    words = " ".join((ast.get_docstring(ast.parse((ROOT / path).read_text())) or "").split())
    return words.partition(". ")[0].rstrip(".")


def home_of(path):
    """The README whose map a module belongs to: that of its folder, or of the nearest one above."""
    return next(folder / "README.md" for folder in path.parents if (ROOT / folder / "README.md").exists())


def modules_to_map():
    """Every module that has something in it; an `__init__.py` of one line only names its folder."""
    for path in PRODUCT + modules_under("tests/support"):
        if path.name != "__init__.py" or len((ROOT / path).read_text().splitlines()) > 1:
            yield path


def test_every_module_stands_once_in_the_map_of_its_room():
    mapped = [
        (document.parent.relative_to(ROOT) / name, document.relative_to(ROOT))
        for document in DOCUMENTS
        for name in map_rows(document)
    ]
    wrong = []
    for path in modules_to_map():
        if (path, home_of(path)) not in mapped:
            row = f"| `{path.relative_to(home_of(path).parent)}` | {first_sentence(path)} |"
            wrong.append(f"{home_of(path)} lacks a row such as: {row}")
    for path, document in mapped:
        if not (ROOT / path).is_file():
            wrong.append(f"{document} maps {path}, which is not there")
        elif home_of(path) != document:
            wrong.append(f"{document} maps {path}, which belongs in {home_of(path)}")
    assert not wrong, "\n".join(wrong)
    assert len(mapped) == len(set(mapped)), "a module stands twice in a map"


@pytest.mark.parametrize("path", list(modules_to_map()), ids=str)
def test_every_module_says_what_it_is_for(path):
    assert first_sentence(path)


def test_every_room_has_a_page():
    shown_elsewhere = {"firmware/rig"}  # in firmware/README.md
    for room in set(MAY_IMPORT) - shown_elsewhere:
        page = ROOT / room / "README.md"
        assert page.exists(), f"{room} has no README.md"
        assert len(page.read_text().splitlines()) <= 100, f"{page} is longer than a page"


def test_the_checks_themselves_find_what_they_look_for():
    source = "import host.log.store\nfrom host.log import audit\nfrom host.table.port import TablePort\nimport os"
    assert set(imported_rooms(ast.parse(source))) == {"host/log", "host/table"}
    assert len(PRODUCT) > 100
