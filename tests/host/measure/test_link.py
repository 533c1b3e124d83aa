"""The measurement of the link and of the journal on MicroPython can be made at any time."""

from host.measure.link import measure_micropython_records


def test_what_a_record_costs_on_micropython():
    figures = {figure.what: figure for figure in measure_micropython_records()}
    assert set(figures) == {f"MicroPython, {what}, a record" for what in ("append", "MAC", "encode")}
    for figure in figures.values():
        microseconds, heap = figure.measured.split(",")
        assert int(microseconds.split()[0]) > 0
        assert int(heap.split()[0]) > 0
    assert figures["MicroPython, MAC, a record"].beside.endswith("% of the append")
