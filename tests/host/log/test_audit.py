"""`felt audit`: whole logs are in order, and whatever somebody does to one is found and named."""

import sqlite3

import pytest
from click.testing import CliRunner

from host.cli import felt
from host.keys import make_signer, read_signer
from host.log import audit as auditing
from host.log import parts
from host.log.audit import MOST_FINDINGS, ROLLUPS, audit
from host.log.checkpoints import CheckpointBook
from host.log.reading import Origin
from host.log.rollups.keeper import TABLES
from host.log.schema import NotALog
from host.log.store import LogStore, seal_in
from shared.journal.chain import Chain
from shared.journal.wire import decode, encode
from tests.support.log.logs import (
    KEY,
    NOON,
    RULES,
    RecordingTable,
    play_round,
    random_play,
    records_of,
    tampered,
    write_log,
)
from tests.support.tables import GAMES, MBS


def findings(path, checkpoints=()):
    report = audit(path, KEY, checkpoints, lambda count: None, RULES)
    apart = audit_in_parts(path, checkpoints)
    assert {**vars(apart), "passed": 0} == {**vars(report), "passed": 0} or report.left_out
    return [(one.kind, one.number) for one in report.findings]


def audit_in_parts(path, checkpoints=()):
    """A part for each round, one after the other in this process."""

    def one_after_the_other(look, arguments, parts, progress):
        return [look(*arguments, part, progress) for part in parts]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "LEAST_RECORDS", 1)
        patch.setattr(auditing, "side_by_side", one_after_the_other)
        return audit(path, KEY, checkpoints, lambda count: None, RULES, jobs=9)


@pytest.fixture(scope="module")
def table():
    """Three rounds of a player who wins, loses, and is paid; then a round that is void."""
    made = RecordingTable({"game": MBS, "boxes": 1})
    for hand in ("9C KC QC 2D 3D 4D", "2C 3C 4C 9D KD QD", "9C KC QC 2D 3D 5D"):
        play_round(made, hand)
    return made


def place_of(table, kind, nth=0):
    return [one.number for one in table.records() if one.record[0] == kind][nth]


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_log_of_anything_that_can_happen_is_in_order(tmp_path, game):
    records = random_play(game, "audit", 600).records()
    write_log(tmp_path / "log", records)
    report = audit(tmp_path / "log", KEY, (), lambda count: None, RULES)
    assert vars(audit_in_parts(tmp_path / "log")) == vars(report)
    assert [str(one) for one in report.findings] == []
    assert (report.first, report.last) == (1, len(records))
    standing = next(one.number for one in records if one.record[0] == "begin")
    assert report.replayed >= len(records) - standing - 20
    opened = [one for one in records if one.record[0] == "event" and one.record[2] == ["open"]]
    assert report.rounds == len(opened) > 3


def test_parts_side_by_side_find_what_one_pass_finds(path, table, monkeypatch):
    monkeypatch.setattr(parts, "LEAST_RECORDS", 1)
    numbers = [place_of(table, "line", nth) for nth in range(2)]
    tampered(path, f"UPDATE records SET paid = 1 WHERE number IN ({numbers[0]}, {numbers[1]})")
    told = []
    report = audit(path, KEY, (), told.append, RULES, jobs=3)
    found = [(one.kind, one.number) for one in report.findings if one.kind != ROLLUPS]
    assert found == [("columns", number) for number in numbers]
    assert (report.rounds, report.settled, report.staked, report.returned) == (3, 3, 3000, 4000)
    assert told == sorted(told)


def test_a_part_that_cannot_be_read_ends_the_audit_in_words(path, monkeypatch):
    monkeypatch.setattr(parts, "LEAST_RECORDS", 1)

    def fail(*_):
        raise NotALog("log.schema", path=path, error="gone")

    monkeypatch.setattr(auditing, "check_file", fail)
    with pytest.raises(NotALog, match="gone"):
        audit(path, KEY, (), lambda count: None, RULES, jobs=3)


def test_money_is_added_up_over_the_whole_log(path):
    """Nine points with two pictures beat nine plain; nine plain lose to them; then they beat nought."""
    report = audit(path, KEY, (), lambda count: None, RULES)
    assert (report.rounds, report.settled, report.staked, report.returned) == (3, 3, 3000, 4000)


def test_a_column_that_does_not_say_what_its_line_says(path, table):
    number = place_of(table, "line")
    tampered(path, f"UPDATE records SET paid = 1 WHERE number = {number}")
    assert findings(path) == [("columns", number), ("rollups", None)]
    tampered(path, "UPDATE records SET round = 2 WHERE round = 1")
    counted = [one for one in findings(path) if one[0] == "columns"]
    assert len(counted) == MOST_FINDINGS


