"""What the tests of the doctor share: a log, marks of findings, and what lies in a folder."""

from host.doctor.findings import OK
from tests.support.log.logs import RecordingTable, write_log
from tests.support.tables import MBS


def marks(findings):
    assert all(bool(one.todo) == (one.mark != OK) for one in findings), "what is not right says what to do"
    return [one.mark for one in findings]


def a_log(folder, records=None):
    """A log of the table T1 in the place that its file names."""
    table = RecordingTable({"game": MBS, "boxes": 2})
    table.do("open")
    write_log(folder / "t1.db", table.records() if records is None else records)
    return folder / "t1.db"


def snapshot(folder):
    return {path.name: (path.read_bytes(), path.stat().st_mode) for path in folder.iterdir() if path.is_file()}
