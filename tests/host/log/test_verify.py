"""Verifying a log: every single change to it is found, where it is and what it is; and cutting off its end."""

import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from host.cli import felt
from host.keys import KeyFileError, make_signer, make_table_key, read_public, read_signer, read_table_key
from host.log.checkpoints import EVERY_SECONDS, BadCheckpoint, CheckpointBook, read_checkpoints
from host.log.folder_storage import FolderStorage
from host.log.verify import MOST_BREAKS, Line, open_log, verify
from shared.journal.chain import Chain
from shared.journal.journal import Journal
from shared.journal.seal import Sealer
from shared.journal.wire import decode, encode
from tests.support.campaign import LONG, SHORT

KEY = bytes(range(32))
SEALER = Sealer(KEY)
RECORDS = 1000
SIGNED = (100, 400, 1000)
# Every line is tried in the long campaign; else every tenth, as tests/shared/journal/test_chain.py tries each.
STEP = 1 if LONG else 100 if SHORT else 10


def write_log(count=RECORDS, key=KEY, table="T1"):
    chain = Chain(Sealer(key), table)
    return [chain.write(1, ["state", "betting", str(number)])[:-1] for number in range(count)]


LOG = write_log()
FOREIGN = write_log(5, key=bytes(32))


def seal_of(number):
    return bytes.fromhex(decode(LOG[number - 1])[4])


@pytest.fixture(scope="module")
def signer(tmp_path_factory):
    path = tmp_path_factory.mktemp("keys") / "host.key"
    make_signer(path)
    return read_signer(path)


@pytest.fixture(scope="module")
def book(tmp_path_factory, signer):
    made = CheckpointBook(tmp_path_factory.mktemp("log") / "checkpoints", "T1", signer)
    for hour, number in enumerate(SIGNED):
        made.sign(number, seal_of(number), 1_790_000_000 + hour * EVERY_SECONDS)
    return made


def check(lines, checkpoints=(), start=None):
    return verify(
        [Line(("in_line", "log", place), line) for place, line in enumerate(lines, 1)],
        SEALER,
        "T1",
        checkpoints,
        start,
    )


def first_break(lines, **more):
    verdict = check(lines, **more)
    assert not verdict.is_whole
    return verdict.breaks[0][:2]


def test_a_whole_log_is_whole_and_passes_its_checkpoints(book):
    verdict = check(LOG, book.all)
    assert (verdict.first, verdict.last, verdict.breaks, verdict.checkpoints) == (1, 1000, [], 3)


@pytest.mark.parametrize("number", SIGNED)
def test_it_can_be_verified_from_any_checkpoint_with_or_without_what_came_before(book, number):
    start = (number, seal_of(number))
    assert check(LOG, book.all, start).is_whole
    assert check(LOG[number:], book.all, start).is_whole
    assert check(LOG[number:], book.all, start).first == number + 1
    if number < RECORDS:
        assert first_break(LOG[:number] + LOG[number + 1 :], checkpoints=book.all, start=start) == (
            number + 1,
            "missing",
        )


def test_every_single_deleted_line_is_found_as_missing(book):
    for place in range(0, RECORDS - 1, STEP):
        verdict = check(LOG[:place] + LOG[place + 1 :])
        assert [one[:2] for one in verdict.breaks] == [(place + 1, "missing")]
    assert [one[:2] for one in check(LOG[:-1], book.all).breaks] == [(1000, "truncated")]


def test_every_single_pair_of_swapped_lines_is_found_as_reordered():
    for place in range(0, RECORDS - 1, STEP):
        lines = LOG[:place] + [LOG[place + 1], LOG[place]] + LOG[place + 2 :]
        verdict = check(lines)
        assert {one.how for one in verdict.breaks} == {"reordered"}
        assert verdict.breaks[0].number == place + 1
        assert len(verdict.breaks) == 2


def test_lines_swapped_over_any_distance_are_found():
    dice = random.Random("swap")
    for _ in range(300 if LONG else 30):
        one, other = sorted(dice.sample(range(RECORDS), 2))
        lines = LOG[:]
        lines[one], lines[other] = lines[other], lines[one]
        assert first_break(lines) == (one + 1, "reordered")


