"""What the doctor says of versions, clock, disk, display and page, driven with what is there and what is not."""

import os
import socket
import time
from collections import namedtuple

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from host.doctor.files import LogFacts
from host.doctor.findings import LOOK, OK, WRONG, read_subject
from host.doctor.machine import (
    Asked,
    asked_for,
    check_clock,
    check_disk,
    check_display,
    check_page,
    check_versions,
    network_time,
)
from host.words.doctor import found_words, todo_words
from tests.support.doctoring import codes, marks, snapshot
from tests.support.log.logs import NOON
from tests.support.table_files import LUCKY_FILE, changed, write

Usage = namedtuple("Usage", "total used free")


# Versions


@pytest.mark.parametrize(
    ("has", "conditions", "is_right"),
    [
        ("8.1", ">=8.1", True),
        ("8.1.0", ">=8.1", True),
        ("8.0.9", ">=8.1", False),
        ("10.0", ">=9.9", True),
        ("13.9.1", ">=11,<14", True),
        ("14.0", ">=11,<14", False),
        ("14", "<=14.0", True),
        ("3.5", "==3.5.0", True),
        ("3.6", "!=3.6", False),
        ("2.1", ">2.1.0", False),
        ("2.4.9", "~=2.4", True),
        ("3.0", "~=2.4", False),
        ("2.4.9", "~=2.4.1", True),
        ("2.5.0", "~=2.4.1", False),
        ("3.13.0rc1", ">=3.11", True),
        ("1.29.0.post2", ">=1.23", True),
        ("0.1", "", True),
    ],
)
def test_conditions_of_versions(has, conditions, is_right):
    asked = Asked("0.1.0", SpecifierSet(">=3.11"), [Requirement(f"click{conditions}")])
    found = codes(check_versions(asked, {"felt": "0.1.0", "click": has}.get, "3.13.0rc1"))
    assert found == ["versions.fine" if is_right else "versions.package"]


def test_what_runs_here_is_as_felt_asks():
    assert marks(check_versions()) == [OK]


def test_packages_missing_or_too_old_and_an_old_python():
    asked = Asked(
        "0.1.0",
        SpecifierSet(">=3.11"),
        [Requirement("click>=8.1"), Requirement("numpy>=2.0"), Requirement("rich>=14")],
    )
    has = {"felt": "0.0.9", "click": "7.0", "rich": "14.0"}
    findings = check_versions(asked, has.get, "3.10.4")
    assert codes(findings) == ["versions.python", "versions.package", "versions.missing", "versions.felt"]
    assert findings[0].fields == {"python": "3.10.4", "wanted": ">=3.11"}
    assert findings[1].fields.items() >= {"package": "click", "found": "7.0", "wanted": "click>=8.1"}.items()
    assert findings[2].fields["package"] == "numpy"
    assert findings[3].fields == {"found": "0.0.9", "wanted": "0.1.0"}
    assert marks(findings) == [WRONG, WRONG, WRONG, LOOK]


def test_without_a_checkout_the_installed_package_says_what_it_needs(tmp_path):
    here, there = asked_for(), asked_for(tmp_path)
    assert there.felt == here.felt
    assert "click>=8.1" in [str(one) for one in there.packages]
    assert "pytest" not in [one.name for one in there.packages], "only developers need that"


# The clock


def test_the_clock_by_whether_the_network_sets_it():
    assert marks(check_clock(LogFacts(), NOON, lambda: True)) == [OK, OK]
    assert marks(check_clock(LogFacts(), NOON, lambda: False)) == [OK, LOOK]
    unknown = check_clock(LogFacts(), NOON, lambda: None)
    assert marks(unknown) == [OK, LOOK]
    assert unknown[1].code == "clock.unknown"


@pytest.mark.parametrize("now", [0, 1_500_000_000, 5_000_000_000])
def test_a_clock_that_cannot_be(now):
    assert marks(check_clock(LogFacts(), now, lambda: True)) == [WRONG]


def test_a_clock_before_the_logs_last_record():
    facts = LogFacts(exists=True, last=5, last_seconds=NOON)
    assert marks(check_clock(facts, NOON - 5, lambda: True)) == [OK, OK]
    findings = check_clock(facts, NOON - 6, lambda: True)
    assert marks(findings) == [WRONG]
    assert findings[0].code == "clock.behind_log"


