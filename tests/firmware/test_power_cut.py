"""The power cut at every write, and at every program and erase of littlefs, in whole rounds of every book.

After each cut the table starts again: what it had told anyone is there, once; the log replays; the round goes
on or is void as its book says; and a new cut while it recovers changes nothing of that.
"""

import bisect
import random
from binascii import crc32
from contextlib import suppress

import pytest

from firmware.recorder import Recorder
from firmware.recovery import CUT_OFF
from shared.journal.journal import Journal
from shared.journal.replay import Replay
from shared.journal.seal import Sealer
from shared.journal.wire import decode, spell
from tests.support.campaign import LONG
from tests.support.firmware.small_rounds import steps, take_step
from tests.support.flash import Flash, LittlefsStorage, cut_at
from tests.support.ledger import finish
from tests.support.linked import DONE, RULES, not_done
from tests.support.storage import PowerCut, Storage
from tests.support.tables import GAMES, LUCKY, MBS, NON_COMMISSION, POKER, ROYAL

pytestmark = pytest.mark.slow

SEALER = Sealer(bytes(range(32)))
SEGMENT_BYTES = 1500
TOTAL_BYTES = 512 * 1024
KEPT = [0, 4, 8] if not LONG else list(range(9))


def start(storage):
    storage.capacity = TOTAL_BYTES // SEGMENT_BYTES
    return Recorder(Journal(storage, SEALER, "T1", segment_bytes=SEGMENT_BYTES), "power", bytes, RULES)


def lines_of(recorder):
    return list(recorder.journal.lines_from(1))


def play(game, recorder, told):
    """Do every step; `told` is given the number of records that each step had made sure of."""
    for number, step in enumerate(steps(game), 1):
        take_step(recorder, step, number)
        told.append(recorder.journal.chain.number)


def uncut(game, storage):
    recorder = start(storage)
    told: list[int] = [recorder.journal.chain.number]
    play(game, recorder, told)
    assert recorder.round.state == "settled"
    return lines_of(recorder), told


def replayed(records):
    """The log played again from its start; fails on any difference."""
    replay = Replay()
    for record in records:
        assert replay.take(record) is None
    assert replay.expected == []
    assert replay.command is None
    return replay


def check_after_restart(game, recorder, reference, told):
    lines = lines_of(recorder)
    assert lines[:told] == reference[:told], "what was told is there, byte for byte"
    numbers = [decode(line)[2] for line in lines]
    assert numbers == list(range(1, len(lines) + 1)), "no record twice"
    records = [decode(line)[3] for line in lines]
    replay = replayed(records)
    assert replay.config == recorder.config
    if recorder.round is None:
        return
    assert replay.round.state == recorder.round.state
    assert replay.round.carry() == recorder.round.carry()
    check_book_has_decided(game, records)
    check_answer_is_known(game, recorder, records)
    finish(recorder.round, apply=lambda event: recorder.apply(event))
    assert recorder.round.is_over()
    replayed([decode(line)[3] for line in lines_of(recorder)])
    # And the next round opens.
    records = recorder.apply(["open"])
    assert records[-1][:2] == ["state", "betting"]


def check_book_has_decided(game, records):
    """By hand from the books: who decides after a power failure, and by which paragraph."""
    last_boot = max(place for place, record in enumerate(records) if record[0] == "boot")
    before = [record for record in records[:last_boot] if record[0] in ("state", "ask")]
    after = records[last_boot + 1 :]
    in_round = before and (before[-1][0] == "ask" or before[-1][1] not in ("idle", "settled", "void"))
    if not in_round:
        assert after == []
        return
    assert after[0][2] == ["power_failure"]
    if before[-1][0] == "ask" or (len(before) > 1 and "power_failure" in str(records[:last_boot])):
        return  # it had been asked before a second cut
    cards = any(record[0] == "dealt" for record in records[:last_boot])
    cited = {record[-2] for record in after[1:]} | {record[-1] for record in after[1:]}
    if game == MBS:
        assert "M-19" in cited
    elif game == POKER:
        assert "T-25" in cited
    elif game == ROYAL:
        assert cited & {"5.13", "5.13.1", "5.13.2"}
    else:
        assert game in (LUCKY, NON_COMMISSION)
        assert cited & {"5.4", "5.4.1", "5.4.2"}
        if not cards:
            assert any(record[0] == "void" for record in after)


