"""The file for the people who help: what is in it, even if much is missing; and never a key or a PIN."""

import io
import json
import random
import stat
import tomllib
import zipfile

import pytest
from click.testing import CliRunner

from host.cli import felt
from host.config.table_file import examine, examine_text
from host.doctor.port import Patience
from host.doctor.redaction import allowed_configuration
from host.doctor.support import SupportRefused, default_name, support_file, write_support
from host.keys import read_signer, read_table_key
from host.log.checkpoints import CheckpointBook
from host.log.schema import NEWEST
from host.log.store import LogStore
from host.staff.pins import LEAST_WORK, hash_pin
from host.words.faults import ADVICE
from tests.support.firmware.small_rounds import small_config, small_round
from tests.support.log.logs import NOON, RecordingTable, tampered, write_log
from tests.support.table_files import LUCKY_FILE, OTHER_PIN_LINE, PIN_LINE, POKER_FILE, changed, write
from tests.support.tables import MBS

pytestmark = pytest.mark.slow

SHORT = Patience(0.1, 0.05)
TEXT = changed(("/dev/ttyACM0", "/dev/ttyFelt9"))
NAMES = [
    "README.txt",
    "versions.txt",
    "configuration.toml",
    "doctor.txt",
    "doctor.json",
    "log.txt",
    "records.txt",
    "records-in-words.txt",
    "faults.txt",
    "notices.txt",
    "rounds.txt",
    "checkpoints.txt",
]


@pytest.fixture
def table_file(keyed_folder):
    return write(keyed_folder, TEXT)


def made(path, **more):
    return support_file(path, now=NOON, patience=SHORT, **more)


def members(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode() for name in archive.namelist()}


def a_log(folder):
    """A settled round, a fault that is cleared, and what the host noticed."""
    table = RecordingTable(small_config(MBS))
    for event in small_round(MBS):
        table.do(*event) if isinstance(event, list) else table.do(event)
    table.recorder.fault("shuffler_jam", "two cards")
    write_log(folder / "t1.db", table.records())
    with LogStore(folder / "t1.db", "T1") as store:
        store.notice("alarm", "expected this, found that", 12, NOON)
        store.notice("link", "up", None, NOON)
    return [one.line.decode() for one in table.records()]


def sign(folder):
    """Sign a checkpoint, and give the file's text."""
    with LogStore(folder / "t1.db", "T1") as store:
        end = store.end()
    assert end
    CheckpointBook(folder / "t1.checkpoints", "T1", read_signer(folder / "host.key")).sign(
        end.number, end.seal, NOON
    )
    return (folder / "t1.checkpoints").read_text()


# What is in it


def test_everything_is_in_it_in_a_fixed_order(table_file):
    lines = a_log(table_file.parent)
    signed = sign(table_file.parent)
    said = members(made(table_file))
    assert list(said) == NAMES
    assert said["records.txt"].splitlines() == lines
    assert "a new chain of records begins" in said["records-in-words.txt"]
    assert "the round is settled" in said["records-in-words.txt"]
    assert len(said["records-in-words.txt"].splitlines()) == len(lines)
    assert f"fault, shuffler jam (two cards). {ADVICE['shuffler_jam']}" in said["faults.txt"]
    assert "alarm        record 12: expected this, found that" in said["notices.txt"]
    assert said["rounds.txt"].startswith("round 1  ")
    assert "mbs-three-pictures-2: settled, staked " in said["rounds.txt"]
    assert f"records     1 to {len(lines)}" in said["log.txt"]
    assert f"schema      migration {NEWEST} of {NEWEST}" in said["log.txt"]
    assert "notices     alarm: 1" in said["log.txt"]
    assert said["checkpoints.txt"] == signed
    assert "there is no port /dev/ttyFelt9" in said["doctor.txt"]
    assert json.loads(said["doctor.json"])["well"] is False
    assert "port.missing" in [one["code"] for one in json.loads(said["doctor.json"])["findings"]]
    assert "felt            0.1.0" in said["versions.txt"]
    assert "pyserial 3.5" in said["versions.txt"]
    for name in NAMES[1:]:
        assert f"\n{name}" in said["README.txt"]
    assert "every PIN and its hash" in said["README.txt"]


def test_hands_are_named_though_the_game_was_set_long_before(table_file):
    lines = a_log(table_file.parent)
    said = members(made(table_file, records=len(lines) - 14))
    assert '["config"' not in said["records.txt"]
    assert "  the dealer shows 9H TS QC: Single Knight Nine\n" in said["records-in-words.txt"]


