"""Staff, secrets, key files, and files that are no tables: what is said of them in a table's file."""

import os

import pytest

import host.pico.boards
from host.config.table_file import ConfigError, examine, load, problem_text, shown_line
from host.staff.pins import Work, decoy
from shared.round.table import BadConfig
from tests.support.table_files import LUCKY_FILE, OTHER_PIN_LINE, PIN_LINE, POKER_FILE, changed, said, write

# Staff and secrets


CLEAR = "a PIN is never written as it is; `felt staff pin` asks for the PIN and prints the line to put here"


@pytest.mark.parametrize(
    "pin", ['"402817"', "402817", '"4028-17"', '""', '["402817"]', "40281.7", '"""402817"""']
)
def test_a_pin_in_clear_is_refused_and_never_shown_again(keyed_folder, pin):
    path = write(keyed_folder, changed((f'"{PIN_LINE}"', pin)))
    examined = examine(path)
    (problem,) = examined.problems
    assert (problem.line, problem.field) == (27, "staff[0].pin")
    assert problem.sentence.startswith(CLEAR)
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
        (decoy(Work(1 << 13, 8, 1)), "too easily guessed; n is at least 16384, r 8 and p 1."),
        (decoy(Work(1 << 14, 1, 8)), "too easily guessed"),
        ("scrypt$16384$8$1$abc", "not of the form scrypt$n$r$p$salt$hash"),
        (PIN_LINE[:-1], "its salt or hash is damaged"),
        (decoy(Work(1 << 20, 8, 1)), "checking it would take too much memory or time"),
    ],
    ids=["too little work", "too little memory", "no hash", "cut short", "too much work"],
)
def test_hashes_that_are_weak_or_damaged_are_refused(keyed_folder, pin, expected):
    (found,) = said(keyed_folder, changed((PIN_LINE, pin)))
    assert found.startswith(f"t1.toml:27: pin: {expected}")


def staff_block(name, pin=OTHER_PIN_LINE, post="pit_manager"):
    return f'[[staff]]\nname = "{name}"\npost = "{post}"\npin = "{pin}"\n'


@pytest.mark.parametrize("name", ["Dealer One", "dealer ONE"])
def test_two_of_one_name_are_refused(keyed_folder, name):
    assert said(keyed_folder, LUCKY_FILE + staff_block(name)) == [
        f"t1.toml:29: name: {name} stands twice; each of the staff has a name of their own"
    ]


def test_one_hash_for_two_is_refused(keyed_folder):
    assert said(keyed_folder, LUCKY_FILE + staff_block("Other", PIN_LINE)) == [
        "t1.toml:31: pin: the same PIN as above; each has their own"
    ]


def test_posts_above_are_posts_of_staff_too(keyed_folder):
    text = changed(('chip_unit = "$5"', 'chip_unit = "$5"\nposts_above = ["casino_manager"]'))
    assert said(keyed_folder, text + staff_block("Other", post="casino_manager")) == []


def test_a_file_that_others_read_is_a_warning_and_one_that_anyone_writes_a_mistake(keyed_folder):
    path = write(keyed_folder, LUCKY_FILE)
    path.chmod(0o640)
    (problem,) = examine(path).problems
    assert problem.is_warning
    assert "others can read the hashed PINs" in problem.sentence
    path.chmod(0o602)
    (problem,) = examine(path).problems
    assert not problem.is_warning
    assert "chmod 600" in problem.sentence
    path.write_text(LUCKY_FILE[: LUCKY_FILE.index("[[staff]]")])
    path.chmod(0o644)
    assert examine(path).problems == []


# Files


def test_a_key_that_others_can_read_is_refused(keyed_folder):
    (keyed_folder / "t1.key").chmod(0o644)
    (found,) = said(keyed_folder, LUCKY_FILE)
    assert found == "t1.toml:5: key: t1.key can be read by others; make it private first: chmod 600 t1.key"


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
    assert found.endswith("other.db is the file of [log] too; each needs a file of its own")


def test_a_folder_in_place_of_a_file_is_said(keyed_folder):
    for name in ("d1", "d2", "d3", "d4"):
        (keyed_folder / name).mkdir(0o700)
    text = changed(("t1.key", "d1"), ("t1.db", "d2"), ("t1.checkpoints", "d3"), ("host.key", "d4"))
    found = said(keyed_folder, text)
    assert [line.split(": ")[:2] for line in found] == [
        ["t1.toml:5", "key"],
        ["t1.toml:20", "file"],
        ["t1.toml:21", "checkpoints"],
        ["t1.toml:22", "signer"],
    ]
    assert "d2 is a folder; a file is meant" in found[1]


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
    assert found == "t1.toml:20: file: the folder closed cannot be written by whoever runs this"


