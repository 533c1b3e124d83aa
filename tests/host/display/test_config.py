"""The display's configuration: what is wrong with it is told by field, and all else can be opened."""

from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.config.checks import check_display
from host.config.fields import SECTIONS
from host.config.problems import Findings, read_fields
from host.config.toml_positions import Layout
from host.display.config import KINDS, DisplayConfig
from host.words.config import problem_words
from tests.support.table_files import spelled


def read_display(settings):
    findings = Findings(Layout(""))
    values = read_fields(("display",), settings, SECTIONS["display"], findings)
    return check_display(values, Path(), findings), findings.problems


def wrong(**settings):
    return [spelled(problem) for problem in read_display(settings)[1]]


def test_nothing_said_is_no_display():
    config, problems = read_display({})
    assert problems == []
    assert config == DisplayConfig(kind="none", size="64x32")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "png"])
@pytest.mark.parametrize("size", ["64x32", "128x32"])
def test_every_kind_is_fine_as_it_comes(kind, size):
    assert wrong(kind=kind, size=size) == []


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (
            {"kind": "lcd"},
            "0 display.kind not_a_choice(value=lcd, choices=none/terminal/png/max7219/ws2812/hub75)",
        ),
        ({"size": "96x32"}, "0 display.size not_a_choice(value=96x32, choices=64x32/128x32)"),
        ({"rotate": 45}, "0 display.rotate not_a_choice(value=45, choices=0/90/180/270)"),
        ({"rotate": True}, "0 display.rotate not_a_choice(value=True, choices=0/90/180/270)"),
        ({"rotate": "90"}, "0 display.rotate not_a_choice(value=90, choices=0/90/180/270)"),
        ({"reverse": 1}, "0 display.reverse not_a_flag(value=1)"),
        (
            {"kind": None},
            "0 display.kind not_a_choice(value=None, choices=none/terminal/png/max7219/ws2812/hub75)",
        ),
        ({"block_orientation": 270}, "0 display.block_orientation not_a_choice(value=270, choices=0/90/-90/180)"),
        ({"rows": "spiral"}, "0 display.rows not_a_choice(value=spiral, choices=same/zigzag/folded)"),
        (
            {"corner": "left"},
            "0 display.corner not_a_choice(value=left, choices=top-left/top-right/bottom-left/bottom-right)",
        ),
        (
            {"wiring": "x"},
            "0 display.wiring not_a_choice(value=x, choices=rows/rows-zigzag/columns/columns-zigzag)",
        ),
        ({"brightness": 0}, "0 display.brightness out_of_range(value=0, least=1, most=100)"),
        ({"brightness": 101}, "0 display.brightness out_of_range(value=101, least=1, most=100)"),
        ({"scale": 33}, "0 display.scale out_of_range(value=33, least=1, most=32)"),
        ({"kind": "png"}, "0 display.file png_without_file()"),
        ({"kind": "png", "file": "/no/such/x.png"}, "0 display.file no_folder(folder=/no/such)"),
        ({"kind": "png", "file": "/"}, "0 display.file is_folder(path=/)"),
        ({"kind": "ws2812", "panel": "8"}, "0 display.panel not_a_size(value=8)"),
        ({"kind": "ws2812", "panel": "0x8"}, "0 display.panel not_a_size(value=0x8)"),
        (
            {"kind": "ws2812", "panel": "24x8"},
            "0 display.panel panel_does_not_fit(width=64, height=32, panel=24x8)",
        ),
        (
            {"kind": "ws2812", "panel": "64x32", "rotate": 90},
            "0 display.panel panel_does_not_fit(width=32, height=64, panel=64x32)",
        ),
        ({"kind": "hub75", "chain": 3}, "0 display.chain chain_does_not_fit(width=64, height=32, count=3)"),
        (
            {"kind": "hub75", "parallel": 3},
            "0 display.parallel parallel_does_not_fit(width=64, height=32, count=3, rows=8/16/32/64)",
        ),
    ],
)
def test_what_is_wrong_is_told_by_field(settings, expected):
    assert wrong(**settings) == [expected]


def test_an_unknown_setting_is_named_with_those_there_are():
    names = "/".join(field.name for field in fields(DisplayConfig))
    assert wrong(colour="red", kind="terminal") == [
        f"0 display.colour unknown_field(section=display, known={names})"
    ]


def test_several_problems_are_told_together():
    problems = read_display({"kind": "lcd", "brightness": 0, "colour": 1})[1]
    assert [problem.key for problem in problems] == ["colour", "kind", "brightness"]


@given(
    st.dictionaries(
        st.sampled_from([*(field.name for field in fields(DisplayConfig)), "other"]),
        st.one_of(
            st.integers(-1, 200),
            st.text("abx0123456789-/", max_size=8),
            st.sampled_from([*KINDS, "64x32", "128x32", 90, -90, 180, "folded", "rows", "16x16"]),
            st.booleans(),
            st.none(),
        ),
    )
)
def test_any_settings_are_either_fine_or_told(given_settings):
    config, problems = read_display(given_settings)
    assert all(problem.key in given_settings or problem.key == "file" for problem in problems)
    assert all(problem_words(problem) for problem in problems)
    assert (config is None) == bool(problems)
    if config:
        assert config.pixels() in ((64, 32), (128, 32))
