"""The bench of the log measures what it says: the same rows in the same transactions on both sides."""

from host.measure.log import Bench
from tests.support.log.logs import read_rows


def test_both_sides_write_the_same_rows(tmp_path):
    bench = Bench(tmp_path)
    bench.play(1, send=False)
    bench.send_all()
    times = bench.close()
    rows = read_rows(tmp_path / "log")
    assert read_rows(tmp_path / "plain") == rows
    assert times.records == len(rows) > 300
    assert times.records / times.batches > 20
    assert min(times.host, times.plain) > 0
    assert times.committing < times.host
