"""Logs outlive rules: a stretch is played again by the rules that it names, and all else is checked anyway."""

import shutil
from pathlib import Path
from zipfile import ZipFile

import pytest
from click.testing import CliRunner

from firmware.handover import hand_over
from host.cli import felt
from host.log.audit import audit
from host.log.other_rules import BadRules, OtherRules
from host.log.strict_replay import StrictReplay
from shared.journal.chain import Chain
from shared.round.round import Round
from tests.support.log.logs import KEY, RULES, RecordingTable, play_round, records_of, write_log
from tests.support.tables import MBS

ROOT = Path(__file__).parents[3]
OTHER = "f" * 32


def update(table, rules):
    """As `felt flash` does it: the old firmware says how the table stands, then the new one starts."""
    assert hand_over(table.storage, KEY.sealer, KEY.table, table.dice.randbytes, table.rules) == ("idle", "")
    table.rules = rules
    table.start("power")


def updated_table(*stretches):
    """A table with a round under each of these rules."""
    table = RecordingTable({"game": MBS, "boxes": 1}, rules=stretches[0])
    play_round(table)
    for rules in stretches[1:]:
        update(table, rules)
        play_round(table)
    return table


def audited(path, *others):
    return audit(path, KEY, (), lambda count: None, RULES, [OtherRules(other) for other in others])


def found(report):
    return [(one.kind, one.number) for one in report.findings]


@pytest.fixture(scope="module")
def other_rules(tmp_path_factory):
    """A folder with rules of another digest that play as these do, and a wheel with the same."""
    folder = tmp_path_factory.mktemp("other")
    shutil.copytree(ROOT / "shared", folder / "shared", ignore=shutil.ignore_patterns("__pycache__", "*.md"))
    cards = folder / "shared" / "rules" / "cards.py"
    cards.write_text(cards.read_text() + "\n# Another version.\n")
    wheel = folder / "felt-0-py3-none-any.whl"
    with ZipFile(wheel, "w") as packed:
        for path in sorted((folder / "shared").rglob("*.py")):
            packed.write(path, path.relative_to(folder))
    return folder, wheel


@pytest.fixture(scope="module")
def other_prices(other_rules, tmp_path_factory):
    """Rules under which one who wins with the main wager gets twice as much."""
    folder = tmp_path_factory.mktemp("prices")
    shutil.copytree(other_rules[0] / "shared", folder / "shared")
    settlement = folder / "shared" / "rules" / "settlement.py"
    text = settlement.read_text()
    assert text.count("return stake * line.num") == 1
    settlement.write_text(text.replace("return stake * line.num", "return 2 * stake * line.num"))
    return folder


def forged(table, change):
    """The table's records, changed by somebody who has its key."""
    chain = Chain(KEY.sealer, KEY.table)
    lines = []
    for one in table.records():
        record = list(one.record)
        change(one.number, record)
        lines.append(chain.write(one.boot, record)[:-1])
    return records_of(lines)


# -- what the table writes


def test_every_start_and_every_standing_names_the_rules():
    table = updated_table(OTHER, RULES)
    named = [(one.record[0], one.record[3]) for one in table.records() if one.record[0] in ("boot", "begin")]
    assert named == [
        *[("boot", OTHER), ("begin", OTHER), ("begin", OTHER)],  # a configuration, and before the round
        *[("boot", OTHER), ("begin", OTHER)],  # handed over
        *[("boot", RULES), ("begin", RULES)],
    ]


# -- the audit


@pytest.mark.slow
def test_stretches_under_two_rules(tmp_path, other_rules):
    folder, wheel = other_rules
    digest = OtherRules(folder).digest
    assert digest == OtherRules(wheel).digest != RULES
    table = updated_table(digest, RULES, digest)
    records = table.records()
    write_log(tmp_path / "log", records)
    starts = [one.number for one in records if one.record[0] == "boot"]
    report = audited(tmp_path / "log")
    assert report.findings == []
    assert [(one.first, one.last, one.rules, one.played_by) for one in report.stretches] == [
        (1, starts[2] - 1, digest, None),
        (starts[2], starts[4] - 1, RULES, None),
        (starts[4], len(records), digest, None),
    ]
    assert report.replayed == starts[4] - starts[2]
    assert (report.settled, report.staked, report.returned) == (3, 3000, 6000)
    for other in other_rules:
        again = audited(tmp_path / "log", other)
        assert again.findings == []
        assert [one.played_by for one in again.stretches] == [other.name, None, other.name]
        standing = next(one for one in records if one.record[0] == "begin")
        assert again.replayed == len(records) - (standing.number + standing.record[1]) + 1


