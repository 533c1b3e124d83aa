"""`felt flash --replace` over mpremote onto an emulated Pico with real MicroPython: it takes a table's place in
mid-round, with all that the host's log knows, and the log goes on with it."""

import pytest
from click.testing import CliRunner

from host.cli import felt
from host.emulator.pico import Emulator
from host.log.reading import LogReader
from host.pico.boards import find_board
from host.pico.deploy import Key, table_files, with_key
from host.pico.flash_image import BLOCK, FS_OFFSET, build_flash
from host.simulator.emulator_target import EmulatorTarget
from tests.host.commands.test_replace_command import STAFF
from tests.host.table.test_bridge_and_log import KEY, StoredFloor
from tests.support.campaign import LONG
from tests.support.deploying import run, use_tree
from tests.support.firmware.emulated_port import be_patient, serve_pty
from tests.support.firmware.images import IMAGES, needs_image
from tests.support.tables import POKER, ROYAL

pytestmark = [pytest.mark.slow, needs_image]

each_image = pytest.mark.parametrize("image", IMAGES if LONG else IMAGES[-1:], ids=lambda path: path.stem)
STEP_MS = 20
JUMPER = 22
ID = "e660583883724a2f"
NOTE = ["replaced", "Pit Two", "pit_supervisor", ID]
TABLE_FILE = f"""\
[table]
name = "T1"
board = "small"
port = "/dev/ttyACM0"
key = "t1.key"

[game]
rulebook = "royal"
boxes = 2
chip_unit = "$1"

[limits]
main = ["$5", "$100"]

[log]
file = "t1.log"
checkpoints = "checkpoints"
signer = "host.key"

{STAFF}"""


class Table:
    """A table with everything around it, and its file and keys in the current folder."""

    def __init__(self, folder, game):
        self.one = StoredFloor(folder, game)
        (folder / "t1.toml").write_text(TABLE_FILE)
        (folder / "t1.toml").chmod(0o600)
        (folder / "t1.key").write_bytes(KEY.content)
        (folder / "t1.key").chmod(0o600)

    def stop_host(self):
        self.one.store.close()
        self.one.store = None

    @property
    def replay(self):
        return self.one.floor.bridge.replay

    def run_until(self, done, seconds, step_ms=STEP_MS):
        floor = self.one.floor
        end = floor.now + seconds * 1000
        while not done():
            assert floor.now < end, (list(floor.bridge.link.events)[-5:], list(floor.bridge.alarms))
            floor.step(step_ms)

    def written(self, after):
        with LogReader(self.one.path) as log:
            return [step.record for step in log.read_steps("number > ?", after)]


def dead_in_mid_round(folder, game):
    """A table that died in its second deal, when the log had all that it had."""
    table = Table(folder, game)
    floor = table.one.floor
    if game == ROYAL:
        floor.config["limits"] = {"main": [500, 10_000]}
    recorder = table.one.target.table.controller.recorder
    table.run_until(lambda: recorder.round and recorder.round.state == "betting", 20, 10)
    if game == ROYAL:
        floor.tell("bet", 1, "P7", "main", 300)  # below the limit: R 5.10 allows it once
        floor.tell("restrict", 1, "P8", "pit_manager")
    else:
        floor.tell("bet", 1, "P7", "ante", 1000)
        floor.tell("bet", 1, "P7", "progressive", 500)

    def is_dealing_and_logged():
        is_dealing = (recorder.round.number, recorder.round.state) == (2, "dealing")
        return is_dealing and table.one.store.end().number == table.one.journal.chain.number

    table.run_until(is_dealing_and_logged, 200, 10)
    return table, recorder.round.carry()


@pytest.fixture
def firmware(tmp_path, monkeypatch):
    """What goes onto a table, as it is now, whoever works on it meanwhile."""
    monkeypatch.chdir(tmp_path)
    be_patient(monkeypatch)
    files = table_files(find_board("small"))
    use_tree(monkeypatch, files)
    return files


def spare(image, firmware):
    """A Pico with MicroPython alone; in the short run one on which most of the firmware lies already."""
    files = {} if LONG else {f"/{path}": data for path, data in firmware.items() if path != "main.py"}
    return Emulator(build_flash(image.read_bytes(), files), erase_us=0, program_us=0)


def flash_back(port):
    words = ["flash", "--replace", "t1.toml", "--port", port, "--staff", "Pit Two", "--stdin"]
    return CliRunner().invoke(felt, words, input="918273\n")