def test_only_the_last_records_are_in_it(table_file):
    lines = a_log(table_file.parent)
    assert members(made(table_file, records=5))["records.txt"].splitlines() == lines[-5:]
    assert members(made(table_file, records=0))["records.txt"] == "There are none yet.\n"


def test_the_same_makes_the_same_file(table_file):
    a_log(table_file.parent)
    assert made(table_file) == made(table_file)


def test_making_it_changes_nothing(table_file):
    folder = table_file.parent
    a_log(folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    made(table_file)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_records_that_a_running_bridge_has_just_written_are_in_it(table_file):
    table = RecordingTable(small_config(MBS))
    with LogStore(table_file.parent / "t1.db", "T1") as store:
        store.commit(table.records(), NOON)
        said = members(made(table_file))
    assert said["records.txt"].splitlines() == [one.line.decode() for one in table.records()]
    assert "writes it, as it should while the table runs" in said["doctor.txt"]


# Whatever is missing


def test_no_log_yet_and_no_keys(tmp_path):
    said = members(made(write(tmp_path, TEXT)))
    assert list(said) == NAMES
    for name in ("log.txt", "records.txt", "faults.txt", "rounds.txt"):
        assert said[name] == f"There is no log yet: {tmp_path}/t1.db\n"
    assert said["checkpoints.txt"] == f"There are no checkpoints yet: {tmp_path}/t1.checkpoints\n"
    assert f"there is no {tmp_path}/t1.key" in said["doctor.txt"]


@pytest.mark.parametrize("text", ["", "[table", "\x00\x01", "table = 3", "[[log]]\n", "[log]\nfile = 3\n"])
def test_whatever_the_table_s_file_is(text, tmp_path):
    assert list(members(made(write(tmp_path, text)))) == NAMES


def test_no_table_s_file_at_all(tmp_path):
    said = members(made(tmp_path / "absent.toml"))
    assert list(said) == NAMES
    assert said["configuration.toml"] == "# The file cannot be read; doctor.txt tells why.\n"
    assert "there is no such file" in said["doctor.txt"]
    assert said["records.txt"] == "The table's file names no log.\n"


def test_a_log_that_is_none_or_damaged(table_file):
    (table_file.parent / "t1.db").write_text("no log")
    assert "is not a Felt log" in members(made(table_file))["records.txt"]
    (table_file.parent / "t1.db").unlink()
    lines = a_log(table_file.parent)
    tampered(table_file.parent / "t1.db", "UPDATE records SET line = x'00ff' WHERE number = 3")
    said = members(made(table_file))
    assert said["records.txt"].splitlines()[2] == "(record 3 is damaged)"
    assert "(this record is damaged)" in said["records-in-words.txt"].splitlines()[2]
    assert len(said["records.txt"].split("\n")) == len(lines) + 1


# Without keys and PINs


def all_text(content):
    return "".join(members(content).values())


def test_no_secret_is_in_it(table_file):
    folder = table_file.parent
    a_log(folder)
    text = all_text(made(table_file))
    key = read_table_key(folder / "t1.key").key
    pem = (folder / "host.key").read_text().splitlines()[1]
    pin = PIN_LINE.split("$")
    for secret in (key.hex(), pem, pem[22:], PIN_LINE, pin[4], pin[5]):
        assert secret not in text
    assert "pin =" not in text
    assert 'key = "t1.key"' in text, "where a key is kept is no secret"
    assert 'name = "Dealer One"' in text


def the_configuration(text, path):
    return "\n".join(allowed_configuration(examine_text(text, path)))


def test_every_field_of_a_good_file_but_the_pins_is_shown_as_it_stands(keyed_folder):
    for text in (LUCKY_FILE, POKER_FILE + '[display]\nkind = "max7219"\nreverse = true\n[page]\nport = 8099\n'):
        shown = tomllib.loads(the_configuration(text, keyed_folder / "t1.toml"))
        whole = tomllib.loads(text)
        for member in whole["staff"]:
            del member["pin"]
        assert shown == whole


def test_of_a_file_with_mistakes_only_the_rest_is_shown(keyed_folder):
    text = changed(("boxes = 2", "boxes = 9"), ('"dealer"', '"cook"'), ("lucky_tie =", "402817 ="))
    shown = tomllib.loads(the_configuration(text, keyed_folder / "t1.toml"))
    assert "boxes" not in shown["game"]
    assert shown["staff"] == [{"name": "Dealer One"}]
    assert list(shown["limits"]) == ["initial", "lucky_pictures", "player_lucky_6", "dealer_lucky_6"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "pin = 402817",
        'pin = "402817"',
        "pin = '402817'",
        'pin = """402817"""',
        'pni = "402817"',
        'Pin = "402817"',
        '"pin" = "402817"',
        "pin = [402817, 402817]",
        'pin = { old = "402817" }',
        'pin = "scrypt$402817"',
        'post = "402817"',
        "post = 402817",
        'post = "x"\npost = "402817"',
        'post = "dealer"\nname = "402817"',
        'post = "dealer"\npin = "scrypt$1$1$1$402817$402817"',
        "# his PIN is 402817",
        'post = "dealer" # 402817',
        '\n[keep]\npin = "402817"',
        '\n[[staf]]\npin = "402817"',
        '\n[staff.more]\nx = "402817"',
        '\n[page.more]\nx = "402817"',
        '\n[limits.main]\nx = "402817"',
        'pin = "402817',  # no TOML from here on
        "pin: 402817",
        'name = "402817',
        "402817",
        "[402817",
        "[staff] # 402817 [",
    ],
)
def test_a_pin_in_clear_goes_nowhere(line, keyed_folder):
    text = f'{LUCKY_FILE}\n[[staff]]\nname = "Two"\n{line}\n'
    path = write(keyed_folder, text)
    assert "402817" not in "".join(allowed_configuration(examine(path)))
    assert "402817" not in all_text(made(path))


