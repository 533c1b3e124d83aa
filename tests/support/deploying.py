"""What the tests of deploying share: a small tree in the place of the firmware, a device of dicts, running the
command."""

import re
from pathlib import Path
from types import SimpleNamespace

from click.testing import CliRunner

import host.commands.flash
import host.commands.image
from host.cli import felt
from host.pico.deploy import Found
from host.pico.flashing import Runtime
from shared.journal.ring import HEADER
from shared.link.manifest import content_digest

MPY = b"M\x06\x00\x1f"  # as every .mpy file begins
FILES = {"shared/a.mpy": MPY + b"a" * 300, "boards/small.mpy": MPY + b"b", "main.py": b"import shared.a\n"}

UNIQUE_ID = "e660583883265039"
PICO = Runtime("micropython", (1, 23, 0), 6, "rp2", 352, "Raspberry Pi Pico with RP2040")
SMALL = SimpleNamespace(NAME="small", ROLE="table", JUMPER=22)


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


def on_device(files):
    """What a device that holds these files says that it holds."""
    folders = {parent.as_posix() for path in files for parent in Path(path).parents} - {"."}
    return Found({path: (len(content), content_digest(content)) for path, content in files.items()}, folders)


class FakeDevice:
    """`says` is what the firmware on it says when it is to hand over."""

    def __init__(self, files=(), runtime=PICO, loses=None, says=("idle", ""), sectors=None):
        self.files = dict(files)
        self.sectors = dict(sectors or {})  # of its raw flash, by block
        self.folders = on_device(self.files).folders
        self.runtime = runtime
        self.loses = loses  # a path that never arrives whole
        self.says = says
        self.handed_over = 0
        self.restarts = 0
        self.changed = []

    def about(self):
        return self.runtime

    def survey(self, ours):
        found = on_device(self.files).files
        return Found(found, set(self.folders))

    def read(self, path):
        return self.files[path]

    def names(self, folder):
        return sorted(path.removeprefix(f"{folder}/") for path in self.files if path.startswith(f"{folder}/"))

    def unique_id(self):
        return UNIQUE_ID

    def headers(self):
        return {block: content[:HEADER] for block, content in self.sectors.items()}

    def sector(self, block):
        return self.sectors[block].rstrip(b"\xff")

    def hand_over(self):
        self.handed_over += 1
        return self.says

    def remove(self, files, folders):
        for path in files:
            del self.files[path]
        self.folders -= set(folders)
        self.changed += [*files, *folders]

    def rename(self, old, new):
        self.files[new] = self.files.pop(old)
        self.changed.append(new)

    def make_folders(self, folders):
        self.folders |= set(folders)

    def write(self, files, advance):
        for path, content in files.items():
            self.files[path] = content[1:] if path == self.loses else content
            self.changed.append(path)
            advance(len(content))

    def jumper_is_on(self, pin):
        return pin == SMALL.JUMPER

    def restart(self):
        self.restarts += 1


class Cut(Exception):
    pass


class CutDevice(FakeDevice):
    """Changes one thing after the other, and is gone after so many. Files whose names end with `in_pieces` come
    in pieces, each of which is there whole or not at all."""

    left = 1000
    in_pieces = ".mpy"

    def step(self):
        if not self.left:
            raise Cut
        self.left -= 1

    def remove(self, files, folders):
        for path in files:
            self.step()
            super().remove([path], [])
        for path in folders:
            self.step()
            super().remove([], [path])

    def rename(self, old, new):
        self.step()
        super().rename(old, new)

    def make_folders(self, folders):
        for path in folders:
            self.step()
            super().make_folders([path])

    def write(self, files, advance):
        for path, content in files.items():
            self.step()
            if path.endswith(self.in_pieces):
                super().write({path: content[: len(content) // 2]}, advance)
                self.step()
            super().write({path: content}, advance)