def test_links_that_lead_round_are_no_traceback(keyed_folder):
    (keyed_folder / "round").symlink_to(keyed_folder / "round")
    found = said(keyed_folder, changed(("t1.key", "round"), ("t1.db", "round/t1.db")))
    assert [line.split(": ")[1] for line in found] == ["key", "file"]


@pytest.mark.parametrize("name", ["x" * 200, "é" * 100, "x/" * 100])
def test_long_names_of_files_are_no_traceback(keyed_folder, name):
    assert len(said(keyed_folder, changed(("t1.key", name)))) == 1
    assert "at most 200 bytes" in said(keyed_folder, changed(("t1.key", name + "x")))[0]


# What is no TOML, or no file


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"lucky"', "lucky", "t1.toml:8: no TOML: invalid value; text stands in quotes"),
        ("boxes = 2", "boxes 2", "t1.toml:9: no TOML: expected '=' after a key in a key/value pair"),
        ("boxes = 2", "boxes = 2\nboxes = 3", "t1.toml:10: no TOML: cannot overwrite a value"),
        ("[log]", "[log", "t1.toml:19: no TOML: expected ']' at the end of a table declaration"),
    ],
)
def test_what_tomllib_stumbles_over_is_said_with_its_line(keyed_folder, old, new, expected):
    assert said(keyed_folder, changed((old, new))) == [expected]


def test_a_file_that_ends_too_soon_is_said_at_its_end(keyed_folder):
    (found,) = said(keyed_folder, '[table]\nname = """T1\n\n')
    assert found.startswith("t1.toml:2: no TOML: ")
    (found,) = said(keyed_folder, "[table]\nname = ")
    assert found == "t1.toml:2: no TOML: invalid value; text stands in quotes"


def test_what_is_no_text_or_too_much_of_it_is_said(keyed_folder):
    path = write(keyed_folder, "")
    path.write_bytes(b"[table]\nname = '\xff'\n")
    assert problem_text(path, examine(path).problems[0]).endswith("t1.toml:2: not UTF-8; save the file as that")
    path.write_bytes(b"\xef\xbb\xbf" + LUCKY_FILE.encode())
    assert "byte order mark" in examine(path).problems[0].sentence
    path.write_text("#" * 300_000)
    assert "longer than 200000 bytes" in examine(path).problems[0].sentence
    path.write_text("a = " + "[" * 10_000 + "]" * 10_000)
    assert "too deep" in examine(path).problems[0].sentence
    path.write_text("a = " + "9" * 10_000)
    assert "number too long" in examine(path).problems[0].sentence
    path.write_text("[game]\nboxes = " + "9" * 4000)
    assert "the number is not from 1 to 999" in [problem.sentence for problem in examine(path).problems]
    with pytest.raises(ConfigError, match="there is no such file; `felt init"):
        load(keyed_folder / "none.toml")
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        load(keyed_folder)


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
        assert (problem.line, problem.sentence, problem.is_warning) == (line, "expected true or false", False)


def test_a_board_that_is_wrong_is_said_at_its_line(keyed_folder, monkeypatch, tmp_path):
    boards = tmp_path / "boards"
    boards.mkdir()
    source = (host.pico.boards.FOLDER / "small.py").read_text()
    monkeypatch.setattr(host.pico.boards, "FOLDER", boards)
    (boards / "small.py").write_text(source.replace("READER = (1, 4, 5, 115200)", "READER = None"))
    assert said(keyed_folder, LUCKY_FILE) == [
        "t1.toml:3: board: the board small has no card reader, so no card could be seen"
    ]
    (boards / "small.py").write_text(source.replace("SHUFFLER = (0, 0, 1, 115200)", "SHUFFLER = None"))
    assert said(keyed_folder, LUCKY_FILE) == ["t1.toml:7: device: the board small has no shuffler"]
    (boards / "small.py").write_text(source.replace('("play", 12),', ""))
    assert said(keyed_folder, LUCKY_FILE) == []
    (found,) = said(keyed_folder, POKER_FILE)
    assert found == (
        "t1.toml:3: board: the board small: KEYS lacks 'play', and in rws-three-card-poker-2 players decide"
    )
    (boards / "small.py").write_text("1 +")
    assert said(keyed_folder, LUCKY_FILE)[0].startswith("t1.toml:3: board: boards/small.py cannot be read")
