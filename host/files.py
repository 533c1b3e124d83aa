"""Writes files: a new one that only its owner reads, or one whole, so that a reader finds the old or the new."""

import os
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
