"""What staff tell the table that is no event of a round, and commands as no host should send them."""

from typing import Any

from host.bench.troubles.bench import Bench, cannot
from host.table.link import Command
from shared.journal.snapshot import plain_config
from shared.journal.wire import decode


def clear(bench: Bench, f: dict[str, Any]) -> None:
    bench.command("clear", [f["fault"], f.get("by", bench.table.posts["faults"])])


def call(bench: Bench, f: dict[str, Any]) -> None:
    for _ in range(f.get("count", 1)):
        done, code = bench.command("call", [f["by"]])[:2]
        if not done:
            bench.came.append(["answered", done, code])


def set_up(bench: Bench, f: dict[str, Any]) -> None:
    config = dict(bench.config)
    if "count" in f:
        config["boxes"] = f["count"]
    if "book" in f:
        config = {"game": f["book"], "boxes": config["boxes"], "device": config["device"]}
    config |= f.get("setting", {})
    bench.command("config", plain_config(config))


def again(bench: Bench, f: dict[str, Any]) -> None:
    """As if its answer had been lost."""
    repeat(bench, None)


def number_used(bench: Bench, f: dict[str, Any]) -> None:
    repeat(bench, ["dealer"])


def repeat(bench: Bench, other: list[Any] | None) -> None:
    said = bench.last_said.get("command")
    if not said:
        cannot("the host has told nothing yet")
    number, who, name, arguments = decode(said.rstrip(b"\n"))[1:5]
    if other:
        name, arguments = "call", other
    bench.answers.clear()
    bench.link.commands.append(Command(who, name, arguments, number, bench.now - 60_000))
    bench.wait_for(lambda: bool(bench.answers), 10_000, "the command is not answered")
    answer = bench.answers.popleft()
    bench.came.append(["answered", answer[0], answer[1]])


def odd_command(bench: Bench, f: dict[str, Any]) -> None:
    bench.command("juggle", [])


def bare_command(bench: Bench, f: dict[str, Any]) -> None:
    for name in ("clear", "call"):
        bench.command(name, [])


def card_command(bench: Bench, f: dict[str, Any]) -> None:
    bench.command("event", ["card", "KS"])


def raw_event(bench: Bench, f: dict[str, Any]) -> None:
    """The fields of an event as they are."""
    bench.command("event", f["values"])


def odd_event(bench: Bench, f: dict[str, Any]) -> None:
    bench.command("event", ["dance", 7, "x" * 60, [], None, True])
    bench.command("event", [])
    bench.command("event", ["bet", 1, "P1"])
    bench.command("event", ["bet", 1000, "P1", "main", 500])
    bench.command("event", ["open", 1])
