"""`felt init`, `felt check` and `felt staff`: what they ask, write, print and refuse."""

import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from host.boards import find_board
from host.books import all_books
from host.cli import felt
from host.keys import read_signer, read_table_key
from host.staff import check_pin, pin_problem, read_hash
from host.table_config import examine, game_config, load
from host.table_config_checks import limited_wagers
from shared.table import Table
from tests.host.table_files import LUCKY_FILE, OTHER_PIN_LINE, PIN_LINE, changed, write
from tests.tables import POKER

BOOKS = [pytest.param(book, id=book.ID) for book in all_books()]
FELT = str(Path(sys.executable).parent / "felt")


def run_felt(*arguments, typed=None):
    return CliRunner().invoke(felt, [str(one) for one in arguments], input=typed)


def init(folder, *more, typed=None):
    return run_felt("init", folder / "t1.toml", *more, typed=typed)


def make(folder, game="lucky", *more):
    done = init(folder, "--name", "T1", "--game", game, "--board", "small", "--yes", *more)
    assert done.exit_code == 0, done.output
    return folder / "t1.toml"


# felt init without questions


@pytest.mark.parametrize("board", ["small", "full"])
@pytest.mark.parametrize("book", BOOKS)
def test_what_init_writes_passes_check_with_no_problem(tmp_path, book, board):
    done = init(tmp_path, "--name", "T1", "--game", book.ID, "--board", board, "--yes")
    assert done.exit_code == 0
    examined = examine(tmp_path / "t1.toml")
    assert examined.problems == []
    assert examined.config
    told = game_config(examined.config)
    assert told["game"] == book.ID
    assert told["boxes"] == find_board(board).BOXES
    assert list(told["limits"]) == limited_wagers(book)
    assert Table(told).book is book
    assert run_felt("check", tmp_path / "t1.toml").output.startswith(f"{tmp_path}/t1.toml: fine\n")


def test_the_files_it_makes_are_private_and_belong_together(tmp_path):
    path = make(tmp_path)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["host.key", "host.pub", "t1.key", "t1.toml"]
    for name in ("t1.toml", "t1.key", "host.key"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    assert read_table_key(tmp_path / "t1.key").table == "T1"
    assert load(path).staff == ()


def test_every_field_in_the_file_has_a_comment_or_stands_below_one(tmp_path):
    block = []
    for line in make(tmp_path, "poker").read_text().split("\n"):
        if not line:
            assert not block or any(one.startswith("#") for one in block), block
            block = []
        else:
            block.append(line)


@pytest.mark.parametrize("chip", ["$0.50", "$2.50", "$7", "$100", "$3,000"])
@pytest.mark.parametrize("game", ["lucky", "poker"])
def test_usual_limits_follow_the_chip(tmp_path, game, chip):
    assert examine(make(tmp_path, game, "--chip-unit", chip)).problems == []


def test_everything_can_be_given(tmp_path):
    path = make(
        tmp_path,
        "poker",
        *("--port", "socket://127.0.0.1:5000", "--boxes", "1", "--chip-unit", "$2.50", "--device", "shoe"),
        *("--reader", "angel_eye", "--amounts", "false", "--limit", "ante", "$10", "$1,000"),
        *("--stake", "$7.50", "--meter", "$123", "--display", "png", "--page-port", "9000"),
    )
    config = load(path)
    assert config.port == "socket://127.0.0.1:5000"
    assert config.display == {"kind": "png", "size": "64x32", "file": tmp_path / "t1.png"}
    assert config.page.port == 9000
    assert game_config(config) == {
        "game": POKER,
        "boxes": 1,
        "device": "shoe",
        "reader": "angel_eye",
        "limits": {"ante": [1000, 100_000], "pair_plus": [500, 50_000]},
        "amounts": False,
        "chip": 250,
        "posts_above": [],
        "progressive": {"stake": 750, "contribution": 100, "meter": 12_300, "reset": 50_000},
    }


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [
        ("--name", "T 1", "without spaces"),
        ("--game", "pictures", "fits 4 rulebooks"),
        ("--board", "rig", "no table's board"),
        ("--board", "none", "there is no board 'none'"),
        ("--boxes", "3", "3 is not from 1 to 2"),
        ("--boxes", "two", "expected a whole number"),
        ("--boxes", "²", "expected a whole number"),
        ("--chip-unit", "5", "is no money"),
        ("--device", "hand", "not one of"),
        ("--reader", "eye", "not one of"),
        ("--amounts", "maybe", "true or false"),
        ("--display", "led", "not one of"),
        ("--page-port", "70000", "not from 1 to 65535"),
        ("--port", "x://y", "there are no ports"),
    ],
)
def test_a_wrong_option_is_refused_with_the_reason_and_nothing_is_written(tmp_path, option, value, reason):
    usual = {"--name": "T1", "--game": "lucky", "--board": "small"} | {option: value}
    done = init(tmp_path, "--yes", *(word for pair in usual.items() for word in pair))
    assert done.exit_code == 2
    assert reason in " ".join(done.output.split())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        (("tie", "$5", "$10"), "has no limits for 'tie'"),
        (("initial", "$50", "$10"), "above the maximum"),
        (("initial", "$51", "$100"), "no multiple"),
        (("initial", "50", "$100"), "is no money"),
    ],
)
def test_a_wrong_limit_is_refused(tmp_path, limit, reason):
    done = init(tmp_path, "--yes", "--game", "lucky", "--limit", *limit)
    assert done.exit_code == 2
    assert reason in " ".join(done.output.replace("│", " ").split())
    assert list(tmp_path.iterdir()) == []


