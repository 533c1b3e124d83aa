"""Before a new firmware comes the old one writes how the table stands, so that new rules replay nothing else."""

import random

import pytest

from firmware.handover import hand_over
from firmware.recorder import Recorder
from shared.journal.chain import record_of
from shared.journal.journal import Journal, JournalFull
from shared.journal.replay import Replay
from shared.journal.seal import Sealer
from shared.journal.snapshot import plain_config
from shared.round.round import Round
from shared.round.states import NO_ROUND
from tests.support.firmware.small_rounds import small_config, small_round
from tests.support.linked import DONE, KEY, RULES
from tests.support.storage import Storage
from tests.support.tables import GAMES, MBS

SEALER = Sealer(KEY)
DICE = random.Random("handover")


def start(storage, **sizes):
    return Recorder(Journal(storage, SEALER, "T1", **sizes), "power", DICE.randbytes, RULES)


def played(game, events=None):
    """The storage of a table that was configured and to which this happened; all of a round if not said."""
    storage = Storage()
    recorder = start(storage)
    assert recorder.command(1, "staff", "config", plain_config(small_config(game))) == DONE
    for event in small_round(game) if events is None else events:
        recorder.apply(event)
    return storage


def handed_over(storage):
    return hand_over(storage, SEALER, "T1", DICE.randbytes, RULES)


@pytest.fixture
def other_words(monkeypatch):
    """Has a new firmware come: rules that word a record differently from now on."""
    apply = Round.apply

    def worded_anew(round_, event):
        records = apply(round_, event)
        return [
            [*record[:-1], "other words"] if record[0] in ("refused", "total") else record for record in records
        ]

    return lambda: monkeypatch.setattr(Round, "apply", worded_anew)


@pytest.mark.parametrize("game", GAMES)
def test_a_settled_round_is_not_played_again_by_other_rules(game, other_words):
    storage = played(game)
    left_alone = Storage(storage.files)
    before = start(Storage(storage.files))
    assert handed_over(storage) == ("idle", "")
    other_words()
    with pytest.raises(ValueError, match="different"):
        start(left_alone)
    after = start(storage)
    assert (after.round.state, after.round.number) == ("idle", before.round.number)
    assert after.round.carry() == before.round.carry()
    assert (after.config, after.last_command, after.last_answer) == (
        before.config,
        before.last_command,
        before.last_answer,
    )
    assert after.apply(["open"])[-1][:2] == ["state", "betting"]


def test_what_is_latched_stays_latched(other_words):
    storage = played(MBS)
    start(storage).fault("shuffler_jam", "")
    assert handed_over(storage) == ("idle", "")
    assert start(storage).faults == ["shuffler_jam"]


def test_the_host_follows_it():
    storage = played(MBS)
    assert handed_over(storage) == ("idle", "")
    replay = Replay()
    records = [record_of(line) for line in Journal(storage, SEALER, "T1").lines_from(1)]
    assert [replay.take(record) for record in records] == [None] * len(records)
    assert ["boot", "flash", 0, RULES] in records
    assert replay.round.state == "idle"


@pytest.mark.parametrize("game", GAMES)
def test_a_round_in_the_middle_is_said_and_nothing_is_written(game):
    events = small_round(game)
    for count in range(1, len(events)):
        storage = played(game, events[:count])
        before = dict(storage.files)
        state = start(Storage(before)).round  # the power failure may end it, which is not for a handover to do
        said, about = handed_over(storage)
        assert said == "round", (count, state.state)
        assert about.startswith("1, ")
        assert about.removeprefix("1, ") not in NO_ROUND
        assert storage.files == before


@pytest.mark.parametrize("kept", range(1, 8))
def test_what_the_power_cut_short_is_written_first(kept):
    storage = played(MBS)
    name = max(storage.files)
    lines = storage.files[name].splitlines(keepends=True)
    settled = max(place for place, line in enumerate(lines) if b'["settle"]' in line)
    storage.files[name] = b"".join(lines[: settled + kept])
    assert handed_over(storage) == ("idle", "")
    records = [record_of(line) for line in Journal(storage, SEALER, "T1").lines_from(1)]
    replay = Replay()
    assert [replay.take(record) for record in records] == [None] * len(records)
    assert sum(record[0] == "total" for record in records) == 1


def test_a_table_that_was_never_configured_has_nothing_to_say():
    storage = Storage()
    start(storage)
    assert handed_over(storage) == ("idle", "")
    assert handed_over(Storage()) == ("idle", "")
    assert start(storage).round is None


def test_a_broken_journal_is_said():
    storage = played(MBS)
    name = next(name for name, content in storage.files.items() if b'"open"' in content)
    storage.files[name] = storage.files[name].replace(b'"open"', b'"shut"', 1)
    before = dict(storage.files)
    said, why = handed_over(storage)
    assert said == "broken"
    assert why.split()[1:] == ["changed", "segment_altered", name]
    assert storage.files == before


def test_a_journal_that_its_own_rules_do_not_give_is_said(other_words):
    storage = played(MBS)
    other_words()
    assert handed_over(storage)[0] == "broken"


def test_a_full_journal_is_said():
    storage = played(MBS)
    journal = start(storage).journal
    with pytest.raises(JournalFull):
        fill(journal)
    assert handed_over(storage) == ("full", "")


def fill(journal):
    while True:
        journal.append_all([["device", "reader", "x" * 100]] * 50)
