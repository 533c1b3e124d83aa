"""The journal's storage in a folder of this machine: every append is on the disk when it returns."""

import fcntl
import os
from pathlib import Path

from shared.journal.journal import SEGMENTS


class FolderInUse(OSError):
    """Another process has this journal open."""


class FolderStorage:
    """One process at a time has a folder; it is free again when that process ends or closes it."""

    capacity = SEGMENTS

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.lock = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self.lock)
            raise FolderInUse(f"another process has the journal in {folder} open") from None

    def close(self) -> None:
        os.close(self.lock)

    def names(self) -> list[str]:
        """The segments; other files in the folder are not the journal's."""
        return [path.name for path in self.folder.iterdir() if is_segment(path)]

    def size(self, name: str) -> int:
        path = self.folder / name
        return path.stat().st_size if path.exists() else 0

    def read(self, name: str, start: int, count: int) -> bytes:
        with (self.folder / name).open("rb") as file:
            file.seek(start)
            return file.read(count)

    def append(self, name: str, data: bytes) -> None:
        path = self.folder / name
        is_new = not path.exists()
        append_durably(path, data)
        if is_new:
            sync_folder(self.folder)

    def remove(self, name: str) -> None:
        (self.folder / name).unlink()
        sync_folder(self.folder)

    def ready(self) -> int:
        return self.capacity

    def prepare(self) -> bool:
        return False


def is_segment(path: Path) -> bool:
    return len(path.name) == 8 and path.name.isdigit() and path.is_file()


def append_durably(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """A new file's name must be durable as well as its content."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
