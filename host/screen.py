"""What `felt run` shows in its terminal: the LED display as it looks, the last rounds, and news for people.

Where there is no terminal to draw in, rounds and messages come as plain lines.
"""

import os
import time
from collections import deque
from pathlib import Path
from typing import TextIO

from PIL import Image
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from host.display.terminal import NO_COLOUR, TerminalSink, colours_of
from host.log.reading import LogReader, RoundRow
from host.money import dollars
from host.service import Change, TableService
from shared.states import SETTLED, VOID

ROUNDS = 6
MESSAGES = 4
ENDED = (SETTLED, VOID)


class Screen:
    """A sink for the display's pictures, and an observer of the table."""

    def __init__(self, stream: TextIO, log: Path, heading: list[str]) -> None:
        self.stream = stream
        self.log = log
        self.heading = heading
        self.is_terminal = stream.isatty() and os.environ.get("TERM", "") not in ("", "dumb")
        colours = colours_of(os.environ, self.is_terminal) if self.is_terminal else NO_COLOUR
        self.painter = TerminalSink(stream, colours, in_place=False)
        self.picture: list[str] = []
        self.rounds: list[RoundRow] = []
        self.messages: deque[str] = deque(maxlen=MESSAGES)
        self.told: set[int] = set()  # rounds that plain lines have told
        self.live: Live | None = None

    def start(self) -> None:
        self.look_at_log()
        self.told = {row.round for row in self.rounds}
        if self.is_terminal:
            console = Console(file=self.stream, highlight=False)
            self.live = Live(self.layout(), console=console, auto_refresh=False, vertical_overflow="crop")
            self.live.start()
        else:
            print("\n".join(self.heading), file=self.stream, flush=True)

    def close(self) -> None:
        if self.live:
            self.live.stop()
            self.live = None

    # -- the display's sink

    def show(self, image: Image.Image) -> None:
        self.picture = [self.painter.line(image, y) for y in range(0, image.height, 2)]
        self.refresh()

    # -- the table's observer

    def passed(self, service: TableService, now: int) -> None:
        """By now the display has drawn what changed."""
        if not self.live:
            self.tell_rounds()

    def changed(self, service: TableService, change: Change) -> None:
        for words in change.said:
            self.say(words)
        if any(record.record[0] == "state" and record.record[1] in ENDED for record in change.records):
            self.look_at_log()
        elif not change.said:
            return
        self.refresh()

    def say(self, words: str) -> None:
        self.messages.append(f"{time.strftime('%H:%M:%S')}  {words}")
        if not self.live:
            print(words, file=self.stream, flush=True)

    def look_at_log(self) -> None:
        with LogReader(self.log) as reader:
            self.rounds = reader.last_rounds(ROUNDS)

    def tell_rounds(self) -> None:
        for row in reversed(self.rounds):
            if row.ended is not None and row.round not in self.told:
                self.told.add(row.round)
                print("\n".join([*self.picture, round_words(row)]), file=self.stream, flush=True)

    def refresh(self) -> None:
        if self.live:
            self.live.update(self.layout(), refresh=True)

    def layout(self) -> Group:
        picture = Text.from_ansi("\n".join(self.picture), no_wrap=True, overflow="crop")
        table = Table(box=None, pad_edge=False, show_edge=False)
        for heading in ("round", "outcome", "staked", "returned", "house", ""):
            table.add_column(heading, justify="left" if heading in ("outcome", "") else "right", style="none")
        for row in self.rounds:
            table.add_row(str(row.round), *round_cells(row))
        messages = Text("\n".join(self.messages), style="dim", overflow="fold")
        heading = Text("\n".join(self.heading), style="bold", overflow="fold")
        return Group(heading, Text(), picture, Text(), table, Text(), messages)


def round_cells(row: RoundRow) -> tuple[str, str, str, str, str]:
    irregular = f"irregularities: {row.irregularities}" if row.irregularities else ""
    money = [dollars(cents) if cents is not None else "" for cents in (row.staked, row.returned, row.house_net)]
    return (row.outcome or "running", money[0], money[1], money[2], irregular)


def round_words(row: RoundRow) -> str:
    outcome, staked, returned, house, irregular = round_cells(row)
    money = f", staked {staked}, returned {returned}, house {house}" if staked else ""
    return f"round {row.round}: {outcome}{money}" + (f" ({irregular})" if irregular else "")
