"""`felt bench soak`: random play and random troubles on the whole firmware."""

from pathlib import Path
from types import ModuleType

import click

from host.bench.soak.report import failure_lines, has_failed, keep, report_lines
from host.bench.soak.shifts import CPYTHON, SOAKED, Report, Shift, shifts_of, soak
from host.commands.arguments import FOLDER, BookArgument
from host.pico.digests import firmware_digest
from host.rules.catalogue import book_ids
from host.terminal import slow_progress

A_SHIFT = 25


@click.command("soak")
@click.option("--rounds", type=click.IntRange(1), help="How many rounds at least; 500 by default.")
@click.option("--seed", type=int, default=1, show_default=True, help="What play and troubles are drawn from.")
@click.option("--game", "games", multiple=True, type=BookArgument(), help="Only this rulebook; else all in turn.")
@click.option(
    "--target",
    "names",
    multiple=True,
    type=click.Choice(SOAKED),
    default=[CPYTHON],
    show_default=True,
    help="What the firmware runs on; with both, records must be the same on both.",
)
@click.option(
    "--shift-rounds", type=click.IntRange(1), default=A_SHIFT, show_default=True, help="Rounds a shift."
)
@click.option(
    "--shift", "number", type=click.IntRange(0), help="Only this shift, with the same events; needs --game."
)
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="How many shifts at once.")
@click.option("--keep", "kept", type=FOLDER, help="Keep a folder of each failure, to play it again.")
def soak_command(
    rounds: int | None,
    seed: int,
    games: tuple[ModuleType, ...],
    names: tuple[str, ...],
    shift_rounds: int,
    number: int | None,
    jobs: int,
    kept: Path | None,
) -> None:
    """Play random rounds with random troubles, and check every record.

    The whole firmware runs in virtual time with simulated devices, people and host. Power, plugs, wires, devices,
    clocks and the host itself fail at random moments. The exit status is 0 if all went well, 1 if something was
    lost, differs or stops, 2 for a mistake in the command line.
    """
    if number is not None and len(games) != 1:
        raise click.UsageError("--shift plays one shift of one rulebook: name it with --game")
    ids = [book.ID for book in games] or book_ids()
    if number is None:
        shifts = shifts_of(seed, ids, rounds or 500, shift_rounds)
    else:
        shifts = [Shift(seed, ids[0], number, rounds or shift_rounds)]
    targets = list(dict.fromkeys(names))
    reports: list[Report] = []
    with slow_progress(len(shifts) * len(targets)) as step:
        step("soaking")
        for report in soak(shifts, targets, jobs):
            step(f"{report.target}: {report.shift.game}")
            reports.append(report)
            if report.failure:
                click.echo("\n".join(failure_lines(report)))
                if kept:
                    click.echo(f"kept: {keep(kept, report, firmware_digest())}")
    click.echo("\n".join(report_lines(reports)))
    raise click.exceptions.Exit(has_failed(reports))
