"""What the doctor says of configuration, keys and log; all of it together; and its command."""

import json
import os
import random
import sqlite3
import time

import pytest
from click.testing import CliRunner

from host.cli import felt
from host.doctor.files import check_configuration, check_keys, check_log, log_facts, writer_of
from host.doctor.findings import LOOK, OK, WRONG, Finding, guarded, read_subject
from host.doctor.port import Patience
from host.doctor.report import CHECKS, as_json, examine_table, finding_lines, summary
from host.keys import make_signer, make_table_key, read_signer, read_table_key
from host.log.checkpoints import CheckpointBook
from host.log.schema import migrate
from host.log.store import LogStore
from host.pico.digests import rules_digest
from host.words.doctor import FINDINGS, found_words, todo_words
from host.words.sentences import span_words
from tests.support.doctoring import a_log, codes, marks, snapshot
from tests.support.log.logs import NOON, RecordingTable, tampered, write_log
from tests.support.ports import PseudoPort, RealTable
from tests.support.table_files import LUCKY_FILE, changed, write
from tests.support.tables import MBS

SHORT = Patience(0.3, 0.1)
# Another program may have the page's port.
NO_PAGE = ("[[staff]]", "[page]\noff = true\n\n[[staff]]")


# The configuration, and reading a file that has mistakes


def test_a_good_file(table_file):
    findings = check_configuration(read_subject(table_file))
    assert marks(findings) == [OK]
    assert findings[0].code == "configuration.fine"
    assert findings[0].fields == {"path": table_file, "table": "T1", "book": "rws-lucky-three-pictures-2"}


def test_every_problem_is_a_finding_and_what_is_right_is_still_known(keyed_folder):
    text = changed(("boxes = 2", "boxes = 9"), ('"$25", "$1,000"', '"$26", "$1,000"'))
    subject = read_subject(write(keyed_folder, text))
    findings = check_configuration(subject)
    assert marks(findings) == [WRONG, WRONG]
    assert [(one.fields["problem"].line, one.fields["problem"].code) for one in findings] == [
        (9, "boxes_of_board"),
        (13, "not_a_multiple"),
    ]
    assert (subject.name, subject.board, subject.port) == ("T1", "small", "/dev/ttyACM0")
    assert subject.key == keyed_folder / "t1.key"
    assert subject.log == keyed_folder / "t1.db"


def test_warnings_are_to_be_looked_at(keyed_folder):
    path = write(keyed_folder, changed(("[[staff]]", '[page]\naddress = "0.0.0.0"\n\n[[staff]]')))
    assert marks(check_configuration(read_subject(path))) == [OK, LOOK]


@pytest.mark.parametrize("text", ["", "[table", "\x00", "table = 3", "[[table]]\n", 'port = "auto"', "[staff]\n"])
def test_whatever_the_file_is_the_doctor_ends_and_says_wrong(text, keyed_folder):
    path = write(keyed_folder, text)
    findings = examine_table(path, NOON, SHORT)
    assert WRONG in marks(findings)
    assert not any(one.code.endswith(".failed") for one in findings)


def test_no_file(tmp_path):
    findings = examine_table(tmp_path / "absent.toml", NOON, SHORT)
    assert findings[0].mark == WRONG
    assert findings[0].code == "configuration.unreadable"
    assert findings[0].fields["problem"].code == "missing_file"
    assert {one.check for one in findings} == {"configuration", "versions", "clock"}


# Keys


def keys_found(folder, text=LUCKY_FILE):
    return check_keys(read_subject(write(folder, text)))


def test_keys_that_are_right(keyed_folder):
    assert marks(keys_found(keyed_folder)) == [OK, OK]


def test_keys_that_are_missing(tmp_path):
    findings = keys_found(tmp_path)
    assert marks(findings) == [WRONG, WRONG]
    assert codes(findings) == ["keys.table_missing", "keys.signer_missing"]
    assert f"`felt keys table T1 {tmp_path}/t1.key`" in todo_words(findings[0])
    assert f"`felt keys signer {tmp_path}/host.key`" in todo_words(findings[1])


def test_keys_that_others_can_read(keyed_folder):
    for name in ("t1.key", "host.key"):
        (keyed_folder / name).chmod(0o644)
    findings = keys_found(keyed_folder)
    assert marks(findings) == [WRONG, WRONG]
    assert [(one.code, one.fields) for one in findings] == [
        ("keys.exposed", {"path": keyed_folder / "t1.key"}),
        ("keys.exposed", {"path": keyed_folder / "host.key"}),
    ]


