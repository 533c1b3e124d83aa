"""Lines: one spelling, a checksum, printable ASCII, and nothing wrongly accepted."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.journal import wire
from tests.support.mutated import checked

plain = st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=12)
messages = st.lists(st.recursive(plain, lambda inner: st.lists(inner, max_size=4), max_leaves=12), max_size=8)


def test_a_line_is_its_json_a_star_and_the_checksum():
    assert wire.encode(["ack", 17]) == b'["ack",17]*3bc4d810\n'
    assert wire.decode(b'["ack",17]*3bc4d810') == ["ack", 17]


@given(messages)
def test_what_is_encoded_is_decoded_and_is_printable(message):
    line = wire.encode(message)
    assert line.endswith(b"\n")
    assert all(32 <= byte <= 126 for byte in line[:-1])
    assert wire.decode(line[:-1]) == message
    assert json.loads(line[:-10]) == message


@pytest.mark.parametrize(
    "body",
    [
        b'["ack", 17]',  # a space
        b'["ack",017]',
        b'["ack" 17]',
        b'["ack",17,]',
        b'["\\u0061ck",17]',  # an escape where a letter does
        b'["ack",1.5]',
        b'["ack",1e3]',
        b'["ack",{"a":1}]',
        b'{"ack":17}',
        b"17",
        b"null",
        b"[[[[[[[[[[]]]]]]]]]]",
        b"[NaN]",
        b'["\xc3\xa9"]',
        b'["\xff"]',
        b"",
        b"[",
        b"[" * 900,
    ],
)
def test_any_other_spelling_is_refused_though_its_checksum_is_right(body):
    with pytest.raises(wire.BadLine):
        wire.decode(checked(body))


@pytest.mark.parametrize(
    "line", [b"", b"*", b"*00000001", b'["ack",17]', b'["ack",17]*3BC4D810', b'["ack",17]*3bc4d811']
)
def test_a_wrong_checksum_is_refused(line):
    with pytest.raises(wire.BadLine, match="wrong_checksum"):
        wire.decode(line)


def test_a_line_that_is_too_long_is_neither_written_nor_read():
    longest = ["x" * (wire.MAX_LINE - 14)]
    assert len(wire.encode(longest)) == wire.MAX_LINE
    assert wire.decode(wire.encode(longest)[:-1]) == longest
    with pytest.raises(wire.BadLine, match="line_too_long"):
        wire.encode([longest[0] + "x"])
    with pytest.raises(wire.BadLine, match="line_too_long"):
        wire.decode(checked(b'["' + b"x" * wire.MAX_LINE + b'"]'))
