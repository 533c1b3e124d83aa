"""`felt log`: the last rounds, one round in words, a journal brought into a log; and what people get wrong."""

import time

import pytest
from click.testing import CliRunner

from host.cli import felt
from host.commands.log_show import MIN_WIDTH, round_cells, step_rows, table_lines
from host.log.folder_storage import FolderStorage
from host.log.importing import BATCH
from host.log.reading import LogReader, RoundRow, Step
from host.log.store import LogStore
from host.words.names import staff_words
from host.words.records import event_words, record_words, rule_words
from shared.journal.journal import Journal
from shared.rules.rulebook import load
from tests.support.log.logs import KEY, NOON, RecordingTable, random_play, read_rows, rows_of, tampered, write_log
from tests.support.tables import GAMES, MBS, POKER


@pytest.fixture(autouse=True)
def in_utc(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def run(*arguments, columns="80"):
    done = CliRunner().invoke(felt, [str(one) for one in arguments], env={"COLUMNS": columns})
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def rows_in(said):
    """The cells of the table that a command printed, without its heading."""
    lines = [line.strip() for line in said.splitlines()]
    start = next(place for place, line in enumerate(lines) if line.startswith("──"))
    return [[cell for cell in line.split("  ") if cell] for line in lines[start + 1 :] if line]


@pytest.fixture(scope="module")
def table():
    """A round that is paid, one that is void after a question, and one that is still open."""
    made = RecordingTable({"game": MBS, "boxes": 1})
    made.tell_time(NOON)
    made.do("open")
    made.say("dealer 1", "bet", 1, "P1", "main", 1050)
    made.do("close")
    for card in ["9C", "KC", "QC", "2D", "3D", "4D"]:
        made.do("card", card)
    made.do("show", 1, "dealer")
    made.do("reveal")
    made.do("settle")
    made.do("open")
    made.do("bet", 1, "P1", "main", 1000)
    made.say("shift 1", "irregularity", "other", None, None, None, "shift_manager", "a [fire] alarm")
    made.say("shift 1", "ruling", "void", "shift_manager")
    made.do("open")
    made.do("irregularity", "other", None, None, None, "shift_manager", None, 1)
    return made


def test_last_lists_rounds_newest_first_with_their_money(path):
    status, said = run("log", "last", path)
    assert status == 0
    assert [[cell.strip() for cell in row] for row in rows_in(said)] == [
        ["3", "2026-09-21 14:13:37", MBS, "betting", "1"],
        ["2", "2026-09-21 14:13:33", MBS, "void", "1"],
        ["1", "2026-09-21 14:13:21", MBS, "settled", "$10.50", "$21", "-$10.50"],
    ]
    assert len(rows_in(run("log", "last", "--rounds", 2, path)[1])) == 2


def test_the_widest_round_is_not_cut_short():
    much = 10**11
    row = RoundRow(999_999, 1, 2, max(GAMES, key=len), NOON, NOON, "settled", much, much, -much, 100)
    cells = round_cells(row)
    assert cells[2:] == [row.game, "settled", "$1,000,000,000", "$1,000,000,000", "-$1,000,000,000", "100"]
    lines = list(table_lines(["one", "two"] * 4, "<>" * 4, [cells, [""] * 8]))
    assert lines[3].split("   ") == [" 999999", *cells[1:]]
    assert {len(line) for line in lines[1:-1]} == {len(lines[3])}


def test_long_words_take_several_rows_and_no_word_is_lost():
    note = " ".join(f"word{one}" for one in range(40))
    told = ["irregularity", "other", None, None, None, "shift_manager", note]
    rows, looks = step_rows([Step(7, ["event", 1, told], 1, None, NOON, NOON)], None)
    assert [row[0] for row in rows] == ["7", *[""] * (len(rows) - 1)]
    assert len(rows) == len(looks) > 4
    assert note in " ".join(row[2] for row in rows)
    assert (
        max(len(line) for line in table_lines(["record", "time", "words", "paragraph"], "><<<", rows))
        <= MIN_WIDTH
    )


def test_show_tells_a_round_step_by_step_with_its_paragraphs(path, table):
    status, said = run("log", "show", 1, path)
    assert status == 0
    opened = next(one.number for one in table.records() if one.record == ["event", 1, ["open"]])
    assert said.startswith(
        f"Round 1, Three Pictures (MBS), records {opened} to {opened + 40}, begun 2026-09-21 14:13:21\n"
    )
    rows = [[cell.strip() for cell in row] for row in rows_in(said)]
    assert rows[0] == [str(opened), "14:13:21", "place your bets"]
    assert rows[1] == [str(opened + 1), "the round is betting", "3.1"]
    assert rows[2][1:] == ["14:13:22", "P1 bets $10.50 main on box 1 [dealer 1]"]
    told = [row[1:] for row in rows]
    assert ["box 1 shows 9C KC QC: Double Knights Nine"] in told
    assert ["the dealer shows 2D 3D 4D: Plain Nine"] in told
    assert ["14:13:32", "bets are paid and collected"] in told
    assert ["P1's main on box 1 wins 1:1, $10.50 staked, $21 back", "4.1/main-other"] in told
    assert "told in round 3, record " in said
    assert said.endswith("The round is settled: staked $10.50, returned $21, the House pays $10.50.\n")
    assert "command" not in said
    assert "command 2 by dealer 1: event" in run("log", "show", 1, path, "--all")[1]


def test_what_people_wrote_is_printed_as_they_wrote_it(path):
    said = run("log", "show", 2, path)[1]
    assert 'irregularity: other, "a [fire] alarm" (by shift manager) [shift 1]' in said
    assert said.endswith("The round is void.\n")


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_nothing_is_cut_short_at_any_width(path, columns):
    for arguments in (("last", path), ("show", 1, path), ("show", 2, path)):
        assert "…" not in run("log", *arguments, columns=columns)[1]


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("last", "{folder}/absent"), 1, "there is no"),
        (("last", "{folder}"), 1, "is not a Felt log"),
        (("show", "9", "{folder}/t1.log"), 1, "there is no round 9 in {folder}/t1.log; it has rounds 1 to 3"),
        (("show", "0", "{folder}/t1.log"), 2, "1<=x<="),
        (("show", "9" * 20, "{folder}/t1.log"), 2, "1<=x<="),
        (("show", "1", "{folder}/empty.log"), 1, "no round has opened in it yet"),
        (("last", "{folder}/empty.log"), 0, "no round has opened yet"),
    ],
)
def test_mistakes_are_explained(tmp_path, path, arguments, status, words):
    LogStore(tmp_path / "empty.log", "T1").close()
    found, said = run("log", *(argument.format(folder=tmp_path) for argument in arguments))
    assert found == status
    assert words.format(folder=tmp_path) in said.replace("\n", "")


