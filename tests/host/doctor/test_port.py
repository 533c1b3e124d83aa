"""What the doctor says of a port: the real firmware behind a real pseudo-terminal, and all that is none."""

import fcntl
import os
import random
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

from boards import full
from host.config.table_file import Examined
from host.doctor.findings import LOOK, OK, WRONG, Subject
from host.doctor.port import HAIL, Patience, check_port, processes_with, program_name
from host.pico.digests import rules_digest
from host.simulator.floor import make_link
from host.simulator.memory_log import MemoryLog
from host.words.doctor import todo_words
from shared.journal.wire import encode
from shared.link.declarations import digest
from shared.link.messages import VERSION
from tests.support.doctoring import marks
from tests.support.floors import IDENTITY
from tests.support.linked import NOON
from tests.support.ports import PseudoPort, RealTable, answering, saying, silent

pytestmark = pytest.mark.slow

KEY = bytes(range(32))
SHORT = Patience(listen=0.8, hail_after=0.2)
LONG = Patience(listen=3.0, hail_after=0.3)


def subject(port, tmp_path, name="T1", board="small"):
    path = tmp_path / "t1.toml"
    return Subject(path, Examined(path, "", [], None), name, board, port, tmp_path / "t1.key")


def hello(version=VERSION, messages=None, rules=None, board="small", table="T1"):
    fields = [version, messages or digest(), rules or rules_digest(), "11" * 16, board, table, 3, "22" * 16]
    return encode(["hello", *fields])


def looked(behind, tmp_path, patience=SHORT, **more):
    """The findings about a port with that behind it, and all that it heard."""
    with PseudoPort(behind) as port:
        findings = check_port(subject(port.name, tmp_path, **more), None, patience)
        return [one._replace(fields=without(port.name, one.fields)) for one in findings], port.heard


def without(port, fields):
    return {name: "PORT" if value == port else value for name, value in fields.items()}


def the_one(findings):
    assert len(findings) == 1, findings
    assert findings[0].check == "port"
    marks(findings)
    return findings[0]


# A table


def test_the_firmware_answers_and_fits(tmp_path):
    table = RealTable(KEY)
    findings, heard = looked(table, tmp_path, LONG)
    finding = the_one(findings)
    assert (finding.mark, finding.code) == (OK, "port.fine")
    assert finding.fields == {"table": "T1", "port": "PORT", "board": "small", "boot": 1, "firmware": "11" * 16}
    assert heard in (b"", HAIL), "it listens, and hails at most once"


def test_being_looked_at_leaves_no_record_on_the_table(tmp_path):
    table = RealTable(KEY)
    before = table.lines()
    _, heard = looked(table, tmp_path, Patience(1.2, 0.0))
    assert heard == HAIL
    assert table.lines() == before


def test_the_firmware_of_another_table(tmp_path):
    finding = the_one(looked(RealTable(KEY, "T2"), tmp_path, LONG)[0])
    assert (finding.mark, finding.code) == (WRONG, "port.other_table")
    assert finding.fields == {"port": "PORT", "found": "T2", "wanted": "T1"}


def test_the_firmware_with_other_rules(tmp_path):
    finding = the_one(looked(RealTable(KEY, rules="ab" * 16), tmp_path, LONG)[0])
    assert (finding.mark, finding.code, finding.fields["what"]) == (WRONG, "port.mismatch", "rules")
    assert (finding.fields["found"], finding.fields["wanted"]) == ("ab" * 16, rules_digest())
    assert f"felt flash --board small --key {tmp_path}/t1.key" in todo_words(finding)


def test_a_file_without_name_and_board_is_still_answered(tmp_path):
    assert the_one(looked(RealTable(KEY), tmp_path, LONG, name=None, board=None)[0]).mark == OK


@pytest.mark.parametrize(
    ("line", "code", "fields"),
    [
        (hello(board="full"), "other_board", {"found": "full", "wanted": "small"}),
        (hello(version=1), "mismatch", {"what": "version", "found": 1, "wanted": 2}),
        (hello(messages="cd" * 16), "mismatch", {"what": "messages", "found": "cd" * 16, "wanted": digest()}),
        (encode(["hello", 2, "more", "fields"]), "other_hello", {}),
        (encode(["faulty", "no_key", ""]), "faulty", {"reported": ["no_key", ""]}),
        (
            encode(["ailing", "files_changed", "main.py", "Flash it."]),
            "faulty",
            {"reported": ["files_changed", "main.py"]},
        ),
        (b">>> ", "console", {}),
        (b"MicroPython v1.29.0 on 2026-10-01; Raspberry Pi Pico", "console", {}),
        (b"raw REPL; CTRL-B to exit\r\n>", "console", {}),
        (b"\x00\xff\x10 17 CARD KS*e97d7bb1\n", "not_a_table", {}),
    ],
)
def test_what_else_may_talk(line, code, fields, tmp_path):
    finding = the_one(looked(saying(line), tmp_path)[0])
    assert (finding.mark, finding.code) == (WRONG, f"port.{code}")
    assert finding.fields.items() >= fields.items()


