"""What goes on a table: its files with key and manifest, and what must change on a device to hold just these."""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from host.keys import FIRST_WORD, KeyFileError, TableKey, check_table_name, make_table_key, read_table_key
from host.pico.boards import Board, problems
from host.pico.digests import rules_digest
from host.pico.mpy import ROOT, CompileError, compile_source, device_sources
from shared.journal.journal import SEGMENTS
from shared.journal.ring_making import path_of
from shared.link import manifest
from shared.link.declarations import digest as messages_digest
from shared.link.manifest import KEY_FILE, MANIFEST_FILE, Manifest, content_digest, manifest_content

ROOMS = ("shared", "firmware", "boards")
RULES = ("shared/", "firmware/")  # whose files decide what a replay gives
JOURNAL = "journal"  # of an older firmware
MAP_FILE = f"{manifest.FOLDER}/ring"  # says in which sectors the journal lies
RING = {PurePosixPath(os.fsdecode(path_of(place))).parts[0] for place in range(SEGMENTS)}
UNLISTED = (JOURNAL, *sorted(RING))  # folders of files whose sizes and digests nobody needs
NEW_JOURNAL = "--new-journal FOLDER (it saves the journal in FOLDER and begins a new one)"
MAIN = "main.py"
MAIN_SOURCE = Path("firmware/device_main.py")
RIG_MAIN = """from boards import {0}
from firmware.rig.rig_pico import main

main({0})
"""


class DeployError(ValueError):
    """What cannot be put on a table, or not on this one; the text says why and what to do."""


class Found(NamedTuple):
    """What is on a device; a digest is as in a manifest, or "-" if the file is not ours."""

    files: dict[str, tuple[int, str]]
    folders: set[str]


class Changes(NamedTuple):
    remove: list[str]
    remove_folders: list[str]  # inner ones first
    make_folders: list[str]  # outer ones first
    copy: dict[str, bytes]

    @property
    def is_none(self) -> bool:
        return not any(self)

    @property
    def touch_rules(self) -> bool:
        """Whether the table may get other records from its journal than before."""
        return any(path.startswith(RULES) for path in (*self.remove, *self.remove_folders, *self.copy))


class KeyChoice(NamedTuple):
    """Which table it shall be: the key in a file, or a table's name, or neither to keep the present key."""

    file: Path | None = None
    table: str | None = None
    replace: bool = False


class JournalChoice(NamedTuple):
    """Where the journal is saved if it shall not stay on the device; whether an unfinished round may go too; and
    where that of an older firmware is saved before it is brought into the ring."""

    folder: Path | None = None
    abandon_round: bool = False
    old: Path | None = None  # by default a new folder in the current one


class Key(NamedTuple):
    key: TableKey
    made: Path | None = None  # the file, if it is new


# What goes on a table


def table_files(board: Board) -> dict[str, bytes]:
    """Every file of the firmware for a board, by its path on the device; main.py, which starts it, last."""
    wrong = problems(board)
    if wrong:
        name = getattr(board, "__name__", "boards.?").removeprefix("boards.")
        raise DeployError(f"the board is not right: {wrong[0]}; `felt boards check {name}` lists everything")
    # An `__init__.py` only says what its folder is for. MicroPython needs none, and starts quicker without.
    sources = [
        source
        for source in (*device_sources("shared"), *device_sources("firmware"))
        if source != MAIN_SOURCE
        and source.name != "__init__.py"
        and (board.ROLE == "rig" or "rig" not in source.parts)
    ]
    sources.append(Path(f"boards/{board.NAME}.py"))
    try:
        files = {source.with_suffix(".mpy").as_posix(): compile_source(source) for source in sources}
    except CompileError as error:
        raise DeployError(compile_text(str(error))) from None
    if board.ROLE == "rig":
        return files | {MAIN: RIG_MAIN.format(board.NAME).encode()}
    try:
        return files | {MAIN: (ROOT / MAIN_SOURCE).read_bytes()}
    except OSError as error:
        raise DeployError(f"cannot read {MAIN_SOURCE}, which becomes {MAIN}: {error.strerror}") from None


def compile_text(output: str) -> str:
    """What mpy-cross printed, in one line."""
    where = re.search(r'File "(.+)", line (\d+)', output)
    last = (output.strip().splitlines() or ["mpy-cross says nothing"])[-1]
    place = f"{where[1].removeprefix(f'{ROOT}/')}, line {where[2]}: " if where else ""
    return f"cannot be compiled: {place}{last}"