def test_a_round_with_a_damaged_record_is_not_shown(path):
    tampered(path, "UPDATE records SET line = x'00' WHERE number = 20")
    status, said = run("log", "show", 1, path)
    assert (status, "record 20 is damaged; `felt audit` says more" in said) == (1, True)


# -- words


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_whatever_happens_can_be_told(game):
    book = load(game)
    for one in random_play(game, "words", 500, 0.3).records():
        said = record_words(one.record, book)
        assert said
        assert "None" not in said, one.record
        rule_words(one.record)


@pytest.mark.parametrize(
    ("record", "words", "rule"),
    [
        (
            ["bonus", 1, "P1", 5, 1, 5000, "4.3/straight-flush"],
            "bonus for P1 on box 1 5:1, $50",
            "4.3/straight-flush",
        ),
        (
            ["line", 1, "P1", "progressive", "win", 100, -1, 500, 1000200, 1000200, "4.4/akq-spades", "T-18"],
            "P1's progressive on box 1 wins 100% of the jackpot, $5 staked, $10,002 back",
            "4.4/akq-spades (T-18)",
        ),
        (
            ["line", 2, "P2", "lucky_tie", "lose", None, None, None, None, None, "4.1", None],
            "P2's lucky tie on box 2 loses",
            "4.1",
        ),
        (["kept", 2, "P2", "main", 400, "R-27"], "P2 holds $4 of the main on box 2 already", "R-27"),
        (["cleared", "reader_silent", "pit_supervisor"], "fault cleared by pit supervisor: reader silent", ""),
        (["sensed", 3, "tie", True, None], "box 3, tie: chips lie there, none were declared", ""),
        (
            ["answer", 4, False, "no_such_post", None, ["porter"]],
            "command 4 not done: there is no post Porter at this table",
            "",
        ),
        (
            ["refused", ["bet", 1, "P1", "main", 2600], "3.2", "not_multiple", ["cents", 2600, 500]],
            "refused: P1 bets $26 main on box 1; $26 is not a multiple of the $5 chip",
            "3.2",
        ),
        (
            ["refused", ["malformed", "x", 3], None, "from_the_future", [1]],
            "refused: x 3; from the future: 1",
            "",
        ),
        (
            ["refused", ["open"], "3.1", "not_possible_now", []],
            "refused: place your bets; not possible now",
            "3.1",
        ),
        (["held", "key_stuck"], "held back, key stuck: A dealer's key is held down. Free it, then clear.", ""),
        (
            ["denied", "ack", "field_undeclared", ["number"]],
            "a message was refused, ack: not as declared: number",
            "",
        ),
        # as they were written when they still held sentences
        (["answer", 4, False, "by: no such post"], "command 4 not done: by: no such post", ""),
        (
            ["refused", ["malformed", "x", 3], None, "event: no such event x"],
            "refused: x 3; event: no such event x",
            "",
        ),
        (["held", "config", "a round is running"], "held back, config: a round is running", ""),
        (["denied", "hi", "not sealed"], "a message was refused, hi: not sealed", ""),
        (["from the future", 1], '["from the future",1]', ""),
        (["line", 1], '["line",1]', ""),
    ],
)
def test_words_by_hand(record, words, rule):
    assert (record_words(record), rule_words(record)) == (words, rule)