@pytest.mark.slow
def test_every_single_inserted_line_is_found(book):
    dice = random.Random("insert")
    for place in range(0, RECORDS + 1, STEP):
        again = dice.choice(LOG)
        verdict = check(LOG[:place] + [again] + LOG[place:], book.all)
        assert verdict.breaks[0].how == "reordered"
        for line in (dice.choice(FOREIGN), b"", b"anything", encode(["state", "void", None])[:-1]):
            assert not check(LOG[:place] + [line] + LOG[place:], book.all).is_whole
        assert first_break(LOG[:place] + [encode(["void", None])[:-1]] + LOG[place:]) == (place + 1, "unsealed")


def test_every_single_changed_line_is_found_once_and_named():
    for place in range(0, RECORDS, STEP):
        message = decode(LOG[place])
        message[3] = ["state", "void", "0"]
        verdict = check(LOG[:place] + [encode(message)[:-1]] + LOG[place + 1 :])
        assert [one[:2] for one in verdict.breaks] == [(place + 1, "changed")]


def test_any_single_flipped_bit_is_found():
    """In lines 400 to 600 in the long campaign, each with its neighbours; every tenth of them else."""
    for place in range(400, 600, STEP):
        start = (place, seal_of(place))
        for byte in range(len(LOG[place])):
            for bit in range(8):
                line = bytearray(LOG[place])
                line[byte] ^= 1 << bit
                verdict = check([bytes(line), LOG[place + 1]], start=start)
                assert verdict.breaks[0].number == place + 1


def test_an_unsealed_stretch_is_a_failure():
    bare = [encode(decode(line)[:4])[:-1] for line in LOG[200:210]]
    assert first_break(LOG[:200] + bare + LOG[210:]) == (201, "unsealed")


@pytest.mark.parametrize("length", [0, 1, 99, 399, 999])
def test_a_log_cut_short_of_a_checkpoint_is_truncated(book, length):
    assert [one[:2] for one in check(LOG[:length], book.all).breaks] == [(length + 1, "truncated")]
    assert check(LOG[:length]).is_whole, "which without checkpoints nobody can tell"


def test_a_log_cut_and_continued_by_whoever_has_the_key_does_not_pass_the_checkpoints(book):
    """Truncate and continue: the chain itself is right, but it is not the one that was signed."""
    chain = Chain(SEALER, "T1", 300, seal_of(300))
    lines = LOG[:300] + [chain.write(2, ["state", "void", None])[:-1] for _ in range(700)]
    assert check(lines).is_whole
    assert [one[:2] for one in check(lines, book.all).breaks] == [(400, "changed"), (1000, "changed")]


def test_a_wreck_is_not_listed_without_end():
    assert len(check([b"rubbish"] * 100).breaks) == MOST_BREAKS
    assert len(check(LOG[::-1]).breaks) == MOST_BREAKS


# -- a journal's folder, while it grows


def write_journal(folder, records=60):
    journal = Journal(FolderStorage(folder), SEALER, "T1", segment_bytes=1500)
    for number in range(records):
        journal.append(["state", "betting", str(number)])
    return journal


def check_folder(folder):
    log = open_log(folder, SEALER, "T1")
    return verify(log.lines, SEALER, "T1", (), log.start), log


def test_a_journal_is_verified_while_its_last_segment_grows(tmp_path):
    write_journal(tmp_path)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert len(names) > 3
    last = tmp_path / names[-1]
    last.write_bytes(last.read_bytes() + b'["rec",1,61,["sta')
    verdict, log = check_folder(tmp_path)
    assert (verdict.is_whole, verdict.last, log.growing, log.problem) == (True, 60, 17, None)
    (tmp_path / names[0]).unlink()  # the oldest goes when the host has it
    verdict, log = check_folder(tmp_path)
    assert verdict.is_whole
    assert verdict.first > 1


