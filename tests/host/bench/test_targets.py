"""Every scenario plays on the firmware as on the rules core: on CPython, and on real MicroPython."""

from typing import Any

import pytest

from host.bench import outcomes as firmware
from host.bench.firmware_target import FirmwareTarget
from host.bench.outcomes import CANNOT_PLAY, LEFT_OUT, CannotPlay, Differs
from host.bench.paragraphs import acted_on
from host.bench.picos import CPythonPicos
from host.bench.runs import FAILED, INSTRUMENT, PASSED, PRODUCT, SKIPPED, attempt, beside_core
from host.bench.scenario import find_files, read_scenario
from host.bench.targets import open_target
from host.pico.digests import firmware_digest
from host.rules.catalogue import book_ids
from host.wasm import MicroPythonError
from shared.round.events import EVENTS
from shared.round.records import TABLE_RECORDS
from tests.support.documents import ROOT, rows_of
from tests.support.tables import LUCKY, MBS, NON_COMMISSION

FOLDER = ROOT / "tests" / "scenarios"
README = (ROOT / "host" / "bench" / "README.md").read_text()
BETS = [
    {"event": "open"},
    {"event": "bet", "player": "P1", "wager": "main", "cents": 2500, "box": 1},
    {"event": "close"},
]
# Scenarios that no table can play, and why.
TOO_MANY_BOXES = "the table refuses the configuration: too_few_sensors ['boxes', 8]"  # no board has nine
NOT_AT_A_TABLE = {
    "rws-lucky-three-pictures-2/settle-ranking.toml": TOO_MANY_BOXES,
    "rws-three-pictures-4/settle-ranking.toml": TOO_MANY_BOXES,
    "mbs-royal-three-pictures-2/closing-power-failure.toml": firmware.NOT_RUNNING,
    "mbs-three-pictures-2/closing-new-day.toml": firmware.NOT_RUNNING,
}
# On MicroPython the journal lies in plain segments, each of whose writes is one operation.
FEWER_WRITES = "the flash of this target takes fewer writes for that"
NOT_ON_PLAIN_SEGMENTS = {
    "mbs-royal-three-pictures-2/power-torn-card-kept.toml": FEWER_WRITES,
    "rws-three-pictures-4/power-torn-bet.toml": FEWER_WRITES,
    "rws-three-pictures-4/power-torn-opening.toml": FEWER_WRITES,
    "rws-three-pictures-4/power-torn-settlement.toml": FEWER_WRITES,
    "rws-three-pictures-4/journal-goes-round.toml": FEWER_WRITES,
    "rws-three-pictures-4/flash-weak.toml": "nothing of this target can weaken",
}


def cards(*words):
    return [{"event": "card", "card": word} for word in words]


def open_one(name="cpython") -> Any:
    return open_target(name, firmware_digest())


def play(target, events, game=MBS, **config):
    """What the last event caused on a target, compared with the rules core all along."""
    config = {"game": game, "boxes": 1} | config
    target.start(config)
    apply = beside_core(target, config, read_scenario(find_files([FOLDER / game])[0]).book_module())
    return [apply(event) for event in events][-1]


# -- every scenario


def play_all(target, book, not_played):
    wrong = []
    for path in find_files([FOLDER / book]):
        played = attempt(read_scenario(path), target)
        why = not_played.get(path.relative_to(FOLDER).as_posix())
        if (played.outcome, played.words) != ((SKIPPED, why) if why else (PASSED, "")):
            wrong.append(f"{path.name}: {played.outcome}: {played.words}")
    target.close()
    assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("book", book_ids())
def test_every_scenario_on_the_core_and_on_the_firmware(book):
    play_all(open_one(), book, NOT_AT_A_TABLE)


@pytest.mark.slow
@pytest.mark.parametrize("book", book_ids())
def test_every_scenario_on_the_core_and_on_real_micropython(book):
    play_all(open_one("micropython"), book, NOT_AT_A_TABLE | NOT_ON_PLAIN_SEGMENTS)


@pytest.mark.parametrize("book", book_ids())
def test_every_paragraph_that_the_controller_follows_is_shown_at_a_table(book):
    """Not only by scenarios that no table can play."""
    followed = {row.paragraph for row in acted_on() if row.rulebook == book}
    shown = set()
    for path in find_files([FOLDER / book]):
        if path.relative_to(FOLDER).as_posix() not in NOT_AT_A_TABLE:
            shown |= set(read_scenario(path).paragraphs)
    assert followed - shown == set()


# -- how events come, and what a table cannot play


@pytest.mark.parametrize("reader", ["felt", "fixed_frames", "angel_eye"])
@pytest.mark.parametrize("device", ["shuffler", "shoe"])
def test_cards_come_by_every_device(reader, device):
    if (device, reader) == ("shuffler", "angel_eye"):
        return  # which is a shoe
    target = open_one()
    records = play(target, [*BETS, *cards("2C", "??", "4S", "5C", "6D", "7S")], device=device, reader=reader)
    assert ["state", "playing", "3.4"] in records
    wires = {(said.wire, said.by) for said in target.wire}
    assert {("reader", "outside"), ("usb", "table"), ("usb", "outside")} <= wires
    assert (("shuffler", "table") in wires) == (device == "shuffler")
    commands = [record[3] for record in target.records if record[0] == "command"]
    assert commands == ["config", "event", "event", "event"]  # and no card among them


