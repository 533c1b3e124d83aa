"""What a table brings along becomes the beginning of its journal, whole or not at all, at any power cut."""

import importlib
import io
import random
import sys
from types import SimpleNamespace

import pytest

from firmware.recorder import Recorder
from shared.journal.carry import CARRY_FILE, check_carry, first_line, take_carry
from shared.journal.chain import BrokenChain, Chain
from shared.journal.journal import Journal
from shared.journal.ring_making import make_ring
from shared.journal.seal import Sealer
from shared.journal.wire import decode
from tests.support.linked import KEY, RULES
from tests.support.log.logs import RecordingTable, play_round
from tests.support.nor_flash import Files, NorFlash, cuts
from tests.support.storage import Storage

SEALER = Sealer(KEY)
NOTE = ["replaced", "Pit Two", "pit_supervisor", "e660583883265039", 1_790_000_000]
SECTORS = 40


def nothing():
    pass


@pytest.fixture(scope="module")
def table():
    """One that is in the middle of its fourth round."""
    made = RecordingTable({"game": "mbs-three-pictures-2", "boxes": 2}, rules=RULES)
    for _ in range(3):
        play_round(made)
    made.do("open")
    made.say("dealer 1", "bet", 1, "P1", "main", 1000)
    made.do("close")
    made.do("card", "KS")
    return made


@pytest.fixture(scope="module")
def carry(table):
    journal = table.journal
    lines = list(journal.lines_from(journal.whole))
    before = bytes.fromhex(journal.seal_of(journal.whole - 1).decode())
    about = (journal.whole, journal.boot, before, journal.origin, journal.chain.number, NOTE)
    return first_line(SEALER, *about) + b"".join(line + b"\n" for line in lines)


def taken(content, sealer=SEALER):
    journal = Journal(Storage(), sealer, "T1")
    check_carry(Chain(sealer, "T1"), io.BytesIO(content), nothing)
    return journal, take_carry(journal, io.BytesIO(content))


def numbered(journal, first):
    return [decode(line)[1:4] for line in journal.lines_from(first)]


def test_the_chain_goes_on_where_it_was(table, carry):
    journal, note = taken(carry)
    old = table.journal
    assert note == NOTE
    assert (journal.chain.number, journal.chain.last) == (old.chain.number, old.chain.last)
    assert (journal.whole, journal.origin, journal.acknowledged) == (old.whole, old.origin, old.chain.number)
    assert journal.boot == old.boot + 1
    assert numbered(journal, 1) == numbered(old, old.whole)
    opened = Journal(journal.storage, SEALER, "T1")
    assert (opened.chain.last, opened.whole, opened.origin) == (old.chain.last, old.whole, old.origin)
    assert opened.boot > old.boot


def test_a_file_that_is_not_whole_is_never_taken(carry):
    """Cut anywhere, at the ends of lines too."""
    ends = [place + 1 for place, byte in enumerate(carry) if byte == 10][:-1]
    for length in {*ends, *range(0, len(carry) - 1, 7), len(carry) - 1}:
        with pytest.raises(BrokenChain):
            taken(carry[:length])


def test_a_file_that_was_changed_or_is_another_tables_is_not_taken(carry):
    dice = random.Random("changed")
    for _ in range(200):
        place = dice.randrange(len(carry))
        changed = carry[:place] + bytes([carry[place] ^ (1 << dice.randrange(7))]) + carry[place + 1 :]
        with pytest.raises(BrokenChain):
            taken(changed)
    with pytest.raises(BrokenChain, match="carry_not_sealed"):
        taken(carry, Sealer(bytes(32)))


# -- on a Pico


