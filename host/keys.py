"""Keys in files that only their owner may read: a table's own key, and the host's signing key.

A table's key is made for that table alone; there is none to fall back on.
"""

import secrets
from pathlib import Path
from typing import NamedTuple

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from host.files import write_new
from host.words.failures import Failure
from shared.journal.seal import _KEY_LENGTH, Sealer
from shared.values import is_text

FIRST_WORD = "felt-table-key"
LONGEST_KEY = 10_000  # bytes of a file


class KeyFileError(Failure, ValueError):
    """A key file that cannot be used."""


class TableKey(NamedTuple):
    table: str
    key: bytes

    @property
    def sealer(self) -> Sealer:
        return Sealer(self.key)

    @property
    def content(self) -> bytes:
        """What its file holds."""
        return f"{FIRST_WORD} {self.table} {self.key.hex()}\n".encode()


def write_private(path: Path, content: bytes) -> None:
    try:
        write_new(path, content)
    except FileExistsError:
        raise KeyFileError("keys.exists", path=path) from None
    except OSError as error:
        raise KeyFileError("keys.not_written", path=path, reason=error.strerror) from None


def check_table_name(table: str) -> None:
    if not is_text(table, 40) or " " in table:
        raise KeyFileError("keys.table_name")


def make_table_key(path: Path, table: str) -> TableKey:
    check_table_name(table)
    made = TableKey(table, secrets.token_bytes(_KEY_LENGTH))
    write_private(path, made.content)
    return made


def read_table_key(path: Path) -> TableKey:
    words = read_some(path).decode("ascii", "replace").split()
    if len(words) != 3 or words[0] != FIRST_WORD:
        raise KeyFileError("keys.not_table_key", path=path)
    refuse_if_public(path)
    try:
        key = bytes.fromhex(words[2])
        Sealer(key)
    except ValueError:
        raise KeyFileError("keys.damaged", path=path) from None
    return TableKey(words[1], key)


def make_signer(path: Path) -> Path:
    """A new signing key, and beside it the public key by which anyone can check what it signed."""
    public = path.with_suffix(".pub")
    if public == path:
        raise KeyFileError("keys.public_name", path=path)
    if public.exists():
        raise KeyFileError("keys.exists", path=public)
    key = Ed25519PrivateKey.generate()
    write_private(path, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return public


def read_signer(path: Path) -> Ed25519PrivateKey:
    content = read_some(path)
    try:
        key = serialization.load_pem_private_key(content, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFileError("keys.not_signer", path=path)
    refuse_if_public(path)
    return key


def read_public(path: Path) -> Ed25519PublicKey:
    """The public key in a file, or that of the private key in it."""
    content = read_some(path)
    try:
        key = serialization.load_pem_public_key(content)
    except (ValueError, UnsupportedAlgorithm):
        return read_signer(path).public_key()
    if not isinstance(key, Ed25519PublicKey):
        raise KeyFileError("keys.not_public", path=path)
    return key


def read_some(path: Path) -> bytes:
    """As much of a file as a key can have; some files never end."""
    try:
        with path.open("rb") as file:
            return file.read(LONGEST_KEY)
    except OSError as error:
        raise KeyFileError("keys.unreadable", path=path, reason=error.strerror) from None


def key_problem(kind: str, path: Path, table: str | None) -> KeyFileError | None:
    """What is wrong with the key of a table, or with that of its host's signer."""
    try:
        owner = read_table_key(path).table if kind == "table" else read_signer(path) and table
    except KeyFileError as problem:
        if not is_missing(path):
            return problem
        return KeyFileError(f"keys.{kind}_missing", path=path, table=table or "NAME")
    if table and owner != table:
        return KeyFileError("keys.other_table", path=path, owner=owner, table=table)
    return None


def is_missing(path: Path) -> bool:
    """Whether there is nothing. A file that cannot be examined is reported when it is read."""
    try:
        path.stat()
    except OSError as error:
        return isinstance(error, FileNotFoundError | NotADirectoryError)
    return False


def refuse_if_public(path: Path) -> None:
    """Asked of a file only once it is known to be a key: nobody should make another one private for that."""
    try:
        is_public = path.stat().st_mode & 0o077
    except OSError as error:
        raise KeyFileError("keys.unreadable", path=path, reason=error.strerror) from None
    if is_public:
        raise KeyFileError("keys.exposed", path=path)
