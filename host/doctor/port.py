"""Checks whether the table's port is there, may be opened, and has the right table behind it.

It listens, and sends at most one `hail`, which asks a table for its hello and does nothing else.
"""

import errno
import grp
import os
import pwd
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import serial

from host.config.fields import AUTO
from host.doctor.findings import Finding, Subject, is_accessible, look, ok, unnamed, wrong
from host.pico.digests import rules_digest
from host.pico.serial_ports import CANNOT_OPEN, picos
from host.table.link import CONSOLE, HAIL, read_from_table
from shared.journal.wire import BadLine, LineSplitter
from shared.link.declarations import digest
from shared.link.messages import VERSION, UnknownMessage, WrongShape

READ_S = 0.05
MOST_HEARD = 100_000  # bytes; something that never stops is not a table
SHOWN_BYTES = 40
PROC = Path("/proc")


class Patience(NamedTuple):
    """In seconds. A table without a host says hello each second; one whose host has just gone needs a hail, and
    heeds none while it heard that host in the last second and a half."""

    listen: float = 3.0
    hail_after: float = 1.7


PATIENCE = Patience()


class Heard(NamedTuple):
    """`message` is a hello or a faulty, if one came; `others` are names of Felt's other messages."""

    data: bytes
    message: list[Any] | None
    others: list[str]


def check_port(
    subject: Subject,
    writer: int | None = None,
    patience: Patience = PATIENCE,
    plugged: Callable[[], list[str]] = picos,
) -> list[Finding]:
    """`writer` is the process that writes the table's log, and so probably has its port open."""
    port = subject.port
    if port is None:
        return [unnamed("port", "table", "port")]
    findings = []
    if port == AUTO:
        there = plugged()
        if len(there) != 1:
            return [wrong("port.several", ports=there) if there else wrong("port.no_pico")]
        port = there[0]
        findings.append(ok("port.plugged", port=port))
    blocked = check_access(port, writer)
    if blocked:
        return [*findings, blocked]
    try:
        opened = serial.serial_for_url(port, 115_200, exclusive=True, timeout=READ_S, write_timeout=READ_S)
    except CANNOT_OPEN as error:
        is_busy = getattr(error, "errno", None) in (errno.EBUSY, errno.EAGAIN)
        code = "port.in_use" if is_busy else "port.closed"
        return [*findings, wrong(code, port=port, reason=" ".join(str(error).split()))]
    try:
        heard = listen(opened, patience)
    except OSError as error:
        return [*findings, wrong("port.gone", port=port, reason=" ".join(str(error).split()))]
    finally:
        opened.close()
    return findings + judge(subject, port, heard, patience)


# What stands in the way before a port is opened


def check_access(port: str, writer: int | None) -> Finding | None:
    if "://" in port:
        # Who else is connected cannot be seen from here, and a second connection might end the first.
        return None if writer is None else ok("port.left_to_writer", port=port, pid=writer)
    try:
        about = os.stat(port)
    except FileNotFoundError:
        return wrong("port.missing", port=port, picos=picos())
    except OSError as error:
        return wrong("port.unreadable", port=port, reason=error.strerror)
    if not stat.S_ISCHR(about.st_mode):
        return wrong("port.not_serial", port=port)
    if not is_accessible(Path(port), os.R_OK | os.W_OK):
        return denied(port, user_name(), about)
    return held_by(port, writer)


def denied(port: str, user: str, about: os.stat_result) -> Finding:
    if about.st_mode & 0o060 != 0o060:
        return wrong("port.denied_mode", port=port, user=user)
    try:
        owners = grp.getgrgid(about.st_gid)
    except KeyError:
        return wrong("port.denied_owner", port=port, user=user)
    code = "port.denied_login" if user in owners.gr_mem else "port.denied"
    return wrong(code, port=port, user=user, group=owners.gr_name)


def user_name() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return f"user {os.geteuid()}"