@pytest.mark.parametrize("line", [["faulty", "no_key", ""], ["ailing", "no_key", "", "as an older table says"]])
def test_a_table_that_does_not_start_is_told_of_with_advice(line, tmp_path):
    line = encode(line)
    finding = the_one(looked(saying(line), tmp_path)[0])
    assert todo_words(finding) == "The table has no key of its own. Flash it with `felt flash`."


def test_everything_that_does_not_fit_is_said(tmp_path):
    findings, _ = looked(saying(hello(board="full", table="T9", rules="ab" * 16)), tmp_path)
    assert [one.mark for one in findings] == [WRONG] * 3


def test_a_hello_split_and_among_noise_is_heard(tmp_path):
    noise = b"\xfe\n" + b"x" * 3000 + b"\n"
    pieces = iter([noise, hello()[:40], hello()[40:] + noise] + [b""] * 10_000)
    finding = the_one(looked(lambda now, heard: next(pieces) if now > 100 else b"", tmp_path, LONG)[0])
    assert finding.mark == OK


def test_a_table_that_talks_to_another_host(tmp_path):
    finding = the_one(looked(saying(encode(["beat", 5, 1, "00" * 12])), tmp_path)[0])
    assert (finding.mark, finding.code, finding.fields["messages"]) == (LOOK, "port.other_host", ["beat"])


def test_one_that_must_be_hailed_is_hailed_once(tmp_path):
    findings, heard = looked(answering(lambda heard: hello() if heard == HAIL else b""), tmp_path, LONG)
    assert the_one(findings).mark == OK
    assert heard == HAIL


def test_silence(tmp_path):
    findings, heard = looked(silent, tmp_path)
    finding = the_one(findings)
    assert (finding.mark, finding.code, finding.fields["seconds"]) == (WRONG, "port.silent", 0.8)
    assert heard == HAIL


def test_a_console_that_only_echoes(tmp_path):
    findings, _ = looked(answering(lambda heard: heard), tmp_path)
    assert the_one(findings).code == "port.console"


def test_something_that_never_stops_is_left_early(tmp_path):
    finding = the_one(looked(saying(b"y\n" * 2000, 0), tmp_path, Patience(20, 20))[0])
    assert finding.code == "port.not_a_table"
    assert finding.fields["heard"].startswith("b'y\\ny\\n")


def test_a_port_that_goes_away(tmp_path):
    master, slave = os.openpty()
    name = os.ttyname(slave)
    os.close(slave)
    timer = threading.Timer(0.2, os.close, [master])
    timer.start()
    finding = the_one(check_port(subject(name, tmp_path), None, Patience(3, 3)))
    timer.join()
    assert (finding.mark, finding.code, finding.fields["port"]) == (WRONG, "port.gone", name)


def test_a_table_whose_host_was_killed_a_moment_ago(tmp_path):
    table = RealTable(KEY)
    link = make_link(IDENTITY, MemoryLog(), random.Random("killed"), lambda: NOON)
    for now in range(0, 4000, 50):
        link.receive(table(now, link.output(now)), now)
    assert link.is_up
    with PseudoPort(lambda now, heard: table(4000 + now, heard)) as port:
        finding = the_one(check_port(subject(port.name, tmp_path)))
        assert port.heard == HAIL
    assert finding.mark == OK


# The way to it


def test_auto_with_none_one_and_two(tmp_path):
    def found(*there):
        return check_port(subject("auto", tmp_path), None, SHORT, lambda: list(there))

    assert the_one(found()).code == "port.no_pico"
    finding = the_one(found("/dev/ttyACM0", "/dev/ttyACM1"))
    assert (finding.code, finding.fields) == ("port.several", {"ports": ["/dev/ttyACM0", "/dev/ttyACM1"]})
    with PseudoPort(saying(hello())) as port:
        assert [one.mark for one in found(port.name)] == [OK, OK]


def test_no_port_and_no_such_port(tmp_path):
    assert the_one(check_port(subject(None, tmp_path))).code == "port.unnamed"
    finding = the_one(check_port(subject("/dev/ttyFelt9", tmp_path)))
    assert (finding.code, finding.fields["port"]) == ("port.missing", "/dev/ttyFelt9")


