"""Runs the conformance kit against drivers, on CPython and on real MicroPython."""

import importlib
import importlib.util
import json
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, NamedTuple, Protocol

from host.bench.conformance.checks import NAMES, problem_of
from host.bench.conformance.loading import Place
from host.bench.conformance.scripted_devices import SCRIPTS, Script
from host.pico.mpy import ROOT, compile_room
from host.wasm import MicroPython, MicroPythonError
from shared.round.table import READERS, SHUFFLER

DRIVERS = "firmware.drivers."
LOADS = "loads"  # goes before the checks
NEVER_WAITS = NAMES[0]
CHECK_SECONDS = 120.0  # within which a check ends, also on a slow computer
HEAP_BYTES = 32 * 1024 * 1024  # this port collects no garbage before a check has ended
KIT = [f"host/bench/conformance/{name}.py" for name in ("checks", "session", "scripted_devices")]
START = """
import gc, json
from host.bench.conformance.checks import problem_of
from host.bench.conformance.scripted_devices import SCRIPTS

def load(module, name):
    return getattr(__import__(module, None, None, (name,)), name)

def script_of(name):
    return SCRIPTS[name] if name in SCRIPTS else load(*name.split(":"))
"""
LOAD = """
module, name, script = json.loads(request)
load(module, name)
script_of(script)
"""
PLAY = """
check, script, module, name = json.loads(request)
print("\\n" + json.dumps(problem_of(check, script_of(script), load(module, name))), end='')
"""


class NotAScript(Exception):
    """A script that the kit cannot play; the text says what it lacks."""


class TooLong(BaseException):
    """No Exception, so that no driver catches it."""


class Runtime(Protocol):
    name: str

    def __enter__(self) -> "Runtime": ...

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...

    def load_problem(self, script: str, module: str, name: str) -> str | None:
        """Why a driver or its script does not load; None if both do."""
        ...

    def problem(self, check: str, script: str, module: str, name: str) -> str | None:
        """What the driver of this name does wrong in a check; None if nothing. A script is one of SCRIPTS, or
        `module:Class`."""
        ...


class OnCPython:
    """Plays in this process; `places` are modules that an import does not find."""

    name = "CPython"

    def __init__(self, places: Sequence[Place] = (), seconds: float = CHECK_SECONDS) -> None:
        self.places = {place.module: place for place in places}
        self.seconds = seconds

    def __enter__(self) -> "OnCPython":
        return self

    def __exit__(self, *problem: object) -> None:
        for module in self.places:
            sys.modules.pop(module, None)

    def load(self, module: str, name: str) -> Any:
        if module in self.places and module not in sys.modules:
            spec = importlib.util.spec_from_file_location(module, self.places[module].file)
            assert spec is not None
            assert spec.loader is not None
            sys.modules[module] = importlib.util.module_from_spec(spec)
            try:
                spec.loader.exec_module(sys.modules[module])
            except BaseException:
                del sys.modules[module]
                raise
        return getattr(importlib.import_module(module), name)

    def script_of(self, name: str) -> type[Script]:
        if name in SCRIPTS:
            return SCRIPTS[name]
        script = self.load(*name.split(":"))
        if not isinstance(script, type) or not issubclass(script, Script) or not script.SAYS:
            where = "host/bench/conformance/scripted_devices.py"
            raise NotAScript(f"{name} is not a script: derive it from Script of {where}, and give it SAYS")
        return script

    def load_problem(self, script: str, module: str, name: str) -> str | None:
        try:
            with limited(self.seconds):
                self.load(module, name)
                self.script_of(script)
        except NotAScript:
            raise
        except TooLong:
            return too_long(self.seconds)
        except (Exception, SystemExit) as problem:
            return f"{type(problem).__name__}: {problem}"
        return None

    def problem(self, check: str, script: str, module: str, name: str) -> str | None:
        try:
            with limited(self.seconds):
                return problem_of(check, self.script_of(script), self.load(module, name))
        except TooLong:
            return too_long(self.seconds)
        except SystemExit:
            return "it ends the program"


def too_long(seconds: float) -> str:
    return f"it does not come back within {seconds:g} s"


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """TooLong if it takes longer, also in a loop that never ends. Only a main thread can be interrupted so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class OnMicroPython:
    """Plays on real MicroPython; `files` are drivers that are not among the firmware's."""

    name = "MicroPython"

    def __init__(self, files: Mapping[str, bytes] | None = None, seconds: float = CHECK_SECONDS) -> None:
        self.seconds = seconds
        self.files = dict(files or {})
        self.micropython = self.started()

    def started(self) -> MicroPython:
        micropython = MicroPython(HEAP_BYTES)
        micropython.install(compile_room("shared") | compile_room("firmware"))
        micropython.install({path: (ROOT / path).read_bytes() for path in KIT} | self.files)
        micropython.run(START)
        return micropython

    def __enter__(self) -> "OnMicroPython":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.micropython.__exit__(kind, problem, trace)

    def load_problem(self, script: str, module: str, name: str) -> str | None:
        try:
            self.ask(LOAD, module, name, script)
        except TooLong:
            return too_long(self.seconds)
        except MicroPythonError as problem:
            return str(problem).strip().splitlines()[-1]
        return None

    def problem(self, check: str, script: str, module: str, name: str) -> str | None:
        try:
            said = self.ask(PLAY + "gc.collect()", check, script, module, name)
        except TooLong:
            return too_long(self.seconds)
        except MicroPythonError as problem:  # such as a heap that is full
            return str(problem).strip().splitlines()[-1]
        return json.loads(said.splitlines()[-1])  # before it is what the driver printed

    def ask(self, code: str, *request: str) -> str:
        """What the code printed; TooLong if it must be killed. After MicroPython ended another one is started."""
        is_late = threading.Event()

        def stop() -> None:
            is_late.set()
            self.micropython.process.kill()

        limit = threading.Timer(self.seconds, stop)
        limit.start()
        try:
            return self.micropython.run(code, json.dumps(request))
        except MicroPythonError:
            if self.micropython.process.poll() is not None:
                self.micropython.__exit__()
                self.micropython = self.started()
            if is_late.is_set():
                raise TooLong from None
            raise
        finally:
            limit.cancel()


class Outcome(NamedTuple):
    check: str
    problem: str | None
    seconds: float


def outcomes(runtime: Runtime, script: str, module: str, name: str) -> Iterator[Outcome]:
    """Each check as it is played. A driver that does not load, or that waits, is not played further."""
    begun = time.perf_counter()
    problem = runtime.load_problem(script, module, name)
    if problem is not None:
        yield Outcome(LOADS, problem, time.perf_counter() - begun)
        return
    for check in NAMES:
        begun = time.perf_counter()
        problem = runtime.problem(check, script, module, name)
        yield Outcome(check, problem, time.perf_counter() - begun)
        if problem is not None and (check == NEVER_WAITS or problem.startswith("it does not come back")):
            return


def problems(runtime: Runtime, script: str, module: str, name: str) -> dict[str, str]:
    """The checks that a driver fails, and what it does wrong in each."""
    return {one.check: one.problem for one in outcomes(runtime, script, module, name) if one.problem is not None}


def shipped_drivers() -> list[tuple[str, str, str]]:
    """Script, module and class of every driver that a configuration can name."""
    return [(module, DRIVERS + module, name) for module, name, _ in (*READERS.values(), SHUFFLER)]
