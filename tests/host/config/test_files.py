"""Staff, secrets, key files, and files that are no tables: what is said of them in a table's file."""

import os

import pytest

import host.pico.boards
from host.config.table_file import ConfigError, examine, load
from host.staff.pins import Work, decoy
from host.words.config import problem_text, shown_line
from shared.round.table import BadConfig
from tests.support.table_files import LUCKY_FILE, OTHER_PIN_LINE, PIN_LINE, POKER_FILE, changed, said, write

# Staff and secrets


@pytest.mark.parametrize(
    "pin", ['"402817"', "402817", '"4028-17"', '""', '["402817"]', "40281.7", '"""402817"""']
)
def test_a_pin_in_clear_is_refused_and_never_shown_again(keyed_folder, pin):
    path = write(keyed_folder, changed((f'"{PIN_LINE}"', pin)))
    examined = examine(path)
    (problem,) = examined.problems
    assert (problem.line, problem.field) == (27, "staff[0].pin")
    assert (problem.code, problem.details) == ("pin_in_clear", {})
    printed = problem_text(path, problem) + "".join(shown_line(examined.text, problem))
    assert "4028" not in printed


@pytest.mark.parametrize(
    "line",
    [
        'pni = "402817"',
        'PIN = "402817"',
        'code = "402817"',
        "pin = 402817x",
        "pni 402817",
        'pin = "402817',
        "pin 402817",
    ],
)
def test_a_pin_by_a_wrong_name_or_in_broken_toml_is_not_shown_either(keyed_folder, line):
    path = write(keyed_folder, changed((f'pin = "{PIN_LINE}"', line)))
    examined = examine(path)
    assert examined.errors
    for problem in examined.problems:
        assert "402817" not in problem_text(path, problem) + "".join(shown_line(examined.text, problem))


@pytest.mark.parametrize(
    ("pin", "expected"),
    [
        (decoy(Work(1 << 13, 8, 1)), "pin_weak(n=16384, r=8, p=1)"),
        (decoy(Work(1 << 14, 1, 8)), "pin_weak(n=16384, r=8, p=1)"),
        ("scrypt$16384$8$1$abc", "pin_form()"),
        (PIN_LINE[:-1], "pin_damaged()"),
        (decoy(Work(1 << 20, 8, 1)), "pin_costly()"),
    ],
    ids=["too little work", "too little memory", "no hash", "cut short", "too much work"],
)
def test_hashes_that_are_weak_or_damaged_are_refused(keyed_folder, pin, expected):
    assert said(keyed_folder, changed((PIN_LINE, pin))) == [f"27 staff[0].pin {expected}"]


def staff_block(name, pin=OTHER_PIN_LINE, post="pit_manager"):
    return f'[[staff]]\nname = "{name}"\npost = "{post}"\npin = "{pin}"\n'


@pytest.mark.parametrize("name", ["Dealer One", "dealer ONE"])
def test_two_of_one_name_are_refused(keyed_folder, name):
    assert said(keyed_folder, LUCKY_FILE + staff_block(name)) == [f"29 staff[1].name same_name(name={name})"]


def test_one_hash_for_two_is_refused(keyed_folder):
    assert said(keyed_folder, LUCKY_FILE + staff_block("Other", PIN_LINE)) == ["31 staff[1].pin same_pin()"]


def test_posts_above_are_posts_of_staff_too(keyed_folder):
    text = changed(('chip_unit = "$5"', 'chip_unit = "$5"\nposts_above = ["casino_manager"]'))
    assert said(keyed_folder, text + staff_block("Other", post="casino_manager")) == []


def test_a_file_that_others_read_is_a_warning_and_one_that_anyone_writes_a_mistake(keyed_folder):
    path = write(keyed_folder, LUCKY_FILE)
    path.chmod(0o640)
    (problem,) = examine(path).problems
    assert (problem.is_warning, problem.code) == (True, "others_read")
    path.chmod(0o602)
    (problem,) = examine(path).problems
    assert (problem.is_warning, problem.code) == (False, "anyone_writes")
    path.write_text(LUCKY_FILE[: LUCKY_FILE.index("[[staff]]")])
    path.chmod(0o644)
    assert examine(path).problems == []


