"""The campaign: the mutated code is what runs, faults are caught, what changes nothing survives."""

import json
import re

import pytest

from host.bench.mutations import campaign
from host.bench.mutations import reach as reach_module
from host.bench.mutations.campaign import CAUGHT, NOT_REACHED, START_LIMIT, SURVIVED, Verdict
from host.bench.mutations.reach import LEAST_LIMIT, kept_reach
from host.bench.mutations.sites import Site, find_sites
from host.bench.mutations.summary import ELSEWHERE, BadJudgement, read_judged, shares, summary
from host.bench.mutations.tree import LEFT_OUT, SCENARIOS, Tree
from tests.support.documents import ROOT

pytestmark = pytest.mark.slow

KEPT = ("rws-three-pictures-4/settle-point-totals.toml", "rws-three-pictures-4/play-no-second-choice.toml")
POINTS, CHOICE = (f"{SCENARIOS.as_posix()}/{name}" for name in KEPT)
POINTS_RETURNED = "value: return: return (_CARD_POINTS[a]"


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """The code with two scenarios."""
    made = Tree(ROOT, tmp_path_factory.mktemp("mutations") / "tree")
    for path in made.scenarios():
        if path not in (POINTS, CHOICE):
            (made.folder / path).unlink()
    return made


@pytest.fixture(scope="module")
def reach(tree, tmp_path_factory):
    return kept_reach(tree, tmp_path_factory.mktemp("kept") / "reach.json")


def site_of(tree, module, words):
    found = [site for site in find_sites(module, tree.source(module)) if words in site.name]
    assert len(found) == 1, [site.name for site in found]
    return found[0]


# -- reach


def test_every_scenario_is_timed_and_its_lines_are_known(tree, reach):
    assert [(play.target, play.path) for play in reach.plays] == [
        (target, path) for target in ("core", "cpython") for path in sorted([POINTS, CHOICE])
    ]
    assert all(play.wanted == ["passed", ""] and play.limit >= LEAST_LIMIT for play in reach.plays)
    pictures = tree.source("shared/rules/pictures.py").splitlines()
    value = next(number for number, line in enumerate(pictures, 1) if line.startswith("def value")) + 2
    assert reach.of("shared/rules/pictures.py", value) == [0, 1, 2, 3]
    assert reach.of("shared/rules/pictures.py", 1) == [0]  # the first scenario loads the book
    assert reach.of("shared/values.py", 1) == [0, 1, 2, 3]  # and this is loaded before
    assert reach.of("firmware/handover.py", 30) == []
    step = next(
        n for n, line in enumerate(tree.source("firmware/controller.py").splitlines(), 1) if "def step(" in line
    )
    on_firmware = [reach.of("firmware/controller.py", line) for line in range(step + 1, step + 12)]
    assert [2, 3] in on_firmware


def test_reach_is_measured_again_only_where_code_or_scenario_changed(tree, reach, tmp_path, monkeypatch):
    file = tmp_path / "reach.json"
    assert kept_reach(tree, file).lines == reach.lines
    played = []
    results_of = reach_module.results_of

    def count(tree, plays, watch):
        played.extend((play.target, play.path) for play in plays if watch)
        return results_of(tree, plays, watch)

    monkeypatch.setattr(reach_module, "results_of", count)
    again = kept_reach(tree, file)
    assert (again.plays, again.lines, played) == (again.plays, reach.lines, [])
    other = tree.folder / CHOICE
    content = other.read_text()
    other.write_text(content + "\n")
    assert kept_reach(tree, file).plays[0] == again.plays[0]
    other.write_text(content)
    assert played == [("core", CHOICE), ("cpython", CHOICE)]
    played.clear()
    with tree.changed("shared/values.py", tree.source("shared/values.py") + "\n"):
        assert kept_reach(tree, file).lines == reach.lines
    assert len(played) == 4


# -- one mutant


