"""Where keys and values of a TOML text stand, held against what tomllib reads there."""

import tomllib
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from host.config.toml_positions import Path, lay_out
from tests.support.campaign import fewer

DOCUMENT = """\
# a comment with a = 1
top = 1
[game]
boxes = 2   # "quoted" = [
"odd key" . part = 'x'
[limits]
initial = [ # the first
  "$10",
  '''a
  b''', "# no comment",
]
[[staff]]
name = "A"
[[staff]]
name = "B"
pin = { text = "a}b", "n" = {deep = [1, [2, 3]]} }
  [staff.more]
x = 1979-05-27 07:32:00 # a date
[[staff.shift]]
day = 1
[[staff.shift]]
day = 2
"""


def where(layout, *path):
    return layout.line_and_column(layout.places[path].key.start)


def test_keys_tables_arrays_and_what_is_in_them_are_found_by_line():
    layout = lay_out(DOCUMENT)
    assert where(layout, "top") == (2, 1)
    assert where(layout, "game") == (3, 1)
    assert where(layout, "game", "boxes") == (4, 1)
    assert where(layout, "game", "odd key") == (5, 1)
    assert where(layout, "game", "odd key", "part") == (5, 13)
    assert where(layout, "limits", "initial", 0) == (8, 3)
    assert where(layout, "limits", "initial", 1) == (9, 3)
    assert where(layout, "limits", "initial", 2) == (10, 9)
    assert where(layout, "staff") == (12, 1)
    assert where(layout, "staff", 0) == (12, 1)
    assert where(layout, "staff", 0, "name") == (13, 1)
    assert where(layout, "staff", 1) == (14, 1)
    assert where(layout, "staff", 1, "name") == (15, 1)
    assert where(layout, "staff", 1, "pin", "n", "deep", 1, 0) == (16, 42)
    assert where(layout, "staff", 1, "more") == (17, 3)
    assert where(layout, "staff", 1, "more", "x") == (18, 1)
    assert where(layout, "staff", 1, "shift", 0, "day") == (20, 1)
    assert where(layout, "staff", 1, "shift", 1, "day") == (22, 1)


def test_what_is_not_there_is_near_what_is_around_it():
    layout = lay_out(DOCUMENT)
    assert layout.nearest(("game", "device")) == layout.places["game",]
    assert layout.nearest(("staff", 1, "post")) == layout.places["staff", 1]
    assert layout.nearest(("log", "file")) is None


def test_lines_of_windows_count_as_others_do():
    layout = lay_out('a = """x\r\ny"""\r\nb = 2\r\n')
    assert where(layout, "b") == (3, 1)


@pytest.mark.parametrize(
    "text", ["", "\n\n", "# only this", "a=1", "a = ''''''", 'a = """x"""""', "a = ''''x'''''"]
)
def test_small_and_odd_texts(text):
    hold_against_tomllib(text)


@pytest.mark.parametrize("text", ["a = 'x", 'a = """x""', "a = [1", "a = {b = 1"])
def test_what_tomllib_would_refuse_is_not_searched_for_ever(text):
    with pytest.raises(ValueError, match="tomllib"):
        lay_out(text)


