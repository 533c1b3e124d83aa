"""Another Pico goes on as a table with what the host's log knows: it stands as one that merely lost its power."""

import io
import random
from pathlib import Path

import pytest

from firmware.recorder import Recorder, is_running
from host.log.checkpoints import Checkpoint
from host.log.importing import import_journal
from host.log.reading import LogReader, Origin
from host.log.store import LogStore, seal_in
from host.pico.deploy import DeployError, JournalChoice, Key, KeyChoice, with_key
from host.pico.flashing import flash
from host.pico.replacement import CannotReplace, Replacement, read_replacement
from host.pico.rescue import MARK_FILE, find_ring, leave_mark, read_segments, save
from shared.journal.carry import CARRY_FILE, first_line, take_carry
from shared.journal.journal import Journal
from shared.journal.seal import Sealer
from shared.journal.wire import decode
from shared.link.manifest import KEY_FILE, MANIFEST_FILE
from tests.host.pico.test_flash_journal import MAP, sectors_of
from tests.support.campaign import LONG
from tests.support.deploying import FILES, MPY, SMALL, UNIQUE_ID, Cut, CutDevice, FakeDevice
from tests.support.firmware.littlefs_pico import device_on, format_by_mistake, ring_table, start
from tests.support.firmware.small_rounds import small_round
from tests.support.linked import RULES as LINKED_RULES
from tests.support.log.logs import (
    KEY,
    NOON,
    RULES,
    RecordingTable,
    play_round,
    random_play,
    records_of,
    tampered,
    write_log,
)
from tests.support.play import PROGRESSIVE
from tests.support.rounds import Players
from tests.support.storage import Storage
from tests.support.tables import GAMES, MBS, POKER, ROYAL

CONFIG = {"game": "mbs-three-pictures-2", "boxes": 2}
NOTE = ["replaced", "Pit Two", "pit_supervisor", UNIQUE_ID, NOON]


def replacement_of(path: Path, signed: list[Checkpoint] | None = None) -> Replacement:
    with LogReader(path) as log:
        found = read_replacement(log, KEY, signed or [], "Pit Two", "pit_supervisor", NOON)
        seals = {number: found.seal_of(number) for number in range(found.end.number + 2)}
    return Replacement(**{**vars(found), "seal_of": seals.get})


def new_journal(lines=()):
    journal = Journal(Storage(capacity=1 << 20), Sealer(KEY.key), KEY.table)
    for line in lines:
        journal.append_line(line + b"\n")
    return journal


def started(journal, more=()):
    return Recorder(journal, "power", random.Random("start").randbytes, RULES, more)


def replaced(found: Replacement):
    """The table on a new Pico, as its firmware starts it."""
    journal = new_journal()
    note = take_carry(journal, io.BytesIO(found.carry(UNIQUE_ID)))
    assert note == NOTE
    return started(journal, [note])


def after_power_cut(lines):
    """The table on the Pico that it had, with just these lines on flash."""
    journal = new_journal(lines)
    return started(Journal(journal.storage, Sealer(KEY.key), KEY.table))


def written(recorder, first):
    return [one for _, one in records_from(recorder, first)]


def records_from(recorder, first):
    return [tuple(decode(line)[2:4]) for line in recorder.journal.lines_from(first)]


def standing(recorder):
    round_ = recorder.round
    about = (recorder.config, recorder.faults, recorder.late, recorder.last_card)
    command = (recorder.last_command, recorder.last_answer)
    if round_ is None:
        return about, command, None
    bets = [vars(bet) for bet in round_.bets]
    return about, command, (round_.state, round_.number, round_.carry(), round_.hands, bets)