def test_a_changed_line_is_found_by_its_seal_though_its_checksum_was_made_anew(path, table):
    number = place_of(table, "line")
    message = decode(table.records()[number - 1].line)
    message[3][8] += 100
    forged = encode(message)[:-1].hex()
    tampered(path, f"UPDATE records SET line = x'{forged}' WHERE number = {number}")
    found = findings(path)
    assert ("chain", number) in found
    assert ("columns", number) in found
    assert ("replay", number) in found


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("DELETE FROM records WHERE number = 20", ("chain", 20)),
        ("UPDATE records SET line = 'a text' WHERE number = 20", ("chain", 20)),
        ("UPDATE records SET line = x'' WHERE number = 20", ("chain", 20)),
        ("UPDATE records SET boot = 7 WHERE number = 20", ("columns", 20)),
        ("UPDATE records SET number = 2000 WHERE number = 20", ("chain", 20)),
        ("UPDATE records SET staff = x'00' WHERE number = 20", ("columns", 20)),
        ("DROP INDEX records_by_box", ("file", None)),
        ("DROP VIEW rounds", ("file", None)),
        ("CREATE TABLE hidden (note TEXT)", ("file", None)),
    ],
)
def test_whatever_somebody_does_to_the_file_is_found(path, statement, expected):
    tampered(path, statement)
    assert expected in findings(path)


def test_a_trigger_that_is_gone_is_found(path):
    tampered(path)
    assert findings(path) == [], "taken off and put back as it was"
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER records_never_change")
    connection.close()
    report = audit(path, KEY, (), lambda count: None, RULES)
    assert [str(one) for one in report.findings] == ["file: records_never_change is gone, which every log has"]


def test_whoever_has_the_key_cannot_settle_otherwise(tmp_path, table):
    """A forger with the table's key seals a log in which a line pays more; the core and the sums say no."""
    records = [one.record for one in table.records()]
    number = place_of(table, "line")
    chain = Chain(KEY.sealer, KEY.table)
    forged = []
    for place, record in enumerate(records, 1):
        record = [*record]
        if place == number:
            record[8] += 100
            record[9] += 100
        forged.append(chain.write(1, record)[:-1])
    write_log(tmp_path / "log", records_of(forged))
    total = place_of(table, "total")
    found = findings(tmp_path / "log")
    assert found == [("replay", number), ("totals", total)]


@pytest.mark.parametrize("stray", [["refund", 1, "P1", "main", 1000, None, None], ["state", "void", None]])
def test_whoever_has_the_key_cannot_pay_without_a_cause(tmp_path, table, stray):
    """A sealed record that no event led to, after a round that was settled."""
    records = [one.record for one in table.records()]
    place = place_of(table, "total") + 1  # behind the state that follows it
    chain = Chain(KEY.sealer, KEY.table)
    forged = [chain.write(1, record)[:-1] for record in (*records[:place], stray, *records[place:])]
    write_log(tmp_path / "log", records_of(forged))
    assert findings(tmp_path / "log") == [("replay", place + 1)]


def test_a_table_that_goes_back_to_an_earlier_start_is_found(tmp_path):
    chain = Chain(KEY.sealer, KEY.table)
    lines = [chain.write(boot, ["boot", "power", 0, RULES])[:-1] for boot in (1, 3, 2)]
    write_log(tmp_path / "log", records_of(lines))
    assert findings(tmp_path / "log") == [("sequence", 3)]


def test_an_end_that_was_cut_off_is_found_by_checkpoints(tmp_path, path, table):
    make_signer(tmp_path / "host.key")
    book = CheckpointBook(tmp_path / "checkpoints", "T1", read_signer(tmp_path / "host.key"))
    records = table.records()
    book.sign(20, seal_in(records[19].line), NOON)
    book.sign(len(records), seal_in(records[-1].line), NOON)
    assert findings(path, book.all) == []
    tampered(path, f"DELETE FROM records WHERE number > {len(records) - 2}")
    assert findings(path) == [("rollups", None)], "who cuts the end off may cut these as well"
    tampered(path, *(f"DELETE FROM rollup_{name}" for name in ("state", *TABLES)))
    assert findings(path) == []
    assert findings(path, book.all) == [("chain", len(records) - 1)]


def test_a_log_that_begins_later_is_audited_from_there(tmp_path, table):
    records = table.records()
    path = tmp_path / "log"
    with LogStore(
        path, "T1", Origin("T1", 40, seal_in(records[39].line), NOON, "manager 1", "new host")
    ) as store:
        store.commit(records[40:], NOON)
    report = audit(path, KEY, (), lambda count: None, RULES)
    assert report.findings == []
    assert (report.first, report.last) == (41, len(records))
    assert 0 < report.replayed < len(records) - 40, "only what follows a whole standing"


def test_a_log_that_grows_meanwhile_is_audited_up_to_where_it_was(tmp_path, table):
    records = table.records()
    with LogStore(tmp_path / "log", "T1") as store:
        store.commit(records[:30], NOON)
        told = []

        def grow(count):
            told.append(count)
            store.commit(records[30:40] if store.end().number == 30 else [], NOON)

        report = audit(tmp_path / "log", KEY, (), grow, RULES)
    assert told
    assert (report.last, report.findings) == (30, [])


def test_an_empty_log_is_in_order(tmp_path):
    LogStore(tmp_path / "log", "T1").close()
    assert findings(tmp_path / "log") == []


# -- the command


def run(*arguments):
    done = CliRunner().invoke(felt, [str(one) for one in arguments], env={"COLUMNS": "80"})
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


