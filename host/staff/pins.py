"""Staff and their PINs: which PINs are accepted, and how they are hashed and checked.

A PIN is never stored, only `scrypt$n$r$p$salt$hash`: costly to calculate, and different each time.
"""

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

SCHEME = "scrypt"
SALT_LENGTH = 16
HASH_LENGTH = 32
LEAST_DIGITS = 6
MOST_DIGITS = 12
MOST_MEMORY = 256 << 20  # bytes; a hash that asks for more could stop the host at every login
MOST_PASSES = 16
TWO_DIGITS = 2
# The PINs that people choose most often among those that the other rules allow.
COMMON = frozenset(("112233", "123321", "147258", "159753", "258456", "520131", "789456", "147852369"))


class Work(NamedTuple):
    """The parameters of scrypt: n and r decide how much memory a hash takes, all three how long."""

    n: int
    r: int
    p: int

    @property
    def memory(self) -> int:
        return 128 * self.n * self.r


# An attacker who has the hash of six digits can try them all, so each try takes a good part of a second.
WORK = Work(1 << 15, 8, 3)
LEAST_WORK = Work(1 << 14, 8, 1)


class BadHash(ValueError):
    """A hashed PIN that cannot be used; its text is the code of the reason, for host.words.config."""


class PinHash(NamedTuple):
    work: Work
    salt: bytes
    digest: bytes


@dataclass(frozen=True)
class StaffMember:
    name: str
    post: str
    pin: str  # hashed


# Which PINs are accepted


def pin_problem(pin: str) -> str | None:
    """Why this PIN is not accepted, in words; None if it is."""
    if not is_digits(pin) or not LEAST_DIGITS <= len(pin) <= MOST_DIGITS:
        return f"a PIN has {LEAST_DIGITS} to {MOST_DIGITS} digits and nothing else"
    if len(set(pin)) == 1:
        return "it repeats one digit"
    if len({(int(after) - int(before)) % 10 for before, after in pairwise(pin)}) == 1:
        return "its digits run in equal steps"
    if len(set(pin)) == TWO_DIGITS:
        return "it has only two different digits"
    if any(pin == pin[:length] * (len(pin) // length) for length in range(2, len(pin) // 2 + 1)):
        return "it repeats itself"
    if pin in COMMON:
        return "many people choose it, and so it is tried first"
    return None


def is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


# Hashing and checking


def hash_pin(pin: str, work: Work = WORK) -> str:
    """The PIN as it is stored. ValueError, in words, for a PIN that is not accepted."""
    problem = pin_problem(pin)
    if problem:
        raise ValueError(problem)
    salt = secrets.token_bytes(SALT_LENGTH)
    return spelled(PinHash(work, salt, scrypt_hash(pin, work, salt)))


def check_pin(pin: str, kept: str) -> bool:
    """Whether this is the PIN; takes as long if it is not."""
    wanted = read_hash(kept)
    return hmac.compare_digest(scrypt_hash(pin, wanted.work, wanted.salt), wanted.digest)


def decoy(work: Work) -> str:
    """A hash that no PIN has, and that takes as long to check as others."""
    return spelled(PinHash(work, secrets.token_bytes(SALT_LENGTH), secrets.token_bytes(HASH_LENGTH)))


def scrypt_hash(pin: str, work: Work, salt: bytes) -> bytes:
    room = work.memory + 128 * work.r * (work.p + 2)  # OpenSSL's own count of what it takes
    return hashlib.scrypt(
        pin.encode("utf-8", "surrogatepass"),
        salt=salt,
        n=work.n,
        r=work.r,
        p=work.p,
        maxmem=room,
        dklen=HASH_LENGTH,
    )


def spelled(kept: PinHash) -> str:
    n, r, p = kept.work
    return f"{SCHEME}${n}${r}${p}${encoded(kept.salt)}${encoded(kept.digest)}"


def encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def read_hash(kept: str) -> PinHash:
    """The parts of a hashed PIN of any strength; BadHash if they are not right."""
    parts = kept.split("$")
    if len(parts) != 6 or parts[0] != SCHEME:
        raise BadHash("pin_form")
    if not all(is_digits(part) and len(part) <= 9 for part in parts[1:4]):
        raise BadHash("pin_numbers")
    work = Work(*(int(part) for part in parts[1:4]))
    if work.n < 2 or work.n & (work.n - 1) or work.r < 1 or work.p < 1:
        raise BadHash("pin_work")
    if work.memory > MOST_MEMORY or work.p > MOST_PASSES:
        raise BadHash("pin_costly")
    try:
        salt, digest = (decoded(part) for part in parts[4:])
    except (NotBase64, ValueError):
        salt = digest = b""
    if len(salt) < SALT_LENGTH or len(digest) != HASH_LENGTH:
        raise BadHash("pin_damaged")
    return PinHash(work, salt, digest)


def decoded(text: str) -> bytes:
    data = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if encoded(data) != text:
        raise ValueError("not in the one spelling")
    return data


def is_weak(kept: PinHash) -> bool:
    """Whether an attacker who has the hash would find the PIN too soon."""
    return any(has < least for has, least in zip(kept.work, LEAST_WORK))
