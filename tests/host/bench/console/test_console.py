"""A table by hand: keys in, records in words and the LED picture out, on the rules core and on the firmware."""

import os
import pty
import re
import select
import struct
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from host.bench.console.console import Console
from host.bench.runs import PASSED, attempt
from host.bench.scenario import read_scenario
from host.bench.targets import open_target
from host.cli import felt
from host.commands.bench_console import plain_table
from host.display.display import Display
from host.display.sinks import NoSink
from host.pico.digests import firmware_digest
from host.rules.catalogue import book_ids
from shared.rules.rulebook import load
from tests.support.tables import LUCKY, MBS, NON_COMMISSION, POKER, ROYAL

# A round of each book by keys alone: what is bet, how the hands come up.
ROUND = ["o", "b", "b", "c", "D"]
ROUNDS = {
    MBS: [*ROUND, "h", "h", "r", "s"],
    ROYAL: [*ROUND, "h", "h", "r", "s"],
    LUCKY: [*ROUND, "r", "s"],
    NON_COMMISSION: [*ROUND, "r", "s"],
    POKER: [*ROUND, "p", "p", "r", "s"],
}


class Desk:
    """A console and what it has said."""

    def __init__(self, name="cpython", book=MBS, seed=1, **config):
        self.lines = []
        self.config = plain_table(load(book)) | config
        target = open_target(name, firmware_digest())
        self.console = Console(target, self.config, self.lines.append, Display(NoSink(), (128, 32)), seed)
        self.console.start()

    def press(self, *keys):
        """What the last of these keys made it say; a key may have words behind it."""
        for key in keys:
            before = len(self.lines)
            self.console.press(key[0], key[1:])
        return "\n".join(self.lines[before:])

    @property
    def state(self):
        return self.console.round.state


@pytest.mark.parametrize("book", book_ids())
def test_keys_alone_play_a_round_of_every_book_alike_on_core_and_firmware(book):
    told = []
    for name in ("core", "cpython"):
        desk = Desk(name, book)
        desk.press(*ROUNDS[book])
        assert desk.state == "settled", desk.lines
        assert desk.console.problems == 0
        told.append([line for line in desk.lines if not line.endswith("chips were declared, none lie there")])
    core, firmware = told
    assert core == firmware
    assert any(re.match(r"    P1's .* on box 1 .*staked.*\[", line) for line in core)


def test_what_is_possible_is_what_the_rules_allow_now():
    desk = Desk("core")
    assert "o open" in desk.lines[0]
    assert " c close" not in desk.lines[0]
    told = desk.press("o")
    assert told.splitlines()[-1].startswith("betting: b bet, ")
    for key in desk.console.possible():
        assert desk.console.is_possible(key)
    told = desk.press("j")
    assert "not at this table: the rules core has no keys, devices" in told
    told = desk.press("@")
    assert told.startswith("nothing happened: there is no key '@'; betting: b bet, ")
    listed = desk.press("?")
    assert " * b  bet                    {player} bets {cents} {wager} on {box}" in listed
    assert "   s  settle                 settle" in listed
    assert "not here: the rules core has neither" in listed
    listed = Desk().press("?")
    assert "   k  press a key            the {key} key is pressed" in listed
    assert "      the flash breaks" in listed


def test_a_refusal_names_its_paragraph_and_changes_nothing():
    for name in ("core", "cpython"):
        desk = Desk(name)
        assert "    refused: no more bets" in desk.press("c")
        assert "[" in desk.press("s")
        assert desk.state == "idle"
        assert desk.console.problems == 0


def test_unread_and_foreign_cards_a_misdeal_and_a_ruling():
    desk = Desk()
    assert "the unread card is for box 1" in desk.press("o", "b", "c", "u")
    assert "is for box 1" in desk.press("d KS")
    told = desk.press("x")
    assert "foreign card" in told
    assert desk.state in ("frozen", "void")
    desk = Desk("cpython", ROYAL)
    assert "the round is void" in desk.press("o", "b", "c", "D", "M")
    desk = Desk()
    desk.press("o", "b", "c", "D", "i something else")
    assert desk.state == "frozen"
    assert "the round is void" in desk.press("V")


