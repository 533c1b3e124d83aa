"""What `felt run` shows in a terminal: whatever its size, the news is in view and no line is cut off."""

import io
from types import SimpleNamespace
from typing import Any

import pytest

from host.commands.run import open_displays
from host.display.config import DisplayConfig
from host.display.table_view import TableView
from host.log.reading import RoundRow
from host.log.schema import NotALog
from host.table.screen import MESSAGES, TOO_SMALL, FittingDisplay, Screen
from host.table.service import Change

HEADING = [
    "Table SIM, rws-lucky-three-pictures-2. Ctrl-C stops it.",
    "The page is at http://127.0.0.1:8080, for this machine only.",
    "Log in there as dealer, pit_supervisor, pit_manager, shift_manager; the PIN is 376118.",
]
ALARM = (
    "ALARM: record 4711 is not what the rules make of the events before it: 'win' where the core makes 'lose'. "
    "It was logged as it came. Stop the table and call for help."
)
NEWS = [f"The table was lost and is joined again, time {number}; nothing is missing." for number in range(1, 8)]
SIZES = [(80, 24), (100, 30), (140, 45), (60, 20)]


class FakeTerminal(io.StringIO):
    def isatty(self):
        return True


def rounds(count):
    return [
        RoundRow(number, 1, 2, "game", 0, 1, "settled", 33500, 42500, -9000, number % 3)
        for number in range(count, 0, -1)
    ]


@pytest.fixture
def screen_of(tmp_path, monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(Screen, "look_at_log", lambda self: None)

    def make(columns, lines, count=12):
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("LINES", str(lines))
        screen = Screen(FakeTerminal(), tmp_path / "log", HEADING)
        screen.rounds = rounds(count)
        FittingDisplay(screen, (128, 32)).step(TableView(title="Three Pictures"), 0)
        return screen

    return make


def say(screen, *said, alarm=False):
    told: list[Any] = [SimpleNamespace(code="alarm" if alarm else "up", words=words) for words in said]
    screen.passed(SimpleNamespace(), Change([], told), 0)


def shown(screen):
    """The lines as the terminal would have them; what is beyond its edges is not there."""
    drawn = screen.console.render_lines(screen.layout(), pad=False)
    lines = ["".join(part.text for part in line).rstrip() for line in drawn]
    columns, height = screen.console.size
    assert len(lines) <= height, "nothing below the edge"
    assert all(len(line) <= columns for line in lines)
    return lines


def text(lines):
    return " ".join(" ".join(lines).split())


def rows(lines):
    return [line for line in lines if "settled" in line]


@pytest.mark.parametrize(("columns", "lines"), SIZES)
def test_the_newest_message_and_an_alarm_are_in_view_whatever_came_since(screen_of, columns, lines):
    screen = screen_of(columns, lines)
    say(screen, ALARM, alarm=True)
    say(screen, *NEWS)
    found = text(shown(screen))
    assert ALARM in found
    assert NEWS[-1] in found
    assert found.index(ALARM) < found.index(NEWS[-1])
    assert HEADING[-1] in found


@pytest.mark.parametrize(("columns", "lines"), SIZES)
def test_rounds_fill_what_room_is_left(screen_of, columns, lines):
    screen = screen_of(columns, lines)
    say(screen, *NEWS)
    found = shown(screen)
    assert NEWS[-1] in text(found)
    assert rows(found)[0].split()[0] == "12", "the newest first"
    free = lines - len(found)
    assert free == 0 or len(rows(found)) == 12
    if len(rows(found)) < 4:
        drawn = [line.strip() for line in screen.picture if screen.picture_width <= columns]
        assert found.count("") == drawn.count(""), "no blank line takes a round's place"


def test_in_a_tiny_terminal_it_is_the_alarm_that_is_in_view(screen_of):
    screen = screen_of(40, 12)
    say(screen, ALARM, alarm=True)
    say(screen, *NEWS)
    assert ALARM in text(shown(screen))


def test_a_large_terminal_shows_all_with_room_between(screen_of):
    screen = screen_of(140, 45)
    say(screen, *NEWS)
    found = shown(screen)
    assert len(rows(found)) == 12
    assert found.count("") >= 3
    told = [number for number in range(1, 8) if NEWS[number - 1] in text(found)]
    assert told == [4, 5, 6, 7]
    assert max(map(len, found)) > 80, "the display in its full width"
    assert TOO_SMALL not in text(found)


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (100, 30)])
def test_the_display_is_drawn_smaller_in_a_terminal_too_narrow_for_it(screen_of, columns, lines):
    screen = screen_of(columns, lines)
    assert (screen.picture_width, len(screen.picture)) == (64, 16)
    found = shown(screen)
    assert all(line.rstrip() in found for line in screen.picture), "whole"


