"""Wrong PINs are counted over a restart of the host: the gate's book, and attacks on it."""

import json
import os
import stat
from dataclasses import replace

import httpx
import pytest

from host.commands.run import live_page
from host.staff.pins import LEAST_WORK, StaffMember, hash_pin
from host.staff.throttle import FIRST_WAIT_S, FORGET_S, LONGEST_WAIT_S, MOST_KEPT, NAME_TRIES, Gate
from host.staff.throttle_file import LONGEST_FILE, TriesBook

PIN = "402817"
STAFF = [
    StaffMember("Ann", "dealer", hash_pin(PIN, LEAST_WORK)),
    StaffMember("Bob", "pit_supervisor", hash_pin("918273", LEAST_WORK)),
]
HERE = "192.0.2.7"


def check(pin, kept):
    return pin == PIN and kept == STAFF[0].pin


class Starts:
    """A host that is started again and again; its own clock begins anew each time, the wall's goes on."""

    def __init__(self, folder):
        self.path = folder / "t1.db.tries"
        self.wall = 1_790_000_000.0

    def gate(self, now=1000.0):
        return Gate(STAFF, check, TriesBook(self.path, lambda: self.wall), now)


@pytest.fixture
def starts(tmp_path):
    return Starts(tmp_path)


def guess(gate, times, now, name="Ann", address=HERE):
    return [gate.enter(name, "111111", address, now) for _ in range(times)][-1]


def test_a_restart_gives_no_new_tries(starts):
    assert guess(starts.gate(), NAME_TRIES - 1, 1000.0).wait_s == 0
    assert guess(starts.gate(now=5.0), 1, 5.0).wait_s == FIRST_WAIT_S
    starts.wall += 20
    assert starts.gate(now=7.0).enter("Ann", PIN, HERE, 7.0).wait_s == FIRST_WAIT_S - 20
    starts.wall += 40
    assert guess(starts.gate(now=9.0), 1, 9.0).wait_s == 2 * FIRST_WAIT_S, "and the waits go on growing"


def test_a_restart_gives_an_address_no_new_tries(starts):
    for name in range(20):
        guess(starts.gate(), 1, 1000.0, name=f"stranger {name}")
    assert starts.gate().enter("Bob", PIN, HERE, 1000.0).wait_s == FIRST_WAIT_S
    assert starts.gate().enter("Ann", PIN, "192.0.2.8", 1000.0).member == STAFF[0]


def test_who_comes_in_is_forgiven_over_a_restart_too(starts):
    guess(starts.gate(), NAME_TRIES - 1, 1000.0)
    assert starts.gate().enter("Ann", PIN, HERE, 1000.0).member == STAFF[0]
    assert guess(starts.gate(), NAME_TRIES - 1, 1000.0).wait_s == 0


def test_a_clock_that_is_put_back_opens_nothing_and_shuts_nothing_for_longer(starts):
    guess(starts.gate(), NAME_TRIES, 1000.0)
    starts.wall -= 10**9
    gate = starts.gate(now=0.0)
    assert gate.enter("Ann", PIN, HERE, 0.0).wait_s == FIRST_WAIT_S
    guess(gate, 1, 0.0, name="Bob")
    starts.wall += 10**9 + 10  # and right again: ten seconds have passed, not thirty years
    assert starts.gate(now=0.0).enter("Ann", PIN, HERE, 0.0).wait_s == FIRST_WAIT_S - 10


def test_what_is_a_day_old_is_forgotten(starts):
    guess(starts.gate(), NAME_TRIES, 1000.0)
    starts.wall += FORGET_S + 1
    assert guess(starts.gate(now=0.0), NAME_TRIES - 1, 0.0).wait_s == 0


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"seconds": NaN, "names": {}, "addresses": {}}',
        b'{"seconds": 0, "names": {"ann": [{"": -5}, 0, 0]}, "addresses": {}}',
        b'{"seconds": 0, "names": {"ann": [{"": Infinity}, 0, 0]}, "addresses": {}}',
        b'{"seconds": 0, "names": {"ann": 5}, "addresses": {}}',
        b'{"seconds": 0, "names": 5, "addresses": {}}',
        b"\xff\x00",
        b"[" * 100_000,
        b" " * (LONGEST_FILE + 1) + b'{"seconds": 0, "names": {}, "addresses": {}}',
    ],
    ids=lambda content: repr(content[:60]),
)
def test_a_damaged_file_gives_nobody_a_try_and_keeps_nobody_out_for_long(starts, content):
    starts.path.write_bytes(content)
    gate = starts.gate()
    assert gate.enter("Ann", PIN, HERE, 1000.0).wait_s == FIRST_WAIT_S
    assert gate.enter("Ann", PIN, HERE, 1000.0 + FIRST_WAIT_S).member == STAFF[0]
    assert starts.gate().enter("Ann", PIN, HERE, 1000.0).member == STAFF[0], "and the file is whole again"


def test_a_wait_that_nobody_can_have_got_is_cut_to_the_longest(starts):
    given = {"seconds": starts.wall, "names": {"ann": [{"": 9}, 0, 1e300]}, "addresses": {}}
    starts.path.write_text(json.dumps(given))
    assert starts.gate().enter("Ann", PIN, HERE, 1000.0).wait_s == LONGEST_WAIT_S


def test_a_folder_that_takes_nothing_stops_nobody(tmp_path):
    gate = Gate(STAFF, check, TriesBook(tmp_path / "none" / "t1.tries"), 0.0)
    assert guess(gate, NAME_TRIES, 0.0).wait_s == FIRST_WAIT_S
    assert gate.enter("Ann", PIN, HERE, 100.0).member == STAFF[0]


@pytest.mark.slow
def test_the_file_is_private_bounded_and_names_nobody_who_is_not_staff(starts):
    gate = starts.gate()
    for number in range(MOST_KEPT + 50):
        gate.try_one("402817", "111111", f"network {number}", 1000.0)
        gate.strangers.clear()
    assert stat.S_IMODE(os.stat(starts.path).st_mode) == 0o600
    content = starts.path.read_text()
    assert "402817" not in content
    assert len(content) < LONGEST_FILE // 10
    assert f"network {MOST_KEPT + 49}" in content
    assert '"network 0"' not in content
    assert [path.name for path in starts.path.parent.iterdir()] == [starts.path.name], "nothing else is left"


def test_the_live_page_keeps_its_tries_beside_the_log(table):
    table.table.config = replace(table.config, page=replace(table.config.page, port=0))
    refusals = []
    for _ in range(2):
        with live_page(table.table, STAFF) as page:
            url = page.heading[0].split()[4].rstrip(",")
            for _ in range(NAME_TRIES - 2):
                login = httpx.post(f"{url}/login", json={"name": "Ann", "pin": "111111"}, headers={"Origin": url})
                refusals.append(login.status_code)
    assert refusals == [401] * 4 + [429] * 2
    assert table.config.log.file.with_name("t1.db.tries").exists()
