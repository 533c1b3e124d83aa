"""Mutations: every kind is found, is one change, and the sample hangs on the seed alone."""

from typing import Any

import pytest

from host.bench.mutations.sites import LONGEST, find_sites, mutated, sample

SMALL = '''
"""A module with one of each."""

LIMIT = 3


def judge(a, b, is_open=True):
    """What it is for."""
    if a < b and not is_open:
        return a + 1
    a -= LIMIT
    print(a)
    return None


class Box:
    def text(self):
        return "box " + str(self) + "[]"
'''
FOUND = [
    ("", "deleted", "LIMIT = 3", "pass"),
    ("", "number", "3", "4"),
    ("judge", "condition", "if a < b and (not is_open):", "if True:"),
    ("judge", "condition", "if a < b and (not is_open):", "if False:"),
    ("judge", "and/or", "a < b and (not is_open)", "a < b or not is_open"),
    ("judge", "comparison", "a < b", "a <= b"),
    ("judge", "not", "not is_open", "is_open"),
    ("judge", "return", "return a + 1", "return None"),
    ("judge", "plus/minus", "a + 1", "a - 1"),
    ("judge", "number", "1", "2"),
    ("judge", "deleted", "a -= LIMIT", "pass"),
    ("judge", "plus/minus", "a -= LIMIT", "a += LIMIT"),
    ("judge", "deleted", "print(a)", "pass"),
    ("judge", "true/false", "True", "False"),
    ("Box.text", "return", "return 'box ' + str(self) + '[]'", "return None"),
]
COMPARED = {
    "a < b": "a <= b",
    "a >= b": "a > b",
    "a == b": "a != b",
    "a is None": "a is not None",
    "a not in b": "a in b",
}


def sites():
    return find_sites("small.py", SMALL)


def test_every_kind_of_change_is_found_and_no_docstring():
    found = [(site.function, site.kind, site.before, site.after) for site in sites()]
    assert sorted(found) == sorted(FOUND)


@pytest.mark.parametrize(("before", "after"), COMPARED.items())
def test_comparisons_are_flipped(before, after):
    (site,) = (site for site in find_sites("small.py", f"x = {before}") if site.kind == "comparison")
    assert mutated(f"x = {before}", site) == f"x = {after}\n"


def test_each_mutant_differs_from_the_module_and_from_the_others():
    sources = {mutated(SMALL, site) for site in sites()}
    assert len(sources) == len(FOUND)
    for site in sites():
        assert mutated(SMALL, site) != mutated("pass\n" + SMALL, site)  # which changes another place


def test_a_mutant_does_what_it_says():
    answers = {}
    for site in sites():
        room: dict[str, Any] = {"print": lambda told: None}
        exec(compile(mutated(SMALL, site), "small", "exec"), room)
        if site.function == "judge":
            answers[site.after] = room["judge"](1, 2, False)
    assert answers["pass"] == answers["if True:"] == answers["a <= b"] == 2
    assert answers["a - 1"] == 0
    assert answers["2"] == 3
    assert answers["is_open"] is answers["if False:"] is answers["return None"] is None


def test_a_site_knows_its_line_and_that_of_its_statement():
    source = "x = [\n    1,\n]"
    site = next(site for site in find_sites("small.py", source) if site.kind == "number")
    assert (site.line, site.statement) == (2, 1)


def test_sites_with_the_same_words_have_names_of_their_own():
    found = find_sites("small.py", "x = 1\nx = 1\n" + "".join(f"y = f('{'z' * LONGEST}', {n})\n" for n in (1, 2)))
    names = [site.name for site in found]
    assert len(names) == len(set(names)) == 8
    assert "small.py: deleted: x = 1 -> pass (2)" in names


def test_the_sample_hangs_on_the_seed_alone():
    every = sites()
    first = sample(every, 5, seed=1)
    assert sample(every[::-1], 5, seed=1) == first
    assert len({site.name for site in first}) == 5
    assert sample(every, 5, seed=2) != first


def test_a_sample_hardly_changes_when_another_module_does():
    more = sites() + find_sites("other.py", "x = 1 + y\n")
    before, after = sample(sites(), 8, seed=1), sample(more, 8, seed=1)
    assert [site for site in after if site.module == "small.py"] == before[: 8 - len(set(after) - set(before))]


def test_every_site_has_the_same_chance():
    """Of many samples of one, each site gets about its share."""
    every = sites()
    drawn = [sample(every, 1, seed)[0].place for seed in range(3000)]
    counts = [drawn.count(site.place) for site in every]
    assert min(counts) > 130
    assert max(counts) < 270