def test_events_by_hand():
    assert event_words(["bet", 1, "P1", "ante"]) == "P1 bets chips ante on box 1"
    assert event_words(["ruling", "hand_out", "shift_manager", 2]) == (
        "ruling: hand out for box 2 (by shift manager)"
    )
    assert event_words(["malformed"]) == "nothing that the table understands"


# -- bringing a journal in


@pytest.fixture
def key_file(tmp_path):
    made = tmp_path / "t1.key"
    made.write_text(f"felt-table-key T1 {KEY.key.hex()}\n")
    made.chmod(0o600)
    return made


def write_journal(folder, count, total=1 << 20, acknowledge=False, table="T1"):
    """A saved journal of so many small records, of which the oldest may be gone."""
    storage = FolderStorage(folder)
    storage.capacity = total // 2000
    journal = Journal(storage, KEY.sealer, table, 2000)
    for place in range(count):
        journal.append(["begin", 0, "idle"] if place % 20 == 0 else ["quiet", place])
        if acknowledge:
            journal.acknowledge(journal.chain.number)
    storage.close()
    return list(journal.lines_from(1)), journal.first()


def test_a_journal_is_brought_in_and_again_as_far_as_it_grew(tmp_path, key_file):
    lines, _ = write_journal(tmp_path / "journal", BATCH + 5)
    arguments = ("log", "import", tmp_path / "journal", tmp_path / "log", "--key", key_file)
    assert run(*arguments) == (
        0,
        f"{tmp_path}/log: {BATCH + 5} records are new, of 1 to {BATCH + 5} in the journal\n",
    )
    more, _ = write_journal(tmp_path / "journal", 1)
    assert run(*arguments) == (0, f"{tmp_path}/log: 1 record is new, of 1 to {BATCH + 6} in the journal\n")
    assert run(*arguments) == (0, f"{tmp_path}/log: 0 records are new, of 1 to {BATCH + 6} in the journal\n")
    assert [row.line for row in read_rows(tmp_path / "log")] == more
    assert more[: BATCH + 5] == lines
    assert run("audit", tmp_path / "log", "--key", key_file)[0] == 0