def test_a_card_that_nobody_asked_for_and_one_entered_by_hand():
    target = open_one()
    early = play(target, [*BETS[:2], *cards("2C")])
    assert early[0][0] == "refused"
    entered = {"event": "entered", "card": "3D", "by": "pit_supervisor"}
    records = play(target, [*BETS, *cards("2C"), entered, *cards("4S", "5C", "6D", "7S")])
    assert ["state", "playing", "3.4"] in records
    # The shuffler says that it dealt a card, and the reader none.
    assert ["fault", "card_count"] in [record[:2] for record in target.records]


def test_a_deck_counted_by_the_shuffler_and_one_that_runs_out():
    events = [*BETS, *cards("2C"), {"event": "cards_counted", "count": 51}]
    assert play(open_one(), events)[0] == ["event", 1, ["cards_counted", 51]]
    records = play(open_one(), [*BETS, *cards("2C"), {"event": "cards_left", "count": 0}])
    assert records[0] == ["event", 1, ["cards_left", 0]]


NOT_PLAYED = [
    (firmware.WAITS, [*BETS, *cards("XX", "2C")], {}),
    (firmware.NOT_RUNNING, [{"event": "power_failure"}], {}),
    (firmware.SAID_AGAIN, [*BETS, *cards("??"), {"event": "power_failure"}, *cards("??")], {}),
    (
        firmware.NO_FACE_UP,
        [*BETS, {"event": "card", "card": "2C", "up": True}],
        {"device": "shoe", "reader": "angel_eye"},
    ),
    (firmware.NO_FOREIGN, [*BETS, *cards("XX")], {"device": "shoe", "reader": "angel_eye"}),
    (firmware.NOT_WHOLE, [*BETS[:2], {"event": "cards_counted", "count": 51}], {}),
]


@pytest.mark.parametrize(("why", "events", "config"), NOT_PLAYED)
def test_what_a_table_cannot_play_is_said(why, events, config):
    game = NON_COMMISSION if why == firmware.SAID_AGAIN else MBS
    if game == NON_COMMISSION:
        events = [one | {"wager": "initial"} if one["event"] == "bet" else one for one in events]
    with pytest.raises(CannotPlay) as caught:
        play(open_one(), events, game, **config)
    assert str(caught.value) == why


def test_the_readme_says_what_is_left_out_and_what_cannot_be_played():
    assert {row[0].strip("`"): row[1] for row in rows_of(README, "## What is compared")} == LEFT_OUT
    assert set(LEFT_OUT) < set(TABLE_RECORDS)
    told = [(row[0].strip("`"), row[1]) for row in rows_of(README, "## What a table cannot play")]
    assert told == [(event, why) for event, reasons in CANNOT_PLAY.items() for why in reasons]
    assert set(CANNOT_PLAY) < set(EVENTS)
    assert {why for why, _, _ in NOT_PLAYED} == {why for _, why in told}


# -- what differs, and what breaks down


class Forgetful(FirmwareTarget):
    """A table that loses the last record of every event."""

    def apply(self, event):
        return super().apply(event)[:-1]


class Held(FirmwareTarget):
    """A table on which a fault is latched that nobody clears."""

    def clear_faults(self):
        self.shuffler.say("JAM")
        self.wait_for(lambda: bool(self.keeper.replay.faults), 1000)


def some_scenario(book=LUCKY):
    return read_scenario(find_files([FOLDER / book])[0])


DIFFERENT = [
    (Forgetful, r'at ".*" the rules core says: .*; the table: nothing more'),
    (Held, "the table latched the fault shuffler_jam"),
]


@pytest.mark.parametrize(("kind", "told"), DIFFERENT)
def test_what_a_table_does_otherwise_is_told(kind, told):
    with pytest.raises(Differs, match=told):
        play(kind("cpython", CPythonPicos(), firmware_digest()), BETS)


def test_a_difference_speaks_against_the_product_and_brings_evidence():
    target = Forgetful("cpython", CPythonPicos(), firmware_digest())
    played = attempt(some_scenario(), target)
    assert (played.outcome, played.cause) == (FAILED, PRODUCT)
    assert played.evidence
    assert any(said.by == "table" for said in played.evidence.wire)
    assert played.evidence.records[0][0] == "chain"
    assert played.evidence.view.title


def test_a_crash_of_the_firmware_speaks_against_the_product(monkeypatch):
    def crash(self, event):
        raise ZeroDivisionError("crooked")

    monkeypatch.setattr("firmware.recorder.Recorder.caused_by", crash)
    played = attempt(some_scenario(), open_one())
    assert (played.outcome, played.cause) == (FAILED, PRODUCT)
    assert "the firmware crashed: ZeroDivisionError: crooked" in played.words


def test_a_target_that_breaks_down_speaks_against_the_instrument_and_starts_again():
    target = open_one("micropython")
    scenario = some_scenario()
    assert attempt(scenario, target).outcome == PASSED
    with pytest.raises(MicroPythonError):
        target.picos.running.micropython.run("import js; js.process.exit(1)")
    played = attempt(scenario, target)
    assert (played.outcome, played.cause) == (FAILED, INSTRUMENT)
    assert attempt(scenario, target).outcome == PASSED
    target.close()


def test_a_target_runs_the_firmware_that_it_is_to_test():
    target = open_one()
    target.flashed = target.flashed._replace(firmware="00" * 16)
    assert attempt(some_scenario(), target).outcome == PASSED  # what is flashed says so itself

    class Other(CPythonPicos):
        def make(self, board, flashed, reader, seed):
            return super().make(board, flashed._replace(firmware="11" * 16), reader, seed)

    played = attempt(some_scenario(), FirmwareTarget("cpython", Other(), firmware_digest()))
    assert (played.outcome, played.cause) == (FAILED, INSTRUMENT)
    assert "runs the firmware 1111" in played.words