def held_by(port: str, writer: int | None) -> Finding | None:
    """Two programs at one port would each get half of what the table says, so the port is left alone then."""
    holders = [pid for pid in processes_with(port) if pid != os.getpid()]
    if writer is not None and writer in holders:
        return ok("port.left_to_writer", port=port, pid=writer)
    if writer is not None and not is_visible(writer):
        return look("port.maybe_writer", port=port, pid=writer)
    if holders:
        return wrong("port.held", port=port, programs=[f"{program_name(pid)} (process {pid})" for pid in holders])
    return None


def processes_with(port: str, proc: Path = PROC) -> list[int]:
    """The processes that have it open, as far as this user may see; none where the system does not tell."""
    wanted = os.path.realpath(port)
    found = []
    for folder in proc.glob("[0-9]*/fd"):
        try:
            if any(os.readlink(link) == wanted for link in folder.iterdir()):
                found.append(int(folder.parent.name))
        except OSError:
            continue  # it has ended, or belongs to somebody else
    return sorted(found)


def is_visible(pid: int, proc: Path = PROC) -> bool:
    """Whether this user may see what a process has open."""
    return is_accessible(proc / str(pid) / "fd", os.R_OK)


def program_name(pid: int, proc: Path = PROC) -> str:
    try:
        return (proc / str(pid) / "comm").read_text().strip()
    except OSError:
        return "a program"


# Listening


def listen(port: Any, patience: Patience) -> Heard:
    """What comes until a table says who it is or why it does not start, or until patience ends."""
    splitter = LineSplitter()
    heard, others, hailed = b"", [], False
    begun = time.monotonic()
    while (passed := time.monotonic() - begun) < patience.listen and len(heard) < MOST_HEARD:
        if not hailed and passed >= patience.hail_after:
            hailed = True
            hail(port)
        data = port.read(port.in_waiting or 1)  # pySerial loses what came before an end if it is asked for more
        heard += data
        for line in splitter.feed(data):
            try:
                message = read_from_table(line)
            except (UnknownMessage, WrongShape) as stranger:
                others.append(stranger.name)
                continue
            except BadLine:
                continue
            if message[0] in ("hello", "faulty"):
                return Heard(heard, message, others)
            others.append(message[0])
    return Heard(heard, None, others)


def hail(port: Any) -> None:
    with suppress(serial.SerialTimeoutException):  # a device that takes nothing will not answer either
        port.write(HAIL)


def judge(subject: Subject, port: str, heard: Heard, patience: Patience) -> list[Finding]:
    flash = {"port": port, "board": subject.board or "BOARD", "key": subject.key or "KEY"}
    if heard.message and heard.message[0] == "faulty":
        return [wrong("port.faulty", port=port, reported=heard.message[1:3])]
    if heard.message:
        return judge_hello(subject, flash, heard.message)
    if any(sign in heard.data for sign in CONSOLE):
        return [wrong("port.console", **flash)]
    if "hello" in heard.others:
        return [wrong("port.other_hello", **flash)]
    if heard.others:
        return [look("port.other_host", port=port, messages=sorted(set(heard.others)))]
    if heard.data:
        return [wrong("port.not_a_table", port=port, heard=repr(heard.data[:SHOWN_BYTES]))]
    return [wrong("port.silent", seconds=patience.listen, **flash)]


def judge_hello(subject: Subject, flash: dict[str, Any], hello: list[Any]) -> list[Finding]:
    """A hello is not sealed, so this is only what the table claims to be; the bridge makes it prove that."""
    version, messages, rules, firmware, board, table, boot = hello[1:8]
    port = flash["port"]
    findings = []
    if subject.name and table != subject.name:
        findings.append(wrong("port.other_table", port=port, found=table, wanted=subject.name))
    if subject.board and board != subject.board:
        findings.append(wrong("port.other_board", found=board, wanted=subject.board))
    pairs = (("version", version, VERSION), ("messages", messages, digest()), ("rules", rules, rules_digest()))
    misfit = next((pair for pair in pairs if pair[1] != pair[2]), None)  # the others follow from the first
    if misfit:
        what, found, wanted = misfit
        findings.append(wrong("port.mismatch", what=what, found=found, wanted=wanted, **flash))
    about = {"table": table, "port": port, "board": board, "boot": boot, "firmware": firmware}
    return findings or [ok("port.fine", **about)]
