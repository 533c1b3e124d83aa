"""Rig and table are found by who they say they are, and one user has them at a time; on pseudo-terminals."""

import os
import select
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from host.bench.hardware.identity import BARE, TABLE, Identity, PairAbsent, PairError, open_pair
from tests.support.documents import ROOT
from tests.support.firmware.emulated_port import serve_pty
from tests.support.firmware.images import needs_image
from tests.support.firmware.pairs import BARE as NO_FILES
from tests.support.firmware.pairs import boot
from tests.support.firmware.rig_desk import Desk
from tests.support.floors import IDENTITY
from tests.support.ports import PseudoPort, RealTable, silent

BENCH = "BENCH"
HOLD = f"""
import sys
from host.bench.hardware.identity import open_pair
pair = open_pair(sys.argv[1], sys.argv[2], {BENCH!r})
print("held", flush=True)
sys.stdin.read()
"""


class RealRig:
    """The rig's firmware behind a port."""

    def __init__(self):
        self.desk = Desk()

    def __call__(self, now, heard):
        self.desk.usb.incoming += heard
        self.desk.run(max(now - self.desk.now, 1))
        return self.desk.usb.take()


def rig():
    return PseudoPort(RealRig())


def table(name=BENCH):
    return PseudoPort(RealTable(IDENTITY.key, name))


def opened(*ports, rig=None, table=None):
    """The pair among these ports, closed again."""
    pair = open_pair(rig, table, BENCH, lambda: [port.name for port in ports])
    pair.close()
    return pair


def refusal(*ports, rig=None, table=None):
    """Of the ports that are plugged in, or those that are named."""
    with pytest.raises(PairError) as told:
        opened(*ports, rig=rig, table=table)
    return told.value


# -- found


@pytest.mark.parametrize("order", [1, -1])
def test_rig_and_table_are_found_whichever_port_each_is_at(order):
    with rig() as rig_port, table() as table_port:
        pair = opened(*[rig_port, table_port][::order])
    assert (pair.rig_path, pair.table_path) == (rig_port.name, table_port.name)
    assert pair.who == Identity(TABLE, "small", BENCH)


def test_only_the_table_of_the_bench_is_taken():
    with rig() as rig_port, table("T1") as other, table() as table_port:
        assert opened(other, rig_port, table_port).table_path == table_port.name
        assert refusal(other, rig_port).args == ("bench.other_table", {"ports": [other.name], "name": BENCH})
        assert refusal(rig=rig_port.name, table=other.name).code == "bench.other_table"


@pytest.mark.slow
@needs_image
def test_a_pico_at_its_prompt_may_be_the_table_also_at_the_raw_one():
    emulator = boot(NO_FILES)
    with rig() as rig_port, serve_pty(emulator) as (path, server):
        for raw in (False, True):
            if raw:
                server.call(lambda: emulator.usb_send(b"\x01"))
            pair = open_pair(rig_port.name, path, BENCH)
            pair.close()
            assert pair.who == Identity(BARE)
        assert refusal(rig=path, table=rig_port.name).code == "bench.rig_is_bare"


# -- not found


def test_nothing_is_there(tmp_path):
    assert isinstance(refusal(), PairAbsent)
    with rig() as rig_port:
        assert refusal(rig_port).code == "bench.no_table"
        gone = str(tmp_path / "none")
        assert isinstance(refusal(rig=rig_port.name, table=gone), PairAbsent)
        assert str(refusal(rig=rig_port.name, table=gone)).startswith(f"there is no port {gone}")


def test_ports_that_are_confused_are_told():
    with rig() as rig_port, table() as table_port:
        assert refusal(rig=table_port.name, table=rig_port.name).code == "bench.rig_is_table"
        with rig() as another:
            assert refusal(rig=rig_port.name, table=another.name).code == "bench.table_is_rig"
            assert refusal(rig_port, another, table_port).code == "bench.several_rigs"
        with table() as another:
            assert refusal(rig_port, another, table_port).code == "bench.several_tables"
        assert refusal(rig=rig_port.name, table=rig_port.name).code == "bench.same_port"


def test_silent_ports_are_told(monkeypatch):
    monkeypatch.setattr("host.bench.hardware.identity.LISTEN_MS", 300)
    with rig() as rig_port, table() as table_port, PseudoPort(silent) as nobody:
        assert refusal(rig=nobody.name, table=table_port.name).code == "bench.rig_silent"
        assert refusal(rig=rig_port.name, table=nobody.name).code == "bench.table_silent"


# -- one user at a time


@contextmanager
def holder(rig_port, table_port):
    """Another process that has the pair."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, rig_port.name, table_port.name],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout
        ready, _, _ = select.select([process.stdout], [], [], 60)
        assert ready
        assert process.stdout.readline() == b"held\n"
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_a_second_user_is_refused_until_the_first_has_ended_however_it_ended():
    with rig() as rig_port, table() as table_port:
        with holder(rig_port, table_port) as process:
            for named in ({}, {"rig": rig_port.name, "table": table_port.name}):
                refused = refusal(rig_port, table_port, **named)
                assert not isinstance(refused, PairAbsent)
                assert rig_port.name in str(refused)
                assert "in use by another program" in str(refused)
            os.kill(process.pid, signal.SIGKILL)
            process.wait(30)
        assert opened(rig_port, table_port).rig_path == rig_port.name


def test_a_refused_user_holds_no_port():
    with rig() as rig_port, table("T1") as other:
        assert refusal(rig_port, other).code == "bench.other_table"
        with table() as table_port:
            assert opened(rig_port, table_port, other).rig_path == rig_port.name