# -- all that reaches across


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_it_stands_as_after_a_power_cut_record_by_record(game, tmp_path):
    """At many moments of play with mischief, in every book: jackpot, hand pays, restrictions, R 5.10, faults."""
    table = random_play(game, "replaced", 500)
    records = table.records()
    dice = random.Random(game)
    in_the_middle = 0
    for turn in range(25 if LONG else 10):
        count = dice.randrange(2, len(records))
        path = tmp_path / f"{turn}.db"
        write_log(path, records[:count], 1000)
        found = replacement_of(path)
        lines = [one.line for one in records[:count]]
        new, old = replaced(found), after_power_cut(lines)
        first = count + 1
        assert [one for one in written(new, first) if one[0] != "replaced"] == written(old, first)
        assert [one for one in written(new, first) if one[0] == "replaced"] == [NOTE]
        assert standing(new) == standing(old)
        assert found.round is None or is_running(old.round) or old.round.is_over()
        in_the_middle += found.round is not None
        # And both go on alike.
        ends = new.journal.chain.number, old.journal.chain.number
        for recorder in (new, old):
            if recorder.round is None:
                continue
            players = Players(recorder.round, random.Random(f"{game} {turn}"), 0.2)
            for _ in range(40):
                players.round = recorder.round
                recorder.now += 300
                recorder.apply(players.event())
        assert written(new, ends[0] + 1) == written(old, ends[1] + 1)
        assert standing(new) == standing(old)
    assert in_the_middle > 3


def test_the_chain_goes_on_with_the_next_number_and_the_next_start(tmp_path):
    table = RecordingTable(CONFIG)
    for _ in range(3):
        play_round(table)
    records = table.records()
    write_log(tmp_path / "t1.db", records)
    found = replacement_of(tmp_path / "t1.db")
    new = replaced(found)
    assert found.first > 1
    assert (found.end.number, found.round) == (records[-1].number, None)
    boot, number = new.journal.boot, records_from(new, found.end.number + 1)[0][0]
    assert (boot, number) == (records[-1].boot + 1, found.end.number + 1)
    assert new.journal.origin == table.journal.origin
    assert new.journal.acknowledged == found.end.number
    assert new.journal.seal_of(found.first - 1) == table.journal.seal_of(found.first - 1)


def test_a_table_that_was_never_configured_goes_on_too(tmp_path):
    table = RecordingTable()
    write_log(tmp_path / "t1.db", table.records())
    found = replacement_of(tmp_path / "t1.db")
    assert found.first == 1
    assert replaced(found).config is None


# -- a log that will not do


@pytest.fixture
def log(tmp_path):
    table = RecordingTable(CONFIG)
    for _ in range(3):
        play_round(table)
    path = tmp_path / "t1.db"
    write_log(path, table.records())
    return path


def refused(path, signed=None):
    with pytest.raises(CannotReplace) as problem:
        replacement_of(path, signed)
    return problem.value.code


def checkpoint(path, number, seal=None):
    with LogReader(path) as reader:
        known = next((line for _, line in reader.lines(number, number)), None)
    return Checkpoint(1, "T1", number, seal or seal_in(known or b""), NOON, "", "")


def test_the_last_checkpoint_must_be_in_the_log(log):
    with LogReader(log) as reader:
        _, last = reader.ends()
    for number in (2, last):
        replacement_of(log, [checkpoint(log, number)])
    assert refused(log, [checkpoint(log, last, bytes(12))]) == "pico.log_not_signed"
    assert refused(log, [checkpoint(log, 2, bytes(12))]) == "pico.log_not_signed"
    assert refused(log, [checkpoint(log, last + 1, bytes(12))]) == "pico.log_cut"


def test_a_line_that_was_changed_is_found(log):
    with LogReader(log) as reader:
        _, last = reader.ends()
    changed = """CAST(replace(line, '"settled"', '"Settled"') AS BLOB)"""
    tampered(log, f"UPDATE records SET line = {changed} WHERE number > {last - 40}")
    assert refused(log) == "pico.log_broken"


def test_a_line_that_is_missing_is_found(log):
    with LogReader(log) as reader:
        _, last = reader.ends()
    tampered(log, f"DELETE FROM records WHERE number = {last - 1}")
    assert refused(log) == "pico.log_broken"


def test_an_empty_log_is_refused(tmp_path):
    LogStore(tmp_path / "t1.db", "T1").close()
    assert refused(tmp_path / "t1.db") == "pico.log_empty"


