"""From what staff ask for on the page to the command that the table gets.

All of it runs in the table's thread, on the round as the log has it.
"""

from concurrent.futures import Future
from typing import Any, NamedTuple

from host.page.console import Order, moment_now, order_of
from host.page.state import undo_now
from host.page.undo import event_for, foreseen
from host.table.service import NOT_CONFIRMED, Answer, TableService
from host.words.page import PAGE
from shared.round.events import plain_event, read_event
from shared.round.round import Round

UNDO = "undo"
# What can be foreseen without learning anything of cards that lie face down.
FORESEEN = (
    *("irregularity", "all_told", "ruling", "cards_counted", "withdraw", "counted", "chips_gone", "choices_done"),
    "restrict",
)


class Wanted(NamedTuple):
    """What was asked for; `number` is the record that an undo is about, `moment` what was looked at."""

    action: str
    fields: dict[str, Any]
    number: int | None
    post: str
    moment: str = ""


class Orders:
    def __init__(self, service: TableService) -> None:
        self.service = service
        self.undoing: int | None = None  # the slip whose undo was sent; it is on view until records come

    def round(self) -> Round:
        round_ = self.service.keeper.round
        if round_ is None:
            raise ValueError(PAGE["nothing_known"])
        return round_

    def prepare(self, wanted: Wanted) -> Order:
        """The command; ValueError, in words, if it cannot be one."""
        round_ = self.round()
        if wanted.action != UNDO:
            return order_of(round_, wanted.action, wanted.fields, wanted.post)
        undo, slip = undo_now(self.service.keeper), self.service.keeper.activity.slip
        if undo is None or slip is None or slip.number != wanted.number or slip.number == self.undoing:
            raise ValueError(PAGE["moved_on"])
        return Order("event", plain_event(*read_event(event_for(undo, wanted.post))), slip.number)

    def send(self, wanted: Wanted, who: str) -> "Future[Answer]":
        """Have the table do what was confirmed, if it still stands as it did when that was explained.

        Its answer comes as the future's result.
        """
        order = self.prepare(wanted)
        number, activity = order.undoes, self.service.keeper.activity
        now = moment_now(self.round(), wanted.action, activity.asked, activity.placed)
        moment = wanted.moment if number is not None else now
        must_stand_still = moment or number is not None
        if moment != wanted.moment or (must_stand_still and self.service.is_moving()):
            raise ValueError(PAGE["moved_on"])
        sent = self.service.command(who, order.command, order.arguments)
        if number is not None:
            self.undoing = number
            # Even if the answer comes late, and nobody waits for it any more.
            sent.add_done_callback(lambda answered: self.undo_answered(who, number, answered.result()))
        return sent

    def undo_answered(self, who: str, number: int, answer: Answer) -> None:
        if answer.done:
            self.service.notice("undo", who, number, number=number)
        elif answer.code != NOT_CONFIRMED:
            self.undoing = None  # it was surely not done

    def foresee(self, wanted: Wanted) -> list[dict[str, str]]:
        """What it would cause, in words; nothing where that could tell of cards face down."""
        command, event, _ = self.prepare(wanted)
        is_safe = command == "event" and event[0] in FORESEEN
        return foreseen(self.round(), event) if is_safe else []