def check_answer_is_known(game, recorder, records):
    """The last command's answer is in the log, and the same command again gets it and does nothing."""
    answers = [record for record in records if record[0] == "answer"]
    commands = [record for record in records if record[0] == "command"]
    assert [answer[1] for answer in answers] == [command[1] for command in commands]
    last = answers[-1]
    before = recorder.journal.chain.number
    how, what = steps(game)[last[1] - 1]
    name = "config" if how == "config" else "event"
    assert recorder.command(last[1], "dealer 1", name, what) == tuple(last[2:])
    other = recorder.command(last[1], "dealer 1", "event", ["something else"])
    assert other == not_done("number_used", last[1])
    assert recorder.journal.chain.number == before
    assert last[2] or last[3]


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("game", GAMES)
def test_a_power_cut_at_every_write(game, kept):
    reference, _ = uncut(game, Storage())
    dice = random.Random(f"{game} {kept}")
    cut = 0
    while True:
        storage = Storage(cut=cut, kept=kept)
        told: list[int] = [0]
        try:
            recorder = start(storage)
            told.append(recorder.journal.chain.number)
            play(game, recorder, told)
            break
        except PowerCut:
            pass
        after = Storage(storage.files)
        if cut % 3 == 0:
            # A second cut, while the table is starting again.
            second = Storage(storage.files, cut=dice.randrange(3), kept=dice.randrange(9))
            with suppress(PowerCut):
                start(second)
            after = Storage(second.files)
        check_after_restart(game, start(after), reference, told[-1])
        cut += 1
    assert cut > len(steps(game)), "every step was cut at least once"


@pytest.mark.parametrize("game", GAMES)
def test_a_power_cut_at_every_flash_operation(game):
    flash = Flash()
    LittlefsStorage(flash, format_it=True)
    before = bytes(flash.cells)
    flash.operations.clear()
    recorder = start(LittlefsStorage(flash))
    told = [recorder.journal.chain.number]
    done = [len(flash.operations)]
    for number, step in enumerate(steps(game), 1):
        take_step(recorder, step, number)
        told.append(recorder.journal.chain.number)
        done.append(len(flash.operations))
    reference = lines_of(recorder)
    for cut in range(len(flash.operations)):
        finished = bisect.bisect_right(done, cut)
        again = start(LittlefsStorage(Flash(cut_at(before, flash.operations, cut))))
        check_after_restart(game, again, reference, told[finished - 1] if finished else 0)
    assert len(flash.operations) > len(told)


def check_of(name, arguments, who="dealer 1"):
    return f"{crc32(spell([who, name, arguments]).encode()):08x}"


def test_a_command_that_the_power_kept_from_beginning_says_so():
    """Only the command itself reached the flash: it was not done, and whoever asked must ask again."""
    storage = Storage()
    recorder = start(storage)
    recorder.command(1, "dealer 1", "config", steps(MBS)[0][1])
    recorder.journal.append(["command", 2, "dealer 1", "event", check_of("event", ["open"])])
    again = start(storage)
    assert again.command(2, "dealer 1", "event", ["open"]) == CUT_OFF
    assert again.round.state == "idle"
    assert again.command(3, "dealer 1", "event", ["open"]) == DONE


def test_a_refused_command_keeps_its_reason_over_a_cut():
    storage = Storage()
    recorder = start(storage)
    recorder.command(1, "dealer 1", "config", steps(MBS)[0][1])
    refused = recorder.caused_by(["close"])[1][0]
    assert refused[0] == "refused"
    recorder.journal.append_all([["command", 2, "dealer 1", "event", check_of("event", ["close"])], refused])
    assert start(storage).command(2, "dealer 1", "event", ["close"]) == not_done(
        "not_possible_now", "idle", paragraph=refused[2]
    )