def test_where_the_display_has_no_room_it_is_said(screen_of):
    for columns, lines in ((60, 40), (80, 20)):
        found = shown(screen_of(columns, lines))
        assert TOO_SMALL in found
        assert not [line for line in found if "█" in line or "▀" in line]


def test_the_picture_follows_a_terminal_that_is_made_larger_or_smaller(screen_of, tmp_path):
    screen = screen_of(80, 24)
    display = FittingDisplay(screen, (128, 32))
    screen.start()
    for columns, lines, width in ((140, 45, 128), (80, 24, 64), (128, 30, 128)):
        screen.console.size = (columns, lines)
        written = len(screen.stream.getvalue())
        display.step(TableView(title="Three Pictures"), 100)
        screen.passed(SimpleNamespace(), Change([], []), 100)
        assert screen.picture_width == width
        assert "\x1b[2J" in screen.stream.getvalue()[written:], "what was wrapped goes"
        shown(screen)
    screen.close()


def test_only_the_terminals_own_picture_is_drawn_smaller(screen_of, tmp_path):
    screen = screen_of(80, 24)
    sizes = {}
    for kind in ("terminal", "png"):
        config: Any = SimpleNamespace(
            display=DisplayConfig(kind=kind, size="128x32", file=str(tmp_path / "display.png"))
        )
        for display in open_displays(config, screen):
            display.step(TableView(title="Three Pictures"), 0)
            sizes[kind] = display.shown.size if display.shown else None
    assert sizes == {"terminal": (64, 32), "png": (128, 32)}


def test_older_alarms_come_before_older_news_and_no_more_than_there_is_room_for(screen_of):
    screen = screen_of(140, 45)
    alarms = [f"ALARM: number {number}" for number in range(6)]
    say(screen, *alarms, alarm=True)
    say(screen, *NEWS)
    found = [line[10:] for line in shown(screen) if "ALARM" in line or "joined again" in line]
    assert found == [alarms[5], NEWS[6], alarms[4], alarms[3]]
    assert len(found) == MESSAGES


# -- a log that cannot be read


class Logs:
    """Stands in for the log's reader: what it gives, or fails with."""

    def __init__(self):
        self.answer: Any = rounds(2)

    def __call__(self, path):
        return self

    def __enter__(self):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self

    def __exit__(self, *problem):
        pass

    def last_rounds(self, count):
        return self.answer


def test_a_log_that_cannot_be_read_is_said_once_and_the_rounds_stay(tmp_path, monkeypatch):
    logs = Logs()
    monkeypatch.setattr("host.table.screen.LogReader", logs)
    stream = io.StringIO()
    screen = Screen(stream, tmp_path / "log", HEADING)
    screen.start()
    said = len(stream.getvalue())
    logs.answer = NotALog("log.damaged_record", path="t1.log", number=3)
    for _ in range(3):
        screen.look_at_log()
    words = "The last rounds cannot be shown: t1.log: record 3 is damaged; `felt audit` says more\n"
    assert stream.getvalue()[said:] == words
    assert [row.round for row in screen.rounds] == [2, 1]
    logs.answer = rounds(3)
    screen.look_at_log()
    assert [row.round for row in screen.rounds] == [3, 2, 1]
    logs.answer = NotALog("log.damaged_record", path="t1.log", number=3)
    screen.look_at_log()
    assert stream.getvalue()[said:].count("damaged") == 2, "a new change is said again"


def test_a_log_that_cannot_be_read_at_the_start_does_not_keep_the_table_from_running(tmp_path, monkeypatch):
    logs = Logs()
    logs.answer = NotALog("log.damaged_record", path="t1.log", number=3)
    monkeypatch.setattr("host.table.screen.LogReader", logs)
    stream = io.StringIO()
    Screen(stream, tmp_path / "log", HEADING).start()
    assert "damaged" in stream.getvalue()
