"""The journal against a storage that loses its power at any write, fills up, or is tampered with."""

import random

import pytest

from host.measure.rounds import full_round, table_config
from shared.journal import journal as journal_module
from shared.journal.chain import BrokenChain, Chain
from shared.journal.journal import Journal, JournalFailed, JournalFull
from shared.journal.seal import Sealer
from shared.journal.wire import decode, encode
from shared.round.round import Round
from tests.support.firmware.small_rounds import small_config, small_round
from tests.support.storage import PowerCut, Storage
from tests.support.tables import GAMES, LUCKY

KEY = bytes(range(32))
SEALER = Sealer(KEY)


def open_journal(storage, **sizes):
    return Journal(storage, SEALER, "T1", **sizes)


def records_of(journal, first=1):
    return [decode(line)[3] for line in journal.lines_from(first)]


def whole_round(game):
    """The configuration, and the records of one round with one bet of each kind on two boxes."""
    config = small_config(game)
    round_ = Round(config)
    records = []
    for event in small_round(game):
        caused = round_.apply(event)
        if caused[0][0] == "event":
            records += caused
    assert round_.state == "settled"
    return config, records


@pytest.mark.slow
@pytest.mark.parametrize("kept", [0, 1, 4, 7, 8])
@pytest.mark.parametrize("game", GAMES)
def test_a_power_cut_at_every_write_loses_nothing_and_repeats_nothing(game, kept):
    """Small segments, so that cuts fall on heads and drops too; after each cut, and again after a second one."""
    config, records = whole_round(game)
    dice = random.Random(f"{game} {kept}")
    cut = 0
    while True:
        storage = Storage(cut=cut, kept=kept)
        told = write_until_cut(storage, records, 0)
        if told == len(records):
            break
        cut += 1
        after = Storage(storage.files, cut=dice.randrange(12), kept=kept)
        told_again = write_until_cut(after, records, told)
        check_kept(Storage(after.files), records, told_again, config)
    assert cut > len(records)  # every record's write was cut, and every segment's head


def write_until_cut(storage, records, at_least):
    """Open, check that what was told as kept is there, go on from there; returns how many are told now."""
    done = at_least
    try:
        journal = open_journal(storage, segment_bytes=1200)
        kept = records_of(journal)
        assert kept == records[: len(kept)]
        assert at_least <= len(kept) <= at_least + 1, "a told record is lost, or an untold one doubled"
        done = len(kept)
        for record in records[done:]:
            journal.append(record)
            done += 1
    except PowerCut:
        pass
    return done


def check_kept(storage, records, told, config):
    journal = open_journal(storage, segment_bytes=1200)
    kept = records_of(journal)
    assert kept == records[: len(kept)]
    assert told <= len(kept) <= told + 1
    # The events among them, played again, give them again: the round stands where it stood.
    round_ = Round(config)
    again = []
    for record in kept:
        if record[0] == "event":
            again += round_.apply(record[2])
    assert again[: len(kept)] == kept


def test_a_torn_line_is_dropped_and_said_and_the_next_segment_says_so_too():
    storage = Storage()
    journal = open_journal(storage)
    journal.append(["state", "betting", "3.4"])
    storage.files["00000001"] += b'["rec",1,2,["sta'
    again = open_journal(storage)
    assert again.notes == [["torn", "00000001", 16]]
    again.append(["state", "closed", "3.11"])
    assert sorted(storage.files) == ["00000001", "00000002"]
    assert records_of(open_journal(storage)) == [["state", "betting", "3.4"], ["state", "closed", "3.11"]]
    # Whoever tears off what the second head vouches for is found out.
    storage.files["00000001"] = storage.files["00000001"][:-1]
    with pytest.raises(BrokenChain) as caught:
        open_journal(storage)
    assert caught.value.detail == ("segment_altered", "00000001")


def test_every_start_has_its_own_number_and_the_lines_carry_it():
    storage = Storage()
    boots = []
    for _ in range(3):
        journal = open_journal(storage)
        journal.append(["state", "idle", None])
        boots.append((journal.boot, decode(list(journal.lines_from(1))[-1])[1]))
    assert boots == [(1, 1), (2, 2), (3, 3)]


def rounds_of_records(count):
    for number in range(1, count + 1):
        yield ["begin", 1, "open"]
        yield ["carried", "number", number - 1]
        yield ["event", number, ["open"]]
        for card in range(30):
            yield ["dealt", 1, f"record {card}"]


def append_all(journal, records):
    for record in records:
        journal.append(record)


def test_what_the_host_has_not_acknowledged_is_never_dropped():
    storage = Storage(capacity=10)
    journal = open_journal(storage, segment_bytes=2000)
    records = rounds_of_records(1000)
    with pytest.raises(JournalFull):
        append_all(journal, records)
    assert not journal.has_room_for_round()
    assert sum(len(content) for content in storage.files.values()) <= 20_000
    first = decode(next(journal.lines_from(1)))
    assert first[2] == 1
    # Nothing was lost by trying, and the journal still opens.
    assert len(records_of(open_journal(storage))) == journal.chain.number