def assert_goes_on(table, game, emulator, last, carry):
    """The table on a Pico that has just been flashed says who put it there, and the book decides the round."""
    table.one.floor.target = EmulatorTarget(table.one.floor.board, emulator.power_cycle(), "felt")
    table.one.restart()
    table.run_until(lambda: table.one.floor.bridge.link.is_up, 60)
    table.run_until(lambda: len(table.written(last)) > 3 and not table.replay.expected, 30)
    boot, note, decided, asked = table.written(last)[:4]
    assert (boot[0], note[:4]) == ("boot", NOTE)
    assert (decided[2], asked[0]) == (["power_failure"], "ask")
    assert (table.replay.round.number, table.replay.round.carry()) == (2, carry)
    if LONG:
        assert_plays_on(table, game, last, carry)
    assert list(table.one.floor.bridge.alarms) == []
    assert [str(finding) for finding in table.one.audited().findings] == []
    table.one.store.close()


def assert_plays_on(table, game, last, carry):
    """It ends the round; before the next one it writes itself how it stands."""
    table.run_until(lambda: table.replay.round.is_over() and not table.replay.expected, 90)
    assert (table.replay.round.number, table.replay.round.carry()) == (2, carry)
    table.run_until(lambda: table.replay.round.number == 3 and not table.replay.expected, 60)
    table.run_until(lambda: "wear" in [record[0] for record in table.written(last)], 60)
    stands = {record[1]: record[2] for record in table.written(last) if record[0] == "carried"}
    assert stands["number"] == 2
    if game == ROYAL:
        assert (stands["allowed_once"], stands["one_box_players"]) == (["P7"], ["P8"])
    else:
        assert stands["meter"] == carry[1] == 1_000_100


@pytest.mark.skipif(not LONG, reason="the whole firmware takes many minutes: `make test-long`")
@pytest.mark.parametrize("game", [ROYAL, POKER])
@each_image
def test_another_pico_takes_a_tables_place_in_mid_round(tmp_path, image, game, firmware):
    table, carry = dead_in_mid_round(tmp_path, game)
    last = table.one.store.end().number
    emulator = spare(image, firmware)
    emulator.wait_for_usb(20_000)
    with serve_pty(emulator) as (port, _):
        assert "only one may write a log" in flash_back(port).stderr
        table.stop_host()
        done = flash_back(port)
        assert done.exit_code == 0, done.output
    assert f"the log goes on after record {last}, with Pico {ID}\n" in done.stdout
    assert "round 2 (dealing) is decided at the start, as after a power failure\n" in done.stdout
    assert_goes_on(table, game, emulator, last, carry)


@pytest.mark.skipif(not LONG, reason="the whole firmware takes minutes: `make test-long`")
@each_image
def test_a_pico_that_lost_its_filesystem_in_mid_round_is_rescued_and_goes_on(tmp_path, image, firmware):
    table, carry = dead_in_mid_round(tmp_path, ROYAL)
    logged = table.one.store.end().number
    table.stop_host()
    recorder = table.one.target.table.controller.recorder
    recorder.fault("shuffler_silent", "")  # which the host never hears of
    last = recorder.journal.chain.number
    files = {f"/{path}": data for path, data in with_key(firmware, "small", Key(KEY)).items()}
    storage = table.one.target.table.storage
    journal = {name: storage.read(name, 0, storage.size(name)) for name in storage.names()}
    flash = bytearray(build_flash(image.read_bytes(), files, journal))
    flash[FS_OFFSET : FS_OFFSET + 2 * BLOCK] = bytes(2 * BLOCK)
    emulator = Emulator(bytes(flash), erase_us=0, program_us=0)
    emulator.wait_for_usb(20_000)
    with serve_pty(emulator) as (port, _):
        assert "felt rescue --port PORT FOLDER --key FILE" in flash_back(port).stderr
        assert run("rescue", "--port", port, "saved", "--key", "t1.key").exit_code == 0
        assert f"reaches record {last} of table T1, and the log ends at {logged}" in flash_back(port).stderr
        done = run("log", "import", "saved", "t1.log", "--key", "t1.key")
        assert f": {last - logged} record" in done.stdout
        done = flash_back(port)
        assert done.exit_code == 0, done.output
    assert_goes_on(table, ROYAL, emulator, last, carry)
