"""What a start tells of the time before it, by the marks on the flash."""

from pathlib import Path

import pytest

from firmware import service_marks
from firmware.service_marks import _CONSOLE_MARK, _FILES_MARK, news, told
from host.pico.deploy import is_kept
from host.pico.mpy import ROOT

OLD, NEW = "00" * 16, "ab" * 16


@pytest.fixture(autouse=True)
def flash(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("felt").mkdir()


def test_a_new_table_has_no_news():
    assert news(NEW, True) == []
    told(NEW)
    assert Path(_FILES_MARK).read_text() == NEW
    assert news(NEW, False) == []


def test_the_console_is_told_until_it_is_in_the_journal():
    told(NEW)
    Path(_CONSOLE_MARK).touch()
    assert news(NEW, False) == news(NEW, False) == [["console"]]
    told(NEW)
    assert news(NEW, False) == []


@pytest.mark.parametrize(
    ("mark", "before"), [(OLD.encode(), OLD), (b"", ""), (b"\xff" * 32, ""), (OLD.encode() * 9, ""), (None, "")]
)
def test_files_that_changed_are_told_with_both_digests(mark, before):
    if mark is not None:
        Path(_FILES_MARK).write_bytes(mark)
    assert news(NEW, False) == [["files", before, NEW]]
    told(NEW)
    assert news(NEW, False) == []


def test_a_flash_that_takes_nothing_stops_no_table_and_tells_it_again(monkeypatch):
    told(OLD)
    Path(_CONSOLE_MARK).touch()

    def full(path, mode="r"):
        if mode == "w":
            raise OSError(28, "ENOSPC")
        return open(path, mode)

    monkeypatch.setattr(service_marks, "open", full, raising=False)
    told(NEW)
    assert news(NEW, False) == [["files", OLD, NEW]]


def test_main_py_leaves_the_mark_that_is_looked_for_and_flashing_keeps_both():
    assert f'open("{_CONSOLE_MARK}", "a")' in (ROOT / "firmware/device_main.py").read_text()
    assert is_kept(_CONSOLE_MARK)
    assert is_kept(_FILES_MARK)
