"""Is the table's port there, may it be opened, and does the right table answer behind it?

It listens, and says at most one `hail`, which asks a table for its hello and does nothing else.
"""

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
from host.doctor.findings import LOOK, OK, WRONG, Finding, Subject, in_two
from host.pico.digests import rules_digest
from host.pico.serial_ports import CANNOT_OPEN, error_words, picos
from host.table.link import read_from_table
from host.words.faults import advice
from shared.journal.lines import LineSplitter
from shared.journal.wire import BadLine, encode
from shared.link.declarations import digest
from shared.link.messages import VERSION, UnknownMessage, WrongShape

CHECK = "port"
HAIL = encode(["hail"])
PROMPTS = (b">>>", b"raw REPL", b"MicroPython v")
READ_S = 0.05
MOST_HEARD = 100_000  # bytes; something that never stops is no table
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
    """`writer` is the process that writes the table's log, and so may well have its port."""
    if subject.port is None:
        return [Finding(CHECK, WRONG, "the file names no port that will do", "mend `port` in [table] first")]
    findings = []
    port = subject.port
    if port == AUTO:
        there = plugged()
        if len(there) != 1:
            return [no_single_pico(there)]
        port = there[0]
        findings.append(Finding(CHECK, OK, f"one Pico is plugged in, at {port}"))
    blocked = local_trouble(port, writer) if "://" not in port else remote_trouble(port, writer)
    if blocked:
        return [*findings, blocked]
    try:
        opened = serial.serial_for_url(port, 115_200, exclusive=True, timeout=READ_S, write_timeout=READ_S)
    except CANNOT_OPEN as error:
        sentence = error_words(port, error)
        return [
            *findings,
            in_two(CHECK, WRONG, sentence, "see that it is the Pico's port, or that the other end is there"),
        ]
    try:
        heard = listen(opened, patience)
    except OSError as error:
        found = f"{port} went away while it was listened to ({' '.join(str(error).split())})"
        return [
            *findings,
            Finding(CHECK, WRONG, found, "check the USB cable and the Pico's power, then try again"),
        ]
    finally:
        opened.close()
    return findings + judge(subject, port, heard, patience)


def no_single_pico(there: list[str]) -> Finding:
    if there:
        found = f"several Picos are plugged in: {', '.join(there)}"
        return Finding(CHECK, WRONG, found, 'say which is this table\'s: port = "..." in [table]')
    return Finding(
        CHECK,
        WRONG,
        "no Pico is plugged in",
        "check its USB cable, which must carry data and not only power. A Pico that shows as the drive RPI-RP2 "
        "has no MicroPython: drag the file of `felt image` onto it",
    )


# What stands in the way before a port is opened


def remote_trouble(port: str, writer: int | None) -> Finding | None:
    """Who else is connected cannot be seen from here, and a second connection might end the first."""
    if writer is None:
        return None
    return Finding(CHECK, OK, f"{port} was left to process {writer}, which writes the table's log")


def local_trouble(port: str, writer: int | None) -> Finding | None:
    try:
        about = os.stat(port)
    except FileNotFoundError:
        others = ", ".join(picos())
        hint = f"a Pico is at {others}" if others else "no Pico is plugged in: check its USB cable and its power"
        todo = f'{hint}; with port = "auto" it is found wherever it is plugged in'
        return Finding(CHECK, WRONG, f"there is no port {port}", todo)
    except OSError as error:
        return Finding(CHECK, WRONG, f"{port} cannot be looked at: {error.strerror}", "see to its permissions")
    if not stat.S_ISCHR(about.st_mode):
        return Finding(CHECK, WRONG, f"{port} is no serial port", 'name the Pico\'s port in [table], or "auto"')
    if not may_use(port):
        return not_permitted(port, about.st_gid, about.st_mode)
    return held_by(port, writer)


