"""Every mistake in a table's file is found and said by its line."""

import pytest

from host.config.fields import SECTIONS
from host.config.table_file import ConfigError, game_config, load
from host.rules.catalogue import all_books
from tests.support.table_files import LUCKY_FILE, POKER_FILE, changed, said

# Mistakes, each with its line


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("boxes = 2", "boxes = 9", "t1.toml:9: boxes: 9 is more than the board small has (2)"),
        ("boxes = 2", "boxs = 2", "t1.toml:9: boxs: no such field in [game]; did you mean boxes?"),
        ("boxes = 2\n", "", "t1.toml:7: boxes: missing in [game]; it is how many boxes are played"),
        (
            "boxes = 2",
            'boxes = "2"',
            "t1.toml:9: boxes: expected a whole number from 1 to 999; this is text",
        ),
        (
            "boxes = 2",
            "boxes = 2.0",
            "t1.toml:9: boxes: expected a whole number from 1 to 999; this is a number with a point",
        ),
        (
            "boxes = 2",
            "boxes = true",
            "t1.toml:9: boxes: expected a whole number from 1 to 999; this is true or false",
        ),
        ("boxes = 2", "boxes = 0", "t1.toml:9: boxes: 0 is not from 1 to 999"),
        (
            'name = "T1"',
            "name = 1",
            't1.toml:2: name: expected text in quotes, such as "1"; this is a whole number',
        ),
        (
            'name = "T1"',
            'name = "T\\u001b1"',
            "t1.toml:2: name: expected printable ASCII without spaces at its ends, at most 40 letters",
        ),
        (
            '"small"',
            '"smal"',
            "t1.toml:3: board: there is no board 'smal'; choose one of: full, rig, small",
        ),
        (
            '"small"',
            '"rig"',
            "t1.toml:3: board: rig is no table's board; it plays what a table is wired to",
        ),
        (
            '"/dev/ttyACM0"',
            '"sokcet://127.0.0.1:5000"',
            "t1.toml:4: port: there are no ports sokcet://; pySerial opens "
            "alt, cp2110, hwgrep, loop, rfc2217, socket, spy",
        ),
        (
            '"lucky"',
            '"baccarat"',
            "t1.toml:8: rulebook: there is no rulebook 'baccarat'; choose one of: mbs-royal-three-pictures-2, "
            "mbs-three-pictures-2, rws-lucky-three-pictures-2, rws-three-card-poker-2, rws-three-pictures-4",
        ),
        (
            '"lucky"',
            '"non-commission"',
            "t1.toml:8: rulebook: 'non-commission' fits 2 rulebooks; choose one of: rws-lucky-three-pictures-2, "
            "rws-three-pictures-4",
        ),
        (
            'chip_unit = "$5"',
            "chip_unit = 5",
            't1.toml:10: chip_unit: money is text with its sign, such as "$5"; this is a whole number',
        ),
        (
            'chip_unit = "$5"',
            "chip_unit = 2.50",
            't1.toml:10: chip_unit: money is text with its sign, such as "$2.50"; this is a number with a point',
        ),
        (
            'chip_unit = "$5"',
            'chip_unit = "5"',
            't1.toml:10: chip_unit: 5 is no money; write it as "$25", "$1,250" or "$2.50"',
        ),
        (
            'chip_unit = "$5"',
            'chip_unit = "$5"\ndevice = "hand"',
            't1.toml:11: device: hand is not one of "shoe" or "shuffler"',
        ),
        (
            'chip_unit = "$5"',
            'chip_unit = "$5"\nposts_above = ["owner", "dealer"]',
            "t1.toml:11: posts_above[1]: dealer is a post of the rulebook already",
        ),
        (
            'chip_unit = "$5"',
            'chip_unit = "$5"\nposts_above = ["a", "b", "c", "d", "e"]',
            "t1.toml:11: posts_above: 5 posts are too many; there may be 4 above",
        ),
        (
            'chip_unit = "$5"',
            'chip_unit = "$5"\nposts_above = ["a", "a"]',
            "t1.toml:11: posts_above[1]: a stands twice",
        ),
        (
            'initial = ["$25", "$1,000"]',
            'initial = ["$25", "$20"]',
            "t1.toml:13: initial: the minimum of $25 is above the maximum of $20",
        ),
        (
            'initial = ["$25", "$1,000"]',
            'initial = [\n  "$25",\n  "$1,002",\n]',
            "t1.toml:15: initial[1]: $1,002 is no multiple of the chip unit, $5",
        ),
        (
            'initial = ["$25", "$1,000"]',
            'initial = "$25"',
            't1.toml:13: initial: expected a minimum and a maximum, such as ["$25", "$1,000"]; this is text',
        ),
        (
            "lucky_tie = [",
            "lucky_tei = [",
            "t1.toml:14: lucky_tei: rws-lucky-three-pictures-2 has no such wager; did you mean lucky_tie?",
        ),
        (
            "[log]",
            '[progressive]\nstake = "$5"\nmeter = "$5"\n[log]',
            "t1.toml:19: progressive: rws-lucky-three-pictures-2 has no progressive wager; take the section out",
        ),
        (
            "[log]",
            "[lgo]",
            "t1.toml:19: lgo: no such section; did you mean [log]?",
        ),
        (
            "[table]",
            "boxes = 2\n[table]",
            "t1.toml:1: boxes: stands in no section; it belongs below [game]",
        ),
        (
            'post = "dealer"',
            'post = "pit_supervisr"',
            "t1.toml:26: post: there is no post pit_supervisr; did you mean pit_supervisor?",
        ),
        (
            'post = "dealer"',
            'post = "cook"',
            "t1.toml:26: post: there is no post cook; there are dealer, pit_supervisor, pit_manager, "
            "shift_manager",
        ),
        (
            '"t1.key"',
            '"t2.key"',
            "t1.toml:5: key: there is no t2.key; `felt keys table T1 t2.key` makes it",
        ),
        (
            'name = "T1"',
            'name = "T2"',
            "t1.toml:5: key: t1.key is the key of table T1, not of T2",
        ),
        (
            '"host.key"',
            '"no.key"',
            "t1.toml:22: signer: there is no no.key; `felt keys signer no.key` makes it",
        ),
        (
            'signer = "host.key"',
            'signer = "host.pub"',
            "t1.toml:22: signer: host.pub is no signing key; `felt keys signer FILE` makes one",
        ),
        (
            '"t1.db"',
            '"logs/t1.db"',
            "t1.toml:20: file: there is no folder logs; make it first: mkdir -p logs",
        ),
        (
            '"t1.checkpoints"',
            '"./t1.db"',
            "t1.toml:21: checkpoints: ./t1.db is the file of [log] too; each needs a file of its own",
        ),
        (
            '"t1.db"',
            '"t1.toml"',
            "t1.toml:20: file: t1.toml is this file itself; each needs a file of its own",
        ),
    ],
)
def test_each_mistake_is_said_with_its_line_and_alone(keyed_folder, old, new, expected):
    assert said(keyed_folder, changed((old, new))) == [expected]
    with pytest.raises(ConfigError) as refused:
        load(keyed_folder / "t1.toml")
    assert expected in str(refused.value).replace(f"{keyed_folder}/", "")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            'ante = ["$10", "$500"]',
            'ante = ["$10", "$500"]\nplay = ["$10", "$500"]',
            "t1.toml:18: play: equals ante and has no limits of its own",
        ),
        (
            'ante = ["$10", "$500"]',
            'ante = ["$10", "$500"]\nprogressive = ["$5", "$5"]',
            "t1.toml:18: progressive: its stake is fixed; it stands in [progressive]",
        ),
        (
            'stake = "$5"',
            'stake = "$4"',
            "t1.toml:21: stake: $4 is no multiple of the chip unit, $2.50",
        ),
        (
            'stake = "$5"\n',
            "",
            't1.toml:20: stake: missing in [progressive]; it is the stake of the progressive wager, such as "$5"',
        ),
        (
            '[progressive]\nstake = "$5"\ncontribution = "$1.25"\nmeter = "$10,000"\n',
            "",
            "t1.toml: progressive: the section is missing; rws-three-card-poker-2 needs its stake and meter "
            "(T-03, T-18)",
        ),
    ],
)
def test_mistakes_that_only_poker_has(keyed_folder, old, new, expected):
    assert said(keyed_folder, changed((old, new), text=POKER_FILE)) == [expected]