def test_the_key_of_another_table_and_one_that_is_none(tmp_path):
    make_table_key(tmp_path / "t1.key", "T2")
    make_table_key(tmp_path / "host.key", "T2")
    findings = keys_found(tmp_path)
    assert codes(findings) == ["keys.other_table", "keys.not_signer"]
    assert findings[0].fields == {"path": tmp_path / "t1.key", "owner": "T2", "table": "T1"}
    assert marks(findings) == [WRONG, WRONG]


def test_a_file_that_names_no_keys(keyed_folder):
    text = changed(('key = "t1.key"\n', ""), ('signer = "host.key"\n', ""))
    assert marks(keys_found(keyed_folder, text)) == [WRONG, WRONG]


def test_a_key_is_never_said(keyed_folder):
    key = read_table_key(keyed_folder / "t1.key").key.hex()
    (keyed_folder / "t1.key").write_text(f"felt-table-key T1 {key}zz\n")
    findings = keys_found(keyed_folder)
    assert findings[0].mark == WRONG
    assert key not in str(findings) + "".join(map(found_words, findings))


# The log


def log_found(folder, now=NOON + 7200):
    subject = read_subject(folder / "t1.toml")
    return check_log(subject, log_facts(subject.log), now)


def sign(folder, number=None, seconds=NOON):
    with LogStore(folder / "t1.db", "T1") as store:
        end = store.end()
    assert end
    book = CheckpointBook(folder / "t1.checkpoints", "T1", read_signer(folder / "host.key"))
    return book.sign(number or end.number, end.seal, seconds)


def test_no_log_yet(table_file):
    findings = log_found(table_file.parent)
    assert marks(findings) == [OK]
    assert findings[0].code == "log.none_yet"


def test_no_log_though_it_was_signed(table_file):
    (table_file.parent / "t1.checkpoints").write_text("")
    assert marks(log_found(table_file.parent)) == [WRONG]


def test_a_log_with_and_without_a_checkpoint(table_file):
    folder = table_file.parent
    a_log(folder)
    findings = log_found(folder)
    assert marks(findings) == [OK, LOOK]
    assert codes(findings) == ["log.fine", "log.unsigned"]
    assert findings[0].fields == {"path": folder / "t1.db", "first": 1, "last": 16, "age": 7200}
    sign(folder)
    findings = log_found(folder)
    assert marks(findings) == [OK, OK]
    assert findings[1].code == "log.signed"
    assert findings[1].fields == {"serial": 1, "number": 16, "age": 7200, "behind": 0}


def test_records_behind_the_last_checkpoint(table_file):
    folder = table_file.parent
    table = RecordingTable({"game": MBS, "boxes": 2})
    write_log(folder / "t1.db", table.records())
    signed = sign(folder).number
    table.do("open")
    with LogStore(folder / "t1.db", "T1") as store:
        store.commit(table.records(signed + 1), NOON)
    findings = log_found(folder)
    assert marks(findings) == [OK, LOOK]
    count = len(table.records()) - signed
    assert findings[1].code == "log.signing_behind"
    assert findings[1].fields["behind"] == count
    assert f"felt checkpoint {folder}/t1.db --key {folder}/t1.key " in todo_words(findings[1])


def test_a_log_that_was_cut_off(table_file):
    folder = table_file.parent
    path = a_log(folder)
    sign(folder)
    tampered(path, "DELETE FROM records WHERE number > 10")
    findings = log_found(folder)
    assert marks(findings) == [OK, WRONG]
    assert findings[1].code == "log.cut"
    assert findings[1].fields == {"last": 10, "serial": 1, "number": 16}


def test_a_log_with_another_record_than_was_signed(table_file):
    folder = table_file.parent
    path = a_log(folder)
    sign(folder)
    tampered(path, "UPDATE records SET line = (SELECT line FROM records WHERE number = 3) WHERE number = 16")
    findings = log_found(folder)
    assert (findings[-1].mark, findings[-1].code) == (WRONG, "log.other_record")
    assert findings[-1].fields.items() >= {"serial": 1, "number": 16}.items()


def test_checkpoints_that_another_signed(table_file):
    folder = table_file.parent
    a_log(folder)
    sign(folder)
    (folder / "host.key").unlink()
    (folder / "host.pub").unlink()
    make_signer(folder / "host.key")
    findings = log_found(folder)
    assert marks(findings) == [OK, WRONG]
    assert findings[1].code == "log.untrusted"