class Pico:
    """A Pico's flash with a ring of few sectors, and the firmware's own start on it."""

    def __init__(self, monkeypatch, cells=None):
        self.flash = NorFlash(cells, blocks=96)
        self.files = Files(self.flash, format_it=cells is None)
        if cells is None:
            self.files.os.mkdir("felt")
            make_ring(
                self.flash,
                self.files.os,
                self.files.open,
                random.Random(1).randbytes,
                nothing,
                self.files.cost,
                SECTORS,
            )
        monkeypatch.setitem(sys.modules, "machine", SimpleNamespace())
        monkeypatch.setitem(sys.modules, "rp2", SimpleNamespace(Flash=lambda: self.flash))
        self.boot = importlib.import_module("firmware.boot")
        monkeypatch.setattr(self.boot, "os", self.files.os)
        monkeypatch.setattr(self.boot, "gc", SimpleNamespace(collect=nothing))
        monkeypatch.setattr(self.boot, "open", self.files.open, raising=False)

    def put(self, content):
        with self.files.open(CARRY_FILE, "wb") as file:
            file.write(content)

    def start(self):
        """As boot.start does it."""
        journal, more = self.boot.open_journal("T1", SEALER, nothing)
        recorder = Recorder(journal, "power", random.Random(2).randbytes, RULES, more or ())
        if more is not None:
            self.files.os.remove(CARRY_FILE)
        return recorder

    def has_carry(self):
        return self.boot.is_there(CARRY_FILE)


@pytest.fixture(autouse=True)
def _fresh_boot():
    yield
    sys.modules.pop("firmware.boot", None)


@pytest.mark.parametrize("has_old_records", [False, True])
def test_the_power_may_go_at_every_flash_operation_of_the_first_start(monkeypatch, table, carry, has_old_records):
    """Then the next start does it all again, and the table stands as if nothing had happened."""
    pico = Pico(monkeypatch)
    if has_old_records:
        journal, _ = pico.boot.open_journal("T1", SEALER, nothing)
        for number in range(150):
            journal.append(["quiet", number])
    pico.put(carry)
    before = bytes(pico.flash.cells)
    pico.flash.operations.clear()
    first = table.journal.chain.number + 1
    recorder = pico.start()
    wanted = numbered(recorder.journal, table.journal.whole)
    assert [record[0] for _, _, record in wanted[first - wanted[0][1] :]][:3] == ["boot", "replaced", "event"]
    assert not pico.has_carry()
    operations = pico.flash.operations
    assert len(operations) > 40
    started = 0
    for cut, cells in cuts(before, operations, "carry"):
        again = Pico(monkeypatch, cells)
        is_begun_anew = again.has_carry()
        recorder = again.start()
        found = numbered(recorder.journal, table.journal.whole)
        assert not again.has_carry(), cut
        if is_begun_anew:
            assert found == wanted, cut
        else:
            # The first start was all over, so this one is the next.
            started += 1
            assert found[: len(wanted)] == wanted, cut
            assert [record[0] for _, _, record in found[len(wanted) :]].count("boot") == 1, cut
        assert [record for _, _, record in found].count(NOTE) == 1, cut
        assert recorder.round.state == pico_state(recorder)
    assert started < len(operations) // 4


def pico_state(recorder):
    """The book's power-failure paragraph has spoken: the dealer says which cards lie open."""
    return "frozen" if recorder.round.question else recorder.round.state


def test_a_torn_file_stops_the_start_and_a_whole_one_cures_it(monkeypatch, table, carry):
    pico = Pico(monkeypatch)
    pico.put(carry[: len(carry) // 2])
    with pytest.raises(BrokenChain):
        pico.start()
    assert pico.has_carry()
    with pytest.raises(BrokenChain):
        pico.start()
    pico.put(carry)
    assert pico.start().journal.chain.number > table.journal.chain.number


def test_the_same_file_twice_begins_twice_from_the_same(monkeypatch, table, carry):
    """The file is gone after the first start; put there again, it counts again, and what was written goes."""
    pico = Pico(monkeypatch)
    pico.put(carry)
    wanted = numbered(pico.start().journal, table.journal.whole)
    pico.put(carry)
    assert numbered(pico.start().journal, table.journal.whole) == wanted
