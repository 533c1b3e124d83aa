"""Every mistake in a table's file is found and said by its line."""

import pytest

from host.config.fields import SECTIONS
from host.config.table_file import ConfigError, examine, game_config, load
from host.rules.catalogue import all_books
from host.words.config import problem_text
from tests.support.table_files import LUCKY_FILE, POKER_FILE, changed, said, spelled, write

# Mistakes, each with its line


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("boxes = 2", "boxes = 9", "9 game.boxes boxes_of_board(boxes=9, board=small, most=2)"),
        ("boxes = 2", "boxs = 2", "9 game.boxs misspelt_field(section=game, meant=boxes)"),
        ("boxes = 2\n", "", "7 game.boxes missing_field(section=game)"),
        (
            "boxes = 2",
            'boxes = "2"',
            "9 game.boxes not_a_number(value=2, least=1, most=999)",
        ),
        (
            "boxes = 2",
            "boxes = 2.0",
            "9 game.boxes not_a_number(value=2.0, least=1, most=999)",
        ),
        (
            "boxes = 2",
            "boxes = true",
            "9 game.boxes not_a_number(value=True, least=1, most=999)",
        ),
        ("boxes = 2", "boxes = 0", "9 game.boxes out_of_range(value=0, least=1, most=999)"),
        (
            'name = "T1"',
            "name = 1",
            "2 table.name not_text(value=1)",
        ),
        (
            'name = "T1"',
            'name = "T\\u001b1"',
            "2 table.name not_a_name(most=40)",
        ),
        (
            '"small"',
            '"smal"',
            "3 table.board no_board(failure=board.unknown)",
        ),
        (
            '"small"',
            '"rig"',
            "3 table.board not_a_table_board(board=rig)",
        ),
        (
            '"/dev/ttyACM0"',
            '"sokcet://127.0.0.1:5000"',
            "4 table.port unknown_port_kind(value=sokcet, known=alt/cp2110/hwgrep/loop/rfc2217/socket/spy)",
        ),
        (
            '"lucky"',
            '"baccarat"',
            "8 game.rulebook no_rulebook(failure=rules.unknown)",
        ),
        (
            '"lucky"',
            '"non-commission"',
            "8 game.rulebook no_rulebook(failure=rules.several)",
        ),
        ('chip_unit = "$5"', 'chip_unit = "five"', "10 game.chip_unit not_an_amount(value=five)"),
        ('chip_unit = "$5"', "chip_unit = 2.5", "10 game.chip_unit not_an_amount(value=2.5)"),
        ('chip_unit = "$5"', "chip_unit = true", "10 game.chip_unit not_an_amount(value=True)"),
        ('chip_unit = "$5"', "chip_unit = -5", "10 game.chip_unit not_an_amount(value=-5)"),
        (
            'chip_unit = "$5"',
            "chip_unit = 0",
            "10 game.chip_unit amount_out_of_range(cents=0, least=1, most=1000000000)",
        ),
        (
            'chip_unit = "$5"',
            'chip_unit = "$5"\ndevice = "hand"',
            "11 game.device not_a_choice(value=hand, choices=shoe/shuffler)",
        ),
        (
            'chip_unit = "$5"',
            'chip_unit = "$5"\nposts_above = ["owner", "dealer"]',
            "11 game.posts_above[1] post_of_book(value=dealer)",
        ),
        (
            'chip_unit = "$5"',
            'chip_unit = "$5"\nposts_above = ["a", "b", "c", "d", "e"]',
            "11 game.posts_above too_many_posts(count=5, most=4)",
        ),
        (
            'chip_unit = "$5"',
            'chip_unit = "$5"\nposts_above = ["a", "a"]',
            "11 game.posts_above[1] repeated(value=a)",
        ),
        (
            'chip_unit = "$5"',
            'chip_unit = "$5"\n[posts]\ncards = "pit_supervisr"',
            "12 posts.cards misspelt_post(value=pit_supervisr, meant=pit_supervisor, "
            "known=dealer/pit_supervisor/pit_manager/shift_manager)",
        ),
        (
            'chip_unit = "$5"',
            'chip_unit = "$5"\n[posts]\nlog = "owner"',
            "12 posts.log unknown_post(value=owner, meant=None, "
            "known=dealer/pit_supervisor/pit_manager/shift_manager)",
        ),
        ('chip_unit = "$5"', 'chip_unit = "$5"\n[posts]\nchips = 1', "12 posts.chips not_text(value=1)"),
        (
            'chip_unit = "$5"',
            'chip_unit = "$5"\n[posts]\nkeys = "dealer"',
            "12 posts.keys unknown_field(section=posts, known=cards/chips/faults/log)",
        ),
        (
            'initial = ["$25", "$1,000"]',
            'initial = ["$25", "$20"]',
            "13 limits.initial limits_crossed(least=2500, most=2000)",
        ),
        (
            'initial = ["$25", "$1,000"]',
            'initial = [\n  "$25",\n  "$1,002",\n]',
            "15 limits.initial[1] not_a_multiple(cents=100200, chip=500)",
        ),
        (
            'initial = ["$25", "$1,000"]',
            'initial = "$25"',
            "13 limits.initial not_limits(value=$25)",
        ),
        (
            "lucky_tie = [",
            "lucky_tei = [",
            "14 limits.lucky_tei misspelt_wager(book=rws-lucky-three-pictures-2, meant=lucky_tie)",
        ),
        (
            "[log]",
            '[progressive]\nstake = "$5"\nmeter = "$5"\n[log]',
            "19 progressive no_progressive(book=rws-lucky-three-pictures-2)",
        ),
        (
            "[log]",
            "[lgo]",
            "19 lgo misspelt_section(meant=log)",
        ),
        (
            "[table]",
            "boxes = 2\n[table]",
            "1 boxes field_above_sections(belongs=game)",
        ),
        (
            'post = "dealer"',
            'post = "pit_supervisr"',
            "26 staff[0].post misspelt_post(value=pit_supervisr, meant=pit_supervisor, "
            "known=dealer/pit_supervisor/pit_manager/shift_manager)",
        ),
        (
            'post = "dealer"',
            'post = "cook"',
            "26 staff[0].post unknown_post(value=cook, meant=None, "
            "known=dealer/pit_supervisor/pit_manager/shift_manager)",
        ),
        (
            '"t1.key"',
            '"t2.key"',
            "5 table.key keys.table_missing(path=t2.key, table=T1)",
        ),
        (
            'name = "T1"',
            'name = "T2"',
            "5 table.key keys.other_table(path=t1.key, owner=T1, table=T2)",
        ),
        (
            '"host.key"',
            '"no.key"',
            "22 log.signer keys.signer_missing(path=no.key, table=T1)",
        ),
        (
            'signer = "host.key"',
            'signer = "host.pub"',
            "22 log.signer keys.not_signer(path=host.pub)",
        ),
        (
            '"t1.db"',
            '"logs/t1.db"',
            "20 log.file no_folder(folder=logs)",
        ),
        (
            '"t1.checkpoints"',
            '"./t1.db"',
            "21 log.checkpoints same_file(value=./t1.db, field=file, section=log)",
        ),
        (
            '"t1.db"',
            '"t1.toml"',
            "20 log.file file_itself(value=t1.toml)",
        ),
    ],
)
def test_each_mistake_is_said_with_its_line_and_alone(keyed_folder, old, new, expected):
    assert said(keyed_folder, changed((old, new))) == [expected]
    with pytest.raises(ConfigError) as refused:
        load(keyed_folder / "t1.toml")
    (problem,) = refused.value.problems
    assert spelled(problem).replace(f"{keyed_folder}/", "") == expected
    assert str(refused.value) == problem_text(keyed_folder / "t1.toml", problem)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            'ante = ["$10", "$500"]',
            'ante = ["$10", "$500"]\nplay = ["$10", "$500"]',
            "18 limits.play equal_wager(main=ante)",
        ),
        (
            'ante = ["$10", "$500"]',
            'ante = ["$10", "$500"]\nprogressive = ["$5", "$5"]',
            "18 limits.progressive fixed_wager(main=ante)",
        ),
        (
            'stake = "$5"',
            'stake = "$4"',
            "21 progressive.stake not_a_multiple(cents=400, chip=250)",
        ),
        (
            'stake = "$5"\n',
            "",
            "20 progressive.stake missing_field(section=progressive)",
        ),
        (
            '[progressive]\nstake = "$5"\ncontribution = "$1.25"\nmeter = "$10,000"\n',
            "",
            "0 progressive needs_progressive(book=rws-three-card-poker-2)",
        ),
    ],
)
def test_mistakes_that_only_poker_has(keyed_folder, old, new, expected):
    assert said(keyed_folder, changed((old, new), text=POKER_FILE)) == [expected]