def test_a_stretch_is_played_by_the_rules_that_are_brought_and_no_others(tmp_path, other_prices):
    digest = OtherRules(other_prices).digest
    table = updated_table(digest, RULES)
    write_log(tmp_path / "log", table.records())
    lines = [one.number for one in table.records() if one.record[0] == "line"]
    assert audited(tmp_path / "log").findings == []
    report = audited(tmp_path / "log", other_prices)
    assert found(report) == [("replay", lines[0])]
    assert report.findings[0].text.startswith('expected ["line",1,"P1","main","win"')


def test_what_the_rules_that_are_brought_cannot_play_is_a_finding(tmp_path, other_rules):
    digest = OtherRules(other_rules[1]).digest
    table = updated_table(digest, RULES)
    boxes = [one.number for one in table.records() if one.record[:2] == ["config", "boxes"]][1]

    def change(number, record):
        if number == boxes:
            record[2] = "many"

    write_log(tmp_path / "log", forged(table, change))
    report = audited(tmp_path / "log", other_rules[1])
    assert found(report)[0][0] == "replay"
    assert report.findings[0].number in range(boxes, boxes + 5)


def test_a_forged_total_in_a_stretch_of_other_rules_is_found(tmp_path):
    table = updated_table(OTHER, RULES)
    total = next(one.number for one in table.records() if one.record[0] == "total")

    def change(number, record):
        if number == total:
            record[2] += 100

    write_log(tmp_path / "log", forged(table, change))
    report = audited(tmp_path / "log")
    assert found(report) == [("totals", total)]


def test_a_changed_settlement_is_found_only_by_the_rules_of_its_stretch(tmp_path, other_rules):
    """Line and total fit each other, so that nothing but playing the round again tells."""
    digest = OtherRules(other_rules[1]).digest
    table = updated_table(digest, RULES)
    line, total = (
        next(one.number for one in table.records() if one.record[0] == kind) for kind in ("line", "total")
    )

    def change(number, record):
        if number == line:
            record[8] += 100
            record[9] += 100
        elif number == total:
            record[2] += 100
            record[3] -= 100

    write_log(tmp_path / "log", forged(table, change))
    report = audited(tmp_path / "log")
    assert report.findings == []
    assert report.replayed == report.last - report.stretches[1].first + 1, "the others are not claimed"
    assert found(audited(tmp_path / "log", other_rules[1])) == [("replay", line)]


def test_a_changed_settlement_under_these_rules_is_found_between_others(tmp_path):
    table = updated_table(OTHER, RULES, OTHER)
    line = [one.number for one in table.records() if one.record[0] == "line"][1]

    def change(number, record):
        if number == line:
            record[8] += 100

    write_log(tmp_path / "log", forged(table, change))
    assert ("replay", line) in found(audited(tmp_path / "log"))


@pytest.fixture
def key_file(tmp_path):
    made = tmp_path / "t1.key"
    made.write_text(f"felt-table-key T1 {KEY.key.hex()}\n")
    made.chmod(0o600)
    return made


def run(*arguments):
    done = CliRunner().invoke(felt, [str(one) for one in arguments], env={"COLUMNS": "80"})
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def test_the_command_says_what_was_not_played_and_by_what_it_was(tmp_path, key_file, other_rules):
    wheel = other_rules[1]
    digest = OtherRules(wheel).digest
    table = updated_table(digest, RULES)
    write_log(tmp_path / "log", table.records())
    last = [one.number for one in table.records() if one.record[0] == "boot"][-1] - 1
    status, said = run("audit", tmp_path / "log", "--key", key_file)
    assert status == 0
    assert said.splitlines()[0] == f"records 1 to {last} not played again: written under rules {digest}"
    assert said.splitlines()[1].startswith("table T1: in order; ")
    assert "--rules" in said.splitlines()[2]
    status, said = run("audit", tmp_path / "log", "--key", key_file, "--rules", wheel)
    assert status == 0
    assert (
        said.splitlines()[0] == f"records 1 to {last} played again by {wheel.name}: written under rules {digest}"
    )
    assert said.splitlines()[1].startswith("table T1: in order; ")
    assert "--rules" not in said