def test_every_mistake_is_said_at_once_in_the_order_of_the_file(keyed_folder):
    text = changed(
        ('name = "T1"', 'name = ""'),
        ("boxes = 2", "boxes = 17"),
        ('"$5"', "5"),
        ('lucky_tie = ["$5", "$100"]', 'lucky_tie = ["$100", "$5"]'),
        ('"host.key"', '"none.key"'),
        ('"dealer"', '"boss"'),
    )
    found = said(keyed_folder, text)
    assert [int(line.split(":")[1]) for line in found] == [2, 9, 9, 10, 14, 22, 26]
    assert "9: boxes: 17 is more than rws-lucky-three-pictures-2 allows (16)" in found[1] + found[2]


def test_the_edges_are_no_mistakes(keyed_folder):
    assert said(keyed_folder, changed(('["$25", "$1,000"]', '["$25", "$25"]'))) == []
    assert said(keyed_folder, changed(('"$1.25"', '"$5"'), text=POKER_FILE)) == []


def test_sections_that_are_missing_are_said_once(keyed_folder):
    assert said(keyed_folder, "") == [
        "t1.toml: table: the section [table] is missing; it needs name, board, key",
        "t1.toml: game: the section [game] is missing; it needs rulebook, boxes, chip_unit",
        "t1.toml: log: the section [log] is missing; it needs file, checkpoints, signer",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("table = 1\n", "t1.toml:1: table: expected a section [table]; this is a whole number"),
        ("[staff]\n", "t1.toml:1: staff: each of the staff is written [[staff]], with double brackets"),
        ("staff = [1]\n", "t1.toml:1: staff: expected a section [[staff]] for each; this is a list"),
        ('game."odd key" = 1\n', "t1.toml:1: odd key: no such field in [game]; there are rulebook, boxes, "),
        ('"a\\u001bb" = 1\n', "t1.toml:1: 'a\\x1bb': stands in no section; it belongs nowhere"),
        ("log = {file = 1}\n", 't1.toml:1: file: expected text in quotes, such as "1"; this is a whole number'),
    ],
)
def test_odd_shapes_are_said_by_line(keyed_folder, text, expected):
    assert any(line.startswith(expected) for line in said(keyed_folder, text)), said(keyed_folder, text)