# Files


def test_a_key_that_others_can_read_is_refused(keyed_folder):
    (keyed_folder / "t1.key").chmod(0o644)
    (found,) = said(keyed_folder, LUCKY_FILE)
    assert found == "5 table.key keys.exposed(path=t1.key)"


@pytest.mark.parametrize("line", ['pni = "4028"', '"p\\u0069n" = "4028"', 'secret = "4028"'])
def test_a_short_pin_by_a_disguised_name_is_not_shown_either(keyed_folder, line):
    path = write(keyed_folder, changed((f'pin = "{PIN_LINE}"', line)))
    examined = examine(path)
    assert examined.errors
    for problem in examined.problems:
        assert "4028" not in problem_text(path, problem) + "".join(shown_line(examined.text, problem))


def test_two_names_of_one_file_are_one_file(keyed_folder):
    (keyed_folder / "other.db").symlink_to(keyed_folder / "t1.db")
    (found,) = said(keyed_folder, changed(("t1.checkpoints", "other.db")))
    assert found == "21 log.checkpoints same_file(value=other.db, field=file, section=log)"


def test_a_folder_in_place_of_a_file_is_said(keyed_folder):
    for name in ("d1", "d2", "d3", "d4"):
        (keyed_folder / name).mkdir(0o700)
    text = changed(("t1.key", "d1"), ("t1.db", "d2"), ("t1.checkpoints", "d3"), ("host.key", "d4"))
    found = said(keyed_folder, text)
    assert found == [
        "5 table.key keys.unreadable(path=d1)",
        "20 log.file is_folder(path=d2)",
        "21 log.checkpoints is_folder(path=d3)",
        "22 log.signer keys.unreadable(path=d4)",
    ]


def test_a_log_folder_that_cannot_be_written_is_said(keyed_folder, monkeypatch):
    closed = keyed_folder / "closed"
    closed.mkdir()
    closed.chmod(0o500)
    if os.geteuid() == 0:
        # The superuser may write anywhere, so what another would be told is told here.
        monkeypatch.setattr(
            os, "access", lambda path, mode: bool(os.stat(path).st_mode & 0o200) or mode == os.F_OK
        )
    (found,) = said(keyed_folder, changed(('"t1.db"', '"closed/t1.db"')))
    assert found == "20 log.file folder_not_writable(folder=closed)"


def test_links_that_lead_round_are_no_traceback(keyed_folder):
    (keyed_folder / "round").symlink_to(keyed_folder / "round")
    found = said(keyed_folder, changed(("t1.key", "round"), ("t1.db", "round/t1.db")))
    assert [line.split()[1] for line in found] == ["table.key", "log.file"]


@pytest.mark.parametrize("name", ["x" * 200, "é" * 100, "x/" * 100])
def test_long_names_of_files_are_no_traceback(keyed_folder, name):
    assert len(said(keyed_folder, changed(("t1.key", name)))) == 1
    assert said(keyed_folder, changed(("t1.key", name + "x")))[0] == "5 table.key not_a_path(most=200)"


# What is no TOML, or no file


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"lucky"', "lucky", (8, "syntax_value", "invalid value")),
        ("boxes = 2", "boxes 2", (9, "syntax", "expected '=' after a key in a key/value pair")),
        ("boxes = 2", "boxes = 2\nboxes = 3", (10, "syntax", "cannot overwrite a value")),
        ("[log]", "[log", (19, "syntax", "expected ']' at the end of a table declaration")),
    ],
)
def test_what_tomllib_stumbles_over_is_said_with_its_line(keyed_folder, old, new, expected):
    (problem,) = examine(write(keyed_folder, changed((old, new)))).problems
    assert (problem.line, problem.code, problem.details["reason"]) == expected


def test_a_file_that_ends_too_soon_is_said_at_its_end(keyed_folder):
    (found,) = said(keyed_folder, '[table]\nname = """T1\n\n')
    assert found == "2  syntax()"
    (found,) = said(keyed_folder, "[table]\nname = ")
    assert found == "2  syntax_value()"