def test_a_jam_is_a_fault_until_it_is_freed_and_cleared():
    desk = Desk()
    assert "fault, shuffler jam. The shuffler is jammed." in desk.press("o", "b", "j")
    assert desk.console.round.state == "betting"
    assert "the shuffler says FREE" in desk.press("J")
    assert "fault cleared by pit supervisor: shuffler jam" in desk.press("X")
    assert "there is no fault to be cleared" in desk.press("X")
    desk.press("c", "D")
    assert desk.state == "playing"


def test_other_devices_and_cables():
    desk = Desk()
    assert "fault, shuffler silent" in desk.press("3 shuffler", "w 5")
    assert "fault, reader silent" in desk.press("3", "w 5")
    assert "fault cleared" in desk.press("4 shuffler", "4", "X")
    assert "fault cleared" in desk.press("X")
    assert "fault, shuffler door" in desk.press("j DOOR OPEN")
    assert "not at this table: the sensors of a small table have no cable" in desk.press("5")
    desk = Desk(boxes=3)  # on the full board
    assert "fault, sensors unplugged" in desk.press("5")
    assert "> the sensors are plugged in" in desk.press("6")
    desk = Desk(device="shoe")
    assert "not at this table: this table has no shuffler" in desk.press(": the shuffler says JAM")
    assert "is for box 1" in desk.press("o", "b", "c", "d")


def test_keys_and_chips_of_the_table():
    desk = Desk()
    assert "the round is betting" in desk.press("k")
    assert "> the open key is pressed" in desk.lines
    assert "key (supervisor, exposed," in desk.press("k toaster")
    assert desk.press("+") == "> chips are laid: main on box 1"
    desk.press("+ 2 three pictures", "b")
    assert "box 2, three pictures: chips lie there, none were declared" in desk.press("k")
    assert "box 1, main" not in "".join(desk.lines[-4:])
    assert "there is no sensor of main on box 9" in desk.press("+ 9")
    assert "> 5 seconds pass" in desk.press("w 5")
    assert "after this key type any of: count" in desk.press("w long")


def test_a_power_cut_in_a_round_is_an_event_and_between_rounds_a_restart():
    desk = Desk()
    told = desk.press("P")
    assert told.startswith("> the power fails\n    the table started (power)")
    assert "power was gone" not in told
    assert "the table started (power)" in desk.press("Q")
    told = desk.press("o", "b", "c", "d", "P")
    assert "the table started (power)" in told
    assert "the round waits for shift manager: ruling, power failure" in told
    desk = Desk("core")
    assert "power failure" in desk.press("o", "b", "c", "d", "P")


def test_a_host_that_is_away_tells_nothing_and_comes_back_to_what_it_missed():
    desk = Desk()
    for gone, back in ("90", "78"):
        desk.press("o", "b", gone)
        assert "nothing happened: nobody can tell the table anything" in desk.press("c")
        assert desk.press("k close") == "> the close key is pressed"  # nobody is told
        assert "the round is closed" in desk.press(back)
        desk.press("D", "h", "h", "r", "s")
        assert desk.state == "settled"
    assert desk.console.problems == 0


def test_a_phrase_in_full():
    desk = Desk("core")
    assert "> P1 bets $25 tie on box 2, standing" in desk.press("o", ": P1 bets $25 tie on box 2, standing")
    assert 'nothing happened: "P1 sings" is not a phrase' in desk.press(": P1 sings")


def test_a_record_that_the_rules_would_not_write_is_said():
    desk = Desk()
    desk.press("o")
    real = desk.console.target.keeper.take
    desk.console.target.keeper.take = lambda record: real(record) or (["another"], record)
    assert "the product: the host plays it again, and it is ['another'], not" in desk.press("c")
    assert desk.console.problems == 1


@pytest.mark.parametrize("name", ["core", "cpython"])
def test_what_was_done_is_saved_as_a_scenario_that_plays(name, tmp_path):
    desk = Desk(name)
    desk.press(*ROUNDS[MBS], "o", "b P7", "c", "u", "D", "P", "V", "s")
    path = tmp_path / "by-hand.toml"
    assert "plays to the same records" in desk.press(f"={path} betting")
    scenario = read_scenario(path)
    assert [step.words for step in scenario.steps if step.words == "place your bets"] == ["place your bets"] * 2
    for target in ("core", "cpython"):
        assert attempt(scenario, open_target(target, firmware_digest())).outcome == PASSED
    assert "is there already" in desk.press(f"={path} betting")
    assert "one of card elsewhere, before the report" in desk.press(f"={path} nonsense")
    assert "cannot be written: No such file" in desk.press(f"={tmp_path}/no/such.toml betting")