@pytest.fixture
def key_file(tmp_path):
    made = tmp_path / "t1.key"
    made.write_text(f"felt-table-key T1 {KEY.key.hex()}\n")
    made.chmod(0o600)
    return made


def test_the_command_says_in_one_line_what_was_checked(tmp_path, path, table, key_file):
    last = table.journal.chain.number
    status, said = run("audit", path, "--key", key_file)
    assert status == 0
    standing = place_of(table, "begin")
    parts = table.records()[standing - 1].record[1]
    played = last - (standing + parts) + 1  # from the standing's last part on
    assert said.splitlines() == [
        f"table T1: in order; records 1 to {last}: file, chain, seals, sequence and columns; "
        f"{played} of {last} records played again; rounds: 3, 3 with totals added up (staked $30, returned $40); "
        "checkpoints passed: 0",
        "Without checkpoints nobody can tell whether the end was cut off.",
    ]


@pytest.mark.parametrize("content", [b"", b"something else that ends without a line"])
def test_a_file_without_any_checkpoint_is_a_finding_for_a_log_with_records(tmp_path, path, key_file, content):
    """The host signs with the first record, so whoever emptied that file or named another hides something."""
    make_signer(tmp_path / "host.key")
    empty = tmp_path / "checkpoints"
    empty.write_bytes(content)
    signed = ("--key", key_file, "--checkpoints", empty, "--signer", tmp_path / "host.pub")
    status, said = run("audit", path, *signed)
    assert status == 1
    assert said.splitlines()[0] == (
        f"chain: {empty} holds no checkpoint, and the host signs one with a table's first records; "
        "is it the right file, or was it emptied?"
    )
    assert said.splitlines()[1].startswith("table T1: NOT in order; records 1 to")
    LogStore(tmp_path / "new", "T1").close()
    assert run("audit", tmp_path / "new", *signed)[0] == 0, "nothing has been signed for a log without records"


def test_the_command_lists_what_it_found_and_exits_1(tmp_path, path, table, key_file):
    number = place_of(table, "line")
    tampered(path, f"UPDATE records SET result = 'lose' WHERE number = {number}")
    status, said = run("audit", path, "--key", key_file)
    assert status == 1
    assert said.splitlines()[0] == f"columns: record {number}: result is 'lose', by its line 'win'"
    assert said.splitlines()[1].startswith("rollups: rollup_")
    assert said.splitlines()[-2].startswith("table T1: NOT in order; records 1 to")


def test_verify_and_checkpoint_take_the_log_too(tmp_path, path, table, key_file):
    make_signer(tmp_path / "host.key")
    last = table.journal.chain.number
    signing = ("--key", key_file, "--signer", tmp_path / "host.key", "--checkpoints", tmp_path / "checkpoints")
    assert run("checkpoint", path, *signing) == (0, f"checkpoint 1: table T1, record {last}\n")
    reviewing = ("--key", key_file, "--signer", tmp_path / "host.pub", "--checkpoints", tmp_path / "checkpoints")
    assert run("verify", path, *reviewing) == (
        0,
        f"table T1: whole; records 1 to {last}; checkpoints passed: 1\n",
    )
    assert "checkpoints passed: 1" in run("audit", path, *reviewing)[1]
    tampered(path, "DELETE FROM records WHERE number = 9")
    status, said = run("verify", path, *reviewing)
    assert status == 1
    assert f"record 9: missing (the next line is record 10), {path}, row 10" in said
    assert run("checkpoint", path, *signing)[0] == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("audit", "{folder}/absent", "--key", "{folder}/t1.key"), "there is no"),
        (("audit", "{folder}/t1.key", "--key", "{folder}/t1.key"), "is not a Felt log"),
        (("audit", "{folder}/t1.log", "--key", "{folder}/absent"), "cannot read"),
        (("audit", "{folder}/t1.log", "--key", "{folder}/t1.key", "--signer", "x"), "go together"),
        (("audit", "{folder}/t1.log", "--key", "{folder}/t2.key"), "is the log of table T1, and the key"),
        (
            ("verify", "{folder}/t1.log", "--key", "{folder}/t2.key"),
            "is the log of table T1, and the key",
        ),
        (
            ("audit", "{folder}/t1.log", "--key", "{folder}/t1.key", "--signer", "x", "--checkpoints", "x"),
            "cannot read",
        ),
    ],
)
def test_mistakes_are_explained(tmp_path, path, key_file, arguments, words):
    (tmp_path / "t2.key").write_text(f"felt-table-key T2 {KEY.key.hex()}\n")
    (tmp_path / "t2.key").chmod(0o600)
    status, said = run(*(argument.format(folder=tmp_path) for argument in arguments))
    assert status == 1
    assert words in said


def test_a_damaged_file_is_explained(tmp_path, path, key_file):
    content = bytearray(path.read_bytes())
    for page in range(4, len(content) // 4096):
        content[page * 4096 : page * 4096 + 100] = bytes(100)
    path.write_bytes(content)
    for command in ("audit", "verify"):
        status, said = run(command, path, "--key", key_file)
        assert status == 1
        assert "damaged" in said or "malformed" in said
