"""A whole table, recorder, journal and link, on CPython and on MicroPython: told the same, both say the same."""

import json
import random
from pathlib import Path

import pytest

from host.pico.mpy import ROOT, compile_room
from host.wasm import MicroPython
from shared.journal.snapshot import plain_config
from tests.support.both import table_driver
from tests.support.firmware.small_rounds import small_config, small_round
from tests.support.linked import Host
from tests.support.tables import GAMES


@pytest.fixture(scope="module")
def micropython():
    with MicroPython() as interpreter:
        interpreter.install(compile_room("shared") | compile_room("firmware"))
        virtual = "host/simulator/virtual_pico.py"
        interpreter.install({virtual: (ROOT / virtual).read_bytes()})
        interpreter.install({"table_driver.py": Path(table_driver.__file__).read_bytes()})
        interpreter.run("import table_driver, gc")
        yield interpreter


class Both:
    def __init__(self, micropython):
        self.micropython = micropython
        self.table = table_driver.Table()
        self.host = Host(random.Random("both"))
        self.now = 0
        micropython.run("table = table_driver.Table()\ngc.collect()")

    def tell(self, what, argument=None):
        """Both tables are told; the host hears what they say, which must be one."""
        request = json.dumps([what, argument, self.now])
        ours = self.table.step(request)
        theirs = self.micropython.run("print(table.step(request), end='')\ngc.collect()", request)
        assert theirs == ours
        self.host.hear(bytes.fromhex(ours), self.now)

    def run(self, milliseconds):
        for _ in range(0, milliseconds, 100):
            self.now += 100
            self.tell("hear", self.host.say(self.now).hex())


@pytest.mark.parametrize("game", GAMES)
def test_a_round_with_a_restart_and_an_intruder(micropython, game):
    both = Both(micropython)
    both.run(500)
    both.host.link.command("staff", "config", plain_config(small_config(game)))
    both.run(500)
    events = small_round(game)
    for place, event in enumerate(events):
        if place % 5 == 4 and event[0] != "card":  # which only a device says
            both.host.link.command("staff", "event", event)
            both.run(300)
        else:
            both.tell("event", event)
    both.tell("event", ["open"])
    both.tell("hear", b'["dance"]*00000000\n["ack",1,1,"000000000000000000000000"]\n'.hex())
    both.tell("restart")
    both.run(6000)
    records = both.host.log.records()
    assert ["event", 2, ["power_failure"]] in records
    assert len(records) == both.table.recorder.journal.chain.number
    assert any(record[0] == "total" for record in records)
