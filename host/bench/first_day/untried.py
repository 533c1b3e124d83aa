"""What has never run on silicon, found in the sources: what only a Pico has, boards, drivers, wiring, panels.

Nothing is listed by hand. As long as nobody has worked through the session, all of it counts as untried.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from host.display.config import KINDS
from host.pico.boards import board_names, find_board
from host.pico.images import OLDEST, RELEASES, version_of
from host.pico.mpy import ROOT, device_sources

ROOMS = ("firmware", "shared", "boards")
OURS = {"boards", "firmware", "shared"}
WIRING = ROOT / "boards" / "WIRING.md"
ON_ANY_COMPUTER = ("none", "terminal", "png")  # displays without a panel

PARTS = "What the firmware asks of the Pico"
STARTS = "Causes of a start"
BOARDS = "Boards"
DRIVERS = "Drivers"
CIRCUITS = "Circuits, as they are drawn"
IMAGES = "Files to drag onto a Pico"
VERSIONS = "Versions of MicroPython"
PANELS = "LED panels"


class Item(NamedTuple):
    group: str
    name: str
    about: str  # what it is, or where it stands


def untried() -> list[Item]:
    return [*parts(), *starts(), *boards(), *drivers(), *circuits(), *images(), *versions(), *panels()]


# -- the firmware


def trees() -> Iterator[tuple[Path, ast.Module]]:
    for room in ROOMS:
        for path in device_sources(room):
            yield path, ast.parse((ROOT / path).read_text())


def is_of_micropython(module: str) -> bool:
    """Whether CPython has no such module."""
    return module not in OURS and module not in sys.stdlib_module_names


def parts() -> list[Item]:
    """What the firmware uses of modules that MicroPython alone has, such as machine.UART, and where."""
    used: dict[str, list[str]] = {}
    for path, tree in trees():
        for name in sorted(set(names_used(tree))):
            used.setdefault(name, []).append(path.as_posix())
    return [Item(PARTS, name, ", ".join(places)) for name, places in sorted(used.items())]


def names_used(tree: ast.Module) -> Iterator[str]:
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {one.name for one in node.names if is_of_micropython(one.name)}
        elif isinstance(node, ast.ImportFrom) and is_of_micropython((node.module or "").partition(".")[0]):
            yield from (f"{node.module}.{one.name}" for one in node.names)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            yield f"{node.value.id}.{node.attr}"


def starts() -> list[Item]:
    """The causes that the firmware tells apart: `{1: "power"}.get(machine.reset_cause(), "reset")`."""
    return [
        Item(STARTS, cause, path.as_posix())
        for path, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and asks_cause(node)
        for cause in causes_in(node)
    ]


def asks_cause(node: ast.Call) -> bool:
    """Whether what is looked up in a table is machine.reset_cause()."""
    return bool(node.args) and ast.unparse(node.args[0]) == "machine.reset_cause()"


def causes_in(node: ast.Call) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.value


def drivers() -> list[Item]:
    return [
        Item(DRIVERS, path.stem, about_module(path))
        for path in device_sources("firmware/drivers")
        if path.stem != "__init__"
    ]


def about_module(path: Path) -> str:
    words = " ".join((ast.get_docstring(ast.parse((ROOT / path).read_text())) or "").split())
    return words.partition(". ")[0].rstrip(".")


# -- boards, wiring, images


def boards() -> list[Item]:
    return [Item(BOARDS, name, find_board(name).TITLE) for name in board_names()]


def circuits() -> list[Item]:
    """Every drawing of WIRING.md, by its file; a checkout has them, an installed copy does not."""
    text = WIRING.read_text() if WIRING.exists() else ""
    found = re.findall(r"^!\[([^\]]+)\]\(pictures/([\w-]+)\.svg\)", text, re.MULTILINE)
    return [Item(CIRCUITS, name, about) for about, name in found]


def images() -> list[Item]:
    """One for each board."""
    return [
        Item(IMAGES, f"{name}.uf2", "MicroPython with the firmware, as `felt image` makes it")
        for name in board_names()
    ]


def versions() -> list[Item]:
    return [
        Item(VERSIONS, version, f"of {date[:4]}-{date[4:6]}-{date[6:]}")
        for version, date in RELEASES.items()
        if version_of(version) >= OLDEST
    ]


def panels() -> list[Item]:
    return [Item(PANELS, kind, "host/display/panels.py") for kind in KINDS if kind not in ON_ANY_COMPUTER]
