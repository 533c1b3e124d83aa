"""`shared/` and `firmware/` keep to what a stock Pico has: modules, integers, and syntax mpy-cross takes."""

import ast

import pytest

from host.pico.mpy import ROOT, CompileError, compile_source, device_sources

ALLOWED = {
    "array",
    "binascii",
    "collections",
    "errno",
    "gc",
    "hashlib",
    "io",
    "json",
    "micropython",
    "os",
    "select",
    "struct",
    "sys",
    "time",
}
# No clock, no files and no ports in the rules core, so not all of that there.
ALLOWED_IN = {
    "shared": {"shared", "array", "binascii", "collections", "hashlib", "json", "micropython", "struct"},
    "boards": set(),
    "firmware": ALLOWED | {"shared", "firmware", "boards", "machine", "rp2"},
}
SOURCES = [(room, path) for room in ALLOWED_IN for path in device_sources(room)]
SHARED_SOURCES = device_sources("shared")


def imported_modules(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "import by the full path"
            yield node.module or ""


def is_float_use(node):
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (float, complex))
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        return isinstance(node.op, ast.Div)
    return isinstance(node, ast.Name) and node.id in ("float", "complex", "round")


def float_uses(tree):
    return sorted(getattr(node, "lineno", 0) for node in ast.walk(tree) if is_float_use(node))


def parse(path):
    return ast.parse((ROOT / path).read_text())


@pytest.mark.parametrize(("room", "path"), SOURCES, ids=lambda part: str(part))
def test_imports_are_on_the_allow_list(room, path):
    outside = {name for name in imported_modules(parse(path)) if name.split(".")[0] not in ALLOWED_IN[room]}
    assert not outside, f"{path} imports {outside}"


@pytest.mark.parametrize("path", SHARED_SOURCES, ids=str)
def test_no_floats(path):
    assert float_uses(parse(path)) == []


def sorts_by_key(tree):
    """Sorting with a key relies on equal elements keeping their order, which MicroPython does not promise."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = [getattr(call.func, "id", getattr(call.func, "attr", "")) for call in calls]
    return [
        call.lineno
        for call, name in zip(calls, names)
        if name in ("sorted", "sort") and any(keyword.arg == "key" for keyword in call.keywords)
    ]


@pytest.mark.parametrize("path", [path for _, path in SOURCES], ids=str)
def test_nothing_relies_on_a_stable_sort(path):
    assert sorts_by_key(parse(path)) == []


@pytest.mark.parametrize("path", [path for _, path in SOURCES], ids=str)
def test_compiles_with_mpy_cross(path):
    assert compile_source(path)[:1] == b"M"


def test_the_checks_themselves_find_what_they_look_for(tmp_path):
    assert list(imported_modules(ast.parse("import os.path\nfrom enum import Enum"))) == ["os.path", "enum"]
    assert float_uses(ast.parse("a = 1.5\nb = a / 2\nb /= 2\nc = float(3)\nd = 7 // 2")) == [1, 2, 3, 4]
    broken = tmp_path / "broken.py"
    broken.write_text("match x:\n    case 1: pass\n")
    with pytest.raises(CompileError, match="SyntaxError"):
        compile_source(broken)
    assert sorts_by_key(ast.parse("sorted(a)\nsorted(a, key=b)\nc.sort(key=d)")) == [2, 3]
    assert len(SHARED_SOURCES) > 10
