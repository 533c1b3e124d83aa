"""What `felt run` shows in its terminal: the LED display as it looks, announcements, and the last rounds.

All of it fits the terminal, whose size is looked at each time: alarms and the newest message are always in view,
then comes the display, and rounds fill what room is left. Where there is no terminal to draw in, rounds and
messages come as plain lines.
"""

import os
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from PIL import Image
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from host.display.display import Display
from host.display.picture import SIZES
from host.display.table_view import TableView
from host.display.terminal import NO_COLOUR, TerminalSink, colours_of
from host.log.reading import LogReader, RoundRow
from host.log.schema import NotALog
from host.table.service import Change, TableService
from host.words.link import announcement_words
from host.words.money import dollars
from shared.round.states import SETTLED, VOID

ROUNDS = 12
MESSAGES = 4
LEAST_ROUNDS = 2  # which older messages leave room for
SOME_ROUNDS = 4  # for which blank lines make room
TOO_SMALL = "A larger terminal shows the display here."
ENDED = (SETTLED, VOID)


class Message(NamedTuple):
    words: str
    is_alarm: bool


class Screen:
    """A sink for the display's pictures, and an observer of the table."""

    def __init__(self, stream: TextIO, log: Path, heading: list[str]) -> None:
        self.stream = stream
        self.log = log
        self.heading = heading
        self.is_terminal = stream.isatty() and os.environ.get("TERM", "") not in ("", "dumb")
        colours = colours_of(os.environ, self.is_terminal) if self.is_terminal else NO_COLOUR
        self.painter = TerminalSink(stream, colours, in_place=False)
        self.console = Console(file=stream, highlight=False)
        self.picture: list[str] = []
        self.picture_width = 0
        self.rounds: list[RoundRow] = []
        self.alarms: deque[Message] = deque(maxlen=MESSAGES)  # the newest first, as below
        self.messages: deque[Message] = deque(maxlen=MESSAGES)
        self.told: set[int] = set()  # rounds that plain lines have told
        self.log_problem: tuple[Any, ...] | None = None
        self.size = (0, 0)  # of the terminal for which it is drawn
        self.live: Live | None = None

    def start(self) -> None:
        self.look_at_log()
        self.told = {row.round for row in self.rounds}
        if self.is_terminal:
            self.size = self.console.size
            self.live = Live(self.layout(), console=self.console, auto_refresh=False, vertical_overflow="crop")
            self.live.start()
        else:
            print("\n".join(self.heading), file=self.stream, flush=True)

    def close(self) -> None:
        if self.live:
            self.live.stop()
            self.live = None

    # -- the display's sink

    def show(self, image: Image.Image) -> None:
        self.picture = self.painter.lines(image)
        self.picture_width = image.width
        self.refresh()

    # -- the table's observer

    def passed(self, service: TableService, change: Change, now: int) -> None:
        """By now the display has drawn what changed."""
        for announcement in change.told:
            self.say(announcement.words, announcement.code == "alarm")
        has_ended = any(one.record[0] == "state" and one.record[1] in ENDED for one in change.records)
        if has_ended:
            self.look_at_log()
        if not self.live:
            self.tell_rounds()
        elif self.console.size != self.size:
            self.size = self.console.size
            self.console.clear()  # what was drawn has been wrapped or cut
            self.refresh()
        elif has_ended or change.told:
            self.refresh()

    def say(self, words: str, is_alarm: bool = False) -> None:
        message = Message(f"{time.strftime('%H:%M:%S')}  {words}", is_alarm)
        (self.alarms if is_alarm else self.messages).appendleft(message)
        if not self.is_terminal:
            print(words, file=self.stream, flush=True)

    def look_at_log(self) -> None:
        """A log that cannot be read at the moment leaves the rounds as they were."""
        try:
            with LogReader(self.log) as reader:
                self.rounds = reader.last_rounds(ROUNDS)
            problem = None
        except NotALog as failure:
            problem = failure.args
        if problem and problem != self.log_problem:
            self.say(announcement_words("rounds", (problem,)))
        self.log_problem = problem

    def tell_rounds(self) -> None:
        for row in reversed(self.rounds):
            if row.ended is not None and row.round not in self.told:
                self.told.add(row.round)
                print("\n".join([*self.picture, round_words(row)]), file=self.stream, flush=True)

    # -- the layout

    def refresh(self) -> None:
        if self.live:
            self.live.update(self.layout(), refresh=True)

    def layout(self) -> Group:
        """No more lines than the terminal has. Should that go wrong, it is rounds that fall off the end."""
        height = self.console.height
        heading = self.wrapped("\n".join(self.heading), "bold")
        needed = sum(len(self.lines_of(message)) for message in self.foremost())
        picture = self.picture_lines(height - len(heading) - max(needed, 1))
        room = height - len(heading) - len(picture)
        messages = self.message_lines(room)
        room -= len(messages)
        parts: list[Sequence[Text | Table]] = [part for part in (heading, picture, messages) if part]
        has_gaps = room >= len(parts) + 1 + min(len(self.rounds), SOME_ROUNDS)
        parts.append(self.round_lines(room - len(parts) if has_gaps else room))
        lines: list[Text | Table] = []
        for part in parts:
            if lines and part and has_gaps:
                lines.append(Text())
            lines += part
        return Group(*lines)

    def wrapped(self, words: str, style: str) -> list[Text]:
        return list(Text(words, style=style, overflow="fold").wrap(self.console, self.console.width))

    def picture_lines(self, room: int) -> list[Text]:
        if not self.picture:
            return []
        if self.picture_width > self.console.width or len(self.picture) > room:
            return self.wrapped(TOO_SMALL, "dim")[: max(room, 0)]
        return [Text.from_ansi(line, no_wrap=True, overflow="crop") for line in self.picture]

    def lines_of(self, message: Message) -> list[Text]:
        return self.wrapped(message.words, "bold red" if message.is_alarm else "dim")

    def foremost(self) -> list[Message]:
        """What must be seen: the newest alarm, and the newest of the other messages."""
        return [kept[0] for kept in (self.alarms, self.messages) if kept]

    def message_lines(self, room: int) -> list[Text]:
        """The foremost, and of the older ones what leaves room for rounds; alarms before others, newest first."""
        foremost = self.foremost()
        older = [*list(self.alarms)[1:], *list(self.messages)[1:]][: MESSAGES - len(foremost)]
        for_rounds = 1 + min(len(self.rounds), LEAST_ROUNDS) if self.rounds else 0
        lines = [line for message in foremost for line in self.lines_of(message)]
        for message in older:
            more = self.lines_of(message)
            if len(lines) + len(more) > room - for_rounds:
                break
            lines += more
        return lines[:room]

    def round_lines(self, room: int) -> list[Table]:
        """As many of the last rounds as fit, one a line."""
        rounds = self.rounds[: max(room - 1, 0)]
        if not rounds:
            return []
        table = Table(box=None, pad_edge=False, show_edge=False)
        for heading in ("round", "outcome", "staked", "returned", "house", ""):
            justify = "left" if heading in ("outcome", "") else "right"
            table.add_column(heading, justify=justify, style="none", no_wrap=True)
        for row in rounds:
            table.add_row(str(row.round), *round_cells(row))
        return [table]


class FittingDisplay(Display):
    """The display in the terminal: the smallest there is while the terminal is too narrow for it."""

    def __init__(self, screen: Screen, size: tuple[int, int]) -> None:
        super().__init__(screen, size)
        self.screen = screen
        self.wanted = size

    def step(self, view: TableView, now: int) -> None:
        is_narrow = self.screen.is_terminal and self.screen.console.width < self.wanted[0]
        self.size = min(SIZES) if is_narrow else self.wanted
        super().step(view, now)


def round_cells(row: RoundRow) -> tuple[str, str, str, str, str]:
    irregular = f"irregularities: {row.irregularities}" if row.irregularities else ""
    money = [dollars(cents) if cents is not None else "" for cents in (row.staked, row.returned, row.house_net)]
    return (row.outcome or "running", money[0], money[1], money[2], irregular)


def round_words(row: RoundRow) -> str:
    outcome, staked, returned, house, irregular = round_cells(row)
    money = f", staked {staked}, returned {returned}, house {house}" if staked else ""
    return f"round {row.round}: {outcome}{money}" + (f" ({irregular})" if irregular else "")
