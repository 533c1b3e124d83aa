"""Checkpoints: the host signs where a table's chain stands, so that cutting the end off a log shows.

    ["checkpoint",3,"T1",1200,"9f2c0a4be17d55aa0c31d2e4",1790000000,"61b7...","a0c3..."]*0f3a77c1

One line each in a file that only grows: its serial number, the table, the number and seal of the last record,
the time in seconds since 1970, the digest of the checkpoint before it, and the Ed25519 signature over all of
that. One is due every hour in which records came, and at every clean stop. All are kept.
"""

from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from host.log.folder_storage import append_durably, sync_folder
from host.words.failures import Failure
from shared.journal.seal import SEAL_LENGTH
from shared.journal.wire import BadLine, decode, encode, spell
from shared.values import is_hex, is_int, is_text

NAME = "checkpoint"
EVERY_SECONDS = 3600
DIGEST_LENGTH = 16
SIGNATURE_LENGTH = 64
NO_DIGEST = "0" * 2 * DIGEST_LENGTH


class BadCheckpoint(Failure, ValueError):
    """A checkpoint file that cannot be trusted or written."""


class Checkpoint(NamedTuple):
    serial: int
    table: str
    number: int
    seal: bytes
    seconds: int
    before: str
    signature: str

    def signed(self) -> bytes:
        """What the signature is over."""
        fields = [NAME, self.serial, self.table, self.number, self.seal.hex(), self.seconds, self.before]
        return spell(fields).encode()

    def line(self) -> bytes:
        fields = [self.serial, self.table, self.number, self.seal.hex(), self.seconds, self.before]
        return encode([NAME, *fields, self.signature])

    def digest(self) -> str:
        return sha256(self.line()).digest()[:DIGEST_LENGTH].hex()


def read_line(line: bytes) -> Checkpoint:
    try:
        message = decode(line)
    except BadLine as problem:
        raise BadCheckpoint("log.checkpoint_damaged", damage=str(problem)) from None
    if len(message) != 8 or message[0] != NAME:
        raise BadCheckpoint("log.no_checkpoint")
    serial, table, number, seal, seconds, before, signature = message[1:]
    fits = (
        all(is_int(value) and value >= 0 for value in (serial, number, seconds))
        and is_text(table, 40)
        and is_hex(seal, SEAL_LENGTH)
        and is_hex(before, DIGEST_LENGTH)
        and is_hex(signature, SIGNATURE_LENGTH)
    )
    if not fits:
        raise BadCheckpoint("log.checkpoint_form")
    return Checkpoint(serial, table, number, bytes.fromhex(seal), seconds, before, signature)


def read_checkpoints(path: Path, table: str, signer: Ed25519PublicKey) -> list[Checkpoint]:
    """All checkpoints of a file, each checked; BadCheckpoint if any of them cannot be trusted."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadCheckpoint("log.checkpoints_unread", path=path, reason=error.strerror) from None
    checkpoints: list[Checkpoint] = []
    for number, line in enumerate(content.split(b"\n")[:-1], 1):
        try:
            checkpoint = read_line(line)
            check(checkpoint, checkpoints[-1] if checkpoints else None, table, signer)
        except BadCheckpoint as problem:
            raise BadCheckpoint("log.checkpoint_line", path=path, line=number, failure=problem.args) from None
        checkpoints.append(checkpoint)
    return checkpoints


def check(checkpoint: Checkpoint, before: Checkpoint | None, table: str, signer: Ed25519PublicKey) -> None:
    try:
        signer.verify(bytes.fromhex(checkpoint.signature), checkpoint.signed())
    except InvalidSignature:
        raise BadCheckpoint("log.checkpoint_signature") from None
    if checkpoint.table != table:
        raise BadCheckpoint("log.checkpoint_table", owner=checkpoint.table, table=table)
    if checkpoint.serial != (before.serial + 1 if before else 1):
        raise BadCheckpoint("log.checkpoint_turn", serial=checkpoint.serial)
    if checkpoint.before != (before.digest() if before else NO_DIGEST):
        raise BadCheckpoint("log.checkpoint_follows")
    if before and checkpoint.number < before.number:
        raise BadCheckpoint("log.checkpoint_back", before=before.number, number=checkpoint.number)
    if before and checkpoint.number == before.number and checkpoint.seal != before.seal:
        raise BadCheckpoint("log.checkpoint_twice", number=checkpoint.number)


class CheckpointBook:
    """The checkpoints of one table, and the key that signs new ones."""

    def __init__(self, path: Path, table: str, signer: Ed25519PrivateKey) -> None:
        self.path = path
        self.table = table
        self.signer = signer
        self.all = read_checkpoints(path, table, signer.public_key()) if path.exists() else []
        if path.exists():
            drop_torn_line(path)

    def is_due(self, number: int, seconds: int) -> bool:
        """Whether to sign now: an hour is over and there is something new. A clock that jumps only adds some."""
        if not self.all:
            return number > 0
        last = self.all[-1]
        return number > last.number and not 0 <= seconds - last.seconds < EVERY_SECONDS

    def sign(self, number: int, seal: bytes, seconds: int) -> Checkpoint:
        last = self.all[-1] if self.all else None
        if last and number < last.number:
            raise BadCheckpoint("log.signed_further", last=number, number=last.number)
        if last and number == last.number and seal != last.seal:
            raise BadCheckpoint("log.signed_other", number=number)
        before = last.digest() if last else NO_DIGEST
        unsigned = Checkpoint(len(self.all) + 1, self.table, number, seal, seconds, before, "")
        checkpoint = unsigned._replace(signature=self.signer.sign(unsigned.signed()).hex())
        try:
            if self.path.exists():
                drop_torn_line(self.path)  # which an earlier failure may have left
            append_durably(self.path, checkpoint.line())
            sync_folder(self.path.parent)
        except OSError as error:
            with suppress(OSError):
                drop_torn_line(self.path)
            raise BadCheckpoint("log.checkpoints_unwritten", path=self.path, reason=error.strerror) from None
        self.all.append(checkpoint)
        return checkpoint


def drop_torn_line(path: Path) -> None:
    """A line that a power cut or a full disk tore was never a checkpoint; anything else is left alone."""
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    torn = content[whole:]
    if not torn:
        return
    beginning = b'["%s",' % NAME.encode()
    if torn[: len(beginning)] != beginning[: len(torn)]:
        raise BadCheckpoint("log.not_checkpoints", path=path)
    with path.open("r+b") as file:
        file.truncate(whole)
