"""Writes files: a new one that only its owner reads, or one whole, so that a reader finds the old or the new; and
makes a folder under a name that is free."""

import os
import re
import tempfile
from contextlib import suppress
from pathlib import Path


def write_new(path: Path, content: bytes) -> None:
    """Make a file that only its owner can read, and wait until the disk has it; never over another."""
    with open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def write_whole(path: Path, content: bytes, mode: int = 0o644, durable: bool = False) -> None:
    """Put `content` in the place of the file; `durable` waits until the disk has it."""
    descriptor, fresh = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, mode)
            file.write(content)
            file.flush()
            if durable:
                os.fsync(descriptor)
        os.replace(fresh, path)
    except OSError:
        with suppress(OSError):
            os.unlink(fresh)
        raise


def free_folder(folder: Path, name: str) -> Path:
    """A new folder of this name, or of the next number after it."""
    name = re.sub(r"[^\w.-]", "-", name)
    number = 1
    while True:
        home = folder / (name if number == 1 else f"{name}-{number}")
        try:
            home.mkdir(parents=True)
            return home
        except FileExistsError:
            number += 1