def test_hashes_in_comments_and_in_what_is_no_toml(keyed_folder):
    for text in (
        f"{LUCKY_FILE}# {OTHER_PIN_LINE}\n",
        f"{LUCKY_FILE}oops\npin = {OTHER_PIN_LINE}\n# {OTHER_PIN_LINE}\n",
    ):
        path = write(keyed_folder, text)
        said = all_text(made(path))
        assert OTHER_PIN_LINE.split("$")[4] not in said
        assert OTHER_PIN_LINE.split("$")[5] not in said


def test_a_hash_in_the_wrong_field_is_left_out(keyed_folder):
    text = changed(('name = "Dealer One"', f'name = "{OTHER_PIN_LINE}"'), text=TEXT)
    assert OTHER_PIN_LINE.split("$")[5] not in all_text(made(write(keyed_folder, text)))


def test_a_file_in_which_letters_are_lost_or_doubled_shows_no_pin(tmp_path):
    dice = random.Random("torn")
    text = f'{LUCKY_FILE}\n[[staff]]\nname = "Two"\npost = "dealer"\npin = 918273\n'
    _, salt, digest = PIN_LINE.rsplit("$", 2)
    for _ in range(400):
        torn = text
        for _ in range(dice.randint(1, 4)):
            at = dice.randrange(len(torn))
            torn = torn[:at] + dice.choice(("", torn[at] * 2, '"', "\n", "#", "=", "[")) + torn[at + 1 :]
        shown = the_configuration(torn, tmp_path / "t1.toml")
        for secret in (salt[2:12], digest[2:12], digest[-12:-2], "918273"):
            assert secret not in shown, torn


def test_of_what_is_no_toml_only_the_line_of_the_mistake_is_told(keyed_folder):
    text = '[table]\nname = "T1"\noops\n[[staff]]\nname = "One"\npin = "402817"\n\nport = "auto"'
    said = members(made(write(keyed_folder, text)))
    assert said["configuration.toml"].count("\n") == 1
    finding = json.loads(said["doctor.json"])["findings"][0]
    assert (finding["code"], finding["fields"]) == ("configuration.hidden", {"line": 3, "problem": "syntax"})


def test_a_mistake_in_a_declared_field_is_told_in_full(keyed_folder):
    said = members(made(write(keyed_folder, changed(("boxes = 2", "boxes = 9"), text=TEXT))))
    assert "boxes: 9 is more than the board small has (2)" in said["doctor.txt"]


# Wherever else a secret may stand


def test_a_key_in_place_of_a_record_is_left_out(table_file):
    folder = table_file.parent
    key = read_table_key(folder / "t1.key").key
    a_log(folder)
    tampered(folder / "t1.db", f"UPDATE records SET line = CAST('{key.hex()}' AS BLOB) WHERE number = 7")
    assert key.hex() not in all_text(made(table_file))


@pytest.mark.parametrize("name", ["t1.key", "host.key"])
def test_no_file_is_made_with_a_key_in_a_notice(name, table_file):
    secret = (table_file.parent / name).read_text().split()[2 if name == "t1.key" else -4]
    with LogStore(table_file.parent / "t1.db", "T1") as store:
        store.notice("login", f"before {secret} after", None, NOON)
    with pytest.raises(SupportRefused, match=r"notices\.txt .*--without notices\.txt"):
        made(table_file)
    assert secret not in all_text(made(table_file, without=("notices.txt",)))