def test_a_journal_whose_beginning_is_gone_begins_a_log_only_by_somebody_s_decision(tmp_path, key_file):
    lines, first = write_journal(tmp_path / "journal", 300, 8000, True)
    assert first > 1
    arguments = ("log", "import", tmp_path / "journal", tmp_path / "log", "--key", key_file)
    status, said = run(*arguments)
    assert status == 1
    assert f"the journal begins with record {first}" in said
    assert "--staff and why with --reason" in said
    assert not (tmp_path / "log").exists()
    assert run(*arguments, "--staff", "manager 1", "--reason", "the old host burnt")[0] == 0
    with LogReader(tmp_path / "log") as log:
        assert log.origin()[:2] + log.origin()[4:] == ("T1", first - 1, "manager 1", "the old host burnt")
        assert [line for _, line in log.lines(0, 1000)] == lines
        assert [(notice.kind, notice.number) for notice in log.notices()] == [("adopted", first)]
    assert run("audit", tmp_path / "log", "--key", key_file)[0] == 0
    assert f"whole; records {first} to 300" in run("verify", tmp_path / "log", "--key", key_file)[1]


def test_journal_and_log_that_do_not_fit_together_are_left_alone(tmp_path, key_file):
    write_journal(tmp_path / "journal", 50)
    other = RecordingTable().records()
    write_log(tmp_path / "other", other)
    arguments = ("--key", key_file)
    status, said = run("log", "import", tmp_path / "journal", tmp_path / "other", *arguments)
    assert (status, "are of different chains" in said) == (1, True)
    assert read_rows(tmp_path / "other") == rows_of(other)
    write_journal(tmp_path / "late", 300, 8000, True)
    status, said = run("log", "import", tmp_path / "late", tmp_path / "other", *arguments)
    assert (status, f"the log ends at record {len(other)}, and the journal" in said) == (1, True)
    segment = tmp_path / "journal" / "00000001"
    segment.write_bytes(segment.read_bytes().replace(b'"quiet",3', b'"quiet",4'))
    status, said = run("log", "import", tmp_path / "journal", tmp_path / "fresh", *arguments)
    assert (status, "is not whole: record 4: changed" in said) == (1, True)
    assert not (tmp_path / "fresh").exists()


def test_a_folder_that_is_no_journal_makes_no_log(tmp_path, key_file):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "cat.png").write_bytes(b"meow")
    status, said = run("log", "import", tmp_path / "pictures", tmp_path / "log", "--key", key_file)
    assert (status, f"there is no journal in {tmp_path}/pictures" in said) == (1, True)
    assert not (tmp_path / "log").exists()


def test_a_log_that_is_being_written_takes_no_journal(tmp_path, key_file):
    write_journal(tmp_path / "journal", 5)
    with LogStore(tmp_path / "log", "T1"):
        status, said = run("log", "import", tmp_path / "journal", tmp_path / "log", "--key", key_file)
    assert (status, "only one may write a log" in said) == (1, True)


def test_poker_hands_are_named():
    assert record_words(["shown", 0, ["JC", "TD", "8H"]], load(POKER)) == (
        "the dealer shows JC TD 8H: Three Odd Cards, J-T-8"
    )
    assert record_words(["shown", 2, ["JC", "TD"]], load(POKER)) == "box 2 shows JC TD"


def test_who_did_it_is_said_as_people_say_it():
    assert staff_words("Mei, Jr, pit_supervisor") == "Mei, Jr, Pit Supervisor"
    assert staff_words("floor") == "floor"
    assert staff_words(None) == ""
