"""`felt bench wiring` and `felt bench check`: how a rig is wired to its table, and the proof that it is."""

from collections.abc import Iterator
from contextlib import closing

import click

from host.bench.firmware_target import TABLE
from host.bench.hardware.check import OFF, UNPLUG_MS, Check, Report
from host.bench.hardware.identity import PairAbsent, PairError, PairPorts, open_pair
from host.bench.hardware.rig import RealClock, RigError
from host.bench.hardware.wiring import CONDUCTING, PULL_UP, SERIES, pin_name, rig_for, table_boards, wires
from host.commands.bench_options import PORT, RIG_PORT, set_up_errors
from host.pico.boards import BoardError, find_board
from host.terminal import make_console, make_table, slow_progress
from host.words.failures import failure_words

PARTS = 7  # of a check, about
ERASE_MS = (45, 400)  # typical and most, by the flash chip's data sheet
ABSENT = 3  # exit status of what is skipped
NOTES = (
    "bench.wiring_series",
    "bench.wiring_pull_up",
    "bench.wiring_off",
    "bench.wiring_conducting",
    "bench.wiring_ground",
    "bench.wiring_table",
    "bench.wiring_check",
)


@click.command("wiring")
@click.option(
    "--board",
    "name",
    type=click.Choice(table_boards()),
    default="small",
    show_default=True,
    help="The table's board.",
)
def wiring_command(name: str) -> None:
    """Show how a rig is wired to its table, pin by pin.

    A rig is a second Pico that plays shuffler, reader, sensors and keys to the table."""
    rig = rig_for(find_board(name))
    console = make_console()
    console.print(failure_words("bench.wiring_title", {"board": name, "rig": rig.NAME}), soft_wrap=True)
    console.print()
    joined = wires(rig)
    table = make_table(("wire", "rig", "table", "in it", "to 3V3(OUT)"), "<<<<<", pad_edge=False, show_edge=False)
    for wire in joined:
        pull_up = PULL_UP if wire.has_pull_up else ""
        table.add_row(wire.what, pin_name(wire.rig), pin_name(wire.table), SERIES, pull_up)
    table.add_row("ground", "GND (pin 3)", "GND (pin 3)", "", "")
    console.print(table)
    console.print()
    conducting = [wire.rig for wire in joined if wire.rig in CONDUCTING]
    fields = {"series": SERIES, "pull_up": PULL_UP, "board": name, "pins": conducting}
    for code in NOTES:
        if conducting or code != "bench.wiring_conducting":
            console.print(f"- {failure_words(code, fields)}")


@click.command("check")
@RIG_PORT
@PORT
@click.option("--unplug", is_flag=True, help="Check a rig that is off as well: you pull its USB cable.")
def check_command(rig_port: str | None, port: str | None, unplug: bool) -> None:
    """Prove the wiring between a rig and its table.

    Every line is pulled by the rig and must be seen at the table, alone. Then the shift registers, both UARTs,
    the reset wire, a rig in reset, and how long this table's flash takes to erase. The table may be bare
    MicroPython; a flashed one must be named BENCH. Nothing on it is changed. The exit status is 0 if all is well,
    1 if something is wired wrongly, 2 if the pair cannot be used, 3 if none is plugged in.
    """
    with set_up_errors(PairError):
        try:
            ports = open_pair(rig_port, port, TABLE)
        except PairAbsent as why:
            click.echo(f"skipped: {why}")
            raise click.exceptions.Exit(ABSENT) from None
    with closing(ports), set_up_errors(PairError, RigError, BoardError):
        report = checked(ports, unplug)
    for line in report_lines(report):
        click.echo(line)
    raise click.exceptions.Exit(1 if report.faults else 0)


def checked(ports: PairPorts, unplug: bool) -> Report:
    """What is at which port is told at once, and the person when to pull a cable."""
    who = ports.who
    is_named = {"port": ports.table_path, "board": who.board, "name": who.table}
    click.echo(failure_words("bench.table_at" if who.table else "bench.bare_at", is_named))
    check = Check(ports.rig, ports.table, find_board(who.board) if who.board else None, RealClock())
    click.echo(failure_words("bench.rig_at", {"port": ports.rig_path, "board": check.board.NAME}))
    with slow_progress(PARTS) as step:

        def advance(part: str) -> None:
            step(part)
            if part == OFF:
                click.echo(failure_words("bench.unplug_now", {"seconds": UNPLUG_MS // 1000}))

        report = check.run(advance, unplug)
    if who.table:
        check.restart_table()
    return report


def report_lines(report: Report) -> Iterator[str]:
    yield from (f"fine: {proved}" for proved in report.proved)
    yield from (f"wrong: {fault}" for fault in report.faults)
    if report.erase_us:
        times = {
            "count": len(report.erase_us),
            "least": min(report.erase_us) // 1000,
            "most": max(report.erase_us) // 1000,
        }
        yield failure_words("bench.erases", times | {"usual": ERASE_MS[0], "worst": ERASE_MS[1]})
    else:
        yield failure_words("bench.no_erases", {})
    yield failure_words(
        "bench.wired_wrongly" if report.faults else "bench.wired_well", {"count": len(report.faults)}
    )