def test_no_file_is_made_with_a_hash_in_a_notice(table_file):
    folder = table_file.parent
    with LogStore(folder / "t1.db", "T1") as store:
        store.notice("login", PIN_LINE, None, NOON)
    with pytest.raises(SupportRefused, match=r"notices\.txt would hold a key or a hashed PIN"):
        made(table_file)


@pytest.mark.parametrize("name", ["t1.key", "host.key"])
def test_a_key_in_place_of_the_checkpoints_is_left_out(name, keyed_folder):
    said = members(made(write(keyed_folder, changed(('"t1.checkpoints"', f'"{name}"'), text=TEXT))))
    assert set(said["checkpoints.txt"].splitlines()) == {"(this line is not a checkpoint)"}


def test_a_key_that_others_can_read_or_that_is_damaged_is_still_a_secret(keyed_folder):
    key_file = keyed_folder / "t1.key"
    key = read_table_key(key_file).key.hex()
    key_file.write_text(f"felt-table-key T1 {key[:-3]}\n")
    key_file.chmod(0o644)
    with LogStore(keyed_folder / "t1.db", "T1") as store:
        store.notice("login", key[:-3], None, NOON)
    with pytest.raises(SupportRefused, match=r"notices\.txt would hold a key"):
        made(write(keyed_folder, TEXT))


def test_many_staff_and_what_is_no_key(tmp_path):
    pins = [hash_pin(pin, LEAST_WORK) for pin in ("402817", "918273", "730164")]
    blocks = "".join(f'[[staff]]\nname = "S{n}"\npost = "dealer"\npin = "{pin}"\n' for n, pin in enumerate(pins))
    text = changed(
        ('key = "t1.key"', 'key = "t1.toml"'), ('signer = "host.key"', 'signer = "/dev/zero"'), text=TEXT
    )
    said = all_text(made(write(tmp_path, text + blocks)))
    assert said.count("[[staff]]") == 4
    assert not any(part in said for pin in (*pins, PIN_LINE) for part in pin.split("$")[4:])


# Writing it


def run_support(*arguments):
    return CliRunner().invoke(felt, ["support", *map(str, arguments)])


def test_the_command_writes_a_private_file_and_says_what_to_do(table_file):
    output = table_file.parent / "help.zip"
    done = run_support(table_file, "-o", output)
    assert done.exit_code == 0, done.output
    assert done.output.startswith(f"{output}: ")
    assert "send it to nobody else" in done.output
    assert stat.S_IMODE(output.stat().st_mode) == 0o600
    assert list(members(output.read_bytes())) == NAMES


def test_nothing_is_written_over_unless_that_is_wanted(table_file):
    output = table_file.parent / "help.zip"
    output.write_text("mine")
    done = run_support(table_file, "-o", output)
    assert done.exit_code == 1
    assert "name another with -o, or overwrite it with --force" in done.output
    assert output.read_text() == "mine"
    with pytest.raises(SupportRefused, match="--force"):
        write_support(output, b"other")
    assert run_support(table_file, "-o", output, "--force").exit_code == 0
    assert list(members(output.read_bytes())) == NAMES
    assert stat.S_IMODE(output.stat().st_mode) == 0o600


@pytest.mark.parametrize("place", ["absent/help.zip", "."])
def test_where_it_cannot_be_written(place, table_file):
    for force in ([], ["--force"]):
        done = run_support(table_file, "-o", table_file.parent / place, *force)
        assert done.exit_code == 1
        assert "with -o" in done.output


def test_a_refusal_writes_nothing(table_file):
    folder = table_file.parent
    with LogStore(folder / "t1.db", "T1") as store:
        store.notice("login", PIN_LINE, None, NOON)
    done = run_support(table_file, "-o", folder / "help.zip")
    assert done.exit_code == 1
    assert "notices.txt would hold a key" in done.output
    assert not (folder / "help.zip").exists()
    assert run_support(table_file, "-o", folder / "help.zip", "--without", "notices.txt").exit_code == 0


def test_leaving_out_what_is_not_there(table_file):
    done = run_support(table_file, "-o", table_file.parent / "help.zip", "--without", "nonsense")
    assert done.exit_code == 1
    assert "there is no member nonsense; there are versions.txt, " in done.output


def test_the_name_it_has_unasked(folder, keyed_folder):
    done = run_support(write(keyed_folder, TEXT))
    assert done.exit_code == 0, done.output
    assert [path.name[:16] for path in folder.iterdir()] == ["felt-support-T1-"]
    assert default_name("T1", NOON) == "felt-support-T1-20260921-141320.zip"
    assert default_name("a/../b", NOON).startswith("felt-support-a----b-")
    assert default_name(None, NOON).startswith("felt-support-table-")
