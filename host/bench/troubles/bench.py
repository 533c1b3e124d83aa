"""What acts need of the target on which they are done."""

from collections import deque
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn, Protocol


class CannotAct(Exception):
    """This target cannot do that; the text says why."""


class NotSo(Exception):
    """A look at the table shows something else."""


class Bench(Protocol):
    """A table with devices, host and wires around it; time passes in steps."""

    now: int
    board: str
    table: Any  # shared.round.table.Table
    pico: Any  # a target of the simulator
    link: Any  # host.table.link.HostLink
    log: Any  # host.simulator.memory_log.MemoryLog
    keeper: Any  # host.table.view.ViewKeeper
    shuffler: Any
    reader: Any
    keys: list[int]
    sensors: list[int]
    sensors_plugged: bool
    has_host: bool
    has_cable: bool
    disk_full: bool
    is_dead: bool  # it does not start any more
    is_cut: bool  # its power is about to fail
    is_ruined: bool  # its flash or journal is not as it should be
    unseen: tuple[str, ...]  # records that are not told, as there are too many of them
    deaf: set[str]
    lost: dict[str, int]
    stray: bytes
    last_said: dict[str, bytes]
    again: list[list[Any]]
    answers: deque[tuple[Any, ...]]
    levels_before: list[int]  # of the sensors, before a wire broke
    records: list[list[Any]]
    came: list[list[Any]]
    config: dict[str, Any]

    def board_module(self) -> ModuleType: ...

    def new_link(self) -> Any: ...

    def step(self, milliseconds: int = ...) -> None: ...

    def rest(self) -> None:
        """Let time pass until nothing more is recorded."""
        ...

    def wait_for(self, is_so: Callable[[], bool], at_most: int, else_say: str | None = None) -> bool: ...

    def command(self, name: str, arguments: list[Any]) -> tuple[Any, ...]: ...

    def begin(self, events: list[dict[str, Any]]) -> None:
        """Have events happen, and wait for nothing."""
        ...

    def happen(self, event: dict[str, Any]) -> None:
        """Have an event happen as staff tell it, or as devices say it."""
        ...

    def switch_on(self) -> None: ...

    def try_to_start(self) -> str:
        """As `switch_on`; what the journal is broken by, or an empty text."""
        ...

    def forget(self, count: int) -> None:
        """The host has lost its last records."""
        ...


def can(bench: Bench, name: str) -> Any:
    """What only some targets can do."""
    found = getattr(bench.pico, name, None)
    if found is None:
        cannot(f"nothing of this target can {name.replace('_', ' ')}")
    return found


def cannot(why: str) -> NoReturn:
    raise CannotAct(why)


def device(bench: Bench, name: str) -> Any:
    found = bench.shuffler if name == "shuffler" else bench.reader
    if found is None:
        cannot(f"this table has no {name}")
    return found
