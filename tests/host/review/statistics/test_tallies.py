"""Tallies add up, whatever the order, and leave what they are made of alone."""

from copy import deepcopy

from hypothesis import given
from hypothesis import strategies as st

from host.review.statistics.tallies import add, count, from_steps, in_steps

TALLIES = st.fixed_dictionaries(
    {
        "bets": st.integers(0, 10**30),
        "seen": st.dictionaries(st.sampled_from("abc"), st.integers(0, 99)),
        "places": st.lists(st.lists(st.integers(0, 9), min_size=2, max_size=2), max_size=4),
        "most": st.fixed_dictionaries({"won": st.integers(0, 99)}),
    }
)


@given(TALLIES, TALLIES, TALLIES)
def test_stretches_add_up_in_any_grouping(one, two, three):
    assert add(add(one, two), three) == add(one, add(two, three))
    assert add(one, two) == add(two, one)


def test_sums_lists_of_different_length_and_what_only_one_has():
    one = {"a": 1, "list": [[1, 2]], "most": {"won": 5}}
    other = {"a": 2, "b": 7, "list": [[1, 1], [3, 3]], "most": {"won": 4}}
    assert add(one, other) == {"a": 3, "b": 7, "list": [[2, 3], [3, 3]], "most": {"won": 5}}


def test_counting_on_afterwards_leaves_the_parts_alone():
    one, other = {"seen": {"x": 1}}, {"seen": {}, "only": {"y": 1}}
    kept = deepcopy(other)
    both = add(one, other)
    count(both["only"], "y")
    count(both["seen"], "x")
    assert other == kept
    assert one == {"seen": {"x": 1}}


def test_a_logarithm_is_rounded_down():
    assert from_steps(in_steps(1.5)) == 1.5
    assert -0.1 - 2**-32 <= from_steps(in_steps(-0.1)) < -0.1
