"""A table's file: what it configures, and that any file is a table or is explained."""

import random
import re
import tomllib
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from host.commands.check import READER_WORDS, summary
from host.config.checks import limited_wagers
from host.config.fields import SECTIONS, Mistake, limits, money
from host.config.table_file import PageConfig, Progressive, examine, game_config, load
from host.config.template import quoted, usual_limits
from host.display.config import DisplayConfig
from host.rules.catalogue import all_books
from host.simulator import devices
from host.words.money import BadAmount, dollars, read_money
from shared.journal.snapshot import plain_config, read_config
from shared.journal.wire import encode
from shared.link.messages import _MAX_NUMBER, HOST, read
from shared.round.table import CHOSEN_POSTS, FIELDS, READERS, Table
from tests.support.campaign import fewer
from tests.support.table_files import LUCKY_FILE, PIN_LINE, POKER_FILE, write
from tests.support.tables import POKER

# What it configures


def test_a_file_becomes_a_table(keyed_folder):
    config = load(write(keyed_folder, LUCKY_FILE))
    assert (config.name, config.board, config.port) == ("T1", "small", "/dev/ttyACM0")
    assert config.key == keyed_folder / "t1.key"
    assert config.log.file == keyed_folder / "t1.db"
    assert config.log.checkpoints == keyed_folder / "t1.checkpoints"
    assert config.log.signer == keyed_folder / "host.key"
    assert config.display == DisplayConfig(kind="none")
    assert config.page == PageConfig("127.0.0.1", 8080, False)
    assert [(member.name, member.post, member.pin) for member in config.staff] == [
        ("Dealer One", "dealer", PIN_LINE)
    ]
    assert config.warnings == ()
    assert game_config(config) == {
        "game": "rws-lucky-three-pictures-2",
        "boxes": 2,
        "device": "shuffler",
        "reader": "felt",
        "limits": {
            "initial": [2500, 100_000],
            "lucky_tie": [500, 10_000],
            "lucky_pictures": [500, 10_000],
            "player_lucky_6": [500, 10_000],
            "dealer_lucky_6": [500, 10_000],
        },
        "amounts": True,
        "chip": 500,
        "posts_above": [],
    }


def test_a_file_of_poker_has_its_progressive_and_all_else_that_a_table_can_have(keyed_folder):
    config = load(write(keyed_folder, POKER_FILE))
    assert config.game.progressive == Progressive(stake=500, contribution=125, meter=1_000_000, reset=0)
    told = game_config(config)
    assert set(told) == set(FIELDS)
    table = Table(told)
    assert (table.book.ID, table.boxes, table.device, table.reader) == (POKER, 1, "shoe", "angel_eye")
    assert (table.amounts, table.chip, table.roles[-1]) == (False, 250, "casino_manager")
    assert (table.stake, table.contribution, table.start, table.reset) == (500, 125, 1_000_000, 0)
    assert told["posts"] == {"chips": "dealer", "log": "casino_manager"}, "what is not the default"
    assert config.game.posts == table.posts
    assert table.posts["cards"] == table.posts["faults"] == "pit_supervisor"


@pytest.mark.parametrize("reader", READERS)
def test_every_reader_can_be_named_is_said_in_words_and_can_be_simulated(keyed_folder, reader):
    config = load(write(keyed_folder, POKER_FILE.replace('"angel_eye"', f'"{reader}"')))
    assert Table(game_config(config)).reader == reader
    assert any(READER_WORDS[reader] in line for line in summary(config))
    assert devices.READERS[reader](random.Random(1)).faults == devices.Faults()


def test_paths_are_relative_to_the_file_and_not_to_where_one_stands(keyed_folder, monkeypatch):
    write(keyed_folder, LUCKY_FILE)
    (keyed_folder / "below").mkdir()
    monkeypatch.chdir(keyed_folder / "below")
    config = load(keyed_folder / "below" / ".." / "t1.toml")
    assert config.key == keyed_folder / "t1.key"
    monkeypatch.chdir(keyed_folder)
    assert load(type(keyed_folder)("t1.toml")).log.file == keyed_folder / "t1.db"


def test_display_and_page_are_as_said(keyed_folder):
    text = LUCKY_FILE + '[display]\nkind = "png"\nsize = "128x32"\nfile = "t1.png"\nblock_orientation = -90\n'
    config = load(
        write(keyed_folder, text + 'reverse = true\n[page]\naddress = "::1"\nport = 9000\noff = true\n')
    )
    assert config.display == DisplayConfig(
        kind="png", size="128x32", file=str(keyed_folder / "t1.png"), block_orientation=-90, reverse=True
    )
    assert config.page == PageConfig("::1", 9000, True)


@pytest.mark.parametrize("book", all_books(), ids=lambda book: book.ID)
def test_the_longest_configuration_fits_one_command_to_the_table(book):
    """posts_above as long as they may be, every limit at its highest."""
    longest = {"boxes": 8, "device": "shuffler", "reader": "fixed_frames", "amounts": False, "chip": 10**9}
    longest |= {"limits": {wager: [10**9, 10**9] for wager in limited_wagers(book)}, "game": book.ID}
    longest["posts_above"] = [letter * 40 for letter in "abcd"]
    longest["posts"] = dict.fromkeys(CHOSEN_POSTS, "a" * 40)
    if book.ID == POKER:
        longest["progressive"] = dict.fromkeys(("stake", "contribution", "meter", "reset"), 10**9)
    assert max(map(len, READERS)) == len(longest["reader"])
    Table(longest)
    command = ["command", _MAX_NUMBER, "x" * 40, "config", plain_config(longest), _MAX_NUMBER, "0" * 24]
    assert read_config(read(encode(command)[:-1], HOST)[4]) == longest


