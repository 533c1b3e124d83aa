"""Troubles in scenarios: what the table makes of one must be named, and what is not so is told."""

import re

import pytest
from click.testing import CliRunner

from host.bench.firmware_target import FirmwareTarget
from host.bench.phrases import TROUBLE_PHRASES, read_step
from host.bench.picos import CPythonPicos
from host.bench.runs import FAILED, PASSED, PRODUCT, SKIPPED, attempt
from host.bench.scenario import read_scenario
from host.bench.targets import open_target
from host.bench.troubles import looks
from host.bench.troubles.acts import ACTS
from host.bench.troubles.phrases import ONLY_A_TABLE, told
from host.cli import felt
from host.pico.digests import firmware_digest
from tests.support.documents import ROOT

DEVICE = (ROOT / "firmware" / "DEVICE.md").read_text()

SMALL = """
title = "A jam"
book = "rws-three-pictures-4"
kind = "device fault"
paragraphs = ["3.12.1"]
readings = []

[table]
boxes = 2
device = "shuffler"

[round]
steps = [
  "place your bets",
  "P1 bets $25 initial on box 1",
  "no more bets",
%s
]

[expect]
because = "No card has come."
state = "closed"
"""
JAM = ("the shuffler says JAM", "=> recorded: fault shuffler jam none")


def scenario_of(tmp_path, *steps, **changes):
    path = tmp_path / "small.toml"
    text = SMALL % "\n".join(f'  "{step}",' for step in steps)
    for old, new in changes.values():
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)
    return read_scenario(path)


def play(tmp_path, *steps, target=None, **changes):
    target = target or open_target("cpython", firmware_digest())
    played = attempt(scenario_of(tmp_path, *steps, **changes), target)
    return played.outcome, played.words


def test_what_is_named_in_its_order_passes(tmp_path):
    cleared = ("fault cleared: shuffler jam", "=> recorded: cleared shuffler jam pit supervisor")
    assert play(tmp_path, *JAM, *cleared) == (PASSED, "")


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        (["the shuffler says JAM"], 'the table recorded "fault shuffler jam none", which no line names'),
        (["the shuffler says JAM", "look: the LED shows a fault"], "which no line names"),
        ([JAM[0], "=> recorded: fault shuffler door none"], 'the table recorded "fault shuffler jam none"'),
        ([*JAM, JAM[1]], "the table recorded nothing more"),
        (["the shuffler says FREE", "=> recorded: device shuffler JAM"], '"device shuffler FREE"'),
        (["the open key is pressed"], "what happened: refused: place your bets; not possible now"),
        (["the open key is pressed", "=> refused: 5.7"], "refused by 3.4, expected 5.7"),
        (["a command that nobody knows"], '"refused juggle no such command juggle", which no line names'),
    ],
)
def test_what_is_not_named_or_not_so_is_told(tmp_path, steps, why):
    outcome, words = play(tmp_path, *steps)
    assert outcome == FAILED
    assert why in words


@pytest.mark.parametrize(
    ("look", "why"),
    [
        ("the LED shows that all is well", r"the LED is lit \d+ ms into the pattern of idle"),
        ("the LED shows no host", r"the LED is lit \d+ ms into the pattern of no link"),
        ("the shuffler was told SHUFFLE", "the shuffler was told DEAL 3"),
    ],
)
def test_a_look_that_shows_something_else_is_a_difference(tmp_path, look, why):
    outcome, words = play(tmp_path, f"look: {look}")
    assert outcome == FAILED
    assert re.fullmatch(why, words)


def test_a_shoe_that_is_open_is_not_locked(tmp_path):
    shoe = {"device": ('device = "shuffler"', 'device = "shoe"\nreader = "angel_eye"')}
    steps = ["1 seconds pass", "look: the shoe is open"]
    assert play(tmp_path, *steps, **shoe) == (PASSED, "")
    assert play(tmp_path, "1 seconds pass", "look: the shoe is locked", **shoe) == (FAILED, "the shoe is open")


def test_the_patterns_of_the_led_are_those_of_the_manual():
    """Told apart from the firmware, so that a fault there is one."""
    words = {
        "fault": "three flashes a second",
        "no_link": "two short flashes every second",
        "round": "| on |",
        "idle": "one short flash every two seconds",
    }
    assert set(words) == set(looks.PATTERNS)
    assert all(told in DEVICE for told in words.values())
    flashes = {mood: len(lit) * 1000 / period for mood, (period, lit) in looks.PATTERNS.items()}
    assert (round(flashes["fault"]), flashes["no_link"], flashes["idle"]) == (3, 2, 0.5)


