"""The manifest: which files were put on a table, sealed by the table's key, so that it can check itself.

    ["manifest",1,"T1","small","0011...","2233...",2]*0f3a77c1
    ["file","main.py",312,"61b7..."]*...
    ["file","shared/rules/cards.mpy",390,"a0c3..."]*...
    ["end",2,"5b1e..."]*...

The first line names the table, the board, the digests of the rules' sources and of the link's declarations, and
how many files follow, each with its size and SHA-256 cut to 16 bytes. The seal is over "felt manifest " and all
bytes before it.
"""

from binascii import hexlify
from collections import namedtuple
from hashlib import sha256

from shared.journal.wire import BadLine, decode, encode

VERSION = 1
DIGEST_LENGTH = 16
FOLDER = "felt"
MANIFEST_FILE = "felt/manifest"
KEY_FILE = "felt/key"
SEALED = b"felt manifest "  # comes before the bytes that the seal covers


class BadManifest(ValueError):
    """A manifest that cannot be believed, or that no longer fits: why, as a code for host.words.faults."""


# `files` are (path, size, digest).
Manifest = namedtuple("Manifest", ("table", "board", "rules", "messages", "files"))


def manifest_content(sealer, manifest):
    """The file's bytes."""
    files = manifest.files
    lines = [encode(["manifest", VERSION] + list(manifest[:-1]) + [len(files)])]
    for path, size, digest in files:
        lines.append(encode(["file", path, size, digest]))
    before = b"".join(lines)
    return before + sealer.line(["end", len(files)], SEALED, before)


def digest_of(digest):
    """A finished SHA-256 in the form that manifests and hellos have."""
    return hexlify(digest.digest()[:DIGEST_LENGTH]).decode()


def content_digest(content):
    return digest_of(sha256(content))


def read_manifest(sealer, content):
    """The manifest in a file's bytes, if this table's key sealed it; else BadManifest."""
    lines = content.split(b"\n")
    try:
        if len(lines) < 3 or lines[-1]:
            raise BadManifest("manifest_cut_off")
        messages = [decode(line) for line in lines[:-1]]
    except BadLine as problem:
        raise BadManifest("manifest_line " + str(problem))
    before = content[: len(content) - len(lines[-2]) - 1]
    if not sealer.has_sealed(lines[-2], SEALED, before):
        raise BadManifest("manifest_not_sealed")
    first = messages[0]
    if first[0] != "manifest" or first[1] != VERSION:
        raise BadManifest("manifest_version")
    files = [(message[1], message[2], message[3]) for message in messages[1:-1]]
    if len(files) != first[6]:
        raise BadManifest("manifest_lacks_files")
    return Manifest(first[2], first[3], first[4], first[5], files)