def test_every_mistake_is_said_at_once_in_the_order_of_the_file(keyed_folder):
    text = changed(
        ('name = "T1"', 'name = ""'),
        ("boxes = 2", "boxes = 17"),
        ('"$5"', '"five"'),
        ('lucky_tie = ["$5", "$100"]', 'lucky_tie = ["$100", "$5"]'),
        ('"host.key"', '"none.key"'),
        ('"dealer"', '"boss"'),
    )
    found = said(keyed_folder, text)
    assert [int(line.split()[0]) for line in found] == [2, 9, 9, 10, 14, 22, 26]
    assert "9 game.boxes boxes_of_book(boxes=17, book=rws-lucky-three-pictures-2, most=16)" in found


def test_the_edges_are_no_mistakes(keyed_folder):
    assert said(keyed_folder, changed(('["$25", "$1,000"]', '["$25", "$25"]'))) == []
    assert said(keyed_folder, changed(('"$1.25"', '"$5"'), text=POKER_FILE)) == []


def test_sections_that_are_missing_are_said_once(keyed_folder):
    assert said(keyed_folder, "") == [
        "0 table missing_section(section=table, needs=name/board/key)",
        "0 game missing_section(section=game, needs=rulebook/boxes/chip_unit)",
        "0 log missing_section(section=log, needs=file/checkpoints/signer)",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("table = 1\n", "1 table not_a_section(section=table, value=1)"),
        ("[staff]\n", "1 staff staff_brackets()"),
        ("staff = [1]\n", "1 staff staff_brackets()"),
        ('game."odd key" = 1\n', "1 game.odd key unknown_field(section=game, known=rulebook/boxes/"),
        ('"a\\u001bb" = 1\n', "1 'a\\x1bb' stray_field(belongs=None)"),
        ("log = {file = 1}\n", "1 log.file not_text(value=1)"),
    ],
)
def test_odd_shapes_are_said_by_line(keyed_folder, text, expected):
    assert any(line.startswith(expected) for line in said(keyed_folder, text)), said(keyed_folder, text)


