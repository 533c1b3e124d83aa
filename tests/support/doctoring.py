"""What the tests of the doctor share: a log, marks of findings, and what lies in a folder."""

from host.doctor.findings import OK
from host.words.doctor import found_words, todo_words
from tests.support.log.logs import RecordingTable, write_log
from tests.support.tables import MBS


def marks(findings):
    for one in findings:
        assert found_words(one)
        assert bool(todo_words(one)) == (one.mark != OK), "what is not right says what to do"
        assert "{" not in found_words(one) + todo_words(one), "every code has its words"
    return [one.mark for one in findings]


def codes(findings):
    marks(findings)
    return [one.code for one in findings]


def a_log(folder, records=None):
    """A log of the table T1 in the place that its file names."""
    table = RecordingTable({"game": MBS, "boxes": 2})
    table.do("open")
    write_log(folder / "t1.db", table.records() if records is None else records)
    return folder / "t1.db"


def snapshot(folder):
    return {path.name: (path.read_bytes(), path.stat().st_mode) for path in folder.iterdir() if path.is_file()}