def test_acknowledged_records_go_but_the_last_ten_rounds_stay_for_recall(monkeypatch):
    monkeypatch.setattr(journal_module, "_ROUND_BYTES", 4000)
    monkeypatch.setattr(journal_module, "_TIGHT_BYTES", 2000)
    storage = Storage(capacity=20)
    journal = open_journal(storage, segment_bytes=2000)
    for record in rounds_of_records(60):
        journal.append(record)
        journal.acknowledge(journal.chain.number)
        assert sum(len(content) for content in storage.files.values()) <= 40_000
    assert journal.first() > 1, "old rounds have gone"
    assert journal.has_room_for_round()
    again = open_journal(storage, segment_bytes=2000)
    recalled = [decode(line)[3] for line in again.lines_from(again.first())]
    assert [record[1] for record in recalled if record[0] == "event"][-10:] == list(range(51, 61))


def test_a_record_longer_than_a_line_is_refused_and_nothing_moves():
    journal = open_journal(Storage())
    with pytest.raises(ValueError, match="line_too_long"):
        journal.append(["noted", "x" * 2000, None, None])
    assert journal.chain.number == 0
    journal.append(["noted", "x", None, None])


@pytest.mark.parametrize("kept", [0, 3, 7])
@pytest.mark.parametrize("segment_bytes", [150, 2000])
def test_a_storage_that_fails_without_a_power_cut_loses_nothing(kept, segment_bytes):
    """A full disk, say: nothing more is written until the journal is opened again and knows what got there."""
    storage = Storage(kept=kept)
    journal = open_journal(storage, segment_bytes=segment_bytes)
    journal.append(["state", "betting", "3.4"])
    for _ in range(2):
        with pytest.raises(PowerCut):
            storage_fails_once(storage, journal, ["state", "closed", "3.11"])
        with pytest.raises(JournalFailed, match="not opened again"):
            journal.append(["state", "closed", "3.11"])
        journal = open_journal(storage, segment_bytes=segment_bytes)
    journal.append(["state", "closed", "3.11"])
    assert records_of(open_journal(storage)) == [["state", "betting", "3.4"], ["state", "closed", "3.11"]]


def storage_fails_once(storage, journal, record):
    """Fails at the next operation and works again at once, as a file system that only ran full does."""
    fail = storage.next_operation

    def once():
        storage.cut, storage.next_operation = None, fail
        return True

    storage.next_operation = once
    journal.append(record)


def filled():
    storage = Storage()
    journal = open_journal(storage, segment_bytes=2000)
    for record in rounds_of_records(5):
        journal.append(record)
    return storage


@pytest.mark.parametrize("place", ["head", "line", "last"])
def test_any_changed_byte_on_flash_is_found_at_the_next_start(place):
    good = filled()
    names = sorted(good.files)
    for name in names:
        content = good.files[name]
        at = {"head": 8, "line": len(content) // 2, "last": len(content) - 3}[place]
        changed = Storage(good.files)
        changed.files[name] = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
        with pytest.raises(BrokenChain):
            open_journal(changed)


def test_a_head_that_cannot_be_read_is_said_when_it_is_needed_though_it_is_not_checked_yet():
    storage = filled()
    journal = open_journal(storage, segment_bytes=2000, later=True)
    storage.files["00000001"] = b"?" * 2000
    with pytest.raises(BrokenChain) as caught:
        journal.first()
    assert caught.value.detail == ("head_unreadable", "00000001")


def test_a_missing_or_foreign_segment_is_found():
    good = filled()
    names = sorted(good.files)
    missing = Storage({name: content for name, content in good.files.items() if name != names[2]})
    with pytest.raises(BrokenChain):
        open_journal(missing)
    with pytest.raises(BrokenChain):
        Journal(good, Sealer(bytes(32)), "T1")
    other_table = Journal(Storage(), SEALER, "T2")
    other_table.append(["state", "betting", "3.4"])
    assert Chain(SEALER, "T1").last != Chain(SEALER, "T2").last


def test_the_journal_of_a_full_table_round_fits_what_is_kept_free_for_it():
    """The longest ordinary round: eight boxes, three players each, every wager."""
    round_ = Round(table_config(LUCKY))
    journal = open_journal(Storage())
    for event in full_round(LUCKY):
        for record in round_.apply(event):
            journal.append(record)
    assert journal.used() < journal_module._ROUND_BYTES


def test_a_segment_without_a_head_is_found():
    storage = Storage({"00000001": encode(["rec", 1, 1, ["state", "betting", "3.4"], "00"])})
    with pytest.raises(BrokenChain) as caught:
        open_journal(storage)
    assert caught.value.detail == ("segment_without_head", "00000001")


def test_a_head_that_another_key_has_sealed_is_not_believed():
    """It is spelled as it should be, and names the same records; only the key is another one."""
    storage = Storage()
    open_journal(storage).append(["call", "pit_supervisor"])
    (name,) = storage.names()
    head, *lines = storage.files[name].split(b"\n")
    fields = decode(head)[:-1]
    forged = Sealer(bytes(32)).line(fields, journal_module.SEALED)
    assert forged.count(b",") == head.count(b",")
    storage.files[name] = forged + b"\n".join(lines)
    with pytest.raises(BrokenChain) as caught:
        open_journal(storage)
    assert caught.value.detail == ("head_not_sealed", name)


def test_one_segment_alone_is_never_dropped():
    journal = open_journal(Storage(capacity=1), segment_bytes=2000)
    journal.append(["state", "betting", "3.4"])
    journal.acknowledge(1)
    with pytest.raises(JournalFull):
        append_all(journal, rounds_of_records(20))
