"""The digest by which rules are known: of their source files, each with its path."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import PurePosixPath

from shared.link.manifest import digest_of


def source_digest(sources: Mapping[PurePosixPath, bytes]) -> str:
    digest = sha256()
    for path in sorted(sources):
        digest.update(path.as_posix().encode() + b"\0" + sources[path] + b"\0")
    return digest_of(digest)