def test_a_log_that_begins_without_saying_how_the_table_stood_is_refused(tmp_path):
    records = RecordingTable(CONFIG).records()
    origin = Origin("T1", 2, seal_in(records[1].line), NOON, "manager 1", "why")
    with LogStore(tmp_path / "t1.db", "T1", origin) as store:
        store.commit(records[2:3], NOON)
    assert records[2].record[0] != "begin"
    assert refused(tmp_path / "t1.db") == "pico.log_begins_late"


def test_a_log_that_was_adopted_is_enough_if_it_says_how_the_table_stood(tmp_path):
    table = RecordingTable(CONFIG)
    play_round(table)
    records = table.records()
    begin = max(one.number for one in records if one.record[0] == "begin")
    before = begin - 1
    origin = Origin("T1", before, seal_in(records[before - 1].line), NOON, "m", "why")
    with LogStore(tmp_path / "t1.db", "T1", origin) as store:
        store.commit(records[before:], NOON)
    found = replacement_of(tmp_path / "t1.db")
    assert (found.first, found.origin) == (begin, origin.seal.hex() if origin.seal else "")
    assert standing(replaced(found)) == standing(after_power_cut([one.line for one in records]))


def test_a_round_in_the_middle_is_not_decided_by_other_rules(tmp_path):
    table = RecordingTable(CONFIG, rules="0" * 32)
    play_round(table)
    write_log(tmp_path / "idle.db", table.records())
    assert replacement_of(tmp_path / "idle.db").round is None
    table.do("open")
    write_log(tmp_path / "round.db", table.records())
    assert refused(tmp_path / "round.db") == "pico.log_other_rules"


# -- which Pico


@pytest.fixture
def known(log):
    return replacement_of(log)


@pytest.fixture
def lines(log):
    with LogReader(log) as reader:
        return [line for _, line in reader.lines(0, 1 << 40)]


def table_on(lines=(), more=None, records=(), key=KEY):
    """A Pico that is a table, with these lines in its ring, and these records of its own behind them."""
    journal = new_journal(lines)
    for record in records:
        journal.append(record)
    files = with_key(FILES, "small", Key(key)) | MAP | (more or {})
    return FakeDevice(files, sectors=sectors_of(journal.storage.files))


def put_on(device, known, tmp_path):
    path = tmp_path / "t1.key"
    if not path.exists():
        path.touch(0o600)
        path.write_bytes(KEY.content)
    return flash(device, SMALL, FILES, KeyChoice(path, replace=True), replacement=known)


def refused_by(device, known, tmp_path):
    before = dict(device.files)
    with pytest.raises(CannotReplace) as problem:
        put_on(device, known, tmp_path)
    assert (device.files, device.changed, device.restarts) == (before, [], 1)
    assert "{" not in str(problem.value)
    return problem.value.code


def test_an_empty_pico_gets_everything_and_the_manifest_last(known, tmp_path):
    device = FakeDevice()
    put_on(device, known, tmp_path)
    assert device.files[CARRY_FILE] == known.carry(UNIQUE_ID)
    assert device.files[KEY_FILE] == KEY.content
    assert device.changed[-1] == MANIFEST_FILE
    assert device.restarts == 1


def test_a_pico_of_this_table_that_has_less_than_the_log_is_taken(known, lines, tmp_path):
    device = table_on(lines[:20])
    before = device.files[MANIFEST_FILE]
    put_on(device, known, tmp_path)
    assert device.changed[-3:] == [CARRY_FILE, MANIFEST_FILE, MANIFEST_FILE], "it cannot run in between"
    assert device.files[MANIFEST_FILE] == before
    assert device.handed_over == 0


def test_a_pico_with_records_that_the_log_lacks_is_not_touched(known, lines, tmp_path):
    for count in (0, 20, len(lines)):
        device = table_on(lines[:count], records=[["quiet", 1]])
        assert refused_by(device, known, tmp_path) == "pico.has_more"
    assert refused_by(table_on(lines), known, tmp_path) == "pico.is_the_table"


