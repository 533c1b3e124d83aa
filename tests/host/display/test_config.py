"""The display's configuration: what is wrong with it is said by field, and what is right can be opened."""

import sys
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.display.config import KINDS, DisplayConfig, open_sink, read_display


def wrong(**settings):
    return read_display(settings)[1]


def test_nothing_said_is_no_display():
    config, problems = read_display({})
    assert problems == []
    assert config == DisplayConfig(kind="none", size="64x32")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "png"])
@pytest.mark.parametrize("size", ["64x32", "128x32"])
def test_every_kind_is_fine_as_it_comes(kind, size):
    assert wrong(kind=kind, size=size) == []


@pytest.mark.parametrize(
    ("settings", "field", "sentence"),
    [
        ({"kind": "lcd"}, "kind", "expected none, terminal, png, max7219, ws2812 or hub75, not 'lcd'"),
        ({"size": "96x32"}, "size", "expected 64x32 or 128x32, not '96x32'"),
        ({"rotate": 45}, "rotate", "expected 0, 90, 180 or 270, not 45"),
        ({"rotate": True}, "rotate", "expected a whole number, not True"),
        ({"rotate": "90"}, "rotate", "expected a whole number, not '90'"),
        ({"reverse": 1}, "reverse", "expected true or false, not 1"),
        ({"kind": None}, "kind", "expected a text, not None"),
        ({"block_orientation": 270}, "block_orientation", "expected 0, 90, -90 or 180, not 270"),
        ({"rows": "spiral"}, "rows", "expected same, zigzag or folded, not 'spiral'"),
        ({"corner": "left"}, "corner", "expected top-left, top-right, bottom-left or bottom-right, not 'left'"),
        ({"wiring": "x"}, "wiring", "expected rows, rows-zigzag, columns or columns-zigzag, not 'x'"),
        ({"brightness": 0}, "brightness", "expected a number from 1 to 100, not 0"),
        ({"brightness": 101}, "brightness", "expected a number from 1 to 100, not 101"),
        ({"scale": 33}, "scale", "expected a number from 1 to 32, not 33"),
        ({"kind": "png"}, "file", "a display of the kind png needs a file to write"),
        ({"kind": "png", "file": "/no/such/x.png"}, "file", "there is no folder /no/such"),
        ({"kind": "png", "file": "/"}, "file", "/ is a folder; name a file in it"),
        ({"kind": "ws2812", "panel": "8"}, "panel", "expected width and height such as 32x8, not '8'"),
        ({"kind": "ws2812", "panel": "0x8"}, "panel", "expected width and height such as 32x8, not '0x8'"),
        (
            {"kind": "ws2812", "panel": "24x8"},
            "panel",
            "a display of 64x32 is not made of whole panels of 24x8",
        ),
        (
            {"kind": "ws2812", "panel": "64x32", "rotate": 90},
            "panel",
            "a display of 32x64 (turned by 90) is not made of whole panels of 64x32",
        ),
        ({"kind": "hub75", "chain": 3}, "chain", "a display of 64x32 is not 3 panels wide"),
        (
            {"kind": "hub75", "parallel": 3},
            "parallel",
            "a display of 64x32 is not 3 panels high; one has 8, 16, 32 or 64 rows",
        ),
    ],
)
def test_what_is_wrong_is_said_by_field(settings, field, sentence):
    assert wrong(**settings) == [(field, sentence)]


def test_an_unknown_setting_is_named_with_those_there_are():
    problems = wrong(colour="red", kind="terminal")
    assert [field for field, _ in problems] == ["colour"]
    for field in fields(DisplayConfig):
        assert field.name in problems[0][1]


def test_several_problems_are_told_together():
    assert [field for field, _ in wrong(kind="lcd", brightness=0, colour=1)] == ["colour", "kind", "brightness"]


def test_opening_what_is_wrong_says_what():
    with pytest.raises(ValueError, match="size: expected 64x32 or 128x32, not '1x1'"):
        open_sink(DisplayConfig(kind="terminal", size="1x1"), sys.stdout)


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
    assert all(field in given_settings or field == "file" for field, _ in problems)
    assert all(sentence for _, sentence in problems)
    if not problems:
        assert config.pixels() in ((64, 32), (128, 32))