# Money


@pytest.mark.parametrize(
    ("words", "cents"),
    [
        ("$25", 2500),
        ("$2.50", 250),
        ("$1,250", 125_000),
        ("$1,234,567.89", 123_456_789),
        (" $0.05 ", 5),
        ("$007", 700),
        ("25", 2500),
        ("25.00", 2500),
        ("1,250", 125_000),
        (25, 2500),
        (Decimal("2.50"), 250),
    ],
)
def test_money_as_people_write_it(words, cents):
    assert read_money(words) == cents


@pytest.mark.parametrize(
    "words",
    [
        "",
        "$",
        "$2.5",
        Decimal("2.5"),
        -5,
        True,
        None,
        [],
        "$2.505",
        "$,250",
        "$12,50",
        "$1250,000",
        "$-5",
        "-$5",
        "$1e3",
        "$٢٥",
        "5$",
        "$5 5",
    ],
)
def test_what_is_no_money(words):
    with pytest.raises(BadAmount) as refused:
        read_money(words)
    assert (refused.value.code, refused.value.fields) == ("not_an_amount", {"value": words})
    assert "is not an amount: write $25" in str(refused.value)


@given(st.integers(0, 10**9))
def test_any_sum_is_read_as_it_is_written(cents):
    whole, part = divmod(cents, 100)
    for text in (f"${whole}.{part:02d}", f"${whole:,}.{part:02d}", f"{whole}.{part:02d}", dollars(cents)):
        assert read_money(text) == cents


@pytest.mark.parametrize(
    "value", [0, -25, 10**9, 10**4000, True, 2.5, None, ["$5"], "$10,000,000.01", "$0", "9" * 10_000]
)
def test_money_is_never_guessed(value):
    with pytest.raises(Mistake):
        money(1)(value)
    with pytest.raises(Mistake):
        limits([value, "$5"])


# Anything at all

ODD = st.one_of(
    st.sampled_from(
        ["lucky", "poker", "small", "full", "$5", "$10", "$0.05", "shoe", "felt", "dealer", "t1.key", "host.key"]
    ).map(quoted),
    st.text(max_size=5).map(quoted),
    st.integers(-3, 20).map(str),
    st.sampled_from(
        ["true", "1.5", "nan", "1979-05-27", "[]", "{}", '["$5", "$10"]', '["$10", 5]', "[{}]", "{a = 1}"]
    ),
    st.just(quoted(PIN_LINE)),
)
KNOWN = [(section, field.name) for section, fields in SECTIONS.items() for field in fields] + [
    ("limits", wager) for book in all_books() for wager in usual_limits(book, 500)
]


@settings(max_examples=fewer(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.sampled_from(KNOWN), ODD), max_size=4),
    st.lists(st.sampled_from(KNOWN), max_size=2),
    st.sampled_from([LUCKY_FILE, POKER_FILE]),
)
def test_any_file_is_a_table_or_is_explained(keyed_folder, replaced, removed, text):
    """Whatever is changed, it ends in a table that the core takes, or in mistakes with lines that exist."""
    read_file = tomllib.loads(text)
    sections: dict[str, dict[str, str]] = {}
    for section, values in read_file.items():
        fields = values[0] if section == "staff" else values
        sections[section] = {name: toml_of(value) for name, value in fields.items()}
    for (section, name), value in replaced:
        sections.setdefault(section, {})[name] = value
    for section, name in removed:
        sections.get(section, {}).pop(name, None)
    lines = []
    for section, fields in sections.items():
        lines.append("[[staff]]" if section == "staff" else f"[{section}]")
        lines += [f"{name} = {value}" for name, value in fields.items()]
    path = write(keyed_folder, "\n".join(lines) + "\n")
    examined = examine(path)
    assert examined.is_toml
    assert all(0 <= problem.line <= len(lines) for problem in examined.problems)
    assert (examined.config is None) == bool(examined.errors)
    if examined.config:
        told = game_config(examined.config)
        assert Table(told).chip == told["chip"]
        assert read_config(plain_config(told)) == told


def toml_of(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(toml_of(one) for one in value) + "]"
    return quoted(value) if isinstance(value, str) else str(value)


@given(st.text())
def test_any_text_is_quoted_so_that_toml_reads_it_back(text):
    assert tomllib.loads(f"a = {quoted(text)}") == {"a": text}


def test_every_field_is_in_the_manual():
    text = (Path(__file__).parents[3] / "host" / "CONFIG.md").read_text()
    table = text[text.index("| section | field | what it is |") :].partition("\n\n")[0]
    named: dict[str, set[str]] = {}
    section = ""
    for row in table.split("\n")[2:]:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        section = re.sub(r"\W", "", cells[0]) or section
        named.setdefault(section, set()).update(re.findall(r"`(\w+)`", cells[1]))
    assert named == {name: {field.name for field in fields} for name, fields in SECTIONS.items()}