def test_a_file_is_no_port(tmp_path):
    (tmp_path / "file").write_text("hello")
    assert the_one(check_port(subject(str(tmp_path / "file"), tmp_path))).code == "port.not_serial"


def test_a_character_device_that_is_no_port(tmp_path):
    finding = the_one(check_port(subject("/dev/zero", tmp_path), None, SHORT))
    assert (finding.code, finding.fields["port"]) == ("port.closed", "/dev/zero")


@contextmanager
def as_nobody():
    """Root may open everything, so for once be somebody else."""
    was = os.geteuid()
    if was == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(was)


@pytest.mark.parametrize(("mode", "code"), [(0o060, "port.denied"), (0o000, "port.denied_mode")])
def test_a_port_that_this_user_may_not_open(mode, code, tmp_path):
    with PseudoPort(silent) as port:
        os.chmod(port.name, mode)
        if os.geteuid() == 0:
            os.chown(port.name, 0, 5)
        elif mode == 0o060:
            pytest.skip("whoever owns the port is in its group here")
        with as_nobody():
            finding = the_one(check_port(subject(port.name, tmp_path), None, SHORT))
    assert (finding.mark, finding.code, finding.fields["port"]) == (WRONG, code, port.name)
    assert port.heard == b""


@contextmanager
def holder(port):
    """Another process that has the port open."""
    code = (
        f"import os, sys; os.open({port!r}, os.O_RDWR | os.O_NOCTTY); print('open', flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline() == b"open\n"
    try:
        yield process.pid
    finally:
        process.communicate(b"")


def test_another_program_has_it_and_it_is_left_alone(tmp_path):
    with PseudoPort(silent) as port, holder(port.name) as pid:
        assert processes_with(port.name) == sorted([os.getpid(), pid])
        finding = the_one(check_port(subject(port.name, tmp_path), None, SHORT))
        assert (finding.mark, finding.code) == (WRONG, "port.held")
        assert finding.fields == {"port": port.name, "programs": [f"{program_name(pid)} (process {pid})"]}
        assert port.heard == b""


def test_the_running_bridge_has_it_and_that_is_fine(tmp_path):
    with PseudoPort(silent) as port, holder(port.name) as pid:
        finding = the_one(check_port(subject(port.name, tmp_path), pid, SHORT))
        assert (finding.mark, finding.code) == (OK, "port.left_to_writer")
        assert finding.fields == {"port": port.name, "pid": pid}
        assert port.heard == b""


def test_somebody_unseen_has_it_for_himself(tmp_path):
    with PseudoPort(silent) as port:
        own = os.open(port.name, os.O_RDWR | os.O_NOCTTY)
        fcntl.flock(own, fcntl.LOCK_EX)
        finding = the_one(check_port(subject(port.name, tmp_path), None, SHORT))
        os.close(own)
    assert (finding.code, finding.fields["port"]) == ("port.in_use", port.name)


def test_a_table_behind_a_socket(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1]

        def serve():
            connection, _ = server.accept()
            with connection:
                if connection.recv(100) == HAIL:
                    connection.sendall(hello())

        thread = threading.Thread(target=serve)
        thread.start()
        finding = the_one(check_port(subject(f"socket://127.0.0.1:{number}", tmp_path), None, LONG))
        thread.join(5)
    assert finding.mark == OK
    gone = the_one(check_port(subject(f"socket://127.0.0.1:{number}", tmp_path), None, SHORT))
    assert (gone.mark, gone.code) == (WRONG, "port.closed")


def test_a_socket_is_left_to_the_running_bridge(tmp_path):
    finding = the_one(check_port(subject("socket://127.0.0.1:9", tmp_path), 77, SHORT))
    assert (finding.mark, finding.code) == (OK, "port.left_to_writer")
    assert finding.fields == {"port": "socket://127.0.0.1:9", "pid": 77}


@pytest.mark.skipif(os.geteuid() != 0, reason="needs two users")
def test_a_port_is_left_alone_where_a_bridge_of_somebody_else_may_have_it(tmp_path):
    with PseudoPort(silent) as port, holder(port.name) as pid:
        os.chmod(port.name, 0o666)
        with as_nobody():
            finding = the_one(check_port(subject(port.name, tmp_path), pid, SHORT))
        assert finding.mark == LOOK
        assert port.heard == b""


def test_a_full_board_answers_too(tmp_path):
    table = RealTable(KEY, board=full)
    table.sensors = [1] * (8 * full.REGISTERS[3])
    finding = the_one(looked(table, tmp_path, LONG, board="full")[0])
    assert finding.mark == OK