@pytest.mark.parametrize("module", ["shared/values.py", "shared/round/round.py", "firmware/controller.py"])
def test_the_mutated_code_is_what_runs(tree, reach, module):
    assert campaign.notice(tree, reach.plays)[0] is False
    with tree.changed(module, tree.source(module) + "\nraise RuntimeError('mutant')\n"):
        caught, by, how = campaign.notice(tree, reach.plays)
    assert (caught, by) == (True, "any scenario")
    assert "RuntimeError: mutant" in how
    assert campaign.notice(tree, reach.plays) == (False, "", "")


def test_a_fault_in_the_rules_is_caught_on_the_core(tree, reach):
    verdict = campaign.judge(tree, reach, site_of(tree, "shared/rules/pictures.py", POINTS_RETURNED))
    assert verdict.verdict == CAUGHT
    assert verdict.by.endswith("on core")
    assert verdict.reached == 4


def test_a_fault_in_the_firmware_is_caught_on_the_firmware(tree, reach):
    module = "firmware/drivers/device_line.py"
    with tree.changed(module, tree.source(module) + "\nDeviceLine.take_line = lambda *given: None\n"):
        caught, by, _ = campaign.notice(tree, reach.plays)
    assert caught
    assert by.endswith("on cpython")


def test_an_equivalent_mutant_survives(tree, reach):
    module = "shared/rules/cards.py"
    source = tree.source(module) + "\nSPARE = 1\n"
    with tree.changed(module, source):
        site = site_of(tree, module, "deleted: SPARE = 1")
        verdict = campaign.judge(tree, reach, site._replace(line=1))
    assert (verdict.verdict, verdict.by, verdict.how) == (SURVIVED, "", "")


def test_a_mutant_that_no_scenario_reaches_is_not_played(tree, reach, monkeypatch):
    monkeypatch.setattr(Tree, "play", None)
    module = "firmware/handover.py"
    site = next(site for site in find_sites(module, tree.source(module)) if not reach.of(module, site.line))
    assert campaign.judge(tree, reach, site).verdict == NOT_REACHED


@pytest.mark.parametrize(("reached", "played"), [([1], [1, 0, 2, 3]), ([3, 0, 2, 1], [3, 0, 2, 1])])
def test_what_few_scenarios_run_is_played_on_all_of_them(tree, reach, monkeypatch, reached, played):
    given = []
    monkeypatch.setattr(campaign, "notice", lambda tree, plays: given.extend(plays) or (False, "", ""))
    monkeypatch.setattr(campaign, "FEW", 3)
    site = site_of(tree, "shared/rules/pictures.py", POINTS_RETURNED)
    campaign.judge(tree, reach._replace(lines={f"{site.module}:{site.line}": reached}), site)
    assert given == [reach.plays[number] for number in played]


@pytest.mark.parametrize("loop", ["while True: pass", "kept = []\nwhile True: kept.append(bytes(1 << 20))"])
def test_an_endless_loop_ends(tree, reach, loop):
    module = "shared/rules/pictures.py"
    body = "\n    ".join(loop.splitlines())
    with tree.changed(module, tree.source(module) + f"\ndef value(*hand):\n    {body}\n"):
        caught, by, how = campaign.notice(tree, [play._replace(limit=1.0) for play in reach.plays])
    assert caught
    assert by == f"{CHOICE} on core"
    assert how.startswith(("ran beyond its time", "ended with status"))


def test_an_endless_loop_while_a_module_is_loaded_ends(tree, reach, monkeypatch):
    monkeypatch.setattr(campaign, "START_LIMIT", 1.0)
    module = "shared/rules/cards.py"
    with tree.changed(module, tree.source(module) + "\nwhile True:\n    pass\n"):
        assert campaign.notice(tree, reach.plays) == (True, "any scenario", "ran beyond its time")
    assert START_LIMIT > 10


# -- many


def test_a_campaign_goes_on_where_it_was_stopped(tree, reach, tmp_path, monkeypatch):
    file = tmp_path / "mutations.jsonl"
    first = list(campaign.run(tree, reach, 4, 3, file))
    assert [one.site for one in first] == campaign.sample(campaign.sites_of(tree), 4, 3)
    lines = file.read_text().splitlines()
    assert [json.loads(line)["verdict"] for line in lines] == [one.verdict for one in first]
    file.write_text("\n".join(lines[:3]) + "\n" + lines[3][:20] + "\n")  # torn
    judged = []
    monkeypatch.setattr(campaign, "judge", lambda tree, reach, site: judged.append(site) or first[3])
    assert list(campaign.run(tree, reach, 4, 3, file)) == first
    assert judged == [first[3].site]


