"""`felt init`: what it asks, writes and refuses."""

import stat

import pytest
from click.testing import CliRunner

from host.cli import felt
from host.config.checks import limited_wagers
from host.config.fields import SECTIONS
from host.config.table_file import examine, game_config, load
from host.display.config import DisplayConfig
from host.keys import read_signer, read_table_key
from host.pico.boards import find_board
from host.rules.catalogue import all_books
from host.staff.pins import check_pin
from host.words.config import sentence
from shared.round.table import Table
from tests.support.floors import make_floor, play
from tests.support.tables import POKER

BOOKS = [pytest.param(book, id=book.ID) for book in all_books()]


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
    assert config.display == DisplayConfig(kind="png", file=str(tmp_path / "t1.png"))
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
        ("--board", "rig", sentence("not_a_table_board", {"board": "rig"})),
        ("--board", "none", "there is no board 'none'"),
        ("--boxes", "3", sentence("boxes_of_board", {"boxes": 3, "board": "small", "most": 2})),
        ("--boxes", "two", "expected a whole number"),
        ("--boxes", "²", "expected a whole number"),
        ("--chip-unit", "five", sentence("not_an_amount", {"value": "five"})),
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
        (("initial", "$51", "$100"), sentence("not_a_multiple", {"cents": 5100, "chip": 500})),
        (("initial", "fifty", "$100"), sentence("not_an_amount", {"value": "fifty"})),
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
        sentence("not_a_table_board", {"board": "rig"}),
        sentence("boxes_of_board", {"boxes": 3, "board": "small", "most": 2}),
        sentence("not_an_amount", {"value": "five"}),
        sentence("not_a_flag", {"value": "maybe"}),
        "the minimum of $10 is above the maximum of $7",
        sentence("not_a_multiple", {"cents": 100_300, "chip": 500}),
        sentence("not_a_multiple", {"cents": 700, "chip": 500}),
        '"dealr" is not one of "dealer"',
        "This PIN will not do: its digits run in equal steps.",
        "The two are not the same.",
        sentence("same_name", {"name": "dealer one"}),
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
    assert [field.what for field in SECTIONS["table"][:2] if field.what[1:] in done.output] == []
    assert SECTIONS["table"][2].what[1:] in done.output
    assert load(folder / "t-1.toml").name == "T/1"


@pytest.mark.parametrize("book", BOOKS)
def test_a_table_takes_the_configuration_that_init_wrote_and_plays_by_it(tmp_path, book):
    told = game_config(load(make(tmp_path, book.ID)))
    (tmp_path / "floor").mkdir()
    more = {name: value for name, value in told.items() if name not in ("game", "boxes")}
    floor, _ = make_floor(tmp_path / "floor", book.ID, **more)
    play(floor, 1)
    assert floor.bridge.replay.config == told
    assert not floor.bridge.alarms
    assert floor.bridge.replay.round.number >= 1
