"""Finds a rig and its table among the serial ports by what each says, and holds both ports.

An open port is locked by the system until it is closed or its process ends: one user has the pair at a time.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple

from host.bench.hardware.rig import READ_BYTES, Clock, Port, RealClock, ReturningPort, open_serial
from host.pico.serial_ports import PortError, picos
from host.words.failures import Failure
from shared.journal.wire import BadLine, LineSplitter, decode, encode

LISTEN_MS = 5000  # a table whose host has just gone says nothing for 3.5 s
ASK_MS = 300
TICK_MS = 5
IN_USE = "pico.in_use"
TO_PLAIN_PROMPT = b"\x02"  # from the raw prompt, which is silent
PROMPT = b"MicroPython v"  # which it then says

# What a Pico says it is.
RIG, TABLE, BARE = "rig", "table", "MicroPython"


class PairError(Failure):
    """The pair cannot be used as it is; the text says why and what to do."""


class PairAbsent(PairError):
    """There is no pair here."""


class Identity(NamedTuple):
    kind: str
    board: str = ""  # of a rig, or of a table that runs
    table: str = ""  # its name


class PairPorts(NamedTuple):
    """Both ports, held until they are closed."""

    rig_path: str
    rig: ReturningPort
    table_path: str
    table: ReturningPort
    who: Identity  # the table

    def close(self) -> None:
        self.rig.close()
        self.table.close()


def said_by(line: bytes) -> Identity | None:
    try:
        message = decode(line)
    except BadLine:
        return None
    if message[:1] == ["rig"] and len(message) == 4:
        return Identity(RIG, str(message[3]))
    if message[:1] == ["hello"] and len(message) > 6:
        return Identity(TABLE, str(message[5]), str(message[6]))
    return Identity(TABLE) if message[:1] in (["faulty"], ["beat"], ["rec"]) else None


class Asked:
    """A Pico that is asked who it is."""

    def __init__(self, port: Port) -> None:
        self.port = port
        self.splitter = LineSplitter()
        self.unwritten = b""
        self.who: Identity | None = None
        self.asked = 0

    def ask(self) -> None:
        """A rig answers, and a prompt. A table takes no notice, but says by itself who it is."""
        self.asked += 1
        self.unwritten = TO_PLAIN_PROMPT + b"\n" + encode(["who", self.asked])

    def exchange(self) -> None:
        try:
            if self.unwritten:
                self.unwritten = self.unwritten[self.port.write(self.unwritten) or 0 :]
            data = self.port.read(READ_BYTES)
        except OSError:
            return  # it says nothing
        for line in self.splitter.feed(data):
            self.who = Identity(BARE) if PROMPT in line else said_by(line) or self.who


def identify(ports: Mapping[str, Port], clock: Clock) -> dict[str, Identity]:
    """Who is at each port; those that say nothing are left out."""
    asked = {path: Asked(port) for path, port in ports.items()}
    end = ask_at = clock.now()
    end += LISTEN_MS
    while clock.now() < end and not all(one.who for one in asked.values()):
        if clock.now() >= ask_at:
            ask_at = clock.now() + ASK_MS
            for one in asked.values():
                one.ask()
        for one in asked.values():
            one.exchange()
        clock.wait_until(clock.now() + TICK_MS)
    return {path: one.who for path, one in asked.items() if one.who}


# -- choosing


class Ports:
    """The ports that could be opened, who is at each, and why others could not."""

    def __init__(self, paths: Iterable[str], clock: Clock) -> None:
        self.open: dict[str, ReturningPort] = {}
        self.closed: dict[str, PortError] = {}
        for path in paths:
            try:
                self.open[path] = ReturningPort(partial(open_serial, path), clock)
            except PortError as problem:
                self.closed[path] = problem
        self.who = identify(self.open, clock)

    def of(self, kind: str) -> list[str]:
        return [path for path, who in self.who.items() if who.kind == kind]

    def at(self, path: str) -> str:
        """What is at a port that somebody named."""
        problem = self.closed.get(path)
        if problem and problem.code == IN_USE:
            raise PairError("bench.in_use", ports=[path])
        if problem:
            raise PairAbsent("bench.port_closed", failure=problem.args)
        return self.who[path].kind if path in self.who else ""

    def nothing(self, code: str) -> PairError:
        """Why none was found: somebody else has it, or it is not there."""
        used = [path for path, problem in self.closed.items() if problem.code == IN_USE]
        return PairError("bench.in_use", ports=used) if used else PairAbsent(code)


def choose_rig(named: str | None, ports: Ports) -> str:
    if named:
        kind = ports.at(named)
        if kind != RIG:
            raise PairError(
                {TABLE: "bench.rig_is_table", BARE: "bench.rig_is_bare"}.get(kind, "bench.rig_silent"), port=named
            )
        return named
    found = ports.of(RIG)
    if not found:
        raise ports.nothing("bench.no_rig")
    if len(found) > 1:
        raise PairError("bench.several_rigs", ports=found)
    return found[0]


def choose_table(named: str | None, name: str, ports: Ports) -> str:
    """A table of this name, or a Pico that shows its prompt."""
    if named:
        kind = ports.at(named)
        if kind not in (TABLE, BARE):
            raise PairError("bench.table_is_rig" if kind == RIG else "bench.table_silent", port=named)
        if ports.who[named].table not in ("", name):
            raise PairError("bench.other_table", ports=[named], name=name)
        return named
    tables = ports.of(TABLE)
    found = [path for path in tables if ports.who[path].table == name] or ports.of(BARE)
    if not found and tables:
        raise PairError("bench.other_table", ports=tables, name=name)
    if not found:
        raise ports.nothing("bench.no_table")
    if len(found) > 1:
        raise PairError("bench.several_tables", ports=found)
    return found[0]


def open_pair(
    rig: str | None, table: str | None, name: str, list_ports: Callable[[], list[str]] = picos
) -> PairPorts:
    """The rig, and the table of this name, at the ports that are named or where each says that it is one."""
    if rig and rig == table:
        raise PairError("bench.same_port", port=rig)
    named = [path for path in (rig, table) if path]
    ports = Ports(named if len(named) == 2 else sorted({*named, *list_ports()}), RealClock())
    held: list[str] = []
    try:
        rig_path = choose_rig(rig, ports)
        table_path = choose_table(table, name, ports)
        held = [rig_path, table_path]
        return PairPorts(
            rig_path, ports.open[rig_path], table_path, ports.open[table_path], ports.who[table_path]
        )
    finally:
        for path, port in ports.open.items():
            if path not in held:
                port.close()