def test_a_log_of_another_table_and_a_file_that_is_none(table_file):
    folder = table_file.parent
    with LogStore(folder / "t1.db", "T2"):
        pass
    assert codes(log_found(folder)) == ["log.other_table"]
    for content in (b"no log at all", b"", b"SQLite format 3\0" + bytes(5000)):
        for path in folder.glob("t1.db*"):
            path.unlink()
        (folder / "t1.db").write_bytes(content)
        assert marks(log_found(folder)) == [WRONG]


def test_a_log_of_an_older_felt_is_only_to_be_looked_at(table_file):
    folder = table_file.parent
    connection = sqlite3.connect(folder / "t1.db", isolation_level=None)
    migrate(connection, NOON, 1)
    connection.close()
    findings = log_found(folder)
    assert marks(findings) == [LOOK]
    assert findings[0].code == "log.old"
    assert f"`felt log upgrade {folder}/t1.db`" in todo_words(findings[0])


@pytest.mark.parametrize("column", ["seconds", "number", "line", "table_seconds"])
def test_a_log_with_anything_in_its_columns_ends_in_no_traceback(column, table_file):
    folder = table_file.parent
    path = a_log(folder)
    sign(folder)
    value = "99999999999999" if column == "number" else "'nonsense'"
    tampered(path, f"UPDATE records SET {column} = {value} WHERE number = 16")
    findings = examine_table(table_file, NOON, SHORT)
    assert not any(one.code.endswith(".failed") for one in findings), findings
    assert WRONG in marks([one for one in findings if one.check in ("log", "clock")])


def test_alarms_are_wrong(table_file):
    folder = table_file.parent
    path = a_log(folder)
    with LogStore(path, "T1") as store:
        store.notice("alarm", "expected this, found that", 12, NOON)
        store.notice("alarm", "long ago", 3, NOON - 8 * 86_400)
        store.notice("link", "up", None, NOON)
    finding = next(one for one in log_found(folder) if one.code == "log.alarms")
    assert (finding.mark, finding.fields["count"], finding.fields["days"]) == (WRONG, 1, 7)


def test_a_running_bridge_is_named_and_is_fine(table_file):
    folder = table_file.parent
    path = a_log(folder)
    assert writer_of(path) is None, "the number of a process that has ended stays in the lock"
    with LogStore(path, "T1"):
        assert writer_of(path) == os.getpid()
        findings = log_found(folder)
        assert findings[0] == Finding(OK, "log.writer", {"pid": os.getpid()})
    assert writer_of(path) is None


def test_who_writes_where_the_system_lists_no_locks(tmp_path):
    path, nowhere = tmp_path / "t1.db", tmp_path / "nowhere"
    assert writer_of(path, nowhere) is None
    (tmp_path / "t1.db.lock").write_text(f"{os.getpid()}\n")
    assert writer_of(path, nowhere) == os.getpid()
    (tmp_path / "t1.db.lock").write_text("4194999\n")  # more than processes are numbered to
    assert writer_of(path, nowhere) is None
    (tmp_path / "t1.db.lock").write_text("unknown")
    assert writer_of(path, nowhere) is None


def test_how_fast_a_log_grows(tmp_path):
    """100 records over two hours, the first hundred a month before: the rate is that of the last days."""
    table = RecordingTable({"game": MBS, "boxes": 2})
    for _ in range(150):
        table.do("nonsense")
    records = table.records()
    with LogStore(tmp_path / "t1.db", "T1") as store:
        store.commit(records[:100], NOON - 30 * 86_400)
        store.commit(records[100:110], NOON)
        store.commit(records[110:], NOON + 7200)
    facts = log_facts(tmp_path / "t1.db")
    size = (tmp_path / "t1.db").stat().st_size
    late = len(records) - 101
    assert facts.last == len(records)
    assert facts.bytes_a_day == pytest.approx(size / len(records) * late * 12)
    write_log(tmp_path / "short.db", records)
    assert log_facts(tmp_path / "short.db").bytes_a_day is None, "all in one moment tells nothing"


def test_a_log_is_read_without_a_trace(table_file):
    folder = table_file.parent
    a_log(folder)
    sign(folder)
    before = snapshot(folder)
    log_found(folder)
    assert snapshot(folder) == before


# All of it


def test_a_table_that_is_well_behind_a_real_port(keyed_folder):
    table = RealTable(read_table_key(keyed_folder / "t1.key").key, rules=rules_digest())
    with PseudoPort(table) as port:
        text = changed(("/dev/ttyACM0", port.name), NO_PAGE)
        path = write(keyed_folder, text)
        before = snapshot(keyed_folder)
        findings = examine_table(path, time.time(), Patience(3, 0.3))
    assert [one for one in findings if one.mark == WRONG] == []
    assert list(dict.fromkeys(one.check for one in findings)) == list(CHECKS)
    assert snapshot(keyed_folder) == before, "nothing was changed"