def test_a_journal_that_was_set_aside_is_in_nobodys_way(known, lines, tmp_path):
    """But while the table knows its ring it may have gone on since it was rescued."""
    device = table_on(lines, {MARK_FILE: b"3\n"}, [["quiet", 1]])
    assert refused_by(device, known, tmp_path) == "pico.has_more"
    flash(device, SMALL, FILES, KeyChoice(), journal=JournalChoice(tmp_path / "saved"))
    put_on(device, known, tmp_path)
    assert device.files[CARRY_FILE] == known.carry(UNIQUE_ID)


def test_a_journal_that_cannot_be_read_is_to_be_saved_first(known, lines, tmp_path):
    device = table_on(lines[:20])
    block, content = next(iter(device.sectors.items()))
    device.sectors[block] = content.replace(b"state", b"State")
    assert refused_by(device, known, tmp_path) == "pico.journal_unread"


def test_what_it_was_to_carry_counts_too(known, lines, tmp_path):
    journal = new_journal(lines)
    journal.append(["quiet", 1])
    head = first_line(KEY.sealer, 1, 1, new_journal().chain.last, known.origin, 0, None)
    device = FakeDevice({CARRY_FILE: head + b"".join(line + b"\n" for line in journal.lines_from(1))})
    assert refused_by(device, known, tmp_path) == "pico.has_more"
    less = head + b"".join(line + b"\n" for line in lines[:-3])
    for carry in (less, known.carry("0" * 16), b"torn"):
        device = FakeDevice({CARRY_FILE: carry})
        put_on(device, known, tmp_path)
        assert device.files[CARRY_FILE] == known.carry(UNIQUE_ID)


def test_a_new_ring_without_records_is_in_nobodys_way(known, tmp_path):
    device = table_on()
    put_on(device, known, tmp_path)
    assert CARRY_FILE in device.files


def test_another_tables_pico_is_not_taken(known, lines, tmp_path):
    for key in (KEY._replace(table="T2"), KEY._replace(key=bytes(32))):
        assert refused_by(table_on(key=key), known, tmp_path) == "pico.other_key"
    device = table_on(lines[:20], {KEY_FILE: b"damaged"})
    put_on(device, known, tmp_path)
    assert device.files[KEY_FILE] == KEY.content


def test_an_old_journal_is_brought_along_and_not_replaced(known, tmp_path):
    assert refused_by(table_on(more={"journal/00000001": b"lines"}), known, tmp_path) == "pico.old_journal"


def test_a_pico_that_lost_its_filesystem_is_rescued_first(known, lines, tmp_path):
    device = FakeDevice(sectors=table_on(lines).sectors)
    with pytest.raises(DeployError, match="Save them first with felt rescue"):
        put_on(device, known, tmp_path)
    device = FakeDevice({MARK_FILE: b"3\n"}, sectors=device.sectors)
    assert put_on(device, known, tmp_path).note == ""
    assert CARRY_FILE in device.files


def test_what_was_rescued_is_in_the_log_before_the_table_goes_on(known, lines, tmp_path):
    """Else the numbers of the rescued records were given once more, and the log could not take them."""
    sectors = table_on(lines, records=[["quiet", 1]]).sectors
    device = FakeDevice({MARK_FILE: b"3\n"}, sectors=sectors)
    assert refused_by(device, known, tmp_path) == "pico.not_imported"
    device = FakeDevice({MARK_FILE: b"3 given up\n"}, sectors=sectors)
    put_on(device, known, tmp_path)
    assert CARRY_FILE in device.files
    damaged = {block: content.replace(b"state", b"State") for block, content in sectors.items()}
    put_on(FakeDevice({MARK_FILE: b"3\n"}, sectors=damaged), known, tmp_path)


