"""What the tests of deploying share: a small tree in the place of the firmware, and running the command."""

import re

from click.testing import CliRunner

import host.commands.flash
import host.commands.image
from host.cli import felt

MPY = b"M\x06\x00\x1f"  # as every .mpy file begins
FILES = {"shared/a.mpy": MPY + b"a" * 300, "boards/small.mpy": MPY + b"b", "main.py": b"import shared.a\n"}


def use_tree(monkeypatch, files):
    """Have the commands deploy these files, whatever the board."""
    for module in (host.commands.flash, host.commands.image):
        monkeypatch.setattr(module, "table_files", lambda board: dict(files))


def run(*words):
    return CliRunner().invoke(felt, [str(word) for word in words])


def refusal(*words):
    """What a command says when it refuses: one line, exit status 1 and no traceback."""
    done = run(*words)
    assert done.exit_code == 1, done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)
    assert re.fullmatch(r"Error: .+\n", done.stderr)
    return done.stderr.removeprefix("Error: ").strip()