@pytest.mark.parametrize(
    ("step", "why"),
    [
        ("the shoe reports standby", "this table has no Angel Eye shoe"),
        ("the reader sends an error", "the reader of this table has no fixed frames"),
        ("the sensors are unplugged", "the sensors of a small table have no cable"),
        ("a wire of the sensors breaks", "the sensors of a small table have a wire each"),
        ("chips are laid: initial on box 9", "there is no sensor of initial on box 9"),
        ("look: the shoe is locked", "only a shoe has a lock"),
        (
            "the power fails at write 90 of: the dealer shows",
            "the flash of this target takes fewer writes for that",
        ),
    ],
)
def test_what_a_table_cannot_do_is_skipped_with_words(tmp_path, step, why):
    assert play(tmp_path, step) == (SKIPPED, why)


def test_what_only_some_targets_can_do_is_skipped_with_words(tmp_path):
    target = open_target("micropython", firmware_digest())
    try:
        assert play(tmp_path, "the next write to flash fails", target=target) == (
            SKIPPED,
            "nothing of this target can weaken",
        )
    finally:
        target.close()


def test_the_rules_core_plays_no_troubles(tmp_path):
    assert play(tmp_path, *JAM, target=open_target("core", "")) == (SKIPPED, ONLY_A_TABLE)
    path = scenario_of(tmp_path, *JAM).path
    done = CliRunner().invoke(felt, ["round", "--scenario", str(path)])
    assert done.exit_code == 0
    assert done.output.startswith(f"needs a table: {path}: {ONLY_A_TABLE}; `felt bench run {path} --target")


class Forgetful(FirmwareTarget):
    """A table that loses the last record of every trouble."""

    def be_troubled(self, event):
        return super().be_troubled(event)[:-1]


class Talkative(FirmwareTarget):
    """A table that settles of its own accord."""

    def be_troubled(self, event):
        return [*super().be_troubled(event), ["event", 1, ["settle"]]]


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (Forgetful, "the rules core says: the round is revealed; the table: nothing more"),
        (Talkative, "; the table: nothing more"),  # of all that a settlement causes
    ],
)
def test_the_table_makes_of_a_trouble_what_the_rules_core_makes_of_it(tmp_path, kind, why):
    steps = ["cards 2C 3D 4S 5C 6D 7S", "the reveal key is pressed"]
    target = kind("cpython", CPythonPicos(), firmware_digest())
    played = attempt(scenario_of(tmp_path, *steps), target)
    assert (played.outcome, played.cause) == (FAILED, PRODUCT)
    assert why in played.words


# -- at the end of every scenario


class Amnesiac(FirmwareTarget):
    """A table whose flash forgets what it was given last."""

    def switch_on(self):
        pieces = self.pico.table.storage.pages
        for page in pieces.values():
            page[200:] = bytes(len(page) - 200)
        super().switch_on()


def test_a_table_that_does_not_stand_after_a_power_cut_as_before_differs(tmp_path):
    target = Amnesiac("cpython", CPythonPicos(), firmware_digest())
    steps = ["cards 2C 3D 4S", "=> the round is dealing"]
    outcome, _ = play(tmp_path, *steps, target=target, end=("closed", "dealing"))
    assert outcome == FAILED


def test_flash_must_have_what_the_host_has(tmp_path):
    class Swapped(FirmwareTarget):
        def check_end(self, apply):
            self.log.lines[-1], self.log.lines[-2] = self.log.lines[-2:]
            super().check_end(apply)

    target = Swapped("cpython", CPythonPicos(), firmware_digest())
    outcome, words = play(tmp_path, target=target)
    assert outcome == FAILED
    assert re.search(r"flash has the records 1 to \d+, the host \d+, and not the same|the link of cpython", words)


# -- words


def test_every_act_has_a_phrase_and_does_something():
    assert {phrase.event for phrase in TROUBLE_PHRASES} == set(ACTS)
    assert all(callable(act) and act.__module__ != "builtins" for act in ACTS.values())


def test_records_are_told_in_words():
    assert told(["fault", "card_count", "3 2 2"]) == "fault card count 3 2 2"
    assert told(["late", "KS", True]) == "late KS yes"
    assert told(["sensed", 2, "three_pictures", False, None]) == "sensed 2 three pictures no none"
    assert told(["mismatch", "rules", "0" * 32, "1" * 32]) == "mismatch rules # #"
    assert told(["mismatch", "log_ends", 7, 9]) == "mismatch log ends"
    refused = ["refused", ["command", "clear"], None, "no_such_fault", ["x"]]
    assert told(refused) == "refused clear no such fault x"
    assert read_step("the power fails at write 3 of: cards KS ??")[0]["step"] == [
        {"event": "card", "card": "KS"},
        {"event": "card", "card": "??"},
    ]