def run_doctor(*arguments):
    return CliRunner().invoke(felt, ["doctor", *map(str, arguments)])


def test_the_command_says_all_and_exits_1_if_anything_is_wrong(keyed_folder):
    path = write(keyed_folder, changed(("/dev/ttyACM0", "/dev/ttyFelt9"), NO_PAGE))
    done = run_doctor(path)
    assert done.exit_code == 1
    assert "port           wrong  there is no port /dev/ttyFelt9\n" in done.output
    assert "\n                      do: " in done.output
    assert f"{path}: 1 wrong" in done.output.splitlines()[-1]


def test_the_command_exits_0_if_nothing_is_wrong(keyed_folder):
    with PseudoPort(RealTable(read_table_key(keyed_folder / "t1.key").key)) as port:
        text = changed(("/dev/ttyACM0", port.name), NO_PAGE)
        done = run_doctor(write(keyed_folder, text))
    assert done.exit_code == 0, done.output


def test_a_file_of_any_name(keyed_folder):
    path = keyed_folder / "t\udcff1 [bold]é.toml"
    path.write_text(changed(("/dev/ttyACM0", "/dev/ttyFelt9"), NO_PAGE))
    path.chmod(0o600)
    done = run_doctor(path)
    assert done.exit_code == 1
    assert "\\udcff1 [bold]" in done.output
    assert "1 wrong" in done.output.splitlines()[-1]


def test_a_torn_file_is_looked_at_without_stumbling(keyed_folder):
    dice = random.Random("torn")
    text = (
        changed(("/dev/ttyACM0", "/dev/ttyFelt9")) + '\n[display]\nkind = "png"\nfile = "a"\n[page]\nport = 8\n'
    )
    for _ in range(40):
        torn = text
        for _ in range(dice.randint(1, 5)):
            at = dice.randrange(len(torn))
            torn = torn[:at] + dice.choice(("", torn[at] * 2, "[", "]", "3", "\n", '"')) + torn[at + 1 :]
        findings = examine_table(write(keyed_folder, torn), NOON, SHORT)
        assert not any(one.code.endswith(".failed") for one in findings), torn


def test_the_command_for_programs(keyed_folder):
    path = write(keyed_folder, changed(("/dev/ttyACM0", "/dev/ttyFelt9")))
    done = run_doctor("--json", path)
    assert done.exit_code == 1
    said = json.loads(done.output)
    assert said["well"] is False
    finding = next(one for one in said["findings"] if one["check"] == "port")
    assert (finding["mark"], finding["code"], finding["fields"]["port"]) == (
        "wrong",
        "port.missing",
        "/dev/ttyFelt9",
    )
    assert finding["found"] == "there is no port /dev/ttyFelt9"


def test_the_command_for_programs_gives_every_problem_of_the_file_with_line_and_code(keyed_folder):
    path = write(keyed_folder, changed(("boxes = 2", "boxes = 9")))
    finding = json.loads(run_doctor("--json", path).output)["findings"][0]
    problem = finding["fields"]["problem"]
    assert (finding["code"], problem["code"], problem["line"]) == ("configuration.problem", "boxes_of_board", 9)
    assert problem["details"] == {"boxes": 9, "board": "small", "most": 2}


def test_a_check_that_stumbles_is_a_finding_and_no_traceback():
    def stumble():
        raise sqlite3.DatabaseError("torn")

    findings = guarded("log", stumble)
    assert marks(findings) == [WRONG]
    assert (findings[0].code, findings[0].fields) == ("log.failed", {"error": "DatabaseError", "reason": "torn"})


def test_every_code_begins_with_its_check():
    assert {code.partition(".")[0] for code in FINDINGS} == set(CHECKS)


def test_words():
    well, look, wrong = (
        Finding(mark, "port.unreadable", {"port": "P", "reason": "R"}) for mark in (OK, LOOK, WRONG)
    )
    assert summary([well]) == "all is well"
    assert summary([well, look]) == "nothing is wrong; 1 to look at"
    assert summary([wrong, look, wrong]) == "2 wrong, 1 to look at"
    assert finding_lines(well) == ["port           ok     P cannot be examined: R"]
    assert finding_lines(wrong)[1] == "                      do: check its permissions"
    assert as_json([well, look])["well"] is True
    assert [span_words(one) for one in (0, 59, 60, 7200, 86_400, 200_000)] == [
        "less than a minute",
        "less than a minute",
        "1 minute",
        "2 hours",
        "1 day",
        "2 days",
    ]
