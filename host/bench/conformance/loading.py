"""Finds the driver and the script that somebody names, in a file or in a module that Python can import."""

import ast
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from host.pico.mpy import ROOT

ON_EVERY_RUNTIME = [ROOT / room for room in ("shared", "firmware", "host/bench/conformance")]


class NotFound(Exception):
    """There is no such driver or script; the text says what to write."""


class Place(NamedTuple):
    """A class, and the file that it is in."""

    module: str  # its name where it is loaded
    name: str
    file: Path

    @property
    def path(self) -> str:
        """Where MicroPython finds it."""
        return self.module.replace(".", "/") + ".py"

    def is_everywhere(self) -> bool:
        return any(folder in self.file.resolve().parents for folder in ON_EVERY_RUNTIME)


def find_class(given: str) -> Place:
    """The class that `FILE.py:Class` or `module:Class` names."""
    where, _, name = given.rpartition(":")
    if not where or not name.isidentifier():
        raise NotFound(f"{given}: write FILE.py:Class, or module:Class")
    place = in_file(Path(where), name) if where.endswith(".py") else in_module(where, name)
    try:
        tree = ast.parse(place.file.read_bytes())
    except OSError as error:
        raise NotFound(f"{place.file}: cannot be read: {error.strerror}") from None
    except (SyntaxError, ValueError) as error:
        raise NotFound(f"{place.file}: not Python: {error}") from None
    names = names_in(tree)
    if name not in names:
        classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
        has = f"it has {', '.join(classes)}" if classes else "it has none"
        raise NotFound(f"{place.file}: there is no class {name} in it; {has}")
    return place


def names_in(tree: ast.Module) -> set[str]:
    """Classes and what is imported; a class that is made otherwise is assigned."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def in_file(file: Path, name: str) -> Place:
    """It is loaded under the file's name, or beside a module that has this name already."""
    if not file.stem.isidentifier():
        raise NotFound(f"{file}: name the file as Python names modules, such as my_reader.py")
    module = file.stem if find_spec(file.stem) is None else f"{file.stem}_given"
    return Place(module, name, file)


def in_module(module: str, name: str) -> Place:
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        spec = None
    except Exception as error:  # the packages above it are imported, and may raise anything
        raise NotFound(f"{module}: its package cannot be imported: {error!r}") from None
    if spec is None or not spec.origin or not spec.origin.endswith(".py"):
        raise NotFound(f"{module}: Python cannot import it; name its file instead: path/to/file.py:{name}")
    return Place(module, name, Path(spec.origin))