@pytest.mark.parametrize("has_ring", [False, True])
def test_a_replacement_that_breaks_off_anywhere_can_be_done_again(known, lines, tmp_path, has_ring):
    first = table_on(lines[:20], {"shared/a.mpy": MPY + b"older"})
    steps = -1
    while True:
        steps += 1
        device = CutDevice(first.files, sectors=first.sectors) if has_ring else CutDevice()
        device.left, device.in_pieces = steps, ""
        try:
            put_on(device, known, tmp_path)
            break
        except Cut:
            pass
        if MANIFEST_FILE in device.files and not has_ring:
            assert device.files[CARRY_FILE] == known.carry(UNIQUE_ID), "a table that could start has all of it"
        device.left = 1000
        put_on(device, known, tmp_path)
        assert device.files[CARRY_FILE] == known.carry(UNIQUE_ID)
        assert MANIFEST_FILE in device.files
    assert steps > 6


def test_wiped_in_mid_round_then_rescued_imported_and_replaced_the_log_goes_on(tmp_path, monkeypatch):
    """The same Pico goes on after its filesystem is gone, with records that the host did not have."""
    monkeypatch.setattr("host.pico.replacement.rules_digest", lambda: LINKED_RULES)
    pico, journal = ring_table(small_round(MBS)[:6])
    lines = list(journal.lines_from(1))
    path = tmp_path / "t1.db"
    write_log(path, records_of(lines[:-4]))
    format_by_mistake(pico)
    device = device_on(pico)
    ring = find_ring(device, {})
    assert ring
    save(read_segments(device, ring), tmp_path / "saved")
    leave_mark(device, ring)
    import_journal(tmp_path / "saved", path, KEY, None, None)
    known = replacement_of(path)
    assert known.end.number == len(lines)
    assert known.round
    put_on(device_on(pico), known, tmp_path)
    recorder = start(pico)
    found = [decode(line)[3] for line in recorder.journal.lines_from(len(lines) + 1)]
    assert [record[0] for record in found[:3]] == ["boot", "replaced", "event"]
    assert found[1] == NOTE
    assert found[2][2] == ["power_failure"]


# -- what reaches from one round into the next, by name


def play_to_the_end(table, bets, hands):
    table.do("open")
    for bet in bets:
        table.say("dealer 1", "bet", *bet)
    table.do("close")
    round_ = table.recorder.round
    waiting = {place: words.split() for place, words in hands.items()}
    while (place := round_.next_place()) is not None:
        table.do("card", waiting[place].pop(0))
    table.do(*(("decide", 1, "play") if round_.state == "deciding" else ("show", 1, "dealer")))
    table.do("reveal")
    table.do("settle")
    assert round_.state == "settled"


def after_replacing(table, path):
    write_log(path, table.records())
    return replaced(replacement_of(path)).round


def test_an_outstanding_hand_pay_and_the_meter_of_a_jackpot(tmp_path):
    table = RecordingTable({"game": POKER, "boxes": 2, "progressive": PROGRESSIVE})
    bets = [(1, "P1", "ante", 1000), (1, "P1", "progressive", 500)]
    play_to_the_end(table, bets, {1: "AS KS QS", 0: "QC TD 8H"})
    round_ = after_replacing(table, tmp_path / "t1.db")
    assert (round_.meter, round_.hand_pays) == (PROGRESSIVE["reset"], ["P1"])
    assert round_.verify(["open"]) is not None
    assert round_.verify(["hand_paid", "P1", "pit_supervisor"]) is None


def test_r_5_10_who_has_used_the_one_allowance(tmp_path):
    table = RecordingTable({"game": ROYAL, "boxes": 2, "limits": {"main": [500, 10_000]}})
    play_to_the_end(table, [(1, "P1", "main", 300)], {1: "KS 5D 2S", 0: "QC TD 8S"})
    assert after_replacing(table, tmp_path / "t1.db").allowed_once == ["P1"]


def test_players_who_are_held_to_one_position(tmp_path):
    table = RecordingTable({"game": ROYAL, "boxes": 2})
    table.say("pit 7", "restrict", 1, "P1", "pit_manager")
    round_ = after_replacing(table, tmp_path / "t1.db")
    assert round_.carry() == table.recorder.round.carry()
    assert round_.next_one_box == [["P1", 1]]
