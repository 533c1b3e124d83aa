"""An emulated Pico with real MicroPython takes the place of a table's Pico in mid-round and ends the round."""

import pytest

from host.emulator.pico import Emulator
from host.log.reading import LogReader
from host.pico.boards import find_board
from host.pico.deploy import Key, table_files, with_key
from host.pico.flash_image import build_flash
from host.pico.images import cache_folder, cached_images
from host.pico.mpremote_port import UNIQUE_ID
from host.pico.replacement import read_replacement
from host.simulator.emulator_target import EmulatorTarget
from shared.journal.carry import CARRY_FILE
from tests.host.table.test_bridge_and_log import KEY
from tests.host.table.test_replaced_pico import dead_in_mid_round
from tests.support.campaign import LONG
from tests.support.log.logs import NOON
from tests.support.tables import POKER

pytestmark = pytest.mark.slow

IMAGES = cached_images(cache_folder(), None)
STEP_MS = 20
JUMPER = 22


def written(one, known):
    """The kinds of records that the log has from the new Pico."""
    with LogReader(one.path) as log:
        return [step.record[0] for step in log.read_steps("number > ?", known.end.number)]


@pytest.mark.skipif(not IMAGES, reason=f"no MicroPython image in {cache_folder()}; `felt pico-image` gets one")
@pytest.mark.parametrize("image", IMAGES if LONG else IMAGES[-1:], ids=lambda path: path.name)
def test_the_round_goes_on_on_an_emulated_pico(tmp_path, image):
    one, _ = dead_in_mid_round(tmp_path, POKER)
    with LogReader(one.path) as log:
        known = read_replacement(log, KEY, one.floor.bridge.checkpoints.all, "Pit Two", "pit_supervisor", NOON)
        files = with_key(table_files(find_board("small")), "small", Key(KEY))
        files[CARRY_FILE] = known.carry("e660583883265039")
    emulator = Emulator(build_flash(image.read_bytes(), files, {}))
    one.floor.target = EmulatorTarget(one.floor.board, emulator, "felt")
    one.restart()

    def run_until(done, seconds):
        end = one.floor.now + seconds * 1000
        while not done():
            assert one.floor.now < end, list(one.floor.bridge.link.events)
            one.floor.step(STEP_MS)

    run_until(lambda: one.floor.bridge.link.is_up, 10)
    run_until(lambda: one.store.end().number > known.end.number + 3, 10)
    replay = one.floor.bridge.replay
    run_until(lambda: replay.round.state in ("settled", "void") and not replay.expected, 60)
    assert replay.round.number == known.round[0]
    run_until(lambda: "wear" in written(one, known), 10)
    assert list(one.floor.bridge.alarms) == []
    assert [str(finding) for finding in one.audited().findings] == []
    assert written(one, known)[:2] == ["boot", "replaced"]
    # At the console it says who it is.
    stopped = one.floor.target.emulator.power_cycle()
    stopped.set_pin(JUMPER, False)
    stopped.wait_for_usb()
    assert len(bytes.fromhex(stopped.execute(UNIQUE_ID).strip())) == 8
    one.store.close()