def with_key(files: Mapping[str, bytes], board: str, key: Key | None) -> dict[str, bytes]:
    """Everything on a table's filesystem, the manifest last; a rig has no key and nothing sealed with one."""
    if not key:
        return dict(files)
    listed = [(path, len(content), content_digest(content)) for path, content in sorted(files.items())]
    made = Manifest(key.key.table, board, rules_digest(), messages_digest(), listed)
    return {**files, KEY_FILE: key.key.content, MANIFEST_FILE: manifest_content(key.key.sealer, made)}


# Whose key


def make_key(table: str) -> Key:
    """A new key in the current folder."""
    check_table_name(table)
    path = Path(f"{table.replace('/', '_')}.key")
    if path.exists():
        raise KeyFileError("keys.use_this", path=path)
    return Key(make_table_key(path, table), path)


def parse_key(content: bytes | None) -> TableKey | None:
    """The key in the bytes of a key file, if there is one."""
    try:
        first, table, key = (content or b"").decode("ascii").split()
        read = TableKey(table, bytes.fromhex(key))
        _ = read.sealer  # which refuses keys of a wrong length
    except ValueError:
        return None
    return read if first == FIRST_WORD else None


def settle_key(present: bytes | None, choice: KeyChoice, role: str) -> Key | None:
    """The key that a device shall have, where `present` is the content of the key file it has; None on a rig."""
    if role == "rig":
        if choice.file or choice.table is not None:
            raise DeployError("a rig has no key; leave out --key and --table")
        if present is not None:
            raise DeployError("the device has a key, so it is a table; choose another Pico for the rig")
        return None
    wanted = read_table_key(choice.file) if choice.file else None
    there = parse_key(present)
    if present is None or choice.replace:
        if not wanted and not choice.table:
            raise DeployError("a table needs a key: --table NAME makes one, --key FILE uses an existing one")
        return Key(wanted) if wanted else make_key(choice.table or "")
    if not there:
        raise DeployError("the key on the device is damaged; put one there with --new-key and --key FILE")
    table = wanted.table if wanted else choice.table or there.table
    if table != there.table or (wanted and wanted != there):
        which = "another key of" if table == there.table else "the key of"
        raise DeployError(
            f"the device has {which} table {there.table}, and its journal is sealed with that; "
            f"to make it table {table} nevertheless, add --new-key"
        )
    return Key(there)


def check_journal(present: bytes | None, choice: KeyChoice) -> None:
    """Refuse a key that cannot read the journal that stays on the device. If the key on the device is missing or
    damaged, the key file is assumed to be the same."""
    there = parse_key(present)
    is_made = choice.table is not None and (present is None or choice.replace)
    is_other = choice.replace and choice.file and there and read_table_key(choice.file) != there
    if is_made or is_other:
        raise DeployError(
            "the device has a journal, sealed with its old key, and with another key the table would not "
            f"start; add {NEW_JOURNAL}"
        )


# What changes


def is_kept(path: str) -> bool:
    """Whether a file or folder is the table's own data, from which nothing is ever loaded."""
    return path.partition("/")[0] in (manifest.FOLDER, *UNLISTED)


def could_run(path: str) -> bool:
    """Whether MicroPython could load a file, or something from its folder. A table does not start while there is
    one that its manifest does not name."""
    return not is_kept(path) and ("/" in path or path.endswith((".py", ".mpy")))


def changes(planned: Mapping[str, bytes], found: Found) -> Changes:
    """What must change so that a device holds `planned` and nothing else that could be run. So a foo.py is
    removed, which MicroPython would load before our foo.mpy, and so is a folder foo."""
    needed = folders_of(planned)
    return Changes(
        sorted(path for path in found.files if path not in planned and (could_run(path) or path in needed)),
        sorted(strange_folders(needed, found), reverse=True),
        sorted(needed - found.folders),
        {
            path: content
            for path, content in planned.items()
            if found.files.get(path) != (len(content), content_digest(content))
        },
    )


def folders_of(paths: Iterable[str]) -> set[str]:
    return {parent.as_posix() for path in paths for parent in PurePosixPath(path).parents} - {"."}


def strange_folders(needed: set[str], found: Found) -> list[str]:
    return [path for path in found.folders if path not in needed and not is_kept(path)]


def is_sound(found: Found, key_file: bytes | None, manifest_file: bytes | None) -> bool:
    """Whether a device holds what its own manifest says and no other program, so that its firmware can be run."""
    key = parse_key(key_file)
    if not key or manifest_file is None:
        return False
    try:
        listed = manifest.read_manifest(key.sealer, manifest_file).files
    except manifest.BadManifest:
        return False
    there = {path: (size, digest) for path, size, digest in listed}
    strange = [path for path in found.files if path not in there and could_run(path)]
    strange += strange_folders(folders_of(there), found)
    return not strange and all(found.files.get(path) == content for path, content in there.items())