def test_wrong_limits_are_said_though_the_game_is_unknown(keyed_folder):
    found = said(keyed_folder, changed(('"lucky"', '"none"'), ('["$25", "$1,000"]', '["$25", true]')))
    assert found[1] == "13 limits.initial[1] not_an_amount(value=True)"


def test_every_wager_without_limits_is_a_warning_only(keyed_folder):
    text = changed(('lucky_tie = ["$5", "$100"]\n', ""))
    assert said(keyed_folder, text) == ["12 warning limits.lucky_tie no_limits(wager=lucky_tie)"]
    config = load(keyed_folder / "t1.toml")
    assert "lucky_tie" not in game_config(config)["limits"]
    assert [problem.field for problem in config.warnings] == ["limits.lucky_tie"]


def test_a_chip_that_leads_to_half_cents_is_a_warning(keyed_folder):
    book = next(book for book in all_books() if book.ID == "rws-lucky-three-pictures-2")
    text = changed(('chip_unit = "$5"', 'chip_unit = "$0.05"'))
    problem = "10 warning game.chip_unit half_cents(chip=5, wager=initial, odds=1:2, reading=L-05)"
    assert said(keyed_folder, text) == [problem]
    assert any((line.num, line.den) == (1, 2) for line in book.WAGERS[0].lines)
    assert said(keyed_folder, text.replace('"$0.05"', '"$0.05"\namounts = false')) == []


