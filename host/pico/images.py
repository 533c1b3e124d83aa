"""MicroPython images for the Pico: fetched from micropython.org into the cache, and checked before use.

An image states where its filesystem is, in what picotool calls binary info; that must be where `flash_image.py`
builds one.
"""

import hashlib
import http.client
import os
import re
import struct
import urllib.error
import urllib.request
from pathlib import Path
from typing import NamedTuple

from host.files import write_whole
from host.pico import flash_image
from host.pico.flash_image import FLASH_BASE, FLASH_SIZE, FS_OFFSET, PAGE, uf2_to_flash

FIRMWARE_URL = "https://micropython.org/resources/firmware/"
TIMEOUT_S = 30
MOST_BYTES = 4 * FLASH_SIZE
OLDEST = (1, 23, 0)
USUAL = "1.28.0"
# The build dates, which are part of the file names.
RELEASES = {
    "1.23.0": "20240602",
    "1.24.0": "20241025",
    "1.24.1": "20241129",
    "1.25.0": "20250415",
    "1.26.0": "20250809",
    "1.26.1": "20250911",
    "1.27.0": "20251209",
    "1.28.0": "20260406",
    "1.29.0": "20260824",
}

BANNER = re.compile(rb"MicroPython v(\d+\.\d+\.\d+)([^ \0]*) on (\d{4})-(\d\d)-(\d\d)")
FILE_NAME = re.compile(r"(\w+)-\d{8}-v(\d+\.\d+\.\d+)\.uf2")
PICO_FILES = "RPI_PICO"
PICO_BOARD = "pico"  # what the image of a plain Pico calls its board

# Binary info: a header near the start of the program, and entries that begin with type and tag.
INFO_START, INFO_END = 0x7188EBF2, 0xE71AA390
INFO_AT = range(0x100, 0x200, 4)
TYPE_STRING, TYPE_BLOCK_DEVICE = 6, 7
ID_BOARD = 0xB63CFFBB
LONGEST_BOARD = 64  # characters of a name


class ImageError(ValueError):
    """An image that cannot be used or fetched; the text says why and what to do."""


class Image(NamedTuple):
    version: str
    date: str
    board: str  # as the Pico SDK calls it: "pico", "pico_w"