def test_rules_that_do_not_help_are_explained(tmp_path, key_file, other_rules):
    table = updated_table(OTHER, RULES)
    write_log(tmp_path / "log", table.records())
    (tmp_path / "text.whl").write_text("no wheel")
    with ZipFile(tmp_path / "empty.whl", "w") as empty:
        empty.writestr("host/__init__.py", "")
    for rules, words in (
        (tmp_path / "absent.whl", "does not exist"),
        (tmp_path / "text.whl", "text.whl is not a Felt wheel"),
        (tmp_path / "empty.whl", "empty.whl holds no rules of Felt"),
        (tmp_path, "holds no rules of Felt"),
        (other_rules[1], f"fits no stretch of this log: its rules are {OtherRules(other_rules[1]).digest}"),
    ):
        status, said = run("audit", tmp_path / "log", "--key", key_file, "--rules", rules)
        assert status != 0
        assert words in " ".join(said.split()), rules


def test_rules_that_cannot_play_are_explained(tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "__init__.py").write_text("")
    broken = OtherRules(tmp_path)
    with pytest.raises(BadRules, match="do not play: ModuleNotFoundError"):
        broken.play(OTHER, [])


# -- live


@pytest.fixture
def other_words(monkeypatch):
    """Other rules: they settle differently, until the function that this gives is called."""
    apply = Round.apply

    def worded(round_, event):
        records = apply(round_, event)
        return [[*record[:-1], 77] if record[0] in ("line", "total") else record for record in records]

    monkeypatch.setattr(Round, "apply", worded)
    return lambda: monkeypatch.setattr(Round, "apply", apply)


def differences(records, rules=RULES):
    replay = StrictReplay(rules)
    return [(one.number, found) for one in records if (found := replay.take(one.record))], replay


def test_no_alarm_about_what_other_rules_wrote_and_play_goes_on_after_them(other_words):
    table = RecordingTable({"game": MBS, "boxes": 1}, rules=OTHER)
    play_round(table)
    play_round(table)
    assert hand_over(table.storage, KEY.sealer, KEY.table, table.dice.randbytes, OTHER) == ("idle", "")
    other_words()
    table.rules = RULES
    table.start("power")
    first = table.journal.chain.number
    play_round(table)
    records = table.records()
    alarms, replay = differences(records)
    assert alarms == []
    assert replay.is_playing
    assert (replay.round.number, replay.round.state) == (3, "settled")
    assert differences(records, OTHER)[0], "under its own name it would have been one"
    line = next(one for one in records[first:] if one.record[0] == "line")
    line.record[8] += 100
    assert [number for number, _ in differences(records)[0]] == [line.number]


def test_records_that_own_rules_owe_are_missed_though_other_rules_come():
    table = RecordingTable({"game": MBS, "boxes": 1}, rules=RULES)
    play_round(table)
    records = table.records()
    settle = next(
        at for at, one in enumerate(records) if one.record[0] == "event" and one.record[2] == ["settle"]
    )
    cut = [*records[: settle + 1], records[settle + 1]._replace(record=["boot", "power", 0, OTHER])]
    assert [found[0][0] for _, found in differences(cut)[0]] == ["line"]


@pytest.mark.parametrize("cut", range(1, 60))
def test_wherever_other_rules_end_there_is_no_alarm(other_words, cut):
    """The table starts under these rules where the others had said how it stands, or in the middle of it all."""
    table = RecordingTable({"game": MBS, "boxes": 1}, rules=OTHER)
    play_round(table)
    before = table.records()[:cut]
    other_words()
    after = updated_table(RULES).records()[1:]
    replay = StrictReplay(RULES)
    assert [replay.take(one.record) for one in (*before, *after)] == [None] * (len(before) + len(after))
    assert replay.is_playing


def test_rules_that_come_back_are_played_again(tmp_path):
    table = updated_table(RULES, OTHER, RULES)
    alarms, replay = differences(table.records())
    assert alarms == []
    assert (replay.is_playing, replay.round.number) == (True, 3)


def test_own_records_that_cannot_be_played_are_counted_and_said(tmp_path, key_file, other_words):
    table = RecordingTable({"game": MBS, "boxes": 1}, rules=OTHER)
    play_round(table)
    table.rules = RULES
    table.start("power")  # without `felt flash`, which has a table say first how it stands
    other_words()
    table.do("new_day", "Pit Manager")
    number = table.journal.chain.number
    play_round(table)
    write_log(tmp_path / "log", table.records())
    report = audited(tmp_path / "log")
    assert (found(report), report.passed) == ([("totals", 43)], [number])
    _, said = run("audit", tmp_path / "log", "--key", key_file)
    assert f"1 records between {number} and {number} not played again" in said
    write_log(tmp_path / "updated", updated_table(OTHER, RULES).records())
    assert audited(tmp_path / "updated").passed == []
