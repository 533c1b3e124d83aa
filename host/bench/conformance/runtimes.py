"""Runs the conformance kit against drivers, on CPython and on real MicroPython."""

import importlib
import json
from collections.abc import Mapping
from types import TracebackType

from host.bench.conformance.checks import NAMES, problem_of
from host.bench.conformance.scripted_devices import SCRIPTS
from host.pico.mpy import ROOT, compile_room
from host.wasm import MicroPython
from shared.round.table import READERS, SHUFFLER

DRIVERS = "firmware.drivers."
NEVER_WAITS = NAMES[0]
HEAP_BYTES = 32 * 1024 * 1024  # this port collects no garbage before a check has ended
KIT = [f"host/bench/conformance/{name}.py" for name in ("checks", "session", "scripted_devices")]
START = """
import gc, json
from host.bench.conformance.checks import problem_of
from host.bench.conformance.scripted_devices import SCRIPTS
"""
PLAY = """
check, script, module, name = json.loads(request)
driver = getattr(__import__(module, None, None, (name,)), name)
print(json.dumps(problem_of(check, SCRIPTS[script], driver)), end='')
"""


class OnCPython:
    """Plays in this process."""

    def __enter__(self) -> "OnCPython":
        return self

    def __exit__(self, *problem: object) -> None:
        pass

    def problem(self, check: str, script: str, module: str, name: str) -> str | None:
        """What the driver of this name does wrong in a check, played against a script; None if nothing."""
        return problem_of(check, SCRIPTS[script], getattr(importlib.import_module(module), name))


class OnMicroPython:
    """Plays on real MicroPython; `files` are drivers that are not among the firmware's."""

    def __init__(self, files: Mapping[str, bytes] | None = None) -> None:
        self.micropython = MicroPython(HEAP_BYTES)
        self.micropython.install(compile_room("shared") | compile_room("firmware"))
        self.micropython.install({path: (ROOT / path).read_bytes() for path in KIT} | dict(files or {}))
        self.micropython.run(START)

    def __enter__(self) -> "OnMicroPython":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.micropython.__exit__(kind, problem, trace)

    def problem(self, check: str, script: str, module: str, name: str) -> str | None:
        request = json.dumps([check, script, module, name])
        return json.loads(self.micropython.run(PLAY + "gc.collect()", request))


def problems(runtime: OnCPython | OnMicroPython, script: str, module: str, name: str) -> dict[str, str]:
    """The checks that a driver fails, and what it does wrong in each. One that waits is not played further."""
    found = {}
    for check in NAMES:
        problem = runtime.problem(check, script, module, name)
        if problem is not None:
            found[check] = problem
            if check == NEVER_WAITS:
                break
    return found


def shipped_drivers() -> list[tuple[str, str, str]]:
    """Script, module and class of every driver that a configuration can name."""
    return [(module, DRIVERS + module, name) for module, name, _ in (*READERS.values(), SHUFFLER)]