def test_an_angel_eye_beside_a_shuffler_and_a_meter_that_takes_more_than_is_staked_are_warnings(keyed_folder):
    found = said(keyed_folder, changed(('"shoe"', '"shuffler"'), ('"$1.25"', '"$7.50"'), text=POKER_FILE))
    assert found == [
        "12 warning game.reader angel_eye_shuffler()",
        "22 warning progressive.contribution contribution_above_stake()",
    ]


@pytest.mark.parametrize("address", ["0.0.0.0", "10.1.2.3", "::"])
def test_a_page_for_other_computers_is_a_warning_that_says_what_it_means(keyed_folder, address):
    (found,) = said(keyed_folder, LUCKY_FILE + f'[page]\naddress = "{address}"\n')
    assert found == f"29 warning page.address page_exposed(address={address})"
    assert said(keyed_folder, LUCKY_FILE + f'[page]\naddress = "{address}"\noff = true\n') == []


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.5", "::1", "localhost"])
def test_a_page_for_this_computer_is_fine(keyed_folder, address):
    assert said(keyed_folder, LUCKY_FILE + f'[page]\naddress = "{address}"\n') == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            'kind = "led"',
            "29 display.kind not_a_choice(value=led, choices=none/terminal/png/max7219/ws2812/hub75)",
        ),
        ('kind = "png"', "28 display.file png_without_file()"),
        ('size = "32x32"', "29 display.size not_a_choice(value=32x32, choices=64x32/128x32)"),
        ("rotate = 4", "29 display.rotate not_a_choice(value=4, choices=0/90/180/270)"),
        ("block_orientation = 45", "29 display.block_orientation not_a_choice(value=45, choices=0/90/-90/180)"),
        (
            "block_orientation = false",
            "29 display.block_orientation not_a_choice(value=False, choices=0/90/-90/180)",
        ),
        ("reverse = 1", "29 display.reverse not_a_flag(value=1)"),
        ("brightness = 101", "29 display.brightness out_of_range(value=101, least=1, most=100)"),
        ("brightness = 0", "29 display.brightness out_of_range(value=0, least=1, most=100)"),
        ('kind = "hub75"\nchain = 3', "30 display.chain chain_does_not_fit(width=64, height=32, count=3)"),
        ("parallel = 4", "29 display.parallel out_of_range(value=4, least=1, most=3)"),
        (
            "colour = 1",
            "29 display.colour unknown_field(section=display, known="
            + "/".join(f.name for f in SECTIONS["display"])
            + ")",
        ),
    ],
)
def test_mistakes_of_the_display(keyed_folder, line, expected):
    assert said(keyed_folder, LUCKY_FILE + f"[display]\n{line}\n") == [expected]


def test_what_a_person_reads(keyed_folder):
    """One of each way to show a field; all other words may change without breaking anything."""
    text = changed(
        ('name = "T1"', 'name = "T2"'),
        ("boxes = 2", "boxes = 9"),
        ('["$25", "$1,000"]', '["$25", 1002]'),
        ('"t1.checkpoints"', '"t1.db"'),
    )
    path = write(keyed_folder, text)
    assert [
        problem_text(path, problem).replace(f"{keyed_folder}/", "") for problem in examine(path).problems
    ] == [
        "t1.toml:5: key: t1.key is the key of table T1, not of T2; name the key of this table",
        "t1.toml:9: boxes: 9 is more than the board small has (2)",
        "t1.toml:13: initial[1]: $1,002 is not a multiple of the $5 chip",
        "t1.toml:21: checkpoints: t1.db is also the file of [log]; each needs a file of its own",
    ]


@pytest.mark.parametrize("amount", ["5", "5.00", '"5"', '"5.00"', '"$5"', '"$5.00"'])
def test_money_is_taken_in_every_spelling(keyed_folder, amount):
    assert said(keyed_folder, changed(('chip_unit = "$5"', f"chip_unit = {amount}"))) == []
    assert load(keyed_folder / "t1.toml").game.chip_unit == 500
