"""Scenario files: they come out as worked out by hand, every kind is there, and mistakes are told in words."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from host.bench import phrases
from host.bench.course import LOOKS, play
from host.bench.scenario import MISHAPS, BadScenario, coverage_table, find_files, kind_names, read_scenario
from host.bench.troubles.acts import ACTS
from host.cli import felt
from host.rules.catalogue import book_ids
from host.rules.inventory import paragraphs, readings
from shared.round.events import EVENTS, read_event
from shared.round.round import Round
from tests.support.documents import ROOT, rows_of
from tests.support.ledger import Ledger, state_of

FOLDER = ROOT / "tests" / "scenarios"
README = (FOLDER / "README.md").read_text()
SCENARIOS = [read_scenario(path) for path in find_files([FOLDER])]
ON_CORE = [scenario for scenario in SCENARIOS if not scenario.needs_table]  # test_targets.py plays the others
LEAST = 4  # of every kind of mishap in every book

SMALL = """
title = "Nine beats eight"
book = "rws-three-pictures-4"
kind = "chips gone"
paragraphs = ["3.13.1"]
readings = ["X-20"]

[table]
boxes = 2

[round]
steps = [
  "place your bets",
  "P1 bets $25 initial on box 1",
  "no more bets",
  "cards 2C 3D 4S 5C 6D 7S",
  "the dealer shows",
  "settle",
]

