"""The measurement of the log compares like with like: the same rows in the same transactions on both sides."""

from host.measure.log import MeasuredTable
from tests.support.log.logs import read_rows


def test_both_sides_write_the_same_rows(tmp_path):
    table = MeasuredTable(tmp_path)
    table.play(1, send=False)
    table.send_all()
    table.close()
    rows = read_rows(tmp_path / "log")
    assert read_rows(tmp_path / "plain") == rows
    assert table.records == len(rows) > 300
    assert table.records / table.batches > 20
    assert min(table.host, table.plain) > 0
    assert table.store.committing < table.host