def test_without_a_game_nothing_is_guessed(tmp_path):
    done = init(tmp_path, "--yes")
    assert done.exit_code == 2
    assert "say --game too" in done.output


def test_nothing_is_written_over(tmp_path):
    path = make(tmp_path)
    before = {one.name: one.read_bytes() for one in tmp_path.iterdir()}
    done = init(tmp_path, "--yes", "--game", "poker")
    assert done.exit_code == 1
    assert f"{path} is there already and is not written over" in done.output
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == before


def test_keys_that_are_there_are_taken(tmp_path):
    make(tmp_path)
    (tmp_path / "t1.toml").unlink()
    key, signer = (tmp_path / "t1.key").read_bytes(), (tmp_path / "host.key").read_bytes()
    make(tmp_path, "poker")
    assert ((tmp_path / "t1.key").read_bytes(), (tmp_path / "host.key").read_bytes()) == (key, signer)


def test_keys_that_are_wrong_are_said_before_anything_is_asked(tmp_path):
    make(tmp_path)
    (tmp_path / "t1.toml").unlink()
    done = init(tmp_path, "--name", "T2", "--game", "lucky", "--yes")
    assert done.exit_code == 1
    assert "is the key of table T1, not of T2" in done.output
    (tmp_path / "host.key").chmod(0o644)
    done = init(tmp_path, "--name", "T1", "--game", "lucky", "--yes")
    assert done.exit_code == 1
    assert "can be read by others" in done.output
    assert not (tmp_path / "t1.toml").exists()


def test_a_table_called_host_keeps_its_key_apart_from_the_signer(tmp_path):
    done = run_felt("init", tmp_path / "host.toml", "--game", "lucky", "--yes")
    assert done.exit_code == 0
    config = load(tmp_path / "host.toml")
    assert read_table_key(config.key).table == "T1"
    assert read_signer(config.log.signer)


@pytest.mark.parametrize("name", ["t1.key", "t1", "t\n1.toml", "t1.toml/x"])
def test_names_that_are_no_files_of_tables_are_refused(tmp_path, name):
    done = run_felt("init", tmp_path / name, "--game", "lucky", "--yes")
    assert done.exit_code == 1
    assert "t1.toml" in done.output
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_said(tmp_path):
    done = run_felt("init", tmp_path / "none" / "t1.toml", "--game", "lucky", "--yes")
    assert (done.exit_code, "mkdir -p" in done.output) == (1, True)


def test_a_link_that_leads_nowhere_is_not_followed(tmp_path):
    (tmp_path / "t1.toml").symlink_to(tmp_path / "elsewhere")
    assert init(tmp_path, "--game", "lucky", "--yes").exit_code == 1
    assert [one.name for one in tmp_path.iterdir()] == ["t1.toml"]


# felt init with questions


def typed(*lines):
    return "".join(f"{line}\n" for line in lines)


def test_init_asks_and_asks_again_with_the_reason(folder):
    answers = typed(
        *(
            "T 9",
            "T9",
            "nope",
            "poker",
            "rig",
            "small",
            "3",
            "2",
            "five",
            "$5",
            "shoe",
            "angel_eye",
            "maybe",
            "true",
        ),
        *(
            "$10 - $7",
            "$10 to $1,003",
            "$10 to $1,000",
            "$5 $500",
            "$7",
            "$5",
            "",
            "",
            "$0",
            "auto",
            "max7219",
            "",
        ),
        *("Dealer One", "dealr", "dealer", "123456", "402817", "402818", "402817", "402817", "dealer one", ""),
    )
    done = run_felt("init", typed=answers)
    assert done.exit_code == 0, done.output
    for reason in (
        "expected a name without spaces",
        "there is no rulebook 'nope'",
        "rig is no table's board",
        "3 is not from 1 to 2",
        "five is no money",
        "expected true or false",
        "the minimum of $10 is above the maximum of $7",
        "$1,003 is no multiple of the smallest chip, $5",
        "$7 is no multiple of the smallest chip, $5",
        'dealr is not one of "dealer"',
        "This PIN will not do: its digits run in equal steps.",
        "The two are not the same.",
        "dealer one is there already",
    ):
        assert reason in done.output
    assert "402817" not in done.output
    examined = examine(folder / "t9.toml")
    assert examined.problems == []
    assert examined.config
    (member,) = examined.config.staff
    assert (member.name, member.post) == ("Dealer One", "dealer")
    assert check_pin("402817", member.pin)
    assert game_config(examined.config)["limits"] == {"ante": [1000, 100_000], "pair_plus": [500, 50_000]}
    assert game_config(examined.config)["progressive"]["reset"] == 0


def test_nothing_is_left_behind_when_the_questions_are_broken_off(folder):
    done = run_felt("init", typed=typed("T9", "lucky"))
    assert done.exit_code != 0
    assert list(folder.iterdir()) == []


def test_only_what_is_not_given_is_asked(folder):
    done = run_felt("init", "--name", "T/1", "--game", "lucky", "--board", "small", typed="\n" * 20)
    assert done.exit_code == 0, done.output
    assert "Name of the table" not in done.output
    assert "Board" not in done.output
    assert load(folder / "t-1.toml").name == "T/1"


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
        f"{path}:7: boxes: missing in [game]; it is how many boxes are played\n    [game]\n"
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
    assert "  page     http://[::]:8080" in lines
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
        ({"name": "DEALER one"}, "stands twice"),
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
    assert (done.exit_code, ":28: no TOML" in done.output) == (1, True)
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
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([FELT, "check", path], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (1, "")
    assert "boxes: 9 is more" in done.stdout