def test_what_is_no_text_or_too_much_of_it_is_said(keyed_folder):
    path = write(keyed_folder, "")
    for content, line, code in (
        (b"[table]\nname = '\xff'\n", 2, "not_utf8"),
        (b"\xef\xbb\xbf" + LUCKY_FILE.encode(), 1, "byte_order_mark"),
        (b"#" * 300_000, 0, "too_long"),
        (b"a = " + b"[" * 10_000 + b"]" * 10_000, 0, "too_deep"),
        (b"a = " + b"9" * 10_000, 0, "too_deep"),
    ):
        path.write_bytes(content)
        (problem,) = examine(path).problems
        assert (problem.line, problem.code) == (line, code)
    path.write_text("[game]\nboxes = " + "9" * 4000)
    assert any(
        problem_text(path, problem).endswith(": the number is not from 1 to 999")
        for problem in examine(path).problems
    )
    for missing, code in ((keyed_folder / "none.toml", "missing_file"), (keyed_folder, "unreadable")):
        with pytest.raises(ConfigError) as refused:
            load(missing)
        assert [problem.code for problem in refused.value.problems] == [code]


def test_lines_of_windows_are_counted_as_people_count_them(keyed_folder):
    path = write(keyed_folder, "")
    path.write_bytes(changed(("boxes = 2", "boxes = 9")).replace("\n", "\r\n").encode())
    (problem,) = examine(path).problems
    assert problem.line == 9
    assert shown_line(examine(path).text, problem) == ["    boxes = 9", "            ^"]


def test_the_caret_stands_below_what_is_wrong_also_after_tabs(keyed_folder):
    path = write(keyed_folder, changed(('["$25", "$1,000"]', '["$25",\t"$1,002"]')))
    examined = examine(path)
    line, caret = shown_line(examined.text, examined.problems[0])
    assert caret == "    " + " " * len('initial = ["$25",') + "\t^"
    assert line[caret.index("^") :].startswith('"$1,002"')


# What the core itself refuses


def test_what_the_core_refuses_is_said_with_the_line_too(keyed_folder, monkeypatch):
    """Nothing gets that far by itself, so the core is made to refuse here."""
    for field, line in [
        ("game", 8),
        ("chip", 10),
        ("boxes", 9),
        ("limits.initial", 13),
        ("limits", 12),
        ("device", 7),
        ("table", 7),
    ]:

        def refuse(config, field=field):
            raise BadConfig("not_flag", field)

        monkeypatch.setattr("host.config.table_file.Table", refuse)
        (problem,) = examine(write(keyed_folder, LUCKY_FILE)).problems
        assert (problem.line, problem.code, problem.is_warning) == (line, "core_refused", False)
        assert problem.details["refusal"] == ("not_flag", field)


def test_a_board_that_is_wrong_is_said_at_its_line(keyed_folder, monkeypatch, tmp_path):
    boards = tmp_path / "boards"
    boards.mkdir()
    source = (host.pico.boards.FOLDER / "small.py").read_text()
    monkeypatch.setattr(host.pico.boards, "FOLDER", boards)
    (boards / "small.py").write_text(source.replace("READER = (1, 4, 5, 115200)", "READER = None"))
    assert said(keyed_folder, LUCKY_FILE) == ["3 table.board no_reader(board=small)"]
    (boards / "small.py").write_text(source.replace("SHUFFLER = (0, 0, 1, 115200)", "SHUFFLER = None"))
    assert said(keyed_folder, LUCKY_FILE) == ["7 game.device no_shuffler(board=small)"]
    (boards / "small.py").write_text(source.replace('("play", 12),', ""))
    assert said(keyed_folder, LUCKY_FILE) == []
    assert said(keyed_folder, POKER_FILE) == [
        "3 table.board board_faulty(board=small, failure=board.decision_key_missing)"
    ]
    (boards / "small.py").write_text("1 +")
    assert said(keyed_folder, LUCKY_FILE) == ["3 table.board no_board(failure=board.unreadable)"]