def parts_of(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every path in what tomllib read, with what is there."""
    if path:
        yield path, value
    if isinstance(value, dict):
        for key, one in value.items():
            yield from parts_of(one, path + (key,))
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from parts_of(one, path + (place,))


def hold_against_tomllib(text):
    """Every key is found and no other; read alone, key and value are what tomllib read in the whole."""
    layout = lay_out(text)
    read = dict(parts_of(tomllib.loads(text, parse_float=Decimal)))
    assert set(layout.places) == set(read)
    for path, place in layout.places.items():
        if place.value is not None:
            alone = "x = " + layout.text[place.value.start : place.value.end]
            assert repr(tomllib.loads(alone, parse_float=Decimal)["x"]) == repr(read[path])
        else:
            assert isinstance(read[path], dict | list)
        key = layout.text[place.key.start : place.key.end]
        if isinstance(path[-1], str) and not key.startswith("["):
            assert tomllib.loads(key + " = 1") == {path[-1]: 1}
        elif key.startswith("[") and place.value is None:
            names = [name for name in path if isinstance(name, str)]
            assert names_in(key)[: len(names)] == names


def names_in(header):
    names, inner = [], tomllib.loads(header)
    while inner:
        ((name, inner),) = inner.items()
        names.append(name)
        inner = inner[0] if isinstance(inner, list) else inner
    return names


LETTERS = st.text(st.sampled_from("ab#=[]{}.,'\"\\ \té€😀-"), max_size=6)
BARE = st.text(st.sampled_from("ab1-_"), min_size=1, max_size=2)


def basic(text):
    return '"' + "".join(f"\\{one}" if one in '"\\' else one for one in text) + '"'


def escaped(text):
    return '"' + "".join(f"\\U{ord(one):08x}" for one in text) + '"'


def many_lines(text):
    return '"""' + "".join(f"\\{one}" if one == "\\" else one for one in text) + '\\\n  "\n #"""'


def literal(text):
    return "'" + text.replace("'", "") + "'"


def literal_lines(text):
    return "'''" + text.replace("'''", "") + "\n'''"


STRINGS = st.builds(
    lambda spell, text: spell(text),
    st.sampled_from([basic, escaped, many_lines, literal, literal_lines]),
    LETTERS,
)
SCALARS = st.one_of(
    st.integers(-9, 99).map(str),
    st.sampled_from(["true", "1.5", "-0.0", "inf", "0xff", "1e3", "07:32:00", "1979-05-27 07:32:00"]),
    STRINGS,
)
NAMES = st.one_of(BARE, LETTERS.map(basic), LETTERS.map(escaped), LETTERS.map(literal))
GAPS = st.sampled_from(["", " ", "\t "])
KEYS = st.builds(lambda names, gap: f"{gap}.{gap}".join(names), st.lists(NAMES, min_size=1, max_size=3), GAPS)
BREAKS = st.sampled_from(["", " ", "\n", " # ]\n ", "\n\t"])


def array_of(items, gap, tail):
    return "[" + gap + f"{gap},{gap}".join(items) + (f"{gap}," if items and tail else "") + gap + "]"


def inline_of(pairs, gap):
    return "{" + gap + f"{gap},{gap}".join(f"{key}{gap}={gap}{value}" for key, value in pairs) + gap + "}"


VALUES = st.recursive(
    SCALARS,
    lambda values: st.one_of(
        st.builds(array_of, st.lists(values, max_size=3), BREAKS, st.booleans()),
        st.builds(inline_of, st.lists(st.tuples(KEYS, values), max_size=3), GAPS),
    ),
    max_leaves=6,
)
STATEMENTS = st.one_of(
    st.builds(lambda key, gap, value: f"{gap}{key}{gap}={gap}{value}{gap}", KEYS, GAPS, VALUES),
    st.builds(lambda key, gap: f"{gap}[{gap}{key}{gap}]", KEYS, GAPS),
    st.builds(lambda key, gap: f"[[{gap}{key}{gap}]] # [x]", KEYS, GAPS),
    st.sampled_from(["", "# a = [", "[[a]]", "[a.b]", "[[a.b]]", "[b]"]),
)


def is_toml(text):
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


@settings(max_examples=fewer(150), deadline=None)
@given(st.lists(STATEMENTS, max_size=8), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_any_text_is_laid_out_as_tomllib_reads_it(statements, end, closed):
    kept = ""
    for statement in statements:
        # One that does not go with those before is left out, so that long texts come about.
        longer = kept + statement.replace("\n", end) + end
        kept = longer if is_toml(longer) else kept
    text = kept if closed else kept.removesuffix(end)
    assume(is_toml(text))
    hold_against_tomllib(text)
