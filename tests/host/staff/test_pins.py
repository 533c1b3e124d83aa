"""PINs, the gate that slows guessing down, and logins: how they work, and attacks on them."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.staff.logins import IDLE_S, MOST, MOST_OF_ONE, WHOLE_S, Logins
from host.staff.pins import (
    LEAST_WORK,
    MOST_DIGITS,
    WORK,
    BadHash,
    StaffMember,
    Work,
    check_pin,
    decoy,
    hash_pin,
    is_weak,
    pin_problem,
    read_hash,
)
from host.staff.throttle import BUSY, FORGET_S, MOST_KEPT, MOST_WAITING, WRONG, Gate, network_of

FAST = Work(16, 1, 1)
PIN = "402817"
OTHER_PIN = "918273"
DEALER = StaffMember("Dealer One", "dealer", hash_pin(PIN, FAST))
SUPERVISOR = StaffMember("Supervisor", "pit_supervisor", hash_pin(OTHER_PIN, FAST))
HERE = "127.0.0.1"
MINUTE = 60


# PINs


@pytest.mark.parametrize(
    ("pin", "reason"),
    [
        ("12345", "6 to 12 digits"),
        ("1234567890123", "6 to 12 digits"),
        ("40281a", "6 to 12 digits"),
        ("40 817", "6 to 12 digits"),
        ("", "6 to 12 digits"),
        ("٤٠٢٨١٧", "6 to 12 digits"),  # digits, but not of every keyboard
        ("²40281", "6 to 12 digits"),
        ("000000", "one digit"),
        ("999999999999", "one digit"),
        ("123456", "equal steps"),
        ("654321", "equal steps"),
        ("789012", "equal steps"),
        ("135791", "equal steps"),
        ("121212", "two different digits"),
        ("000001", "two different digits"),
        ("123123", "repeats itself"),
        ("402840284028", "repeats itself"),
        ("112233", "many people"),
    ],
)
def test_pins_that_are_guessed_first_are_refused_with_the_reason(pin, reason):
    assert reason in str(pin_problem(pin))
    with pytest.raises(ValueError, match=reason):
        hash_pin(pin, FAST)


@pytest.mark.parametrize("pin", [PIN, OTHER_PIN, "123457", "110022", "402817402818"])
def test_other_pins_will_do(pin):
    assert pin_problem(pin) is None


def test_a_pin_is_hashed_with_the_work_that_is_meant_and_is_checked():
    kept = hash_pin(PIN)
    assert kept.startswith("scrypt$32768$8$3$")
    assert PIN not in kept
    read = read_hash(kept)
    assert (read.work, len(read.salt), len(read.digest)) == (WORK, 16, 32)
    assert not is_weak(read)
    assert check_pin(PIN, kept)
    assert not check_pin("402818", kept)


def test_the_same_pin_twice_has_two_hashes():
    assert hash_pin(PIN, FAST) != hash_pin(PIN, FAST)


@given(st.text(st.sampled_from("0123456789"), min_size=6, max_size=12))
def test_only_the_pin_itself_fits_its_hash(pin):
    if pin_problem(pin) is None:
        kept = hash_pin(pin, FAST)
        assert check_pin(pin, kept)
        assert not check_pin(pin + "0", kept)
        assert not check_pin(pin[:-1], kept)
        assert not check_pin(pin, DEALER.pin) or pin == PIN


SALT = "32ijUj6-N6AMAt1Ks8KVBg"
HASH = "uQsdMsUJ67EvpD3LjgHNsB23iO0s1FweuCI-2Rs9_AQ"


@pytest.mark.parametrize(
    ("kept", "reason"),
    [
        ("", "pin_form"),
        (PIN, "pin_form"),
        (f"bcrypt$16384$8$1${SALT}${HASH}", "pin_form"),
        (f"scrypt$16384$8$1${SALT}${HASH}$", "pin_form"),
        (f"scrypt$16384$8$x${SALT}${HASH}", "pin_numbers"),
        (f"scrypt$16384$8$-1${SALT}${HASH}", "pin_numbers"),
        (f"scrypt${'9' * 5000}$8$1${SALT}${HASH}", "pin_numbers"),
        (f"scrypt$16383$8$1${SALT}${HASH}", "pin_work"),
        (f"scrypt$0$8$1${SALT}${HASH}", "pin_work"),
        (f"scrypt$16384$0$1${SALT}${HASH}", "pin_work"),
        (f"scrypt$67108864$8$1${SALT}${HASH}", "pin_costly"),
        (f"scrypt$16384$8$17${SALT}${HASH}", "pin_costly"),
        (f"scrypt$16384$8$1${SALT[4:]}${HASH}", "pin_damaged"),
        (f"scrypt$16384$8$1${SALT}${HASH}AAAA", "pin_damaged"),
        (f"scrypt$16384$8$1${SALT}${HASH[:-1]}!", "pin_damaged"),
        (f"scrypt$16384$8$1${SALT}${HASH[:-1]}R", "pin_damaged"),  # the last bits say nothing; one spelling only
        (f"scrypt$16384$8$1${SALT}${'é' * 43}", "pin_damaged"),
    ],
)
def test_what_is_no_hash_is_refused_with_the_reason(kept, reason):
    with pytest.raises(BadHash, match=reason):
        read_hash(kept)


@given(st.text())
def test_any_text_is_a_hash_or_is_refused(text):
    with pytest.raises(BadHash):
        read_hash(text)


def test_weak_work_is_known():
    for weak in (Work(1 << 13, 8, 1), Work(1 << 14, 4, 2)):
        assert is_weak(read_hash(decoy(weak)))
    assert not is_weak(read_hash(decoy(LEAST_WORK)))


# The gate


class CountingCheck:
    """The real check, and how often it was asked and about which hash."""

    def __init__(self):
        self.asked = []

    def __call__(self, pin, kept):
        self.asked.append(kept)
        return check_pin(pin, kept)


def gate(check=check_pin):
    return Gate([DEALER, SUPERVISOR], check)


def guess(gate, times, name=DEALER.name, address=HERE, now=0.0):
    return [gate.enter(name, "111111", address, now) for _ in range(times)][-1]


def test_the_right_pin_comes_in_however_the_name_is_written():
    for name in ("Dealer One", "dealer one", "  DEALER   ONE "):
        assert gate().enter(name, PIN, HERE, 0).member == DEALER


def test_a_wrong_pin_and_the_pin_of_another_do_not():
    for pin in ("402818", OTHER_PIN, "", PIN + "\n", " " + PIN, DEALER.pin, "9" * 100_000, "\ud800"):
        assert gate().enter(DEALER.name, pin, HERE, 0) == (None, WRONG, 0)


def test_five_wrong_ones_shut_the_name_for_a_minute_then_twice_as_long_up_to_an_hour():
    door, now = gate(), 1000.0
    assert guess(door, 4, now=now).wait_s == 0
    waits = []
    for _ in range(9):
        wait = guess(door, 1, now=now).wait_s
        waits.append(wait)
        now += wait
    assert waits == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]
    assert door.enter(DEALER.name, PIN, HERE, now).member == DEALER


def test_while_it_is_shut_even_the_right_pin_waits_and_no_hash_is_made():
    check = CountingCheck()
    door = gate(check)
    guess(door, 5)
    assert len(check.asked) == 5
    answer = door.enter(DEALER.name, PIN, "10.0.0.9", 59.5)
    assert (answer.member, answer.wait_s) == (None, 1)
    assert "try again in 1 second" in answer.refusal
    assert len(check.asked) == 5
    assert door.enter(DEALER.name, PIN, "10.0.0.9", 60).member == DEALER


def test_knocking_at_a_shut_gate_does_not_shut_it_longer():
    door = gate()
    guess(door, 5)
    guess(door, 50, now=30)
    assert door.enter(DEALER.name, PIN, HERE, 60).member == DEALER


def test_coming_in_starts_the_count_anew():
    door = gate()
    guess(door, 4)
    assert door.enter(DEALER.name, PIN, HERE, 1).member
    assert guess(door, 4, now=2).wait_s == 0
    assert guess(door, 1, now=2).wait_s == 60


def test_wrong_ones_are_forgotten_after_a_day_and_not_before():
    door = gate()
    guess(door, 4)
    assert guess(door, 1, now=FORGET_S).wait_s == 60
    door = gate()
    guess(door, 4)
    assert guess(door, 4, now=FORGET_S + 1).wait_s == 0


def test_another_name_still_comes_in_from_there():
    door = gate()
    guess(door, 5)
    assert door.enter(SUPERVISOR.name, OTHER_PIN, HERE, 0).member == SUPERVISOR


def test_one_address_that_tries_many_names_is_shut_out_and_others_are_not():
    door = gate()
    waits = [guess(door, 1, name=f"name {place}").wait_s for place in range(20)]
    assert waits == [0] * 19 + [MINUTE]
    assert door.enter(SUPERVISOR.name, OTHER_PIN, HERE, 1).wait_s == MINUTE - 1
    assert door.enter(SUPERVISOR.name, OTHER_PIN, "10.0.0.2", 1).member == SUPERVISOR


def test_coming_in_forgives_the_address_only_the_wrong_ones_of_that_name():
    """Whoever has a PIN of his own cannot use it to go on guessing those of others."""
    door = gate()
    for place in range(19):
        guess(door, 1, name=f"name {place}")
        assert door.enter(SUPERVISOR.name, OTHER_PIN, HERE, 0).member
    assert guess(door, 1, name="name 19").wait_s == MINUTE
    door = gate()
    for _ in range(30):  # a dealer who mistypes now and then, all day long, shuts nobody out
        guess(door, 1)
        assert door.enter(DEALER.name, PIN, HERE, 0).member


def test_many_machines_guessing_one_name_are_held_up_together():
    door = gate()
    tried = 0
    for place in range(200):
        tried += guess(door, 1, address=f"10.0.{place}.1").refusal.startswith(WRONG)
    assert tried == 5


def test_one_machine_with_many_addresses_of_its_own_is_one():
    door = gate()
    waits = [guess(door, 1, name=f"name {place}", address=f"2001:db8::{place:x}").wait_s for place in range(20)]
    assert waits == [0] * 19 + [MINUTE]
    assert network_of("::ffff:10.0.0.1") == network_of("10.0.0.1")
    assert network_of("fe80::1%eth0") == network_of("fe80::2")
    assert network_of("testclient") == "testclient"


def test_a_name_that_nobody_has_looks_the_same_at_every_step():
    check = CountingCheck()
    known, unknown = gate(check), gate(check)
    now = 0.0
    for _ in range(12):
        answer = guess(known, 1, now=now)
        before = len(check.asked)
        assert guess(unknown, 1, name="Nobody", now=now) == answer
        assert len(check.asked) == before + 1
        assert read_hash(check.asked[-1]).work == FAST
        now += answer.wait_s


def test_where_hashes_cost_differently_a_name_that_nobody_has_costs_the_same_each_time():
    dear = Work(32, 1, 1)
    check = CountingCheck()
    door = Gate([DEALER, StaffMember("Other", "dealer", hash_pin(OTHER_PIN, dear))], check)
    costs = []
    for place in range(60):
        for address in ("10.0.0.1", "10.0.0.2"):
            door.enter(f"name {place}", PIN, f"{address}{place}", 0)
        first, second = (read_hash(kept).work for kept in check.asked[-2:])
        assert first == second
        costs.append(first)
    assert set(costs) == {FAST, dear}


def test_a_decoy_admits_nobody_though_its_hash_should_fit():
    assert gate(lambda pin, kept: True).enter("Nobody", PIN, HERE, 0).member is None


def test_a_flood_of_names_and_addresses_neither_fills_the_memory_nor_frees_a_name():
    door = gate()
    guess(door, 5)
    for place in range(MOST_KEPT + 50):
        door.enter(f"name {place}", "1", f"10.{place // 250}.{place % 250}.1", 0)
    assert len(door.strangers) == len(door.addresses) == MOST_KEPT
    assert door.enter(DEALER.name, PIN, "10.200.0.1", 1).wait_s == MINUTE - 1


def test_an_address_that_goes_on_guessing_is_not_washed_away_by_others():
    door = gate()
    for place in range(20):
        guess(door, 1, name=f"name {place}", address="10.0.0.1")
    for place in range(MOST_KEPT + 500):
        guess(door, 1, name="x", address=f"10.{place // 250 + 1}.{place % 250}.1")
        if place == 500:
            assert guess(door, 1, address="10.0.0.1", now=1).wait_s == MINUTE - 1
    assert guess(door, 1, address="10.0.0.1", now=1).wait_s == MINUTE - 1


def test_guesses_at_the_same_moment_are_counted_like_others():
    door, answers = gate(), []
    ready = threading.Barrier(MOST_WAITING)

    def attack():
        ready.wait()
        for _ in range(5):
            answers.append(door.enter(DEALER.name, "111111", HERE, 0))

    threads = [threading.Thread(target=attack) for _ in range(MOST_WAITING)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 5 * MOST_WAITING
    assert sum(answer.refusal.startswith(WRONG) for answer in answers) == 5


def test_too_many_at_once_are_sent_away_uncounted():
    release, inside = threading.Event(), threading.Event()

    def slow(pin, kept):
        inside.set()
        assert release.wait(30)
        return check_pin(pin, kept)

    door, answers = gate(slow), []
    thread = threading.Thread(target=lambda: answers.append(door.enter(DEALER.name, PIN, HERE, 0)))
    thread.start()
    assert inside.wait(30)
    for _ in range(MOST_WAITING - 1):
        assert door.waiting.acquire(blocking=False)
    assert door.enter(DEALER.name, PIN, HERE, 0) == (None, BUSY, 1)
    release.set()
    thread.join()
    assert answers == [(DEALER, "", 0)]
    assert door.enter(DEALER.name, PIN, HERE, 0).member == DEALER


def test_with_no_staff_nobody_comes_in():
    check = CountingCheck()
    assert Gate([], check).enter("", "", HERE, 0) == (None, WRONG, 0)
    assert read_hash(check.asked[0]).work == WORK


def test_no_pin_reaches_scrypt_that_is_longer_than_a_pin():
    checked = []
    door = Gate([DEALER], lambda pin, kept: checked.append(pin) is not None)
    door.enter(DEALER.name, "1" * (MOST_DIGITS + 1), HERE, 0)
    assert checked == [""]


# Logins


def test_a_session_is_found_by_its_token_and_by_no_other():
    logins = Logins()
    token, change = logins.open(DEALER, 0)
    found = logins.find(token, 1)
    assert found
    assert found.member == DEALER
    for other in ("", token[:-1], token + "x", token.swapcase(), change, "é", "\ud800", "x" * 100_000):
        assert logins.find(other, 1) is None


def test_what_is_kept_does_not_hold_the_token():
    logins = Logins()
    token, change = logins.open(DEALER, 0)
    assert token not in repr(vars(logins))
    assert change not in repr(vars(logins))
    assert all(len(digest) == 32 for digest in logins.by_digest)
    digest = next(iter(logins.by_digest))
    assert logins.find(digest.hex(), 0) is None


def test_a_session_ends_after_a_quarter_of_an_hour_without_use():
    logins = Logins()
    token, _ = logins.open(DEALER, 0)
    assert logins.find(token, IDLE_S - 1)
    assert logins.find(token, 2 * IDLE_S - 2)
    assert logins.find(token, 3 * IDLE_S - 2) is None
    assert logins.find(token, 2 * IDLE_S) is None  # what is over stays over


def test_what_a_page_asks_by_itself_does_not_keep_a_session_open():
    logins = Logins()
    token, _ = logins.open(DEALER, 0)
    for now in range(0, IDLE_S, 10):
        assert logins.find(token, now, is_use=False)
    assert logins.change_of(token, IDLE_S - 1)
    assert logins.find(token, IDLE_S) is None
    assert logins.change_of(token, IDLE_S) is None


def test_a_session_ends_after_twelve_hours_though_it_is_used():
    logins = Logins()
    token, _ = logins.open(DEALER, 0)
    for now in range(0, WHOLE_S, IDLE_S // 2):
        assert logins.find(token, now)
    assert logins.find(token, WHOLE_S) is None


def test_a_clock_that_goes_back_changes_nothing():
    logins = Logins()
    token, _ = logins.open(DEALER, 1000)
    assert logins.find(token, 1500)
    assert logins.find(token, 1200)
    assert logins.find(token, 1500 + IDLE_S - 1, is_use=False)
    assert logins.find(token, 1500 + IDLE_S) is None
    token, _ = logins.open(DEALER, 1000)
    assert logins.find(token, 999) is None


def test_logging_out_ends_that_session_and_no_other():
    logins = Logins()
    first, second = logins.open(DEALER, 0).token, logins.open(DEALER, 0).token
    assert first != second
    logins.close(first)
    logins.close("unknown")
    assert logins.find(first, 1) is None
    assert logins.find(second, 1)


def test_one_person_has_only_so_many_and_pushes_nobody_else_out():
    logins = Logins()
    other = logins.open(SUPERVISOR, 0).token
    tokens = [logins.open(DEALER, now).token for now in range(1, MOST_OF_ONE + 1)]
    assert logins.find(tokens[0], 20)  # used, so the second is now the one unused for longest
    logins.open(DEALER, 21)
    assert logins.find(tokens[1], 22) is None
    assert logins.find(tokens[0], 22)
    assert logins.find(other, 22)


def test_there_are_never_more_than_the_most_and_expired_ones_go_first():
    logins = Logins()
    staff = [StaffMember(f"Dealer {place}", "dealer", DEALER.pin) for place in range(MOST + 1)]
    tokens = [logins.open(member, now).token for now, member in enumerate(staff)]
    assert len(logins.by_digest) == MOST
    assert logins.find(tokens[0], MOST) is None
    assert logins.find(tokens[1], MOST)
    logins.open(DEALER, MOST + IDLE_S)
    assert len(logins.by_digest) == 1


def test_a_change_needs_the_change_token_of_the_same_session():
    logins = Logins()
    mine, theirs = logins.open(DEALER, 0), logins.open(SUPERVISOR, 0)
    found = logins.find_for_change(mine.token, mine.change, 1)
    assert found
    assert found.member == DEALER
    assert logins.change_of(mine.token, 1) == mine.change
    for change in (theirs.change, "", mine.token, mine.change[:-1], mine.change.upper() + " ", "é", "\ud800"):
        assert logins.find_for_change(mine.token, change, 1) is None
    assert logins.find_for_change("", mine.change, 1) is None
    assert logins.find_for_change(mine.token, mine.change, IDLE_S + 1) is None


def test_a_change_token_of_another_host_is_worth_nothing():
    logins = Logins()
    token, change = logins.open(DEALER, 0)
    other = Logins()
    other.by_digest = dict(logins.by_digest)
    assert other.find_for_change(token, change, 0) is None