def test_any_change_to_a_closed_segment_is_found_and_the_line_named(tmp_path):
    write_journal(tmp_path)
    path = sorted(tmp_path.iterdir())[1]
    content = path.read_bytes()
    lines = content.split(b"\n")
    for place in range(len(lines) - 1):
        lines_now = lines[:]
        lines_now[place] = lines_now[place].replace(b"e", b"f", 1)
        path.write_bytes(b"\n".join(lines_now))
        verdict, log = check_folder(tmp_path)
        assert log.problem
        assert place == 0 or verdict.breaks[0].position == ("in_line", path, place + 1)
    path.unlink()
    verdict, log = check_folder(tmp_path)
    assert verdict.breaks[0].how == "missing"
    assert log.problem


# -- checkpoints


def test_a_checkpoint_is_due_each_hour_in_which_records_came_and_at_once_after_a_clock_went_back(
    tmp_path, signer
):
    book = CheckpointBook(tmp_path / "checkpoints", "T1", signer)
    assert not book.is_due(0, 5000)
    assert book.is_due(1, 5000)
    book.sign(1, seal_of(1), 5000)
    assert not book.is_due(2, 5000 + EVERY_SECONDS - 1)
    assert book.is_due(2, 5000 + EVERY_SECONDS)
    assert not book.is_due(1, 5000 + EVERY_SECONDS), "nothing new"
    assert book.is_due(2, 4000)
    with pytest.raises(BadCheckpoint, match="record 1 has been signed"):
        book.sign(0, seal_of(1), 6000)


def test_checkpoints_are_all_kept_and_a_torn_one_is_dropped(tmp_path, signer):
    path = tmp_path / "checkpoints"
    CheckpointBook(path, "T1", signer).sign(1, seal_of(1), 5000)
    whole = path.read_bytes()
    path.write_bytes(whole + b'["checkpoint",2,"T1",')
    book = CheckpointBook(path, "T1", signer)
    assert path.read_bytes() == whole
    book.sign(2, seal_of(2), 6000)
    assert [one.number for one in read_checkpoints(path, "T1", signer.public_key())] == [1, 2]