def may_use(port: str) -> bool:
    return os.access(port, os.R_OK | os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def not_permitted(port: str, group: int, mode: int) -> Finding:
    user = user_name()
    found = f"{port} may not be opened by {user}"
    if mode & 0o060 != 0o060:
        return Finding(CHECK, WRONG, found, f"give its group the right to use it: sudo chmod g+rw {port}")
    try:
        owners = grp.getgrgid(group)
    except KeyError:
        return Finding(CHECK, WRONG, found, f"give {user} the right to use it: sudo chown {user} {port}")
    if user in owners.gr_mem:
        return Finding(
            CHECK, WRONG, found, f"{user} is in the group {owners.gr_name} by now: log out and in again"
        )
    return Finding(CHECK, WRONG, found, f"sudo usermod -a -G {owners.gr_name} {user}, then log out and in again")


def user_name() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return f"user {os.geteuid()}"


def held_by(port: str, writer: int | None) -> Finding | None:
    """Two programs at one port would each get half of what the table says, so it is left alone then."""
    holders = [pid for pid in processes_with(port) if pid != os.getpid()]
    if writer is not None and writer in holders:
        found = f"{port} is in the hands of process {writer}, which writes the table's log; it was left alone"
        return Finding(CHECK, OK, found)
    if writer is not None and not is_visible(writer):
        found = f"{port} was left alone: process {writer} writes the table's log and may have it"
        return Finding(
            CHECK, LOOK, found, "whoever runs that process, or root, sees more: run this as one of them"
        )
    if holders:
        names = ", ".join(f"{program_name(pid)} (process {pid})" for pid in holders)
        return Finding(CHECK, WRONG, f"{port} is in use by {names}", "end that, then try again")
    return None


def processes_with(port: str, proc: Path = PROC) -> list[int]:
    """Those that have it open, as far as this user may see; none where the system does not tell."""
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
    return os.access(proc / str(pid) / "fd", os.R_OK, effective_ids=os.access in os.supports_effective_ids)


def program_name(pid: int, proc: Path = PROC) -> str:
    try:
        return (proc / str(pid) / "comm").read_text().strip()
    except OSError:
        return "a program"


# Listening


def listen(port: Any, patience: Patience) -> Heard:
    """What comes until a table says who it is or what ails it, or until patience ends."""
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
    with suppress(serial.SerialTimeoutException):  # whoever takes nothing will not answer either
        port.write(HAIL)


def judge(subject: Subject, port: str, heard: Heard, patience: Patience) -> list[Finding]:
    if heard.message and heard.message[0] == "faulty":
        code, detail = heard.message[1:3]
        found = f"the table at {port} will not start: {code}" + (f" ({detail})" if detail else "")
        return [Finding(CHECK, WRONG, found, advice(code))]
    if heard.message:
        return judge_hello(subject, port, heard.message)
    if any(prompt in heard.data for prompt in PROMPTS) or HAIL.strip() in heard.data:
        return [
            Finding(
                CHECK,
                WRONG,
                f"at {port} is the console of MicroPython, and no table runs",
                "take the service jumper off and press reset; if the console comes again, put the firmware on "
                f"it: felt flash --board {subject.board or 'BOARD'}",
            )
        ]
    if heard.others:
        return [other_language(subject, port, heard.others)]
    if heard.data:
        found = f"something talks at {port}, but not as a table does: {heard.data[:SHOWN_BYTES]!r}"
        return [
            Finding(CHECK, WRONG, found, "is this the Pico's port? `mpremote connect list` names those there are")
        ]
    return [
        Finding(
            CHECK,
            WRONG,
            f"nothing answers at {port} within {patience.listen:g} s",
            "press reset on the Pico and try again; if it stays silent, put the service jumper on, press reset "
            f"and put the firmware on it: felt flash --board {subject.board or 'BOARD'}",
        )
    ]


def other_language(subject: Subject, port: str, names: list[str]) -> Finding:
    if "hello" in names:
        found = f"a table answers at {port}, but its hello is not as this host knows it"
        return Finding(CHECK, WRONG, found, update_words(subject))
    said = ", ".join(sorted(set(names)))
    found = f"a table talks at {port} ({said}) as if to another host, and does not say hello"
    return Finding(CHECK, LOOK, found, "end whatever else talks to it, wait five seconds and try again")


def update_words(subject: Subject) -> str:
    key = subject.key or "KEY"
    return (
        "update the older of the two; this host's firmware goes onto the table, with the service jumper on, by "
        f"felt flash --board {subject.board or 'BOARD'} --key {key}"
    )


def judge_hello(subject: Subject, port: str, hello: list[Any]) -> list[Finding]:
    """A hello is not sealed, so this is who the table says it is; the bridge has it prove that."""
    version, messages, rules, firmware, board, table, boot = hello[1:8]
    findings = []
    if subject.name and table != subject.name:
        found = f"at {port} is table {table}, not {subject.name}"
        findings.append(Finding(CHECK, WRONG, found, "plug the right table in, or use that table's file"))
    if subject.board and board != subject.board:
        found = f"the table's firmware is for the board {board}, the file says {subject.board}"
        todo = f'write board = "{board}" into [table], or flash it for the board {subject.board}'
        findings.append(Finding(CHECK, WRONG, found, todo))
    pairs = (("version", version, VERSION), ("messages", messages, digest()), ("rules", rules, rules_digest()))
    for what, its, ours in pairs:
        if its != ours:
            found = f"table and host do not fit, {what}: table {its}, host {ours}"
            findings.append(Finding(CHECK, WRONG, found, update_words(subject)))
            break  # what else differs follows from it
    if not findings:
        found = (
            f"table {table} answers at {port}: board {board}, start {boot}, firmware {firmware}, "
            "with the messages and rules of this host"
        )
        findings.append(Finding(CHECK, OK, found))
    return findings