[expect]
because = "2-3-4 = Nine beats 5-6-7 = Eight."
state = "settled"
"P1 initial" = "wins $25"
"""


def name_of(scenario):
    return scenario.path.relative_to(FOLDER).with_suffix("").as_posix()


def checked_apply(scenario):
    """A round whose money and cards are checked as it happens; a refused event must change nothing."""
    round_ = Round(scenario.config)
    ledger = Ledger(round_)

    def apply(event):
        before = state_of(round_)
        records = round_.apply(event)
        if records[0][0] == "refused":
            assert state_of(round_) == before
        else:
            ledger.follow(records)
        return records

    return apply


@pytest.mark.parametrize("scenario", ON_CORE, ids=name_of)
def test_a_scenario_comes_out_as_worked_out_by_hand(scenario):
    assert play(scenario, checked_apply(scenario)).difference is None


@pytest.mark.parametrize("scenario", SCENARIOS, ids=name_of)
def test_a_scenario_names_what_there_is(scenario):
    known = {paragraph.paragraph for paragraph in paragraphs() if paragraph.rulebook == scenario.book}
    assert scenario.path.parent.name == scenario.book
    assert set(scenario.paragraphs) <= known
    assert set(scenario.readings) <= set(readings())
    assert scenario.paragraphs


ELSEWHERE = [scenario for scenario in SCENARIOS if scenario.kind == "card elsewhere"]
# What was paid stands there: a manager ruled so, or the card lies in a hand that was out.
STANDS = {
    "rws-three-pictures-4/elsewhere-in-a-hand-that-is-out",
    "mbs-royal-three-pictures-2/elsewhere-after-settlement-touched",
    "mbs-three-pictures-2/elsewhere-after-settlement-stands",
}
WAITS = {"rws-three-pictures-4/elsewhere-completes-the-deal"}  # for a card that never comes


def is_said(step, event):
    return bool(step.events) and step.events[0]["event"] == event


@pytest.mark.parametrize("scenario", ELSEWHERE, ids=name_of)
def test_without_the_word_where_cards_lie_it_comes_out_otherwise(scenario):
    """So no such scenario holds for the hands as they were read, too: its money differs."""
    assert any(is_said(step, "lies") for step in scenario.steps)
    silent = [step for step in scenario.steps if not is_said(step, "lies")]
    if scenario.case == "after settlement":  # without it nobody is asked
        silent = [step for step in silent if not is_said(step, "ruling") and not is_said(step, "all_told")]
    silent = [step for step in silent if not step.check]
    course = play(scenario._replace(steps=silent), Round(scenario.config).apply)
    assert (course.difference is None) == (name_of(scenario) in STANDS)
    waits = course.difference is not None and course.difference.startswith("step")
    assert waits == (name_of(scenario) in WAITS), "it ends, and its end differs"


# -- kinds and books


def test_every_mishap_is_there_in_every_book_and_blanks_are_explained():
    table = coverage_table(SCENARIOS)
    assert "\n".join(table) in README, "the table in tests/scenarios/README.md is:\n" + "\n".join(table)
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table]
    books = rows[0][1:]
    counted = {(row[0], book): int(cell or 0) for row in rows[2:] for book, cell in zip(books, row[1:])}
    blanks = {cell for cell, count in counted.items() if cell[0].partition(", ")[0] in MISHAPS and not count}
    explained = rows_of(README, "What is blank, and why:")
    assert blanks == {(kind, book) for kind, book, _ in explained}
    assert all(len(why) > 20 for _, _, why in explained)
    few = {cell: count for cell, count in counted.items() if cell[0] in MISHAPS and 0 < count < LEAST}
    assert not few
    assert set(books) == set(book_ids())


@pytest.mark.parametrize("book", book_ids())
def test_every_paragraph_that_the_controller_follows_is_shown(book):
    """All but those that it only displays."""
    followed = {one.paragraph for one in paragraphs() if one.rulebook == book and one.controller != "display"}
    shown = {paragraph for scenario in SCENARIOS if scenario.book == book for paragraph in scenario.paragraphs}
    assert followed - shown == set()


def test_coverage_sees_what_is_missing():
    without = [scenario for scenario in SCENARIOS if scenario.kind != "chips gone"]
    assert "| chips gone |  |  |  |  |  |" in coverage_table(without)


# -- phrases


def test_every_phrase_is_in_the_readme_and_no_other():
    listed = [(row[0], row[1]) for row in rows_of(README, "## What happens")]
    assert listed == [(f"`{phrase.template}`", f"`{phrase.event}`") for phrase in phrases.PHRASES]
    assert [row[0] for row in rows_of(README, "## What must have come out")] == [
        f"`{one}`" for one in phrases.CHECKS
    ]
    troubles = [(row[0], row[1]) for row in rows_of(README, "## What goes wrong beside the game")]
    assert troubles == [(f"`{phrase.template}`", f"`{phrase.event}`") for phrase in phrases.TROUBLE_PHRASES]
    words = {**phrases.KINDS, **phrases.QUESTIONS, **phrases.PUT_RIGHT, **phrases.CHOICES, **phrases.RESULTS}
    flat = " ".join(README.split())
    assert [word for word in words if f"`{word}`" not in flat] == []
    assert [word for word in phrases.POSTS if word not in flat] == []
    assert [row for row in phrases.OUTCOMES.items() if f"| `{row[0]}` | {row[1]} |" not in README] == []


def test_every_event_has_a_phrase_and_every_check_is_looked_at():
    assert {phrase.event for phrase in phrases.PHRASES} == set(EVENTS)
    assert set(phrases.CHECKS.values()) == set(LOOKS)


EXAMPLES = {
    "player": "P1",
    "box": "box 2",
    "place": "the dealer's hand",
    "before": "box 1",
    "wager": "lucky tie",
    "cents": "$1,250",
    "lay": "$2.50",
    "card": "KS",
    "cards": "KS ?? XX",
    "count": "52",
    "limit": "2",
    "round": "1",
    "seated": "standing",
    "kind": "wrong count",
    "put_right": "hands moved",
    "choice": "goes on",
}


@pytest.mark.parametrize("phrase", phrases.PHRASES, ids=lambda phrase: phrase.template)
def test_a_phrase_is_its_own_event_with_every_field_in_place(phrase):
    words = phrase.template.format(**EXAMPLES)
    events = phrases.read_step(words)
    said = re.findall(r"\{(\w+)\}", phrase.template)
    for event in events:
        name, fields = read_event(event)  # which refuses any event of the wrong shape
        assert name == phrase.event
        given = [field for field, value in fields.items() if value is not None]
        assert set(given) == {"card" if field == "cards" else field for field in said} | set(phrase.given or {})
    assert len(events) == (3 if "cards" in said else 1)


TROUBLE_EXAMPLES = EXAMPLES | {
    "key": "open",
    "device": "reader",
    "words": "CARD KS",
    "orders": "SHUFFLE, DEAL 3",
    "report": "an error",
    "frame": "its start",
    "fault": "shuffler jam",
    "by": "dealer",
    "book": "mbs-three-pictures-2",
    "setting": "boxes = 40",
    "values": "bet 1 P1 main none yes",
    "strange": "hails",
    "other": "other rules",
    "step": "no more bets",
    "mood": "a fault",
}


@pytest.mark.parametrize("phrase", phrases.TROUBLE_PHRASES, ids=lambda phrase: phrase.template)
def test_a_trouble_is_its_own_act_with_every_field_in_place(phrase):
    events = phrases.read_step(phrase.template.format(**TROUBLE_EXAMPLES))
    said = re.findall(r"\{(\w+)\}", phrase.template)
    for event in events:
        assert event["event"] == phrase.event
        assert event["event"] in ACTS
        named = {"card" if field == "cards" else field for field in said}
        assert set(event) == {"event"} | named | set(phrase.given or {})
    assert {phrase.event for phrase in phrases.TROUBLE_PHRASES} == set(ACTS)


def test_fields_are_read_as_people_write_them():
    assert phrases.read_step("P2 bets $1,250 lucky tie on box 3, standing") == [
        {"event": "bet", "player": "P2", "cents": 125_000, "wager": "lucky_tie", "box": 3, "seated": False}
    ]
    assert phrases.read_step("2S lies in the dealer's hand, says the shift manager") == [
        {"event": "lies", "by": "shift_manager", "card": "2S", "place": 0}
    ]
    assert phrases.read_step("the power fails at write 2 of: no more bets") == [
        {"event": "tear", "count": 2, "step": [{"event": "close"}]}
    ]
    assert phrases.read_step("the host tells: bet 1 P1 none yes")[0]["values"] == ["bet", 1, "P1", None, True]
    assert phrases.read_step("the table is set up with: boxes = 40")[0]["setting"] == {"boxes": 40}
    assert phrases.read_outcome("loses $25, owes $2.50") == {"loses": 2500, "owes": 250}


# -- differences


def small(tmp_path, **changes):
    text = SMALL
    for old, new in changes.values():
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "small.toml"
    path.write_text(text)
    return path


def difference(tmp_path, *steps, old='"settle",', expect=None):
    """What is told of the small scenario with these steps instead of its last, or other words in [expect]."""
    changes = {"steps": (old, "".join(f'"{step}",\n' for step in steps))} if steps else {}
    if expect:
        changes["expect"] = expect
    scenario = read_scenario(small(tmp_path, **changes))
    return play(scenario, Round(scenario.config).apply).difference or ""


def test_the_small_scenario_comes_out(tmp_path):
    assert difference(tmp_path) == ""


WON = '"P1 initial" = "wins $25"'


@pytest.mark.parametrize(
    ("new", "told"),
    [
        ('"P1 initial" = "loses $25"', "P1 initial on box 1: expected loses $25, came out as: wins $25"),
        ('"P1 initial" = "wins $50"', "P1 initial on box 1: expected wins $50, came out as: wins $25"),
        ('"P1 initial" = "wins $25, keeps $5"', "expected wins $25, keeps $5, came out as: wins $25"),
        ('"P1 initial on box 2" = "wins $25"', "P1 initial on box 2: expected wins $25, came out as: neither"),
        (
            f'{WON}\n"P2 tie" = "loses $5"',
            "P2 tie: expected loses $5, came out as: neither settled nor given back",
        ),
        ("", "P1 initial on box 1: wins $25, which [expect] does not name"),
        (f'{WON}\nmeter = "$5"', "the jackpot's meter: expected $5, it is never told"),
    ],
)
def test_a_bet_that_comes_out_otherwise_is_told(tmp_path, new, told):
    assert told in difference(tmp_path, expect=(WON, new))


def test_a_state_that_comes_out_otherwise_is_told(tmp_path):
    void = ('state = "settled"', 'void = "5.5.4"')
    assert difference(tmp_path, expect=void) == "the round is settled at the end, expected void"
    told = difference(tmp_path, "report: foreign card", expect=void)
    assert told == "void by 5.5.1 X-07, expected 5.5.4"


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        (["settle", "=> refused: 5.7"], "expected a refusal; it was accepted"),
        (["P1 takes back initial on box 1", "=> refused: 5.2"], "refused by 5.7, expected 5.2"),
        (["P1 takes back initial on box 1", "=> refused"], "refused by 5.7, expected no rule"),
        (["P1 takes back initial on box 1", "settle"], "refused: P1 takes back"),
        (["settle", "=> asks the dealer about a card: 5.5.2"], "expected that the dealer is asked about a card"),
        (["settle", "=> asks P1 on box 1 to choose: 5.6.1"], "asked to choose: nobody"),
        (["settle", "=> noted: 5.3"], "expected that this is noted"),
        (["report: P1 has left", "=> noted: 5.4"], "rests on 5.3 L-38, not on 5.4"),
        (["settle", "=> put right: 5.5.4"], "expected that the deal is put right"),
        (["settle", "=> box 1 is out: 5.8"], "expected that box 1 is out"),
        (["settle", "=> decided, won: P1 initial on box 1: 5.4.1"], "expected that P1 initial is decided"),
        (["settle", "=> warning, initial on box 1: 5.16"], "expected that this is warned about"),
        (["settle", "=> the round is void: 5.4"], "expected that the round is void"),
        (["settle", "=> the round is playing"], "the round is settled, expected playing"),
        (["settle", "=> nothing follows"], "P1's initial on box 1 wins"),
        (["settle", "=> P1 initial: pushes $25"], "expected pushes $25, came out as: wins $25"),
        (["settle", "=> P1 initial on box 2: wins $25"], "P1 initial on box 2: expected wins $25"),
    ],
)
def test_a_check_that_does_not_hold_is_told_with_its_step(tmp_path, steps, told):
    found = difference(tmp_path, *steps)
    assert told in found
    assert re.match(r'step [67] \("', found)


def test_a_choice_offered_to_others_is_told(tmp_path):
    steps = ["P1 looks at box 1", "report: misdeal", "=> asks P2 on box 1 to choose: 5.6.1"]
    assert "asked to choose: P1 on box 1" in difference(tmp_path, *steps, old='"the dealer shows",')


def test_what_went_back_at_closing_is_not_forgotten_when_a_card_was_in_doubt(tmp_path):
    steps = ["no more bets", "counted: $5 tie of P2 on box 2", "cards XX", "the card was misread"]
    told = difference(tmp_path, *steps, old='"no more bets",')
    assert told == "P2 tie on box 2: returned $5, which [expect] does not name"


def test_what_went_back_is_not_counted_twice_when_a_settlement_is_taken_back(tmp_path):
    """A second wager under the minimum goes back by its settlement, which is then void."""
    again = ["place your bets", "P1 bets $5 main on box 1", "no more bets", "cards 2C 3D 4S 5C 6D 7S"]
    again += ["box 1 shows its hand", "the dealer shows", "settle"]
    count = "report: wrong count in the dealer's hand, says the supervisor"
    path = small(
        tmp_path,
        book=("rws-three-pictures-4", "mbs-royal-three-pictures-2"),
        limits=("boxes = 2", 'boxes = 2\nlimits.main = ["$10", "$100"]'),
        bet=("$25 initial", "$5 main"),
        show=('"the dealer shows",', '"box 1 shows its hand", "the dealer shows",'),
        settle=(
            '"settle",',
            "".join(f'"{step}",' for step in ("settle", *again, "=> P1 main: returned $5", count)),
        ),
        end=('state = "settled"', 'void = "5.9"'),
        outcome=(WON, '"P1 main" = "returned $5"'),
    )
    scenario = read_scenario(path)
    assert play(scenario, Round(scenario.config).apply).difference is None


# -- files that cannot be played


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("title", "titel", "the file has no field titel; it has title, book"),
        (
            "rws-three-pictures-4",
            "rws-four-pictures",
            'there is no rulebook "rws-four-pictures"; choose one of mbs-',
        ),
        ("chips gone", "chips away", 'kind: "chips away" is not a kind; choose one of card elsewhere, before'),
        ("boxes = 2", "boxes = 40", "[table] boxes: expected a whole number from 1 to 16"),
        ("boxes = 2", 'boxes = 2\nlimits.initial = ["$5", "five"]', "[table] limits.initial: expected"),
        (
            '"settle",',
            '"setle",',
            'step 6: "setle" is not a phrase; the nearest phrase is "settle". tests/scenarios',
        ),
        ("cards 2C", "cards 1C", 'step 4: "cards 1C 3D 4S 5C 6D 7S" is not a phrase; the nearest phrase is'),
        (
            "P1 bets $25",
            "P1 bets 25",
            'step 2: "P1 bets 25 initial on box 1" is not a phrase; the nearest phrase is',
        ),
        ("P1 bets $25", "P1 bets $2,5", "step 2: $2,5 is not an amount: write $25 or $2.50"),
        (
            '"settle",',
            '"settle", "=> refusd",',
            'step 7: "refusd" is not a phrase; the nearest phrase is "refused"',
        ),
        ('"settle",', '"settle", "=> P1 tie: won $5",', 'step 7: "won $5" is not an outcome; write wins, loses'),
        ("steps = [", "step = [", "[round] has no field step; it has steps"),
        ("[round]", "[rounds]", "the file has no field rounds"),
        ('"settle",', "7,", 'steps: write a list of texts, such as steps = ["...", "..."]'),
        ('state = "settled"', 'state = "over"', "[expect] state: write one of idle, betting, closed"),
        ('"wins $25"', '"gains $25"', '"gains $25" is not an outcome; write wins, loses'),
        ('"wins $25"', "25", '[expect] P1 initial: write "P1 tie" = "wins $25"'),
        ('"P1 initial" =', '"initial" =', '[expect] initial: write "P1 tie" = "wins $25"'),
        ('because = "2-3-4 = Nine beats 5-6-7 = Eight."', "", 'because: write a text, such as because = "..."'),
        ("[expect]", "[expect", "not TOML: "),
    ],
)
def test_a_mistake_in_a_file_is_told_with_its_place_and_what_to_do(tmp_path, old, new, told):
    path = small(tmp_path, mistake=(old, new))
    with pytest.raises(BadScenario) as caught:
        read_scenario(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert told in str(caught.value)


def test_files_that_are_not_there_or_not_text_are_told(tmp_path):
    with pytest.raises(BadScenario, match="cannot be read: No such file"):
        read_scenario(tmp_path / "nothing.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(BadScenario, match="not text in UTF-8"):
        read_scenario(tmp_path / "binary.toml")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadScenario, match="no scenario file"):
        find_files([tmp_path / "empty"])


def test_kinds_are_named_with_their_cases():
    assert "chips gone" in kind_names()
    assert "exposed card, own, after the deal" in kind_names()
    assert "exposed card" not in kind_names()


# -- the command


def run(*arguments: Path | str):
    done = CliRunner().invoke(felt, ["round", *map(str, arguments)])
    return done.exit_code, done.output


def test_one_scenario_is_told_step_by_step(tmp_path):
    path = small(tmp_path)
    status, printed = run("--scenario", path)
    assert status == 0
    lines = printed.splitlines()
    assert lines[0] == "Nine beats eight (rws-three-pictures-4)"
    assert "  settle" in lines
    assert "      P1's initial on box 1 wins 1:1, $25 staked, $50 back  [4.1/initial-other]" in lines
    assert lines[-1] == f"as expected: {path}: Nine beats eight"


def test_a_difference_ends_with_status_1_and_its_reason(tmp_path):
    path = small(tmp_path, expect=("wins $25", "loses $25"))
    status, printed = run("--scenario", path)
    assert status == 1
    assert printed.splitlines()[-2:] == [
        f"differs: {path}: P1 initial on box 1: expected loses $25, came out as: wins $25",
        "         because: 2-3-4 = Nine beats 5-6-7 = Eight.",
    ]


def test_several_files_and_folders_have_a_line_each(tmp_path):
    first = tmp_path / "first"
    first.mkdir()
    small(first)
    other = small(tmp_path, expect=("wins $25", "loses $25"))
    status, printed = run("--scenario", first, other)
    assert status == 1
    lines = printed.splitlines()
    assert lines[0].startswith(f"as expected: {first}")
    assert lines[1].startswith(f"differs: {other}")
    assert lines[-1] == "2 scenarios, 1 differ"
    assert run("--scenario", first)[0] == 0


def test_what_cannot_be_played_is_one_line_with_status_1(tmp_path):
    path = small(tmp_path, mistake=("settle", "setle"))
    status, printed = run("--scenario", path)
    assert status == 1
    assert printed.startswith(f"Error: {path}: step 6: ")
    assert len(printed.splitlines()) == 1


def test_options_that_do_not_go_together_are_refused(tmp_path):
    path = small(tmp_path)
    assert run("--scenario", "--lines", path)[0] == 2
    assert run(path, path)[0] == 2
    assert run()[0] == 2


def test_a_bet_on_one_of_several_boxes_is_looked_for_by_its_box():
    name, fields = phrases.read_check("P1 three pictures on box 2: wins $25")
    assert (name, fields["wager"], fields["box"]) == ("outcome", "three_pictures", 2)
    name, fields = phrases.read_check("P1 main: loses $5")
    assert (name, fields["wager"], fields.get("box")) == ("outcome", "main", None)