def test_the_time_zone_is_said(monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    time.tzset()
    try:
        found = check_clock(LogFacts(), NOON, lambda: True)[0].fields
    finally:
        monkeypatch.undo()
        time.tzset()
    assert found == {"now": "2026-09-21 19:58:20+05:45"}


def test_timedatectl_that_says_yes_no_nothing_or_is_not_there(tmp_path):
    script = tmp_path / "timedatectl"
    for said, meant in (("echo yes", True), ("echo no", False), ("echo maybe", None), ("echo yes; exit 1", None)):
        script.write_text(f"#!/bin/sh\n{said}\n")
        script.chmod(0o755)
        assert network_time(str(script)) is meant
    assert network_time(str(tmp_path / "absent")) is None


# The disk


def free(count):
    return lambda folder: Usage(10**12, 0, count)


def test_room_on_the_disk_and_for_how_long(table_file):
    subject = read_subject(table_file)
    facts = LogFacts(exists=True, bytes_a_day=2_000_000)
    findings = check_disk(subject, facts, free(5_000_000_000))
    assert marks(findings) == [OK]
    assert findings[0].fields == {"what": "log", "folder": table_file.parent, "free": 5.0, "days": 2500}
    assert found_words(findings[0]).endswith("enough for 2,500 days")
    assert marks(check_disk(subject, facts, free(99_999_999))) == [WRONG]
    assert marks(check_disk(subject, facts, free(999_999_999))) == [LOOK]
    busy = LogFacts(exists=True, bytes_a_day=100_000_000)
    assert marks(check_disk(subject, busy, free(2_900_000_000))) == [LOOK], "29 days"
    assert marks(check_disk(subject, busy, free(3_000_000_000))) == [OK], "30 days"
    assert "more than ten years" in found_words(check_disk(subject, facts, free(10**12))[0])
    assert codes(check_disk(subject, LogFacts(), free(10**12))) == ["disk.room"]


def test_folders_that_are_not_there_or_may_not_be_written(keyed_folder):
    text = changed(('"t1.db"', '"logs/t1.db"'), ('"t1.checkpoints"', '"signed/t1.checkpoints"'))
    subject = read_subject(write(keyed_folder, text))
    findings = check_disk(subject, LogFacts())
    assert marks(findings) == [WRONG, WRONG]
    assert todo_words(findings[0]) == f"mkdir -p {keyed_folder}/logs"
    for name in ("logs", "signed"):
        (keyed_folder / name).mkdir()
    assert marks(check_disk(subject, LogFacts(), free(10**12))) == [OK], "one disk, said once"
    (keyed_folder / "logs").chmod(0o555)
    keyed_folder.chmod(0o755)
    was = os.geteuid()
    if was == 0:
        for folder in keyed_folder.parents:
            if folder.name.startswith(("pytest-", "popen-")):
                folder.chmod(0o755)
        os.seteuid(65534)
    try:
        findings = check_disk(subject, LogFacts(), free(10**12))
    finally:
        os.seteuid(was)
    assert (findings[0].mark, findings[0].code) == (WRONG, "disk.not_writable")
    assert findings[0].fields == {"what": "log", "path": keyed_folder / "logs" / "t1.db"}


# The display


def display_found(folder, display, **more):
    text = LUCKY_FILE.replace("[[staff]]", f"[display]\n{display}\n\n[[staff]]")
    return check_display(read_subject(write(folder, text)), **more)


def test_displays_that_do_no_harm_are_opened(keyed_folder):
    before = snapshot(keyed_folder)
    assert codes(display_found(keyed_folder, 'kind = "none"')) == ["display.none"]
    assert marks(display_found(keyed_folder, 'kind = "terminal"')) == [OK]
    assert marks(display_found(keyed_folder, 'kind = "png"\nfile = "t1.png"')) == [OK]
    assert marks(display_found(keyed_folder, 'kind = "png"\nfile = "absent/t1.png"')) == [WRONG]
    assert set(snapshot(keyed_folder)) - set(before) == {"t1.toml"}, "no picture was made"


def test_a_display_that_does_not_fit_together(keyed_folder):
    findings = display_found(keyed_folder, 'kind = "hub75"\nsize = "64x32"\nchain = 5')
    assert codes(findings) == ["display.unnamed"]


def test_turns_and_brightness_as_the_file_has_them(keyed_folder):
    display = 'kind = "max7219"\nrotate = 90\nbrightness = 100'
    (keyed_folder / "spidev0.0").write_text("")
    findings = display_found(keyed_folder, display, has_module=lambda name: True, devices=keyed_folder)
    assert marks(findings) == [OK]


def test_max7219_without_package_without_spi_and_with_both(keyed_folder):
    def found(modules, devices):
        has = modules.__contains__
        return display_found(keyed_folder, 'kind = "max7219"', has_module=has, devices=devices)[0]

    assert todo_words(found((), keyed_folder)) == "pip install spidev"
    missing = found(("spidev",), keyed_folder)
    assert (missing.code, missing.fields) == ("display.no_spi", {"path": keyed_folder / "spidev0.0"})
    (keyed_folder / "spidev0.0").write_text("")
    assert found(("spidev",), keyed_folder).mark == OK


@pytest.mark.parametrize(("kind", "module"), [("ws2812", "_rpi_ws281x"), ("hub75", "rgbmatrix")])
def test_panels_that_need_a_library_and_root(kind, module, keyed_folder):
    def found(modules, is_root):
        has = modules.__contains__
        return marks(display_found(keyed_folder, f'kind = "{kind}"', has_module=has, is_root=is_root))

    assert found((), False) == [WRONG, WRONG]
    assert found((), True) == [WRONG]
    assert found((module,), False) == [WRONG]
    assert found((module,), True) == [OK]


# The page


def page_found(folder, page, writer=None):
    text = LUCKY_FILE.replace("[[staff]]", f"[page]\n{page}\n\n[[staff]]")
    return check_page(read_subject(write(folder, text)), writer)


def test_the_page(keyed_folder):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        findings = page_found(keyed_folder, f"port = {port}")
        assert codes(findings) == ["page.in_use"]
        assert findings[0].fields.items() >= {"address": "127.0.0.1", "port": port}.items()
        assert marks(page_found(keyed_folder, f"port = {port}", writer=77)) == [OK]
        assert marks(page_found(keyed_folder, f"port = {port}\noff = true")) == [OK]
    assert marks(page_found(keyed_folder, f"port = {port}")) == [OK], "free again"
    assert marks(page_found(keyed_folder, f'port = {port}\naddress = "0.0.0.0"')) == [LOOK, OK]
    nowhere = page_found(keyed_folder, f'port = {port}\naddress = "192.0.2.7"')
    assert marks(nowhere) == [LOOK, WRONG]
    assert nowhere[1].code == "page.no_address"