def test_a_survivor_is_played_again_once_a_scenario_is_new(tree, tmp_path):
    site = site_of(tree, "shared/rules/pictures.py", POINTS_RETURNED)
    survivor = Verdict(site, SURVIVED, 1, "", "", 0.1)
    caught = Verdict(site, CAUGHT, 1, f"{POINTS} on core", "differs", 0.1)
    for verdict, stays in ((survivor, False), (caught, True)):
        file = tmp_path / f"{verdict.verdict}.jsonl"
        campaign.Progress(file, tree).keep(verdict)
        assert campaign.Progress(file, tree).known(site) == verdict
        other = tree.folder / CHOICE
        content = other.read_text()
        other.write_text(content + "\n")
        assert (campaign.Progress(file, tree).known(site) == verdict) == stays
        other.write_text(content)


def test_what_is_left_out_is_there_and_the_rest_is_in(tree):
    assert all((ROOT / path).exists() for path in LEFT_OUT)
    modules = set(tree.modules())
    assert not any(module.startswith(tuple(LEFT_OUT)) for module in modules)
    assert {
        "shared/values.py",
        "firmware/controller.py",
        "firmware/drivers/led.py",
        "shared/journal/ring.py",
    } < modules


# -- the summary


def verdict(place, kind):
    site = Site("shared/rules/small.py", "judge", "number", str(place), str(place + 1), 1, place, 10 + place, 10)
    return Verdict(site, kind, 0 if kind == NOT_REACHED else 2, "", "", 0.0)


VERDICTS = [verdict(0, CAUGHT), verdict(1, SURVIVED), verdict(2, NOT_REACHED), verdict(3, CAUGHT)]


def test_the_summary_counts_both_ways_and_lists_every_survivor():
    judged = {VERDICTS[1].site.name: ("equivalent", "nothing reads it"), "gone.py: x": ("gap", "was there")}
    assert shares(VERDICTS, judged) == (50.0, pytest.approx(66.67, abs=0.01))
    text = "\n".join(summary(VERDICTS, judged))
    assert text.startswith("2 of 4 mutants caught: 50.0 %; 66.7 % without equivalent ones")
    assert "| shared/rules | 4 | 2 | 1 | 1 |" in text
    assert (
        "- shared/rules/small.py:11 in judge, number, reached by 2 plays\n  `1` -> `2`\n  equivalent: nothing"
        in text
    )
    assert "small.py:12 in judge, number, not reached\n  `2` -> `3`\n  not judged yet" in text
    assert "not among these survivors: `gone.py: x`" in text


def test_the_file_of_survivors_says_what_is_wrong_with_it(tmp_path):
    file = tmp_path / "survivors.toml"
    good = '[[survivor]]\nmutation = "a"\nis = "gap"\nwhy = "b"\n'
    file.write_text(good)
    assert read_judged(file) == {"a": ("gap", "b")}
    for bad in (good * 2, good.replace("gap", "unclear"), good.replace("why", "because")):
        file.write_text(bad)
        with pytest.raises(BadJudgement, match="a survivor is named once"):
            read_judged(file)


def test_every_survivor_that_was_judged_is_a_mutation_of_the_code_and_has_a_reason():
    """A judgement of code that has changed since must be made anew."""
    modules = {name.partition(":")[0].partition(" ")[0] for name in read_judged()}
    names = {site.name for module in modules for site in find_sites(module, (ROOT / module).read_text())}
    assert set(read_judged()) - names == set()
    assert all(len(why) > 15 for _, why in read_judged().values())


def test_what_other_tests_catch_names_a_test_that_is_there():
    for name, (kind, why) in read_judged().items():
        if kind == ELSEWHERE:
            path = re.match(r"tests/\S+\.py", why)
            assert path, f"{name}: begin with the path of the test"
            assert (ROOT / path[0]).is_file(), name
