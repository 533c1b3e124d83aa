"""Who came and went, noticed in the log: every login, refusal and logout. A flood of refusals is only counted."""

from collections.abc import Callable
from typing import Any

from host.staff.throttle import Gate, folded
from host.table.service import TableService

REFUSALS_AT_ONCE = 20
REFUSAL_EVERY_S = 10


class LoginLog:
    """`clock` gives seconds that only grow."""

    def __init__(self, service: TableService, clock: Callable[[], float]) -> None:
        self.service = service
        self.clock = clock
        self.room = float(REFUSALS_AT_ONCE)
        self.since = clock()
        self.uncounted = 0

    def note(self, what: str, *fields: Any) -> None:
        """Have it noticed: `in`, `out` or `refused`, with its fields."""
        self.service.call(lambda: self.service.notice("staff", what, *fields))

    def refused(self, gate: Gate, name: str, address: str, why: str) -> None:
        """A name that nobody has is not written down: it may be a PIN in the wrong field."""
        now = self.clock()
        self.room = min(REFUSALS_AT_ONCE, self.room + (now - self.since) / REFUSAL_EVERY_S)
        self.since = now
        if self.room < 1:
            self.uncounted += 1
            return
        self.room -= 1
        member = gate.members.get(folded(name))
        who = member.name if member else "an unknown name"
        self.note("refused_again" if self.uncounted else "refused", who, address, why, self.uncounted)
        self.uncounted = 0