def version_of(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


# Checking


def check_uf2(content: bytes) -> None:
    """Refuse what is not one whole UF2 for the RP2040, below the filesystem."""
    if not content or len(content) % 512:
        raise ImageError("it is not a UF2 file, or cut short: UF2 comes in blocks of 512 bytes")
    count = len(content) // 512
    taken: set[int] = set()
    for number in range(count):
        head = struct.unpack_from("<8I", content, number * 512)
        start, (flags, address, size, block, blocks, family) = head[:2], head[2:]
        (end,) = struct.unpack_from("<I", content, number * 512 + 508)
        if start != flash_image.UF2_START or end != flash_image.UF2_END:
            raise ImageError(f"it is not a UF2 file, or damaged: block {number} is wrong")
        if not flags & flash_image.UF2_FAMILY_PRESENT or family != flash_image.RP2040_FAMILY:
            raise ImageError("it is for another chip; a Pico has an RP2040")
        if (block, blocks) != (number, count):
            raise ImageError(f"it is not whole: block {number} of {count} says that it is {block} of {blocks}")
        if size != PAGE or address % PAGE or not FLASH_BASE <= address < FLASH_BASE + FLASH_SIZE:
            raise ImageError(f"block {number} goes where a Pico has no flash ({address:#x})")
        if address in taken:
            raise ImageError(f"it is damaged: block {number} goes where another block goes ({address:#x})")
        taken.add(address)


def check_image(content: bytes) -> Image:
    """Which MicroPython this is; refuses one that a table cannot run."""
    check_uf2(content)
    flash = uf2_to_flash(content)
    banner = BANNER.search(flash)
    if not banner:
        raise ImageError("it is not MicroPython: it names no version")
    version = banner[1].decode()
    if version_of(version) < OLDEST:
        raise ImageError(f"it is MicroPython {version}; a table needs 1.23 or newer")
    board, filesystem = binary_info(flash)
    if filesystem != (FLASH_BASE + FS_OFFSET, FLASH_SIZE - FS_OFFSET):
        raise ImageError("its filesystem is not where a Pico's is; take the image that is called RPI_PICO")
    if flash[FS_OFFSET:].strip(b"\xff"):
        raise ImageError("there is something in its filesystem already; take the image as it was downloaded")
    return Image(version + banner[2].decode(), b"".join(banner.groups()[2:]).decode(), board)


def binary_info(flash: bytes) -> tuple[str, tuple[int, int] | None]:
    """The name of the board and the (address, size) of the filesystem, as far as the image tells them."""
    board, filesystem = "", None
    for at in INFO_AT:
        first, low, high, _, last = struct.unpack_from("<5I", flash, at)
        is_there = FLASH_BASE <= low <= high <= FLASH_BASE + FLASH_SIZE
        if (first, last) != (INFO_START, INFO_END) or not is_there:
            continue
        for pointer in range(low - FLASH_BASE, min(high - FLASH_BASE, FLASH_SIZE - 3), 4):
            entry = struct.unpack_from("<I", flash, pointer)[0] - FLASH_BASE
            if not 0 <= entry < FLASH_SIZE - 24:
                continue
            kind, _tag, one, two, three = struct.unpack_from("<2H3I", flash, entry)
            if kind == TYPE_BLOCK_DEVICE:
                filesystem = (two, three)
            elif (kind, one) == (TYPE_STRING, ID_BOARD):
                text = max(two - FLASH_BASE, 0)
                board = flash[text : text + LONGEST_BOARD].partition(b"\0")[0].decode("ascii", "replace")
    return board, filesystem


def read_image(path: Path) -> bytes:
    """The checked content of an image file."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ImageError(f"cannot read {path}: {error.strerror}") from None
    try:
        check_image(content)
    except ImageError as problem:
        raise ImageError(f"{path}: {problem}") from None
    return content


# The cache


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "felt"


def cached_images(folder: Path, board: str | None = PICO_FILES) -> list[Path]:
    """The images in the cache, oldest version first; those of any board if `board` is None."""
    found = []
    for path in folder.glob("*.uf2"):
        match = FILE_NAME.fullmatch(path.name)
        if match and board in (None, match[1]):
            found.append((version_of(match[2]), path))
    return [path for _, path in sorted(found)]


def newest_image(folder: Path, board: str | None = PICO_FILES) -> Path:
    found = cached_images(folder, board)
    if not found:
        raise ImageError(
            f"there is no {PICO_FILES} image of MicroPython in {folder}; `felt pico-image` gets one, "
            "and --micropython names another"
        )
    return found[-1]


def file_name(version: str, date: str) -> str:
    return f"{PICO_FILES}-{date}-v{version}.uf2"


def keep(content: bytes, path: Path) -> None:
    """Write an image whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
    except OSError as error:
        raise ImageError(f"cannot write {path}: {error.strerror}") from None


def sha256_of(path: Path) -> str:
    """The SHA-256, by which people can see that they have the same image."""
    return hashlib.sha256(read_image(path)).hexdigest()


def take_file(source: Path, folder: Path) -> Path:
    """Put a downloaded image into the cache, under the name that it has at micropython.org."""
    content = read_image(source)
    image = check_image(content)
    if image.board != PICO_BOARD:
        raise ImageError(
            f"{source}: it is for the board {image.board or 'that it does not name'}; "
            f"take the one that is called {PICO_FILES}"
        )
    if not FILE_NAME.fullmatch(file_name(image.version, image.date)):
        raise ImageError(f"{source}: it is a preview, {image.version}; take a release")
    path = folder / file_name(image.version, image.date)
    keep(content, path)
    return path


def fetch_image(version: str, folder: Path) -> tuple[Path, bool]:
    """Where the image of this release is in the cache, and whether it had to be fetched."""
    if version not in RELEASES:
        raise ImageError(
            f"no release {version!r} is known; known are {', '.join(RELEASES)}. "
            f"Download any other yourself and give it with --file"
        )
    path = folder / file_name(version, RELEASES[version])
    if path.exists():
        read_image(path)
        return path, False
    url = FIRMWARE_URL + path.name
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT_S) as answer:
            content = answer.read(MOST_BYTES)
    except (OSError, http.client.HTTPException) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()  # the error is an open response too
        raise ImageError(
            f"cannot fetch {url} ({reason_of(error)}); download it on another machine and put it here as {path}"
        ) from None
    try:
        image = check_image(content)
    except ImageError as problem:
        raise ImageError(f"what came from {url} is not kept: {problem}") from None
    if (image.version, image.board) != (version, PICO_BOARD):
        raise ImageError(f"what came from {url} is not kept: it is {image.version} for the board {image.board}")
    keep(content, path)
    return path, True


def reason_of(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"the server says {error.code} {error.reason}"
    if isinstance(error, urllib.error.URLError):
        return str(getattr(error.reason, "strerror", None) or error.reason)
    return str(getattr(error, "strerror", None) or error or type(error).__name__)