# -- the command


def felt_console(lines, *arguments):
    done = CliRunner().invoke(felt, ["bench", "console", *map(str, arguments)], input=lines)
    assert not done.exception or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def test_lines_on_standard_input_are_keys_with_words():
    status, told = felt_console("# a round\n\no\nb P2 box 2\nq\nc\n", "mbs-three", "--no-picture")
    assert status == 0
    assert "> P2 bets $25 main on box 2\n" in told
    assert "no more bets" not in told
    assert felt_console("o\n", "--target", "cpython", "--firmware", "here")[0] == 0  # the input ends
    status, told = felt_console(b"o\n\xff\xfe\n")
    assert (status, "there is no key" in told) == (0, True)
    status, told = felt_console("", "--target", "cpython")
    assert (status, "say which firmware this tests" in told) == (2, True)


def test_the_led_picture_is_drawn_whenever_it_changes():
    _, told = felt_console("o\nb\nc\nw\n", "mbs-three")
    pictures = [line for line in told.splitlines() if set(line) & set("▀▄█")]
    assert len(pictures) > 3 * 10
    assert not any("\x1b" in line for line in pictures)
    assert max(map(len, pictures)) <= 128


def test_the_table_of_a_scenario(tmp_path):
    file = next(Path("tests/scenarios/rws-three-card-poker-2").glob("*.toml"))
    status, told = felt_console("o\nb\n", file, "--no-picture")
    assert (status, "> P1 bets $" in told) == (0, True)
    bad = tmp_path / "bad.toml"
    bad.write_text("title = 1")
    assert felt_console("", bad)[0] == 2
    assert felt_console("", "no such game")[0] == 2


# -- a real terminal


class Screen:
    """`felt` in a terminal of its own, and a person in front of it."""

    def __init__(self, columns, lines, *arguments):
        self.process, self.file = pty.fork()
        if not self.process:
            import fcntl
            import termios

            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
            program = Path(sys.executable).with_name("felt")
            os.environ["TERM"] = "xterm-256color"
            os.execv(program, [str(program), "bench", "console", *arguments])
        self.said = ""

    def wait_for(self, words):
        end = time.monotonic() + 60
        while words not in self.said and time.monotonic() < end:
            if select.select([self.file], [], [], 0.2)[0]:
                try:
                    self.said += os.read(self.file, 65536).decode(errors="replace")
                except OSError:
                    break  # it has ended
        assert words in self.said, self.said[-2000:]
        self.said = self.said.partition(words)[2]

    def type(self, keys):
        os.write(self.file, keys.encode())

    def status(self):
        _, status = os.waitpid(self.process, 0)
        os.close(self.file)
        return os.waitstatus_to_exitcode(status)


@pytest.mark.slow
@pytest.mark.parametrize("way_out", ["q", "\x03", "\x04"])
def test_in_a_terminal_each_key_counts_at_once_and_the_picture_stays_on_top(way_out):
    screen = Screen(130, 40, "mbs-three")
    screen.wait_for("\x1b[18;40r")  # what scrolls begins below the picture
    screen.wait_for("▀")
    screen.wait_for("idle: o open")
    screen.type("o")
    screen.wait_for("> place your bets")
    screen.type("b")
    screen.wait_for("P1 bets $25 main on box 1?")  # what Enter would do
    screen.type("P2 2x\x7f\r")  # with a mistake that is rubbed out
    screen.wait_for("> P2 bets $25 main on box 2")
    screen.type("b\x1b")
    screen.wait_for("nothing happened")
    screen.type("\x1b[A")  # an arrow is no key
    screen.wait_for("there is no key")
    screen.type("c")
    screen.wait_for("the round is closed")
    screen.type(way_out)
    screen.wait_for("\x1b[r")  # the whole terminal scrolls again
    assert screen.status() == 0


@pytest.mark.slow
def test_a_small_terminal_has_the_picture_among_the_lines():
    screen = Screen(80, 24, "mbs-three")
    screen.wait_for("▀")
    screen.wait_for("idle: o open")
    screen.type("q")
    assert screen.status() == 0
    assert "\x1b[r" not in screen.said