def test_wrong_limits_are_said_though_the_game_is_unknown(keyed_folder):
    found = said(keyed_folder, changed(('"lucky"', '"none"'), ('["$25", "$1,000"]', '["$25", 5]')))
    assert found[1] == 't1.toml:13: initial[1]: money is text with its sign, such as "$5"; this is a whole number'


def test_every_wager_without_limits_is_a_warning_only(keyed_folder):
    text = changed(('lucky_tie = ["$5", "$100"]\n', ""))
    assert said(keyed_folder, text) == [
        't1.toml:12: warning: lucky_tie: has no limits; write lucky_tie = ["$...", "$..."] below [limits]'
    ]
    config = load(keyed_folder / "t1.toml")
    assert "lucky_tie" not in game_config(config)["limits"]
    assert [problem.field for problem in config.warnings] == ["limits.lucky_tie"]


def test_a_chip_that_leads_to_half_cents_is_a_warning(keyed_folder):
    book = next(book for book in all_books() if book.ID == "rws-lucky-three-pictures-2")
    text = changed(('chip_unit = "$5"', 'chip_unit = "$0.05"'))
    assert said(keyed_folder, text) == [
        "t1.toml:10: warning: chip_unit: $0.05 on initial wins 1:2, which is no whole number of cents and is "
        "rounded down (L-05); an even number of cents is better"
    ]
    assert any((line.num, line.den) == (1, 2) for line in book.WAGERS[0].lines)
    assert said(keyed_folder, text.replace('"$0.05"', '"$0.05"\namounts = false')) == []


def test_an_angel_eye_beside_a_shuffler_and_a_meter_that_takes_more_than_is_staked_are_warnings(keyed_folder):
    found = said(keyed_folder, changed(('"shoe"', '"shuffler"'), ('"$1.25"', '"$7.50"'), text=POKER_FILE))
    assert found == [
        't1.toml:12: warning: reader: the Angel Eye is a shoe and reads what it deals: device = "shoe"?',
        "t1.toml:22: warning: contribution: more goes into the meter than is staked",
    ]


@pytest.mark.parametrize("address", ["0.0.0.0", "10.1.2.3", "::"])
def test_a_page_for_other_computers_is_a_warning_that_says_what_it_means(keyed_folder, address):
    (found,) = said(keyed_folder, LUCKY_FILE + f'[page]\naddress = "{address}"\n')
    assert found.startswith(
        f"t1.toml:29: warning: address: {address} lets other computers open the page, and PINs"
    )
    assert said(keyed_folder, LUCKY_FILE + f'[page]\naddress = "{address}"\noff = true\n') == []


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.5", "::1", "localhost"])
def test_a_page_for_this_computer_is_fine(keyed_folder, address):
    assert said(keyed_folder, LUCKY_FILE + f'[page]\naddress = "{address}"\n') == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('kind = "led"', 'kind: led is not one of "none", "terminal", "png", "max7219", "ws2812" or "hub75"'),
        ('kind = "png"', "file: a display of the kind png needs a file to write"),
        ('size = "32x32"', "size: expected 64x32 or 128x32, not '32x32'"),
        ("rotate = 4", "rotate: expected 0, 90, 180 or 270, not 4"),
        ("block_orientation = 45", "block_orientation: expected 0, 90, -90 or 180, not 45"),
        ("block_orientation = false", "block_orientation: expected a whole number, not False"),
        ("reverse = 1", "reverse: expected true or false, not 1"),
        ("brightness = 101", "brightness: expected a number from 1 to 100, not 101"),
        ("brightness = 0", "brightness: expected a number from 1 to 100, not 0"),
        ('kind = "hub75"\nchain = 3', "chain: a display of 64x32 is not 3 panels wide"),
        ("parallel = 4", "parallel: expected a number from 1 to 3, not 4"),
        (
            "colour = 1",
            "colour: no such field in [display]; there are " + ", ".join(f.name for f in SECTIONS["display"]),
        ),
    ],
)
def test_mistakes_of_the_display(keyed_folder, line, expected):
    (found,) = said(keyed_folder, LUCKY_FILE + f"[display]\n{line}\n")
    assert found.partition(": ")[2] == expected