@pytest.mark.slow
def test_a_checkpoint_file_that_was_touched_is_not_believed(tmp_path, signer):
    path = tmp_path / "checkpoints"
    book = CheckpointBook(path, "T1", signer)
    for number in (1, 2, 3):
        book.sign(number, seal_of(number), 5000 + number)
    lines = path.read_bytes().splitlines(keepends=True)

    def refused(*changed, table="T1"):
        path.write_bytes(b"".join(changed))
        with pytest.raises(BadCheckpoint) as caught:
            read_checkpoints(path, table, signer.public_key())
        assert (caught.value.code, caught.value.fields["path"]) == ("log.checkpoint_line", path)
        return caught.value.fields["line"], *caught.value.fields["failure"]

    assert refused(lines[0], lines[2]) == (2, "log.checkpoint_turn", {"serial": 3})
    assert refused(lines[1], lines[2]) == (1, "log.checkpoint_turn", {"serial": 2})
    assert refused(*lines, table="T2") == (1, "log.checkpoint_table", {"owner": "T1", "table": "T2"})
    changed = decode(lines[1][:-1])
    changed[3] = 9
    assert refused(lines[0], encode(changed)) == (2, "log.checkpoint_signature", {})
    other = lines[1].replace(b"T1", b"T2")
    assert refused(lines[0], other) == (2, "log.checkpoint_damaged", {"damage": "wrong_checksum"})
    other = encode(["checkpoint", 2, "T1", "2", "", 0, "", ""])
    assert refused(lines[0], other) == (2, "log.checkpoint_form", {})
    assert refused(lines[0], encode(["dance"])) == (2, "log.no_checkpoint", {})
    for bit in range(len(lines[1]) * 8 - 8):
        flipped = bytearray(lines[1])
        flipped[bit // 8] ^= 1 << bit % 8
        assert refused(lines[0], bytes(flipped), lines[2])[0] == 2


def test_checkpoints_of_another_history_do_not_follow_each_other(tmp_path, signer):
    one, other = tmp_path / "one", tmp_path / "other"
    CheckpointBook(one, "T1", signer).sign(5, seal_of(5), 5000)
    book = CheckpointBook(other, "T1", signer)
    book.sign(1, seal_of(1), 4000)
    book.sign(2, seal_of(2), 4001)
    one.write_bytes(one.read_bytes() + other.read_bytes().splitlines(keepends=True)[1])
    with pytest.raises(BadCheckpoint, match="does not follow"):
        read_checkpoints(one, "T1", signer.public_key())


# -- keys


def test_each_key_is_its_own_and_private_and_never_written_over(tmp_path):
    one = make_table_key(tmp_path / "one.key", "T1")
    other = make_table_key(tmp_path / "other.key", "T1")
    assert one.key != other.key
    assert read_table_key(tmp_path / "one.key") == one
    assert (tmp_path / "one.key").stat().st_mode & 0o777 == 0o600
    with pytest.raises(KeyFileError, match="never overwritten"):
        make_table_key(tmp_path / "one.key", "T1")
    make_signer(tmp_path / "host.key")
    with pytest.raises(KeyFileError, match="never overwritten"):
        make_signer(tmp_path / "host.key")
    public, private = read_public(tmp_path / "host.pub"), read_public(tmp_path / "host.key")
    assert public.public_bytes_raw() == private.public_bytes_raw()


def test_a_key_file_that_cannot_be_used_says_why(tmp_path):
    path = tmp_path / "t1.key"

    def refused(content, match, mode=0o600):
        path.write_bytes(content)
        path.chmod(mode)
        with pytest.raises(KeyFileError, match=match):
            read_table_key(path)

    refused(b"", "is not a table's key")
    refused(b"\xff\xfe", "is not a table's key")
    refused(b"felt-table-key T1 zz\n", "damaged")
    refused(b"felt-table-key T1 0011\n", "damaged")
    refused(b"felt-table-key T1 " + bytes(32).hex().encode(), "chmod 600", mode=0o644)
    refused(b"something else", "is not a table's key", mode=0o644)
    with pytest.raises(KeyFileError, match="is not a table's key"):
        read_table_key(Path("/dev/zero"))  # it never ends
    with pytest.raises(KeyFileError, match="cannot read"):
        read_table_key(tmp_path / "absent")
    with pytest.raises(KeyFileError, match="without spaces"):
        make_table_key(tmp_path / "spaced.key", "T 1")
    path.chmod(0o600)
    with pytest.raises(KeyFileError, match="is not a signing key"):
        read_signer(path)
    with pytest.raises(KeyFileError, match="cannot read"):
        read_public(tmp_path / "absent")


# -- the commands


def run(*arguments, text=None):
    done = CliRunner().invoke(felt, [str(one) for one in arguments], input=text)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def test_a_table_s_log_from_its_first_record_to_a_found_forgery(tmp_path):
    key, signer_file, journal = tmp_path / "t1.key", tmp_path / "host.key", tmp_path / "journal"
    checkpoints, table = tmp_path / "checkpoints", tmp_path / "table.json"
    table.write_text('{"game": "mbs-three-pictures-2", "boxes": 2}')
    assert run("keys", "table", "T1", key)[0] == 0
    assert run("keys", "signer", signer_file)[0] == 0
    play = ("round", table, "--journal", journal, "--key", key)
    assert run(*play, text='["open"]\n["bet", 1, "P1", "main", 5000]\n')[0] == 0
    signing = ("--key", key, "--signer", signer_file, "--checkpoints", checkpoints)
    status, said = run("checkpoint", journal, *signing)
    assert (status, said) == (0, "checkpoint 1: table T1, record 17\n")
    # The table starts again in mid-round: the book asks for a ruling, and the log goes on.
    status, said = run(*play, text='["ruling", "continue", "shift_manager"]\n["close"]\n')
    assert '"state": "closed"' in said
    reviewing = ("--key", key, "--checkpoints", checkpoints, "--signer", tmp_path / "host.pub")
    status, said = run("verify", journal, *reviewing)
    assert (status, said.splitlines()[0]) == (0, "table T1: whole; records 1 to 24; checkpoints passed: 1")
    status, said = run("verify", journal, *reviewing, "--from", 17)
    assert (status, said.splitlines()[0]) == (0, "table T1: whole; records 18 to 24; checkpoints passed: 0")
    assert run("verify", journal, "--key", key)[1].endswith("whether the end was cut off.\n")
    # Somebody makes the bet bigger.
    segment = journal / "00000001"
    good = segment.read_bytes()
    segment.write_bytes(good.replace(b'"main",5000', b'"main",9000'))
    status, said = run("verify", journal, *reviewing)
    assert status == 1
    assert f"record 17: changed (wrong checksum), {segment}, line 18" in said
    assert "table T1: NOT whole; 1 place is wrong" in said
    assert run("checkpoint", journal, *signing)[0] == 1
    status, said = run(*play, text="")
    assert status == 1
    assert "is not whole: record 17: changed" in said
    # Somebody cuts the end off.
    segment.write_bytes(b"".join(good.splitlines(keepends=True)[:9]))
    status, said = run("verify", journal, *reviewing)
    assert status == 1
    assert "record 9: truncated (the log ends at 8, but checkpoint 1 signed record 17)" in said


def test_a_plain_file_of_records_is_verified_too(tmp_path):
    make_table_key(tmp_path / "t1.key", "T1")
    key = read_table_key(tmp_path / "t1.key")
    chain = Chain(key.sealer, "T1")
    log = tmp_path / "log"
    log.write_bytes(b"".join(chain.write(1, ["state", "betting", "3.1"]) for _ in range(5)) + b"half a li")
    status, said = run("verify", log, "--key", tmp_path / "t1.key")
    assert status == 0
    assert "9 bytes at the end are a line that is still being written" in said
    assert "whole; records 1 to 5" in said
    log.write_bytes(b"")
    assert "whole; no records" in run("verify", log, "--key", tmp_path / "t1.key")[1]


def test_a_folder_without_a_journal_is_not_called_whole(tmp_path):
    make_table_key(tmp_path / "t1.key", "T1")
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "notes.txt").write_text("no segment\n")
    status, said = run("verify", empty, "--key", tmp_path / "t1.key")
    assert (status, "there is no journal in" in said) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--checkpoints", "c"), "go together"),
        (("--from", "3"), "--from needs --checkpoints"),
        (("--checkpoints", "absent", "--signer", "{folder}/host.pub"), "cannot read absent"),
        (
            ("--checkpoints", "{folder}/c", "--signer", "{folder}/host.pub", "--from", "3"),
            "no checkpoint at record 3",
        ),
        (("--checkpoints", "{folder}/c", "--signer", "{folder}/t1.key"), "is not a signing key"),
    ],
)
def test_mistakes_are_explained(tmp_path, arguments, words):
    make_table_key(tmp_path / "t1.key", "T1")
    make_signer(tmp_path / "host.key")
    (tmp_path / "c").write_bytes(b"")
    (tmp_path / "log").write_bytes(b"")
    given = [argument.format(folder=tmp_path) for argument in arguments]
    status, said = run("verify", tmp_path / "log", "--key", tmp_path / "t1.key", *given)
    assert status == 1
    assert words in said


def test_a_round_with_a_journal_needs_its_key_and_its_own_configuration(tmp_path):
    table = tmp_path / "table.json"
    table.write_text('{"game": "mbs-three-pictures-2", "boxes": 2}')
    status, said = run("round", table, "--journal", tmp_path / "j")
    assert (status, "go together" in said) == (1, True)
    status, said = run("round", table, "--journal", tmp_path / "j", "--key", tmp_path / "absent.key")
    assert (status, "cannot read" in said) == (1, True)
    make_table_key(tmp_path / "t1.key", "T1")
    play = ("--journal", tmp_path / "j", "--key", tmp_path / "t1.key")
    assert run("round", table, *play, text='["open"]\n')[0] == 0
    table.write_text('{"game": "mbs-three-pictures-2", "boxes": 5}')
    status, said = run("round", table, *play, text="")
    assert (status, "another configuration: a round is running" in said) == (1, True)
