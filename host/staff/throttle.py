"""Checks PINs and slows down guessing. Time is passed in, as seconds that only grow.

After five wrong PINs for one name it waits a minute, after each further one twice as long, up to an hour. The
same holds after twenty from one address, for any names; if the owner of a name then logs in, the wrong PINs for
it no longer count. An unknown name is treated like any other and takes as long, so that nobody learns which names
exist. With a file all of this survives a restart, except unknown names: one of them may be a PIN.
"""

import hmac
import ipaddress
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from threading import BoundedSemaphore, Lock
from typing import NamedTuple

from host.staff.pins import MOST_DIGITS, WORK, StaffMember, check_pin, decoy, is_digits, read_hash
from host.staff.throttle_file import DamagedTries, Kept, TriesBook

NAME_TRIES = 5
ADDRESS_TRIES = 20
FIRST_WAIT_S = 60
LONGEST_WAIT_S = 3600
FORGET_S = 86_400  # after so long without a wrong PIN
MOST_KEPT = 1000  # unknown names, and addresses
MOST_WAITING = 4  # logins at once; each takes memory, and the others wait
NETWORK_BITS = 64  # of an IPv6 address; one machine owns all addresses below them

WRONG = "name or PIN is wrong"
NOBODY = ""  # in the file, for names and addresses that are not written down
BUSY = "too many people are logging in; try again in a moment"


class Admission(NamedTuple):
    """`member` is logged in; or nobody is, `refusal` says why, and `wait_s` when to try again."""

    member: StaffMember | None
    refusal: str = ""
    wait_s: int = 0


@dataclass
class Tries:
    """The wrong PINs of one name or one address, counted by the other."""

    wrong: Counter[str] = field(default_factory=Counter)
    last_at: float = 0
    shut_until: float = 0

    def note(self, by: str, now: float, free: int) -> None:
        if now - self.last_at > FORGET_S:
            self.wrong.clear()
        self.wrong[by] += 1
        self.last_at = now
        over = self.wrong.total() - free
        if over >= 0:
            # The shift is bounded, because no wait is longer than the longest.
            self.shut_until = now + min(LONGEST_WAIT_S, FIRST_WAIT_S << min(over, 10))

    def forgive(self, by: str, free: int) -> None:
        del self.wrong[by]
        if self.wrong.total() < free:
            self.shut_until = 0

    def counts(self, now: float) -> bool:
        """Whether any of it still matters."""
        return bool(self.wrong) and now - self.last_at <= FORGET_S

    def kept(self, now: float, named: Collection[str]) -> Kept:
        """What is written to the file; keys that are not among `named` are counted and not written."""
        wrong: Counter[str] = Counter()
        for by, count in self.wrong.items():
            wrong[by if by in named else NOBODY] += count
        return Kept(wrong, max(0, now - self.last_at), max(0, self.shut_until - now))

    def wait(self, now: float) -> int:
        return max(0, -int(-(self.shut_until - now) // 1))


class Gate:
    """`book` keeps the tries over a restart; `now` is when it is opened."""

    def __init__(
        self,
        staff: Iterable[StaffMember],
        check: Callable[[str, str], bool] = check_pin,
        book: TriesBook | None = None,
        now: float = 0,
    ) -> None:
        self.members = {folded(member.name): member for member in staff}
        self.check = check
        self.names: dict[str, Tries] = {name: Tries() for name in self.members}
        self.strangers: dict[str, Tries] = {}
        self.addresses: dict[str, Tries] = {}
        self.secret = secrets.token_bytes(32)
        works = sorted({read_hash(member.pin).work for member in self.members.values()}) or [WORK]
        self.decoys = [decoy(work) for work in works]
        self.turn = Lock()
        self.waiting = BoundedSemaphore(MOST_WAITING)
        self.book = book
        if book:
            self.recall(book, now)

    def recall(self, book: TriesBook, now: float) -> None:
        """Continue where the last run stopped. Damage may be an attack, so then nobody has tries left."""
        try:
            names, addresses = book.read()
        except DamagedTries:
            names = {name: Kept({NOBODY: NAME_TRIES}, 0, FIRST_WAIT_S) for name in self.names}
            addresses = {}
        self.names |= {name: remembered(kept, now) for name, kept in names.items() if name in self.names}
        for network, kept in list(addresses.items())[-MOST_KEPT:]:
            self.addresses[network] = remembered(kept, now)

    def keep(self, now: float) -> None:
        if self.book:
            names = {name: tries.kept(now, ()) for name, tries in self.names.items() if tries.counts(now)}
            addresses = {
                network: tries.kept(now, self.members)
                for network, tries in self.addresses.items()
                if tries.counts(now)
            }
            self.book.write(names, addresses)

    def enter(self, name: str, pin: str, address: str, now: float) -> Admission:
        """Check a name and a PIN. Takes a good part of a second; safe to call from several threads."""
        if not self.waiting.acquire(blocking=False):
            return Admission(None, BUSY, 1)
        try:
            # One at a time, so that no guess is made before the one before it is counted.
            with self.turn:
                return self.try_one(folded(name), pin, network_of(address), now)
        finally:
            self.waiting.release()

    def try_one(self, name: str, pin: str, network: str, now: float) -> Admission:
        by_name, by_address = self.tries_of(name), tries_in(self.addresses, network)
        wait = max(by_name.wait(now), by_address.wait(now))
        if wait:
            return Admission(None, f"too many wrong PINs; try again in {time_text(wait)}", wait)
        member = self.members.get(name)
        kept = member.pin if member else self.decoy_of(name)
        readable = pin if is_digits(pin) and len(pin) <= MOST_DIGITS else ""
        if self.check(readable, kept) and member:
            by_name.wrong.clear()
            by_address.forgive(name, ADDRESS_TRIES)
            self.keep(now)
            return Admission(member)
        by_name.note(network, now, NAME_TRIES)
        by_address.note(name, now, ADDRESS_TRIES)
        self.keep(now)
        wait = max(by_name.wait(now), by_address.wait(now))
        return Admission(None, f"{WRONG}; try again in {time_text(wait)}" if wait else WRONG, wait)

    def tries_of(self, name: str) -> Tries:
        """Those of staff are always kept, so that a flood of other names cannot push them out."""
        return self.names.get(name) or tries_in(self.strangers, name)

    def decoy_of(self, name: str) -> str:
        """If hashes differ in cost, an unknown name still costs the same each time."""
        mark = hmac.digest(self.secret, name.encode("utf-8", "surrogatepass"), "sha256")
        return self.decoys[mark[0] % len(self.decoys)]


def remembered(kept: Kept, now: float) -> Tries:
    return Tries(Counter(kept.wrong), now - kept.age_s, now + min(kept.wait_s, LONGEST_WAIT_S))


def tries_in(kept: dict[str, Tries], key: str) -> Tries:
    """The tries of a key, which becomes the newest; the oldest is dropped when there are too many."""
    tries = kept.pop(key, None) or Tries()
    kept[key] = tries
    if len(kept) > MOST_KEPT:
        del kept[next(iter(kept))]
    return tries


def folded(name: str) -> str:
    return " ".join(name[:200].split()).casefold()


def network_of(address: str) -> str:
    try:
        read = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:100]
    if isinstance(read, ipaddress.IPv6Address):
        if read.ipv4_mapped:
            return str(read.ipv4_mapped)
        return str(ipaddress.ip_network((int(read), NETWORK_BITS), strict=False))
    return str(read)


def time_text(seconds: int) -> str:
    if seconds < 120:
        return "1 second" if seconds == 1 else f"{seconds} seconds"
    return f"{-(-seconds // 60)} minutes"
