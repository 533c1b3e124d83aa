"""`felt check` and `felt staff`: what they print, add and refuse."""

import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from host.cli import felt
from host.config.table_file import examine, load
from host.staff.pins import check_pin, pin_problem, read_hash
from host.words.config import sentence
from tests.support.table_files import LUCKY_FILE, OTHER_PIN_LINE, PIN_LINE, changed, write

FELT = str(Path(sys.executable).parent / "felt")


def run_felt(*arguments, typed=None):
    return CliRunner().invoke(felt, [str(one) for one in arguments], input=typed)


def typed(*lines):
    return "".join(f"{line}\n" for line in lines)


# felt check


def test_check_prints_the_line_and_a_caret_and_exits_1(keyed_folder):
    path = write(keyed_folder, changed(("boxes = 2", "boxes = 9"), ("[log]", "[lgo]")))
    done = run_felt("check", path)
    assert done.exit_code == 1
    assert done.output == (
        f"{path}:9: boxes: 9 is more than the board small has (2)\n"
        "    boxes = 9\n"
        "            ^\n"
        f"{path}:19: lgo: no such section; did you mean [log]?\n"
        "    [lgo]\n"
        "    ^\n"
    )


def test_check_points_at_nothing_where_something_is_missing(keyed_folder):
    path = write(keyed_folder, changed(("boxes = 2\n", "")))
    assert run_felt("check", path).output == (
        f"{path}:7: boxes: missing in [game]; it is how many boxes are played, clockwise from the dealer's left\n"
        "    [game]\n"
    )


def test_check_exits_0_with_warnings_only_and_tells_of_the_table(keyed_folder):
    path = write(keyed_folder, changed(('lucky_tie = ["$5", "$100"]\n', "")) + '[page]\naddress = "::"\n')
    done = run_felt("check", path)
    assert done.exit_code == 0
    lines = done.output.split("\n")
    assert lines[0].startswith(f"{path}:12: warning: lucky_tie: has no limits")
    assert f"{path}: fine" in lines
    assert "  table    T1 on the board small, port /dev/ttyACM0" in lines
    assert "  limits   initial $25 to $1,000" in lines
    assert "           lucky_pictures $5 to $100" in lines
    page = next(line for line in lines if line.startswith("  page     http://"))
    assert page.endswith(":8080, or at any address of this machine")
    assert "  staff    Dealer One (dealer)" in lines


def test_check_of_a_file_that_is_not_there(tmp_path):
    done = run_felt("check", tmp_path / "none.toml")
    assert (done.exit_code, done.output.endswith("makes one\n")) == (1, True)


# felt staff


def test_staff_pin_prints_the_line_to_put_into_the_file():
    done = run_felt("staff", "pin", typed=typed("402817", "402817"))
    assert done.exit_code == 0
    line = done.output.rstrip("\n").split("\n")[-1]
    assert check_pin("402817", tomllib.loads(line)["pin"])
    assert "402817" not in done.output


def test_staff_pin_takes_a_pin_from_a_script_and_refuses_a_bad_one():
    done = run_felt("staff", "pin", "--stdin", typed="402817\n")
    assert done.exit_code == 0
    assert not pin_problem("402817")
    assert read_hash(tomllib.loads(done.output)["pin"])
    done = run_felt("staff", "pin", "--stdin", typed="123456\n")
    assert (done.exit_code, "equal steps" in done.output) == (1, True)
    assert run_felt("staff", "pin", "--stdin", typed="").exit_code == 1


def add(path, name="Pit", post="pit_manager", pin="918273"):
    return run_felt("staff", "add", path, "--name", name, "--post", post, "--stdin", typed=f"{pin}\n")


@pytest.mark.slow
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("tail", ["", "# the end", "[page]"])
def test_staff_add_appends_and_leaves_the_rest_byte_for_byte(keyed_folder, end, tail):
    path = write(keyed_folder, "")
    content = (LUCKY_FILE.replace("\n", end) + tail).encode()
    path.write_bytes(content)
    done = add(path)
    assert done.exit_code == 0, done.output
    after = path.read_bytes()
    assert after.startswith(content)
    gap = end * 2 if tail else end
    assert after[len(content) :].startswith(f"{gap}[[staff]]{end}".encode())
    assert (b"\r\n" in after[len(content) :]) == (end == "\r\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    config = load(path)
    assert [(member.name, member.post) for member in config.staff] == [
        ("Dealer One", "dealer"),
        ("Pit", "pit_manager"),
    ]
    assert check_pin("918273", config.staff[1].pin)


def test_staff_add_asks_for_what_is_not_given(keyed_folder):
    path = write(keyed_folder, LUCKY_FILE)
    done = run_felt("staff", "add", path, typed=typed("Pit", "pit_supervisor", "918273", "918273"))
    assert done.exit_code == 0, done.output
    assert load(path).staff[1].post == "pit_supervisor"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"post": "boss"}, "post: there is no post boss"),
        ({"name": "DEALER one"}, sentence("same_name", {"name": "DEALER one"})),
        ({"name": "Åsa"}, "printable ASCII"),
        ({"name": 'x"\n[[staff]]'}, "printable ASCII"),
        ({"pin": "111111"}, "it repeats one digit"),
        ({"pin": ""}, "6 to 12 digits"),
    ],
)
def test_staff_add_refuses_and_changes_nothing(keyed_folder, given, reason):
    path = write(keyed_folder, LUCKY_FILE)
    done = add(path, **given)
    assert done.exit_code == 1
    assert reason in done.output
    assert path.read_text() == LUCKY_FILE


def test_a_name_with_quotes_stays_a_name(keyed_folder):
    path = write(keyed_folder, LUCKY_FILE)
    assert add(path, name='The "Boss" \\ x').exit_code == 0
    assert load(path).staff[1].name == 'The "Boss" \\ x'


def test_staff_add_does_not_mind_other_mistakes_but_needs_a_file_that_can_be_read(keyed_folder):
    path = write(keyed_folder, changed(("boxes = 2", "boxes = 9")))
    assert add(path).exit_code == 0
    assert len(examine(path).problems) == 1
    path = write(keyed_folder, LUCKY_FILE + "x")
    done = add(path)
    assert (done.exit_code, f"{path}:28: " in done.output) == (1, True)
    assert add(keyed_folder / "none.toml").exit_code == 1
    inline = f'staff = [{{name = "A", post = "dealer", pin = "{OTHER_PIN_LINE}"}}]\n'
    text = inline + LUCKY_FILE[: LUCKY_FILE.index("[[staff]]")]
    done = add(write(keyed_folder, text))
    assert (done.exit_code, "write each as [[staff]] first" in done.output) == (1, True)
    assert (keyed_folder / "t1.toml").read_text() == text


def test_the_hash_of_another_is_never_printed(keyed_folder):
    path = write(keyed_folder, LUCKY_FILE)
    assert PIN_LINE not in add(path).output + run_felt("check", path).output


def test_the_real_command_ends_without_a_traceback(keyed_folder):
    path = write(keyed_folder, changed(("boxes = 2", "boxes = 9")))
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run([FELT, "check", path], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (1, "")
    assert "boxes: 9 is more" in done.stdout
