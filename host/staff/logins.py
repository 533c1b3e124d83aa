"""Who is logged in: random tokens that expire, of which only digests are kept. Time is passed in.

Seconds must only grow, as those of a monotonic clock do: by a clock that people set, a login might never end.
"""

import hmac
import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from host.staff.pins import StaffMember

IDLE_S = 15 * 60
WHOLE_S = 12 * 3600
MOST_OF_ONE = 8  # one for each tab that somebody has open
MOST = 64
TOKEN_BYTES = 32
LONGEST_TOKEN = 200


class Opened(NamedTuple):
    """What the browser is given: the token, and the change token that every form sends back."""

    token: str
    change: str


@dataclass
class Login:
    member: StaffMember
    opened_at: float
    used_at: float

    def is_over(self, now: float) -> bool:
        is_idle = now - self.used_at >= IDLE_S
        return is_idle or now - self.opened_at >= WHOLE_S or now < self.opened_at


class Logins:
    def __init__(self) -> None:
        self.secret = secrets.token_bytes(32)
        self.by_digest: dict[bytes, Login] = {}  # the least recently used first

    def open(self, member: StaffMember, now: float) -> Opened:
        """A new login; if there are too many, the one that was not used for longest ends."""
        self.end_expired(now)
        own = [digest for digest, login in self.by_digest.items() if login.member.name == member.name]
        if len(own) >= MOST_OF_ONE:
            del self.by_digest[own[0]]
        elif len(self.by_digest) >= MOST:
            del self.by_digest[next(iter(self.by_digest))]
        token = secrets.token_urlsafe(TOKEN_BYTES)
        digest = digest_of(token)
        self.by_digest[digest] = Login(member, now, now)
        return Opened(token, self.change_token(digest))

    def find(self, token: str, now: float, is_use: bool = True) -> Login | None:
        """The login of a token, if it is still open. What a page asks by itself is no use of it."""
        digest = digest_of(token)
        login = self.by_digest.get(digest)
        if login is None:
            return None
        if login.is_over(now):
            del self.by_digest[digest]
            return None
        if is_use:
            login.used_at = max(login.used_at, now)
            self.by_digest[digest] = self.by_digest.pop(digest)
        return login

    def find_for_change(self, token: str, change: str, now: float, is_use: bool = True) -> Login | None:
        """The login, if the change token is its own: a page of somebody else's does not know that."""
        wanted = self.change_token(digest_of(token))
        if not hmac.compare_digest(wanted.encode(), change[:LONGEST_TOKEN].encode("utf-8", "surrogatepass")):
            return None
        return self.find(token, now, is_use)

    def change_of(self, token: str, now: float) -> str | None:
        """The change token to write into a page of this login; None if it is over."""
        return self.change_token(digest_of(token)) if self.find(token, now, is_use=False) else None

    def close(self, token: str) -> None:
        """Log out. A token that is unknown is no mistake."""
        self.by_digest.pop(digest_of(token), None)

    def end_expired(self, now: float) -> None:
        self.by_digest = {key: one for key, one in self.by_digest.items() if not one.is_over(now)}

    def change_token(self, digest: bytes) -> str:
        return hmac.digest(self.secret, b"change" + digest, "sha256").hex()


def digest_of(token: str) -> bytes:
    return sha256(token[:LONGEST_TOKEN].encode("utf-8", "surrogatepass")).digest()
